// OpenTelemetry spans in OTLP/JSON, following the conventions for GenAI: one for the run, one for each tool
// call, and one that holds the whole conversation. Ids are derived from the pack's name, so that one pack
// always yields the same spans.
import { canonicalText } from "../base/json/canonical.js";
import { sha256 } from "../base/digest.js";
import { defined, type JsonObject, type JsonValue } from "../base/json/value.js";
import { words } from "../base/lists.js";
import type { Step } from "../model/manifest.js";
import { originMark } from "../model/origin.js";
import { knownTime } from "../model/times.js";
import type { Losses } from "./losses.js";
import {
  metadataAt,
  metadataNumber,
  metadataText,
  type ExportedCall,
  type RunElement,
  runElements,
  type ExportedRun,
  isHidden,
  recordLosses,
  textIn,
} from "./run.js";

export function toOtlp(run: ExportedRun, losses: Losses): JsonObject {
  const { manifest } = run;
  const entries = [...runElements(run, losses)];
  const clock = clockOf(run, losses);
  const ids = idsOf(run.hash);
  const agent =
    metadataText(manifest, "source", "agent") ?? metadataText(manifest, "source", "format") ?? "unknown";
  const tools = entries.flatMap((entry) =>
    entry.kind === "call" ? [toolSpan(entry, { ids, clock, losses })] : [],
  );
  const root = {
    traceId: ids.trace,
    spanId: ids.span("run"),
    name: `invoke_agent ${agent}`,
    kind: 1,
    startTimeUnixNano: clock.start,
    endTimeUnixNano: clock.end,
    attributes: attributes({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.agent.version": metadataText(manifest, "source", "version"),
      "gen_ai.conversation.id": metadataText(manifest, "source", "session") ?? run.hash,
      "gen_ai.request.model": modelOf(run),
      ...originMark(manifest),
    }),
    status: {},
  };
  loseRest(run, entries, losses);
  const spans = [root, chatSpan(run, entries, { ids, clock, losses }), ...tools];
  const scope = { name: "ctx", attributes: attributes({ "ctx.pack": run.hash }) };
  return { resourceSpans: [{ resource: { attributes: resourceOf(run) }, scopeSpans: [{ scope, spans }] }] };
}

function chatSpan(
  run: ExportedRun,
  entries: readonly RunElement[],
  { ids, clock, losses }: OtlpContext,
): JsonObject {
  const { manifest } = run;
  const messages = entries.flatMap((entry) => messagesOf(entry, losses));
  const isAnswer = messages.at(-1)?.["role"] === "assistant";
  const usage = (name: string): number | undefined => metadataNumber(manifest, "usage", name);
  const system = entries.find((entry) => entry.kind === "system");
  const parameters = Object.entries(manifest.model.parameters).filter(([name]) => known.has(name));
  return {
    traceId: ids.trace,
    spanId: ids.span("chat"),
    parentSpanId: ids.span("run"),
    name: `chat ${manifest.model.identifier}`,
    kind: 3,
    startTimeUnixNano: clock.start,
    endTimeUnixNano: clock.end,
    attributes: attributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": modelOf(run),
      "gen_ai.response.model": modelOf(run),
      ...Object.fromEntries(parameters.map(([name, value]) => [`gen_ai.request.${name}`, value])),
      "gen_ai.system_instructions":
        system === undefined ? undefined : canonicalText([{ type: "text", content: system.text }]),
      "gen_ai.input.messages": canonicalText(isAnswer ? messages.slice(0, -1) : messages),
      "gen_ai.output.messages": isAnswer ? canonicalText(messages.slice(-1)) : undefined,
      "gen_ai.usage.input_tokens": usage("input_tokens"),
      "gen_ai.usage.output_tokens": usage("output_tokens"),
      "gen_ai.usage.cache_read.input_tokens": usage("cache_read_input_tokens"),
      "gen_ai.usage.cache_creation.input_tokens": usage("cache_creation_input_tokens"),
      "gen_ai.usage.reasoning.output_tokens": usage("reasoning_output_tokens"),
    }),
    status: {},
  };
}

const known = words("temperature top_p top_k max_tokens seed frequency_penalty presence_penalty");

function messagesOf(entry: RunElement, losses: Losses): JsonObject[] {
  switch (entry.kind) {
    case "system":
      return [];
    case "prompt":
      return [message("user", { type: "text", content: entry.text })];
    case "context":
      return [message("system", { type: "text", content: textIn(entry, losses) })];
    case "message":
      return [message("assistant", { type: "text", content: textIn(entry, losses) })];
    case "reasoning":
      return entry.text === undefined
        ? []
        : [message("assistant", { type: "reasoning", content: entry.text })];
    case "call":
      return [
        message("assistant", {
          type: "tool_call",
          id: entry.call.id,
          name: entry.call.tool,
          arguments: entry.call.parameters,
        }),
        ...answerOf(entry.call),
      ];
    case "result":
      return answerOf(entry.call);
  }
}

function message(role: string, part: JsonObject): JsonObject {
  return { role, parts: [part] };
}

