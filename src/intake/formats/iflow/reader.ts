// Reads the records of a session of iFlow, in the order of the file. While the model answers, iFlow writes the last
// call of the record before again with the next one: RunBuilder takes a call with the same id once.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { spokenParts } from "../../../model/markers.js";
import type { Into } from "../../format.js";
import { flagAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { anthropicUsage, takeBlock } from "../../protocols/anthropic/message.js";
import { contentText } from "../../protocols/anthropic/text-and-media.js";
import { partsOf, responseOf } from "../../protocols/gemini/parts.js";
import { type Attach, attachTo } from "../../protocols/openai-chat/content.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { takeResult } from "../gemini-cli/results.js";

/** Whether a record is one of iFlow's: the ids of its sessions are not those of Claude Code. */
export function isIflowRecord(record: JsonObject): boolean {
  return (
    /^session-[0-9a-f]{8}-/.test(textAt(record, "sessionId") ?? "") &&
    textAt(record, "uuid") !== undefined &&
    textAt(record, "message", "role") !== undefined
  );
}

export class IflowReader {
  readonly #into: Into;
  readonly #run: RunBuilder;
  readonly #attach: Attach;
  readonly #uuids = new Set<string>();

  constructor(into: Into) {
    this.#into = into;
    this.#run = new RunBuilder({
      format: "iflow",
      agent: "iflow",
      keeper: () => into.keeper(),
      coverage: into.coverage,
    });
    this.#attach = attachTo(this.#run);
  }

  take(record: JsonObject): void {
    const run = this.#run;
    const uuid = textAt(record, "uuid");
    if (uuid !== undefined && this.#uuids.has(uuid)) {
      run.coverage.duplicates++;
      return;
    }
    if (uuid !== undefined) this.#uuids.add(uuid);
    this.#describe(record);
    const at: At = {
      time: timeOf(valueAt(record, "timestamp"), run.coverage),
      cwd: wordAt(record, "cwd"),
      branch: wordAt(record, "gitBranch"),
    };
    run.see(at);
    const type = textAt(record, "type") ?? "unknown";
    const message = objectAt(record, "message") ?? {};
    if (type === "user") this.#takeUser(record, message, at);
    else if (type === "assistant") this.#takeAssistant(message, at);
    else run.coverage.skip(type);
  }

  finish(): ExecutionLog {
    addPromptOption(this.#run, this.#into);
    return this.#run.finish();
  }

  #describe(record: JsonObject): void {
    const { source, toolVersions } = this.#run;
    const [session, version] = [wordAt(record, "sessionId"), wordAt(record, "version")];
    if (session !== undefined) source["session"] ??= session;
    if (version !== undefined) source["version"] = toolVersions["iflow"] = version;
  }

  #takeAssistant(message: JsonObject, at: At): void {
    const id = wordAt(message, "id");
    const usage = objectAt(message, "usage");
    const isCounted = (numberAt(usage, "input_tokens") ?? 0) + (numberAt(usage, "output_tokens") ?? 0) > 0;
    if (id !== undefined && usage !== undefined && isCounted) this.#run.use(id, anthropicUsage(usage));
    const spoken: At = { ...at, model: wordAt(message, "model") };
    for (const block of blocksOf(valueAt(message, "content")))
      takeBlock(this.#run, block, { at: spoken, together: id });
  }

  #takeUser(record: JsonObject, message: JsonObject, at: At): void {
    const kind = flagAt(record, "isCompactSummary")
      ? "summary"
      : flagAt(record, "isMeta")
        ? "meta"
        : undefined;
    for (const block of blocksOf(valueAt(message, "content"))) {
      const text = textAt(block, "text");
      if (textAt(block, "type") === "tool_result") this.#takeResult(record, block, at);
      else if (text === undefined) this.#run.coverage.skip(`block ${textAt(block, "type") ?? "unknown"}`);
      else if (kind !== undefined) this.#run.context(kind, text, at);
      else
        for (const part of spokenParts("gemini", text))
          if (part.kind === undefined) this.#run.prompt(part.text, at);
          else this.#run.context(part.kind, part.text, at);
    }
  }

  #takeResult(record: JsonObject, block: JsonValue, at: At): void {
    const run = this.#run;
    const id = textAt(block, "tool_use_id");
    const call = run.callOf(id);
    const content = valueAt(block, "content");
    const held = valueAt(content, "responseParts") ?? content;
    const responses = partsOf(held)
      .map((part) => objectAt(part, "functionResponse"))
      .filter((response) => response !== undefined);
    const read = responses.map((response) => responseOf(response, this.#attach));
    const seen =
      responses.length === 0 ? contentText(content) : read.flatMap(({ text }) => text ?? []).join("\n");
    const isError = flagAt(block, "is_error") || read.some((response) => response.isError);
    const status = wordAt(record, "toolUseResult", "status") ?? (isError ? "error" : "success");
    if (id === undefined || call === undefined) {
      run.result(id, { output: seen, status: isError ? "error" : "ok", time: at.time });
      return;
    }
    takeResult(run, id, {
      tool: call.tool,
      parameters: call.parameters,
      status,
      text: withoutReminder(seen),
      seen,
      isError,
      display: valueAt(content, "resultDisplay"),
      time: at.time,
    });
  }
}

function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** Removes the reminder that the client appends to the content of a file. */
function withoutReminder(text: string): string {
  if (!text.trimEnd().endsWith("</system-reminder>")) return text;
  const at = text.lastIndexOf("<system-reminder>");
  return at === -1 ? text : text.slice(0, at).replace(/\n{1,2}$/, "");
}
