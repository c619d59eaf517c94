// OpenTelemetry events about an agent's run: what Claude Code, Gemini CLI and Codex log about themselves, and
// the conventions' own events about requests to a model. A run is a session.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import { isByLine } from "../../head.js";
import { recordsOf } from "../../parse.js";
import type { RunBuilder } from "../../run-builder.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { objectsOf } from "../../protocols/otel/objects.js";
import { inTimeOrder } from "../../protocols/otel/order.js";
import { counted, spanRun } from "../../protocols/otel/run.js";
import { wordIn } from "../../protocols/otel/values.js";
import { eventsIn, isCarrier, type LogEvent } from "./events.js";
import { parametersOf, workdirOf, spansOf } from "./translate.js";

export const otelEvents: Format = {
  name: "otel-events",
  title: "OpenTelemetry log events of agents",
  from: "the telemetry of Claude Code, Gemini CLI, Qwen Code and Codex, and GenAI events in OTLP logs",
  sniff,
  read(source, into) {
    const sessions = sessionsOf(eventsOf(source, into.coverage), into.coverage);
    if (sessions.length === 0)
      throw new CtxError("log-unreadable", `${source.name} contains no events of an agent's run`);
    return sessions.map((session) => runOf(session, into, sessions.length === 1));
  },
};

/** Event names that only agents use. */
const agentSigns =
  /"(?:(?:claude_code|gemini_cli|qwen-code)\.[a-z]|codex\.(?:user_prompt|tool_result|tool_decision|sse_event|conversation_starts)"|com\.anthropic\.claude_code|claude-code")/;
const genAiSigns =
  /"gen_ai\.(?:client\.inference\.operation\.details|(?:system|user|assistant|tool)\.message|choice)"/;

function sniff({ document, records, text }: Head): Fit {
  if (document === undefined) return { near: 0, missing: "it does not start with JSON" };
  const firsts = Array.isArray(document) ? document.slice(0, 1) : [document];
  const looked = [...firsts, ...records];
  if (!looked.some((value) => isCarrier(value)) || firsts.every((value) => !canBegin(value)))
    return { near: 0, missing: "it has no log records" };
  if (agentSigns.test(text)) return true;
  if (text.includes('"resourceSpans"')) return { near: 0.3, missing: "it has spans" };
  return genAiSigns.test(text) ? true : { near: 0.6, missing: "its log records are of no agent" };
}

/** Returns whether a value can be the first of such a log. */
function canBegin(value: unknown): boolean {
  const first = value as JsonObject;
  return isCarrier(first) || (isObject(first ?? null) && Array.isArray(first["resourceSpans"]));
}

function eventsOf(source: LogSource, coverage: Coverage): LogEvent[] {
  const events: LogEvent[] = [];
  const take = (value: JsonObject): void => {
    for (const event of eventsIn(value, coverage)) events.push(event);
  };
  if (isByLine(source))
    for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) {
      // Events are counted, not lines: a line may hold many.
      coverage.records--;
      take(value);
    }
  else for (const value of objectsOf(source, coverage)) take(value);
  return inTimeOrder(events, ({ time }) => time);
}

interface SessionEvents {
  id: string | undefined;
  events: LogEvent[];
}

/** Groups the events by session. Those that name none belong to the only session, if there is just one. */
function sessionsOf(events: readonly LogEvent[], coverage: Coverage): SessionEvents[] {
  const sessions = new Map<string | undefined, SessionEvents>();
  for (const event of events) {
    const id = sessionOf(event);
    const session = sessions.get(id) ?? { id, events: [] };
    sessions.set(id, session);
    session.events.push(event);
  }
  const withoutSession = sessions.get(undefined);
  if (withoutSession !== undefined && sessions.size > 1) {
    sessions.delete(undefined);
    const [only, another] = sessions.values();
    if (only !== undefined && another === undefined)
      only.events = inTimeOrder([...withoutSession.events, ...only.events], ({ time }) => time);
    else for (const { name } of withoutSession.events) coverage.leaveOut(`event ${name} without a session`);
  }
  return [...sessions.values()].filter((session) => session.events.some(isConversation));
}

/** Returns whether an event is part of a run, and not only about the program. */
function isConversation({ name, agent }: LogEvent): boolean {
  return name.startsWith("gen_ai.") || (agent !== undefined && /^(?:user_prompt|tool_|api_|sse_)/.test(name));
}

function sessionIn(attributes: JsonObject): string | undefined {
  return wordIn(attributes, "session.id", "session_id", "conversation.id", "gen_ai.conversation.id");
}

function sessionOf({ attributes, resource, agent, trace }: LogEvent): string | undefined {
  return sessionIn(attributes) ?? sessionIn(resource) ?? (agent === undefined ? trace : undefined);
}

/** Builds the run of a session. Unreadable parts of the log belong to it only if it is the only one. */
function runOf({ id, events }: SessionEvents, into: Into, isOnly: boolean): ExecutionLog {
  const coverage = isOnly ? into.coverage : new Coverage();
  if (!isOnly) coverage.records = events.length;
  const spans = spansOf(events, coverage);
  const agent = events.map((event) => event.agent).find((each) => each !== undefined);
  return spanRun(
    { session: id, spans },
    { into, coverage },
    {
      format: "otel-events",
      agent,
      counts: { name: "events", of: counted(events.map(({ name }) => name)) },
      about: (builder) => describeEvents(builder, events, agent),
    },
  );
}

function describeEvents(builder: RunBuilder, events: readonly LogEvent[], agent: string | undefined): void {
  const models = new Set<string>();
  for (const event of events) {
    builder.see({ time: event.time, ...workdirOf(event) });
    Object.assign(builder.parameters, parametersOf(event));
    const { attributes } = event;
    const model = wordIn(attributes, "gen_ai.response.model", "gen_ai.request.model", "model");
    if (model !== undefined && event.name !== "subagent_completed") models.add(model);
    const version = wordIn(attributes, "app.version");
    if (version !== undefined && agent !== undefined) builder.toolVersions[agent] = version;
  }
  if (models.size > 1) builder.metadata["models"] = [...models];
}
