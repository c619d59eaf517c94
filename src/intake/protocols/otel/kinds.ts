// Decides what a span stands for in a run, and where it is: below which agent, tool or request.
import type { JsonObject } from "../../../base/json/value.js";
import type { SpanKind, Span } from "./span.js";
import { wordIn } from "./values.js";

const operations = new Map<string, SpanKind>(
  Object.entries({
    chat: "chat",
    generate_content: "chat",
    text_completion: "chat",
    completion: "chat",
    call_llm: "chat",
    llm_call: "chat",
    execute_tool: "tool",
    tool_call: "tool",
    invoke_agent: "agent",
    agent_call: "agent",
    create_agent: "idle",
    invoke_workflow: "idle",
    embeddings: "idle",
    retrieval: "idle",
    schedule_tool_calls: "idle",
    user_prompt: "idle",
  } as const),
);

export function operationOf({ attributes, label }: Span): string | undefined {
  return label ?? wordIn(attributes, "gen_ai.operation.name");
}

export function spanKind(span: Span): SpanKind {
  const { attributes, kind } = span;
  if (kind !== undefined) return kind;
  const operation = operationOf(span);
  if (operation !== undefined) return operations.get(operation.toLowerCase()) ?? "unknown";
  const method = wordIn(attributes, "mcp.method.name");
  if (method !== undefined) return method === "tools/call" ? "tool" : "idle";
  const traced = wordIn(attributes, "traceloop.span.kind");
  if (traced === "tool" || traced === "agent") return traced;
  if (traced !== undefined) return "idle";
  if ("gen_ai.tool.name" in attributes) return "tool";
  const request = wordIn(attributes, "llm.request.type");
  if (request !== undefined) return /^(?:chat|completion)$/.test(request) ? "chat" : "idle";
  if (["gen_ai.request.model", "gen_ai.response.model", "llm.request.model"].some((key) => key in attributes))
    return "chat";
  if ("gen_ai.agent.name" in attributes) return "agent";
  return Object.keys(attributes).some((key) => key.startsWith("gen_ai.")) ? "unknown" : "foreign";
}

export interface SpanPosition {
  kind: SpanKind;
  /** Its ancestors, the nearest first. */
  above: Span[];
}

/** Real traces are not deeper. */
export const deepest = 200;

export function positionsOf(spans: readonly Span[]): Map<Span, SpanPosition> {
  const byId = new Map(spans.map((span) => [`${span.trace} ${span.id}`, span]));
  const parentOf = ({ trace, parent }: Span): Span | undefined =>
    parent === undefined ? undefined : byId.get(`${trace} ${parent}`);
  const positions = new Map<Span, SpanPosition>();
  for (const span of spans) {
    // A trace may be circular.
    const seen = new Set([span]);
    for (let next = parentOf(span); next !== undefined && seen.size <= deepest; next = parentOf(next)) {
      if (seen.has(next)) break;
      seen.add(next);
    }
    positions.set(span, { kind: spanKind(span), above: [...seen].slice(1) });
  }
  for (const span of wrappingAgents(positions)) (positions.get(span) as SpanPosition).kind = "idle";
  return positions;
}

/** Returns agents that only contain other agents: programs put them around a run. */
function wrappingAgents(positions: ReadonlyMap<Span, SpanPosition>): Span[] {
  const outerAgents = new Set<Span>();
  const activeAgents = new Set<Span>();
  const isAgent = (span: Span): boolean => positions.get(span)?.kind === "agent";
  for (const { kind, above } of positions.values()) {
    if (kind === "agent") for (const each of above) outerAgents.add(each);
    const nearest = kind === "chat" || kind === "tool" ? above.find(isAgent) : undefined;
    if (nearest !== undefined) activeAgents.add(nearest);
  }
  const messageKeys = /^gen_ai\.(?:input|output|prompt|completion|system_instructions)/;
  return [...outerAgents].filter(
    (span) =>
      isAgent(span) &&
      !activeAgents.has(span) &&
      span.events.length === 0 &&
      !Object.keys(span.attributes).some((key) => messageKeys.test(key)),
  );
}

/** Returns the name of the agent whose span this is. */
export function agentName({ attributes }: Span): string | undefined {
  return wordIn(attributes, "gen_ai.agent.name", "gen_ai.agent.id", "traceloop.entity.name");
}

/** Returns the agent that a span of another kind names. */
export function namedAgent({ attributes }: Span): string | undefined {
  return wordIn(attributes, "gen_ai.agent.name");
}

export function modelOf(attributes: JsonObject): string | undefined {
  return wordIn(attributes, "gen_ai.response.model", "gen_ai.request.model", "llm.request.model");
}
