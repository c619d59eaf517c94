// The long listing of `ls -l`: owners, links, dates and the sizes of folders belong to a machine, not to the
// files. Modes, names and the sizes of files are compared.
import type { Stage } from "../../tools/shell-line.js";
import { inBoth, type RewritingRule } from "./rule.js";

const size = "\\d[\\d.,]*[KMGTP]?i?";
const date =
  "(?:[A-Z][a-z]{2} +\\d{1,2} +(?:\\d\\d:\\d\\d|\\d{4})|\\d{1,2} [A-Z][a-z]{2} +(?:\\d\\d:\\d\\d|\\d{4})|\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)? [+-]\\d{4})?)";
const entry = new RegExp(
  `^([-dlbcps])([-rwxsStT]{9})[@+.]? +\\d+ +\\S+ +\\S+ +(${size}) +${date} (.+)$`,
  "gm",
);

const listing: RewritingRule = inBoth("ls -l", (text) =>
  text
    .replaceAll(/^total \S+(?:\n|$)/gm, "")
    .replaceAll(entry, (_, kind: string, mode: string, bytes: string, name: string) =>
      kind === "d" ? `${kind}${mode} ${name}` : `${kind}${mode} ${bytes} ${name}`,
    ),
);

/** Returns the rule for command lines that list files with `ls -l`. */
export function lsRules(stages: readonly Stage[]): RewritingRule[] {
  return stages.some((stage) => isLs(stage) && hasFlag(stage, "l")) ? [listing] : [];
}

/** Returns whether a stage lists files by their times, which no checkout has. */
export function isListingByTime(stage: Stage): boolean {
  return isLs(stage) && hasFlag(stage, "t");
}

export function isLs({ program }: Stage): boolean {
  return program === "ls" || program === "ll";
}

function hasFlag({ words }: Stage, flag: string): boolean {
  return words.some((word) => /^-[A-Za-z0-9]+$/.test(word) && word.includes(flag));
}
