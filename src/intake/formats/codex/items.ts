// Reads the items between Codex and the model, as the Responses API has them: the backbone of a rollout, in
// all its layouts.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { defined, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { parseValue } from "../../parse.js";
import { itemText, thoughtOf, toolOf } from "../../protocols/openai-responses/content.js";
import { type CodexCall, isNew, takeCall, takeOutput } from "./calls.js";
import { settleUsers, takeUserItem } from "./prompts.js";
import { atOf, type CodexRun } from "./run.js";

/** Reads an item. */
export function takeItem(run: CodexRun, item: JsonObject, time: string | undefined): void {
  const { builder } = run;
  const type = textAt(item, "type") ?? "unknown";
  const id = wordAt(item, "call_id") ?? wordAt(item, "id");
  switch (type) {
    case "message":
      return takeMessage(run, item, time);
    case "agent_message": {
      const { author, recipient } = item;
      const metadata = defined({ author, recipient });
      const text = itemText(valueAt(item, "content"));
      if (isFresh(run, item, text)) builder.context("agent_message", text, { time, cwd: run.cwd, metadata });
      return;
    }
    case "reasoning": {
      const text = thoughtOf(item);
      if (!isFresh(run, item, text ?? "")) return;
      settleUsers(run);
      return builder.reasoning(text, atOf(run, time));
    }
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return takeCall(run, clientCall(run, item, time));
    case "tool_search_call":
    case "web_search_call":
    case "image_generation_call":
      return takeServerCall(run, item, time);
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "mcp_tool_call_output":
      return takeOutput(run, id, { value: valueAt(item, "output") ?? valueAt(item, "result"), time });
    case "tool_search_output":
      return takeOutput(run, id, { value: canonicalText(valueAt(item, "tools") ?? []), time });
    // Snapshots of the user's files, and encrypted summaries of the history, which only the provider can
    // read.
    case "ghost_snapshot":
    case "compaction":
    case "compaction_summary":
    case "compaction_trigger":
    case "context_compaction":
      return builder.coverage.leaveOut(`response_item/${type}`);
    default:
      return builder.coverage.skip(`response_item/${type}`);
  }
}

function takeMessage(run: CodexRun, item: JsonObject, time: string | undefined): void {
  const { builder } = run;
  const content = valueAt(item, "content");
  const text = itemText(content);
  const role = textAt(item, "role") ?? "unknown";
  if (!isFresh(run, item, text)) return;
  if (role === "user") return takeUserItem(run, content, time);
  if (role !== "assistant") return builder.context(role, text, { time, cwd: run.cwd });
  if (text === "") return builder.coverage.leaveOut("messages without a text");
  settleUsers(run);
  builder.message(text, atOf(run, time, defined({ phase: wordAt(item, "phase") })));
}

/**
 * Returns whether an item is new: a forked session begins with a copy of another. Items with one id may
 * differ in content.
 */
function isFresh(run: CodexRun, item: JsonObject, text: string): boolean {
  const [type, id] = [textAt(item, "type"), wordAt(item, "id")];
  return id === undefined || isNew(run, `${type} ${id} ${text.length} ${text.slice(0, 40)}`);
}

function clientCall(run: CodexRun, item: JsonObject, time: string | undefined): CodexCall {
  const id = wordAt(item, "call_id") ?? wordAt(item, "id");
  switch (textAt(item, "type")) {
    case "local_shell_call":
      return { id, time, tool: "local_shell", parameters: objectAt(item, "action") ?? {} };
    case "custom_tool_call": {
      const tool = toolOf(item);
      const input = valueAt(item, "input");
      // Codex's own tool `exec` runs a script that calls the others.
      return { id, time, tool, isScript: tool === "exec", parameters: defined({ input }) };
    }
    default:
      return { id, time, tool: toolOf(item), parameters: parametersOf(run, valueAt(item, "arguments")) };
  }
}

/** Parses the parameters of a call, which the model writes as JSON text. */
function parametersOf(run: CodexRun, text: JsonValue | undefined): JsonObject {
  if (text === undefined || text === null || text === "") return {};
  if (typeof text !== "string") return isObject(text) ? text : { arguments: text };
  const value = parseValue(Buffer.from(text), run.builder.coverage);
  if (!(value instanceof Error) && isObject(value)) return value;
  // The model may have been cut off, or have written it wrongly.
  run.builder.coverage.skip("arguments of a call that are no JSON object (kept as text)");
  return { arguments: text };
}

/** Reads a call that the provider ran. */
function takeServerCall(run: CodexRun, item: JsonObject, time: string | undefined): void {
  const type = textAt(item, "type") as string;
  const tool = type.replace(/_call$/, "");
  const id = wordAt(item, "call_id") ?? wordAt(item, "id");
  const args = valueAt(item, tool === "tool_search" ? "arguments" : "action");
  const parameters =
    tool === "image_generation"
      ? defined({ prompt: wordAt(item, "revised_prompt") })
      : parametersOf(run, args);
  const isDone = textAt(item, "status") === "completed" && tool !== "tool_search";
  const isKnown = id !== undefined && run.items.has(`server call ${id}`);
  const metadata = defined({ status: isDone ? "ok" : undefined, execution: valueAt(item, "execution") });
  takeCall(run, { id, tool, parameters, time, isServer: true, metadata });
  if (id === undefined || isKnown) return;
  const found = run.searches.get(id);
  run.searches.delete(id);
  const image = tool === "image_generation" ? wordAt(item, "result") : undefined;
  const output = image === undefined ? found : Buffer.from(image, "base64");
  if (output !== undefined) run.builder.result(id, { output, status: "ok", time });
}
