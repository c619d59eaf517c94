// What varies from run to run without meaning: durations, dates, ids, paths of temporary files.
import { endOfTextName } from "../../results/replay.js";
import { inBoth, replacing, type RewritingRule } from "./rule.js";

/** Outputs are compared as latin1, in which the sign for micro of UTF-8 is two characters. */
const unit = "(?:ns|\\u00c2?\\u00b5s|us|ms|s|secs?|seconds?|mins?|minutes?)";

/**
 * Agents record the output of a command, and a part of a file, without the end of its last line. A pattern
 * such as `\s+$` would take quadratic time on spaces before another character, and a replay cannot be
 * interrupted meanwhile.
 */
export const endOfText: RewritingRule = inBoth(endOfTextName, (text) => text.trimEnd());

/** For commands; tools of other kinds return what is in the workspace. */
export const varying: readonly RewritingRule[] = [
  replacing(
    "durations",
    new RegExp(`(?<![\\w.])(?:\\d+m)?\\d+(?:\\.\\d+)?\\s?${unit}\\b|(?<=\\t)\\(cached\\)(?=\\n|$)`, "g"),
    "<duration>",
  ),
  replacing(
    "dates",
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?)?|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z0-9][a-z0-9]{0,2} [A-Z0-9][a-z0-9]{0,2} (?:\d{4} )?\d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?/g,
    "<date>",
  ),
  replacing("ids", /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"),
  replacing("temporary paths", /(?<![\w/])\/(?:tmp|var\/tmp|var\/folders)\/[^\s'"`:;,()<>]+/g, "<temporary>"),
];
