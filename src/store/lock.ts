// Which processes work in a folder: a store, or the user's state. Each of them has a file in locks/ whose
// name states its kind of work and its process. Names are unique: removing the file of a dead process can
// never remove the lock of a live one.
import * as fs from "node:fs";
import { join } from "node:path";
import { monotonicNow } from "../base/clock.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { openNew } from "../base/fs/owner-mode.js";
import { FolderClock } from "../base/fs/folder-clock.js";
import { judgeLock, staleAfter } from "./lock-age.js";
import { isOwnerId, ownId } from "../base/owner-id.js";
import { describeWait, type WaitNotice } from "./lock-text.js";

/**
 * `add`: adds packs, any number at once. `once`: adds a pack that must not be added twice under two names;
 * one at a time. `sweep`: removes things; alone. `work-…` and `note-…`: one at a time of each name, for long
 * work and for work of a few milliseconds.
 */
export type LockKind = "add" | "once" | "sweep" | `work-${string}` | `note-${string}`;

const excludes: Readonly<Record<string, readonly string[]>> = {
  add: ["sweep"],
  once: ["once", "sweep"],
  sweep: ["add", "once", "sweep"],
};

/** Which of two simultaneous processes yields: the later kind in this list; of one kind the greater id. */
const rank: readonly string[] = ["sweep", "once", "add"];

const refreshAfter = 60_000;
/** When a wait is reported, and how often it is reported again, in milliseconds. */
const reportAfter = 2_000;
const reportEvery = 60_000;

export interface Lock {
  /** Unique; the holder's folder in tmp/ has this name too. */
  id: string;
  /** Shows other processes that the work goes on. Cheap; call it now and then during long work. */
  refresh(): void;
  /** Throws if another process took over the lock; refreshes it otherwise. */
  check(): void;
  release(): void;
}

export interface LockOptions {
  /** How long to wait for other processes, in milliseconds. */
  timeout?: number | undefined;
  /** Called after two seconds of waiting for another process, and then once a minute. */
  onWait?: ((notice: WaitNotice) => void) | undefined;
}

/**
 * Takes a lock in `root`/locks. Waits for locks that exclude it, and throws `store-busy` after `patience`.
 */
export function takeLock(root: string, kind: LockKind, options: LockOptions = {}): Lock {
  const id = ownId();
  const name = `${kind}.${id}`;
  const path = join(root, "locks", name);
  const wait = new Wait(root, kind, name, options);
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    const first = wait.rivals().find((other) => hasPriority(other, name));
    // Our file is created while others are still at work, so that no stream of newcomers can keep us waiting
    // for ever.
    if (first === undefined) {
      withPath(path, "create", () => fs.closeSync(openNew(path, 0o600)));
      if (hasWon(wait, name)) return hold(path, id);
      fs.rmSync(path, { force: true });
    }
    sleep(pause + Math.random() * pause);
    wait.tick(first);
    if (wait.isOver) throw wait.busy(first ?? wait.rivals()[0] ?? name);
  }
}

/** One attempt to take a lock: which locks are in the way, and for how long already. */
class Wait {
  readonly #root: string;
  readonly #kind: LockKind;
  readonly #name: string;
  readonly #options: LockOptions;
  readonly #clock: FolderClock;
  readonly #started = monotonicNow();
  #reportAt = reportAfter;

  constructor(root: string, kind: LockKind, name: string, options: LockOptions) {
    this.#root = root;
    this.#kind = kind;
    this.#name = name;
    this.#options = options;
    this.#clock = new FolderClock(join(root, "locks"));
  }

