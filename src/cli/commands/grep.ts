import { CtxError } from "../../base/errors.js";
import { parseRanges } from "../../base/ranges.js";
import type { GrepOptions, SearchedPart } from "../../ops/grep.js";
import type { Store } from "../../store/store.js";
import { type Call, type Command, oneOf } from "../command.js";
import { openStore } from "../open-store.js";
import { packNames, withPacks } from "../pack-arguments.js";
import { noPagerOption } from "../pager.js";
import { parseRunFilter, runFilterOptions } from "../run-filter-options.js";
import { nonEmpty } from "../shared-options.js";
import { indexAfterSearch } from "../search-index.js";

export const grep: Command = {
  name: "grep",
  summary: "search runs for a text or a regular expression",
  details:
    "Prints every line that matches in prompts, parameters of calls, their outputs, what the model said, and files before and after, newest run first. The search is exact: an index under cache/ only saves reading, and packs that it does not know are read whole. Patterns are regular expressions in RE2 syntax and match within a line; -i ignores the case of ASCII letters. Secrets that were masked are not found: `ctx scan` is the command for secrets.",
  arguments: [
    { name: "pattern", summary: "a regular expression; with -e, a pack", required: false },
    { name: "pack", summary: `where to search: ${packNames}`, required: false, many: true, complete: "pack" },
  ],
  options: [
    {
      long: "regexp",
      short: "e",
      value: "pattern",
      summary: "a pattern; a line that matches any of them is a hit",
      repeats: true,
    },
    { long: "fixed-strings", short: "F", summary: "the patterns are texts, not regular expressions" },
    { long: "ignore-case", short: "i", summary: "ignore the case of ASCII letters" },
    { long: "word-regexp", short: "w", summary: "match whole words only" },
    {
      long: "in",
      value: "parts",
      summary:
        "where to search: prompt, system, param, output, seen, reasoning, file; without it all but system",
      repeats: true,
    },
    { long: "step", value: "N", summary: "only these steps, such as 3-9,14 or 20-" },
    {
      long: "path",
      value: "path",
      summary: "only steps that name this file, a file below this folder, or one that fits a pattern",
      complete: "file",
    },
    ...runFilterOptions.map((option) =>
      option.long === "tool" ? { ...option, summary: "only steps of this tool" } : option,
    ),
    { long: "line-number", short: "n", summary: "number the lines" },
    { long: "context", value: "N", summary: "show lines before and after each hit" },
    { long: "max-count", short: "m", value: "N", summary: "at most so many hits for each run" },
    { long: "max-runs", value: "N", summary: "at most so many runs with hits" },
    {
      long: "first",
      summary: "search the oldest run first, and stop at the first hit: where did this begin?",
      conflicts: ["max-count", "max-runs"],
    },
    ...oneOf([
      { long: "list", short: "l", summary: "only the runs with hits", conflicts: ["json"] },
      { long: "count", short: "c", summary: "only how many hits each run has", conflicts: ["json"] },
      { long: "steps", summary: "one line for each step with hits", conflicts: ["json"] },
    ]),
    ...oneOf([
      { long: "subagents", summary: "list the runs of sub-agents as runs of their own" },
      { long: "no-subagents", summary: "leave out the runs of sub-agents" },
    ]),
    { long: "with-echoes", summary: "search the calls of ctx itself, too" },
    {
      long: "sessions",
      summary: "also search sessions on this machine that are not packed, or have grown since",
      conflicts: ["first", "max-runs", "tag", "parent", "no-index"],
    },
    { long: "no-index", summary: "read every content, whatever the index says" },
    { long: "utc", summary: "show times in UTC instead of how long ago" },
    noPagerOption,
  ],
  examples: [
    { run: "ctx grep 'cases failed'", does: "list every line with this text" },
    { run: "ctx grep -F 'node test.mjs' --in param", does: "find the calls that ran a command" },
    {
      run: "ctx grep -n --context 2 'not ok|failed' latest",
      does: "search one run, with line numbers and the lines around",
    },
    { run: "ctx grep --first 'cases failed'", does: "show where an error first appeared" },
    { run: "ctx grep -l 'pages\\('", does: "list the runs that name a function" },
    { run: "ctx grep --json 'failed' | jq -r .pack", does: "print the packs, for a script" },
  ],
  exits: [
    { status: 0, when: "there are hits, and everything was searched" },
    { status: 1, when: "there is no hit" },
    { status: 2, when: "something could not be searched, or the pattern was not understood" },
  ],
  async run(call) {
    const { pattern, packs, options } = parseSearch(call);
    if (call.options.has("sessions")) {
      if (packs.length > 0)
        throw new CtxError("usage", "--sessions searches sessions, so no packs can be named with it");
      const { grepSessions } = await import("../grep-sessions.js");
      return await grepSessions(call, pattern, options);
    }
    if (packs.length > 0)
      return await withPacks(call, packs, async (store, hashes, outside) => {
        const typed = outside.length === 1 ? outside[0]?.typed : undefined;
        return await searchIn(call, store, { pattern, options: { ...options, packs: hashes }, typed });
      });
    const store = openStore(call);
    let isIndexed = options.noIndex === true;
    // A pack that is new while another is gone is indexed with the next one: until then, it is read whole.
    const onIndexed = (indexed: number, total: number): void => void (isIndexed = indexed === total);
    const exit = await searchIn(call, store, { pattern, options: { ...options, onIndexed } });
    if (!isIndexed) await indexAfterSearch(call, store);
    return exit;
  },
};

