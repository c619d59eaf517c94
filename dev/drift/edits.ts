// Edits that turn a run into the other one, with a record of which step came from where: the planted
// explanation.
import { changeCall, changeOutput, changeTool, type Draft, type Item, otherOutput } from "./changes.js";
import { type Body, freshStep } from "./runs.js";
import { callOf, keyOf } from "./steps.js";

export type Edit = (draft: Draft) => boolean;

/**
 * How many positions are tried before the edit is dropped: in a run of equal steps nothing can be swapped.
 */
const tries = 40;

/** Tries positions until `attempt` accepts one; the first tries keep a step's distance from other edits. */
function search(attempt: (margin: number) => boolean): boolean {
  for (let count = 0; count < tries; count++) if (attempt(count < tries / 2 ? 1 : 0)) return true;
  return false;
}

function isFree({ items }: Draft, first: number, end: number): boolean {
  for (let position = Math.max(0, first); position < Math.min(items.length, end); position++)
    if (items[position]!.taken) return false;
  return true;
}

function take({ items }: Draft, first: number, end: number): void {
  for (let position = Math.max(0, first); position < Math.min(items.length, end); position++)
    items[position]!.taken = true;
}

function stretchLength({ random, first }: Draft): number {
  return random.logBetween(1, Math.max(1, Math.min(10, Math.floor(first.length / 3))));
}

function copied(body: Body): Body {
  const { parallel: _, ...copy } = body;
  return copy;
}

/**
 * Steps to insert before `gap`: half fresh, a quarter copies of any step, a quarter copies of the neighbour.
 */
function inserted({ random, items }: Draft, gap: number, count: number): Body[] {
  const anyway = random.unit();
  const alike = random.chance(0.5);
  const neighbour = items[gap - 1] ?? items[gap];
  return Array.from({ length: count }, (_, position) => {
    const kind = alike ? anyway : random.unit();
    if (kind < 0.5 || neighbour === undefined) return freshStep(random);
    if (kind < 0.75) return copied(random.pick(items).body);
    const before = alike && gap >= count ? items[gap - count + position] : neighbour;
    return copied(before!.body);
  });
}

function insert(draft: Draft): boolean {
  const { random, items } = draft;
  return search((margin) => {
    const count = stretchLength(draft);
    const gap = random.between(0, items.length);
    if (!isFree(draft, gap - 1 - margin, gap + 1 + margin)) return false;
    take(draft, gap - 1, gap + 1);
    items.splice(gap, 0, ...inserted(draft, gap, count).map((body) => ({ body, from: null, taken: true })));
    return true;
  });
}

function remove(draft: Draft): boolean {
  const { random, items } = draft;
  return search((margin) => {
    const count = stretchLength(draft);
    const first = random.between(0, items.length - count);
    if (!isFree(draft, first - margin, first + count + margin)) return false;
    take(draft, first - 1, first + count + 1);
    items.splice(first, count);
    return true;
  });
}

function truncate(draft: Draft): boolean {
  const { items } = draft;
  return search(() => {
    const count = stretchLength(draft);
    if (!isFree(draft, items.length - count - 1, items.length)) return false;
    take(draft, items.length - count - 1, items.length);
    items.splice(items.length - count, count);
    return true;
  });
}

/**
 * Returns whether any of these was issued together with any of those: then another order of them is no drift.
 */
function shareGroup(some: readonly Item[], others: readonly Item[]): boolean {
  const groups = new Set(some.map(({ body }) => body.parallel).filter((name) => name !== undefined));
  return others.some(({ body }) => body.parallel !== undefined && groups.has(body.parallel));
}

function sameKeys(some: readonly Item[], others: readonly Item[]): boolean {
  return some.every((item, position) => keyOf(item.body) === keyOf(others[position]!.body));
}

