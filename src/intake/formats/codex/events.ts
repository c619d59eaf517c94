// Reads the events that Codex records for its own screens. Most repeat the items; some facts are nowhere
// else: which prompts are real, how commands ended, what happened to files, what it all cost.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import { defined, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Status } from "../../run-entries.js";
import { abortCalls, endTurn, noteOnCall, openScript, takeEnd } from "./calls.js";
import { applyChanges } from "./patches.js";
import { mcpOutput, milliseconds } from "./output.js";
import { rollBack, settleUsers, takeUserEvent } from "./prompts.js";
import { atOf, type CallEnd, type CodexRun } from "./run.js";
import { takeTitle, takeTurn, takeUsage } from "./session.js";

/** Events that say nothing about the run, or repeat the items. */
const plain = words(
  "task_started agent_message agent_message_delta agent_reasoning agent_reasoning_delta agent_reasoning_raw_content agent_reasoning_section_break context_compacted thread_goal_updated entered_review_mode exited_review_mode sub_agent_activity guardian_assessment collab_waiting_end collab_close_end collab_agent_interaction_end collab_resume_end view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response image_generation_end undo_completed undo_started session_configured stream_error warning background_event turn_diff plan_update exec_command_begin exec_command_output_delta mcp_tool_call_begin patch_apply_begin web_search_begin item_started raw_response_item deprecation_notice shutdown_complete token_usage",
);

export function takeEvent(run: CodexRun, event: JsonObject, time: string | undefined): void {
  const { builder } = run;
  const type = textAt(event, "type") ?? "unknown";
  const id = wordAt(event, "call_id");
  switch (type) {
    case "user_message":
      endTurn(run);
      return takeUserEvent(run, textAt(event, "message") ?? "", { way: "event", time });
    case "item_completed":
      return takeCompleted(run, objectAt(event, "item") ?? {}, time);
    case "exec_command_end":
      return takeCommand(run, id, { about: event, time });
    case "mcp_tool_call_end":
      return takeEnd(run, id, mcpEnd(event, time));
    case "patch_apply_end":
      return takeChange(run, id, { about: event, time });
    case "web_search_end":
      return takeSearch(run, event, time);
    case "token_count":
      return takeUsage(run, objectAt(event, "info", "total_token_usage"));
    case "turn_aborted":
      abortCalls(run, wordAt(event, "reason"));
      return endTurn(run);
    case "task_complete":
      takeError(run, wordAt(event, "error", "message"), time);
      return endTurn(run);
    case "error":
      return takeError(run, wordAt(event, "message"), time);
    case "thread_rolled_back":
      return rollBack(run, numberAt(event, "num_turns") ?? 0);
    case "thread_settings_applied":
      return takeTurn(run, valueAt(event, "thread_settings"));
    case "thread_name_updated":
      return takeTitle(run, event);
    case "collab_agent_spawn_end":
      return noteOnCall(run, id, defined({ thread: wordAt(event, "new_thread_id") }));
    default:
      if (plain.has(type)) builder.coverage.leaveOut(`event_msg/${type}`);
      else builder.coverage.skip(`event_msg/${type}`);
  }
}

/** Reads a completed item: the newer layout has one kind of event for all of them. */
function takeCompleted(run: CodexRun, item: JsonObject, time: string | undefined): void {
  const { coverage } = run.builder;
  const type = textAt(item, "type") ?? "unknown";
  const id = wordAt(item, "id");
  switch (type) {
    case "UserMessage": {
      const texts = listAt(item, "content").flatMap((part) => textAt(part, "text") ?? []);
      endTurn(run);
      return takeUserEvent(run, texts.join("\n"), { way: "item", time });
    }
    case "CommandExecution":
      return takeCommand(run, id, { about: item, time });
    case "FileChange":
      return takeChange(run, id, { about: item, time });
    case "McpToolCall":
      return takeEnd(run, id, mcpEnd({ ...item, invocation: item }, time));
    case "WebSearch":
    case "Extension":
      return takeSearch(run, { ...item, call_id: id ?? null }, time);
    case "AgentMessage":
    case "Reasoning":
    case "Plan":
    case "HookPrompt":
    case "ImageView":
    case "ImageGeneration":
    case "ContextCompaction":
    case "EnteredReviewMode":
    case "ExitedReviewMode":
    case "CollabAgentToolCall":
    case "DynamicToolCall":
    case "Sleep":
      return coverage.leaveOut(`item_completed/${type}`);
    default:
      return coverage.skip(`item_completed/${type}`);
  }
}

