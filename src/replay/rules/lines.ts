// Searches whose order is not stable: the lines are compared, and not their order.
import type { ShellLine, Stage } from "../../tools/shell-line.js";
import { isListingByTime } from "./ls.js";
import type { ComparingRule } from "./rule.js";

/** Compares the lines of a command without their order; how often each occurs counts. */
export const lineRule: ComparingRule = {
  compared: "lines",
  isEqual: ({ recorded, now }) => isSameList(sortedLines(recorded), sortedLines(now)),
};

/**
 * Compares the set of lines of a tool that searches; the run's own folder is removed from their beginnings.
 */
export function lineSetRule(root: string): ComparingRule {
  const plain = (line: string): string => (line.startsWith(`${root}/`) ? line.slice(root.length + 1) : line);
  return {
    compared: "lines",
    isEqual: ({ recorded, now }) =>
      isSameList(setOf(sortedLines(recorded).map(plain)), setOf(sortedLines(now).map(plain))),
  };
}

/** Returns the sorted lines that are not empty. */
export function sortedLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .sort();
}

function setOf(lines: readonly string[]): string[] {
  return [...new Set(lines)].sort();
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/** Stages that print nothing, or the same words each time. */
const steady = new Set(["cd", "echo", "printf", "true", "export", "set", "pwd", ""]);

/**
 * Returns whether every search of the line prints its results in no stable order: `find`, `grep -r`, `rg`,
 * `ls -t`, or `head` or `grep` behind one of these.
 */
export function isUnorderedSearch({ pipelines, isComplete }: ShellLine): boolean {
  if (!isComplete) return false;
  const printing = pipelines.filter(({ stages }) => !stages.every(({ program }) => steady.has(program)));
  return (
    printing.length > 0 &&
    printing.every(
      ({ stages: [first, ...filters] }) => first !== undefined && isSearch(first) && filters.every(isFilter),
    )
  );
}

function isSearch(stage: Stage): boolean {
  const { program, words, isProgramExpanded, wrappers } = stage;
  if (isProgramExpanded || wrappers.some((word) => word === "xargs")) return false;
  if (program === "find") return !words.some((word) => /^-(?:exec|ok|printf|fprint|delete)/.test(word));
  if (program === "rg") return true;
  if (/^[ef]?grep$/.test(program))
    return words.some((word) => /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive$/.test(word));
  return isListingByTime(stage);
}

/** Returns whether a stage passes on some of the lines that a pipe feeds it, unchanged. */
function isFilter({ program, words, isPiped, wrappers }: Stage): boolean {
  if (!isPiped || wrappers.length > 0) return false;
  if (program === "head") return words.every((word) => /^-?n?\d+$|^-n$/.test(word));
  return /^(?:[ef]?grep|rg)$/.test(program) && words.filter((word) => !word.startsWith("-")).length === 1;
}
