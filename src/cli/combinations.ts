// Says which options of a command exclude each other, in as few sentences as possible: for the help, where a
// list at each option would be longer than what the options do.
import { isConflict, type Option } from "./command.js";

/** A set of options smaller than this reads better as "a not with b or c". */
const minSet = 4;

/** Returns a sentence for each set of options that exclude each other: together they name every such pair. */
export function combinationTexts(options: readonly Option[]): string[] {
  const texts: string[] = [];
  const left = new Map(options.map((a) => [a, options.filter((b) => a !== b && isConflict(a, b))]));
  const drop = (a: Option, others: readonly Option[]): void => {
    left.set(
      a,
      (left.get(a) ?? []).filter((b) => !others.includes(b)),
    );
  };
  for (const option of options) {
    const set = exclusiveSet(option, left);
    if (set.length < minSet) continue;
    texts.push(`only one of ${listText(set, "and")}`);
    for (const member of set) drop(member, set);
  }
  for (;;) {
    const hub = options.reduce((best, next) => (count(left, next) > count(left, best) ? next : best));
    const others = left.get(hub) ?? [];
    if (others.length === 0) return texts;
    const hubs = options.filter((option) => isSame(left.get(option) ?? [], others));
    texts.push(`${listText(hubs, "and")} not with ${listText(others, "or")}`);
    for (const option of hubs) drop(option, others);
    for (const option of others) drop(option, hubs);
  }
}

/** Returns options, this one first, no two of which can be combined. */
function exclusiveSet(option: Option, left: ReadonlyMap<Option, readonly Option[]>): Option[] {
  const set = [option];
  for (const next of left.get(option) ?? [])
    if (set.every((member) => left.get(member)?.includes(next) === true)) set.push(next);
  return set;
}

function count(left: ReadonlyMap<Option, readonly Option[]>, option: Option): number {
  return left.get(option)?.length ?? 0;
}

function isSame(a: readonly Option[], b: readonly Option[]): boolean {
  return a.length === b.length && a.every((option) => b.includes(option));
}

function listText(options: readonly Option[], word: "and" | "or"): string {
  const names = options.map(({ long }) => `--${long}`);
  const first = names.slice(0, -1).join(", ");
  return first === "" ? (names[0] ?? "") : `${first} ${word} ${names.at(-1)}`;
}