function answerOf({ id, output, seen }: ExportedCall): JsonObject[] {
  return output === undefined
    ? []
    : [message("tool", { type: "tool_call_response", id, response: seen ?? output })];
}

interface OtlpContext {
  ids: Ids;
  clock: Clock;
  losses: Losses;
}

function toolSpan(
  { call, step }: Extract<RunElement, { kind: "call" }>,
  { ids, clock, losses }: OtlpContext,
): JsonObject {
  const status = step.metadata?.["status"];
  const isFailed = status === "error" || status === "denied" || status === "interrupted";
  if (call.output === undefined) losses.add("the note that calls have no result");
  const time = clock.of(step);
  return {
    traceId: ids.trace,
    spanId: ids.span(`step ${step.index}`),
    parentSpanId: ids.span("run"),
    name: `execute_tool ${call.tool}`,
    kind: 1,
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.tool,
      "gen_ai.tool.type": step.type === "server_tool_call" ? "extension" : "function",
      "gen_ai.tool.call.id": call.id,
      "gen_ai.tool.call.arguments": canonicalText(call.parameters),
      "gen_ai.tool.call.result": call.output,
      "error.type": isFailed ? status : undefined,
    }),
    status: isFailed ? { code: 2 } : {},
  };
}

function loseRest(run: ExportedRun, entries: readonly RunElement[], losses: Losses): void {
  const { steps, model, metadata, environment } = run.manifest;
  recordLosses(run, losses);
  const calls = entries.filter(({ kind }) => kind === "call").length;
  const texts = entries.filter(({ kind }) => kind === "message" || kind === "reasoning").length;
  // The conversation shows when calls took place, but a reader of spans sees the calls by themselves.
  if (calls > 0 && texts > 0) losses.add("the order of calls and messages outside the conversation", calls);
  losses.add("reasoning that only the model can read", entries.filter(isHidden).length);
  losses.add(
    "results that are not text",
    entries.filter((entry) => "call" in entry && entry.call.bytes !== undefined).length,
  );
  losses.add(
    "times of messages",
    steps.filter(({ type, timestamp }) => timestamp !== undefined && !type.endsWith("call")).length,
  );
  losses.add(
    "parameters of the model",
    Object.keys(model.parameters).filter((name) => !known.has(name)).length,
  );
  if (metadataAt(run.manifest, "cost_usd") !== undefined) losses.add("cost");
  if (metadata !== undefined) losses.add("the run's metadata, except agent, version, session and tokens");
  if (Object.keys(environment).some((name) => name !== "os" && name !== "runtime"))
    losses.add("the environment, except system and runtime");
}

function modelOf({ manifest }: ExportedRun): string | undefined {
  return manifest.model.identifier === "unknown" ? undefined : manifest.model.identifier;
}

function resourceOf({ manifest }: ExportedRun): JsonValue[] {
  const { os, runtime } = manifest.environment;
  return attributes({
    "service.name":
      metadataText(manifest, "source", "agent") ?? metadataText(manifest, "source", "format") ?? "ctx",
    "service.version": metadataText(manifest, "source", "version"),
    "os.type": os === "unknown" ? undefined : os,
    "process.runtime.name": runtime === "unknown" ? undefined : runtime,
  });
}

function attributes(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject[] {
  return Object.entries(defined(values)).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: JsonValue): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { stringValue: canonicalText(value) };
  // Integers have 64 bits in OTLP.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

interface Ids {
  trace: string;
  span(of: string): string;
}

function idsOf(hash: string): Ids {
  const made = (of: string): string => sha256(Buffer.from(`${hash} ${of}`));
  return { trace: made("trace").slice(0, 32), span: (of) => made(of).slice(0, 16) };
}

interface Clock {
  start: string;
  end: string;
  of(step: Step): string;
}

/** The latest time that OTLP can express: an unsigned 64-bit number. */
const lastTime = (1n << 64n) - 1n;

/** Returns times in nanoseconds. A step without a time comes one nanosecond after the previous one. */
function clockOf({ manifest }: ExportedRun, losses: Losses): Clock {
  const created = nanoseconds(manifest.created, losses);
  const known = new Map<Step, bigint>();
  const times = manifest.steps.map(({ timestamp }) =>
    timestamp === undefined ? undefined : nanoseconds(timestamp, losses),
  );
  const start = times.reduce<bigint>(
    (first, time) => (time !== undefined && time < first ? time : first),
    created,
  );
  let last = start;
  for (const [index, step] of manifest.steps.entries()) {
    last = times[index] ?? (last < lastTime ? last + 1n : last);
    known.set(step, last);
  }
  const end = [created, ...known.values()].reduce((latest, time) => (time > latest ? time : latest));
  return { start: String(start), end: String(end), of: (step) => String(known.get(step) ?? start) };
}

function nanoseconds(time: string, losses: Losses): bigint {
  const { seconds, fraction } = knownTime(time);
  const exact = BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0") || "0");
  const held = exact < 0n ? 0n : exact > lastTime ? lastTime : exact;
  if (held !== exact) losses.add("times before 1970 or after 2554");
  return held;
}
