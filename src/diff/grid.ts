// Finds the cheapest way to line up two stretches of steps, exactly: dynamic programming with stretches that
// open and extend (Gotoh), retries, and steps that may be left out of the order because they move. With a
// band, only cells near the diagonal are filled.
import { costs } from "./costs.js";
import { type Alignment, attemptsBefore, maxAttempts, pair } from "./alignment.js";
import type { MovePrices } from "./move-candidates.js";
import type { Sequences } from "./sequence.js";
import { closeLevel, type Words } from "./parameter-similarity.js";

/** Steps `a0` (inclusive) to `a1` (exclusive) against steps `b0` to `b1`. */
export interface Region {
  a0: number;
  a1: number;
  b0: number;
  b1: number;
}

/** Breaks ties between pairs of the same price; too small to ever add up to a price. */
const tie = 2 ** -24;
const unknownLevel = 255;

const fromGapA = 1;
const fromGapB = 2;
const movesA = 3;
const movesB = 4;
const retryA = 5;
const retryB = 6;
const extendsA = 8;
const extendsB = 16;

export class Grid {
  readonly #sequences: Sequences;
  readonly #words: Words;
  readonly #attemptsA: Uint8Array;
  readonly #attemptsB: Uint8Array;

  constructor(sequences: Sequences, words: Words) {
    this.#sequences = sequences;
    this.#words = words;
    this.#attemptsA = attemptsBefore(sequences.a);
    this.#attemptsB = attemptsBefore(sequences.b);
  }

