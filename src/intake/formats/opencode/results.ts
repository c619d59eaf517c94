// Reads a tool call of opencode, with its result. What the tool returned ends with remarks to the model, and
// the text of a file has line numbers.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { toolUse } from "../../../tools/table.js";
import {
  defined,
  flagAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
  wordAt,
} from "../../json-access.js";
import { argumentsOf } from "../../protocols/openai-chat/calls.js";
import { attachTo, dataOf } from "../../protocols/openai-chat/content.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At, CallEntry, ResultEntry, Status } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import type { ChangedFiles } from "./files.js";
import { entriesShown, fileShown, withoutRemarks } from "./shown.js";

const denials =
  /^(?:\w*Error: )?The user (?:rejected permission to use|has specified a rule which prevents|dismissed this question)/;
const abortion = /^(?:\w*Error: )?Tool execution aborted/;

/** Reads a part that is a call, and its result; returns whether it has one. */
export function takeOpencodeCall(
  run: RunBuilder,
  files: ChangedFiles,
  part: JsonValue,
  call: Omit<CallEntry, "parameters">,
): boolean {
  const state = objectAt(part, "state") ?? {};
  const input = objectAt(state, "input") ?? {};
  const raw = textAt(state, "raw");
  // The arguments of a call that is still being written are a text.
  const parameters =
    Object.keys(input).length === 0 && raw !== undefined ? argumentsOf(raw, run.coverage) : input;
  const started = timeOf(valueAt(state, "time", "start"), run.coverage) ?? call.time;
  run.call({
    ...call,
    time: started,
    parameters,
    isServer: flagAt(part, "metadata", "providerExecuted"),
  });
  const status = textAt(state, "status");
  const isDone = status === "completed";
  if (!isDone && status !== "error") return false;
  const metadata = objectAt(state, "metadata") ?? {};
  const result = isDone ? completed(run, { tool: call.tool, parameters, state }) : failed(state);
  run.result(call.id, {
    ...result,
    time: timeOf(valueAt(state, "time", "end"), run.coverage),
    metadata: defined({
      exit_code: numberAt(metadata, "exit"),
      // The program took the output out of what the model sees, later on.
      compacted: numberAt(state, "time", "compacted") === undefined ? undefined : true,
      ...result.metadata,
    }),
  });
  if (result.status === "ok") files.noteCall(call.tool, parameters, metadata);
  return true;
}

interface CompletedCall {
  tool: string;
  parameters: JsonObject;
  state: JsonObject;
}

function completed(run: RunBuilder, { tool, parameters, state }: CompletedCall): ResultEntry {
  const seen = textAt(state, "output") ?? "";
  const metadata = objectAt(state, "metadata") ?? {};
  const isCut = flagAt(metadata, "truncated");
  if (isCut) run.coverage.truncated++;
  const attached = attachments(run, state);
  const [image] = attached;
  const isImage = tool === "read" && attached.length === 1;
  return {
    output: isImage ? image?.bytes : outputOf(run, { tool, parameters, seen }),
    seen,
    status: statusOf(tool, seen, metadata),
    metadata: defined({
      truncated: isCut ? true : undefined,
      attached: attached.length > 0 ? attached.map(({ name }) => name) : undefined,
    }),
  };
}

function statusOf(tool: string, seen: string, metadata: JsonObject): Status {
  // A call of a tool that there is not, or with wrong parameters, is completed by this one.
  if (tool === "invalid") return "error";
  const remark = seen.slice(withoutRemarks("bash", seen).length);
  if (tool === "bash" && remark.includes("User aborted the command")) return "interrupted";
  const hasFailed = tool === "bash" && remark.includes("exceeding timeout");
  return hasFailed || (numberAt(metadata, "exit") ?? 0) !== 0 ? "error" : "ok";
}

/** Returns what the tool itself returned. */
function outputOf(
  run: RunBuilder,
  { tool, parameters, seen }: { tool: string; parameters: JsonObject; seen: string },
): string {
  if (tool !== "read") {
    const text = withoutRemarks(tool, seen);
    return tool === "bash" && text === "(no output)" ? "" : text;
  }
  const file = fileShown(seen);
  if (file === undefined) return entriesShown(seen) ?? seen;
  const use = toolUse(tool, parameters, "opencode");
  const path = use?.action === "read" ? use.path : undefined;
  if (path === undefined || !file.isWhole) return file.text;
  if (file.isExact) {
    run.files.see(path, file.text);
    return file.text;
  }
  // Newer versions do not show whether the last line is ended.
  const known = run.files.textOf(path);
  return known === `${file.text}\n` ? known : file.text;
}

function failed(state: JsonObject): ResultEntry {
  const seen = textAt(state, "error") ?? "";
  const printed = wordAt(state, "metadata", "output");
  const isAborted = abortion.test(seen);
  return {
    output: isAborted ? (printed ?? seen) : seen,
    seen,
    status: denials.test(seen) ? "denied" : isAborted ? "interrupted" : "error",
  };
}

/** Stores images and other files that a tool returned. */
function attachments(run: RunBuilder, state: JsonObject): { name: string; bytes: Buffer }[] {
  return objectsAt(state, "attachments").flatMap((file) => {
    const data = dataOf(textAt(file, "url") ?? "");
    if (data === undefined) return [];
    const name = attachTo(run)(data.bytes, data.kind === "" ? (textAt(file, "mime") ?? "") : data.kind);
    return [{ name, bytes: data.bytes }];
  });
}

/** Reads a part that is a command that the user ran, in the form in which ctx finds such commands. */
export function usersCommand(run: RunBuilder, part: JsonValue, at: At): void {
  const state = objectAt(part, "state");
  const printed =
    textAt(state, "output") ?? textAt(state, "metadata", "output") ?? textAt(state, "error") ?? "";
  run.context(
    "shell",
    `<bash-input>${textAt(state, "input", "command") ?? ""}</bash-input><bash-stdout>${printed}</bash-stdout>`,
    { ...at, metadata: defined({ exit_code: numberAt(state, "metadata", "exit") }) },
  );
}
