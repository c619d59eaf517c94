// Masks what a manifest itself holds, and writes down in it what was masked where. Its contents were masked when they were stored.
import { hexOf, type Reference } from "../base/digest.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import { legalName } from "../model/names.js";
import { type Redactions, redactionsOf as readRedactions } from "../model/redactions.js";
import { addHits, type Hits, type Redactor } from "./redactor.js";
import { builtInRules, ruleSetVersion, type Search } from "./scanner.js";

export interface MaskOptions {
  redactor: Redactor;
  mode: Search["mode"];
  /** What was found in each content that something was found in, by its name. */
  contents: ReadonlyMap<string, Hits>;
}

/** Changes the manifest. Undefined when nothing in the run is masked; the manifest is then what it was. */
export function maskManifest(manifest: Manifest, options: MaskOptions): Redactions | undefined {
  const { redactor, contents } = options;
  const places = new Map<string, Map<string, number>>();
  const note = (place: string, hits: Hits | undefined): void => {
    if (hits === undefined || hits.size === 0) return;
    const known = places.get(place) ?? new Map<string, number>();
    places.set(place, known);
    addHits(known, hits);
  };
  const masked = <T extends JsonValue>(place: string, value: T): T => {
    const { value: result, hits } = redactor.value(value);
    note(place, hits);
    return result;
  };
  const content = (place: string, reference: Reference | undefined): void => {
    if (reference !== undefined) note(place, contents.get(hexOf(reference)));
  };
  const uniqueInput = namer(manifest.inputs);
  const uniqueOutput = namer(manifest.outputs);
  // Values only, and names of members only where the format leaves them open: a rule never renames the format's own fields.
  const { model, environment } = manifest;
  manifest.model = {
    ...model,
    identifier: masked("model", model.identifier),
    parameters: masked("model", model.parameters),
  };
  content("system_prompt", manifest.system_prompt);
  for (const [index, prompt] of manifest.prompts.entries()) {
    prompt.role = masked(`prompts[${index}].role`, prompt.role);
    content(`prompts[${index}].content`, prompt.content_ref);
  }
  for (const [index, input] of manifest.inputs.entries()) {
    input.name = uniqueInput(input.name, masked(`inputs[${index}].name`, input.name));
    content(`inputs[${index}].content`, input.content_ref);
  }
  for (const step of manifest.steps) maskStep(step, { redactor, contents, note });
  for (const [index, output] of manifest.outputs.entries()) {
    output.name = uniqueOutput(output.name, masked(`outputs[${index}].name`, output.name));
    content(`outputs[${index}].content`, output.content_ref);
    if (output.notes !== undefined) output.notes = masked(`outputs[${index}].notes`, output.notes);
  }
  manifest.environment = {
    ...environment,
    os: masked("environment", environment.os),
    runtime: masked("environment", environment.runtime),
    tool_versions: masked("environment", environment.tool_versions),
  };
  const wasMasked = readRedactions(manifest) !== undefined;
  const { redactions: claimed, ...metadata } = masked("metadata", manifest.metadata ?? {});
  if (places.size === 0) return undefined;
  const redactions = redactionsOf(places, options);
  manifest.metadata = {
    ...metadata,
    // What an earlier masking wrote down is written anew; what is something else is the log's own.
    ...(claimed === undefined || wasMasked ? {} : { log_redactions: claimed }),
    redactions: redactions as unknown as JsonObject,
  };
  return redactions;
}

/** Gives legal names to those that were masked, and none that another has; what was not masked keeps its own. */
function namer(items: readonly { name: string }[]): (before: string, masked: string) => string {
  const taken = new Set(items.map(({ name }) => name));
  return (before, masked) => {
    if (masked === before) return before;
    const legal = legalName(masked);
    let name = legal;
    for (let count = 2; taken.has(name); count++) name = `${legal}~${count}`;
    taken.add(name);
    return name;
  };
}

interface StepOptions extends Omit<MaskOptions, "mode"> {
  note: (place: string, hits: Hits) => void;
}

/** There may be a million of them: what a place is called is worked out only where something was found. */
function maskStep(step: Step, { redactor, contents, note }: StepOptions): void {
  const noteAt = (part: string, hits: Hits | undefined): void => {
    if (hits !== undefined && hits.size > 0) note(`steps[${step.index}].${part}`, hits);
  };
  const content = (part: string, reference: Reference | undefined): void => {
    if (reference !== undefined && contents.size > 0) noteAt(part, contents.get(hexOf(reference)));
  };
  const masked = <T extends JsonValue>(part: string, value: T): T => {
    const { value: result, hits } = redactor.value(value);
    noteAt(part, hits);
    return result;
  };
  step.type = masked("type", step.type);
  if (step.tool !== undefined) step.tool = masked("tool", step.tool);
  step.parameters = masked("parameters", step.parameters);
  content("output", step.output_ref);
  content("seen", step.seen_ref);
  if (step.metadata !== undefined) step.metadata = masked("metadata", step.metadata);
}

function redactionsOf(places: ReadonlyMap<string, Hits>, { redactor, mode }: MaskOptions): Redactions {
  const totals = new Map<string, number>();
  for (const hits of places.values()) addHits(totals, hits);
  const builtIn = new Set(builtInRules.map(({ id }) => id));
  const own = [...totals.keys()].filter((rule) => !builtIn.has(rule)).sort();
  return {
    version: ruleSetVersion,
    mode,
    rules: Object.fromEntries(
      [...totals].map(([rule, count]) => [rule, { secrets: redactor.last.get(rule) ?? 0, count }]),
    ),
    places: Object.fromEntries([...places].map(([place, hits]) => [place, Object.fromEntries(hits)])),
    ...(own.length === 0 ? {} : { own }),
  };
}
