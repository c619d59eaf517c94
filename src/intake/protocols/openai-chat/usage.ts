// Reads usage as chat completions state it.
import type { JsonObject } from "../../../base/json/value.js";
import { numberAt } from "../../json-access.js";
import type { Usage } from "../../run-entries.js";

export function chatUsage(usage: JsonObject): Usage {
  return {
    input_tokens: numberAt(usage, "prompt_tokens") ?? numberAt(usage, "input_tokens"),
    output_tokens: numberAt(usage, "completion_tokens") ?? numberAt(usage, "output_tokens"),
    cache_read_input_tokens:
      numberAt(usage, "prompt_tokens_details", "cached_tokens") ?? numberAt(usage, "cache_read_input_tokens"),
    cache_creation_input_tokens: numberAt(usage, "cache_creation_input_tokens"),
    reasoning_output_tokens: numberAt(usage, "completion_tokens_details", "reasoning_tokens"),
  };
}
