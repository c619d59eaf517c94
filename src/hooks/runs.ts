// A record of what hooks did, in the user's state folder: one line per session, newest last, limited in size.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import type { HookRun } from "../results/intake.js";
import { withStateLock } from "../store/state-lock.js";

/** Maximum size in bytes; above it, the older half is dropped. */
const maxFileSize = 1 << 18;

/** Adds a line about a session. Failure to write is ignored. */
export function noteRun(state: string, run: HookRun): void {
  const path = runsPath(state);
  try {
    // Without the lock, a line that another hook adds meanwhile would be lost.
    withStateLock(state, "note-hook-runs", () => {
      const lines = [...readLines(path), JSON.stringify(run)];
      const all = Buffer.from(`${lines.join("\n")}\n`);
      const bytes =
        all.length <= maxFileSize ? all : Buffer.from(`${lines.slice(lines.length >> 1).join("\n")}\n`);
      replaceFile(path, bytes, { durable: false, mode: 0o600 });
    });
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
  }
}

/** Returns the last run of each hook. */
export function lastRuns(state: string): Map<string, HookRun> {
  const last = new Map<string, HookRun>();
  try {
    for (const line of readLines(runsPath(state))) {
      const run = parsed(line);
      if (run !== undefined) last.set(run.hook, run);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return last;
}

function readLines(path: string): string[] {
  try {
    const lines = fs.readFileSync(path).toString("utf8").split("\n");
    return lines.filter((line) => line !== "");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

function parsed(line: string): HookRun | undefined {
  try {
    const { time, hook, packs, log, problem, notice } = JSON.parse(line) as HookRun;
    const isRun =
      typeof hook === "string" &&
      typeof time === "string" &&
      Array.isArray(packs) &&
      packs.every((pack) => typeof pack === "string");
    if (!isRun) return undefined;
    // Unknown fields are not ours: drop them.
    return {
      time,
      hook,
      packs,
      ...(typeof log === "string" ? { log } : {}),
      ...(typeof problem === "string" ? { problem } : {}),
      ...(typeof notice === "string" ? { notice } : {}),
    };
  } catch {
    return undefined;
  }
}

/** How long a hook waits for another hook that works on the same store, in milliseconds. */
const timeout = 2_000;

/**
 * Runs `work` unless another process works on the same store; returns whether it ran. `work` must call
 * `refresh` now and then.
 */
export function runExclusively(state: string, store: string, work: (refresh: () => void) => void): boolean {
  const kind = `work-hook-${sha256(Buffer.from(store)).slice(0, 16)}` as const;
  let isStarted = false;
  try {
    withStateLock(
      state,
      kind,
      (lock) => {
        isStarted = true;
        work(() => lock?.refresh());
      },
      { timeout },
    );
  } catch (error) {
    if (isStarted || !(error instanceof CtxError) || error.code !== "store-busy") throw error;
  }
  return isStarted;
}

function runsPath(state: string): string {
  return join(state, "hook-runs.jsonl");
}
