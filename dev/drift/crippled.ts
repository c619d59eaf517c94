// Five poor aligners, each complete and each blind to something: the judge must notice that.
import type { Step } from "../../src/model/manifest.js";
import { type Alignment, explain, rising } from "./explain.js";
import { type Explanation, isStepEntry, type Pair } from "./explanation.js";
import type { Case, Kind } from "./generate.js";
import { keyOf } from "./steps.js";

type Steps = readonly Step[];

function keysOf(steps: Steps): string[] {
  return steps.map(keyOf);
}

function byIndex(a: Steps, b: Steps): Pair[] {
  return Array.from({ length: Math.min(a.length, b.length) }, (_, index): Pair => [index, index]);
}

/** Returns the position of each key that occurs once. */
function onlyPositions(keys: readonly string[]): Map<string, number> {
  const positions = new Map<string, number>();
  const again = new Set<string>();
  for (const [position, key] of keys.entries()) {
    if (positions.has(key)) again.add(key);
    positions.set(key, position);
  }
  for (const key of again) positions.delete(key);
  return positions;
}

function uniqueAnchors(a: Steps, b: Steps): Pair[] {
  const inB = onlyPositions(keysOf(b));
  const pairs: Pair[] = [];
  for (const [key, position] of onlyPositions(keysOf(a))) {
    const other = inB.get(key);
    if (other !== undefined) pairs.push([position, other]);
  }
  return [...rising(pairs)];
}

function prefixAndSuffix(a: Steps, b: Steps): Pair[] {
  const [inA, inB] = [keysOf(a), keysOf(b)];
  const shorter = Math.min(a.length, b.length);
  const pairs: Pair[] = [];
  let prefix = 0;
  for (; prefix < shorter && inA[prefix] === inB[prefix]; prefix++) pairs.push([prefix, prefix]);
  for (let back = 1; back <= shorter - prefix && inA.at(-back) === inB.at(-back); back++)
    pairs.push([a.length - back, b.length - back]);
  return pairs;
}

function pairsOnly(align: (a: Steps, b: Steps) => Pair[]): (planted: Case) => Alignment {
  return ({ a, b }) => ({ pairs: align(a.manifest.steps, b.manifest.steps), moves: [], retries: [] });
}

export interface Crippled {
  name: string;
  /** The kinds of cases that it cannot solve. */
  cannot: Kind[];
  align: (planted: Case) => Alignment;
}

export const crippled: Crippled[] = [
  { name: "by index", cannot: ["insert", "delete"], align: pairsOnly(byIndex) },
  { name: "unique anchors only", cannot: ["tool", "parameter", "output"], align: pairsOnly(uniqueAnchors) },
  { name: "no moves", cannot: ["move", "swap"], align: ({ alignment }) => ({ ...alignment, moves: [] }) },
  { name: "no retries", cannot: ["retry"], align: ({ alignment }) => ({ ...alignment, retries: [] }) },
  {
    name: "one block between common prefix and suffix",
    cannot: ["move", "swap", "tool", "parameter", "output", "mix"],
    align: pairsOnly(prefixAndSuffix),
  },
];

/** Returns its report; prompts are always reported correctly. */
export function crippledReport({ align }: Crippled, planted: Case): Explanation {
  const { entries, reordered } = explain(planted.a.manifest, planted.b.manifest, align(planted));
  return {
    entries: [...planted.planted.entries.filter((entry) => !isStepEntry(entry)), ...entries],
    reordered,
  };
}
