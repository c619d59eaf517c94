// How much of the disk one replay may use, whatever uses it: inputs, built-in tools, programs, and what `--seal` keeps.
// While a program runs, the file system's own count of free blocks decides: files that were unlinked and are still
// open have blocks but no name. While none runs, `du` says what is really there.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { withPath } from "../base/errors.js";
import { StepFailure } from "./outcome.js";

interface Space {
  bytes: number;
  files: number;
}

const mostBytes = 2 * 1024 ** 3;
const mostFiles = 500_000;
/** A change of the free space that is too small to be measured for. */
const slack = 64 * 1024 ** 2;
/** Less than this is a full disk. */
const least = 64 * 1024;
const blockSize = 4096;
const tmpfsType = 0x01021994;
/** Where `du` is. */
const path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

export class DiskBudget {
  readonly #folder: string;
  readonly #most: Space;
  /** What may be used: never more than half of what was free. */
  #limit: Space;
  /** What was there before the run: a copy of the user's own folder, for example. */
  #base: Space = { bytes: 0, files: 0 };
  /** What is in use, by the last measurement. */
  #used: Space = { bytes: 0, files: 0 };
  /** What was free at the last measurement. */
  #free: Space;
  /** What built-in tools have written since then; what they have removed is not subtracted. */
  #written: Space = { bytes: 0, files: 0 };

  constructor(folder: string, most: Partial<Space> = {}) {
    this.#folder = folder;
    this.#most = { bytes: most.bytes ?? mostBytes, files: most.files ?? mostFiles };
    this.#free = this.#freeNow();
    this.#limit = this.#limitNow();
  }

  /** Whether the folder lies in memory: then its files count as shared memory, too. */
  isInMemory(): boolean {
    return this.#statfs().type === tmpfsType;
  }

  /** Tells by how many bytes the folder's disk has filled since now. */
  growth(): () => number {
    const before = this.#freeNow().bytes;
    return () => before - this.#freeNow().bytes;
  }

  /** Starts again: what is in the folder now is the user's own, and does not count. */
  startAgain(): void {
    this.#base = { bytes: 0, files: 0 };
    this.measure();
    this.#base = this.#used;
    this.#used = { bytes: 0, files: 0 };
    this.#limit = this.#limitNow();
  }

  /** Asks for room before something is written. Throws a StepFailure where there is none. */
  take(bytes: number, files = 1): void {
    const more = { bytes: Math.ceil(bytes / blockSize) * blockSize, files };
    if (!this.#hasRoom(more)) {
      this.measure();
      if (!this.#hasRoom(more)) throw new StepFailure("error", this.#words(), { atLimit: true });
    }
    this.#written.bytes += more.bytes;
    this.#written.files += more.files;
  }

  /** To be called before a program starts: what others do to the disk between steps is not counted. */
  startStep(): void {
    const now = this.#freeNow();
    const isMoved = Math.abs(this.#free.bytes - now.bytes) > slack;
    if (isMoved || this.#free.files - now.files > this.#limit.files / 10) this.measure();
  }

  /** While a program runs: why it must be ended. Nothing is started by this. */
  excess(): string | undefined {
    const now = this.#freeNow();
    const bytes = this.#used.bytes + this.#free.bytes - now.bytes;
    const files = this.#used.files + this.#free.files - now.files;
    return bytes >= this.#limit.bytes || files >= this.#limit.files || now.bytes < least
      ? this.#words(now)
      : undefined;
  }

  /** When no program runs: why what the last one did cannot be believed. `seconds` is how long it ran. */
  endStep(seconds: number): string | undefined {
    const now = this.#freeNow();
    // Some file systems do not count files.
    const isUncounted = now.files === 0 && seconds > 1;
    if (this.excess() === undefined && Math.abs(this.#free.bytes - now.bytes) <= slack && !isUncounted)
      return undefined;
    this.measure();
    const isOver = this.#used.bytes >= this.#limit.bytes || this.#used.files >= this.#limit.files;
    return isOver || now.bytes < least ? this.#words(now) : undefined;
  }

  /** Counts what is there. What `du` may not look into is taken from what the disk has lost. */
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

  #words(now = this.#freeNow()): string {
    if (now.bytes < least) return `the disk of ${this.#folder} is full`;
    const size = `${Math.floor(this.#limit.bytes / 1024 ** 2)} MiB of disk and ${this.#limit.files} files`;
    return `a replay may use ${size}, and this was more`;
  }

  /** Undefined where it cannot look at everything. */
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
