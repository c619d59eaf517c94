// Sessions of Qwen Code: records with uuids, one a line, as Claude Code writes them, with contents as Gemini
// has them.
import type { JsonObject } from "../../../base/json/value.js";
import { flagAt, given, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import { plainText } from "../../protocols/gemini/parts.js";
import { GeminiReader } from "../gemini-cli/reader.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { givenPrompt } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";

export const qwenCode: Format = {
  name: "qwen-code",
  title: "Qwen Code session",
  from: "~/.qwen/projects/<project>/chats/<session>.jsonl",
  sniff,
  read(source, into) {
    const session = new QwenReader(into);
    for (const { value } of recordsOf(source, into.coverage)) session.take(value);
    return [session.finish()];
  },
};

function sniff({ records, document }: Head): Fit {
  const first = objectAt(document);
  const seen = records.length > 0 || first === undefined ? records : [first];
  const own = seen.filter((record) => textAt(record, "uuid") !== undefined && isKnown(record));
  const spoken = own.filter((record) => Array.isArray(valueAt(record, "message", "parts")));
  const payloads = own.filter((record) => objectAt(record, "systemPayload") !== undefined);
  if (spoken.length + payloads.length > 0 && own.length * 2 > seen.length) return true;
  return { near: spoken.length > 0 ? 0.4 : 0, lacks: "no record has a uuid and a message with parts" };
}

function isKnown(record: JsonObject): boolean {
  return /^(?:user|assistant|tool_result|system)$/.test(textAt(record, "type") ?? "");
}

/** System notes that say nothing about the run. */
const leftOut = new Set(
  (
    "ui_telemetry at_command attribution_snapshot file_history_snapshot user_text_elements session_source branch_checkpoint " +
    "session_artifact_event session_artifact_snapshot session_sources_snapshot turn_result session_execution_engine"
  ).split(" "),
);

class QwenReader {
  readonly #into: Into;
  readonly #run: RunBuilder;
  readonly #teller: GeminiReader;
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
    this.#teller = new GeminiReader(this.#run);
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
    else if (isKnown(record)) this.#takeMessage(record, type, at);
    else run.coverage.skip(type);
    if (uuid !== undefined) this.#after.set(uuid, run.stepCount);
  }

  finish(): ReturnType<RunBuilder["finish"]> {
    givenPrompt(this.#run, this.#into);
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
      source["forked_from"] = given({
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
    this.#teller.take(
      given({
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
  return given({
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
