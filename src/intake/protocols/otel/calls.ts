// Collects the calls of a run. A trace describes one call in up to three places: the span that executed it,
// the message that requested it, and the message that brought its result back. They are merged.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject } from "../../../base/json/value.js";
import { addTo, OrderedSet } from "../../../base/lists.js";
import type { Coverage } from "../../coverage.js";
import type { Status } from "../../run-entries.js";
import { argumentsOf, parsedText } from "../openai-chat/calls.js";
import { callIndex } from "./call-index.js";
import { spanKind, type SpanPosition } from "./kinds.js";
import { type MessagePart, resultText } from "./parts.js";
import type { Span } from "./span.js";
import { firstOf, wordIn } from "./values.js";

export interface SpanCall {
  id: string | undefined;
  tool: string;
  /** Undefined when they were not recorded. */
  parameters: JsonObject | undefined;
  output: string | undefined;
  /** What the model was shown, where that differs. */
  seen: string | undefined;
  status: Status;
  failure: string | undefined;
  isServer: boolean;
  /** Equal for calls that one message requests. */
  together: string | undefined;
  /** The span that executed it, if that was recorded. */
  span: Span | undefined;
  isAnswered: boolean;
}

/** A reused id is compared with at most this many of its calls. */
const maxCompared = 20;

type CallPart = Extract<MessagePart, { kind: "call" }>;
type ResponsePart = Extract<MessagePart, { kind: "response" }>;

/** Returns the calls of spans, by span. A span below one of the same tool is the same call, a layer down. */
export function executedCalls(
  spans: readonly Span[],
  positions: ReadonlyMap<Span, SpanPosition>,
  coverage: Coverage,
): Map<Span, SpanCall> {
  const calls = new Map<Span, SpanCall>();
  for (const span of spans)
    if (positions.get(span)?.kind === "tool") calls.set(span, executedCall(span, coverage));
  const ancestorsOf = (span: Span): Span[] => (positions.get(span) as SpanPosition).above;
  // The innermost first, so that what only they record reaches the outermost.
  for (const [span, call] of [...calls].sort(([a], [b]) => ancestorsOf(b).length - ancestorsOf(a).length)) {
    const above = ancestorsOf(span);
    const outer = above.slice(0, firstAgent(above)).find((each) => calls.get(each)?.tool === call.tool);
    const known = outer === undefined ? undefined : calls.get(outer);
    if (known === undefined || (known.id !== undefined && call.id !== undefined && known.id !== call.id))
      continue;
    coverage.leaveOut("span of a call that its outer span tells of");
    known.id ??= call.id;
    known.parameters ??= call.parameters;
    known.output ??= call.output;
    calls.delete(span);
  }
  return calls;
}

function firstAgent(above: readonly Span[]): number {
  const index = above.findIndex((span) => spanKind(span) === "agent");
  return index === -1 ? above.length : index;
}

function executedCall(span: Span, coverage: Coverage): SpanCall {
  const { attributes, name, hasFailed, end } = span;
  const [, called] = /^(?:execute_tool|tools\/call)\s+(\S.*)$/.exec(name) ?? [];
  const input = firstOf(
    attributes,
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.args",
    "gen_ai.tool.arguments",
    "traceloop.entity.input",
  );
  const result = firstOf(
    attributes,
    "gen_ai.tool.call.result",
    "gen_ai.output",
    "gen_ai.tool.result",
    "traceloop.entity.output",
  );
  const thrown = span.events.find((event) => event.name === "exception")?.attributes["exception.message"];
  const failure = [span.failure, thrown, attributes["error.type"]].find(
    (why): why is string => typeof why === "string" && why !== "",
  );
  const output = result === undefined ? (hasFailed ? failure : undefined) : resultText(result);
  const isOver = end !== undefined || output !== undefined;
  return {
    id: wordIn(attributes, "gen_ai.tool.call.id", "gen_ai.tool.call_id"),
    tool:
      wordIn(attributes, "gen_ai.tool.name", "mcp.tool.name", "traceloop.entity.name") ?? called ?? "unknown",
    parameters: input === undefined ? undefined : argumentsOf(input, coverage),
    output,
    seen: undefined,
    status: span.status ?? (hasFailed ? "error" : isOver ? "ok" : "unanswered"),
    failure: hasFailed ? failure : undefined,
    isServer: false,
    together: undefined,
    span,
    isAnswered: false,
  };
}

export interface CallLinks {
  /**
   * Notes that a message requests a call. Returns it when no span describes it, so that the message decides
   * its position.
   */
  onRequest(part: CallPart, about: { scope: string; together: string }): SpanCall | undefined;
  /** Notes a result in a message. Returns false when no call was requested for it. */
  onResult(part: ResponsePart, scope: string): boolean;
}

