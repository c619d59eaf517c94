// Measures one row: subject and floor in turn, in the same minutes, so that other load of the machine affects
// both.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import { environment, run } from "./work.mjs";

/** @typedef {import("./work.mjs").Command} Command */
/** @typedef {import("./work.mjs").Work} Work */
/** @typedef {import("./rows.mjs").Row} Row */
/** @typedef {{ low: number, median: number, high: number }} Spread quartiles */

/**
 * @typedef {object} Outcome
 * @property {Row} row
 * @property {number} rounds
 * @property {Spread} subject milliseconds, or bytes
 * @property {Spread} floor
 * @property {Spread} ratio of the two, round by round
 * @property {boolean | undefined} ok whether the ratio keeps its limit; undefined without a limit
 * @property {boolean} steady whether the rounds agree well enough to trust the ratio
 */

const order = /** @type {const} */ (["subject", "floor"]);

/** @param {Work} work @param {Row} row @param {{ quick: boolean }} options @returns {Promise<Outcome>} */
export async function measureRow(work, row, { quick }) {
  const rounds = quick ? row.rounds.quick : row.rounds.full;
  const prepared = row.prepare?.(work);
  const sides = {
    subject: () => measure(work, row, row.subject(work, prepared)),
    floor: () => measure(work, row, row.floor(work, prepared)),
  };
  const beyond = row.beyond;
  const base = async (/** @type {"subject" | "floor"} */ side) =>
    beyond === undefined || (side === "floor" && row.beyondFloor === false)
      ? 0
      : await measure(work, row, beyond(work));
  /** @type {Record<"subject" | "floor", number[]>} */
  const found = { subject: [], floor: [] };
  for (let round = row.measures === "time" ? -1 : 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? order : order.toReversed()) {
      // Lets an interrupt through.
      await breathe();
      const value = (await sides[side]()) - (await base(side));
      // The first round fills caches.
      if (round >= 0) found[side].push(value);
    }
  }
  const ratio = spreadOf(found.subject.map((value, index) => value / found.floor[index]));
  return {
    row,
    rounds,
    subject: spreadOf(found.subject),
    floor: spreadOf(found.floor),
    ratio,
    ok: row.limit === undefined ? undefined : ratio.median <= row.limit,
    steady: ratio.high - ratio.low <= ratio.median / 4,
  };
}

/** @param {Work} work @param {Row} row @param {Command | number} what */
async function measure(work, row, what) {
  if (typeof what === "number") return what;
  if (row.writes) work.settle();
  try {
    return row.measures === "time" ? timeOf(what) : await peakOf(work, what);
  } finally {
    what.after?.();
  }
}

/** @param {Command} command how many milliseconds it takes */
export function timeOf(command) {
  const start = performance.now();
  run(command);
  return performance.now() - start;
}

const timeProgram = "/usr/bin/time";

/** @type {boolean | undefined} */
let hasTime;

/** Returns whether the system's `time` reports how much memory a program used. @param {Work} work */
function canTime(work) {
  hasTime ??=
    existsSync(timeProgram) &&
    spawnSync(timeProgram, ["-f", "%M", "-o", join(work.folder, "peak"), "true"]).status === 0;
  return hasTime;
}

/** Returns how peak memory was measured, for the report. */
export function memoryMethod() {
  if (hasTime === undefined) return undefined;
  return hasTime
    ? `\`${timeProgram} -f %M\`, the system's own record of the largest resident size`
    : "polling VmHWM, the largest resident size so far, in /proc/<pid>/status";
}

/** Returns the largest resident size of a command, in bytes. @param {Work} work @param {Command} command */
async function peakOf(work, command) {
  if (!canTime(work)) return polledPeak(command);
  const file = join(work.folder, "peak");
  run(command, { wrapper: [timeProgram, "-f", "%M", "-o", file] });
  return Number(readFileSync(file, "latin1").trim()) * 1024;
}

/** @param {Command} command */
async function polledPeak({ args, cwd, env = {} }) {
  const child = spawn(process.execPath, args, { cwd, env: { ...environment, ...env }, stdio: "ignore" });
  /** @type {{ ended: boolean, status: number | null }} */
  const end = { ended: false, status: null };
  child
    .on("error", () => (end.ended = true))
    .on("exit", (status) => Object.assign(end, { ended: true, status }));
  let peak = 0;
  while (!end.ended) {
    try {
      const text = readFileSync(`/proc/${child.pid}/status`, "latin1");
      peak = Math.max(peak, Number(/^VmHWM:\s*(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024);
    } catch {
      // It has just ended; the last value counts.
    }
    await pause(2);
  }
  if (end.status !== 0) throw new Error(`${args.join(" ")} failed: status ${end.status}`);
  if (peak === 0) throw new Error("this system does not tell how much memory a program used");
  return peak;
}

/** Median and quartiles. @param {readonly number[]} values @returns {Spread} */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => {
    const position = share * (sorted.length - 1);
    const below = sorted[Math.floor(position)];
    const above = sorted[Math.ceil(position)];
    return below + (above - below) * (position - Math.floor(position));
  };
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}
