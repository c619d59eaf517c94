// Finds the cheapest explanation of how one run became the other, in several rounds on the grid: first as if
// no step could move; then allowing steps that look out of place to be left out of the order; then with the
// moves that were found fixed in advance. The cheapest round wins. All limits count work, never time, so the
// result is always the same.
import { type Alignment, emptyAlignment, type Move, moved, pair, totalCost, unpaired } from "./alignment.js";
import { type MovePrices, movePricesAfter, noMovePrices } from "./move-candidates.js";
import { swappedAlignments } from "./swap-moves.js";
import { Grid, type Region } from "./grid.js";
import { crossingPairs, Groups } from "./groups.js";
import { likelyMoves } from "./likely-moves.js";
import { findMoves } from "./moves.js";
import { foldRetries, slide } from "./tidy.js";
import type { Sequences } from "./sequence.js";
import { split } from "./split.js";
import { mergeMoves } from "./merge-moves.js";
import { Words } from "./parameter-similarity.js";

export interface AlignBudget {
  /** Cells of the largest grid that is filled without a band. */
  cells: number;
  /** Cells of all grids together; past this limit a region is reported as removed and added as a whole. */
  allCells: number;
  /** Characters of parameters that are read, and words that are compared. */
  characters: number;
  comparisons: number;
}

export const defaultBudget: AlignBudget = {
  cells: 4 << 20,
  allCells: 48 << 20,
  characters: 16 << 20,
  comparisons: 64 << 20,
};

export interface AlignedSteps {
  alignment: Alignment;
  /** Pairs of parallel steps that came back in a different order. */
  reordered: [number, number][];
  /** Why the alignment is coarse: the budget that ran out. */
  coarse: string | undefined;
}

/** Equal steps at either end that stay in the grid, so that a stretch can begin before them. */
const marginSteps = 2;

const maxRounds = 4;
const swapSteps = 60_000;

/** How much more than the best a first try may cost and still be worth improving. */
const hopeless = 4;

/** Minimum number of cells per row. */
const narrowest = 16;

export function align(sequences: Sequences, budget: AlignBudget = defaultBudget): AlignedSteps {
  return new AlignmentSearch(sequences, budget).run();
}

/** Pairs step i with step i. */
export function alignByIndex({ a, b }: Sequences): AlignedSteps {
  const alignment = emptyAlignment(a.length, b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) pair(alignment, i, i);
  return { alignment, reordered: [], coarse: undefined };
}

/** Returns the same alignment as seen from the other run. */
export function mirror({ alignment, reordered, coarse }: AlignedSteps): AlignedSteps {
  return {
    alignment: {
      toB: alignment.toA,
      toA: alignment.toB,
      moves: alignment.moves.map(({ a, b, count }) => ({ a: b, b: a, count })),
      retries: alignment.retries.map(({ a, b, extraA, extraB }) => ({
        a: b,
        b: a,
        extraA: extraB,
        extraB: extraA,
      })),
    },
    reordered: reordered.map(([i, j]): [number, number] => [j, i]).sort((x, y) => x[0] - y[0]),
    coarse,
  };
}

class AlignmentSearch {
  readonly #sequences: Sequences;
  readonly #words: Words;
  readonly #grid: Grid;
  readonly #groups: Groups;
  readonly #budget: AlignBudget;
  #cellsLeft: number;
  #coarse: string | undefined;
  #tries = 0;
  /** Maximum number of moves to try in the opposite direction: each try reads the whole run. */
  readonly #mostSwaps: number;

  constructor(sequences: Sequences, budget: AlignBudget) {
    this.#sequences = sequences;
    this.#budget = budget;
    this.#words = new Words((call) => sequences.parametersOf(call), budget);
    this.#grid = new Grid(sequences, this.#words);
    this.#groups = new Groups(sequences, this.#words);
    this.#cellsLeft = budget.allCells;
    this.#mostSwaps = Math.floor(swapSteps / (sequences.a.length + 1));
  }

