// What threads of a search share: a task, and a counter from which a free thread takes the next few items.
import { CtxError } from "../base/errors.js";
import { readObjectQuickly, streamObject } from "../store/objects.js";
import { GramSet } from "./grams.js";
import { compileMatcher, type SearchPattern } from "./matcher.js";
import { ContentScanner, type LineLimits, type ScanOutcome } from "./scan-contents.js";

/** A text of a group that is indexed: a content of the store, or the parameters of a pack. */
export type GroupText = { content: string } | { text: string };

/** The n-grams of a group, and the contents that cannot be read. */
export interface IndexedGroup {
  map: Uint8Array;
  unreadable: string[];
}

export type SearchWork =
  | { kind: "scan"; contents: readonly string[]; pattern: SearchPattern; limits: LineLimits }
  | { kind: "index"; groups: readonly (readonly GroupText[])[] };

export type SearchTask = SearchWork & {
  /** Tasks are numbered in the order in which they were begun. */
  number: number;
  /** How many items were taken, how many threads are at it, and how many have sent what they found. */
  control: SharedArrayBuffer;
  root: string;
};

/** What a thread found. */
export interface TaskResult {
  /** By the number of the item. */
  items: [number, Exclude<ScanOutcome, undefined> | IndexedGroup][];
  /** How many bytes of contents were read. */
  bytes: number;
}

const takenAt = 0;
export const activeAt = 1;
export const sentAt = 2;

/** How many contents a thread takes at once. */
const batchSize = 8;

/** Does tasks in one thread. */
export class TaskRunner {
  /** A thread searches for one pattern only. */
  #scanner: ContentScanner | undefined;
  #groups: GroupIndexer | undefined;

  /** Takes items until none is left. */
  run(task: SearchTask): TaskResult {
    const control = new Int32Array(task.control);
    const isScan = task.kind === "scan";
    const count = isScan ? task.contents.length : task.groups.length;
    const batch = isScan ? batchSize : 1;
    const result: TaskResult = { items: [], bytes: 0 };
    for (;;) {
      const from = Atomics.add(control, takenAt, batch);
      if (from >= count) return result;
      for (let at = from; at < Math.min(from + batch, count); at++) {
        const found = isScan
          ? this.#scan(task, task.contents[at] as string, result)
          : this.#indexer().index(task.root, task.groups[at] as GroupText[]);
        if (found !== undefined) result.items.push([at, found]);
      }
    }
  }

  #indexer(): GroupIndexer {
    return (this.#groups ??= new GroupIndexer());
  }

  #scan(task: SearchTask & { kind: "scan" }, hex: string, result: TaskResult): ScanOutcome {
    this.#scanner ??= new ContentScanner(task.root, compileMatcher(task.pattern), task.limits);
    const before = this.#scanner.bytes;
    const outcome = this.#scanner.scan(hex);
    result.bytes += this.#scanner.bytes - before;
    return outcome;
  }
}

/** Reads groups of texts one after the other, and gathers the n-grams of each. */
class GroupIndexer {
  readonly #grams = new GramSet();
  readonly #room = Buffer.allocUnsafeSlow(roomSize);

  index(root: string, texts: readonly GroupText[]): IndexedGroup {
    const unreadable: string[] = [];
    for (const text of texts) {
      if ("text" in text) this.#grams.add(Buffer.from(text.text));
      else
        try {
          this.#addObject(root, text.content);
        } catch (error) {
          if (!(error instanceof CtxError)) throw error;
          unreadable.push(text.content);
        }
    }
    return { map: this.#grams.take(), unreadable };
  }

  #addObject(root: string, hex: string): void {
    const whole = readObjectQuickly(root, hex, this.#room);
    if (whole !== undefined) {
      this.#grams.add(whole);
      return;
    }
    let rest = Buffer.alloc(0);
    streamObject(root, hex, (piece) => {
      const joint = Buffer.concat([rest, piece.subarray(0, carried)]);
      if (rest.length > 0) this.#grams.add(joint);
      this.#grams.add(piece);
      // A piece may be shorter than what is carried.
      const end = piece.length < carried ? joint : piece;
      rest = Buffer.from(end.subarray(Math.max(0, end.length - carried)));
    });
  }
}

/** The longest n-gram has five bytes: as many as may stand in two pieces. */
const carried = 4;
/** Most contents are smaller. */
const roomSize = 1 << 18;
