// Redacts the fields of a manifest, and records in it what was redacted where. The contents were redacted
// when they were stored.
import { hexOf, type Reference } from "../base/digest.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import { legalName } from "../model/names.js";
import { type Redactions, redactionsOf as readRedactions } from "../model/redactions.js";
import { addHits, type Hits, type Redactor } from "./redactor.js";
import { builtInRules, ruleSetVersion, type Scanner } from "./scanner.js";

export interface MaskOptions {
  redactor: Redactor;
  mode: Scanner["mode"];
  /** Findings in each content that has any, by hash. */
  contents: ReadonlyMap<string, Hits>;
}

/**
 * Redacts a manifest in place. Returns undefined, and leaves the manifest unchanged, when nothing in the run
 * is redacted.
 */
export function maskManifest(manifest: Manifest, options: MaskOptions): Redactions | undefined {
  const { redactor, contents } = options;
  const locations = new Map<string, Map<string, number>>();
  const note = (location: string, hits: Hits | undefined): void => {
    if (hits === undefined || hits.size === 0) return;
    const known = locations.get(location) ?? new Map<string, number>();
    locations.set(location, known);
    addHits(known, hits);
  };
  const masked = <T extends JsonValue>(location: string, value: T): T => {
    const { value: result, hits } = redactor.value(value);
    note(location, hits);
    return result;
  };
  const content = (location: string, reference: Reference | undefined): void => {
    if (reference !== undefined) note(location, contents.get(hexOf(reference)));
  };
  const uniqueInput = uniqueNamer(manifest.inputs);
  const uniqueOutput = uniqueNamer(manifest.outputs);
  // Redacts values, and names of members only where the format leaves them open: a rule never renames the
  // format's own fields.
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
  if (locations.size === 0) return undefined;
  const redactions = redactionsOf(locations, options);
  manifest.metadata = {
    ...metadata,
    // The record of an earlier redaction is rewritten; anything else under that name belongs to the log.
    ...(claimed === undefined || wasMasked ? {} : { log_redactions: claimed }),
    redactions: redactions as unknown as JsonObject,
  };
  return redactions;
}

/** Returns a function that makes redacted names legal and unique; names that were not redacted stay. */
function uniqueNamer(items: readonly { name: string }[]): (before: string, masked: string) => string {
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
  note: (location: string, hits: Hits) => void;
}

/**
 * Redacts a step. There may be a million steps, so a location is spelled out only where something was found.
 */
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

function redactionsOf(locations: ReadonlyMap<string, Hits>, { redactor, mode }: MaskOptions): Redactions {
  const totals = new Map<string, number>();
  for (const hits of locations.values()) addHits(totals, hits);
  const builtIn = new Set(builtInRules.map(({ id }) => id));
  const own = [...totals.keys()].filter((rule) => !builtIn.has(rule)).sort();
  return {
    version: ruleSetVersion,
    mode,
    rules: Object.fromEntries(
      [...totals].map(([rule, count]) => [rule, { secrets: redactor.last.get(rule) ?? 0, count }]),
    ),
    places: Object.fromEntries(
      [...locations].map(([location, hits]) => [location, Object.fromEntries(hits)]),
    ),
    ...(own.length === 0 ? {} : { own }),
  };
}
