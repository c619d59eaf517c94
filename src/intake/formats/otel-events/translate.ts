// Converts a session's events to spans, so that both become runs in the same way: a call, a request to a
// model, or a message.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { defined, listAt, objectAt, valueAt } from "../../json-access.js";
import type { Span } from "../../protocols/otel/span.js";
import { countIn, firstOf, wordIn } from "../../protocols/otel/values.js";
import { bodyOf, geminiAnswer, geminiMessages, markedMessages } from "./bodies.js";
import type { LogEvent } from "./events.js";
import { decisionsOf, toolSpan } from "./tools.js";

/** Events that are known, and say nothing about the run. */
const idle = new Set(
  (
    "skill_activated subagent_completed subagent_execution file_operation " +
    "tool_output_truncated edit_strategy edit_correction model_routing next_speaker_check slash_command " +
    "slash_command.model conversation_finished chat_compression compaction end_session session_start " +
    "agent.start agent.finish extension_install extension_uninstall extension_enable extension_disable " +
    "hook_call hook_execution_start hook_execution_complete hook_registered mcp_server_connection auth " +
    "permission_mode_changed plugin_installed plugin_loaded at_mention internal_error api_retries_exhausted " +
    "flash_fallback ripgrep_fallback ide_connection startup_stats invalid_chunk content_retry " +
    "content_retry_failure chat.invalid_chunk chat.content_retry chat.content_retry_failure " +
    "approval_mode_switch approval_mode_duration plan_execution loop_detected loop_detection_disabled " +
    "websocket_connect websocket_request websocket_event api_refusal feedback_survey"
  ).split(" "),
);

const detailsEvent = "gen_ai.client.inference.operation.details";
const messageEvent = /^gen_ai\.(?:(?:system|user|assistant|tool)\.message|choice)$/;

/** What is known of a session before its events are read one by one. */
interface SessionFacts {
  coverage: Coverage;
  /** The texts that people typed. */
  typed: ReadonlySet<string>;
  /** Whether the agent's own events state usage, and not only the conventions' events. */
  hasUsage: boolean;
  /** Whether events other than the agent's own hold messages of the model. */
  hasMessages: boolean;
  /** Whether the main agent made requests, and not only its sub-agents. */
  hasMain: boolean;
  /** Requests that the client made for itself, by their time. */
  own: ReadonlySet<JsonValue>;
  decisions: ReturnType<typeof decisionsOf>;
}

export function spansOf(events: readonly LogEvent[], coverage: Coverage): Span[] {
  const named = (...names: readonly string[]): LogEvent[] =>
    events.filter(({ name }) => names.includes(name));
  const session: SessionFacts = {
    coverage,
    typed: new Set(named("user_prompt").flatMap(({ attributes }) => promptIn(attributes)?.trim() ?? [])),
    hasUsage: events.some((event) => event.agent !== undefined && eventUsage(event) !== undefined),
    hasMessages: events.some(
      ({ name, attributes }) =>
        name === "api_response_body" || (name === detailsEvent && "gen_ai.output.messages" in attributes),
    ),
    own: new Set(
      named("api_response", "api_error").flatMap((event) => (isClients(event) ? timestamp(event) : [])),
    ),
    hasMain: named("api_request").some((event) => !isOfAgent(event)),
    decisions: decisionsOf(events),
  };
  const grouped = new Map<string, Span>();
  const spans: Span[] = [];
  for (const [index, event] of events.entries()) {
    if (messageEvent.test(event.name)) {
      const key = `${event.trace ?? ""} ${event.span ?? ""}`;
      const known = grouped.get(key);
      const span = known ?? spanAt(event, index, { kind: "chat" });
      if (known === undefined) spans.push(span);
      grouped.set(key, span);
      span.end = event.time ?? span.end;
      span.events.push({ name: event.name, attributes: { ...event.attributes, ...objectOf(event.body) } });
      // Without a span, an answer ends the exchange before it.
      if (event.span === undefined && event.name === "gen_ai.choice") grouped.delete(key);
      continue;
    }
    const span = spanOf(event, index, session);
    if (span !== undefined) spans.push(span);
  }
  return spans;
}

function objectOf(value: JsonValue): JsonObject {
  return value !== null && isObject(value) ? value : {};
}

