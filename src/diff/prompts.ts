// Aligns prompts as sequences: equal ones pair off in order, and those left between them pair one by one.
import type { Manifest } from "../model/manifest.js";

type Prompts = Manifest["prompts"];

/** Past this many cells only equal prompts at both ends are paired. */
const maxCells = 1 << 20;

/** Returns positions of paired prompts in either run, in order; -1 where a side has none. */
export function alignPrompts(a: Prompts, b: Prompts): [number, number][] {
  const isSame = (i: number, j: number): boolean =>
    a[i]?.content_ref === b[j]?.content_ref && a[i]?.role === b[j]?.role;
  let start = 0;
  while (start < a.length && start < b.length && isSame(start, start)) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && isSame(a.length - 1 - end, b.length - 1 - end))
    end++;
  const pairs: [number, number][] = [];
  for (let i = 0; i < start; i++) pairs.push([i, i]);
  let from: [number, number] = [start, start];
  const middle = commonSubsequence(start, a.length - end, b.length - end, isSame);
  for (const [i, j] of [...middle, [a.length - end, b.length - end] as [number, number]]) {
    for (let k = 0; from[0] + k < i || from[1] + k < j; k++)
      pairs.push([from[0] + k < i ? from[0] + k : -1, from[1] + k < j ? from[1] + k : -1]);
    if (i < a.length - end) pairs.push([i, j]);
    from = [i + 1, j + 1];
  }
  for (let k = end; k > 0; k--) pairs.push([a.length - k, b.length - k]);
  return pairs;
}

function commonSubsequence(
  start: number,
  endA: number,
  endB: number,
  isSame: (i: number, j: number) => boolean,
): [number, number][] {
  const rows = endA - start;
  const columns = endB - start;
  if (rows * columns > maxCells) return [];
  const width = columns + 1;
  const lengths = new Int32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] = isSame(start + i, start + j)
        ? (lengths[(i + 1) * width + j + 1] as number) + 1
        : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
  const found: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < rows && j < columns) {
    if (isSame(start + i, start + j)) found.push([start + i++, start + j++]);
    else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)) i++;
    else j++;
  }
  return found;
}
