// Who is at work in a store. Every writer has a file in locks/ whose name says what it does and which process it is, so
// that a crashed one can be told from a live one without reading anything. Names are unique: removing the file of a
// dead process can never remove the lock of a live one.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";

/**
 * `add`: adds packs, any number at once. `once`: adds a pack that must not be added twice under two names; one at a
 * time. `sweep`: removes things; alone.
 */
export type LockKind = "add" | "once" | "sweep";

const excludes: Record<LockKind, readonly LockKind[]> = {
  add: ["sweep"],
  once: ["once", "sweep"],
  sweep: ["add", "once", "sweep"],
};

/** Who gives way when two arrive together: the later kind in this list; of one kind the greater id. */
const rank: readonly string[] = ["sweep", "once", "add"];

const staleAfter = 30 * 60_000;
const refreshAfter = 5 * 60_000;

export interface Lock {
  /** Unique; the holder's folder in tmp/ has this name too. */
  id: string;
  /** Shows others that the work goes on. Cheap; to be called now and then during long work. */
  refresh(): void;
  release(): void;
}

/** Waits until nobody is in the way, and takes the lock. Gives up after `patience` milliseconds. */
export function takeLock(root: string, kind: LockKind, patience = 10 * 60_000): Lock {
  const folder = join(root, "locks");
  const id = ownId();
  const name = `${kind}.${id}`;
  const path = join(folder, name);
  const deadline = Date.now() + patience;
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    const first = rivals(folder, kind, name).find((other) => goesFirst(other, name));
    // Our file is put down while others are still at work, so that no stream of newcomers can keep us waiting for ever.
    if (first === undefined) {
      withPath(path, "create", () => fs.closeSync(fs.openSync(path, "wx", 0o600)));
      if (settle(folder, kind, name, deadline)) return hold(path, id);
      fs.rmSync(path, { force: true });
    }
    sleep(pause + Math.random() * pause);
    if (Date.now() > deadline) throw busy(first ?? rivals(folder, kind, name)[0] ?? name);
  }
}

function hold(path: string, id: string): Lock {
  let refreshed = Date.now();
  return {
    id,
    refresh() {
      if (Date.now() - refreshed < refreshAfter) return;
      refreshed = Date.now();
      fs.utimesSync(path, refreshed / 1000, refreshed / 1000);
    },
    release: () => fs.rmSync(path, { force: true }),
  };
}

/** With our file in place: true when no rival is left, false when one goes first and we must step back. */
function settle(folder: string, kind: LockKind, name: string, deadline: number): boolean {
  for (;;) {
    const others = rivals(folder, kind, name);
    if (others.length === 0) return true;
    if (others.some((other) => goesFirst(other, name)) || Date.now() > deadline) return false;
    sleep(2);
  }
}

function goesFirst(other: string, name: string): boolean {
  const difference = rank.indexOf(kindOf(other)) - rank.indexOf(kindOf(name));
  return difference !== 0
    ? difference < 0
    : other.slice(other.lastIndexOf(".")) < name.slice(name.lastIndexOf("."));
}

function rivals(folder: string, kind: LockKind, name: string): string[] {
  return fs
    .readdirSync(folder)
    .filter((other) => other !== name && (excludes[kind] as readonly string[]).includes(kindOf(other)))
    .filter((other) => !clearIfDead(folder, other));
}

function kindOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}

/** Removes what crashed writers left: their locks, and their unfinished files in tmp/. */
export function clearLeftovers(root: string): void {
  const locks = join(root, "locks");
  // A writer makes its lock before its folder in tmp/ and removes it after, so with this order of listing a folder
  // without a live lock has no owner.
  const unfinished = fs.readdirSync(join(root, "tmp"));
  const alive = new Set<string>();
  for (const name of fs.readdirSync(locks))
    if (!clearIfDead(locks, name)) alive.add(name.slice(name.indexOf(".") + 1));
  for (const name of unfinished) {
    if (alive.has(name)) continue;
    try {
      fs.rmSync(join(root, "tmp", name), { recursive: true, force: true });
    } catch (error) {
      // What belongs to another user stays; it is in nobody's way.
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

/** True when the lock's owner is gone (the file is then removed), false while it may be at work. */
function clearIfDead(folder: string, name: string): boolean {
  if (isAlive(folder, name)) return false;
  try {
    fs.rmSync(join(folder, name), { force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return true;
}

/** Whether the owner of a lock with this id is at work; undefined when it works elsewhere, and cannot be asked. */
export function isOwnerRunning(id: string): boolean | undefined {
  const [where, pid, startTime] = id.split(".");
  if (where !== here() || pid === undefined || !/^\d+$/.test(pid)) return undefined;
  return isRunning(Number(pid), startTime ?? "");
}

function isAlive(folder: string, name: string): boolean {
  const running = isOwnerRunning(name.slice(name.indexOf(".") + 1));
  if (running !== undefined) return running;
  // Another machine, another boot or another container: only age can tell.
  const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < staleAfter;
}

function isRunning(pid: number, startTime: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) === "ESRCH") return false;
  }
  const stat = processStat(pid);
  // A process that was killed but not yet reaped counts as gone; so does another one that got the same number.
  return stat === undefined || (stat.startTime === startTime && !/[ZX]/.test(stat.state));
}

/** A unique id that says which process it belongs to, for names of what a crash could leave. */
export function ownId(): string {
  const started = processStat(process.pid)?.startTime ?? "0";
  return `${here()}.${process.pid}.${started}.${randomBytes(6).toString("hex")}`;
}

let place: string | undefined;

/** Where process numbers mean the same: one machine, one boot, one process namespace. */
function here(): string {
  place ??= [
    hostname()
      .replaceAll(/[^A-Za-z0-9]/g, "_")
      .slice(0, 60),
    tryRead(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 13).replace("-", "")),
    tryRead(() => fs.readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "")),
  ].join("-");
  return place;
}

function processStat(pid: number): { state: string; startTime: string } | undefined {
  const text = tryRead(() => fs.readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (text === "0") return undefined;
  // The command in parentheses may hold anything; the fields after it are numbered from 3.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startTime: fields[19] ?? "0" };
}

function tryRead(read: () => string): string {
  try {
    return read();
  } catch {
    return "0";
  }
}

function busy(holder: string): CtxError {
  const pid = holder.split(".")[2];
  return new CtxError("store-busy", `the store is held by another process (${pid}) and did not become free`, {
    hint: "wait for it to finish, or end it, and run the command again",
  });
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
