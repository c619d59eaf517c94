// Tracks the tokens of a session and its sub-agents. Messages state their output tokens; the end of a session
// states everything, by model.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { numberAt, objectAt, valueAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Usage } from "../../run-entries.js";
import { totalUsage } from "../../usage-book.js";

export class Spent {
  readonly #notes = new Map<RunBuilder, { name: string; usage: Usage }[]>();
  /** Totals that the session stated at its ends, by when it began: a resumed session states more later. */
  readonly #totals = new Map<string, JsonObject>();

  note(run: RunBuilder, name: string, data: JsonObject): void {
    const notes = this.#notes.get(run) ?? [];
    this.#notes.set(run, notes);
    notes.push({ name, usage: copilotUsage(data) });
  }

  total(data: JsonObject): void {
    if (objectAt(data, "modelMetrics") !== undefined || objectAt(data, "agentMetrics") !== undefined)
      this.#totals.set(String(numberAt(data, "sessionStartTime") ?? ""), data);
  }

  /** Adds to a run what it used, as far as that is known separately. */
  addTo(run: RunBuilder, agent: string): void {
    const own = [...this.#totals.values()].flatMap((data) => {
      const agents = objectAt(data, "agentMetrics");
      if (agents !== undefined) return models(valueAt(agents, agent, "modelMetrics"));
      return agent === "main" ? models(data["modelMetrics"]) : [];
    });
    if (own.length > 0) return run.use(totalUsage, sum(own));
    // The session's total includes the sub-agents' tokens.
    if (this.#totals.size > 0 && agent !== "main") return;
    for (const { name, usage } of this.#notes.get(run) ?? []) run.use(name, usage);
  }
}

function models(metrics: JsonValue | undefined): Usage[] {
  if (metrics === undefined || !isObject(metrics)) return [];
  return Object.values(metrics).map((metric) => copilotUsage(objectAt(metric, "usage") ?? {}));
}

function copilotUsage(data: JsonObject): Usage {
  return {
    input_tokens: numberAt(data, "inputTokens"),
    output_tokens: numberAt(data, "outputTokens"),
    cache_read_input_tokens: numberAt(data, "cacheReadTokens"),
    cache_creation_input_tokens: numberAt(data, "cacheWriteTokens"),
    reasoning_output_tokens: numberAt(data, "reasoningTokens"),
  };
}

function sum(all: readonly Usage[]): Usage {
  const total: Usage = {};
  for (const usage of all)
    for (const key of Object.keys(usage) as (keyof Usage)[])
      if (usage[key] !== undefined) total[key] = (total[key] ?? 0) + usage[key];
  return total;
}
