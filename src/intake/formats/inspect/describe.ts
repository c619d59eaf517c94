// Reads what Inspect records about a sample and its evaluation: task, model, settings, and outcome.
import { canonicalText } from "../../../base/json/canonical.js";
import { ExactInteger, isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import { defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { timeOf } from "../../times.js";
import { totalUsage } from "../../usage-book.js";
import { words } from "../../../base/lists.js";
import type { Reading } from "./content.js";
import { totalOf } from "./usage.js";

export interface SampleOf {
  /** The evaluation that it is part of. */
  header: JsonObject;
  sample: JsonObject;
  /** Whether it is the only sample: then the evaluation's usage is its own. */
  isAlone: boolean;
}

/** Larger values are not kept as metadata. */
const maxKept = 1 << 16;

/** Fields that are kept under the same names. */
const kept = words(
  "target choices score scores limit error error_retries total_time working_time started_at completed_at setup files invalidation",
);
/** Fields that are read elsewhere, or only serve the log. */
const elsewhere = words(
  "id epoch input messages output events events_data message_pool call_pool attachments model_usage role_usage uuid metadata sandbox message_refs",
);

export function describeSample(
  builder: RunBuilder,
  { header, sample, isAlone }: SampleOf,
  reading: Reading,
): { countsUsage: boolean } {
  const about = objectAt(header, "eval") ?? {};
  takeSource(builder, about, sample);
  takeSetup(builder, header, about);
  takeEnvironment(builder, about, sample);
  takeOutcome(builder, header, sample, reading);
  const time = timeOf(sample["completed_at"], builder.coverage);
  builder.see({
    time: time ?? (isAlone ? timeOf(valueAt(header, "stats", "completed_at"), builder.coverage) : undefined),
  });
  // Samples without events would have no time at all.
  if (listAt(sample, "events").length === 0)
    builder.see({ time: timeOf(about["created"], builder.coverage) });
  return { countsUsage: !takeUsage(builder, header, sample, isAlone) };
}

function takeSource(builder: RunBuilder, about: JsonObject, sample: JsonObject): void {
  const [run, task] = [wordAt(about, "run_id"), wordAt(about, "task_id")];
  const older = run === undefined || task === undefined ? (run ?? task) : `${run}/${task}`;
  const evaluation = wordAt(about, "eval_id") ?? older;
  const number = scalarText(sample["id"]);
  const epoch = scalarText(sample["epoch"]);
  const version = wordAt(about, "packages", "inspect_ai");
  Object.assign(
    builder.source,
    defined({
      session: evaluation === undefined ? undefined : [evaluation, number ?? "?", epoch ?? "1"].join("/"),
      version,
      eval: evaluation,
      run,
      sample: number,
      epoch: typeof sample["epoch"] === "number" ? sample["epoch"] : epoch,
      uuid: wordAt(sample, "uuid"),
    }),
  );
}

function scalarText(value: JsonValue | undefined): string | undefined {
  if (value instanceof ExactInteger) return value.digits;
  return value === undefined || value === null || typeof value === "object" ? undefined : String(value);
}

/** Reads the model and its settings; what a later request states takes precedence. */
function takeSetup(builder: RunBuilder, header: JsonObject, about: JsonObject): void {
  builder.identifier = wordAt(about, "model");
  const settings = [objectAt(header, "plan", "config"), objectAt(about, "model_generate_config")];
  for (const [name, value] of settings.flatMap((config) => Object.entries(config ?? {})))
    if (value !== null) setOwn(builder.parameters, name, value);
  Object.assign(
    builder.parameters,
    defined({ model_args: filled(about["model_args"]), model_base_url: wordAt(about, "model_base_url") }),
  );
}

function takeEnvironment(builder: RunBuilder, about: JsonObject, sample: JsonObject): void {
  for (const [name, version] of Object.entries(objectAt(about, "packages") ?? {}))
    if (typeof version === "string") setOwn(builder.toolVersions, name, version);
  const git = defined({
    commit: wordAt(about, "revision", "commit"),
    remote: wordAt(about, "revision", "origin"),
  });
  if (Object.keys(git).length > 0) builder.metadata["git"] = git;
  const sandbox = filled(sample["sandbox"]) ?? filled(about["sandbox"]);
  if (sandbox !== undefined) keep(builder, "sandbox", sandbox);
}

function takeOutcome(builder: RunBuilder, header: JsonObject, sample: JsonObject, reading: Reading): void {
  const { coverage } = builder;
  const about = objectAt(header, "eval");
  const status = wordAt(header, "status") ?? "started";
  const solvers = listAt(header, "plan", "steps").flatMap((step) => wordAt(step, "solver") ?? []);
  if (status === "started") coverage.addUnknown("how the evaluation ended (it was still running)");
  builder.metadata["status"] = status;
  for (const name of ["task", "task_args", "dataset", "model_roles", "tags"])
    if (filled(about?.[name]) !== undefined) keep(builder, name, about?.[name] as JsonValue);
  if (solvers.length > 0) builder.metadata["solvers"] = solvers;
  const failure = wordAt(header, "error", "message");
  if (failure !== undefined) builder.metadata["eval_error"] = failure;
  for (const [name, value] of Object.entries(sample)) {
    if (elsewhere.has(name) || filled(value) === undefined) continue;
    if (kept.has(name)) keep(builder, name, reading.attachments.value(value));
    else coverage.leaveOut(`field ${name}`);
  }
  const more = filled(sample["metadata"]);
  if (more !== undefined) keep(builder, "sample_metadata", reading.attachments.value(more));
}

/** Reads the usage of the sample, and returns whether the log states it. */
function takeUsage(builder: RunBuilder, header: JsonObject, sample: JsonObject, isAlone: boolean): boolean {
  const whole = isAlone ? objectAt(header, "stats", "model_usage") : undefined;
  const total = [objectAt(sample, "model_usage"), whole]
    .map((usage) => totalOf(usage ?? {}))
    .find((one) => one !== undefined);
  if (total === undefined) return false;
  builder.use(totalUsage, total.usage);
  if (total.cost !== undefined) builder.metadata["cost_usd"] = total.cost;
  return true;
}

function keep(builder: RunBuilder, name: string, value: JsonValue): void {
  if (textAt(value) === undefined && canonicalText(value).length > maxKept)
    builder.coverage.leaveOut(`field ${name} (too large for metadata)`);
  else builder.metadata[name] = value;
}

/** Returns a value unless it is empty. */
function filled(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
}
