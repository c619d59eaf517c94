// Reads what the SDK records about a conversation as a whole: in its state file, and in updates.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { defined, listAt, numberAt, objectAt, objectsAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Usage } from "../../run-entries.js";
import { totalUsage } from "../../usage-book.js";
import { metricUsage } from "./responses.js";

const parameterNames = [
  "temperature",
  "top_p",
  "top_k",
  "max_output_tokens",
  "reasoning_effort",
  "extended_thinking_budget",
  "seed",
];

export class ConversationState {
  model: string | undefined;
  readonly #builder: RunBuilder;
  #stats: JsonObject | undefined;

  constructor(builder: RunBuilder) {
    this.#builder = builder;
  }

  /** Reads the whole state. */
  describe(state: JsonObject): void {
    const { source, parameters, metadata } = this.#builder;
    const llm = objectAt(state, "agent", "llm");
    this.model = wordAt(llm, "model") ?? this.model;
    for (const name of parameterNames) {
      const value = valueAt(llm, name);
      if (value !== undefined && value !== null) parameters[name] = value;
    }
    const policy = wordAt(state, "confirmation_policy", "kind");
    if (policy !== undefined) parameters["confirmation_policy"] = policy;
    Object.assign(
      source,
      defined({
        session: wordAt(state, "id"),
        parent_session: wordAt(state, "parent_id") ?? wordAt(state, "parent_conversation_id"),
        agent_class: wordAt(state, "agent", "kind"),
      }),
    );
    const tools = listAt(state, "agent", "tools").flatMap((tool) => wordAt(tool, "name") ?? []);
    if (tools.length > 0) metadata["tools"] ??= tools;
    this.#builder.see({ cwd: wordAt(state, "workspace", "working_dir") });
    const status = wordAt(state, "execution_status") ?? wordAt(state, "agent_status");
    if (status !== undefined) metadata["outcome"] = status;
    this.#spend(objectAt(state, "stats"));
  }

  /** Reads the model's name from a later update. */
  noteModel(stats: JsonObject | undefined): void {
    const first = Object.entries(objectAt(stats, "usage_to_metrics") ?? {}).find(
      ([name]) => name !== "condenser",
    );
    this.model ??= wordAt(first?.[1], "model_name");
  }

  /** Reads an update of one part of the state. */
  update(key: string, value: JsonValue | undefined): void {
    const { coverage, metadata } = this.#builder;
    const whole = objectAt(value);
    if (key === "full_state" && whole !== undefined) this.describe(whole);
    else if (key === "stats") this.#spend(whole);
    else if (key === "execution_status" && typeof value === "string") metadata["outcome"] = value;
    coverage.leaveOut("ConversationStateUpdateEvent");
  }

  /** Adds the usage of the last update: its numbers are sums already. */
  finish(): void {
    if (this.model !== undefined) this.#builder.identifier = this.model;
    const spent = metricsIn(this.#stats);
    let cost: number | undefined;
    const total: Usage = {};
    for (const metrics of spent) {
      const own = numberAt(metrics, "accumulated_cost");
      if (own !== undefined) cost = (cost ?? 0) + own;
      const usage = metricUsage(objectAt(metrics, "accumulated_token_usage") ?? {});
      for (const [name, count] of Object.entries(usage) as [keyof Usage, number | undefined][])
        if (count !== undefined) total[name] = (total[name] ?? 0) + count;
    }
    if (cost !== undefined) this.#builder.metadata["cost_usd"] = cost;
    if (Object.values(total).some((count) => count > 0)) this.#builder.use(totalUsage, total);
  }

  #spend(stats: JsonObject | undefined): void {
    if (stats === undefined || metricsIn(stats).length === 0) return;
    this.#stats = stats;
    this.noteModel(stats);
  }
}

function metricsIn(stats: JsonObject | undefined): JsonObject[] {
  return objectsAt(Object.values(objectAt(stats, "usage_to_metrics") ?? {}));
}
