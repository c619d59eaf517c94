// A record of what hooks did, in the user's state folder: one line per session, newest last, limited in size.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import type { HookRun } from "../results/intake.js";
import { withStateLock } from "../store/state-lock.js";

/** Maximum size in bytes; above it, the older half is dropped. */
const most = 1 << 18;

/** Adds a line about a session. Failure to write is ignored. */
export function noteRun(state: string, run: HookRun): void {
  const path = runsPath(state);
  try {
    // Without the lock, a line that another hook adds while the older half is cut off would be lost.
    withStateLock(state, "note-hook-runs", () => {
      fs.appendFileSync(path, `${JSON.stringify(run)}\n`, { mode: 0o600 });
      if (fs.statSync(path).size <= most) return;
      const lines = fs.readFileSync(path).toString("utf8").split("\n");
      fs.writeFileSync(`${path}-${process.pid}`, lines.slice(lines.length >> 1).join("\n"), { mode: 0o600 });
      fs.renameSync(`${path}-${process.pid}`, path);
    });
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
  }
}

/** Returns the last run of each hook. */
export function lastRuns(state: string): Map<string, HookRun> {
  const last = new Map<string, HookRun>();
  try {
    for (const line of fs.readFileSync(runsPath(state)).toString("utf8").split("\n")) {
      const run = parsed(line);
      if (run !== undefined) last.set(run.hook, run);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return last;
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
const patience = 2_000;

/**
 * Runs `work` unless another process works on the same store; returns whether it ran. `work` must call
 * `refresh` now and then.
 */
export function aloneFor(state: string, store: string, work: (refresh: () => void) => void): boolean {
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
      { patience },
    );
  } catch (error) {
    if (isStarted || !(error instanceof CtxError) || error.code !== "store-busy") throw error;
  }
  return isStarted;
}

function runsPath(state: string): string {
  return join(state, "hook-runs.jsonl");
}
