// Applies patches in the format of Codex's apply_patch. Where the lines of a change are found, and what a
// line then becomes, follows its reference implementation, since a recorded run shows the files that it left.
import { NotApplied } from "./outcome.js";
import { joinLines, type FileLine, limitedWork, patchLines, splitLines, usualEnd } from "./patch-lines.js";
import { toText } from "./dir-cursor.js";
import type { PatchTransaction } from "./patch-transaction.js";
import type { Workspace } from "./workspace.js";

interface Chunk {
  /** A line somewhere before the change. */
  context?: string;
  old: string[];
  new: string[];
  isAtEnd: boolean;
}

/** Applies the patch to the staged files. */
export function patchV4a(
  workspace: Workspace,
  transaction: PatchTransaction,
  options: { text: string; folder?: string },
): void {
  const { lines, folder } = unwrap(workspace, patchLines(options.text.trim()), options.folder);
  const locate = (path: string): string => workspace.locate(path, folder);
  let at = 0;
  if (lines.length === 0) throw new NotApplied("the patch changes no file");
  while (at < lines.length) {
    const line = toText(lines[at++] as string).trim();
    const added = after(line, "*** Add File: ");
    const removed = after(line, "*** Delete File: ");
    const updated = after(line, "*** Update File: ");
    if (added !== undefined) {
      const content: string[] = [];
      for (; lines[at]?.startsWith("+") === true; at++) content.push(`${lines[at]?.slice(1)}\n`);
      transaction.write(locate(added), Buffer.from(content.join(""), "latin1"));
    } else if (removed !== undefined) transaction.remove(locate(removed));
    else if (updated !== undefined) {
      const target = after(toText(lines[at] ?? "").trim(), "*** Move to: ");
      if (target !== undefined) at++;
      const chunks: Chunk[] = [];
      at = readChunks(lines, at, chunks);
      if (chunks.length === 0 && target === undefined)
        throw new NotApplied(`the patch says nothing about ${updated}`);
      const path = locate(updated);
      const bytes = update(transaction.read(path), chunks, path);
      if (target !== undefined && locate(target) !== path) transaction.remove(path);
      transaction.write(target === undefined ? path : locate(target), bytes);
    } else if (line !== "") throw new NotApplied(`line ${at + 1} of the patch names no file: ${line}`);
  }
}

function after(line: string, marker: string): string | undefined {
  return line.startsWith(marker) ? line.slice(marker.length) : undefined;
}

/** Returns the lines between the markers; around them may be a here-document, with a `cd` before it. */
function unwrap(workspace: Workspace, lines: string[], folder = ""): { lines: string[]; folder: string } {
  const first = lines[0] ?? "";
  const shell =
    /^(?:cd\s+(?:'([^']+)'|"([^"]+)"|([^\s'"&;|]+))\s*&&\s*)?(?:apply_?patch)?\s*<<-?\s*(['"]?)(\w+)\4\s*$/.exec(
      first,
    );
  if (shell !== null) {
    if (lines.at(-1)?.trim() !== shell[5])
      throw new NotApplied("the here-document of the patch does not end");
    const into = shell[1] ?? shell[2] ?? shell[3];
    const inner = lines.slice(1, -1);
    return unwrap(workspace, inner, into === undefined ? folder : workspace.locate(toText(into), folder));
  }
  if (first.trim() !== "*** Begin Patch")
    throw new NotApplied("the patch does not begin with *** Begin Patch");
  while (lines.at(-1)?.trim() === "") lines.pop();
  if (lines.length < 2 || lines.at(-1)?.trim() !== "*** End Patch")
    throw new NotApplied("the patch does not end with *** End Patch");
  return { lines: lines.slice(1, -1), folder };
}

/** Parses the changes of one file, and returns the line after them. */
function readChunks(lines: string[], from: number, chunks: Chunk[]): number {
  let at = from;
  while (at < lines.length && lines[at]?.startsWith("*") !== true) {
    const line = lines[at] as string;
    if (line.trim() === "") {
      at++;
      continue;
    }
    const hasMarker = line.startsWith("@@");
    if (!hasMarker && chunks.length > 0)
      throw new NotApplied(`line ${at + 2} of the patch is not understood: ${toText(line)}`);
    const chunk: Chunk = { old: [], new: [], isAtEnd: false };
    const context = hasMarker ? line.slice(2).replace(/^ /, "").replace(/\r$/, "") : "";
    if (context.trim() !== "") chunk.context = context;
    const start = hasMarker ? at + 1 : at;
    at = readChunk(lines, start, chunk);
    if (at === start) throw new NotApplied(`line ${at + 2} of the patch is not understood`);
    chunks.push(chunk);
  }
  return at;
}