export function callLinks(
  executed: Iterable<SpanCall>,
  { isOnce, coverage }: { isOnce: boolean; coverage: Coverage },
): CallLinks {
  /** Calls that no message has requested so far, by id. */
  const unrequested = new Map<string, OrderedSet<SpanCall>>();
  /** Those of the former that have no result so far. */
  const unanswered = new Map<string, OrderedSet<SpanCall>>();
  const byId = new Map<string, SpanCall[]>();
  /** Calls that no message has requested: all of them, and those without an id. */
  const [all, nameless] = [callIndex<SpanCall>(), callIndex<SpanCall>()];
  /** Calls that were requested by an id and have no result so far, the latest last. */
  const waiting = new Map<string, SpanCall[]>();
  /** Calls whose result no message has brought so far, by scope, and which of these sets each is in. */
  const pending = new Map<string, OrderedSet<SpanCall>>();
  const pendingWith = new Map<SpanCall, OrderedSet<SpanCall>>();
  for (const call of executed) {
    if (call.id !== undefined) for (const calls of [unrequested, unanswered]) setOf(calls, call.id).add(call);
    all.add(call);
    if (call.id === undefined) nameless.add(call);
  }
  const markRequested = (id: string, call: SpanCall): void => {
    for (const calls of [unrequested, unanswered]) calls.get(id)?.delete(call);
  };
  const note = (
    call: SpanCall,
    part: CallPart,
    { scope, together }: { scope: string; together: string },
  ): void => {
    call.parameters ??= part.parameters;
    call.together = together;
    // A call that was found without its id is not requested again by it.
    if (call.id !== undefined && part.id === undefined) markRequested(call.id, call);
    call.id ??= part.id;
    if (call.id !== undefined) addTo(byId, call.id, call);
    if (call.id !== undefined) addTo(waiting, call.id, call);
    for (const index of [all, nameless]) index.delete(call);
    const others = setOf(pending, scope);
    others.add(call);
    pendingWith.set(call, others);
  };
  return {
    onRequest(part, about) {
      const executed = part.id === undefined ? undefined : unrequested.get(part.id)?.first();
      if (executed !== undefined) markRequested(part.id as string, executed);
      const found = executed ?? (part.id === undefined ? all : nameless).find(part);
      if (found !== undefined) {
        note(found, part, about);
        return undefined;
      }
      // The same id with other arguments is another call: some models reuse ids.
      const named = part.id === undefined || isOnce ? [] : (byId.get(part.id) ?? []).slice(-maxCompared);
      if (named.some((call) => call.tool === part.tool && isSame(call.parameters, part.parameters)))
        return undefined;
      const call = requestedCall(part);
      note(call, part, about);
      return call;
    },
    onResult({ id, output, status = "ok" }, scope) {
      const call =
        id === undefined
          ? pending.get(scope)?.first()
          : (latest(waiting.get(id)) ??
            unanswered.get(id)?.first() ??
            byId.get(id)?.at(-1) ??
            unrequested.get(id)?.last());
      // Where everything is logged once, another result is no repetition.
      if (call === undefined || (isOnce && call.isAnswered)) return false;
      call.isAnswered = true;
      pendingWith.get(call)?.delete(call);
      if (call.id !== undefined) unanswered.get(call.id)?.delete(call);
      if (call.status === "unanswered" || (call.status === "ok" && call.span === undefined))
        call.status = status;
      if (call.output === undefined) call.output = output;
      else if (output !== undefined && !isSameText(call.output, output, coverage)) call.seen = output;
      return true;
    },
  };
}

/** Of calls with one id, returns the last that was requested and has no result. */
function latest(waiting: SpanCall[] = []): SpanCall | undefined {
  for (let call = waiting.pop(); call !== undefined; call = waiting.pop()) if (!call.isAnswered) return call;
  return undefined;
}

function setOf(sets: Map<string, OrderedSet<SpanCall>>, key: string): OrderedSet<SpanCall> {
  const set = sets.get(key) ?? new OrderedSet();
  sets.set(key, set);
  return set;
}

function requestedCall({ id, tool, parameters, isServer }: CallPart): SpanCall {
  return {
    id,
    tool,
    parameters,
    isServer,
    output: undefined,
    seen: undefined,
    status: "unanswered",
    failure: undefined,
    together: undefined,
    span: undefined,
    isAnswered: false,
  };
}

function isSame(a: JsonObject | undefined, b: JsonObject | undefined): boolean {
  return canonicalText(a ?? {}) === canonicalText(b ?? {});
}

/** Returns whether two texts say the same, possibly as differently formatted JSON. */
function isSameText(a: string, b: string, coverage: Coverage): boolean {
  if (a.trim() === b.trim()) return true;
  const [one, other] = [parsedText(a, coverage), parsedText(b, coverage)];
  return one !== undefined && other !== undefined && canonicalText(one) === canonicalText(other);
}
