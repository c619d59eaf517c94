// Builds the entries of a report that are about steps: every difference of an alignment once, in the order
// that the contract defines.
import type { DriftEntry, StepField, TakenStep } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import { type Alignment, unpaired } from "./alignment.js";
import type { AlignedSteps } from "./align.js";
import { stepDescription } from "./describe.js";
import type { Sequences } from "./sequence.js";
import { stepName, takenStep } from "./taken-step.js";

/**
 * An entry with its rank: the number of pairs before it. Pairs of parallel steps count, in whatever order
 * they came back.
 */
export interface RankedEntry {
  entry: DriftEntry;
  pairsBefore: number;
  /** Whether the entry is about a pair, so that later entries have one more before them. */
  isPair: boolean;
  /** Positions of the steps that the entry is about, on either side. */
  stepsA: number[];
  stepsB: number[];
}

export interface StepDrift {
  entries: RankedEntry[];
  reordered: { index_a: number; index_b: number }[];
  /** Positions of all pairs, in the order of the first run. */
  pairs: [number, number][];
  /** Positions of the same steps in either run, in that run's own order. */
  pairedA: number[];
  pairedB: number[];
}

const rank = { removed: 0, added: 1, changed: 2, replaced: 2, moved: 3, retried: 0 };

/** Returns every difference between the steps of two runs. */
export function stepDrift(
  a: readonly Step[],
  b: readonly Step[],
  sequences: Sequences,
  { alignment, reordered }: AlignedSteps,
): StepDrift {
  const found = new StepEntries(a, b, alignment);
  found.addRemoved();
  found.addAdded();
  found.addMoved();
  found.addRetried();
  found.addChanged(sequences);
  const { pairs } = found;
  return {
    entries: found.entries.sort(byRank),
    reordered: reordered.map(([i, j]) => ({
      index_a: (a[i] as Step).index,
      index_b: (b[j] as Step).index,
    })),
    pairs,
    pairedA: pairs.map(([i]) => i),
    pairedB: pairs.map(([, j]) => j).sort((x, y) => x - y),
  };
}

/** Collects the entries of one alignment, kind by kind. */
class StepEntries {
  readonly entries: RankedEntry[] = [];
  readonly pairs: [number, number][] = [];
  readonly #a: readonly Step[];
  readonly #b: readonly Step[];
  readonly #alignment: Alignment;
  /** Number of pairs before each step. */
  readonly #beforeA: Int32Array;
  readonly #beforeB: Int32Array;

  constructor(a: readonly Step[], b: readonly Step[], alignment: Alignment) {
    this.#a = a;
    this.#b = b;
    this.#alignment = alignment;
    const beforeA = new Int32Array(a.length + 1);
    const beforeB = new Int32Array(b.length + 1);
    for (let i = 0; i < a.length; i++) {
      const j = alignment.toB[i] as number;
      if (j >= 0) {
        this.pairs.push([i, j]);
        beforeB[j + 1] = 1;
      }
      beforeA[i + 1] = this.pairs.length;
    }
    for (let j = 1; j <= b.length; j++) beforeB[j] = (beforeB[j] as number) + (beforeB[j - 1] as number);
    this.#beforeA = beforeA;
    this.#beforeB = beforeB;
  }

