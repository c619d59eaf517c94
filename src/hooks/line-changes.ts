// The difference between two texts, as lines: removed, added, and unchanged around them.

export interface LineChange {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Number of unchanged lines shown on either side. */
const around = 3;

export function lineChanges(before: string, after: string): LineChange[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const limit = Math.min(old.length, now.length) - head;
  while (tail < limit && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const as = (kind: LineChange["kind"], lines: readonly string[]): LineChange[] =>
    lines.map((text) => ({ kind, text }));
  return [
    ...as("same", old.slice(Math.max(0, head - around), head)),
    ...as("removed", old.slice(head, old.length - tail)),
    ...as("added", now.slice(head, now.length - tail)),
    ...as("same", old.slice(old.length - tail, old.length - tail + around)),
  ];
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
