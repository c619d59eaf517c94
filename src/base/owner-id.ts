// Which process a lock or an unfinished file belongs to. Its id names the machine, boot and process
// namespace, the process number and the start time, so that a crashed owner is distinguished from a live one
// without reading anything.
import { randomBytes } from "node:crypto"; // Lazy in bundles.
import * as fs from "node:fs";
import { hostname } from "node:os"; // Lazy in bundles.
import { errnoOf } from "./errors.js";

/** Where an owner runs, seen from this process. Process numbers mean the same as ours only in `here`. */
export type OwnerPlace = "here" | "other-container" | "other-boot" | "other-machine" | "unknown";

export interface Owner {
  place: OwnerPlace;
  host: string;
  pid: number;
}

/** Returns a unique id that names this process, for files that a crash could leave behind. */
export function ownId(): string {
  const started = processStat(process.pid)?.startTime ?? "0";
  return `${here()}.${process.pid}.${started}.${randomBytes(6).toString("hex")}`;
}

/** Returns whether a text has the form of such an id; anything else must not become part of a path. */
export function isOwnerId(text: string): boolean {
  return /^\w+-\w+-\d+\.\d+\.\d+\.[0-9a-f]+$/.test(text);
}

/**
 * Returns whether the owner of this id runs; undefined if it runs elsewhere, where this process cannot look.
 */
export function isOwnerRunning(id: string): boolean | undefined {
  const [where, pid, startTime] = id.split(".");
  if (where !== here() || pid === undefined || !/^\d+$/.test(pid)) return undefined;
  return isRunning(Number(pid), startTime ?? "");
}

/** Describes the owner of an id. */
export function ownerOf(id: string): Owner {
  if (!isOwnerId(id)) return { place: "unknown", host: "", pid: 0 };
  const [where = "", pid = ""] = id.split(".");
  const [host = "", boot = "", namespace = ""] = where.split("-");
  const [ownHost, ownBoot, ownNamespace] = here().split("-");
  const isSameBoot = boot === ownBoot && boot !== "0";
  const place =
    where === here()
      ? "here"
      : isSameBoot && namespace !== ownNamespace
        ? "other-container"
        : host === ownHost && !isSameBoot
          ? "other-boot"
          : "other-machine";
  return { place, host, pid: Number(pid) };
}

function isRunning(pid: number, startTime: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) === "ESRCH") return false;
  }
  const stat = processStat(pid);
  // A process that was killed but not yet reaped counts as gone; so does another one that got the same
  // number.
  return stat === undefined || (stat.startTime === startTime && !/[ZX]/.test(stat.state));
}

let place: string | undefined;

/** Identifies where process numbers mean the same: one machine, one boot, one process namespace. */
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
