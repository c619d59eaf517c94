// Reads what spans record about a run as a whole: its model and parameters, usage, the tools that were
// offered, and where it ran.
import { type JsonObject, setOwn } from "../../../base/json/value.js";
import { parsedText } from "../openai-chat/calls.js";
import { toolNames } from "../openai-chat/content.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Usage } from "../../run-entries.js";
import { modelOf } from "./kinds.js";
import type { Span } from "./span.js";
import { countIn, wordIn } from "./values.js";

/** Returns where it ran, from the first resource. */
export function resourceOf(spans: readonly Span[]): JsonObject {
  return spans.find(({ resource }) => Object.keys(resource).length > 0)?.resource ?? {};
}

export interface TraceOverview {
  /** All requests to a model. */
  chats: readonly Span[];
  /** Those of the run's own agent. */
  own: readonly Span[];
  agents: readonly Span[];
  resource: JsonObject;
}

export function describeTrace(builder: RunBuilder, { chats, own, agents, resource }: TraceOverview): void {
  const models = [...agents, ...own].map((span) => modelOf(span.attributes));
  const model = models.findLast((each) => each !== undefined);
  if (model !== undefined) builder.identifier = model;
  for (const { attributes } of [...agents, ...own])
    for (const [key, value] of Object.entries(attributes)) {
      const [, name] = /^gen_ai\.(?:openai\.)?request\.(.+)$/.exec(key) ?? [];
      if (name !== undefined && name !== "model") setOwn(builder.parameters, name, value);
    }
  // An agent's span repeats the sums of its requests.
  const used = chats.some((span) => spanUsage(span.attributes) !== undefined) ? chats : agents;
  for (const { id, trace, attributes } of used) {
    const usage = spanUsage(attributes);
    if (usage !== undefined) builder.use(`${trace} ${id}`, usage);
  }
  const cost = costOf(chats) ?? costOf(agents);
  if (cost !== undefined) builder.metadata["cost_usd"] = cost;
  const failed = chats.filter(({ hasFailed }) => hasFailed).length;
  if (failed > 0) builder.metadata["failed_requests"] = failed;
  const tools = [...agents, ...own].map(({ attributes }) => attributes["gen_ai.tool.definitions"]);
  const toolSet = new Set(
    tools.flatMap((held) => toolNames(typeof held === "string" ? parsedText(held, builder.coverage) : held)),
  );
  if (toolSet.size > 0) builder.metadata["tools"] = [...toolSet];
  describeHost(builder, resource);
}

function describeHost(builder: RunBuilder, resource: JsonObject): void {
  const system = [wordIn(resource, "os.type"), wordIn(resource, "host.arch")].filter(
    (word) => word !== undefined,
  );
  const version = wordIn(resource, "os.version");
  if (system.length > 0)
    builder.environment.os = `${system.join("/")}${version === undefined ? "" : ` ${version}`}`;
  const runtime = [
    wordIn(resource, "process.runtime.name", "telemetry.sdk.language"),
    wordIn(resource, "process.runtime.version"),
  ].filter((word) => word !== undefined);
  if (runtime.length > 0) builder.environment.runtime = runtime.join(" ");
  const service = [wordIn(resource, "service.name"), wordIn(resource, "service.version")] as const;
  if (service[0] !== undefined && service[1] !== undefined)
    setOwn(builder.toolVersions, service[0], service[1]);
}

function spanUsage(attributes: JsonObject): Usage | undefined {
  const prefix = "gen_ai.usage.";
  const count = (...names: readonly string[]): number | undefined =>
    // oxlint-disable-next-line ctx/no-spread-call -- twice the few names that the callers below write
    countIn(attributes, ...[prefix, "llm.usage."].flatMap((start) => names.map((name) => `${start}${name}`)));
  const usage = {
    input_tokens: count("input_tokens", "prompt_tokens"),
    output_tokens: count("output_tokens", "completion_tokens"),
    cache_read_input_tokens: count("cache_read.input_tokens", "cache_read_input_tokens"),
    cache_creation_input_tokens: count("cache_creation.input_tokens", "cache_creation_input_tokens"),
    reasoning_output_tokens: count("reasoning.output_tokens", "reasoning_tokens"),
  };
  return Object.values(usage).some((value) => value !== undefined) ? usage : undefined;
}

function costOf(spans: readonly Span[]): number | undefined {
  const costs = spans.map(({ attributes }) => {
    const [whole = 0, input = 0, output = 0] = ["cost", "input_cost", "output_cost"].map(
      (name) => countIn(attributes, `gen_ai.usage.${name}`) ?? 0,
    );
    return whole > 0 ? whole : input + output;
  });
  const sum = costs.reduce((total, cost) => total + cost, 0);
  // Sums of fractions have meaningless digits.
  return sum > 0 ? Number(sum.toPrecision(12)) : undefined;
}
