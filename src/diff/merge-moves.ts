// Merges moves. Among equal steps it is ambiguous which one was moved. Where one move can thereby take over
// the steps of another, the two become one, which is cheaper and easier to read.
import { type Alignment, type Move, moved } from "./alignment.js";
import type { Sequences } from "./sequence.js";

const maxMerges = 64;

/** Merges moves until no two can be merged. */
export function mergeMoves(sequences: Sequences, alignment: Alignment): void {
  if (alignment.moves.length < 2) return;
  for (let merges = 0, joined = true; joined && merges < maxMerges; merges++) {
    joined = false;
    const byA = new Map<number, Move>();
    const byB = new Map<number, Move>();
    for (const move of alignment.moves)
      for (let k = 0; k < move.count; k++) {
        byA.set(move.a + k, move);
        byB.set(move.b + k, move);
      }
    for (const move of alignment.moves) {
      if (!isEqualMove(sequences, move)) continue;
      joined =
        absorb(sequences, alignment, move, byA, byB, 1) || absorb(sequences, alignment, move, byA, byB, -1);
      if (joined) break;
    }
  }
}

function isEqualMove({ a, b }: Sequences, move: Move): boolean {
  return a.full[move.a] === b.full[move.b];
}

/**
 * Lets a move absorb another one, step by step at its end or its beginning; undoes everything if it cannot
 * absorb all of it.
 */
function absorb(
  sequences: Sequences,
  alignment: Alignment,
  move: Move,
  byA: ReadonlyMap<number, Move>,
  byB: ReadonlyMap<number, Move>,
  direction: 1 | -1,
): boolean {
  const { a, b } = sequences;
  const { toB, toA } = alignment;
  const edge = direction === 1 ? move.count : -1;
  const [x, y] = [move.a + edge, move.b + edge];
  const victim = byA.get(x) ?? byB.get(y);
  if (victim === undefined || victim === move || !isEqualMove(sequences, victim)) return false;
  const done: [list: Int32Array, at: number, before: number][] = [];
  const set = (list: Int32Array, at: number, value: number): void => {
    done.push([list, at, list[at] as number]);
    list[at] = value;
  };
  const undo = (): false => {
    for (const [list, at, before] of done.reverse()) list[at] = before;
    return false;
  };
  const taken = new Set<number>();
  for (let k = 0; k < victim.count; k++) {
    const [i, j] = [x + k * direction, y + k * direction];
    if (i < 0 || j < 0 || a.full[i] !== b.full[j]) return undo();
    const inA = i >= victim.a && i < victim.a + victim.count;
    const inB = j >= victim.b && j < victim.b + victim.count;
    if (!inA && !inB) return undo();
    // Each step of the victim is absorbed once.
    const which = inA ? i - victim.a : j - victim.b;
    if (taken.has(which)) return undo();
    taken.add(which);
    // One of the two steps is the victim's; the other is paired in order with a step that replaces it.
    if (inA && inB) {
      if (which !== j - victim.b) return undo();
      continue;
    }
    const [freeA, freeB] = inA
      ? [toA[j] as number, victim.b + (i - victim.a)]
      : [victim.a + (j - victim.b), toB[i] as number];
    if (freeA < 0 || freeB < 0) return undo();
    set(toB, i, moved);
    set(toA, j, moved);
    set(toB, freeA, freeB);
    set(toA, freeB, freeA);
    if (a.full[freeA] !== b.full[freeB] || !fits(alignment, freeA, freeB)) return undo();
  }
  move.count += victim.count;
  if (direction === -1) {
    move.a -= victim.count;
    move.b -= victim.count;
  }
  alignment.moves = alignment.moves.filter((other) => other !== victim);
  return true;
}

/** Returns whether a pair crosses neither the pair before it nor the one after it. */
function fits({ toB, toA }: Alignment, i: number, j: number): boolean {
  return next(toB, i, -1) < j && next(toB, i, 1) > j && next(toA, j, -1) < i && next(toA, j, 1) > i;
}

function next(partner: Int32Array, from: number, direction: 1 | -1): number {
  for (let at = from + direction; at >= 0 && at < partner.length; at += direction)
    if ((partner[at] as number) >= 0) return partner[at] as number;
  return direction === 1 ? Infinity : -1;
}
