// Messages about a lock: which process holds it, since when, and how to continue without waiting for it.
import * as fs from "node:fs";
import { join } from "node:path";
import type { FolderClock } from "../base/fs/folder-clock.js";
import { judgeLock, lockAge, type LockState, staleAfter } from "./lock-age.js";
import { type OwnerPlace, ownerOf } from "../base/owner-id.js";

/** One lock, as `ctx doctor` lists it. */
export interface LockInfo {
  path: string;
  kind: string;
  host: string;
  pid: number;
  place: OwnerPlace;
  state: LockState;
  /**
   * Milliseconds since the last sign of life, by the file system's clock; negative for a time in the future.
   */
  age: number;
}

/** The report of a process that waits for a lock. */
export interface WaitNotice {
  lock: LockInfo;
  /** How long it has waited, in milliseconds. */
  waited: number;
  message: string;
  hint: string;
}

/** Returns the locks in `root`/locks, sorted by name; none if there is no such folder. */
export function listLocks(root: string, clock: FolderClock): LockInfo[] {
  const folder = join(root, "locks");
  let names: string[];
  try {
    names = fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.map((name) => lockInfo(folder, name, clock));
}

function lockInfo(folder: string, name: string, clock: FolderClock): LockInfo {
  const { place, host, pid } = ownerOf(name.slice(name.indexOf(".") + 1));
  const kind = name.slice(0, Math.max(name.indexOf("."), 0));
  const { state } = judgeLock(folder, name, clock);
  return { path: join(folder, name), kind, host, pid, place, state, age: lockAge(folder, name, clock) ?? 0 };
}

/** Describes which process is waited for, and how to end the wait. */
export function describeWait(root: string, rival: string, clock: FolderClock, waited: number): WaitNotice {
  const lock = lockInfo(join(root, "locks"), rival, clock);
  return { lock, waited, message: `waiting for ${describeLock(lock)}`, hint: adviceFor(lock) };
}

const works: Readonly<Record<string, string>> = {
  add: "a command that writes to the store",
  once: "a command that packs a log without times",
  sweep: "`ctx gc` or `ctx rm`",
};

const places: Readonly<Record<OwnerPlace, (host: string) => string>> = {
  here: () => "on this machine",
  "other-container": (host) => `in another container or process namespace of this machine (${host})`,
  "other-boot": (host) =>
    `on ${host}, which is this machine before it was restarted, or another one of that name`,
  "other-machine": (host) => `on another machine (${host})`,
  unknown: () => "of unknown origin",
};

/** Describes the holder of a lock in one line. */
export function describeLock({ kind, host, pid, place, age }: LockInfo): string {
  const work = works[kind] ?? (/^(?:work|note)-/.test(kind) ? `other work of the same kind` : "unknown work");
  const process = place === "unknown" ? "" : `process ${pid} `;
  return `${work}: ${process}${places[place](host)}, ${ageText(age)}`;
}

/** Returns advice about a lock. */
export function adviceFor({ path, pid, place, state }: LockInfo): string {
  if (state === "dead") return "its process is gone; the next command that writes removes the lock";
  if (place === "here") return `wait for process ${pid} to finish, or stop it`;
  const minutes = staleAfter / 60_000;
  return `if that process is no longer running, remove ${path}; ctx removes it ${minutes} minutes after the last sign of life`;
}

function ageText(age: number): string {
  const seconds = Math.round(Math.abs(age) / 1000);
  if (age < -1000) return `dated ${spanText(seconds)} in the future`;
  return `last sign of life ${spanText(seconds)} ago`;
}

function spanText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}
