// Reads the steps of a trajectory, one after the other, into a run.
import { canonicalText } from "../../../base/json/canonical.js";
import type { Reference } from "../../../base/digest.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { argumentsOf, callBook } from "../../protocols/openai-chat/calls.js";
import { attachTo } from "../../protocols/openai-chat/content.js";
import {
  flagAt,
  defined,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
  wordAt,
} from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { contentText } from "./content.js";
import { outcomeOf } from "./outcome.js";
import { takeOwnStep } from "./own-steps.js";
import { othersExtra } from "./own-extra.js";

/** Larger values are not kept as metadata of a step. */
const maxExtra = 4096;

/** Returns the pack of the trajectory that a reference names. */
export type PackOf = (ref: JsonObject) => Reference | undefined;

export class AtifReader {
  readonly #builder: RunBuilder;
  readonly #packOf: PackOf;
  readonly #calls = callBook();
  /** The original ids of calls, by their names in the run. */
  readonly #ids = new Map<string, string | undefined>();
  /** Ids of results that came before their calls. */
  readonly #early = new Set<string>();
  /** The usage of each step, by its number. */
  readonly usages = new Map<number, JsonObject>();
  copied = 0;
  #count = 0;
  #hasSystem = false;
  #hasSpoken = false;
  #effort: JsonValue | undefined;

  constructor(builder: RunBuilder, packOf: PackOf) {
    this.#builder = builder;
    this.#packOf = packOf;
  }

  take(step: JsonObject, model: string | undefined): void {
    const { coverage } = this.#builder;
    coverage.records++;
    this.#count++;
    if (takeOwnStep(this.#builder, step, this.#packOf)) {
      this.#hasSpoken = true;
      return;
    }
    const source = textAt(step, "source");
    const at = this.#at(step, source === "agent" ? model : undefined);
    const results = resultsOf(step);
    if (source === "user") this.#user(step, at);
    else if (source === "system") this.#system(step, at, results.length > 0);
    else if (source === "agent") this.#agent(step, at);
    else coverage.skip(source === undefined ? "step without a source" : `step of source ${source}`);
    const calls = source === "agent" ? this.#takeCalls(step, at) : [];
    this.#results(results, calls, { step, at });
    this.#use(step);
  }

  #at(step: JsonObject, model: string | undefined): At {
    const isCopied = flagAt(step, "is_copied_context");
    if (isCopied) this.copied++;
    const effort = valueAt(step, "reasoning_effort") ?? undefined;
    const isOther = effort !== undefined && this.#effort !== undefined && effort !== this.#effort;
    if (effort !== undefined && this.#effort === undefined)
      this.#builder.parameters["reasoning_effort"] = this.#effort = effort;
    return {
      time: timeOf(step["timestamp"], this.#builder.coverage),
      model: wordAt(step, "model_name") ?? model,
      metadata: defined({
        copied: isCopied ? true : undefined,
        llm_calls: numberAt(step, "llm_call_count"),
        reasoning_effort: isOther ? effort : undefined,
        extra: this.#extra(step["extra"]),
      }),
    };
  }

  #user(step: JsonObject, at: At): void {
    this.#builder.prompt(this.#text(step["message"]), { time: at.time });
    if (at.metadata?.["extra"] !== undefined) this.#builder.coverage.leaveOut("extra of a prompt");
  }

  #system(step: JsonObject, at: At, hasResults: boolean): void {
    const text = this.#text(step["message"]);
    // Some producers write a step for each result, whose message only says that it is one.
    if (text.trim() === "" || (hasResults && /^Tool result for \S+$/.test(text))) return;
    if (this.#hasSystem || this.#hasSpoken) this.#builder.context("system", text, at);
    else this.#builder.systemPrompt(text);
    this.#hasSystem = true;
  }

  #agent(step: JsonObject, at: At): void {
    this.#hasSpoken = true;
    const thought = textAt(step, "reasoning_content") ?? "";
    if (thought.trim() !== "") this.#builder.reasoning(thought, at);
    const text = this.#text(step["message"]);
    if (text.trim() !== "") this.#builder.message(text, at);
  }