function spanOf(event: LogEvent, index: number, session: SessionFacts): Span | undefined {
  const { name, attributes } = event;
  const { coverage, decisions } = session;
  const chat = (more: JsonObject): Span => spanAt(event, index, { kind: "chat", attributes: more });
  switch (name) {
    case "user_prompt": {
      const prompt = promptIn(attributes);
      if (prompt === undefined) coverage.addUnknown("prompts (they were not recorded)");
      return prompt === undefined ? undefined : chat(textMessage("user", prompt));
    }
    case "tool_result":
    case "tool_call":
      return toolSpan(spanAt(event, index, { kind: "tool" }), attributes, decisions);
    case "tool_decision": {
      if (!decisions.isLast(event)) {
        coverage.leaveOut("event tool_decision");
        return undefined;
      }
      return { ...toolSpan(spanAt(event, index, { kind: "tool" }), attributes, decisions), status: "denied" };
    }
    case "api_error":
      return { ...chat(modelIn(attributes)), hasFailed: true };
    case "assistant_response": {
      const text = wordIn(attributes, "response");
      if (session.hasMessages || text === undefined) return leftOut(event, coverage);
      return chat({ ...modelIn(attributes), ...textMessage("assistant", text) });
    }
    case detailsEvent:
      return details(event, session, chat);
    case "api_request_body":
    case "api_response_body":
      return withBody(event, session, chat);
    default:
      return request(event, session, chat) ?? leftOut(event, coverage);
  }
}

/** Converts a request in the agent's own words. */
function request(event: LogEvent, session: SessionFacts, chat: (more: JsonObject) => Span): Span | undefined {
  const { attributes } = event;
  const usage = eventUsage(event);
  const isSaid = event.name === "api_response" && !session.hasMessages && !isClients(event);
  const said = isSaid ? geminiAnswer(bodyOf(wordIn(attributes, "response_text"), session.coverage)) : [];
  if (usage === undefined && said.length === 0) return undefined;
  return chat({
    ...(isClients(event) || (session.hasMain && isOfAgent(event)) ? {} : modelIn(attributes)),
    ...usage,
    ...(said.length === 0 ? {} : { "gen_ai.output.messages": said }),
  });
}

/** Events that describe the setup of a session. */
const setups = /^(?:config|conversation_starts|claude\.session\.start)$/;

function leftOut({ name, agent }: LogEvent, coverage: Coverage): undefined {
  if (setups.test(name)) return undefined;
  const isKnown = idle.has(name) || /^(?:api_|sse_|assistant_)/.test(name);
  if (agent !== undefined && isKnown) coverage.leaveOut(`event ${name}`);
  else coverage.skip(`event ${name}`);
}

/** Converts a request in the conventions' words. */
function details(event: LogEvent, session: SessionFacts, chat: (more: JsonObject) => Span): Span | undefined {
  const { attributes, agent } = event;
  const { coverage, typed, hasUsage, own } = session;
  if (timestamp(event).some((time) => own.has(time))) {
    coverage.leaveOut("request that the client made for itself");
    return undefined;
  }
  const held = Object.entries(attributes).filter(
    ([key]) => !(hasUsage && key.startsWith("gen_ai.usage.")) && key !== "gen_ai.operation.name",
  );
  const kept: JsonObject = Object.fromEntries(held);
  for (const name of ["gen_ai.input.messages", "gen_ai.output.messages"]) {
    const value = attributes[name];
    const messages = typeof value === "string" ? bodyOf(value, coverage) : value;
    if (!Array.isArray(messages)) continue;
    kept[name] = markedMessages(
      agent === "gemini-cli" ? geminiMessages(messages, coverage) : messages,
      typed,
    );
  }
  // A request may be reported twice: when it is made, and when its answer came.
  return { ...chat(kept), hasFailed: "error.type" in attributes };
}

