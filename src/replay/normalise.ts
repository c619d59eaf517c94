// Removes what is known to vary from run to run without meaning: durations, dates, ids, paths of temporary
// files. Applied only if two outputs differ, never to the content of files, and named in the report when it
// made them equal.
import { CtxError } from "../base/errors.js";
import type { NormaliserRule } from "../model/config.js";
import { endOfTextName } from "../results/replay.js";
import { mayPrintFiles } from "./file-printer.js";
import type { Execution } from "./plan.js";

export interface Normaliser {
  name: string;
  /** Returns the text without what varies. */
  apply: (text: string) => string;
}

const unit = "(?:ns|\\u00b5s|us|ms|s|secs?|seconds?|mins?|minutes?)";

/**
 * Agents record the output of a command, and a part of a file, without the end of its last line. A pattern
 * such as `\s+$` would take quadratic time on spaces before another character, and a replay cannot be
 * interrupted meanwhile.
 */
const endOfText: Normaliser = { name: endOfTextName, apply: (text) => text.trimEnd() };

/** For commands; tools of other kinds return what is in the workspace. */
const forCommands: readonly Normaliser[] = [
  replacing(
    "durations",
    new RegExp(`(?<![\\w.])(?:\\d+m)?\\d+(?:\\.\\d+)?\\s?${unit}\\b`, "g"),
    "<duration>",
  ),
  replacing(
    "dates",
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?)?|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z0-9][a-z0-9]{0,2} [A-Z0-9][a-z0-9]{0,2} (?:\d{4} )?\d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?/g,
    "<date>",
  ),
  replacing("ids", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"),
  replacing("temporary paths", /(?<![\w/])\/(?:tmp|var\/tmp|var\/folders)\/[^\s'"`:;,()<>]+/g, "<temporary>"),
  endOfText,
];

function replacing(name: string, pattern: RegExp, replacement: string): Normaliser {
  return { name, apply: (text) => text.replaceAll(pattern, replacement) };
}

/**
 * Returns the normalisers for a step, the configured ones first. A step that prints the content of files is
 * compared verbatim.
 */
export function normalisersFor(
  tool: string,
  execution: Execution,
  { rules, agent }: { rules: readonly NormaliserRule[]; agent: string | undefined },
): Normaliser[] {
  // Agents leave out the end of the text; a log that was written for ctx has every byte.
  if (printsContent(execution)) return agent === undefined || !isTrimmed(execution) ? [] : [endOfText];
  const configured = rules
    .filter(({ tools }) => tools === undefined || tools.includes(tool))
    .map((rule) => replacing(rule.name, compiled(rule), rule.replace ?? ""));
  return execution.how === "command" ? [...configured, ...forCommands] : configured;
}

function printsContent(execution: Execution): boolean {
  if (execution.how === "command") return mayPrintFiles(execution.argv);
  return execution.how === "builtin" && (execution.use.action === "read" || execution.use.action === "grep");
}

/** Returns whether agents trim the record: the output of a command, and some lines of a file. */
function isTrimmed(execution: Execution): boolean {
  return (
    execution.how === "command" ||
    (execution.how === "builtin" &&
      execution.use.action === "read" &&
      (execution.use.from !== undefined || execution.use.lines !== undefined))
  );
}

function compiled({ name, pattern }: NormaliserRule): RegExp {
  try {
    return new RegExp(pattern, "gu");
  } catch {
    throw new CtxError(
      "store-unusable",
      `the normaliser "${name}" has a pattern that is no regular expression`,
    );
  }
}

/** Larger texts are compared verbatim. */
const maxText = 4 << 20;

/** Returns the normalisers that make two outputs equal, or undefined if they stay different. */
export function equalAfter(
  one: Buffer,
  other: Buffer,
  normalisers: readonly Normaliser[],
): string[] | undefined {
  if (one.length > maxText || other.length > maxText || normalisers.length === 0) return undefined;
  let [a, b] = [one.toString("latin1"), other.toString("latin1")];
  const used: string[] = [];
  for (const { name, apply } of normalisers) {
    const [nextA, nextB] = [apply(a), apply(b)];
    if (nextA !== a || nextB !== b) used.push(name);
    [a, b] = [nextA, nextB];
    if (a === b) return used;
  }
  return undefined;
}