/** A stretch is moved over at least as many steps as it has: else those would be the ones that moved. */
function move(draft: Draft): boolean {
  const { random, items } = draft;
  return search((margin) => {
    const count = stretchLength(draft);
    const first = random.between(0, items.length - count);
    const backwards = random.chance(0.5);
    const room = backwards ? first : items.length - count - first;
    if (room < count) return false;
    const far = random.logBetween(count, room);
    const gap = backwards ? first - far : first + count + far;
    if (!isFree(draft, first - margin, first + count + margin)) return false;
    if (!isFree(draft, gap - 1, gap + 1)) return false;
    const stretch = items.slice(first, first + count);
    const crossed = backwards ? items.slice(gap, first) : items.slice(first + count, gap);
    if (shareGroup(stretch, crossed)) return false;
    const now = backwards ? [...crossed, ...stretch] : [...stretch, ...crossed];
    const then = backwards ? [...stretch, ...crossed] : [...crossed, ...stretch];
    if (sameKeys(now, then)) return false;
    take(draft, first - 1, first + count + 1);
    take(draft, gap - 1, gap + 1);
    for (const item of stretch) item.move = draft.moves;
    draft.moves++;
    items.splice(Math.min(gap, first), then.length, ...then);
    return true;
  });
}

/** Two steps change positions: two moves, or one where they are neighbours. */
function swap(draft: Draft): boolean {
  const { random, items } = draft;
  return search((margin) => {
    const first = random.between(0, items.length - 2);
    const far = random.chance(0.5) ? 1 : random.logBetween(1, items.length - 1 - first);
    const [one, other] = [items[first]!, items[first + far]!];
    if (!isFree(draft, first - margin, first + 1 + margin)) return false;
    if (!isFree(draft, first + far - margin, first + far + 1 + margin)) return false;
    const between = items.slice(first + 1, first + far);
    if (keyOf(one.body) === keyOf(other.body)) return false;
    if (shareGroup([one], [...between, other]) || shareGroup([other], between)) return false;
    take(draft, first - 1, first + 2);
    take(draft, first + far - 1, first + far + 2);
    [items[first], items[first + far]] = [other, one];
    one.move = draft.moves++;
    if (far > 1) other.move = draft.moves++;
    return true;
  });
}

/** Changes one step, or up to five, by a function that returns whether it found anything to change. */
function changing(change: (draft: Draft, item: Item) => boolean): Edit {
  return (draft) => {
    const { random, items } = draft;
    const limit = Math.max(1, Math.min(5, Math.floor(items.length / 3)));
    let changed = 0;
    for (let left = random.chance(0.5) ? 1 : random.between(1, limit); left > 0; left--)
      search((margin) => {
        const position = random.between(0, items.length - 1);
        if (!isFree(draft, position - margin, position + 1 + margin)) return false;
        const item = items[position]!;
        if (!change(draft, item)) return false;
        item.taken = true;
        changed++;
        return true;
      });
    return changed > 0;
  };
}

function callBefore(bodies: readonly Body[], position: number): string {
  const body = bodies.slice(0, position).findLast(({ tool }) => tool !== undefined);
  return body === undefined ? "" : callOf(body);
}

/** Returns earlier attempts of a step, with other outputs than it. */
function retry(draft: Draft): boolean {
  const { random, items, first } = draft;
  return search((margin) => {
    const position = random.between(0, items.length - 1);
    const item = items[position]!;
    const old = item.body.output_ref;
    if (item.from === null || item.body.tool === undefined || old === undefined) return false;
    if (!isFree(draft, position - margin, position + 1 + margin)) return false;
    const call = callOf(item.body);
    const bodies = items.map(({ body }) => body);
    // Where every step is the same call there is no retry: then these are added steps.
    if (margin > 0 && (callBefore(bodies, position) === call || callBefore(first, item.from) === call))
      return false;
    const count = random.between(1, Math.max(1, Math.min(5, Math.floor(first.length / 3))));
    const attempts = Array.from({ length: count }, (): Item => {
      const body = copied(item.body);
      body.output_ref = otherOutput(draft, old);
      return { body, from: null, attemptOf: item, taken: true };
    });
    take(draft, position - 1, position + 1);
    items.splice(position, 0, ...attempts);
    return true;
  });
}

export const stepEdits = {
  insert,
  delete: remove,
  move,
  swap,
  tool: changing(changeTool),
  parameter: changing(changeCall),
  output: changing(changeOutput),
  retry,
  truncation: truncate,
} as const satisfies Record<string, Edit>;