  /** Returns the live locks that exclude ours. */
  rivals(): string[] {
    const excluded = excludes[this.#kind] ?? [this.#kind];
    return fs
      .readdirSync(join(this.#root, "locks"))
      .filter((other) => other !== this.#name && excluded.includes(kindOf(other)))
      .filter((other) => !clearIfDead(this.#root, other, this.#clock));
  }

  get isOver(): boolean {
    return monotonicNow() - this.#started > (this.#options.timeout ?? 10 * 60_000);
  }

  /** Reports the wait when a report is due. */
  tick(rival: string | undefined): void {
    const waited = monotonicNow() - this.#started;
    if (rival === undefined || waited < this.#reportAt) return;
    this.#reportAt = waited + reportEvery;
    this.#options.onWait?.(describeWait(this.#root, rival, this.#clock, waited));
  }

  busy(holder: string): CtxError {
    const { message, hint } = describeWait(this.#root, holder, this.#clock, 0);
    return new CtxError("store-busy", `gave up ${message}`, { hint });
  }
}

function hold(path: string, id: string): Lock {
  let refreshed = monotonicNow();
  const refresh = (): void => {
    if (monotonicNow() - refreshed < refreshAfter) return;
    touch(path);
    refreshed = monotonicNow();
  };
  return {
    id,
    refresh,
    check() {
      if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) throw lostLock();
      refresh();
    },
    release: () => fs.rmSync(path, { force: true }),
  };
}

/**
 * Sets a file's time to the present time of its file system. An explicit time would come from this machine's
 * clock.
 */
function touch(path: string): void {
  try {
    const descriptor = fs.openSync(path, "r+");
    try {
      const before = fs.fstatSync(descriptor).mtimeMs;
      fs.ftruncateSync(descriptor, 0);
      // Not every system counts truncation as a change.
      if (fs.fstatSync(descriptor).mtimeMs <= before) fs.writeSync(descriptor, "\n", 0);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw lostLock();
    throw error;
  }
}

export function lostLock(): CtxError {
  const minutes = staleAfter / 60_000;
  return new CtxError(
    "store-busy",
    `lost the lock: this process made no progress for ${minutes} minutes, or the lock file was removed, so another process may be writing`,
    { hint: "nothing was changed since then; run the command again" },
  );
}

/**
 * Waits with our file in place: true once no rival is left, false if one goes first and we must step back.
 */
function hasWon(wait: Wait, name: string): boolean {
  for (;;) {
    const others = wait.rivals();
    if (others.length === 0) return true;
    if (others.some((other) => hasPriority(other, name)) || wait.isOver) return false;
    sleep(2);
    wait.tick(others[0]);
  }
}

function hasPriority(other: string, name: string): boolean {
  const difference = rank.indexOf(kindOf(other)) - rank.indexOf(kindOf(name));
  return difference !== 0
    ? difference < 0
    : other.slice(other.lastIndexOf(".")) < name.slice(name.lastIndexOf("."));
}

function kindOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}

/** Removes leftovers of crashed writers: their locks, and their unfinished files in tmp/. */
export function clearLeftovers(root: string): void {
  // A writer makes its lock before its folder in tmp/ and removes it after, so with this order of listing a
  // folder without a live lock has no owner.
  const unfinished = fs.readdirSync(join(root, "tmp"));
  const alive = clearDeadLocks(root);
  for (const name of unfinished) {
    if (alive.has(name)) continue;
    try {
      // Renamed first: an owner that is not dead after all can then neither finish nor remove anything.
      const gone = join(root, "tmp", ownId());
      fs.renameSync(join(root, "tmp", name), gone);
      fs.rmSync(gone, { recursive: true, force: true });
    } catch (error) {
      // Files of another user stay; they are harmless.
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

/** Removes the locks of dead owners, and returns the ids of the others. */
export function clearDeadLocks(root: string): Set<string> {
  const alive = new Set<string>();
  const clock = new FolderClock(join(root, "locks"));
  for (const name of fs.readdirSync(join(root, "locks")))
    if (!clearIfDead(root, name, clock)) alive.add(name.slice(name.indexOf(".") + 1));
  return alive;
}

/** Returns true if the lock's owner is gone (the file is then removed), false while it may be at work. */
function clearIfDead(root: string, name: string, clock: FolderClock): boolean {
  const { state, age } = judgeLock(join(root, "locks"), name, clock);
  if (state !== "dead") return false;
  const fenced = age === undefined ? undefined : fenceOff(root, name.slice(name.indexOf(".") + 1));
  if (fenced === false) return false;
  try {
    fs.rmSync(join(root, "locks", name), { force: true });
    if (fenced !== undefined) fs.rmSync(fenced, { recursive: true, force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return true;
}

/**
 * Takes the folder in tmp/ away from an owner that counts as dead only by its age: it may wake up and go on.
 * Everything that it could still make visible or remove goes through that folder by rename, and fails from
 * now on. Returns the path to remove once the lock is gone, or false if the folder cannot be taken away, so
 * that the lock must stay.
 */
function fenceOff(root: string, id: string): string | false | undefined {
  if (!isOwnerId(id)) return undefined;
  const folder = join(root, "tmp", id);
  try {
    for (;;) {
      const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
      // A file in place of the folder keeps the owner from making one later; another process may have put it
      // there.
      if (stat?.isDirectory() === false) return folder;
      try {
        if (stat === undefined) {
          fs.closeSync(fs.openSync(folder, "wx", 0o600));
          return folder;
        }
        const gone = join(root, "tmp", ownId());
        fs.renameSync(folder, gone);
        return gone;
      } catch (error) {
        if (errnoOf(error) !== "EEXIST" && !(stat !== undefined && errnoOf(error) === "ENOENT")) throw error;
      }
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // The user's state has no tmp/, so there is nothing to fence off.
    return errnoOf(error) === "ENOENT" ? undefined : false;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