function readChunk(lines: string[], from: number, chunk: Chunk): number {
  let at = from;
  for (; at < lines.length; at++) {
    const line = (lines[at] as string).replace(/\r$/, "");
    if (line === "*** End of File" && at > from) {
      chunk.isAtEnd = true;
      return at + 1;
    }
    const sign = line[0] ?? " ";
    if (sign !== " " && sign !== "+" && sign !== "-") break;
    if (sign !== "+") chunk.old.push(line.slice(1));
    if (sign !== "-") chunk.new.push(line.slice(1));
  }
  return at;
}

function update(content: Buffer, chunks: Chunk[], path: string): Buffer {
  const lines = splitLines(content);
  const seek = seeker(lines.map((line) => line.text));
  const end = usualEnd(lines);
  const changes: { at: number; count: number; lines: FileLine[] }[] = [];
  let from = 0;
  for (const chunk of chunks) {
    if (chunk.context !== undefined) {
      const found = seek([chunk.context], from, false);
      if (found === undefined)
        throw new NotApplied(`${path} has no line "${toText(chunk.context)}"`, "no_match");
      from = found + 1;
    }
    const change = placeChunk(chunk, from, { seek, lines });
    if (change === undefined)
      throw new NotApplied(
        `${path} does not have the lines to be changed:\n${toText(chunk.old.join("\n"))}`,
        "no_match",
      );
    if (chunk.old.length > 0) from = change.at + change.count;
    changes.push({ ...change, lines: change.new.map((text): FileLine => ({ text, end })) });
  }
  return joinLines(
    applyChanges(lines, changes, path).map((line) => (line.end === "" ? { ...line, end } : line)),
  );
}

function placeChunk(
  chunk: Chunk,
  from: number,
  file: { seek: Seek; lines: FileLine[] },
): { at: number; count: number; new: string[] } | undefined {
  const { seek, lines } = file;
  if (chunk.old.length === 0) {
    // A change that only adds goes to the end, before an empty line there.
    const at = lines.at(-1)?.text === "" ? lines.length - 1 : lines.length;
    return { at, count: 0, new: chunk.new };
  }
  const at = seek(chunk.old, from, chunk.isAtEnd);
  if (at !== undefined) return { at, count: chunk.old.length, new: chunk.new };
  if (chunk.old.at(-1) !== "") return undefined;
  // The empty line may stand for the line feed at the end of the file.
  const old = chunk.old.slice(0, -1);
  const again = seek(old, from, chunk.isAtEnd);
  const isBoth = chunk.new.at(-1) === "";
  return again === undefined
    ? undefined
    : { at: again, count: old.length, new: isBoth ? chunk.new.slice(0, -1) : chunk.new };
}

function applyChanges(
  lines: FileLine[],
  changes: { at: number; count: number; lines: FileLine[] }[],
  path: string,
): FileLine[] {
  const pieces: FileLine[][] = [];
  let from = 0;
  for (const change of changes.sort((a, b) => a.at - b.at)) {
    if (change.at < from) throw new NotApplied(`two changes of the patch meet in ${path}`);
    pieces.push(lines.slice(from, change.at), change.lines);
    from = change.at + change.count;
  }
  return [...pieces, lines.slice(from)].flat();
}

type Seek = (wanted: string[], from: number, isAtEnd: boolean) => number | undefined;

/**
 * Returns a function that finds lines in a file, exactly or else with less and less regard for white space
 * and kinds of punctuation.
 */
function seeker(lines: string[]): Seek {
  const work = limitedWork();
  const normalisations: ((line: string) => string)[] = [
    (line) => line,
    (line) => toText(line).trimEnd(),
    (line) => toText(line).trim(),
    (line) => withPlainPunctuation(toText(line).trim()),
  ];
  const cache = new Map<(line: string) => string, string[]>();
  return (wanted, from, isAtEnd) => {
    const last = lines.length - wanted.length;
    for (const normalise of normalisations) {
      const normalised = cache.get(normalise) ?? lines.map(normalise);
      cache.set(normalise, normalised);
      const sought = wanted.map(normalise);
      for (let at = isAtEnd ? Math.max(last, 0) : from; at <= last; at++) {
        let same = 0;
        for (; same < sought.length && normalised[at + same] === sought[same]; same++) work();
        work();
        if (same === sought.length) return at;
      }
    }
    return undefined;
  };
}

function withPlainPunctuation(line: string): string {
  return line
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/[\u2018-\u201b]/g, "'")
    .replaceAll(/[\u201c-\u201f]/g, '"')
    .replaceAll(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}
