// Orders what happened in a run by time. Every request to a model repeats all earlier messages: only the new
// ones are events, so that each is read once, with the time at which it first appeared.
import { canonicalText } from "../../../base/json/canonical.js";
import { sha256 } from "../../../base/digest.js";
import type { Coverage } from "../../coverage.js";
import { type SpanCall, type CallLinks, callLinks, executedCalls } from "./calls.js";
import { agentName, modelOf, namedAgent, type SpanPosition } from "./kinds.js";
import { inTimeOrder } from "./order.js";
import type { SpanMessage, MessagePart } from "./parts.js";
import type { Span } from "./span.js";
import { ContinuedAgents, pastOf } from "./history.js";
import { type RequestMessages, requestMessages } from "./request-messages.js";

export interface TimelineEvent {
  time: string | undefined;
  /** Whether a sub-agent did it. */
  isNested: boolean;
  /** The agent, if it is not the run's own. */
  agent: string | undefined;
  model?: string | undefined;
  what: { call: SpanCall } | { role: string; parts: MessagePart[] };
}

export interface TimelineOptions {
  positions: ReadonlyMap<Span, SpanPosition>;
  /** The requests to a model, without those that repeat others. */
  chats: readonly Span[];
  /** The name of the run's own agent. */
  agent: string | undefined;
  /** Whether every message is in the log once, so that equal messages are distinct. */
  isOnce: boolean;
}

/** Returns the events of spans, which are sorted by start. */
export function timeline(
  spans: readonly Span[],
  options: TimelineOptions,
  coverage: Coverage,
): TimelineEvent[] {
  const calls = executedCalls(spans, options.positions, coverage);
  const links = callLinks(calls.values(), { isOnce: options.isOnce, coverage });
  const messagesOf = messagesBySpan(spans, options, coverage);
  const knownByScope = new Map<string, Map<string, number>>();
  const continued = new ContinuedAgents();
  const events: TimelineEvent[] = [];
  for (const span of spans) {
    const by = agentOf(span, options);
    const call = calls.get(span);
    if (call !== undefined) events.push({ time: span.start, ...by, what: { call } });
    const request = messagesOf.get(span);
    if (request === undefined) continue;
    const known = knownByScope.get(by.scope) ?? new Map<string, number>();
    knownByScope.set(by.scope, known);
    const fresh = newMessages(request.input, known);
    const past = continued.pastIn(span, request.input, options.positions);
    const add = (
      messages: readonly SpanMessage[],
      at: { time: string | undefined; model?: string | undefined },
      first = 0,
    ) => {
      for (const [index, message] of messages.entries()) {
        const together = `${span.id}-${first + index}`;
        for (const what of linked(message, links, { scope: by.scope, together }))
          events.push({ ...at, ...by, what });
      }
    };
    for (const [index, message] of fresh.entries())
      if (!past.has(index)) add([message], { time: span.start }, index);
      else
        for (const what of pastOf(message, links, by.scope)) events.push({ time: span.start, ...by, what });
    add(noteMessages(request.output, known), {
      time: span.end ?? span.start,
      model: modelOf(span.attributes),
    });
  }
  // A log that records everything once is in order, whatever its clocks did.
  return options.isOnce ? events : inTimeOrder(events, ({ time }) => time);
}

/**
 * Returns the messages of each request; where no request of an agent has any, those of the agent's own span.
 */
function messagesBySpan(
  spans: readonly Span[],
  options: TimelineOptions,
  coverage: Coverage,
): Map<Span, RequestMessages> {
  const messagesOf = new Map<Span, RequestMessages>();
  const scopes = new Set<string>();
  const take = (span: Span): void => {
    const request = requestMessages(span, coverage);
    if (request.input.length + request.output.length === 0) return;
    messagesOf.set(span, request);
    scopes.add(agentOf(span, options).scope);
  };
  for (const span of options.chats) take(span);
  for (const span of spans)
    if (options.positions.get(span)?.kind === "agent" && !scopes.has(agentOf(span, options).scope))
      take(span);
  return messagesOf;
}

/**
 * Returns the agent of a span. Agents that hand over to each other share one conversation, nested ones have
 * their own.
 */
function agentOf(
  span: Span,
  { positions, agent }: TimelineOptions,
): { scope: string; isNested: boolean; agent: string | undefined } {
  const { kind, above } = positions.get(span) as SpanPosition;
  const agents = (kind === "agent" ? [span, ...above] : above).filter(
    (each) => positions.get(each)?.kind === "agent",
  );
  const names = agents
    .map((each) => agentName(each) ?? each.id)
    .filter((name, index, all) => name !== all[index - 1]);
  const isNested = names.length > 1;
  const [nearest] = agents;
  const named = nearest === undefined ? namedAgent(span) : agentName(nearest);
  const own = named ?? (isNested ? names[0] : undefined);
  return { scope: isNested ? names.join(" ") : "", isNested, agent: own === agent ? undefined : own };
}

/** Returns the messages of a request that are new. Equal messages count as often as they occur. */
function newMessages(messages: readonly SpanMessage[], known: Map<string, number>): SpanMessage[] {
  const here = new Map<string, number>();
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.filter((part) => {
      const key = keyOf(role, part);
      const count = (here.get(key) ?? 0) + 1;
      here.set(key, count);
      if (count <= (known.get(key) ?? 0)) return false;
      known.set(key, count);
      return true;
    }),
  }));
}

/** Notes the messages of an answer, which are always new. */
function noteMessages(messages: readonly SpanMessage[], known: Map<string, number>): readonly SpanMessage[] {
  for (const { role, parts } of messages)
    for (const part of parts) known.set(keyOf(role, part), (known.get(keyOf(role, part)) ?? 0) + 1);
  return messages;
}

function keyOf(role: string, part: MessagePart): string {
  switch (part.kind) {
    case "call":
      return `call ${part.id ?? `${part.tool} ${canonicalText(part.parameters ?? {})}`}`;
    case "response":
      return `response ${part.id ?? part.output ?? ""}`;
    case "data":
      return `${role} data ${sha256(part.bytes)}`;
    case "other":
      return `${role} other ${part.type}`;
    default:
      return `${role} ${part.kind} ${part.text.trim()}`;
  }
}

/** Splits a message into events: calls separately, and everything between them together. */
function linked(
  { role, parts }: SpanMessage,
  links: CallLinks,
  about: { scope: string; together: string },
): TimelineEvent["what"][] {
  const found: TimelineEvent["what"][] = [];
  let said: MessagePart[] = [];
  const close = (): void => {
    if (said.length > 0) found.push({ role, parts: said });
    said = [];
  };
  for (const part of parts) {
    if (part.kind === "call") {
      const call = links.onRequest(part, about);
      close();
      if (call !== undefined) found.push({ call });
    } else if (part.kind !== "response" || !links.onResult(part, about.scope)) said.push(part);
  }
  close();
  return found;
}