interface CompletedEvent {
  about: JsonObject;
  time: string | undefined;
}

function takeCommand(run: CodexRun, id: string | undefined, { about, time }: CompletedEvent): void {
  // A command that the user ran is also described to the model, in a message.
  if (/^user_?shell$/i.test(textAt(about, "source") ?? "")) {
    run.builder.coverage.leaveOut("commands that the user ran");
    return;
  }
  const exitCode = numberAt(about, "exit_code");
  const streams = `${textAt(about, "stdout") ?? ""}${textAt(about, "stderr") ?? ""}`;
  takeEnd(run, id, {
    tool: "exec_command",
    parameters: defined({ command: valueAt(about, "command"), workdir: valueAt(about, "cwd") }),
    output: wordAt(about, "aggregated_output") ?? streams,
    status: codexEventStatus(about, exitCode !== undefined && exitCode !== 0),
    exitCode,
    isExact: false,
    metadata: defined({ duration_ms: milliseconds(valueAt(about, "duration")) }),
    time,
  });
}

function takeChange(run: CodexRun, id: string | undefined, { about, time }: CompletedEvent): void {
  const changes = objectAt(about, "changes") ?? {};
  const status = codexEventStatus(about, valueAt(about, "success") === false);
  const hasChanges = Object.keys(changes).length > 0;
  if (status === "ok" && hasChanges && (id === undefined || !run.calls.ends.has(id)))
    applyChanges(run.builder.files, changes, run.cwd);
  if (id !== undefined && hasChanges) run.calls.changed.add(id);
  const output = `${textAt(about, "stdout") ?? ""}${textAt(about, "stderr") ?? ""}`;
  takeEnd(run, id, {
    tool: "apply_patch",
    parameters: { changes },
    output,
    status,
    isExact: false,
    metadata: {},
    time,
  });
}

function mcpEnd(event: JsonObject, time: string | undefined): CallEnd {
  const invocation = objectAt(event, "invocation");
  const [server, tool] = [wordAt(invocation, "server"), wordAt(invocation, "tool")];
  const failure = valueAt(event, "error");
  const result = failure === undefined || failure === null ? valueAt(event, "result") : failure;
  return {
    tool: `mcp__${server ?? "unknown"}__${tool ?? "unknown"}`,
    parameters: objectAt(invocation, "arguments") ?? {},
    ...mcpOutput(result),
    isExact: true,
    metadata: defined({ duration_ms: milliseconds(valueAt(event, "duration")) }),
    time,
  };
}

/** Searches have no result among the items; where events have one, it goes to the call with the same id. */
function takeSearch(run: CodexRun, event: JsonObject, time: string | undefined): void {
  const id = wordAt(event, "call_id");
  const results = listAt(event, "results");
  if (id === undefined || results.length === 0) {
    run.builder.coverage.leaveOut("searches without results");
    return;
  }
  const output = canonicalText(results);
  const within = openScript(run);
  const isKnown = run.builder.callOf(id) !== undefined;
  if (!isKnown && within !== undefined) {
    const parameters = defined({ query: valueAt(event, "query"), action: valueAt(event, "action") });
    run.builder.call({ ...atOf(run, time, { within }), id, tool: "web_search", parameters, isServer: true });
  }
  if (run.builder.callOf(id)?.tool === "web_search") run.builder.result(id, { output, status: "ok", time });
  else run.searches.set(id, output);
}

function takeError(run: CodexRun, message: string | undefined, time: string | undefined): void {
  if (message === undefined || message === run.lastError) return;
  run.lastError = message;
  settleUsers(run);
  run.builder.context("error", message, { time, cwd: run.cwd });
}

function codexEventStatus(about: JsonValue, isFailed: boolean): Status {
  const status = textAt(about, "status");
  if (status === "declined") return "denied";
  return isFailed || status === "failed" ? "error" : "ok";
}
