// Builds runs from exchanges with the Responses API: the request, the response, and the wrapper around both.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { Coverage } from "../../coverage.js";
import { timeIn } from "../../request-pairs.js";
import { listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { itemText } from "../../protocols/openai-responses/content.js";
import { RunBuilder } from "../../run-builder.js";
import type { Usage } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { words } from "../../../base/lists.js";
import { OpenaiResponsesReader } from "./reader.js";
import type { StreamedResponse } from "./stream.js";

const parameterNames = words(
  "temperature top_p top_logprobs max_output_tokens max_tool_calls parallel_tool_calls reasoning text tool_choice",
  "truncation service_tier include stream store background prompt verbosity",
);

/** Fields that are read elsewhere, or that repeat others. */
const readElsewhere = words(
  "id object created_at completed_at status error incomplete_details instructions input output output_text model",
  "tools usage previous_response_id conversation request response body params result completion timestamp",
  "created logged_at custom_id method url",
);

export class ResponsesRun {
  readonly #builder: RunBuilder;
  readonly #into: Into;
  readonly #items: OpenaiResponsesReader;
  readonly #responses = new Set<string>();
  #instructions: string | undefined;

  constructor(into: Into, coverage: Coverage) {
    this.#into = into;
    this.#builder = new RunBuilder({
      format: "openai-responses",
      agent: "openai-responses",
      keeper: () => into.keeper(),
      coverage,
    });
    this.#items = new OpenaiResponsesReader(this.#builder);
  }

  item(item: JsonValue): void {
    this.#builder.coverage.records++;
    this.#items.take(item, { time: timeOf(valueAt(item, "timestamp"), this.#builder.coverage) });
  }

  /** Reads a request, without the `known` items at its beginning. */
  request(request: JsonObject, known: number): void {
    const { coverage } = this.#builder;
    this.#describe(request);
    const input = request["input"];
    const items = Array.isArray(input) ? input : input === undefined || input === null ? [] : [input];
    for (const _ of items.slice(0, known)) coverage.leaveOut("items that were sent again");
    coverage.records += items.length;
    for (const item of items.slice(known)) this.#items.take(item, {});
  }

  response(response: JsonObject): void {
    this.#builder.coverage.records += listAt(response, "output").length;
    this.#answer(response);
  }

  #answer(response: JsonObject): void {
    const { coverage } = this.#builder;
    const id = wordAt(response, "id");
    if (id !== undefined) this.#responses.add(id);
    this.#items.separate();
    this.#describe(response);
    const time = timeOf(response["created_at"], coverage);
    const model = wordAt(response, "model");
    this.#builder.see({ time });
    for (const item of listAt(response, "output")) this.#items.take(item, { time, model });
    this.#takeEnd(response, id, time);
  }

  streamed(answer: StreamedResponse): void {
    if ("error" in answer) this.#builder.context("error", answer.error);
    else this.#answer(answer.response);
  }

  /** Reads the wrapper around a request and its response. */
  around(record: JsonObject): void {
    this.#builder.see({ time: timeOf(timeIn(record), this.#builder.coverage) });
    const custom = record["custom_id"];
    if (custom !== undefined && custom !== null) this.#builder.metadata["custom_id"] = custom;
    this.#leaveOut(record);
  }

  finish(): ExecutionLog {
    addPromptOption(this.#builder, this.#into);
    return this.#builder.finish();
  }

  #describe(about: JsonObject): void {
    const { parameters, metadata, source, coverage } = this.#builder;
    const model = wordAt(about, "model");
    if (model !== undefined) this.#builder.identifier = model;
    for (const [name, value] of Object.entries(about))
      if (parameterNames.has(name) && value !== null) parameters[name] = value;
    const instructions = itemText(instructionsOf(about["instructions"]));
    if (instructions !== this.#instructions) this.#items.instructions(instructions);
    this.#instructions = instructions === "" ? this.#instructions : instructions;
    const tools = toolsOf(about["tools"]);
    if (tools.length > 0) metadata["tools"] = tools;
    const previous = wordAt(about, "previous_response_id");
    if (previous !== undefined && !this.#responses.has(previous)) {
      source["previous_response"] ??= previous;
      coverage.addUnknown("what was said before (only previous_response_id names it)");
    }
    const conversation = wordAt(about, "conversation", "id") ?? wordAt(about, "conversation");
    if (conversation !== undefined) source["session"] = conversation;
    if (objectAt(about, "prompt") !== undefined)
      coverage.addUnknown("the prompt template (only its id is there)");
    this.#leaveOut(about);
  }

  #takeEnd(response: JsonObject, id: string | undefined, time: string | undefined): void {
    const { metadata } = this.#builder;
    const status = wordAt(response, "status");
    if (status !== undefined && status !== "completed") metadata["outcome"] = status;
    const reason = wordAt(response, "incomplete_details", "reason");
    if (reason !== undefined) metadata["stop_reason"] = reason;
    const error = wordAt(response, "error", "message");
    if (error !== undefined) this.#builder.context("error", error, { time });
    const usage = objectAt(response, "usage");
    if (usage !== undefined)
      this.#builder.use(id ?? `response-${this.#responses.size}`, responsesUsage(usage));
    this.#builder.see({ time: timeOf(response["completed_at"], this.#builder.coverage) });
  }

  /** Counts the fields that were not read. */
  #leaveOut(record: JsonObject): void {
    for (const [name, value] of Object.entries(record))
      if (value !== null && !parameterNames.has(name) && !readElsewhere.has(name))
        this.#builder.coverage.leaveOut(`field ${name}`);
  }
}

/** Returns the instructions: they are a text, or items that precede all others. */
function instructionsOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return value.flatMap((item) => {
    const content = valueAt(item, "content");
    return Array.isArray(content) ? content : [content ?? item];
  });
}

function toolsOf(tools: JsonValue | undefined): string[] {
  return listAt(tools).flatMap((tool) => {
    if (!isObject(tool)) return [];
    return wordAt(tool, "name") ?? wordAt(tool, "server_label") ?? wordAt(tool, "type") ?? [];
  });
}

function responsesUsage(usage: JsonObject): Usage {
  return {
    input_tokens: numberAt(usage, "input_tokens"),
    cache_read_input_tokens: numberAt(usage, "input_tokens_details", "cached_tokens"),
    output_tokens: numberAt(usage, "output_tokens"),
    reasoning_output_tokens: numberAt(usage, "output_tokens_details", "reasoning_tokens"),
  };
}

/** Returns whether an item was written by the model or the provider, and not the client. */
export function isOfModel(item: JsonValue): boolean {
  const type = textAt(item, "type");
  if (type === undefined || type === "message") return textAt(item, "role") === "assistant";
  return !type.endsWith("_output") && type !== "mcp_approval_response" && type !== "item_reference";
}
