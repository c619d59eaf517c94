// Compares two runs by their manifests. Pure: contents are read only through `textOf`, if provided.
import { toReference } from "../base/digest.js";
import type { Divergence, DriftEntry, DriftReport } from "../results/drift.js";
import type { Manifest } from "../model/manifest.js";
import { align, alignByIndex, type AlignedSteps, type AlignBudget, mirror } from "./align.js";
import { stepDrift, type StepDrift } from "./entries.js";
import { explain, type ReadText } from "./explain.js";
import { type IgnoreRule, withoutIgnored } from "./ignore.js";
import { alignPrompts } from "./prompts.js";
import { contextChanges, modelEntries, outputEntries, promptEntries } from "./non-step-drift.js";
import { type Sequences, toSequences } from "./sequence.js";
import { numberRepeats, otherTraits, stepTraits, baselineRunsWith } from "./baseline.js";

export interface ComparedRun {
  /** The hash of the pack. */
  hex: string;
  manifest: Manifest;
}

export interface CompareOptions {
  /** Compare step i with step i, instead of finding the cheapest explanation. */
  align?: "index" | undefined;
  /** Rules for values and steps to leave out of the comparison. */
  ignore?: readonly IgnoreRule[] | undefined;
  /** Traits of how other runs differ from the first one: such differences are usual. */
  usual?: readonly ReadonlySet<string>[] | undefined;
  /** Returns the beginning of a content, for words that link later steps to the divergence. */
  readText?: ReadText | undefined;
  /** Limits that replace the default ones. */
  budget?: AlignBudget | undefined;
}

export function compareRuns(runA: ComparedRun, runB: ComparedRun, options: CompareOptions = {}): DriftReport {
  const { report, before, steps, manifests, sequences } = compare(runA, runB, options);
  const [a, b] = manifests;
  markUsual(report, before, steps, manifests, options.usual ?? []);
  const { divergence, resync } = explain(a.steps, b.steps, sequences, steps, before, options.readText);
  return {
    ...report,
    has_drift: report.entries.some(({ usual }) => usual === undefined),
    first_divergence:
      divergence === null ? null : { ...divergence, causes: causesOf(report, divergence.entry) },
    resync,
  };
}

/** Returns the traits of everything in which a run differs from a baseline. */
export function traitsOf(
  baseline: ComparedRun,
  other: ComparedRun,
  { align: mode, ignore, budget }: CompareOptions,
): Set<string> {
  const { report, before, steps, manifests } = compare(baseline, other, { align: mode, ignore, budget });
  return new Set(entryTraits(report, before, steps, manifests).flat());
}

/** Returns the traits of each entry, in order. */
function entryTraits(
  { entries }: DriftReport,
  before: number,
  steps: StepDrift,
  [a, b]: [Manifest, Manifest],
): string[][] {
  return numberRepeats(
    entries.map((entry, at) => {
      const ranked = steps.entries[at - before];
      return ranked === undefined ? otherTraits(entry) : stepTraits(a.steps, b.steps, steps, ranked);
    }),
  );
}

function markUsual(
  report: DriftReport,
  before: number,
  steps: StepDrift,
  manifests: [Manifest, Manifest],
  runs: readonly ReadonlySet<string>[],
): void {
  if (runs.length === 0) return;
  entryTraits(report, before, steps, manifests).forEach((traits, at) => {
    const usual = baselineRunsWith(traits, runs);
    if (usual === undefined) return;
    (report.entries[at] as DriftEntry).usual = usual;
    report.ignored.usual++;
  });
}

interface Comparison {
  report: DriftReport;
  /** Number of entries before those about steps. */
  before: number;
  steps: StepDrift;
  /** The manifests without ignored values. */
  manifests: [Manifest, Manifest];
  sequences: Sequences;
}

/** Finds all differences; explaining them comes later. */
function compare(runA: ComparedRun, runB: ComparedRun, options: CompareOptions): Comparison {
  const rules = options.ignore ?? [];
  const masked = [runA, runB].map(({ manifest }) => withoutIgnored(manifest, rules));
  const manifests = masked.map(({ manifest }) => manifest) as [Manifest, Manifest];
  const [a, b] = manifests;
  // Always compare in the same order, so that the report of (b, a) mirrors that of (a, b).
  const flipped = runA.hex > runB.hex;
  const [first, second] = flipped ? [b, a] : [a, b];
  const found = toSequences(first.steps, second.steps);
  const sequences: Sequences = flipped ? { ...found, a: found.b, b: found.a } : found;
  const aligned = alignSteps(found, flipped, options);
  const prompts = alignPrompts(first.prompts, second.prompts);
  const steps = stepDrift(a.steps, b.steps, sequences, aligned);
  const before = [
    ...promptEntries(a, b, flipped ? prompts.map(([i, j]): [number, number] => [j, i]) : prompts),
    ...modelEntries(a.model, b.model),
  ];
  const report: DriftReport = {
    pack_hash_a: toReference(runA.hex),
    pack_hash_b: toReference(runB.hex),
    // Titles are the store's.
    title_a: null,
    title_b: null,
    has_drift: false,
    entries: [...before, ...steps.entries.map(({ entry }) => entry), ...outputEntries(a.outputs, b.outputs)],
    context: contextChanges(a, b, steps.pairs),
    reordered: steps.reordered,
    first_divergence: null,
    resync: null,
    alignment: options.align === "index" ? "index" : aligned.coarse === undefined ? "exact" : "coarse",
    ...(aligned.coarse === undefined ? {} : { alignment_reason: aligned.coarse }),
    ignored: {
      rules: rules.map(({ text }, at) => ({
        rule: text,
        count_a: masked[0]?.counts[at] ?? 0,
        count_b: masked[1]?.counts[at] ?? 0,
      })),
      differences: rules.length === 0 ? 0 : hiddenDifferences(runA.manifest, runB.manifest, a, b, steps),
      usual: 0,
      filtered: 0,
    },
    baselines: [],
    unreadable: [],
  };
  return { report, before: before.length, steps, manifests, sequences };
}

function alignSteps(
  sequences: Sequences,
  flipped: boolean,
  { align: mode, budget }: CompareOptions,
): AlignedSteps {
  const aligned = mode === "index" ? alignByIndex(sequences) : align(sequences, budget);
  return flipped ? mirror(aligned) : aligned;
}

/**
 * Lists the possible causes of the divergence: everything that differed before it, and what changed around
 * the runs.
 */
function causesOf({ entries, context }: DriftReport, divergence: number | null): Divergence["causes"] {
  const earlier = [...entries.keys()].filter((at) => at < (divergence ?? 0));
  return {
    entries: earlier.filter((at) => entries[at]?.usual === undefined),
    context: [...context.keys()].filter((at) => ["input", "environment"].includes(context[at]?.kind ?? "")),
    other: [],
  };
}

/** Counts the pairs of steps that are equal only because something is ignored. */
function hiddenDifferences(
  wholeA: Manifest,
  wholeB: Manifest,
  a: Manifest,
  b: Manifest,
  { pairs }: StepDrift,
): number {
  const masked = toSequences(a.steps, b.steps);
  const whole = toSequences(wholeA.steps, wholeB.steps);
  return pairs.filter(
    ([i, j]) =>
      masked.a.full[i] === masked.b.full[j] &&
      whole.a.full[a.steps[i]?.index ?? 0] !== whole.b.full[b.steps[j]?.index ?? 0],
  ).length;
}
