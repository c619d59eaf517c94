// Reads usage as Inspect counts it.
import { isObject, type JsonObject } from "../../../base/json/value.js";
import { numberAt } from "../../json-access.js";
import type { Usage } from "../../run-entries.js";

export function inspectUsage(usage: JsonObject): Usage {
  return {
    input_tokens: numberAt(usage, "input_tokens"),
    output_tokens: numberAt(usage, "output_tokens"),
    cache_read_input_tokens: numberAt(usage, "input_tokens_cache_read"),
    cache_creation_input_tokens: numberAt(usage, "input_tokens_cache_write"),
    reasoning_output_tokens: numberAt(usage, "reasoning_tokens"),
  };
}

/**
 * Returns the usage and cost of all models of a sample together; undefined where the log does not state it.
 */
export function totalOf(byModel: JsonObject): { usage: Usage; cost: number | undefined } | undefined {
  const each = Object.values(byModel).filter((one) => isObject(one));
  if (each.length === 0) return undefined;
  const usage: Usage = {};
  for (const one of each.map(inspectUsage))
    for (const [name, value] of Object.entries(one) as [keyof Usage, number | undefined][])
      if (value !== undefined) usage[name] = Math.min((usage[name] ?? 0) + value, Number.MAX_SAFE_INTEGER);
  const costs = each.flatMap((one) => numberAt(one, "total_cost") ?? []);
  return { usage, cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0) };
}
