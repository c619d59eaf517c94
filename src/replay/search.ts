// Implements `glob` and `grep`. Both walk the workspace by descriptor and sort by bytes, so that the result
// depends on the files alone; patterns from strangers cannot keep them busy for long.
import * as vm from "node:vm";
import { errnoOf } from "../base/errors.js";
import { fill, readWhole } from "../base/fs/files.js";
import type { Grep, ToolUse } from "../tools/tool-use.js";
import { StepFailure } from "./outcome.js";
import { globMatcher } from "./glob-pattern.js";
import { toBytes, toText } from "./dir-cursor.js";
import { maxBytes, type Workspace } from "./workspace.js";
import { hasContext, lines, report } from "./search-report.js";
import type { FileKind } from "./walk.js";

/** Not searched unless they are named themselves. */
const skip: ReadonlySet<string> = new Set([".git", ".ctx"]);

/**
 * Returns the files below `folder` that match the pattern, one per line: relative to `folder`, or to the root
 * if they are not in it, or on request.
 */
export function glob(
  workspace: Workspace,
  { pattern, fromRoot = false }: Pick<Extract<ToolUse, { action: "glob" }>, "pattern" | "fromRoot">,
  folder: string,
): Buffer {
  if (pattern === "") throw new StepFailure("error", "the glob pattern is empty");
  if (workspace.stat(folder)?.kind !== "folder")
    throw new StepFailure("missing_input", `there is no folder ${folder === "" ? "." : folder}`);
  const { start, rest } = literalStart(workspace, pattern, folder);
  if (workspace.stat(start)?.kind !== "folder") return Buffer.alloc(0);
  const fits = globMatcher(rest);
  const found: { path: string; kind: FileKind }[] = [];
  workspace.walk(
    start,
    ({ path, kind }) => {
      if ((kind === "file" || kind === "link") && fits(toText(path))) found.push({ path, kind });
    },
    { skip },
  );
  const isInside = !fromRoot && start.startsWith(join(folder, ""));
  const shown = toBytes(isInside ? start.slice(join(folder, "").length) : start);
  const files = found.filter(
    ({ path, kind }) => kind === "file" || leadsToFile(workspace, join(start, toText(path))),
  );
  return lines(files.map(({ path }) => (start === folder && !fromRoot ? path : join(shown, path))).sort());
}

/**
 * Returns the folder of a pattern's leading names, and the rest of it. Handles `..` and absolute patterns.
 */
function literalStart(
  workspace: Workspace,
  pattern: string,
  folder: string,
): { start: string; rest: string } {
  const parts = pattern.split("/");
  const magic = parts.findIndex((part) => /[*?[\]{}\\]/.test(part));
  const count = magic === -1 ? parts.length - 1 : magic;
  if (count === 0) return { start: folder, rest: pattern };
  const start = workspace.locate(`${parts.slice(0, count).join("/")}/`, folder);
  return { start, rest: parts.slice(count).join("/") };
}

function leadsToFile(workspace: Workspace, path: string): boolean {
  try {
    return workspace.stat(path)?.kind === "file";
  } catch (error) {
    if (error instanceof StepFailure) return false;
    throw error;
  }
}

/** Returns the matches below `path`, or in it. Paths in the result are relative to the root. */
export function grep(workspace: Workspace, use: Grep, path: string): Buffer {
  const search = lineSearch(use);
  const isWanted = fileFilter(use.glob);
  const results: { path: string; text: Buffer }[] = [];
  let total = 0;

  const kind = workspace.stat(path)?.kind;

  function take(file: string, descriptor: number): void {
    const content = readText(descriptor);
    const found = content === undefined ? [] : search(content.toString());
    if (content === undefined || found.length === 0) return;
    const text = report(use, { path: file, content, found, isAlone: kind !== "folder" });
    total += text.length;
    if (total > maxBytes)
      throw new StepFailure("error", "the search finds too much to be held", { untried: true });
    results.push({ path: file, text });
  }

  if (kind !== "folder") workspace.open(path, (descriptor) => take(toBytes(path), descriptor));
  else
    workspace.walk(
      path,
      (entry) => {
        if (entry.kind !== "file" || !isWanted(toText(entry.path))) return;
        unlessUnreadable(() => entry.open((descriptor) => take(join(toBytes(path), entry.path), descriptor)));
      },
      { skip },
    );
  results.sort((a, b) => (a.path < b.path ? -1 : 1));
  const gap = Buffer.from(hasContext(use) ? "--\n" : "");
  return Buffer.concat(results.flatMap(({ text }, at) => (at === 0 ? [text] : [gap, text])));
}

