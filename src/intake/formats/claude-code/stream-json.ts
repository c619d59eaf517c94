// Reads the output of `claude -p --output-format stream-json`, one record a line, or one array, as the GitHub
// action stores it. It holds neither the prompt nor times; records of sub-agents are in the same stream,
// under the id of the call that started them.
import { wholeDocument } from "../../document.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { anthropicUsage } from "../../protocols/anthropic/message.js";
import { Coverage } from "../../coverage.js";
import {
  flagAt,
  defined,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
  wordAt,
} from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { type LogSource, startOf } from "../../log-source.js";
import { finishAgent, linkAgent } from "../../sub-agents.js";
import { sessionRuns } from "../../stream-sessions.js";
import { timeOf } from "../../times.js";
import { takeAssistant, takeToolResult, takeUserContent } from "./messages.js";

export const claudeStreamJson: Format = {
  name: "claude-stream-json",
  title: "what `claude -p --output-format stream-json` prints",
  from: "claude -p … --output-format stream-json --verbose, or the GitHub action's execution file",
  isTimeless: true,
  sniff,
  read(source, into) {
    return sessionRuns(itemsOf(source, into.coverage), into.coverage, {
      nameOf: (record) => (isOfRun(record) ? wordAt(record, "session_id") : undefined),
      read: (coverage) => new ClaudeStreamReader(into, coverage),
    });
  },
};

function sniff({ records, document }: Head): Fit {
  const listed = objectsAt(document);
  const seen = listed.length > 0 ? listed : records.length > 0 ? records : [objectAt(document) ?? {}];
  const own = seen.filter((record) => textAt(record, "session_id") !== undefined);
  const isInit = own.some(
    (record) =>
      textAt(record, "type") === "system" &&
      textAt(record, "subtype") === "init" &&
      Array.isArray(record["tools"]),
  );
  const isResult = own.some(
    (record) =>
      textAt(record, "type") === "result" &&
      (Object.hasOwn(record, "num_turns") || Object.hasOwn(record, "total_cost_usd")),
  );
  if (isInit || isResult) return true;
  return own.length > 0
    ? { near: 0.5, missing: "no record is the beginning (system/init) or the result of a session" }
    : { near: 0, missing: "no record has a session_id" };
}

function* itemsOf(source: LogSource, coverage: Coverage): Generator<JsonObject> {
  if (!startOf(source).startsWith("[")) {
    for (const { value } of recordsOf(source, coverage)) yield value;
    return;
  }
  const value = wholeDocument(
    source,
    coverage,
    "an array must be whole; a stream that was cut off can be packed if it has one record a line",
  );
  for (const item of listAt(value)) {
    const record = objectAt(item);
    coverage.records++;
    if (record === undefined) coverage.skip("no object");
    else yield record;
  }
}

/** Whether a record is part of a run, and no mere remark of the client. */
function isOfRun(record: JsonObject): boolean {
  const type = textAt(record, "type") ?? "";
  if (type === "system") return textAt(record, "subtype") === "init";
  return /^(?:user|assistant|result)$/.test(type);
}

/** Record types that are known, and only repeat others. */
const leftOut = new Set([
  "stream_event",
  "rate_limit_event",
  "system/status",
  "system/hook_started",
  "system/hook_response",
  "system/task_started",
  "system/task_progress",
  "system/task_notification",
  "system/task_updated",
]);

class ClaudeStreamReader {
  readonly #into: Into;
  readonly #coverage: Coverage;
  readonly #main: RunBuilder;
  /** Sub-agents, by the calls that started them. */
  readonly #agents = new Map<string, RunBuilder>();
  readonly #uuids = new Set<string>();
  /** The folder of the session, where its sub-agents work as well. */
  #workdir: string | undefined;
  #session: string | undefined;

  constructor(into: Into, coverage: Coverage) {
    this.#into = into;
    this.#coverage = coverage;
    this.#main = this.#builder(coverage);
  }

