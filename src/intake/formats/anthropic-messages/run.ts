// Builds a run from exchanges with Anthropic's API: one exchange, or several that each repeat the earlier
// messages.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { toolNames } from "../../protocols/openai-chat/content.js";
import { contentText } from "../../protocols/anthropic/text-and-media.js";
import { isClineHistory } from "../cline/recognise.js";
import { MessageStream, type Streamed } from "../../protocols/anthropic/stream.js";
import type { Coverage } from "../../coverage.js";
import { type Exchange, timeIn } from "../../request-pairs.js";
import { listAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { eventsIn } from "../../sse.js";
import { timeOf } from "../../times.js";
import { words } from "../../../base/lists.js";
import { ClineReader } from "../cline/reader.js";
import { AnthropicMessagesReader, type MessageReader } from "./reader.js";

const parameterNames = words(
  "temperature top_p top_k max_tokens stop_sequences stream thinking tool_choice service_tier effort",
  "output_config output_format context_management betas speed inference_geo",
);

/** Fields that are read elsewhere, or that repeat others. */
const readElsewhere = words(
  "messages model system tools request params body response result message completion output content usage",
  "id type role stop_reason stop_sequence timestamp logged_at ts created_at custom_id anthropic_version method url",
  "container",
);

export class AnthropicRun {
  readonly #builder: RunBuilder;
  readonly #into: Into;
  readonly #coverage: Coverage;
  readonly #reader: MessageReader;
  #system = "";

  constructor(into: Into, coverage: Coverage, { isCline = false } = {}) {
    this.#into = into;
    this.#coverage = coverage;
    this.#builder = new RunBuilder({
      format: "anthropic-messages",
      agent: isCline ? "cline" : "anthropic-messages",
      keeper: () => into.keeper(),
      coverage,
    });
    this.#reader = isCline ? new ClineReader(this.#builder) : new AnthropicMessagesReader(this.#builder);
  }

  message(message: JsonValue): void {
    this.#coverage.records++;
    const time = timeOf(valueAt(message, "timestamp") ?? valueAt(message, "created_at"), this.#coverage);
    this.#reader.take(message, { time });
    this.#takeEnd(message);
  }

  /**
   * Reads an exchange whose first `known` messages are already in the run. Returns the number of messages so
   * far.
   */
  exchange({ record, request, response, streamed }: Exchange, known = 0): number {
    const time = timeOf(timeIn(record), this.#coverage);
    if (request !== undefined) this.#describe(request, response);
    const messages = listAt(request, "messages");
    for (const _ of messages.slice(0, known)) this.#coverage.leaveOut("messages that were sent again");
    for (const message of messages.slice(known)) {
      this.#coverage.records++;
      this.#reader.take(message);
    }
    this.#builder.see({ time });
    const answers = streamed === undefined ? [] : streamedIn(streamed, this.#coverage);
    if (response !== undefined) answers.push({ message: response });
    this.#coverage.records += answers.length;
    for (const answer of answers) this.streamed(answer, time);
    this.#leaveOut(record, request, response);
    return Math.max(known, messages.length) + answers.length;
  }

  /** Reads the result of a stream. */
  streamed(answer: Streamed, time?: string): void {
    if ("error" in answer) {
      this.#builder.context("error", answer.error, { time });
      return;
    }
    this.#reader.take(answer.message, { time });
    this.#takeEnd(answer.message);
  }

  systemPrompt(text: string): void {
    this.#builder.systemPrompt(text);
  }

  name(session: string): void {
    this.#builder.source["session"] = session;
  }

  finish(): ExecutionLog {
    addPromptOption(this.#builder, this.#into);
    return this.#builder.finish();
  }

  #describe(request: JsonObject, response: JsonObject | undefined): void {
    const { parameters, metadata } = this.#builder;
    const model = wordAt(response, "model") ?? wordAt(request, "model");
    if (model !== undefined) this.#builder.identifier = model;
    for (const [name, value] of Object.entries(request))
      if (parameterNames.has(name) && value !== null) parameters[name] = value;
    const system = contentText(request["system"]);
    if (system !== "" && this.#system === "") this.#builder.systemPrompt(system);
    else if (system !== "" && system !== this.#system) this.#builder.context("system", system);
    if (system !== "") this.#system = system;
    const tools = toolNames(request["tools"]);
    if (tools.length > 0) metadata["tools"] = tools;
    const servers = toolNames(request["mcp_servers"]);
    if (servers.length > 0) metadata["mcp_servers"] = servers;
  }

  #takeEnd(message: JsonValue): void {
    const { metadata } = this.#builder;
    const reason = wordAt(message, "stop_reason");
    if (reason !== undefined) metadata["stop_reason"] = reason;
    const container = textAt(message, "container", "id");
    if (container !== undefined) metadata["container"] = container;
  }

  /** Counts the fields that were not read. */
  #leaveOut(...records: readonly (JsonObject | undefined)[]): void {
    const custom = records[0]?.["custom_id"];
    if (custom !== undefined && custom !== null) this.#builder.metadata["custom_id"] = custom;
    for (const record of new Set(records))
      for (const [name, value] of Object.entries(record ?? {}))
        if (value !== null && !parameterNames.has(name) && !readElsewhere.has(name) && name !== "mcp_servers")
          this.#coverage.leaveOut(`field ${name}`);
  }
}

/** What is known of bare messages besides them. */
interface AboutMessages {
  coverage: Coverage;
  session?: string | undefined;
  system?: string | undefined;
}

/** Builds a run from bare messages. */
export function messagesRun(
  messages: readonly JsonValue[],
  into: Into,
  { coverage, session, system }: AboutMessages,
): ExecutionLog {
  const run = new AnthropicRun(into, coverage, { isCline: isClineHistory(messages) });
  if (session !== undefined) run.name(session);
  if (system !== undefined) run.systemPrompt(system);
  for (const message of messages) run.message(message);
  return run.finish();
}

function streamedIn(text: string, coverage: Coverage): Streamed[] {
  const stream = new MessageStream(coverage);
  const { records } = coverage;
  const found = eventsIn(text, coverage).flatMap((event) => stream.take(event));
  coverage.records = records;
  return [...found, ...stream.finish()];
}
