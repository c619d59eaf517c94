// Reads calls from events: one event at the end of a call, and one about the decision whether it may begin.
import type { JsonObject } from "../../../base/json/value.js";
import { defined } from "../../json-access.js";
import type { Span } from "../../protocols/otel/span.js";
import { firstOf, wordIn } from "../../protocols/otel/values.js";
import type { LogEvent } from "./events.js";

interface Decisions {
  /** Returns whether an event denies a call, and no later event describes that call. */
  isLast(event: LogEvent): boolean;
  isDenied(id: string | undefined): boolean;
}

export function decisionsOf(events: readonly LogEvent[]): Decisions {
  const denials = events.filter(({ name, attributes }) => name === "tool_decision" && isDenial(attributes));
  const denied = new Set(denials.map(({ attributes }) => idOf(attributes)));
  const ended = new Set(
    events.flatMap(({ name, attributes }) => (name === "tool_result" ? (idOf(attributes) ?? []) : [])),
  );
  return {
    isLast: ({ attributes }) => isDenial(attributes) && !ended.has(idOf(attributes) ?? ""),
    isDenied: (id) => id !== undefined && denied.has(id),
  };
}

function isDenial(attributes: JsonObject): boolean {
  return /^(?:reject|den|abort|cancel)/i.test(wordIn(attributes, "decision") ?? "");
}

function idOf(attributes: JsonObject): string | undefined {
  return wordIn(attributes, "tool_use_id", "call_id", "tool_call_id");
}

export function toolSpan(span: Span, attributes: JsonObject, decisions: Decisions): Span {
  const id = idOf(attributes);
  const hasFailed = [false, "false", "False"].some((no) => attributes["success"] === no);
  const isDenied = hasFailed && (decisions.isDenied(id) || isDenial(attributes));
  return {
    ...span,
    hasFailed,
    failure: wordIn(attributes, "error", "error.message", "error_type"),
    ...(isDenied ? { status: "denied" as const } : {}),
    attributes: defined({
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.name": wordIn(attributes, "tool_name", "function_name"),
      "gen_ai.tool.call.arguments": firstOf(
        attributes,
        "tool_input",
        "function_args",
        "arguments",
        "tool_parameters",
      ),
      "gen_ai.tool.call.result": firstOf(attributes, "output", "tool_output"),
    }),
    more: defined({
      duration_ms: attributes["duration_ms"],
      decision: attributes["decision"] ?? attributes["decision_type"],
      decided_by: attributes["source"] ?? attributes["decision_source"],
      mcp_server: attributes["mcp_server_name"] ?? attributes["mcp_server"],
      agent: attributes["agent.name"] ?? attributes["agent_name"],
    }),
  };
}
