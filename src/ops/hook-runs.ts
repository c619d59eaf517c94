// What hooks did, in the user's own state: a line for each session, the newest at the end, and never more than fits.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { errnoOf } from "../base/errors.js";
import type { HookRun } from "../model/intake-results.js";

/** When the file is larger, the older half goes. */
const most = 1 << 18;

/** Writes down what became of a session. Where that cannot be done, nobody is told. */
export function noteRun(state: string, run: HookRun): void {
  const path = runsPath(state);
  try {
    fs.mkdirSync(state, { recursive: true, mode: 0o700 });
    fs.appendFileSync(path, `${JSON.stringify(run)}\n`, { mode: 0o600 });
    if (fs.statSync(path).size <= most) return;
    const lines = fs.readFileSync(path).toString("utf8").split("\n");
    fs.writeFileSync(`${path}-${process.pid}`, lines.slice(lines.length >> 1).join("\n"), { mode: 0o600 });
    fs.renameSync(`${path}-${process.pid}`, path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** What each hook did last. */
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
    // Whatever else stands there is not ours.
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

/** A process that holds it longer than this is no longer at work. */
const stale = 30 * 60_000;

/** Does the work unless another process is doing it for the same store. */
export function aloneFor(state: string, store: string, work: () => void): boolean {
  const path = join(state, `hook-${sha256(Buffer.from(store)).slice(0, 16)}.lock`);
  fs.mkdirSync(state, { recursive: true, mode: 0o700 });
  const held = fs.statSync(path, { throwIfNoEntry: false });
  if (held !== undefined && Date.now() - held.mtimeMs > stale) fs.rmSync(path, { force: true });
  try {
    fs.closeSync(fs.openSync(path, "wx", 0o600));
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    work();
  } finally {
    fs.rmSync(path, { force: true });
  }
  return true;
}

function runsPath(state: string): string {
  return join(state, "hook-runs.jsonl");
}