/** Converts the full body of a request or an answer. */
function withBody(
  event: LogEvent,
  session: SessionFacts,
  chat: (more: JsonObject) => Span,
): Span | undefined {
  const { attributes, name } = event;
  const { coverage, typed } = session;
  if (!/^(?:repl_main_thread|main|sdk|$)/.test(wordIn(attributes, "query_source") ?? "")) {
    coverage.leaveOut("request of a sub-agent, or that the client made for itself");
    return undefined;
  }
  const body = bodyOf(wordIn(attributes, "body"), coverage);
  if (body === undefined) {
    coverage.truncated++;
    coverage.addUnknown("some of what was said (bodies of requests are cut off, or in files of their own)");
    return undefined;
  }
  if (name === "api_response_body")
    return chat({
      ...modelIn(objectOf(body)),
      "gen_ai.output.messages": [{ role: "assistant", content: valueAt(body, "content") ?? [] }],
    });
  return chat(
    defined({
      ...modelIn(objectOf(body)),
      "gen_ai.request.max_tokens": valueAt(body, "max_tokens"),
      "gen_ai.request.temperature": valueAt(body, "temperature"),
      "gen_ai.tool.definitions": valueAt(body, "tools"),
      "gen_ai.system_instructions": valueAt(body, "system"),
      "gen_ai.input.messages": markedMessages(listAt(body, "messages"), typed),
    }),
  );
}

function spanAt(event: LogEvent, index: number, more: Partial<Span>): Span {
  return {
    id: `event-${index + 1}`,
    trace: "",
    parent: undefined,
    name: event.name,
    label: event.name,
    start: event.time,
    end: event.time,
    hasFailed: false,
    failure: undefined,
    attributes: {},
    events: [],
    resource: event.resource,
    ...more,
  };
}

function textMessage(role: string, text: string): JsonObject {
  return { "gen_ai.output.messages": [{ role, content: text }] };
}

function modelIn(attributes: JsonObject): JsonObject {
  return defined({ "gen_ai.response.model": wordIn(attributes, "model") });
}

/** Returns what a person typed; undefined where it is kept out of the log. */
function promptIn(attributes: JsonObject): string | undefined {
  const prompt = wordIn(attributes, "prompt");
  return prompt === "<REDACTED>" || prompt === "[REDACTED]" ? undefined : prompt;
}

/** Returns whether a request is not the agent's: a title, a summary, the choice of the next speaker. */
function isClients({ attributes }: LogEvent): boolean {
  return (wordIn(attributes, "role") ?? "").startsWith("utility_");
}

function isOfAgent({ attributes }: LogEvent): boolean {
  return /^(?:agent:|subagent)/.test(wordIn(attributes, "query_source") ?? "");
}

function timestamp({ attributes }: LogEvent): JsonValue[] {
  const time = attributes["event.timestamp"];
  return time === undefined ? [] : [time];
}

function eventUsage({ name, attributes }: LogEvent): JsonObject | undefined {
  if (name === detailsEvent || messageEvent.test(name)) return undefined;
  const usage = defined({
    "gen_ai.usage.input_tokens": firstOf(attributes, "input_tokens", "input_token_count"),
    "gen_ai.usage.output_tokens": firstOf(attributes, "output_tokens", "output_token_count"),
    "gen_ai.usage.cache_read.input_tokens": firstOf(
      attributes,
      "cache_read_tokens",
      "cached_content_token_count",
      "cached_token_count",
    ),
    "gen_ai.usage.cache_creation.input_tokens": attributes["cache_creation_tokens"],
    "gen_ai.usage.reasoning.output_tokens": firstOf(
      attributes,
      "thoughts_token_count",
      "reasoning_token_count",
    ),
    "gen_ai.usage.cost": costIn(attributes),
  });
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function costIn(attributes: JsonObject): JsonValue | undefined {
  const micros = countIn(attributes, "cost_usd_micros");
  return attributes["cost_usd"] ?? (micros === undefined ? undefined : micros / 1e6);
}

/** Returns the folder and branch that a session states. */
export function workdirOf({ attributes }: LogEvent): { cwd: string | undefined; branch: string | undefined } {
  const [path] = listAt(attributes, "workspace.host_paths");
  return {
    cwd: wordIn(attributes, "cwd", "project_dir") ?? (typeof path === "string" ? path : undefined),
    branch: wordIn(attributes, "git_branch", "git.branch"),
  };
}

/** Returns the setup of a session. */
export function parametersOf({ name, attributes }: LogEvent): JsonObject {
  if (name === "api_request") return defined({ effort: attributes["effort"] });
  if (!setups.test(name)) return {};
  const kept = ["approval_mode", "sandbox_enabled", "approval_policy", "sandbox_policy", "reasoning_effort"];
  return defined(Object.fromEntries(kept.map((key) => [key, objectAt(attributes, key) ?? attributes[key]])));
}
