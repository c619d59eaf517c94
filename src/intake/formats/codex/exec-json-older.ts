// Reads what `codex exec --json` printed until the autumn of 2025: the settings, the prompt, then one event a
// line, each as `{"id", "msg": {"type"}}`.
import type { JsonObject } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import { defined, objectAt, textAt, valueAt, wordAt, numberAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { totalUsage } from "../../usage-book.js";
import type { Status } from "../../run-entries.js";
import { applyChanges } from "./patches.js";
import { isCut, mcpOutput, milliseconds } from "./output.js";
import { codexUsage } from "./session.js";

export function isOldEvent(record: JsonObject): boolean {
  return textAt(record, "id") !== undefined && textAt(record, "msg", "type") !== undefined;
}

/** Returns whether a record holds the settings, or the prompt. */
export function isOldHeader(record: JsonObject): boolean {
  if (Object.hasOwn(record, "type") || Object.hasOwn(record, "msg")) return false;
  const isPrompt = textAt(record, "prompt") !== undefined && Object.keys(record).length === 1;
  return isPrompt || (textAt(record, "workdir") !== undefined && textAt(record, "model") !== undefined);
}

interface OldRun {
  builder: RunBuilder;
  cwd: string | undefined;
  changes: Map<string, JsonObject>;
  open: Set<string>;
  group: string | undefined;
}

/** Returns a function that reads a record, and returns whether it was one of these. */
export function oldReader(builder: RunBuilder): (record: JsonObject) => boolean {
  const run: OldRun = { builder, cwd: undefined, changes: new Map(), open: new Set(), group: undefined };
  return (record) => {
    const isHeader = isOldHeader(record);
    if (isHeader) takeHeader(run, record);
    else if (isOldEvent(record)) takeMessage(run, objectAt(record, "msg") ?? {});
    return isHeader || isOldEvent(record);
  };
}

function takeHeader(run: OldRun, record: JsonObject): void {
  const { builder } = run;
  const prompt = textAt(record, "prompt");
  if (prompt !== undefined) return builder.prompt(prompt);
  run.cwd = wordAt(record, "workdir");
  builder.see({ cwd: run.cwd });
  const model = wordAt(record, "model");
  if (model !== undefined) builder.identifier = model;
  Object.assign(
    builder.parameters,
    defined({
      model_provider: wordAt(record, "provider"),
      approval_policy: wordAt(record, "approval"),
      sandbox_policy: wordAt(record, "sandbox"),
      effort: wordAt(record, "reasoning effort"),
      summary: wordAt(record, "reasoning summaries"),
    }),
  );
}

function takeMessage(run: OldRun, message: JsonObject): void {
  const { builder } = run;
  const type = textAt(message, "type") as string;
  const id = wordAt(message, "call_id");
  switch (type) {
    case "session_configured": {
      const session = wordAt(message, "session_id");
      if (session !== undefined) builder.source["session"] = session;
      builder.identifier = wordAt(message, "model") ?? builder.identifier;
      return;
    }
    case "agent_message":
      return builder.message(textAt(message, "message") ?? "");
    case "agent_reasoning":
      return builder.reasoning(wordAt(message, "text"));
    case "exec_command_begin": {
      const parameters = defined({ command: valueAt(message, "command"), workdir: valueAt(message, "cwd") });
      return begin(run, { id, tool: "shell", parameters });
    }
    case "mcp_tool_call_begin": {
      const invocation = objectAt(message, "invocation") ?? message;
      const tool = `mcp__${wordAt(invocation, "server") ?? "unknown"}__${wordAt(invocation, "tool") ?? "unknown"}`;
      return begin(run, { id, tool, parameters: objectAt(invocation, "arguments") ?? {} });
    }
    case "patch_apply_begin": {
      const changes = objectAt(message, "changes") ?? {};
      if (id !== undefined) run.changes.set(id, changes);
      return begin(run, { id, tool: "apply_patch", parameters: { changes } });
    }
    case "exec_command_end":
    case "mcp_tool_call_end":
    case "patch_apply_end":
      return end(run, id, message);
    case "web_search_end":
      return builder.call({
        tool: "web_search",
        parameters: defined({ query: valueAt(message, "query") }),
        isServer: true,
        metadata: defined({ status: "ok", call_id: id }),
      });
    case "token_count": {
      const total = objectAt(message, "info", "total_token_usage") ?? message;
      if (numberAt(total, "input_tokens") !== undefined) builder.use(totalUsage, codexUsage(total));
      return;
    }
    case "error":
      return builder.context("error", textAt(message, "message") ?? "");
    case "turn_aborted":
      for (const open of run.open) builder.setStatus(open, "interrupted");
      return run.open.clear();
    default:
      if (plain.has(type)) builder.coverage.leaveOut(`msg/${type}`);
      else builder.coverage.skip(`msg/${type}`);
  }
}

/** Events that say nothing about the run, or repeat others. */
const plain = words(
  "task_started task_complete agent_message_delta agent_reasoning_delta agent_reasoning_section_break agent_reasoning_raw_content exec_command_output_delta turn_diff plan_update background_event stream_error web_search_begin user_message shutdown_complete",
);

function begin(run: OldRun, call: { id: string | undefined; tool: string; parameters: JsonObject }): void {
  const { id } = call;
  run.group = run.open.size === 0 ? id : run.group;
  run.builder.call({ ...call, together: run.group });
  if (id !== undefined) run.open.add(id);
}

function end(run: OldRun, id: string | undefined, message: JsonObject): void {
  const { builder } = run;
  if (id !== undefined) run.open.delete(id);
  const { output, status } = ended(message);
  const isShort = output !== undefined && isCut(output);
  if (isShort) builder.coverage.truncated++;
  builder.result(id, {
    output,
    status,
    metadata: defined({
      exit_code: numberAt(message, "exit_code"),
      duration_ms: milliseconds(valueAt(message, "duration")),
      truncated: isShort ? true : undefined,
    }),
  });
  const changes = id === undefined ? undefined : run.changes.get(id);
  if (changes !== undefined && status === "ok") applyChanges(builder.files, changes, run.cwd);
}

function ended(message: JsonObject): { output: string | undefined; status: Status } {
  if (textAt(message, "type") === "mcp_tool_call_end") return mcpOutput(valueAt(message, "result"));
  const streams = `${textAt(message, "stdout") ?? ""}${textAt(message, "stderr") ?? ""}`;
  const isFailed = valueAt(message, "success") === false || (numberAt(message, "exit_code") ?? 0) !== 0;
  return { output: wordAt(message, "aggregated_output") ?? streams, status: isFailed ? "error" : "ok" };
}
