// Reads the records of a session, in the order of the file. Contents are as Gemini CLI has them.
import type { JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { Into } from "../../format.js";
import { flagAt, defined, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { plainText } from "../../protocols/gemini/parts.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { GeminiReader } from "../gemini-cli/reader.js";

/** Returns whether the type of a record is one of Qwen Code's. */
export function isQwenRecord(record: JsonObject): boolean {
  return /^(?:user|assistant|tool_result|system)$/.test(textAt(record, "type") ?? "");
}

/** System notes that say nothing about the run. */
const leftOut = new Set(
  (
    "ui_telemetry at_command attribution_snapshot file_history_snapshot user_text_elements session_source branch_checkpoint " +
    "session_artifact_event session_artifact_snapshot session_sources_snapshot turn_result session_execution_engine"
  ).split(" "),
);

export class QwenReader {
  readonly #into: Into;
  readonly #run: RunBuilder;
  readonly #messages: GeminiReader;
  /** The number of steps after each record. */
  readonly #after = new Map<string, number>();

  constructor(into: Into) {
    this.#into = into;
    this.#run = new RunBuilder({
      format: "qwen-code",
      agent: "qwen-code",
      keeper: () => into.keeper(),
      coverage: into.coverage,
    });
    this.#messages = new GeminiReader(this.#run);
  }

  take(record: JsonObject): void {
    const run = this.#run;
    const uuid = wordAt(record, "uuid");
    if (uuid !== undefined && this.#after.has(uuid)) {
      run.coverage.duplicates++;
      return;
    }
    const at: At = {
      time: timeOf(record["timestamp"], run.coverage),
      cwd: wordAt(record, "cwd"),
      branch: wordAt(record, "gitBranch"),
    };
    run.see(at);
    this.#describe(record);
    const type = textAt(record, "type") ?? "unknown";
    if (type === "system") this.#takeSystem(record, at);
    else if (isQwenRecord(record)) this.#takeMessage(record, type, at);
    else run.coverage.skip(type);
    if (uuid !== undefined) this.#after.set(uuid, run.stepCount);
  }

  finish(): ExecutionLog {
    addPromptOption(this.#run, this.#into);
    return this.#run.finish();
  }

  #describe(record: JsonObject): void {
    const { source, toolVersions } = this.#run;
    const session = wordAt(record, "sessionId");
    const version = wordAt(record, "version");
    if (session !== undefined) source["session"] ??= session;
    if (version !== undefined) source["version"] = toolVersions["qwen-code"] = version;
    const agent = flagAt(record, "isSidechain") ? wordAt(record, "agentId") : undefined;
    if (agent !== undefined) source["subagent"] ??= agent;
    const forked = objectAt(record, "forkedFrom");
    if (forked !== undefined)
      source["forked_from"] = defined({
        session: textAt(forked, "sessionId"),
        message: textAt(forked, "messageUuid"),
      });
  }

  #takeMessage(record: JsonObject, type: string, at: At): void {
    const content = valueAt(record, "message", "parts") ?? [];
    const subtype = wordAt(record, "subtype");
    const isPersons = type !== "user" || subtype === undefined || subtype === "mid_turn_user_message";
    if (!isPersons) return this.#run.context(subtype, plainText(content), at);
    const usage = objectAt(record, "usageMetadata");
    const typed = type === "user" ? wordAt(record, "systemPayload", "displayText") : undefined;
    this.#messages.take(
      defined({
        type: type === "assistant" ? "gemini" : "user",
        content,
        displayContent: typed,
        model: record["model"],
        toolCallResult: record["toolCallResult"],
        tokens: usage === undefined ? undefined : tokensOf(usage),
      }),
      at,
    );
  }

  #takeSystem(record: JsonObject, at: At): void {
    const run = this.#run;
    const subtype = wordAt(record, "subtype") ?? "unknown";
    const payload = objectAt(record, "systemPayload");
    const title = wordAt(payload, "customTitle");
    const parent = wordAt(record, "parentUuid");
    if (subtype === "rewind") {
      // The parent of the note is where the user went back to.
      const from = parent === undefined ? 0 : this.#after.get(parent);
      if (from !== undefined) run.abandon(from);
    } else if (subtype === "chat_compression") run.context("compaction", "", at);
    else if (subtype === "slash_command" && textAt(payload, "phase") !== "result")
      run.context("command", wordAt(payload, "rawCommand") ?? "", at);
    else if (subtype === "custom_title" && title !== undefined) run.metadata["title"] = title;
    else if (subtype === "parent_session" && wordAt(payload, "parentSessionId") !== undefined)
      run.source["parent_session"] = wordAt(payload, "parentSessionId") ?? "";
    else if (subtype === "session_approval_mode" && wordAt(payload, "mode") !== undefined)
      run.parameters["approval_mode"] = wordAt(payload, "mode") ?? "";
    else if (subtype === "session_model" && wordAt(payload, "modelId") !== undefined)
      run.identifier = wordAt(payload, "modelId");
    else if (leftOut.has(subtype) || subtype === "slash_command") run.coverage.leaveOut(`system/${subtype}`);
    else run.coverage.skip(`system/${subtype}`);
  }
}

/** Returns the tokens of an answer, under Gemini CLI's names. */
function tokensOf(usage: JsonObject): JsonObject {
  return defined({
    input: numberAt(usage, "promptTokenCount"),
    // Here, thoughts are included in the output.
    output: withoutThoughts(usage),
    cached: numberAt(usage, "cachedContentTokenCount"),
    thoughts: numberAt(usage, "thoughtsTokenCount"),
    total: numberAt(usage, "totalTokenCount"),
  });
}

function withoutThoughts(usage: JsonObject): number | undefined {
  const [output, thoughts = 0] = ["candidatesTokenCount", "thoughtsTokenCount"].map((name) =>
    numberAt(usage, name),
  );
  const [input = 0, total] = ["promptTokenCount", "totalTokenCount"].map((name) => numberAt(usage, name));
  if (output === undefined) return undefined;
  return total !== undefined && total === input + output ? Math.max(output - thoughts, 0) : output;
}
