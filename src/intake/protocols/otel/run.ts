// Builds one run from the spans of a conversation or a trace.
import type { JsonObject } from "../../../base/json/value.js";
import { addTo } from "../../../base/lists.js";
import { type ExecutionLog, originKey } from "../../../model/log.js";
import { markedOrigin } from "../../../model/origin.js";
import type { Coverage } from "../../coverage.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { callBook } from "../openai-chat/calls.js";
import { type Attach, attachTo, joined } from "../openai-chat/content.js";
import type { SpanCall } from "./calls.js";
import { describeTrace, resourceOf } from "./describe.js";
import { agentName, deepest, namedAgent, operationOf, positionsOf, type SpanPosition } from "./kinds.js";
import type { MessagePart } from "./parts.js";
import type { Span } from "./span.js";
import { type TimelineEvent, timeline } from "./timeline.js";
import { wordIn } from "./values.js";

export interface Trace {
  /** The conversation's id, or the trace's. */
  session: string | undefined;
  /** Sorted by start. */
  spans: Span[];
}

/** What a format knows about its runs besides their spans. */
export interface SpanRunOptions {
  format: string;
  /** The agent's name in the tool table; the format if undefined. */
  agent?: string | undefined;
  /** The number of records of each kind, where spans do not show it, and the metadata's name for it. */
  counts?: { name: string; of: JsonObject };
  /** Whether every message is in the log once. */
  isOnce?: boolean;
  /** Adds what the format knows about the run as a whole. */
  about?: (builder: RunBuilder) => void;
}

export function spanRun(
  { session, spans }: Trace,
  { into, coverage }: { into: Into; coverage: Coverage },
  { format, agent: known = format, counts, isOnce = false, about }: SpanRunOptions,
): ExecutionLog {
  const builder = new RunBuilder({ format, agent: known, keeper: () => into.keeper(), coverage });
  if (session !== undefined && session !== "") builder.source["session"] = session;
  about?.(builder);
  const positions = positionsOf(spans);
  for (const span of spans) {
    builder.see({ time: span.end ?? span.start });
    note(span, positions.get(span) as SpanPosition, coverage);
  }
  const agents = spans.filter((span) => positions.get(span)?.kind === "agent");
  const isInner = (span: Span): boolean =>
    (positions.get(span) as SpanPosition).above.some((each) => positions.get(each)?.kind === "agent");
  const root = agents.find((span) => !isInner(span));
  const agent = (root === undefined ? undefined : agentName(root)) ?? nameOfAgent(spans);
  const chats = chatsOf(spans, positions, coverage);
  builder.metadata[counts?.name ?? "operations"] = counts?.of ?? counted(spans.map(operationOf));
  const own = chats.filter((span) => {
    const nearest = (positions.get(span) as SpanPosition).above.find(
      (each) => positions.get(each)?.kind === "agent",
    );
    return nearest === undefined || !isInner(nearest);
  });
  const outer = agents.filter((span) => !isInner(span));
  describeTrace(builder, { chats, own, agents: outer, resource: resourceOf(spans) });
  if (agent !== undefined) builder.metadata["agent"] = agent;
  const origin = spans.map(({ attributes }) => markedOrigin(attributes)).find((each) => each !== undefined);
  if (origin !== undefined) builder.metadata[originKey] = { ...origin };
  const events = timeline(spans, { positions, chats, agent, isOnce }, coverage);
  addEvents(builder, events);
  noteMissing(builder, events);
  addPromptOption(builder, into);
  return builder.finish();
}

function nameOfAgent(spans: readonly Span[]): string | undefined {
  return spans.map(namedAgent).find((name) => name !== undefined);
}

