// Finds which lines of a file were recorded in which output. The longest stretches come first; a stretch of
// only empty lines and brackets proves nothing.
import type { Reference } from "../base/digest.js";
import type { LineRange } from "../results/verify.js";

export interface RecordedLines {
  pack: Reference;
  name: string;
  text: string;
}

/**
 * Returns stretches, in the order of the file, that cover it without overlap; those without a pack were not
 * recorded.
 */
export function lineOrigins(text: string, recorded: readonly RecordedLines[]): LineRange[] {
  const lines = linesOf(text);
  const origin: ({ from: RecordedLines; at: number } | undefined)[] = lines.map(() => undefined);
  const found = recorded.flatMap((from) => stretches(lines, from));
  found.sort((x, y) => y.count - x.count || x.start - y.start);
  for (const { start, count, at, from } of found) {
    for (let k = 0; k < count; k++) origin[start + k] ??= { from, at: at + k };
  }
  const ranges: LineRange[] = [];
  lines.forEach((_, line) => {
    const here = origin[line];
    const last = ranges.at(-1);
    const continues =
      last !== undefined &&
      (here === undefined
        ? last.pack === undefined
        : last.pack === here.from.pack &&
          last.output === here.from.name &&
          (last.at ?? 0) + (last.to - last.from) + 1 === here.at + 1);
    if (continues) last.to = line + 1;
    else
      ranges.push({
        from: line + 1,
        to: line + 1,
        ...(here === undefined ? {} : { pack: here.from.pack, output: here.from.name, at: here.at + 1 }),
      });
  });
  return ranges;
}

interface Stretch {
  start: number;
  count: number;
  at: number;
  from: RecordedLines;
}

/** Maximum number of occurrences of a line in an output that is still searched for. */
const maxPlaces = 50;

function stretches(lines: readonly string[], from: RecordedLines): Stretch[] {
  const theirs = linesOf(from.text);
  const places = new Map<string, number[]>();
  theirs.forEach((line, at) => {
    const list = places.get(line);
    if (list === undefined) places.set(line, [at]);
    else if (list.length < maxPlaces) list.push(at);
  });
  const found: Stretch[] = [];
  for (let start = 0; start < lines.length; ) {
    let best: Stretch | undefined;
    // A stretch begins at a distinctive line; equal lines before it belong to it.
    for (const at of isTelling(lines[start] as string) ? (places.get(lines[start] as string) ?? []) : []) {
      let count = 1;
      while (at + count < theirs.length && lines[start + count] === theirs[at + count]) count++;
      if (best === undefined || count > best.count) best = { start, count, at, from };
    }
    start += best?.count ?? 1;
    if (best === undefined) continue;
    const last = found.at(-1);
    const free = last === undefined ? 0 : last.start + last.count;
    while (best.start > free && best.at > 0 && lines[best.start - 1] === theirs[best.at - 1]) {
      best.start--;
      best.at--;
      best.count++;
    }
    found.push(best);
  }
  return found;
}

/** Returns whether a line has something that another text would not have by chance. */
function isTelling(line: string): boolean {
  return (line.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 8;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