interface Search {
  pattern: string;
  options: GrepOptions;
  /** What was typed for the run, if it is not in the store. */
  typed?: string | undefined;
}

/** Searches a store, and prints the hits as they are found. */
async function searchIn(call: Call, store: Store, { pattern, options, typed }: Search): Promise<number> {
  const { grep: search } = await import("../../ops/grep.js");
  const { SearchOutput } = await import("../search-output.js");
  const output = new SearchOutput(call);
  const summary = search(store, pattern, {
    ...options,
    onRun: (run) => output.run(run, typed),
    progress: (done, total) => output.progress.show(done, total),
  });
  return await output.end(summary);
}

function parseSearch(call: Call): { pattern: string; packs: string[]; options: GrepOptions } {
  const patterns = [...(call.lists.get("regexp") ?? [])];
  let packs = call.arguments;
  if (patterns.length === 0) {
    const [first, ...rest] = packs;
    if (first === undefined)
      throw new CtxError("usage", "ctx grep needs a pattern", { hint: "ctx grep 'cannot find module'" });
    patterns.push(first);
    packs = rest;
  }
  const [pattern, ...or] = patterns as [string, ...string[]];
  const { tool, ...filter } = parseRunFilter(call);
  const options: GrepOptions = {
    ...filter,
    or,
    fixed: call.options.has("fixed-strings"),
    ignoreCase: call.options.has("ignore-case"),
    word: call.options.has("word-regexp"),
    first: call.options.has("first"),
    echoes: call.options.has("with-echoes"),
    noIndex: call.options.has("no-index"),
    subagents: call.options.has("no-subagents") ? "skip" : call.options.has("subagents") ? "list" : "fold",
  };
  if (tool !== undefined) Object.assign(options, { tool, stepTool: tool });
  const path = nonEmpty(call, "path");
  if (path !== undefined) options.path = path;
  const parts = call.lists.get("in");
  if (parts !== undefined) options.in = parts.flatMap((names) => names.split(",")) as SearchedPart[];
  const steps = call.options.get("step");
  if (steps !== undefined) options.steps = ranges(steps);
  const context = wholeNumber(call, "context");
  if (context !== undefined) options.context = context;
  const maxHits = wholeNumber(call, "max-count");
  if (maxHits !== undefined) options.maxHits = maxHits;
  const maxRuns = wholeNumber(call, "max-runs");
  if (maxRuns !== undefined) options.maxRuns = maxRuns;
  return { pattern, packs, options };
}

function ranges(text: string): NonNullable<GrepOptions["steps"]> {
  const parsed = parseRanges(text);
  if (typeof parsed !== "string") return parsed;
  throw new CtxError("usage", `--step: ${parsed}`, {
    hint: "write numbers and ranges separated by commas, such as 3-9,14 or 20-",
  });
}

function wholeNumber(call: Call, option: string): number | undefined {
  const value = call.options.get(option);
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new CtxError("usage", `--${option} needs a whole number, not "${value}"`);
}