  run(): AlignedSteps {
    const { a, b } = this.#sequences;
    const base = emptyAlignment(a.length, b.length);
    const regions = split(this.#sequences, this.#trim(base), this.#budget, base);
    const free = noMovePrices(a.length, b.length);
    let best = this.#round(base, regions, free);
    // Once a limit was reached, trying harder does not pay off.
    if (this.#coarse === undefined) {
      best = this.#improve(base, regions, best);
      for (const move of likelyMoves(this.#sequences, best.alignment)) {
        const tried = this.#roundWithFixed(base, regions, [move], []);
        if (tried.cost >= best.cost + hopeless) continue;
        const improved = this.#improve(base, regions, tried);
        if (improved.cost < best.cost) best = improved;
      }
    }
    const { alignment } = best;
    return {
      alignment,
      reordered: crossingPairs(this.#sequences, alignment) ?? [],
      coarse: this.#coarse ?? this.#words.exhausted,
    };
  }

  /** Runs further rounds as long as each is cheaper than the last. */
  #improve(base: Alignment, regions: Region[], first: PricedAlignment): PricedAlignment {
    let best = first;
    for (let round = 0; round < maxRounds && best.cost > 0; round++) {
      const better = this.#roundWithCandidates(base, regions, best.alignment);
      if (better.cost >= best.cost) break;
      best = better;
    }
    return this.#swapMoves(best);
  }

  /** Runs another round in which steps that look out of place may be left out of the order. */
  #roundWithCandidates(base: Alignment, regions: Region[], last: Alignment): PricedAlignment {
    const movePrices = movePricesAfter(this.#sequences, last);
    if (movePrices === undefined) return { alignment: last, cost: Infinity };
    const tried = this.#round(base, regions, movePrices);
    const crossing = crossingPairs(this.#sequences, tried.alignment) ?? [];
    const settled = this.#roundWithFixed(base, regions, tried.alignment.moves, crossing);
    return settled.cost < tried.cost ? settled : tried;
  }

  /** Tries to express each move in the opposite direction, where that is cheaper. */
  #swapMoves(found: PricedAlignment): PricedAlignment {
    let best = found;
    for (let improved = true; improved; ) {
      improved = false;
      for (const changed of swappedAlignments(best.alignment, this.#mostSwaps)) {
        const tried = this.#finish(changed);
        if (tried.cost >= best.cost) continue;
        best = tried;
        improved = true;
        break;
      }
    }
    return best;
  }

  /** Pairs equal steps at both ends and returns the region in between. */
  #trim(base: Alignment): Region {
    const { a, b } = this.#sequences;
    const shorter = Math.min(a.length, b.length);
    let start = 0;
    while (start < shorter && a.full[start] === b.full[start]) start++;
    let end = 0;
    while (end < shorter - start && a.full[a.length - 1 - end] === b.full[b.length - 1 - end]) end++;
    if (start < a.length || start < b.length) {
      start = Math.max(0, start - marginSteps);
      end = Math.max(0, end - marginSteps);
    }
    for (let i = 0; i < start; i++) pair(base, i, i);
    for (let k = 1; k <= end; k++) pair(base, a.length - k, b.length - k);
    return { a0: start, a1: a.length - end, b0: start, b1: b.length - end };
  }

  /** Returns how many cells per row the grid of a region has, and how many in total. */
  #sizeOf({ a0, a1, b0, b1 }: Region): { width: number; cells: number; isBand: boolean } {
    const width = Math.max(narrowest, Math.floor(this.#budget.cells / (a1 - a0 + 1)));
    const columns = b1 - b0 + 1;
    return { width, cells: (a1 - a0 + 1) * Math.min(columns, width), isBand: width < columns };
  }

  /** Runs one try: the grid on every region, then parallel groups, moves and tidying. */
  #round(base: Alignment, regions: Region[], movePrices: MovePrices, fixed?: Alignment): PricedAlignment {
    const cells = regions.reduce((sum, region) => sum + this.#sizeOf(region).cells, 0);
    // Only the first try may be coarse; a later one is dropped instead.
    if (this.#tries++ > 0 && cells > this.#cellsLeft) return { alignment: base, cost: Infinity };
    const alignment: Alignment = {
      toB: base.toB.slice(),
      toA: base.toA.slice(),
      moves: fixed?.moves.map((move) => ({ ...move })) ?? [],
      retries: [],
    };
    for (const region of regions) this.#fill(region, movePrices, alignment);
    if (fixed !== undefined) restore(alignment, fixed);
    return this.#finish(alignment);
  }

  /** Pairs parallel groups, finds moves and tidies up what the grid found, and prices the result. */
  #finish(alignment: Alignment): PricedAlignment {
    this.#groups.pairAnew(alignment);
    const crossing = crossingPairs(this.#sequences, alignment);
    if (crossing === undefined) return { alignment, cost: Infinity };
    findMoves(this.#sequences, alignment);
    mergeMoves(this.#sequences, alignment);
    slide(this.#sequences, alignment, new Set(crossing.map(([i]) => i)));
    foldRetries(this.#sequences, alignment);
    if (crossingPairs(this.#sequences, alignment) === undefined) return { alignment, cost: Infinity };
    return { alignment, cost: totalCost(this.#sequences, this.#words, alignment) };
  }

  #fill(region: Region, movePrices: MovePrices, alignment: Alignment): void {
    const { width, cells, isBand } = this.#sizeOf(region);
    if (cells > this.#cellsLeft) {
      this.#coarse ??= "too many steps with nothing in common nearby";
      return;
    }
    this.#cellsLeft -= cells;
    if (isBand) this.#coarse ??= "a section was too long to compare every pair of steps";
    this.#grid.align(region, movePrices, alignment, width);
  }

  /** Runs a round with these moves and these pairs of parallel steps fixed in advance. */
  #roundWithFixed(
    base: Alignment,
    regions: Region[],
    moves: Move[],
    crossing: [number, number][],
  ): PricedAlignment {
    const [lengthA, lengthB] = [base.toB.length, base.toA.length];
    const movePrices = noMovePrices(lengthA, lengthB);
    const fixed = emptyAlignment(lengthA, lengthB);
    if (moves.length + crossing.length === 0) return { alignment: fixed, cost: Infinity };
    fixed.moves = moves;
    for (const [i, j] of crossing) pair(fixed, i, j);
    for (const { a, b, count } of moves) {
      fixed.toB.fill(moved, a, a + count);
      fixed.toA.fill(moved, b, b + count);
    }
    fixed.toB.forEach((state, i) => state !== unpaired && (movePrices.a[i] = 0));
    fixed.toA.forEach((state, j) => state !== unpaired && (movePrices.b[j] = 0));
    return this.#round(base, regions, movePrices, fixed);
  }
}

interface PricedAlignment {
  alignment: Alignment;
  cost: number;
}

/** Restores the fixed moves and pairs, releasing whatever those steps were paired with. */
function restore({ toB, toA }: Alignment, fixed: Alignment): void {
  fixed.toB.forEach((state, i) => state !== unpaired && release(toB, toA, i));
  fixed.toA.forEach((state, j) => state !== unpaired && release(toA, toB, j));
  fixed.toB.forEach((state, i) => state !== unpaired && (toB[i] = state));
  fixed.toA.forEach((state, j) => state !== unpaired && (toA[j] = state));
}

function release(own: Int32Array, other: Int32Array, at: number): void {
  const partner = own[at] as number;
  if (partner >= 0) other[partner] = unpaired;
  own[at] = unpaired;
}
