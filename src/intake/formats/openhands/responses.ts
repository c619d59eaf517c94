// Reads what events of the first generation say about the model: each action and observation has a copy of
// the response that led to it, and of the usage up to then.
import type { JsonObject } from "../../../base/json/value.js";
import { argumentsOf } from "../../protocols/openai-chat/calls.js";
import { joined } from "../../protocols/openai-chat/content.js";
import { chatUsage } from "../../protocols/openai-chat/usage.js";
import { listAt, numberAt, objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { totalUsage } from "../../usage-book.js";

export interface RequestedFunction {
  tool: string;
  parameters: JsonObject;
  callId: string | undefined;
  /** Equal for all calls of one response. */
  response: string | undefined;
}

export class Responses {
  model: string | undefined;
  readonly #builder: RunBuilder;
  /** Ids of responses that were read. */
  readonly #known = new Set<string>();
  /** The number of calls with one id in a response. */
  readonly #used = new Map<string, number>();
  #hasUsage = false;
  #total: JsonObject | undefined;

  constructor(builder: RunBuilder) {
    this.#builder = builder;
  }

  /** Records the usage of a response, once; returns its private reasoning when it is new. */
  noteResponse(event: JsonObject): string | undefined {
    this.#spend(objectAt(event, "llm_metrics"));
    const response = objectAt(event, "tool_call_metadata", "model_response");
    if (response === undefined) return undefined;
    this.model = wordAt(response, "model") ?? this.model;
    const id = wordAt(response, "id");
    if (id === undefined || this.#known.has(id)) return undefined;
    this.#known.add(id);
    const usage = objectAt(response, "usage");
    if (usage !== undefined) this.#use(id, usage);
    const message = messageOf(response);
    const blocks = listAt(message, "thinking_blocks").map((block) => textAt(block, "thinking") ?? "");
    const thoughts = textAt(message, "reasoning_content") ?? joined(blocks);
    return thoughts.trim() === "" ? undefined : thoughts;
  }

  /** Returns the function that the model called; undefined when the event does not name one. */
  requestedFunction(event: JsonObject): RequestedFunction | undefined {
    const about = objectAt(event, "tool_call_metadata");
    if (about === undefined) return undefined;
    const response = objectAt(about, "model_response");
    const callId = wordAt(about, "tool_call_id");
    const id = wordAt(response, "id");
    const key = `${id ?? ""}\0${callId ?? ""}`;
    const count = this.#used.get(key) ?? 0;
    this.#used.set(key, count + 1);
    const same = objectsAt(messageOf(response), "tool_calls").filter((call) => wordAt(call, "id") === callId);
    const named = same[count] ?? same[0];
    const tool = wordAt(about, "function_name") ?? wordAt(named, "function", "name");
    if (tool === undefined) return undefined;
    const parameters = argumentsOf(valueAt(named, "function", "arguments"), this.#builder.coverage);
    return { tool, parameters, callId, response: id };
  }

  /** Adds, at the end of the log, usage that is only known as a sum. */
  finish(metrics: JsonObject | undefined): void {
    this.#spend(metrics);
    if (!this.#hasUsage && this.#total !== undefined) this.#builder.use(totalUsage, metricUsage(this.#total));
  }

  #spend(metrics: JsonObject | undefined): void {
    if (metrics === undefined) return;
    for (const usage of objectsAt(metrics, "token_usages")) {
      const id = wordAt(usage, "response_id");
      if (id !== undefined) this.#use(id, usage);
      this.model ??= wordAt(usage, "model");
    }
    this.#total = objectAt(metrics, "accumulated_token_usage") ?? this.#total;
    const cost = numberAt(metrics, "accumulated_cost");
    const known = this.#builder.metadata["cost_usd"];
    if (cost !== undefined)
      this.#builder.metadata["cost_usd"] = typeof known === "number" ? Math.max(known, cost) : cost;
  }

  #use(id: string, usage: JsonObject): void {
    this.#hasUsage = true;
    this.#builder.use(id, metricUsage(usage));
  }
}

function messageOf(response: JsonObject | undefined): JsonObject | undefined {
  return objectAt(listAt(response, "choices")[0], "message");
}

/** Returns usage: OpenHands has its own names for cached tokens. */
export function metricUsage(usage: JsonObject): ReturnType<typeof chatUsage> {
  const known = chatUsage(usage);
  return {
    ...known,
    cache_read_input_tokens: numberAt(usage, "cache_read_tokens") ?? known.cache_read_input_tokens,
    cache_creation_input_tokens: numberAt(usage, "cache_write_tokens") ?? known.cache_creation_input_tokens,
    reasoning_output_tokens: numberAt(usage, "reasoning_tokens") ?? known.reasoning_output_tokens,
  };
}
