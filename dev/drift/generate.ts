// The cases of the property test: two runs, and the entries that were planted between them. A case is
// determined by its set and its number.
import type { Manifest } from "../../src/model/manifest.js";
import { changeOutput, type Draft, type Item } from "./changes.js";
import { type Edit, stepEdits } from "./edits.js";
import { type Alignment, explainCheaply } from "./explain.js";
import { type Entry, entryOf, type Explanation } from "./explanation.js";
import { problemsOf } from "./judge.js";
import { Random, seedOf } from "./random.js";
import { hexOf, makeFrame, makeRun, type Shape, shapes, shares, toManifest } from "./runs.js";

const edits = { ...stepEdits, prompt: null } as const satisfies Record<string, Edit | null>;
export type EditKind = keyof typeof edits;
const editKinds = Object.keys(edits) as EditKind[];

export const kinds = [...editKinds, "mix"] as const;
export type Kind = EditKind | "mix";

export type CaseSet = 1 | 2;
export const setSizes: Record<CaseSet, number> = { 1: 10_000, 2: 5000 };

export interface Case {
  set: CaseSet;
  number: number;
  seed: number;
  kind: Kind;
  /** What was done: one thing, or three. */
  parts: EditKind[];
  shape: Shape;
  /** The share of other outputs that differ. */
  churn: number;
  a: { hex: string; manifest: Manifest };
  b: { hex: string; manifest: Manifest };
  alignment: Alignment;
  planted: Explanation;
}

const shapeCycle = shapes.flatMap((shape) => Array.from({ length: shares[shape] }, () => shape));
const round = kinds.length * shapeCycle.length;

/** Returns the case as one line, with the arguments to make it again. */
export function caseName({ set, number, seed, kind, parts, shape, churn, a, b }: Case): string {
  const what = kind === "mix" ? `mix of ${parts.join(", ")}` : kind;
  const sizes = `${a.manifest.steps.length} and ${b.manifest.steps.length} steps`;
  const also = churn > 0 ? `, ${churn * 100} % of outputs changed` : "";
  return `set ${set} case ${number} (seed 0x${seed.toString(16).padStart(8, "0")}): ${what}, ${shape}, ${sizes}${also}`;
}

/** Kinds and shapes take turns, so that each has its share exactly. */
export function makeCase(set: CaseSet, number: number): Case {
  const kind = kinds[number % kinds.length] as Kind;
  const shape = shapeCycle[Math.floor(number / kinds.length) % shapeCycle.length] as Shape;
  const turn = (number + Math.floor(number / round)) % 2;
  const churn = set === 1 ? 0 : ([0.3, 0.9][turn] as number);
  for (let again = 0; ; again++) {
    const seed = seedOf(set, number, again);
    const { done, ...made } = attempt(new Random(seed), kind, shape, churn);
    const result: Case = { set, number, seed, kind, shape, churn, ...made };
    // In a run of equal steps nothing can be moved: after some tries nothing is planted.
    if (!done && again < 4) continue;
    if (problemsOf(made.a.manifest, made.b.manifest, made.planted).length === 0) return result;
    if (again >= 20) throw new Error(`nothing can be planted: ${caseName(result)}`);
  }
}

type Made = Pick<Case, "parts" | "a" | "b" | "alignment" | "planted"> & { done: boolean };

function attempt(random: Random, kind: Kind, shape: Shape, churn: number): Made {
  const first = makeRun(random, shape, random.logBetween(5, 2000));
  const frame = makeFrame(random);
  const draft: Draft = {
    random,
    first,
    items: first.map((body, from) => ({ body, from, taken: false })),
    moves: 0,
  };
  if (random.chance(0.25)) reorderGroups(draft);
  const parts = kind === "mix" ? pickThree(random) : [kind];
  let otherFrame = frame;
  let done = true;
  for (const part of parts) {
    const edit = edits[part];
    if (edit === null) otherFrame = editPrompt(random, otherFrame);
    else done = edit(draft) && done;
  }
  for (const item of draft.items) if (item.from !== null && random.chance(churn)) changeOutput(draft, item);
  const bodies = draft.items.map(({ body }) => body);
  const manifests = [toManifest(frame, first), toManifest(otherFrame, bodies)] as const;
  let alignment = alignmentOf(draft.items);
  const mirrored = kind !== "insert" && kind !== "delete" && random.chance(0.5);
  if (mirrored) alignment = mirrorAlignment(alignment);
  const [a, b] = mirrored ? [manifests[1], manifests[0]] : manifests;
  const { entries, reordered } = explainCheaply(a, b, alignment);
  return {
    done,
    parts,
    a: { hex: hexOf(a), manifest: a },
    b: { hex: hexOf(b), manifest: b },
    alignment,
    planted: { entries: [...promptEntries(a, b), ...entries], reordered },
  };
}

