// Builds the entries of a report that are about steps: every difference of an alignment once, in the order
// that the contract defines.
import { cutAround } from "../base/cut.js";
import { ExactInteger, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import type { DriftEntry, StepField, TakenStep } from "../results/drift.js";
import type { Step } from "../model/manifest.js";
import { type Alignment, unpaired } from "./alignment.js";
import type { Aligned } from "./align.js";
import { stepDescription } from "./describe.js";
import type { Sequences } from "./sequence.js";

/**
 * An entry with its rank: the number of pairs before it. Pairs of parallel steps count, in whatever order
 * they came back.
 */
export interface PlacedEntry {
  entry: DriftEntry;
  place: number;
  /** Whether the entry is about a pair, so that later entries have one more before them. */
  isPair: boolean;
  /** Positions of the steps that the entry is about, on either side. */
  stepsA: number[];
  stepsB: number[];
}

export interface StepDrift {
  placed: PlacedEntry[];
  reordered: { index_a: number; index_b: number }[];
  /** Positions of all pairs, in the order of the first run. */
  pairs: [number, number][];
  /** Positions of the same steps in either run, in that run's own order. */
  placesA: number[];
  placesB: number[];
}

const rank = { removed: 0, added: 1, changed: 2, replaced: 2, moved: 3, retried: 0 };

export function stepDrift(
  a: readonly Step[],
  b: readonly Step[],
  sequences: Sequences,
  aligned: Aligned,
): StepDrift {
  const { alignment } = aligned;
  const { toB, toA } = alignment;
  const pairs: [number, number][] = [];
  // Number of pairs before each step.
  const beforeA = new Int32Array(a.length + 1);
  const beforeB = new Int32Array(b.length + 1);
  for (let i = 0; i < a.length; i++) {
    const j = toB[i] as number;
    if (j >= 0) {
      pairs.push([i, j]);
      beforeB[j + 1] = 1;
    }
    beforeA[i + 1] = pairs.length;
  }
  for (let j = 1; j <= b.length; j++) beforeB[j] = (beforeB[j] as number) + (beforeB[j - 1] as number);

  const placed: PlacedEntry[] = [];
  const add = (place: number, stepsA: number[], stepsB: number[], given: Given, isPair = false): void => {
    const index_a = given.index_a === undefined ? null : (a[given.index_a] as Step).index;
    const index_b = given.index_b === undefined ? null : (b[given.index_b] as Step).index;
    const entry: DriftEntry = {
      type: given.type,
      change: given.change,
      description: "",
      step_index: index_a ?? index_b,
      index_a,
      index_b,
      count: given.count ?? 1,
      fields: given.fields ?? [],
      extra_a: (given.extraA ?? []).map((i) => (a[i] as Step).index),
      extra_b: (given.extraB ?? []).map((j) => (b[j] as Step).index),
      pack_a: given.pack_a ?? null,
      pack_b: given.pack_b ?? null,
      relation: null,
      ...(given.atEnd === true ? { at_end: true as const } : {}),
    };
    entry.description = stepDescription(entry, a[given.index_a ?? -1], b[given.index_b ?? -1]);
    if (entry.type === "tool_drift") {
      if (stepsA.length > 0) entry.steps_a = firstOf(a, stepsA);
      if (stepsB.length > 0) entry.steps_b = firstOf(b, stepsB);
    }
    placed.push({ entry, place, isPair, stepsA, stepsB });
  };

  for (const [from, count] of stretches(toB))
    add(beforeA[from] as number, range(from, count), [], {
      type: "tool_drift",
      change: "removed",
      index_a: from,
      count,
      pack_a: nameOf(a[from] as Step),
      atEnd: from + count === a.length,
    });
  for (const [from, count] of stretches(toA))
    add(beforeB[from] as number, [], range(from, count), {
      type: "tool_drift",
      change: "added",
      index_b: from,
      count,
      pack_b: nameOf(b[from] as Step),
      atEnd: from + count === b.length,
    });
  for (const move of alignment.moves) {
    const [first, other] = [a[move.a] as Step, b[move.b] as Step];
    const same = first.output_ref === other.output_ref;
    add(
      Math.min(beforeA[move.a] as number, beforeB[move.b] as number),
      range(move.a, move.count),
      range(move.b, move.count),
      {
        type: "tool_drift",
        change: "moved",
        index_a: move.a,
        index_b: move.b,
        count: move.count,
        fields: same ? [] : ["output"],
        pack_a: same ? nameOf(first) : (first.output_ref ?? null),
        pack_b: same ? nameOf(other) : (other.output_ref ?? null),
      },
    );
  }
  for (const { a: i, b: j, extraA, extraB } of alignment.retries)
    add(Math.min(beforeA[i] as number, beforeB[j] as number), extraA, extraB, {
      type: "tool_drift",
      change: "retried",
      index_a: i,
      index_b: j,
      count: extraA.length + extraB.length,
      extraA,
      extraB,
      pack_a: nameOf(a[i] as Step),
      pack_b: nameOf(b[j] as Step),
    });
  for (let i = 0; i < a.length; i++) {
    const j = toB[i] as number;
    if (j < 0) continue;
    if (sequences.a.full[i] === sequences.b.full[j]) continue;
    const sameParameters = sequences.a.parameters[i] === sequences.b.parameters[j];
    const given = pairEntry(a[i] as Step, b[j] as Step, sameParameters);
    if (given === undefined) continue;
    const place = Math.min(beforeA[i] as number, beforeB[j] as number);
    add(place, [i], [j], { ...given, index_a: i, index_b: j }, true);
  }
  placed.sort(byPlace);
  return {
    placed,
    reordered: aligned.reordered.map(([i, j]) => ({
      index_a: (a[i] as Step).index,
      index_b: (b[j] as Step).index,
    })),
    pairs,
    placesA: pairs.map(([i]) => i),
    placesB: pairs.map(([, j]) => j).sort((x, y) => x - y),
  };
}

interface Given {
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
function pairEntry(a: Step, b: Step, sameParameters: boolean): Given | undefined {
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
      return { type: "tool_drift", change: "replaced", fields, pack_a: nameOf(a), pack_b: nameOf(b) };
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
const mostShown = 5;

function firstOf(steps: readonly Step[], places: readonly number[]): TakenStep[] {
  return places.slice(0, mostShown).map((at) => takenStep(steps[at] as Step));
}

/** Returns a step as it was called. */
export function takenStep({ index, type, tool, parameters, output_ref }: Step): TakenStep {
  return {
    index,
    type,
    ...(tool === undefined ? {} : { tool }),
    parameters: cutTexts(parameters) as JsonObject,
    ...(output_ref === undefined ? {} : { output_ref }),
  };
}

/** Maximum length of a text where a step is only shown; the manifest has the full text. */
const longestText = 1000;

function cutTexts(value: JsonValue): JsonValue {
  if (typeof value === "string")
    return value.length > longestText ? cutAround(value, undefined, longestText) : value;
  if (typeof value !== "object" || value === null || value instanceof ExactInteger) return value;
  if (Array.isArray(value)) return value.slice(0, longestText).map(cutTexts);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cutTexts(value[key] as JsonValue));
  return copy;
}

/** Returns the tool, or else the type. */
function nameOf(step: Step): string {
  return step.tool ?? step.type;
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

function byPlace(x: PlacedEntry, y: PlacedEntry): number {
  return (
    x.place - y.place ||
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
