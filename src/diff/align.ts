// Finds the cheapest explanation of how one run became the other. Several rounds, each on the grid: first as if nothing
// could move; then with what looked out of place allowed to step aside; then with the moves that were found settled. The
// cheapest of them is the answer. All limits count work, never time, so that the answer is always the same.
import { type Alignment, emptyAlignment, moved, pair, totalCost, unpaired } from "./alignment.js";
import { type Asides, asidesAfter, noAsides } from "./asides.js";
import { exchanges } from "./exchange.js";
import { Grid, type Region } from "./grid.js";
import { crossingPairs, pairGroups } from "./groups.js";
import { findMoves } from "./moves.js";
import { foldRetries, slide } from "./polish.js";
import type { Sequences } from "./sequence.js";
import { split } from "./split.js";
import { weldMoves } from "./weld.js";
import { Words } from "./words.js";

export interface Budget {
  /** Cells of the largest grid that is filled as a whole. */
  cells: number;
  /** Cells of all grids together; past it a region is removed and added as a whole. */
  allCells: number;
  /** Characters of parameters read, and words compared. */
  characters: number;
  comparisons: number;
}

export const usualBudget: Budget = {
  cells: 4 << 20,
  allCells: 48 << 20,
  characters: 16 << 20,
  comparisons: 64 << 20,
};

export interface Aligned {
  alignment: Alignment;
  /** Pairs of parallel steps that came back in another order. */
  reordered: [number, number][];
  /** The budget that was reached. */
  coarse: string | undefined;
}

/** Steps kept at either end, though equal, so that a stretch can begin before them. */
const keptBack = 2;

const mostRounds = 4;

export function align(sequences: Sequences, budget: Budget = usualBudget): Aligned {
  return new Search(sequences, budget).run();
}

/** Step i against step i. */
export function alignByIndex({ a, b }: Sequences): Aligned {
  const alignment = emptyAlignment(a.length, b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) pair(alignment, i, i);
  return { alignment, reordered: [], coarse: undefined };
}

