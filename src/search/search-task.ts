// What threads of a search share: a task, and a counter from which a free thread takes the next few items.
import { CtxError } from "../base/errors.js";
import { streamObject } from "../store/objects.js";
import { addGrams, mapBits } from "./grams.js";
import type { Matcher } from "./matcher.js";
import type { SearchPattern } from "./matcher.js";
import { scanContent, type LineLimits, type ScanOutcome } from "./scan-contents.js";

/** A text of a group that is indexed: a content of the store, or the parameters of a pack. */
export type GroupText = { content: string } | { text: string };

/** The n-grams of a group, and the contents that cannot be read. */
export interface IndexedGroup {
  map: Uint8Array;
  unreadable: string[];
}

export type SearchTask = {
  /** The number of items that were taken, and the number of threads that are done. */
  control: SharedArrayBuffer;
  root: string;
} & (
  | { kind: "scan"; contents: readonly string[]; pattern: SearchPattern; options: LineLimits }
  | { kind: "index"; groups: readonly (readonly GroupText[])[] }
);

/** What a thread found, by the number of the item. */
export type TaskResults = [number, ScanOutcome | IndexedGroup][];

const takenAt = 0;
export const doneAt = 1;

/** How many contents a thread takes at once. */
const batchSize = 8;

/** Takes items until none is left. */
export function runTask(task: SearchTask, matcher: Matcher | undefined): TaskResults {
  const control = new Int32Array(task.control);
  const count = task.kind === "scan" ? task.contents.length : task.groups.length;
  const batch = task.kind === "scan" ? batchSize : 1;
  const results: TaskResults = [];
  for (;;) {
    const from = Atomics.add(control, takenAt, batch);
    if (from >= count) return results;
    for (let at = from; at < Math.min(from + batch, count); at++) {
      if (task.kind === "index") results.push([at, indexGroup(task.root, task.groups[at] as GroupText[])]);
      else {
        const hex = task.contents[at] as string;
        const outcome = scanContent(task.root, hex, matcher as Matcher, task.options);
        if (outcome !== undefined) results.push([at, outcome]);
      }
    }
  }
}

/** Returns the n-grams of a group of texts. */
function indexGroup(root: string, texts: readonly GroupText[]): IndexedGroup {
  const map = new Uint8Array(mapBits >>> 3);
  const unreadable: string[] = [];
  for (const text of texts) {
    if ("text" in text) addGrams(map, Buffer.from(text.text));
    else
      try {
        addObject(map, root, text.content);
      } catch (error) {
        if (!(error instanceof CtxError)) throw error;
        unreadable.push(text.content);
      }
  }
  return { map, unreadable };
}

/** The longest n-gram has five bytes: as many as may stand in two pieces. */
const carried = 4;

function addObject(map: Uint8Array, root: string, hex: string): void {
  let rest = Buffer.alloc(0);
  streamObject(root, hex, (piece) => {
    if (rest.length > 0) addGrams(map, Buffer.concat([rest, piece.subarray(0, carried)]));
    addGrams(map, piece);
    rest = Buffer.from(piece.subarray(Math.max(0, piece.length - carried)));
  });
}