  addRemoved(): void {
    for (const [from, count] of stretches(this.#alignment.toB))
      this.#add(this.#beforeA[from] as number, range(from, count), [], {
        type: "tool_drift",
        change: "removed",
        index_a: from,
        count,
        pack_a: stepName(this.#a[from] as Step),
        atEnd: from + count === this.#a.length,
      });
  }

  addAdded(): void {
    for (const [from, count] of stretches(this.#alignment.toA))
      this.#add(this.#beforeB[from] as number, [], range(from, count), {
        type: "tool_drift",
        change: "added",
        index_b: from,
        count,
        pack_b: stepName(this.#b[from] as Step),
        atEnd: from + count === this.#b.length,
      });
  }

  addMoved(): void {
    for (const { a: i, b: j, count } of this.#alignment.moves) {
      const [stepA, stepB] = [this.#a[i] as Step, this.#b[j] as Step];
      const isSame = stepA.output_ref === stepB.output_ref;
      this.#add(this.#pairsBefore(i, j), range(i, count), range(j, count), {
        type: "tool_drift",
        change: "moved",
        index_a: i,
        index_b: j,
        count,
        fields: isSame ? [] : ["output"],
        pack_a: isSame ? stepName(stepA) : (stepA.output_ref ?? null),
        pack_b: isSame ? stepName(stepB) : (stepB.output_ref ?? null),
      });
    }
  }

  addRetried(): void {
    for (const { a: i, b: j, extraA, extraB } of this.#alignment.retries)
      this.#add(this.#pairsBefore(i, j), extraA, extraB, {
        type: "tool_drift",
        change: "retried",
        index_a: i,
        index_b: j,
        count: extraA.length + extraB.length,
        extraA,
        extraB,
        pack_a: stepName(this.#a[i] as Step),
        pack_b: stepName(this.#b[j] as Step),
      });
  }

  /** Adds an entry for each pair whose steps differ. */
  addChanged({ a, b }: Sequences): void {
    for (const [i, j] of this.pairs) {
      if (a.full[i] === b.full[j]) continue;
      const difference = pairDifference(
        this.#a[i] as Step,
        this.#b[j] as Step,
        a.parameters[i] === b.parameters[j],
      );
      if (difference !== undefined)
        this.#add(this.#pairsBefore(i, j), [i], [j], { ...difference, index_a: i, index_b: j }, true);
    }
  }

  #pairsBefore(i: number, j: number): number {
    return Math.min(this.#beforeA[i] as number, this.#beforeB[j] as number);
  }

  #add(
    pairsBefore: number,
    stepsA: number[],
    stepsB: number[],
    difference: StepDifference,
    isPair = false,
  ): void {
    const [a, b] = [this.#a, this.#b];
    const { type, change, index_a: i, index_b: j } = difference;
    const index_a = i === undefined ? null : (a[i] as Step).index;
    const index_b = j === undefined ? null : (b[j] as Step).index;
    const entry: DriftEntry = {
      type,
      change,
      description: "",
      step_index: index_a ?? index_b,
      index_a,
      index_b,
      count: difference.count ?? 1,
      fields: difference.fields ?? [],
      extra_a: (difference.extraA ?? []).map((at) => (a[at] as Step).index),
      extra_b: (difference.extraB ?? []).map((at) => (b[at] as Step).index),
      pack_a: difference.pack_a ?? null,
      pack_b: difference.pack_b ?? null,
      relation: null,
      ...(difference.atEnd === true ? { at_end: true as const } : {}),
    };
    entry.description = stepDescription(entry, a[i ?? -1], b[j ?? -1]);
    if (type === "tool_drift") {
      if (stepsA.length > 0) entry.steps_a = firstOf(a, stepsA);
      if (stepsB.length > 0) entry.steps_b = firstOf(b, stepsB);
    }
    this.entries.push({ entry, pairsBefore, isPair, stepsA, stepsB });
  }
}

/** A difference between steps; `index_a` and `index_b` are positions. */
interface StepDifference {
  type: DriftEntry["type"];
  change: DriftEntry["change"];
  index_a?: number;
  index_b?: number;
  count?: number;
  fields?: StepField[];
  extraA?: number[];
  extraB?: number[];
  pack_a?: DriftEntry["pack_a"];
  pack_b?: DriftEntry["pack_b"];
  atEnd?: boolean;
}

/** Returns what differs between two paired steps; undefined if nothing does. */
function pairDifference(a: Step, b: Step, sameParameters: boolean): StepDifference | undefined {
  const fields: StepField[] = [];
  if (a.type !== b.type) fields.push("type");
  if (a.tool !== b.tool) fields.push("tool");
  if (!sameParameters) fields.push("parameters");
  if (a.output_ref !== b.output_ref) fields.push("output");
  switch (fields[0]) {
    case undefined:
      return undefined;
    case "type":
    case "tool":
      return { type: "tool_drift", change: "replaced", fields, pack_a: stepName(a), pack_b: stepName(b) };
    case "parameters":
      return { type: "param_drift", change: "changed", fields, pack_a: a.parameters, pack_b: b.parameters };
    case "output":
      return {
        type: "reasoning_drift",
        change: "changed",
        fields,
        pack_a: a.output_ref ?? null,
        pack_b: b.output_ref ?? null,
      };
  }
}

/** Maximum number of steps of a stretch that an entry shows. */
const maxShown = 5;

function firstOf(steps: readonly Step[], positions: readonly number[]): TakenStep[] {
  return positions.slice(0, maxShown).map((at) => takenStep(steps[at] as Step));
}

/** Yields each stretch of unpaired steps: its position and its length. */
function* stretches(partner: Alignment["toB"]): Generator<[number, number]> {
  for (let at = 0; at < partner.length; at++) {
    if (partner[at] !== unpaired) continue;
    let count = 1;
    while (partner[at + count] === unpaired) count++;
    yield [at, count];
    at += count;
  }
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => from + k);
}

function byRank(x: RankedEntry, y: RankedEntry): number {
  return (
    x.pairsBefore - y.pairsBefore ||
    rankOf(x.entry) - rankOf(y.entry) ||
    order(x.entry.index_a) - order(y.entry.index_a) ||
    order(x.entry.index_b) - order(y.entry.index_b)
  );
}

function rankOf(entry: DriftEntry): number {
  return entry.change === "retried" && entry.extra_b.length > 0 ? rank.added : rank[entry.change];
}

function order(index: number | null): number {
  return index ?? -1;
}