  take(record: JsonObject): void {
    const type = textAt(record, "type") ?? "unknown";
    const uuid = textAt(record, "uuid");
    if (uuid !== undefined && this.#uuids.has(uuid)) {
      this.#coverage.duplicates++;
      return;
    }
    if (uuid !== undefined) this.#uuids.add(uuid);
    // Hooks that start a session may name another.
    if (isOfRun(record)) this.#session ??= wordAt(record, "session_id");
    const run = this.#runOf(wordAt(record, "parent_tool_use_id"));
    const at = { time: timeOf(valueAt(record, "timestamp"), this.#coverage) };
    const message = objectAt(record, "message");
    if (type === "assistant" && message !== undefined) takeAssistant(run, message, at);
    else if (type === "user" && message !== undefined) takeUser(run, record, at);
    else if (type === "result") this.#takeResult(record);
    else if (type === "system") this.#takeSystem(run, record, at);
    else if (leftOut.has(type)) this.#coverage.leaveOut(type);
    else this.#coverage.skip(type);
  }

  finish(): ReturnType<RunBuilder["finish"]> {
    for (const [call, run] of this.#agents) {
      const started = { agent: call, call };
      const pack = this.#into.seal(finishAgent(run, call, this.#session ?? "unknown"), started);
      linkAgent(this.#ownerOf(call), started, pack);
    }
    if (this.#session !== undefined) this.#main.source["session"] = this.#session;
    addPromptOption(this.#main, this.#into);
    return this.#main.finish();
  }

  #builder(coverage: Coverage): RunBuilder {
    return new RunBuilder({
      format: "claude-stream-json",
      agent: "claude-code",
      keeper: () => this.#into.keeper(),
      coverage,
    });
  }

  #runOf(call: string | undefined): RunBuilder {
    if (call === undefined) return this.#main;
    const known = this.#agents.get(call);
    if (known !== undefined) return known;
    const made = this.#builder(new Coverage());
    made.see({ cwd: this.#workdir });
    this.#agents.set(call, made);
    return made;
  }

  /** Returns the run that made a call: a sub-agent may have started another. */
  #ownerOf(call: string): RunBuilder {
    return [...this.#agents.values()].find((run) => run.callOf(call) !== undefined) ?? this.#main;
  }

  #takeSystem(run: RunBuilder, record: JsonObject, at: At): void {
    const kind = `system/${textAt(record, "subtype") ?? "unknown"}`;
    if (kind === "system/init") {
      this.#workdir ??= wordAt(record, "cwd");
      takeInit(run, record, at);
    } else if (kind === "system/compact_boundary") run.context("compaction", "", at);
    else if (leftOut.has(kind)) this.#coverage.leaveOut(kind);
    else this.#coverage.skip(kind);
  }

  #takeResult(record: JsonObject): void {
    const run = this.#main;
    const answer = wordAt(record, "result");
    // Without --verbose, the result is all there is.
    if (run.stepCount === 0 && answer !== undefined) run.message(answer);
    else if (answer !== undefined && answer !== run.answer) run.context("result", answer);
    const usage = objectAt(record, "usage");
    if (usage !== undefined && run.stepCount <= 1) run.use("result", anthropicUsage(usage));
    Object.assign(
      run.metadata,
      defined({
        outcome: wordAt(record, "subtype"),
        is_error: flagAt(record, "is_error") ? true : undefined,
        errors: listAt(record, "errors").length === 0 ? undefined : [...listAt(record, "errors")],
        structured_output: valueAt(record, "structured_output"),
        model_usage: objectAt(record, "modelUsage"),
        cost_usd: numberAt(record, "total_cost_usd"),
        turns: numberAt(record, "num_turns"),
        duration_ms: numberAt(record, "duration_ms"),
      }),
    );
    for (const denial of listAt(record, "permission_denials")) {
      const id = textAt(denial, "tool_use_id");
      if (id !== undefined) this.#ownerOf(id).setStatus(id, "denied");
    }
  }
}

function takeInit(run: RunBuilder, record: JsonObject, at: At): void {
  run.see({ ...at, cwd: wordAt(record, "cwd") });
  const version = wordAt(record, "claude_code_version");
  if (version !== undefined) {
    run.toolVersions["claude-code"] = version;
    run.source["version"] = version;
  }
  const mode = wordAt(record, "permissionMode");
  if (mode !== undefined) run.parameters["permission_mode"] = mode;
  run.metadata["tools"] = names(listAt(record, "tools"));
  const servers = names(listAt(record, "mcp_servers"));
  if (servers.length > 0) run.metadata["mcp_servers"] = servers;
  const model = wordAt(record, "model");
  if (model !== undefined) run.identifier = model;
}

function takeUser(run: RunBuilder, record: JsonObject, at: At): void {
  const content = valueAt(record, "message", "content");
  let results = 0;
  for (const block of listAt(content)) {
    const found = objectAt(block);
    if (found === undefined || textAt(found, "type") !== "tool_result") continue;
    const structured = results++ === 0 ? valueAt(record, "tool_use_result") : undefined;
    takeToolResult(run, found, { structured, at });
  }
  const isBare = results > 0 && listAt(content).length === results;
  const kind = flagAt(record, "isSynthetic") || flagAt(record, "isMeta") ? "meta" : undefined;
  if (!isBare) takeUserContent(run, content, { at, kind });
}

function names(list: readonly JsonValue[]): string[] {
  return list.flatMap((item) => (typeof item === "string" ? item : (wordAt(item, "name") ?? [])));
}
