// Finds where two runs diverged, and how later differences relate to that. Reports only what the two packs
// show: a word or a path that links two steps, or that the runs share no step in between; never a reason.
import type { Reference } from "../base/digest.js";
import type { Divergence, DriftReport } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import type { RankedEntry, StepDrift } from "./entries.js";
import { CausalLinks } from "./causal-links.js";
import type { Sequences } from "./sequence.js";
import { takenStep } from "./taken-step.js";

/** Returns the first characters of a content, or undefined if it cannot be read. */
export type ReadText = (reference: Reference) => string | undefined;

/** Maximum number of entries after the divergence that are examined. */
export const maxEntries = 500;

export interface Explanation {
  divergence: Omit<Divergence, "causes"> | null;
  resync: DriftReport["resync"];
}

/**
 * Finds the divergence and relates every other step entry to it. `offset` is the number of entries before the
 * first.
 */
export function explain(
  a: readonly Step[],
  b: readonly Step[],
  sequences: Sequences,
  drift: StepDrift,
  offset: number,
  readText: ReadText | undefined,
): Explanation {
  const { entries } = drift;
  const first = firstDecision(sequences, entries);
  if (first < 0) return { divergence: null, resync: null };
  relate(a, b, sequences, drift, first, offset, readText);
  const decisive = entries[first] as RankedEntry;
  const resync = drift.pairs
    .slice(decisive.pairsBefore)
    .find(([i, j]) => sequences.a.full[i] === sequences.b.full[j]);
  return {
    divergence: {
      entry: offset + first,
      description: decisive.entry.description,
      ...divergenceSide("a", stepAtRank(a, decisive.stepsA, drift.pairedA, decisive.pairsBefore)),
      ...divergenceSide("b", stepAtRank(b, decisive.stepsB, drift.pairedB, decisive.pairsBefore)),
    },
    resync:
      resync === undefined
        ? null
        : { index_a: (a[resync[0]] as Step).index, index_b: (b[resync[1]] as Step).index },
  };
}

/** Returns the index of the first entry that is a decision, or -1. */
function firstDecision({ a, b }: Sequences, entries: readonly RankedEntry[]): number {
  const isProse = !a.isTool.includes(1) && !b.isTool.includes(1);
  if (isProse) return entries.findIndex(({ entry }) => entry.usual === undefined);
  return entries.findIndex(
    ({ entry, stepsA, stepsB }) =>
      entry.usual === undefined &&
      (entry.type === "tool_drift" || entry.type === "param_drift") &&
      entry.change !== "retried" &&
      (stepsA.some((i) => a.isTool[i] === 1) || stepsB.some((j) => b.isTool[j] === 1)),
  );
}

/**
 * Returns the step of one run at a rank: one of `own`, else its first tool step there, else its first step,
 * else the step after; undefined at the end of the run.
 */
function stepAtRank(
  steps: readonly Step[],
  own: readonly number[],
  paired: readonly number[],
  pairsBefore: number,
): Step | undefined {
  const from = pairsBefore === 0 ? 0 : (paired[pairsBefore - 1] as number) + 1;
  const to = paired[pairsBefore] ?? steps.length;
  const here = own.filter((at) => at >= from && at <= to);
  for (const among of [here, range(from, to)]) {
    const at = among.find((each) => steps[each]?.tool !== undefined) ?? among[0];
    if (at !== undefined) return steps[at];
  }
  return steps[to];
}

type DivergenceSide<S extends "a" | "b"> = Pick<Divergence, `index_${S}` | `step_${S}`>;

function divergenceSide<S extends "a" | "b">(side: S, step: Step | undefined): DivergenceSide<S> {
  const shown = step === undefined ? null : takenStep(step);
  return { [`index_${side}`]: step?.index ?? null, [`step_${side}`]: shown } as unknown as DivergenceSide<S>;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);
}

function relate(
  a: readonly Step[],
  b: readonly Step[],
  sequences: Sequences,
  drift: StepDrift,
  first: number,
  offset: number,
  readText: ReadText | undefined,
): void {
  const { entries } = drift;
  entries.slice(0, first).forEach(({ entry }) => (entry.relation = "before"));
  const later = entries.slice(first, first + 1 + maxEntries);
  const links = new CausalLinks(a, b, sequences, drift, later, readText);
  /** Entries that follow from the divergence, with the number of in-order pairs up to their end. */
  const following: { at: number; end: number }[] = [];
  later.forEach((each, k) => {
    const at = offset + first + k;
    const follows = (): void => {
      following.push({ at, end: each.pairsBefore + (each.isPair ? 1 : 0) });
      links.addSource(each, at);
    };
    if (k === 0) {
      follows();
      return;
    }
    const neighbour = following.find(({ end }) => end >= each.pairsBefore);
    const link =
      neighbour === undefined
        ? links.find(each)
        : { relation: "follows" as const, because: "same_stretch" as const, leans_on: neighbour.at };
    Object.assign(each.entry, link);
    if (link.relation === "follows") follows();
  });
  for (const { entry } of entries.slice(first + 1 + maxEntries))
    Object.assign(entry, { relation: "unknown", because: "budget" });
}