/** Skips a file that may not be read, or has gone, as every grep does. */
function unlessUnreadable(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/**
 * Returns a filter with ripgrep's rules: a pattern without a slash matches the name alone, one after `!`
 * excludes files.
 */
function fileFilter(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined || pattern === "") return () => true;
  const isNegated = pattern.startsWith("!");
  const plain = (isNegated ? pattern.slice(1) : pattern).replace(/^\.?\//, "");
  const fits = globMatcher(pattern.includes("/") ? plain : `**/${plain}`, { dots: true });
  return (path) => fits(path) !== isNegated;
}

/** Returns the content of a file, or undefined if it is binary: if a NUL is in its first 8 KB. */
function readText(descriptor: number): Buffer | undefined {
  const head = Buffer.alloc(8192);
  const length = fill(descriptor, head);
  if (head.subarray(0, length).includes(0)) return undefined;
  if (length < head.length) return head.subarray(0, length);
  return Buffer.concat([head, readWhole(descriptor, maxBytes)]);
}

/** For one file, and for all together if there are few, in milliseconds. */
const maxTime = 2000;
/**
 * Many large files take their time; characters per millisecond, about three times slower than an ordinary
 * search.
 */
const slowest = 20_000;
const maxPattern = 10_000;

/**
 * Returns the numbers of the lines that match, from 1. JavaScript's expressions can take forever, so they run
 * where a time limit interrupts them; only the pattern is a stranger's, the program is not.
 */
function lineSearch(use: Grep): (text: string) => number[] {
  if (use.pattern.length > maxPattern)
    throw new StepFailure("error", "the search pattern is too long", { untried: true });
  const { pattern, flags } = expressionOf(use);
  const context = vm.createContext({ pattern, flags, text: "" });
  let left = maxTime;

  function run(script: vm.Script): unknown {
    const start = performance.now();
    try {
      return script.runInContext(context, { timeout: Math.min(maxTime, Math.max(1, Math.ceil(left))) });
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw tooSlow();
      // Every engine words its error differently.
      if (name === "SyntaxError")
        throw new StepFailure("error", "the search pattern is not a regular expression");
      throw new StepFailure("error", `the search failed: ${name}`);
    } finally {
      left -= performance.now() - start;
    }
  }

  run(preparing);
  return (text) => {
    left += text.length / slowest;
    context["text"] = text;
    const found = String(run(isPatient ? searching : searchingTwice));
    if (found === "too slow") throw tooSlow();
    if (found === "too many")
      throw new StepFailure("error", "the search finds too much to be held", { untried: true });
    return found === "" ? [] : found.split(",").map(Number);
  };
}

function tooSlow(): StepFailure {
  return new StepFailure("timeout", "the search pattern takes too long to match");
}

/**
 * Whether an expression always runs to its result; Bun's engine reports after some tenths of a second that
 * there is no match.
 */
const isPatient = process.versions.bun === undefined;

const preparing = new vm.Script(`
  let expression;
  // Other programs allow more escapes than JavaScript does for Unicode.
  try { expression = new RegExp(pattern, flags + "u"); } catch { expression = new RegExp(pattern, flags); }
`);

const searching = searchBy("expression.test(piece)");

/**
 * An expression that took that long and found nothing runs again: if the machine was busy, it will not take
 * that long twice.
 */
const searchingTwice = searchBy("(expression.test(piece) || isSlow(piece))");

function searchBy(test: string): vm.Script {
  return new vm.Script(`(() => {
  const whole = text, found = [];
  let since = Date.now(), isGivenUp = false;
  const isSlow = (piece) => {
    const most = 40 + piece.length / ${slowest};
    for (let tries = 0; tries < 2; tries++) {
      const now = Date.now();
      if (now - since <= most) return false;
      since = now;
      if (expression.test(piece)) return true;
    }
    isGivenUp = Date.now() - since > most;
    return false;
  };
  for (let at = 0, line = 1; at < whole.length; line++) {
    let end = whole.indexOf("\\n", at);
    if (end === -1) end = whole.length;
    const piece = whole.slice(at, end);
    if (${test} && found.push(line) > 1e6) return "too many";
    if (isGivenUp) return "too slow";
    at = end + 1;
  }
  return found.join();
})()`);
}

/** Translates a pattern to JavaScript's syntax: other programs have `(?i)` in front and `[[:space:]]`. */
function expressionOf(use: { pattern: string; isFixed: boolean; ignoreCase: boolean }): {
  pattern: string;
  flags: string;
} {
  const flags = use.ignoreCase ? "i" : "";
  if (use.isFixed) return { pattern: use.pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags };
  const isPrefixed = use.pattern.startsWith("(?i)");
  const pattern = (isPrefixed ? use.pattern.slice(4) : use.pattern).replaceAll(
    /\[:([a-z]+):\]/g,
    (whole, name: string) => classes[name] ?? whole,
  );
  return { pattern, flags: isPrefixed ? "i" : flags };
}

const classes: Record<string, string> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  blank: " \\t",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

function join(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}
