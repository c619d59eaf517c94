// Reads what a tool of GitHub Copilot CLI returned: its text, how the command ended, and what happened to
// files.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { toolUse } from "../../../tools/table.js";
import { noteFileEffects } from "../../file-effects.js";
import { defined, numberAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";
import { attachTo, valueText } from "../../protocols/openai-chat/content.js";

const ending = /\s?<(?:exited|shellId: [^<>\n]{1,80} completed) with exit code (-?\d{1,10})>\s*$/;

/** Reads a `tool.execution_complete` event. */
export function takeComplete(run: RunBuilder, data: JsonObject, time: string | undefined): void {
  const id = wordAt(data, "toolCallId");
  const call = run.callOf(id);
  const result = valueAt(data, "result");
  const failure = failureOf(data);
  const seen = failure ?? contentOf(result);
  const end = seen === undefined ? null : ending.exec(seen.slice(-200));
  const exit_code =
    objectsAt(result, "contents")
      .map((block) => numberAt(block, "exitCode"))
      .find((code) => code !== undefined) ?? (end === null ? undefined : Number(end[1]));
  const printed = end === null || seen === undefined ? seen : seen.slice(0, seen.length - end[0].length);
  const full = failure === undefined ? fullOf(call?.tool, seen, result) : undefined;
  const isCut = seen !== undefined && full === undefined && /^Output too large to read at once/m.test(seen);
  if (isCut) run.coverage.truncated++;
  const status = copilotStatus(data, failure, exit_code);
  if (seen === undefined) run.coverage.addUnknown("what some tools returned");
  run.result(id, {
    output: full ?? printed,
    seen,
    status,
    time,
    metadata: defined({
      exit_code,
      truncated: isCut ? true : undefined,
      attached: attachments(run, result),
      tool: call === undefined ? wordAt(data, "toolName") : undefined,
    }),
  });
  if (status === "ok" && call !== undefined)
    noteFileEffects(run.files, toolUse(call.tool, call.parameters, "copilot-cli"));
}

/** Stores what is not text, and returns the names. */
function attachments(run: RunBuilder, result: JsonValue | undefined): string[] | undefined {
  const names = [...objectsAt(result, "contents"), ...objectsAt(result, "binaryResultsForLlm")].flatMap(
    (block) => {
      const data = textAt(block, "data");
      if (data === undefined) return [];
      return [attachTo(run)(Buffer.from(data, "base64"), textAt(block, "mimeType") ?? "")];
    },
  );
  return names.length > 0 ? names : undefined;
}

function failureOf(data: JsonObject): string | undefined {
  const error = valueAt(data, "error");
  return typeof error === "string" ? error : textAt(error, "message");
}

function contentOf(result: JsonValue | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  const content = valueAt(result, "content");
  if (content !== undefined && content !== null) return valueText(content);
  const blocks = objectsAt(result, "contents").flatMap(
    (block) => textAt(block, "text") ?? textAt(block, "outputPreview") ?? [],
  );
  return blocks.length > 0 ? blocks.join("\n") : valueText(result);
}

/**
 * Returns the whole result, where the model was shown a part. The detailed view of a file is no result: it is
 * formatted as a change.
 */
function fullOf(
  tool: string | undefined,
  seen: string | undefined,
  result: JsonValue | undefined,
): string | undefined {
  const detailed = wordAt(result, "detailedContent");
  if (detailed === undefined || tool === "view" || detailed === seen) return undefined;
  return detailed.length > (seen?.length ?? 0) ? detailed : undefined;
}

function copilotStatus(data: JsonObject, failure: string | undefined, exitCode: number | undefined): Status {
  const why = `${wordAt(data, "error", "code") ?? ""} ${failure?.slice(0, 300) ?? ""}`;
  const isFailed = valueAt(data, "success") === false || failure !== undefined;
  if (!isFailed) return (exitCode ?? 0) === 0 ? "ok" : "error";
  if (/interrupted|aborted|cancelled/i.test(why)) return "interrupted";
  return /denied|rejected/i.test(why) ? "denied" : "error";
}
