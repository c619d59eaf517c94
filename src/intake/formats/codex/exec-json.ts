// Reads what `codex exec --json` prints: events of a thread, its turns and its items. It has no times, no
// model and no prompt; the rollout of the same thread has them.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { defined, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import type { Coverage } from "../../coverage.js";
import { valuesOf } from "../../parse.js";
import { type SessionReader, sessionRuns } from "../../stream-sessions.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";
import type { LogSource } from "../../log-source.js";
import { isOldEvent, isOldHeader, oldReader } from "./exec-json-older.js";
import { isCut, mcpOutput } from "./output.js";
import { codexUsage } from "./session.js";

export const codexExecJson: Format = {
  name: "codex-exec-json",
  title: "what `codex exec --json` prints",
  from: "codex exec --json",
  isTimeless: true,
  sniff,
  read,
};

const eventType =
  /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/;

function sniff({ records }: Head): Fit {
  const events = records.filter((record) => isEvent(record) || isOldEvent(record));
  const signs = records.some(
    (record) =>
      isOldEvent(record) ||
      (textAt(record, "type") === "thread.started" && textAt(record, "thread_id") !== undefined) ||
      isItem(valueAt(record, "item")),
  );
  const others = records.filter((record) => textAt(record, "type") === "error" || isOldHeader(record));
  const share = records.length === 0 ? 0 : (events.length + others.length) / records.length;
  if (signs && share > 0.8) return true;
  return { near: signs ? share : 0, missing: "it has no `thread.started` and `item.completed` events" };
}

const itemType =
  /^(?:agent_message|assistant_message|reasoning|command_execution|file_change|mcp_tool_call|collab_tool_call|web_search|todo_list|error)$/;

function isItem(item: JsonValue | undefined): boolean {
  return itemType.test(textAt(item, "type") ?? textAt(item, "item_type") ?? "");
}

function isEvent(record: JsonObject): boolean {
  return eventType.test(textAt(record, "type") ?? "");
}

interface ExecRun {
  builder: RunBuilder;
  thread: string | undefined;
  /**
   * The number of threads so far: a run that continues in the same file restarts the numbering of its items.
   */
  threads: number;
  /** Calls that began, and those that were answered. */
  open: Set<string>;
  done: Set<string>;
  group: string | undefined;
  plan: string | undefined;
  lastError: string | undefined;
}

function read(source: LogSource, into: Into): ExecutionLog[] {
  let headers = 0;
  return sessionRuns(valuesOf(source, into.coverage), into.coverage, {
    nameOf: (event) => {
      if (textAt(event, "type") === "thread.started") return wordAt(event, "thread_id");
      // The older form begins with its settings, which name no thread.
      const isStart = isOldHeader(event) && textAt(event, "model") !== undefined;
      return isStart ? `header ${++headers}` : undefined;
    },
    read: (coverage) => execReader(into, coverage),
  });
}

function execReader(into: Into, coverage: Coverage): SessionReader {
  const builder = new RunBuilder({
    format: "codex-exec-json",
    agent: "codex",
    keeper: () => into.keeper(),
    coverage,
  });
  const run: ExecRun = {
    builder,
    thread: undefined,
    threads: 0,
    open: new Set(),
    done: new Set(),
    group: undefined,
    plan: undefined,
    lastError: undefined,
  };
  const takeOld = oldReader(builder);
  return {
    take: (record) => {
      if (!takeOld(record)) takeEvent(run, record);
    },
    finish: () => {
      addPromptOption(builder, into);
      return builder.finish();
    },
  };
}

function takeEvent(run: ExecRun, event: JsonObject): void {
  const { builder } = run;
  const type = textAt(event, "type") ?? "unknown";
  const usage = objectAt(event, "usage");
  switch (type) {
    case "thread.started":
      run.thread = wordAt(event, "thread_id");
      run.threads++;
      if (run.thread !== undefined) builder.source["session"] ??= run.thread;
      return;
    case "turn.started":
      return;
    case "turn.completed":
      // Each turn states the total of its thread.
      if (usage !== undefined) builder.use(run.thread ?? "total", codexUsage(usage));
      return;
    case "turn.failed":
      for (const id of run.open) builder.setStatus(id, "interrupted");
      run.open.clear();
      return takeError(run, wordAt(event, "error", "message"));
    case "error":
      return takeError(run, wordAt(event, "message"));
    case "item.started":
    case "item.updated":
    case "item.completed": {
      const item = objectAt(event, "item");
      if (item !== undefined) return takeItem(run, item, type === "item.completed");
      return builder.coverage.skip(type);
    }
    default:
      return builder.coverage.skip(type);
  }
}