/** Counts the spans of each operation, so that the run can be checked against its trace. */
export function counted(names: readonly (string | undefined)[]): JsonObject {
  const counts = new Map<string, number>();
  for (const name of names) {
    // Names come from the log: a hostile one could have a million.
    const short = name === undefined ? "none" : name.length > 100 ? "others" : name;
    const key = counts.has(short) || counts.size < 100 ? short : "others";
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

function note(span: Span, { kind }: SpanPosition, coverage: Coverage): void {
  const operation = operationOf(span) ?? wordIn(span.attributes, "mcp.method.name", "traceloop.span.kind");
  if (kind === "unknown") coverage.skip(`span ${operation ?? "without an operation"}`);
  else if (kind === "idle") coverage.leaveOut(`span ${operation ?? "of another request"}`);
  else if (kind === "foreign") coverage.leaveOut("span without GenAI attributes");
}

/**
 * Returns the requests to a model. Two instrumentations may record one request, a span below the other: these
 * are merged. A span above several requests only sums them up.
 */
function chatsOf(
  spans: readonly Span[],
  positions: ReadonlyMap<Span, SpanPosition>,
  coverage: Coverage,
): Span[] {
  const chats = spans.filter((span) => positions.get(span)?.kind === "chat");
  const inner = new Map<Span, Span[]>();
  for (const span of chats) {
    const { above } = positions.get(span) as SpanPosition;
    const outer = above.find((each) => positions.get(each)?.kind !== "foreign");
    const isRepeated = outer !== undefined && positions.get(outer)?.kind === "chat" && above.length < deepest;
    if (isRepeated) addTo(inner, outer, span);
  }
  const left = new Set<Span>();
  // From the inside out, so that what the innermost records reaches the outermost.
  for (const [outer, [only, another]] of [...inner].reverse()) {
    if (only === undefined) continue;
    if (another !== undefined) left.add(outer);
    else {
      left.add(only);
      outer.attributes = { ...only.attributes, ...outer.attributes };
      if (outer.events.length === 0) outer.events = only.events;
    }
    coverage.leaveOut("chat span that repeats another");
  }
  return chats.filter((span) => !left.has(span));
}

function addEvents(builder: RunBuilder, events: readonly TimelineEvent[]): void {
  const attach = attachTo(builder);
  const names = callBook();
  let hasSystem = false;
  for (const { time, agent, isNested, model, what } of events) {
    const at: At = { time, model, ...(agent === undefined ? {} : { metadata: { agent } }) };
    if ("call" in what) addCall(builder, names, what.call, at);
    else if (what.role === "assistant") answer(builder, what.parts, attach, at);
    else if (what.role === "tool") strayResult(builder, what.parts, attach, at);
    else {
      const text = textOf(what.parts, "text", attach, builder.coverage);
      if (text === "") continue;
      if (what.role === "system" && !hasSystem && !isNested) builder.systemPrompt(text);
      else if (what.role === "user" && !isNested) builder.prompt(text, { time });
      else builder.context(what.role === "user" ? "prompt" : what.role, text, at);
      hasSystem ||= what.role === "system" && !isNested;
    }
  }
}

function addCall(builder: RunBuilder, names: ReturnType<typeof callBook>, call: SpanCall, at: At): void {
  const { id, tool, parameters = {}, isServer, together, span, status, failure } = call;
  const name = names.add({ id: id ?? span?.id, tool, message: 0 });
  const metadata = { ...at.metadata, ...span?.more, ...(id === undefined ? {} : { call_id: id }) };
  builder.call({ ...at, id: name, tool, parameters, isServer, together, metadata });
  if (status === "unanswered") return;
  builder.result(name, {
    status,
    output: call.output,
    seen: call.seen,
    time: span?.end,
    ...(failure === undefined || failure === call.output ? {} : { metadata: { error: failure } }),
  });
}

/** Adds an answer; adjacent parts of one kind are one step. */
function answer(builder: RunBuilder, parts: readonly MessagePart[], attach: Attach, at: At): void {
  const thought = textOf(parts, "thought", attach, builder.coverage);
  if (thought.trim() !== "") builder.reasoning(thought, at);
  const text = textOf(parts, "text", attach, builder.coverage);
  if (text.trim() !== "") builder.message(text, at);
}

function strayResult(builder: RunBuilder, parts: readonly MessagePart[], attach: Attach, at: At): void {
  for (const part of parts)
    if (part.kind === "response")
      builder.result(undefined, {
        status: part.status ?? "ok",
        output: part.output,
        time: at.time,
        metadata: { ...at.metadata, ...(part.id === undefined ? {} : { call_id: part.id }) },
      });
  const text = textOf(parts, "text", attach, builder.coverage);
  if (text !== "") builder.context("tool", text, at);
}

function textOf(
  parts: readonly MessagePart[],
  kind: "text" | "thought",
  attach: Attach,
  coverage: Coverage,
): string {
  return joined(
    parts.map((part) => {
      if (part.kind === kind) return part.text;
      if (kind === "thought") return "";
      if (part.kind === "data") return `[${attach(part.bytes, part.type)}]`;
      if (part.kind === "other") coverage.skip(`part of type ${part.type}`);
      return "";
    }),
  );
}

function noteMissing({ coverage }: RunBuilder, events: readonly TimelineEvent[]): void {
  if (events.every(({ what }) => "call" in what))
    coverage.addUnknown("prompts and answers (content capture was off)");
  else if (!events.some(({ what }) => "role" in what && what.role === "assistant"))
    coverage.addUnknown("what the model said (it was not recorded)");
  const calls = events.flatMap(({ what }) => ("call" in what ? [what.call] : []));
  if (calls.some(({ parameters }) => parameters === undefined))
    coverage.addUnknown("the arguments of some calls (content capture was off)");
  if (calls.some(({ output, status }) => output === undefined && !/^(?:unanswered|denied)$/.test(status)))
    coverage.addUnknown("the results of some calls (content capture was off)");
}
