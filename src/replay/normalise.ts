// What is known to vary from run to run, and says nothing: durations, dates, ids, paths of temporary files. Only looked at
// when two outputs differ, and named in the report when it made them equal.
import { CtxError } from "../base/errors.js";
import type { NormaliserRule } from "../model/config.js";
import type { Way } from "./plan.js";

export interface Normaliser {
  name: string;
  pattern: RegExp;
  replace: string;
}

const unit = "(?:ns|\\u00b5s|us|ms|s|secs?|seconds?|mins?|minutes?)";

/** Agents record what a command printed, and a part of a file, without the end of its last line. */
const endOfText: Normaliser = { name: "space at the end", pattern: /\s+$/g, replace: "" };

/** For commands; tools of other kinds give what is in the workspace. */
const forCommands: readonly Normaliser[] = [
  {
    name: "durations",
    pattern: new RegExp(`(?<![\\w.])(?:\\d+m)?\\d+(?:\\.\\d+)?\\s?${unit}\\b`, "g"),
    replace: "<duration>",
  },
  {
    name: "dates",
    pattern:
      /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?)?|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z0-9][a-z0-9]{0,2} [A-Z0-9][a-z0-9]{0,2} (?:\d{4} )?\d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?/g,
    replace: "<date>",
  },
  {
    name: "ids",
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
    replace: "<id>",
  },
  {
    name: "temporary paths",
    pattern: /(?<![\w/])\/(?:tmp|var\/tmp|var\/folders)\/[^\s'"`:;,()<>]+/g,
    replace: "<temporary>",
  },
  endOfText,
];

/** Those for a step, the configured ones first. */
export function normalisersFor(tool: string, way: Way, rules: readonly NormaliserRule[]): Normaliser[] {
  const configured = rules
    .filter(({ tools }) => tools === undefined || tools.includes(tool))
    .map((rule) => ({ name: rule.name, pattern: compiled(rule), replace: rule.replace ?? "" }));
  if (way.how === "command") return [...configured, ...forCommands];
  return isPart(way) ? [...configured, endOfText] : configured;
}

/** Whether it reads some lines of a file, not all. */
function isPart(way: Way): boolean {
  return (
    way.how === "builtin" &&
    way.use.action === "read" &&
    (way.use.from !== undefined || way.use.lines !== undefined)
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

/** What is larger is compared as it is. */
const largestText = 4 << 20;

/** The normalisers that make two outputs equal, or undefined when they stay different. */
export function equalAfter(
  one: Buffer,
  other: Buffer,
  normalisers: readonly Normaliser[],
): string[] | undefined {
  if (one.length > largestText || other.length > largestText || normalisers.length === 0) return undefined;
  let [a, b] = [one.toString("latin1"), other.toString("latin1")];
  const used: string[] = [];
  for (const { name, pattern, replace } of normalisers) {
    const [nextA, nextB] = [a.replaceAll(pattern, replace), b.replaceAll(pattern, replace)];
    if (nextA !== a || nextB !== b) used.push(name);
    [a, b] = [nextA, nextB];
    if (a === b) return used;
  }
  return undefined;
}