function takeItem(run: ExecRun, item: JsonObject, isDone: boolean): void {
  const { builder } = run;
  // The oldest of these versions had another name for it.
  const type = textAt(item, "type") ?? textAt(item, "item_type") ?? "unknown";
  switch (type) {
    case "agent_message":
    case "assistant_message":
      if (isDone) builder.message(textAt(item, "text") ?? "");
      return;
    case "reasoning":
      if (isDone) builder.reasoning(wordAt(item, "text"));
      return;
    case "command_execution":
      return takeCall(run, item, {
        isDone,
        tool: "shell",
        parameters: defined({ command: valueAt(item, "command") }),
      });
    case "file_change": {
      const changes = listAt(item, "changes");
      if (isDone && codexItemStatus(item) === "ok") takeChanges(builder, item);
      return takeCall(run, item, { isDone, tool: "apply_patch", parameters: { changes: [...changes] } });
    }
    case "mcp_tool_call": {
      const tool = `mcp__${wordAt(item, "server") ?? "unknown"}__${wordAt(item, "tool") ?? "unknown"}`;
      return takeCall(run, item, { isDone, tool, parameters: objectAt(item, "arguments") ?? {} });
    }
    case "collab_tool_call": {
      const { prompt, receiver_thread_ids } = item;
      const parameters = defined({ prompt, receiver_thread_ids });
      return takeCall(run, item, { isDone, tool: wordAt(item, "tool") ?? "collab", parameters });
    }
    case "web_search":
      if (!isDone) return;
      return builder.call({
        tool: "web_search",
        parameters: defined({ query: valueAt(item, "query"), action: valueAt(item, "action") }),
        isServer: true,
        metadata: defined({ status: "ok", call_id: valueAt(item, "id") }),
      });
    case "todo_list":
      return takePlan(run, item);
    case "error":
      if (isDone) takeError(run, wordAt(item, "message"));
      return;
    default:
      if (isDone) builder.coverage.skip(`item/${type}`);
  }
}

interface ExecCall {
  isDone: boolean;
  tool: string;
  parameters: JsonObject;
}

function takeCall(run: ExecRun, item: JsonObject, { isDone, tool, parameters }: ExecCall): void {
  const { builder } = run;
  const own = wordAt(item, "id") ?? `unnamed ${builder.stepCount}`;
  const id = run.threads > 1 ? `${own}#${run.threads}` : own;
  if (run.done.has(id)) {
    builder.coverage.duplicates++;
    return;
  }
  if (!run.open.has(id)) {
    run.group = run.open.size === 0 ? id : run.group;
    builder.call({ id, tool, parameters, together: run.group });
    run.open.add(id);
  }
  if (!isDone) return;
  run.open.delete(id);
  run.done.add(id);
  const status = codexItemStatus(item);
  const output = outputOf(item);
  const isShort = output !== undefined && isCut(output);
  if (isShort) builder.coverage.truncated++;
  const exit_code = status === "denied" ? undefined : numberAt(item, "exit_code");
  builder.result(id, {
    output,
    status,
    metadata: defined({ exit_code, truncated: isShort ? true : undefined }),
  });
}

function outputOf(item: JsonObject): string | undefined {
  const failure = wordAt(item, "error", "message");
  if (failure !== undefined) return failure;
  if (textAt(item, "type") === "mcp_tool_call") return mcpOutput(valueAt(item, "result")).output;
  const states = objectAt(item, "agents_states");
  return textAt(item, "aggregated_output") ?? (states === undefined ? undefined : canonicalText(states));
}

function codexItemStatus(item: JsonObject): Status {
  const status = textAt(item, "status");
  if (status === "declined") return "denied";
  if (status === "in_progress") return "interrupted";
  const failure = objectAt(item, "error");
  const isFailed = status === "failed" || failure !== undefined || (numberAt(item, "exit_code") ?? 0) !== 0;
  return isFailed || mcpOutput(valueAt(item, "result")).status === "error" ? "error" : "ok";
}

/** Notes changed files: the log says which files changed, not how. */
function takeChanges({ files }: RunBuilder, item: JsonObject): void {
  for (const change of listAt(item, "changes")) {
    const path = wordAt(change, "path");
    if (path === undefined) continue;
    if (textAt(change, "kind") === "add") files.before(path, null);
    files.after(path, textAt(change, "kind") === "delete" ? null : undefined);
  }
}

/** Reads the plan, which is repeated whenever the model changes it, and once more at the end. */
function takePlan(run: ExecRun, item: JsonObject): void {
  const items = [...listAt(item, "items")];
  const plan = canonicalText(items);
  if (plan === run.plan) return;
  run.plan = plan;
  const metadata = defined({ status: "ok", call_id: valueAt(item, "id") });
  run.builder.call({ tool: "update_plan", parameters: { items }, metadata });
}

function takeError(run: ExecRun, message: string | undefined): void {
  if (message === undefined || message === run.lastError) return;
  run.lastError = message;
  run.builder.context("error", message);
}