  /**
   * Pairs the steps of a region in `out`. `width` limits how many cells per row are filled.
   *
   * Cell (i, j) is about the first i steps of a and the first j steps of b. It has three states:
   *
   *   best(i, j)  the lowest cost of explaining these steps
   *   gapA(i, j)  the same, if step i of a is unpaired and belongs to a removed stretch
   *   gapB(i, j)  the same, if step j of b is unpaired and belongs to an added stretch
   *
   * with best(0, 0) = 0, everything outside the grid or the band Infinity, and (costs: results/drift.ts)
   *
   *   gapA(i, j) = min( gapA(i-1, j) + stretchStep,                    extend the stretch
   *                     best(i-1, j) + stretch + stretchStep )         open one
   *   gapB(i, j) = min( gapB(i, j-1) + stretchStep,
   *                     best(i, j-1) + stretch + stretchStep )
   *   best(i, j) = min( best(i-1, j-1) + pair(i, j),                   pair both steps
   *                     best(i-1-r, j-1) + retry + r * retryStep + pair(i, j)     retryA
   *                     best(i-1, j-1-s) + retry + s * retryStep + pair(i, j)     retryB
   *                     gapA(i, j),                                    step i was removed
   *                     best(i-1, j) + movePrices.a[i],                leave step i to a move
   *                     gapB(i, j),                                    step j was added
   *                     best(i, j-1) + movePrices.b[j] )               leave step j to a move
   *
   * pair(i, j) is `pairCost` of alignment.ts plus a tie-breaker by similarity. A retry is allowed only if
   * both steps are the same call; r (or s) is the number of attempts directly before step i (or j), and the
   * tool step before the other one must be a different call. A move price is Infinity for a step that may not
   * move, and 0 for one that is known to move: such a step can neither be paired nor be part of a stretch. Of
   * equal costs the earliest line wins.
   *
   * Rows are filled from top to bottom; best is kept for as many rows as a retry looks back, gapA for one
   * row, gapB for one cell. `directions` has a byte per cell: which line won, and whether gapA and gapB
   * extend. `#trace` follows it back from the last cell.
   *
   * This is one long function on purpose: with the price of a pair as a method, 1,500 x 1,500 disjoint steps
   * took 15 to 20 % longer (median 211 ms to 242 ms), and with a naive split 30 %.
   */
  align(region: Region, movePrices: MovePrices, out: Alignment, width = Infinity): void {
    const { a, b } = this.#sequences;
    const { a0, b0 } = region;
    const rows = region.a1 - a0;
    const columns = region.b1 - b0;
    if (rows === 0 || columns === 0) return;
    const band = bandFor(rows, columns, width);
    const directions = new Uint8Array((rows + 1) * band.width);
    const isBand = band.width <= columns;
    const levels = new Levels(this.#sequences, this.#words, region);
    const attemptsA = this.#attemptsA;
    const attemptsB = this.#attemptsB;
    const open = costs.stretch + costs.stretchStep;
    const extend = costs.stretchStep;

    // The best price of each cell of the last rows; retries look back over several of them.
    const recentRows = Array.from({ length: maxAttempts + 2 }, () =>
      new Float64Array(columns + 1).fill(Infinity),
    );
    const gapA = new Float64Array(columns + 1).fill(Infinity);
    for (let i = 0; i <= rows; i++) {
      const best = recentRows[i % recentRows.length] as Float64Array;
      const above = recentRows[(i + recentRows.length - 1) % recentRows.length] as Float64Array;
      const first = band.first(i);
      const last = Math.min(columns, first + band.width - 1);
      // Only cells that an earlier row wrote need clearing.
      const stale = band.first(Math.max(0, i - recentRows.length));
      best.fill(Infinity, stale, stale + band.width);
      const step = a0 + i - 1;
      const row = i * band.width - first;
      const [kind, call, full, output, parameters] =
        i === 0
          ? [-1, -1, -1, -1, -1]
          : [a.kind[step], a.call[step], a.full[step], a.output[step], a.parameters[step]];
      const moveCostA = i === 0 ? Infinity : (movePrices.a[step] as number);
      const mayPair = i > 0 && moveCostA !== 0;
      const attempts = i === 0 ? 0 : (attemptsA[step] as number);
      let levelRow: Uint8Array | undefined;
      let gapB = Infinity;
      for (let j = first; j <= last; j++) {
        if (i === 0 && j === 0) {
          best[0] = 0;
          continue;
        }
        const other = b0 + j - 1;
        let direction = 0;
        let value = Infinity;
        const moveCostB = j === 0 ? Infinity : (movePrices.b[other] as number);
        if (mayPair && j > 0 && moveCostB !== 0) {
          let price: number;
          if (full === b.full[other]) price = 0;
          else if (call === b.call[other]) price = costs.otherOutput;
          else if (kind !== b.kind[other])
            price =
              output === b.output[other] || parameters === b.parameters[other]
                ? costs.closeTool + 256 * tie
                : costs.otherTool + 256 * tie;
          else {
            let level: number;
            // In a band few pairs of calls come up twice, and a table of all of them would be too large.
            if (isBand) level = this.#words.level(call as number, b.call[other] as number);
            else {
              levelRow ??= levels.row(call as number);
              level = levelRow[levels.idOf(other)] as number;
              if (level === unknownLevel) level = levels.find(levelRow, call as number, other);
            }
            price =
              level >= closeLevel || output === b.output[other]
                ? costs.closeParameters
                : costs.otherParameters;
            price += (256 - level) * tie;
          }
          value = (above[j - 1] as number) + price;
          if (price <= costs.otherOutput && call === b.call[other]) {
            if (attempts > 0 && attempts < i && this.#begins(b, other, call as number)) {
              const from = recentRows[(i - 1 - attempts) % recentRows.length] as Float64Array;
              const retried = (from[j - 1] as number) + costs.retry + costs.retryStep * attempts + price;
              if (retried < value) {
                value = retried;
                direction = retryA;
              }
            }
            const back = attemptsB[other] as number;
            if (back > 0 && back < j && this.#begins(a, step, call as number)) {
              const retried = (above[j - 1 - back] as number) + costs.retry + costs.retryStep * back + price;
              if (retried < value) {
                value = retried;
                direction = retryB;
              }
            }
          }
        }
        let flags = 0;
        if (i > 0) {
          const opened = (above[j] as number) + open;
          let gap = (gapA[j] as number) + extend;
          if (gap <= opened) flags |= extendsA;
          else gap = opened;
          if (moveCostA === 0) gap = Infinity;
          gapA[j] = gap;
          if (gap < value) {
            value = gap;
            direction = fromGapA;
          }
          const moving = (above[j] as number) + moveCostA;
          if (moving < value) {
            value = moving;
            direction = movesA;
          }
        }
        if (j > first) {
          const opened = (best[j - 1] as number) + open;
          const extended = gapB + extend;
          if (extended <= opened) flags |= extendsB;
          gapB = moveCostB === 0 ? Infinity : Math.min(extended, opened);
          if (gapB < value) {
            value = gapB;
            direction = fromGapB;
          }
          const moving = (best[j - 1] as number) + moveCostB;
          if (moving < value) {
            value = moving;
            direction = movesB;
          }
        }
        best[j] = value;
        directions[row + j] = direction | flags;
      }
      // Cells left of the band are unreachable from the next row.
      if (first > 0) gapA[first - 1] = Infinity;
    }
    this.#trace(region, directions, band, out);
  }

  /** Returns whether the tool step before this one was a different call. */
  #begins(side: Sequences["a"], index: number, call: number): boolean {
    const before = side.toolBefore[index] as number;
    return before < 0 || side.call[before] !== call;
  }

