// Limits how much of the disk one replay may use, whatever uses it: inputs, built-in tools, programs, and
// what `--seal` keeps. While a program runs, the file system's count of free blocks decides: files that were
// unlinked and are still open have blocks but no name. While none runs, `du` reports what is really there.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { withPath } from "../base/errors.js";
import { StepFailure } from "./outcome.js";

interface Space {
  bytes: number;
  files: number;
}

const maxBytes = 2 * 1024 ** 3;
const maxFiles = 500_000;
/** Changes of the free space that are too small to be worth measuring. */
const slack = 64 * 1024 ** 2;
/** Less free space than this counts as a full disk. */
const least = 64 * 1024;
const blockSize = 4096;
const tmpfsType = 0x01021994;
/** Where to find `du`. */
const path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

export class DiskBudget {
  readonly #folder: string;
  readonly #most: Space;
  /** The limit: never more than half of what was free. */
  #limit: Space;
  /** What was there before the run: a copy of the user's own folder, for example. */
  #base: Space = { bytes: 0, files: 0 };
  /** Usage according to the last measurement. */
  #used: Space = { bytes: 0, files: 0 };
  /** Free space at the last measurement. */
  #free: Space;
  /** What built-in tools have written since then; what they have removed is not subtracted. */
  #written: Space = { bytes: 0, files: 0 };

  constructor(folder: string, most: Partial<Space> = {}) {
    this.#folder = folder;
    this.#most = { bytes: most.bytes ?? maxBytes, files: most.files ?? maxFiles };
    this.#free = this.#freeNow();
    this.#limit = this.#limitNow();
  }

  /** Returns whether the folder is on a tmpfs: then its files count as shared memory, too. */
  isInMemory(): boolean {
    return this.#statfs().type === tmpfsType;
  }

  /** Returns a function that returns by how many bytes the disk has filled since now. */
  growth(): () => number {
    const before = this.#freeNow().bytes;
    return () => before - this.#freeNow().bytes;
  }

  /** Resets the baseline: what is in the folder now is the user's own, and does not count. */
  resetBaseline(): void {
    this.#base = { bytes: 0, files: 0 };
    this.measure();
    this.#base = this.#used;
    this.#used = { bytes: 0, files: 0 };
    this.#limit = this.#limitNow();
  }

  /** Reserves room before a write. Throws a StepFailure if there is none. */
  reserve(bytes: number, files = 1): void {
    const more = { bytes: Math.ceil(bytes / blockSize) * blockSize, files };
    if (!this.#hasRoom(more)) {
      this.measure();
      if (!this.#hasRoom(more)) throw new StepFailure("error", this.#limitMessage(), { atLimit: true });
    }
    this.#written.bytes += more.bytes;
    this.#written.files += more.files;
  }

  /**
   * Call before a program starts, so that what other processes do to the disk between steps does not count.
   */
  startStep(): void {
    const now = this.#freeNow();
    const isMoved = Math.abs(this.#free.bytes - now.bytes) > slack;
    if (isMoved || this.#free.files - now.files > this.#limit.files / 10) this.measure();
  }

  /** Returns why a running program must be ended, if it must. Starts no process. */
  excess(): string | undefined {
    const now = this.#freeNow();
    const bytes = this.#used.bytes + this.#free.bytes - now.bytes;
    const files = this.#used.files + this.#free.files - now.files;
    return bytes >= this.#limit.bytes || files >= this.#limit.files || now.bytes < least
      ? this.#limitMessage(now)
      : undefined;
  }

  /**
   * Returns why the result of the program that just ended cannot be trusted, if so. `seconds` is how long it
   * ran.
   */
  endStep(seconds: number): string | undefined {
    const now = this.#freeNow();
    // Some file systems do not count files.
    const isUncounted = now.files === 0 && seconds > 1;
    if (this.excess() === undefined && Math.abs(this.#free.bytes - now.bytes) <= slack && !isUncounted)
      return undefined;
    this.measure();
    const isOver = this.#used.bytes >= this.#limit.bytes || this.#used.files >= this.#limit.files;
    return isOver || now.bytes < least ? this.#limitMessage(now) : undefined;
  }

  /** Measures what is there. Where `du` may not read, the loss of free space counts instead. */
  measure(): void {
    const now = this.#freeNow();
    const lost = {
      bytes: this.#used.bytes + Math.max(0, this.#free.bytes - now.bytes, this.#written.bytes),
      files: this.#used.files + Math.max(0, this.#free.files - now.files, this.#written.files),
    };
    const bytes = this.#count("-k");
    const files = this.#count("--inodes");
    this.#used = {
      bytes: bytes === undefined ? lost.bytes : bytes * 1024 - this.#base.bytes,
      files: files === undefined ? lost.files : files - this.#base.files,
    };
    this.#free = now;
    this.#written = { bytes: 0, files: 0 };
  }

  #hasRoom({ bytes, files }: Space): boolean {
    return (
      this.#used.bytes + this.#written.bytes + bytes <= this.#limit.bytes &&
      this.#used.files + this.#written.files + files <= this.#limit.files
    );
  }

  #limitMessage(now = this.#freeNow()): string {
    if (now.bytes < least) return `the disk of ${this.#folder} is full`;
    const size = `${Math.floor(this.#limit.bytes / 1024 ** 2)} MiB of disk and ${this.#limit.files} files`;
    return `a replay may use ${size}, and this one used more`;
  }

  /** Returns undefined if it cannot read everything. */
  #count(unit: "-k" | "--inodes"): number | undefined {
    const counted = spawnSync("du", ["-s", unit, "--", this.#folder], {
      encoding: "utf8",
      env: { PATH: path },
      timeout: 30_000,
    });
    const count = Number.parseInt(counted.stdout, 10);
    return counted.status === 0 && Number.isSafeInteger(count) ? count : undefined;
  }

  #limitNow(): Space {
    const half = Math.floor(this.#free.bytes / 2);
    return { bytes: Math.min(this.#most.bytes, half), files: this.#most.files };
  }

  #freeNow(): Space {
    const { bavail, bsize, ffree } = this.#statfs();
    return { bytes: bavail * bsize, files: ffree };
  }

  #statfs(): fs.StatsFs {
    return withPath(this.#folder, "look at", () => fs.statfsSync(this.#folder));
  }
}