function pickThree(random: Random): EditKind[] {
  return random.shuffled(editKinds).slice(0, 3);
}

/** Steps that were issued together come back in another order: no drift. */
function reorderGroups({ random, items }: Draft): void {
  const groups = new Map<string, number[]>();
  for (const [position, { body }] of items.entries())
    if (body.parallel !== undefined)
      groups.set(body.parallel, [...(groups.get(body.parallel) ?? []), position]);
  for (const positions of groups.values()) {
    if (random.chance(0.5)) continue;
    const members = random.shuffled(positions.map((position) => items[position] as Item));
    for (const [member, position] of positions.entries()) items[position] = members[member] as Item;
  }
}

type Frame = Omit<Manifest, "steps">;

function editPrompt(random: Random, frame: Frame): Frame {
  const what = random.unit();
  if (what < 0.3) return { ...frame, system_prompt: random.reference() };
  const prompts = frame.prompts.map((prompt) => ({ ...prompt }));
  const prompt = random.pick(prompts);
  if (what < 0.7) prompt.content_ref = random.reference();
  else if (what < 0.8) prompt.role = prompt.role === "user" ? "tool" : "user";
  else prompts.push({ role: "user", content_ref: random.reference() });
  return { ...frame, prompts };
}

function promptEntries(a: Frame, b: Frame): Entry[] {
  const entries: Entry[] = [];
  if (a.system_prompt !== b.system_prompt)
    entries.push(entryOf("prompt_drift", "changed", null, null, { fields: ["content"] }));
  for (let position = 0; position < Math.max(a.prompts.length, b.prompts.length); position++) {
    const [one, other] = [a.prompts[position], b.prompts[position]];
    const fields: string[] = [];
    if (one?.role !== other?.role) fields.push("role");
    if (one?.content_ref !== other?.content_ref) fields.push("content");
    if (fields.length === 0) continue;
    const change = one === undefined ? "added" : other === undefined ? "removed" : "changed";
    // Those behind the end of the other run are one entry.
    if (change !== "changed" && entries.at(-1)?.change === change) continue;
    entries.push(entryOf("prompt_drift", change, null, null, { fields, prompt_index: position }));
  }
  return entries;
}

function alignmentOf(items: readonly Item[]): Alignment {
  const alignment: Alignment = { pairs: [], moves: [], retries: [] };
  const positions = new Map(items.map((item, position) => [item, position]));
  const retries = new Map<Item, number[]>();
  for (const [position, { from, move, attemptOf }] of items.entries()) {
    if (attemptOf !== undefined) retries.set(attemptOf, [...(retries.get(attemptOf) ?? []), position]);
    if (from === null) continue;
    if (move === undefined) alignment.pairs.push([from, position]);
    else (alignment.moves[move] ??= []).push([from, position]);
  }
  alignment.moves = alignment.moves.filter((move) => move !== undefined);
  for (const [item, extras] of retries)
    if (item.from !== null && item.move === undefined)
      alignment.retries.push({ pair: [item.from, positions.get(item) as number], side: "b", extras });
  return alignment;
}

function mirrorAlignment({ pairs, moves, retries }: Alignment): Alignment {
  return {
    pairs: pairs.map(([i, j]) => [j, i] as const),
    moves: moves.map((move) => move.map(([i, j]) => [j, i] as const)),
    retries: retries.map(({ pair: [i, j], side, extras }) => ({
      pair: [j, i],
      side: side === "a" ? "b" : "a",
      extras,
    })),
  };
}
