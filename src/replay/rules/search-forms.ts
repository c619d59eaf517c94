// How agents write down what a search or a listing found: with a header that counts, in blocks for each file,
// with marks for folders. The record is rewritten to plain lines, and only if its own count is right.
import { posix } from "node:path";
import type { ToolUse } from "../../tools/table.js";
import { sortedLines } from "./lines.js";
import type { ComparingRule, OutputPair, RewritingRule } from "./rule.js";
import { shellState } from "./terminal.js";

type SearchUse = Extract<ToolUse, { action: "glob" | "grep" | "list" }>;

const nothing =
  /^(?:No files found|No matches found|No files found matching pattern .+|No matches found for pattern .+)\n?$/;
const note = /(?:^|\n)\(Results are truncated\. .*\)\n?$/;
const counted = /^Found (\d+) (?:files?|lines?|matches|match)(?: limit: \d+.*)?\n/;
/** SWE-agent's `find_file`. */
const sweFiles = /^Found (\d+) matches for ".+" in .+:\n/;
const geminiFiles = /^Found (\d+) file\(s\) matching .+:\n/;
const geminiMatches = /^Found (\d+) match(?:es)? for pattern [^]{1,10000}?:\n---\n/;
const geminiListing = /^Directory listing for .+:\n/;

/** Returns the rule that rewrites the record of a search to the lines that it found. */
export function searchForm(use: SearchUse): RewritingRule {
  return {
    name: "form of the search",
    apply({ recorded, now }: OutputPair) {
      if (nothing.test(recorded)) return { recorded: "", now };
      if (use.action === "list") return { recorded: listingOf(recorded) ?? recorded, now };
      const blocks = use.action === "grep" ? matchesOf(recorded, use.path) : undefined;
      // These blocks have each line without the space at its beginning.
      if (blocks !== undefined) return { recorded: blocks, now: now.replaceAll(/^(.+?:\d+:)[ \t]+/gm, "$1") };
      return { recorded: filesOf(recorded) ?? recorded, now };
    },
  };
}

function filesOf(recorded: string): string | undefined {
  const text = recorded.replace(note, "").replace(shellState, "");
  const header = counted.exec(text) ?? geminiFiles.exec(text) ?? sweFiles.exec(text);
  if (header === null) return text;
  const rest = text.slice(header[0].length);
  return Number(header[1]) === sortedLines(rest).length ? rest : undefined;
}

/** Reads `File: a.ts`, `L10: text`, with `---` between files. */
function matchesOf(recorded: string, folder: string): string | undefined {
  const header = geminiMatches.exec(recorded);
  if (header === null) return undefined;
  const found: string[] = [];
  let file = "";
  for (const line of recorded.slice(header[0].length).split("\n")) {
    const [, name] = /^File: (.+)$/.exec(line) ?? [];
    const [, number, text = ""] = /^L(\d+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) file = posix.join(folder, name);
    else if (number !== undefined) found.push(`${file}:${number}:${text.trimStart()}`);
    else if (line !== "---" && line !== "") return undefined;
  }
  return found.length === Number(header[1]) ? found.join("\n") : undefined;
}

/** Reads `[DIR] src`, `a.ts`. */
function listingOf(recorded: string): string | undefined {
  const header = geminiListing.exec(recorded);
  if (header === null) return undefined;
  const rest = recorded.slice(header[0].length).replace(/\n\(\d+ [^()\n]*ignored\)\s*$/, "");
  return rest.replaceAll(/^\[DIR\] (.+)$/gm, "$1/").replaceAll(/^(.+) \(\d+ bytes\)$/gm, "$1");
}

/** How many results Claude Code lists, if the call does not say. */
const usualMost = 100;

/**
 * Returns the rule for lists that end after a number of results: all of them must be found now, among others.
 */
export function cutListRule(root: string, most = usualMost): ComparingRule {
  const plain = (line: string): string => (line.startsWith(`${root}/`) ? line.slice(root.length + 1) : line);
  return {
    name: "cut",
    compared: "lines",
    isEqual({ recorded, now }) {
      const [before, after] = [sortedLines(recorded), sortedLines(now)];
      const found = new Set(after.map(plain));
      return before.length === most && after.length > most && before.every((line) => found.has(plain(line)));
    },
  };
}
