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
      ...divergenceSide("a", sideAtRank(a, decisive.stepsA, drift.pairedA, decisive.pairsBefore)),
      ...divergenceSide("b", sideAtRank(b, decisive.stepsB, drift.pairedB, decisive.pairsBefore)),
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

/** Where one run was when the runs diverged. */
interface RankSide {
  /** Its first step there; undefined at the end of the run. */
  step: Step | undefined;
  /** Its first call there, if `step` is prose. */
  call: Step | undefined;
}

/**
 * Returns where one run was at a rank: the steps in `own`, else all of its steps there, else the step after.
 * The first of them is the step that the entry names, so that the list of differences and the divergence
 * agree.
 */
function sideAtRank(
  steps: readonly Step[],
  own: readonly number[],
  paired: readonly number[],
  pairsBefore: number,
): RankSide {
  const from = pairsBefore === 0 ? 0 : (paired[pairsBefore - 1] as number) + 1;
  const to = paired[pairsBefore] ?? steps.length;
  const here = own.filter((at) => at >= from && at <= to);
  const among = here.length > 0 ? here : range(from, to);
  const step = steps[among[0] ?? to];
  const isProse = step !== undefined && step.tool === undefined;
  const call = isProse ? among.find((at) => steps[at]?.tool !== undefined) : undefined;
  return { step, call: steps[call ?? -1] };
}

type DivergenceSide<S extends "a" | "b"> = Pick<Divergence, `index_${S}` | `step_${S}` | `call_${S}`>;

function divergenceSide<S extends "a" | "b">(side: S, { step, call }: RankSide): DivergenceSide<S> {
  return {
    [`index_${side}`]: step?.index ?? null,
    [`step_${side}`]: step === undefined ? null : takenStep(step),
    ...(call === undefined ? {} : { [`call_${side}`]: takenStep(call) }),
  } as unknown as DivergenceSide<S>;
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
