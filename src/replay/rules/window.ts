// What an editor shows of a file: some numbered lines, in one of two forms. All of them must be the file's
// own lines of these numbers, and where the record says how many lines there are, that number must be right.
import type { ComparingRule, OutputPair } from "./rule.js";
import { withoutTabs } from "./terminal.js";

/** The lines that a view shows on request. */
export interface RequestedLines {
  from?: number;
  to?: number;
}

/** Returns the rule for editors' views. */
export function windowRule(requested: RequestedLines): ComparingRule {
  return { name: "window", compared: "normalised", isEqual: (pair) => isShown(pair, requested) };
}

interface ShownLines {
  path: string;
  first: number;
  lines: string[];
  /** The number of lines of the file, as far as it is known. */
  total?: number;
}

function isShown({ recorded, now }: OutputPair, requested: RequestedLines): boolean {
  const names = folderIn(recorded);
  if (names !== undefined) return isSameFolder(names, now);
  const file = swePart(now);
  const shown = swePart(recorded) ?? catPart(recorded, requested);
  if (file === undefined || shown === undefined || file.first > 1) return false;
  const { path, first, lines, total } = shown;
  if (!isSamePath(path, file.path) || (total !== undefined && total !== file.lines.length)) return false;
  if (lines.length === 0) return file.lines.length === 0;
  const own = file.lines.slice(first - 1, first - 1 + lines.length);
  return own.length === lines.length && own.every((line, at) => isSameLine(line, lines[at] as string));
}

/** The last line of a record has no space at its end, and some editors show tabs as spaces. */
function isSameLine(own: string, shown: string): boolean {
  return own === shown || own.trimEnd() === shown.trimEnd() || withoutTabs(own).trimEnd() === shown.trimEnd();
}

/** One of the two may be relative to another folder. */
function isSamePath(shown: string, own: string): boolean {
  const plain = shown.replace(/^\.\//, "");
  return plain === own || plain.endsWith(`/${own}`) || own.endsWith(`/${plain}`);
}

/** Reads `[File: a.py (20 lines total)]`, `(3 more lines above)`, `4:text`; the last of them in a text. */
function swePart(text: string): ShownLines | undefined {
  const header = [...text.matchAll(/^\[File: (.+) \((\d+) lines total\)\]\n?/gm)].at(-1);
  if (header === undefined) return undefined;
  const rest = text.slice(header.index + header[0].length);
  const above = /^\((\d+) more lines? above\)\n/.exec(rest);
  const first = above === null ? 1 : Number(above[1]) + 1;
  const all = rest.slice(above?.[0].length ?? 0).split("\n");
  const lines = numberedFrom(first, all, ":");
  const total = Number(header[2]);
  const below = /^\((\d+) more lines? below\)$/.exec(all[lines.length] ?? "")?.[1] ?? "0";
  if (first - 1 + lines.length + Number(below) !== total) return undefined;
  return { path: header[1] as string, first, lines, total };
}

/** Reads the lines of `cat -n`, behind a header. */
function catPart(text: string, { from = 1, to = -1 }: RequestedLines): ShownLines | undefined {
  const header = /^Here's the result of running `cat -n` on (.+):\n/.exec(text);
  if (header === null) return undefined;
  const all = text.slice(header[0].length).replace(/\n$/, "").split("\n");
  const lines = numberedFrom(from, all, "\t");
  // Another line between them, such as a note that the view was cut, is not known.
  if (lines.length === 0 || lines.length !== all.length) return undefined;
  const end = from - 1 + lines.length;
  if (to !== -1 && end > to) return undefined;
  // A file of n lines that ends in a line end is shown with an empty line n + 1.
  const isLastEmpty = lines.at(-1) === "";
  if (to === -1 && isLastEmpty) lines.pop();
  return {
    path: header[1] as string,
    first: from,
    lines,
    ...(to === -1 ? { total: isLastEmpty ? end - 1 : end } : {}),
  };
}

/** Returns the lines that begin with consecutive numbers, without these. */
function numberedFrom(first: number, all: readonly string[], mark: ":" | "\t"): string[] {
  const lines: string[] = [];
  for (const line of all) {
    const [, number, text = ""] = (mark === ":" ? /^(\d+):(.*)$/ : /^ *(\d+)\t(.*)$/).exec(line) ?? [];
    if (Number(number) !== first + lines.length) break;
    lines.push(text);
  }
  return lines;
}

function folderIn(recorded: string): string[] | undefined {
  const header = /^Here's the files and directories up to 2 levels deep in (.+), excluding hidden items:\n/;
  const found = header.exec(recorded);
  if (found === null) return undefined;
  const root = (found[1] as string).replace(/\/$/, "");
  return recorded
    .slice(found[0].length)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/\/$/, ""))
    .flatMap((line) =>
      line === root ? [] : line.startsWith(`${root}/`) ? line.slice(root.length + 1) : line,
    );
}

function isSameFolder(names: readonly string[], now: string): boolean {
  const [header = "", ...own] = now.split("\n").filter((line) => line !== "");
  return header.startsWith("[Folder: ") && own.join("\n") === [...names].sort().join("\n");
}
