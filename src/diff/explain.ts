// Finds where two runs diverged, and how later differences relate to that. Reports only what the two packs
// show: a word or a path that links two steps, or that the runs share no step in between; never a reason.
import type { Reference } from "../base/digest.js";
import type { Divergence, DriftReport } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import { type PlacedEntry, type StepDrift, takenStep } from "./entries.js";
import { Links } from "./causal-links.js";
import type { Sequences } from "./sequence.js";

/** Returns the first characters of a content, or undefined if it cannot be read. */
export type TextOf = (reference: Reference) => string | undefined;

/** Maximum number of entries after the divergence that are examined. */
export const mostEntries = 500;

export interface Explained {
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
  textOf: TextOf | undefined,
): Explained {
  const { placed } = drift;
  const first = firstDecision(sequences, placed);
  if (first < 0) return { divergence: null, resync: null };
  relate(a, b, sequences, drift, first, offset, textOf);
  const decisive = placed[first] as PlacedEntry;
  const resync = drift.pairs
    .slice(decisive.place)
    .find(([i, j]) => sequences.a.full[i] === sequences.b.full[j]);
  return {
    divergence: {
      entry: offset + first,
      description: decisive.entry.description,
      ...taken("a", standsAt(a, decisive.stepsA, drift.placesA, decisive.place)),
      ...taken("b", standsAt(b, decisive.stepsB, drift.placesB, decisive.place)),
    },
    resync:
      resync === undefined
        ? null
        : { index_a: (a[resync[0]] as Step).index, index_b: (b[resync[1]] as Step).index },
  };
}

/** Returns the index of the first entry that is a decision, or -1. */
function firstDecision({ a, b }: Sequences, placed: readonly PlacedEntry[]): number {
  const isProse = !a.isTool.includes(1) && !b.isTool.includes(1);
  if (isProse) return placed.findIndex(({ entry }) => entry.usual === undefined);
  return placed.findIndex(
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
function standsAt(
  steps: readonly Step[],
  own: readonly number[],
  places: readonly number[],
  place: number,
): Step | undefined {
  const from = place === 0 ? 0 : (places[place - 1] as number) + 1;
  const to = places[place] ?? steps.length;
  const here = own.filter((at) => at >= from && at <= to);
  for (const among of [here, range(from, to)]) {
    const at = among.find((each) => steps[each]?.tool !== undefined) ?? among[0];
    if (at !== undefined) return steps[at];
  }
  return steps[to];
}

type Side<S extends "a" | "b"> = Pick<Divergence, `index_${S}` | `step_${S}`>;

function taken<S extends "a" | "b">(side: S, step: Step | undefined): Side<S> {
  const about = step === undefined ? null : takenStep(step);
  return { [`index_${side}`]: step?.index ?? null, [`step_${side}`]: about } as unknown as Side<S>;
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
  textOf: TextOf | undefined,
): void {
  const { placed } = drift;
  placed.slice(0, first).forEach(({ entry }) => (entry.relation = "before"));
  const later = placed.slice(first, first + 1 + mostEntries);
  const links = new Links(a, b, sequences, drift, later, textOf);
  /** Entries that follow from the divergence, with the number of in-order pairs up to their end. */
  const following: { at: number; end: number }[] = [];
  later.forEach((each, k) => {
    const at = offset + first + k;
    const follows = (): void => {
      following.push({ at, end: each.place + (each.isPair ? 1 : 0) });
      links.addSource(each, at);
    };
    if (k === 0) {
      follows();
      return;
    }
    const neighbour = following.find(({ end }) => end >= each.place);
    const link =
      neighbour === undefined
        ? links.find(each)
        : { relation: "follows" as const, because: "same_stretch" as const, leans_on: neighbour.at };
    Object.assign(each.entry, link);
    if (link.relation === "follows") follows();
  });
  for (const { entry } of placed.slice(first + 1 + mostEntries))
    Object.assign(entry, { relation: "unknown", because: "budget" });
}
