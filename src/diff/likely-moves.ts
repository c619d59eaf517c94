// Finds hidden moves. In repetitive runs the steps of a move find equal partners wherever they are. This
// searches for stretches that are equal elsewhere and contain many steps that are out of place, so that each
// can be tried as a move.
import type { Alignment, Move } from "./alignment.js";
import type { Sequences } from "./sequence.js";

/** Maximum number of stretches to try, and minimum number of steps out of place in each. */
const maxTries = 6;
const leastLoose = 4;
/** Maximum number of positions at which a step is looked up, and maximum length of a stretch. */
const maxPositions = 32;
const longest = 256;
/** With more steps out of place than this, it is impossible to tell which belong together. */
const maxLoose = 512;

export function likelyMoves({ a, b }: Sequences, { toB, toA }: Alignment): Move[] {
  const looseA = flags(toB, (i) => a.full[i] === b.full[toB[i] as number]);
  const looseB = flags(toA, (j) => b.full[j] === a.full[toA[j] as number]);
  const count = looseA.reduce((sum, flag) => sum + flag, 0);
  if (count === 0 || count > maxLoose) return [];
  const positions = new Map<number, number[]>();
  for (let j = 0; j < b.length; j++) {
    const list = positions.get(b.full[j] as number);
    if (list === undefined) positions.set(b.full[j] as number, [j]);
    else if (list.length < maxPositions) list.push(j);
  }
  const found = new Map<string, { move: Move; score: number }>();
  for (let i = 0; i < a.length; i++) {
    if (looseA[i] === 0) continue;
    for (const j of positions.get(a.full[i] as number) ?? []) {
      const move = { a: i, b: j, count: 1 };
      let score = 0;
      let end = 0;
      // As far as the steps are equal, but no further than the last one out of place on either side.
      for (let k = 0; k < longest && i + k < a.length && j + k < b.length; k++) {
        if (a.full[i + k] !== b.full[j + k] || toB[i + k] === j + k) break;
        const loose = (looseA[i + k] as number) + (looseB[j + k] as number);
        score += loose;
        if (loose > 0) end = k + 1;
      }
      move.count = end;
      if (score >= leastLoose) found.set(`${i} ${j}`, { move, score });
    }
  }
  return [...found.values()]
    .sort(
      (x, y) =>
        y.score - x.score || x.move.count - y.move.count || x.move.a - y.move.a || x.move.b - y.move.b,
    )
    .slice(0, maxTries)
    .map(({ move }) => move);
}

function flags(partner: Int32Array, isEqual: (at: number) => boolean): Uint8Array {
  return Uint8Array.from(partner, (state, at) => (state < 0 || !isEqual(at) ? 1 : 0));
}
