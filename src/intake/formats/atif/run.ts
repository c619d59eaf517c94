// Builds one run from one trajectory, and before it the runs that it started.
import { canonicalText } from "../../../base/json/canonical.js";
import type { Reference } from "../../../base/digest.js";
import { type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { toolNames } from "../../protocols/openai-chat/content.js";
import { Coverage } from "../../coverage.js";
import { defined, listAt, numberAt, objectAt, objectsAt, valueAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { Usage } from "../../run-entries.js";
import { linkAgent } from "../../sub-agents.js";
import { totalUsage } from "../../usage-book.js";
import { takeOwnRoot, takeOwnUsage, withoutOwn } from "./own-root.js";
import { AtifReader } from "./reader.js";

const deepest = 20;
/** Larger values are not kept as metadata of a run. */
const maxKept = 1 << 16;

/** Settings of the model that agents keep in their `extra`. */
const settings = ["temperature", "top_p", "top_k", "max_tokens", "reasoning_effort", "seed"];

const rootFields = new Set(
  (
    "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref " +
    "subagent_trajectories extra"
  ).split(" "),
);

/** The position of a trajectory within the one that holds it. */
interface Within {
  /** The session of the outermost trajectory. */
  session: string | undefined;
  agent: string;
  depth: number;
}

export function atifRun(root: JsonObject, into: Into, coverage: Coverage, within?: Within): ExecutionLog {
  const agent = wordAt(root, "agent", "name");
  const builder = new RunBuilder({
    format: "atif",
    agent: agent ?? "atif",
    keeper: () => into.keeper(),
    coverage,
  });
  describeTrajectory(builder, root, within);
  const session = within?.session ?? wordAt(root, "session_id") ?? wordAt(root, "trajectory_id");
  const subs = sealNested(root, into, { session, agent: agent ?? "atif", depth: (within?.depth ?? 0) + 1 });
  if (subs === undefined) coverage.addUnknown("sub-agents that are nested too deep");
  const used = new Set<Reference>();
  const steps = new AtifReader(builder, (ref) => {
    const ids = ["trajectory_id", "session_id"].flatMap((name) => wordAt(ref, name) ?? []);
    const pack = ids.map((id) => subs?.byId.get(id)).find((found) => found !== undefined);
    if (pack !== undefined) used.add(pack);
    return pack;
  });
  const model = modelOf(root);
  for (const step of listAt(root, "steps")) {
    const own = objectAt(step);
    if (own === undefined) coverage.skip("step that is no object");
    else steps.take(own, model);
  }
  for (const { agent: id, pack } of subs?.all ?? [])
    if (!used.has(pack)) linkAgent(builder, { agent: id }, pack);
  if (steps.copied > 0) builder.metadata["copied_steps"] = steps.copied;
  if (!takeOwnUsage(builder, objectAt(root, "extra", "ctx"))) takeUsage(builder, root, steps);
  if (within === undefined) addPromptOption(builder, into);
  return builder.finish();
}

function modelOf(root: JsonObject): string | undefined {
  return wordAt(root, "agent", "model_name") ?? wordAt(root, "agent", "model");
}

interface NestedAgents {
  /** Packs by id; an id that two trajectories share names neither. */
  byId: Map<string, Reference | undefined>;
  all: { agent: string; pack: Reference }[];
}

/** Seals the trajectories that are nested within another. */
function sealNested(root: JsonObject, into: Into, within: Within): NestedAgents | undefined {
  const held = objectsAt(root, "subagent_trajectories");
  const subs: NestedAgents = { byId: new Map(), all: [] };
  if (held.length > 0 && within.depth > deepest) return undefined;
  for (const [index, trajectory] of held.entries()) {
    const ids = ["trajectory_id", "session_id"].flatMap((name) => wordAt(trajectory, name) ?? []);
    const agent = ids[0] ?? `${within.depth}-${index + 1}`;
    const run = atifRun(trajectory, into, new Coverage(), { ...within, agent });
    const pack = into.seal(run, { agent });
    subs.all.push({ agent, pack });
    // A session id is often shared by all trajectories: it names one only if it is not the outermost's.
    for (const id of new Set(ids))
      if (id !== within.session) subs.byId.set(id, subs.byId.has(id) ? undefined : pack);
  }
  return subs;
}

function describeTrajectory(builder: RunBuilder, root: JsonObject, within: Within | undefined): void {
  const about = objectAt(root, "agent");
  const [name, version] = [wordAt(about, "name"), wordAt(about, "version")];
  const next = wordAt(root, "continued_trajectory_ref");
  Object.assign(
    builder.source,
    defined({
      session:
        within === undefined ? (wordAt(root, "session_id") ?? wordAt(root, "trajectory_id")) : within.session,
      subagent: within?.agent,
      trajectory: wordAt(root, "trajectory_id"),
      schema: wordAt(root, "schema_version"),
      version,
      continued_in: next,
    }),
  );
  if (next !== undefined)
    builder.coverage.addUnknown("the rest of the run (it goes on in another trajectory)");
  if (name !== undefined && version !== undefined) setOwn(builder.toolVersions, name, version);
  builder.identifier = modelOf(root);
  for (const setting of settings) {
    const value = valueAt(about, "extra", setting);
    if (value !== undefined && value !== null) builder.parameters[setting] = value;
  }
  const provider = wordAt(about, "provider");
  if (provider !== undefined) builder.parameters["model_provider"] = provider;
  const tools = toolNames(valueAt(about, "tool_definitions"));
  if (tools.length > 0) builder.metadata["tools"] = tools;
  keep(builder, "notes", root["notes"]);
  keep(builder, "agent_extra", valueAt(about, "extra"));
  takeOwnRoot(builder, objectAt(root, "extra", "ctx"));
  keep(builder, "extra", withoutOwn(objectAt(root, "extra")));
  keep(builder, "final_metrics", root["final_metrics"]);
  for (const field of Object.keys(root))
    if (!rootFields.has(field)) builder.coverage.leaveOut(`field ${field}`);
}

function keep(builder: RunBuilder, name: string, value: JsonValue | undefined): void {
  if (value === undefined || value === null || value === "") return;
  if (canonicalText(value).length <= maxKept) builder.metadata[name] = value;
  else builder.coverage.leaveOut(`field ${name} (too large for metadata)`);
}

/** Reads the totals that the log states, or else the sum over its steps. */
function takeUsage(builder: RunBuilder, root: JsonObject, { usages }: AtifReader): void {
  const final = objectAt(root, "final_metrics");
  const total: Usage = {
    input_tokens: numberAt(final, "total_prompt_tokens"),
    output_tokens: numberAt(final, "total_completion_tokens"),
    cache_read_input_tokens: numberAt(final, "total_cached_tokens"),
  };
  if (Object.values(total).some((count) => count !== undefined)) builder.use(totalUsage, total);
  else
    for (const [step, metrics] of usages) {
      const usage: Usage = {
        input_tokens: numberAt(metrics, "prompt_tokens"),
        output_tokens: numberAt(metrics, "completion_tokens"),
        cache_read_input_tokens: numberAt(metrics, "cached_tokens"),
      };
      if (Object.values(usage).some((count) => count !== undefined)) builder.use(`step-${step}`, usage);
    }
  const costs = [...usages.values()].flatMap((metrics) => numberAt(metrics, "cost_usd") ?? []);
  const sum = costs.length === 0 ? undefined : costs.reduce((all, cost) => all + cost, 0);
  const cost = numberAt(final, "total_cost_usd") ?? sum;
  if (cost !== undefined) builder.metadata["cost_usd"] = cost;
}