  /** Reads the calls of a step, and returns their names in the run. */
  #takeCalls(step: JsonObject, at: At): string[] {
    const { coverage } = this.#builder;
    return listAt(step, "tool_calls").flatMap((item) => {
      const call = objectAt(item);
      if (call === undefined) {
        coverage.skip("tool call that is no object");
        return [];
      }
      const tool = wordAt(call, "function_name") ?? wordAt(call, "name");
      if (tool === undefined) coverage.addUnknown("the names of some tools");
      const id = wordAt(call, "tool_call_id") ?? wordAt(call, "id");
      const name = this.#calls.add({ id, tool: tool ?? "unknown", message: this.#count });
      this.#ids.set(name, id);
      const extra = this.#extra(call["extra"]);
      this.#builder.call({
        ...at,
        id: name,
        tool: tool ?? "unknown",
        parameters: argumentsOf(call["arguments"], coverage),
        together: `step-${this.#count}`,
        metadata: defined({ ...at.metadata, call_id: id, call_extra: extra }),
      });
      if (!this.#early.delete(name)) return [name];
      this.#calls.answered({ id, tool: undefined });
      return [];
    });
  }

  #results(
    results: readonly JsonObject[],
    calls: readonly string[],
    { step, at }: { step: JsonObject; at: At },
  ): void {
    const nameless = results.filter((result) => callOf(result) === undefined);
    const named = new Set(results.flatMap((result) => callOf(result) ?? []));
    const free = calls.filter((name) => !named.has(this.#ids.get(name) ?? ""));
    // Results without an id belong to the calls in their order, if there are as many.
    const byPosition = new Map(
      nameless.length === free.length ? nameless.map((result, index) => [result, free[index] as string]) : [],
    );
    for (const result of results) {
      const id = callOf(result);
      const name = id === undefined ? this.#claim(byPosition.get(result)) : this.#answered(id);
      this.#result(result, {
        id,
        name,
        at,
        alone: results.length === 1 ? objectAt(step, "extra") : undefined,
      });
    }
  }

  #claim(name: string | undefined): string | undefined {
    const id = name === undefined ? undefined : this.#ids.get(name);
    if (id !== undefined) this.#calls.answered({ id, tool: undefined });
    return name;
  }

  #answered(id: string): string {
    const known = this.#calls.answered({ id, tool: undefined });
    if (known === undefined && this.#builder.callOf(id) === undefined) this.#early.add(id);
    return known ?? id;
  }

  #result(
    result: JsonObject,
    about: { id: string | undefined; name: string | undefined; at: At; alone: JsonObject | undefined },
  ): void {
    const { id, name, at, alone } = about;
    const { coverage } = this.#builder;
    const { status, metadata } = outcomeOf(result, alone, coverage);
    const refs = objectsAt(result, "subagent_trajectory_ref");
    const extra = this.#extra(othersExtra(result["extra"]));
    const content = valueAt(result, "content") ?? valueAt(result, "result", "output");
    const hasContent = content !== undefined && content !== null;
    if (!hasContent && refs.length === 0 && status === "unanswered") return;
    const packs = refs.flatMap((ref) => this.#packOf(ref) ?? []);
    if (packs.length < refs.length)
      coverage.addUnknown("what some sub-agents did (their trajectories are not in the log)");
    this.#builder.result(name, {
      ...(hasContent ? { output: this.#text(content) } : {}),
      status,
      time: at.time,
      metadata: defined({
        ...metadata,
        call_id: id,
        copied: at.metadata?.["copied"],
        result_extra: extra,
        subagents: packs.length === refs.length && refs.length < 2 ? undefined : [...refs],
      }),
    });
    const [pack] = packs;
    if (name !== undefined && pack !== undefined) this.#builder.setPack(name, pack);
  }

  /** The usage of a copied step is counted in the trajectory that it was copied from. */
  #use(step: JsonObject): void {
    const metrics = objectAt(step, "metrics");
    if (metrics === undefined) return;
    for (const name of ["prompt_token_ids", "completion_token_ids", "logprobs"])
      if (listAt(metrics, name).length > 0) this.#builder.coverage.leaveOut(`metrics: ${name}`);
    if (!flagAt(step, "is_copied_context")) this.usages.set(this.#count, metrics);
  }

  #extra(extra: JsonValue | undefined): JsonValue | undefined {
    const own = objectAt(extra);
    if (own === undefined || Object.keys(own).length === 0) return undefined;
    if (canonicalText(own).length <= maxExtra) return own;
    this.#builder.coverage.leaveOut("extra (too large for metadata)");
    return undefined;
  }

  #text(content: JsonValue | undefined): string {
    return contentText(content, attachTo(this.#builder), this.#builder.coverage);
  }
}

/**
 * Returns the results of a step. One producer has a single result in place of the list, and names its call in
 * the message.
 */
function resultsOf(step: JsonObject): JsonObject[] {
  const observation = objectAt(step, "observation");
  const results = objectsAt(observation, "results");
  if (observation === undefined || results.length > 0 || !("content" in observation)) return results;
  const [, call] = /^Tool result for (\S+)$/.exec(textAt(step, "message") ?? "") ?? [];
  return [{ ...observation, ...(call === undefined ? {} : { source_call_id: call }) }];
}

function callOf(result: JsonObject): string | undefined {
  return wordAt(result, "source_call_id") ?? wordAt(result, "tool_call_id");
}
