// The clock of the file system that holds a folder. This machine's clock may be wrong, or differ from the
// clock of the machine that wrote a file there.
import * as fs from "node:fs";
import { join } from "node:path";
import { monotonicNow } from "../clock.js";
import { errnoOf } from "../errors.js";
import { ownId } from "../owner-id.js";

/**
 * The clock is read again after this long: a machine that was suspended does not count the time in between.
 */
const readAgainAfter = 5_000;

/** The clock of the file system that holds a folder; this machine's clock if no file can be created there. */
export class FolderClock {
  readonly #folder: string;
  readonly #name: (id: string) => string;
  #read: { time: number; at: number } | undefined;

  /**
   * `name` returns the name of the file by which the clock is read, from an owner's id. When this process is
   * killed, the file stays, so its name must be one that the next process clears away.
   */
  constructor(folder: string, name = (id: string): string => `clock.${id}`) {
    this.#folder = folder;
    this.#name = name;
  }

  /** Returns milliseconds since 1970. */
  now(): number {
    const at = monotonicNow();
    if (this.#read === undefined || at - this.#read.at > readAgainAfter)
      this.#read = { time: timeOfNewFile(join(this.#folder, this.#name(ownId()))) ?? Date.now(), at };
    return this.#read.time + (at - this.#read.at);
  }
}

function timeOfNewFile(path: string): number | undefined {
  try {
    const descriptor = fs.openSync(path, "wx", 0o600);
    try {
      return fs.fstatSync(descriptor).mtimeMs;
    } finally {
      fs.closeSync(descriptor);
      fs.unlinkSync(path);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
