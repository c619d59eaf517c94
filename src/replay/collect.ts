// Reads what a program writes into a pipe while it runs. The pipe is polled: nothing else works for a named
// pipe on every runtime, and polling leaves nothing behind that could keep this process waiting.
import * as fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../base/errors.js";

/** How much may still be read, of all pipes together. */
export interface OutputRoom {
  left: number;
  /** Called whenever there was more than that. */
  onExceeded(): void;
}

const pieceSize = 1 << 16;
/** Number of pieces read before others have their turn. */
const maxPieces = 64;
/** How long to wait before polling an empty pipe again, in milliseconds: at first, and at most. */
const [soonest, latest] = [1, 16];

export class Collector {
  readonly #descriptor: number;
  readonly #room: OutputRoom;
  readonly #chunks: Buffer[] = [];
  readonly #piece = Buffer.allocUnsafe(pieceSize);
  #isOpen = true;

  /** Takes ownership of a descriptor, which must be non-blocking, and closes it in the end. */
  constructor(descriptor: number, room: OutputRoom) {
    this.#descriptor = descriptor;
    this.#room = room;
    void this.#follow();
  }

  /** Returns all that was written, once every writer has gone, or after this many milliseconds. */
  async finish(patience: number): Promise<Buffer> {
    const deadline = performance.now() + patience;
    while (this.#isOpen && performance.now() < deadline)
      if (!this.#take() && this.#isOpen) await pause(soonest);
    this.#close();
    return Buffer.concat(this.#chunks);
  }

  async #follow(): Promise<void> {
    for (let wait = soonest; this.#isOpen; wait = Math.min(wait * 2, latest)) {
      // Read nothing before the caller that created this knows of it.
      await pause(wait, undefined, { ref: false });
      for (let pieces = 0; pieces < maxPieces && this.#take(); pieces++) wait = soonest;
    }
  }

  /** Reads what is available; returns whether there was anything. */
  #take(): boolean {
    const count = this.#isOpen ? readSome(this.#descriptor, this.#piece) : undefined;
    if (count === 0) this.#close();
    if (count === undefined || count === 0) return false;
    const room = this.#room;
    if (room.left > 0) this.#chunks.push(Buffer.from(this.#piece.subarray(0, Math.min(count, room.left))));
    if (count > room.left) room.onExceeded();
    room.left = Math.max(0, room.left - count);
    return true;
  }

  #close(): void {
    if (this.#isOpen) fs.closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}

/** Returns the number of bytes read; 0 at the end, undefined if there is nothing yet. */
function readSome(descriptor: number, piece: Buffer): number | undefined {
  try {
    return fs.readSync(descriptor, piece, 0, piece.length, null);
  } catch (error) {
    // After any other error nothing more will come.
    return errnoOf(error) === "EAGAIN" ? undefined : 0;
  }
}