  #trace({ a0, a1, b0, b1 }: Region, directions: Uint8Array, band: Band, out: Alignment): void {
    let i = a1 - a0;
    let j = b1 - b0;
    let gap: typeof fromGapA | typeof fromGapB | undefined;
    while (i > 0 || j > 0) {
      const direction = directions[i * band.width - band.first(i) + j] as number;
      const from = gap ?? direction & 7;
      gap = undefined;
      if (from === fromGapA) {
        if ((direction & extendsA) !== 0) gap = fromGapA;
        i--;
      } else if (from === fromGapB) {
        if ((direction & extendsB) !== 0) gap = fromGapB;
        j--;
      } else if (from === movesA) i--;
      else if (from === movesB) j--;
      else {
        pair(out, a0 + i - 1, b0 + j - 1);
        i -= 1 + (from === retryA ? (this.#attemptsA[a0 + i - 1] as number) : 0);
        j -= 1 + (from === retryB ? (this.#attemptsB[b0 + j - 1] as number) : 0);
      }
    }
  }
}

interface Band {
  width: number;
  first(row: number): number;
}

function bandFor(rows: number, columns: number, width: number): Band {
  const slope = columns / rows;
  // Neighbouring rows must overlap.
  width = Math.max(width, Math.ceil(2 * slope) + 4);
  if (width > columns) return { width: columns + 1, first: () => 0 };
  const half = Math.floor(width / 2);
  return {
    width,
    first: (row) => Math.max(0, Math.min(columns + 1 - width, Math.floor(row * slope) - half)),
  };
}

/** Caches how similar the calls of a region are, so that each pair of calls is compared at most once. */
class Levels {
  readonly #rows = new Map<number, Uint8Array>();
  readonly #ids: Int32Array;
  readonly #start: number;
  readonly #distinct: number;
  readonly #b: Sequences["b"];
  readonly #words: Words;

  constructor({ b }: Sequences, words: Words, { b0, b1 }: Region) {
    this.#b = b;
    this.#words = words;
    this.#start = b0;
    const seen = new Map<number, number>();
    this.#ids = new Int32Array(b1 - b0);
    for (let j = b0; j < b1; j++) {
      const call = b.call[j] as number;
      let id = seen.get(call);
      if (id === undefined) seen.set(call, (id = seen.size));
      this.#ids[j - b0] = id;
    }
    this.#distinct = seen.size;
  }

  idOf(j: number): number {
    return this.#ids[j - this.#start] as number;
  }

  row(call: number): Uint8Array {
    let row = this.#rows.get(call);
    if (row === undefined) this.#rows.set(call, (row = new Uint8Array(this.#distinct).fill(unknownLevel)));
    return row;
  }

  find(row: Uint8Array, call: number, j: number): number {
    return (row[this.idOf(j)] = this.#words.level(call, this.#b.call[j] as number));
  }
}