/** The same, seen from the other run. */
export function mirror({ alignment, reordered, coarse }: Aligned): Aligned {
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

class Search {
  private readonly sequences: Sequences;
  private readonly words: Words;
  private readonly grid: Grid;
  private readonly budget: Budget;
  private cellsLeft: number;
  private coarse: string | undefined;

  constructor(sequences: Sequences, budget: Budget) {
    this.sequences = sequences;
    this.budget = budget;
    this.words = new Words((call) => sequences.parametersOf(call), budget);
    this.grid = new Grid(sequences, this.words);
    this.cellsLeft = budget.allCells;
  }

  run(): Aligned {
    const { a, b } = this.sequences;
    const base = emptyAlignment(a.length, b.length);
    const regions = split(this.sequences, this.trim(base), this.budget, base);
    const free = noAsides(a.length, b.length);
    let best = this.round(base, regions, free);
    for (let round = 0; round < mostRounds && best.cost > 0; round++) {
      const better = this.again(base, regions, best.alignment);
      if (better.cost >= best.cost) break;
      best = better;
    }
    best = this.exchange(best);
    const { alignment } = best;
    return {
      alignment,
      reordered: crossingPairs(this.sequences, alignment) ?? [],
      coarse: this.coarse ?? this.words.exhausted,
    };
  }

  /** Another round in which what is out of place may step aside. */
  private again(base: Alignment, regions: Region[], last: Alignment): Tried {
    const asides = asidesAfter(this.sequences, last);
    if (asides === undefined) return { alignment: last, cost: Infinity };
    const tried = this.round(base, regions, asides);
    const settled = this.settle(base, regions, tried.alignment);
    return settled.cost < tried.cost ? settled : tried;
  }

  /** Tells moves the other way round where that is cheaper. */
  private exchange(found: Tried): Tried {
    let best = found;
    for (let improved = true; improved; ) {
      improved = false;
      for (const changed of exchanges(best.alignment)) {
        const tried = this.finish(changed);
        if (tried.cost >= best.cost) continue;
        best = tried;
        improved = true;
        break;
      }
    }
    return best;
  }

  /** Pairs what is equal at both ends, and gives what is left between. */
  private trim(base: Alignment): Region {
    const { a, b } = this.sequences;
    const shorter = Math.min(a.length, b.length);
    let start = 0;
    while (start < shorter && a.full[start] === b.full[start]) start++;
    let end = 0;
    while (end < shorter - start && a.full[a.length - 1 - end] === b.full[b.length - 1 - end]) end++;
    if (start < a.length || start < b.length) {
      start = Math.max(0, start - keptBack);
      end = Math.max(0, end - keptBack);
    }
    for (let i = 0; i < start; i++) pair(base, i, i);
    for (let k = 1; k <= end; k++) pair(base, a.length - k, b.length - k);
    return { a0: start, a1: a.length - end, b0: start, b1: b.length - end };
  }

  /** One try: the grid on every region, then parallel groups, moves and the last touches. */
  private round(base: Alignment, regions: Region[], asides: Asides, fixed?: Alignment): Tried {
    const alignment: Alignment = {
      toB: base.toB.slice(),
      toA: base.toA.slice(),
      moves: fixed?.moves.slice() ?? [],
      retries: [],
    };
    for (const region of regions) this.fill(region, asides, alignment);
    if (fixed !== undefined) restore(alignment, fixed);
    return this.finish(alignment);
  }

  /** Parallel groups, moves and the last touches on what the grid found, and what it all costs. */
  private finish(alignment: Alignment): Tried {
    pairGroups(this.sequences, this.words, alignment);
    const crossing = crossingPairs(this.sequences, alignment);
    if (crossing === undefined) return { alignment, cost: Infinity };
    findMoves(this.sequences, alignment);
    weldMoves(this.sequences, alignment);
    slide(this.sequences, alignment, new Set(crossing.map(([i]) => i)));
    foldRetries(this.sequences, alignment);
    if (crossingPairs(this.sequences, alignment) === undefined) return { alignment, cost: Infinity };
    return { alignment, cost: totalCost(this.sequences, this.words, alignment) };
  }

  private fill(region: Region, asides: Asides, alignment: Alignment): void {
    const rows = region.a1 - region.a0;
    const columns = region.b1 - region.b0;
    const width = Math.floor(this.budget.cells / (rows + 1));
    const cells = (rows + 1) * Math.min(columns + 1, width);
    if (cells > this.cellsLeft || width < 8) {
      this.coarse ??= "too many steps without anything in common nearby";
      return;
    }
    this.cellsLeft -= cells;
    if (width <= columns) this.coarse ??= "a stretch was too long to try every pair of its steps";
    this.grid.align(region, asides, alignment, width);
  }

  /** The same again with the moves and reordered pairs of a try taken out beforehand. */
  private settle(base: Alignment, regions: Region[], tried: Alignment): Tried {
    const asides = noAsides(tried.toB.length, tried.toA.length);
    const crossing = crossingPairs(this.sequences, tried) ?? [];
    if (tried.moves.length + crossing.length === 0) return { alignment: tried, cost: Infinity };
    const fixed = emptyAlignment(tried.toB.length, tried.toA.length);
    fixed.moves = tried.moves;
    for (const [i, j] of crossing) pair(fixed, i, j);
    for (const { a, b, count } of tried.moves) {
      fixed.toB.fill(moved, a, a + count);
      fixed.toA.fill(moved, b, b + count);
    }
    fixed.toB.forEach((state, i) => state !== unpaired && (asides.a[i] = 0));
    fixed.toA.forEach((state, j) => state !== unpaired && (asides.b[j] = 0));
    return this.round(base, regions, asides, fixed);
  }
}

interface Tried {
  alignment: Alignment;
  cost: number;
}

function restore(alignment: Alignment, fixed: Alignment): void {
  fixed.toB.forEach((state, i) => state !== unpaired && (alignment.toB[i] = state));
  fixed.toA.forEach((state, j) => state !== unpaired && (alignment.toA[j] = state));
}
