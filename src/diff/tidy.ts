// Final adjustments to an alignment, none of which makes it more expensive: a stretch among equal steps, or
// of prose among prose, slides to its last possible position, and earlier attempts at a call are folded into
// retries.
import { costs } from "./costs.js";
import { type Alignment, extra, maxAttempts, unpaired } from "./alignment.js";
import type { Sequence, Sequences } from "./sequence.js";

/**
 * Slides every unpaired stretch as far towards the end as equal steps allow. A stretch of prose also slides
 * past prose whose pair differs anyway: which message of many has no counterpart costs the same, and runs
 * that begin with messages are compared from the first message on, not from the last. A stretch with a call
 * does not: the prose before a call belongs to it. Pairs in `fixed` stay as they are.
 */
export function slide({ a, b }: Sequences, { toB, toA }: Alignment, fixed: ReadonlySet<number>): void {
  slideSide(a, b, toB, toA, (i) => fixed.has(i));
  slideSide(b, a, toA, toB, (j) => fixed.has(toA[j] as number));
}

function slideSide(
  side: Sequence,
  otherSide: Sequence,
  own: Int32Array,
  other: Int32Array,
  stays: (at: number) => boolean,
): void {
  let i = 0;
  while (i < own.length) {
    if (own[i] !== unpaired) {
      i++;
      continue;
    }
    let start = i;
    let end = i;
    let calls = 0;
    while (end < own.length && own[end] === unpaired) calls += side.isTool[end++] as number;
    /** Returns whether the first step of the stretch can take the place of the step after it. */
    const fits = (partner: number): boolean =>
      side.full[start] === side.full[end] ||
      (calls === 0 &&
        side.isTool[end] === 0 &&
        side.call[start] === side.call[end] &&
        side.full[end] !== otherSide.full[partner]);
    while (
      end < own.length &&
      (own[end] as number) >= 0 &&
      fits(own[end] as number) &&
      side.group[start] === side.group[end] &&
      !stays(end)
    ) {
      const partner = own[end] as number;
      own[start] = partner;
      other[partner] = start;
      own[end] = unpaired;
      calls += (side.isTool[end] as number) - (side.isTool[start] as number);
      start++;
      end++;
      while (end < own.length && own[end] === unpaired) calls += side.isTool[end++] as number;
    }
    i = end;
  }
}

/** Folds earlier attempts at a paired call if that costs no more than reporting them as added or removed. */
export function foldRetries({ a, b }: Sequences, alignment: Alignment): void {
  const { toB, toA, retries } = alignment;
  for (let i = 0; i < a.length; i++) {
    const j = toB[i] as number;
    if (j < 0 || a.isTool[i] === 0 || a.call[i] !== b.call[j]) continue;
    const extraA = begins(b, j) ? attempts(a, toB, i) : [];
    const extraB = begins(a, i) ? attempts(b, toA, j) : [];
    if (extraA.length + extraB.length === 0) continue;
    for (const at of extraA) toB[at] = extra;
    for (const at of extraB) toA[at] = extra;
    retries.push({ a: i, b: j, extraA, extraB });
  }
}

/** Returns whether the tool step before this one was a different call. */
function begins(side: Sequence, at: number): boolean {
  const before = side.toolBefore[at] as number;
  return before < 0 || side.call[before] !== side.call[at];
}

function attempts(side: Sequence, partner: Int32Array, at: number): number[] {
  const found: number[] = [];
  let before = side.toolBefore[at] as number;
  while (
    before >= 0 &&
    found.length <= maxAttempts &&
    side.call[before] === side.call[at] &&
    side.full[before] !== side.full[at] &&
    partner[before] === unpaired
  ) {
    found.unshift(before);
    before = side.toolBefore[before] as number;
  }
  if (found.length === 0 || found.length > maxAttempts) return [];
  if (before >= 0 && side.call[before] === side.call[at]) return [];
  const price = costs.retry + costs.retryStep * found.length;
  return price <= savingsOf(partner, found) ? found : [];
}

/** Returns what taking these steps out of their stretches saves. */
function savingsOf(partner: Int32Array, steps: number[]): number {
  const first = steps[0] as number;
  const last = steps.at(-1) as number;
  const gone = new Set(steps);
  const price = (isGap: (at: number) => boolean): number => {
    let total = 0;
    for (let at = first; at <= Math.min(last + 1, partner.length - 1); at++)
      if (isGap(at)) total += costs.stretchStep + (at > 0 && isGap(at - 1) ? 0 : costs.stretch);
    return total;
  };
  return price((at) => partner[at] === unpaired) - price((at) => partner[at] === unpaired && !gone.has(at));
}
