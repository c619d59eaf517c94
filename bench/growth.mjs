// How the time of each command grows: with the packs that are in a store, and with the steps that a run has.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { spreadOf, timeOf } from "./measure.mjs";
import { smallRun } from "./small-runs.mjs";

/** @typedef {import("./work.mjs").Command} Command */
/** @typedef {import("./work.mjs").Work} Work */

/**
 * @typedef {object} Growing a command
 * @property {string} name
 * @property {"answer" | "all"} work whether it has to look at one thing, or at all that there is
 * @property {boolean} [writes]
 * @property {(work: Work, store: string) => Command} command
 */

/**
 * @typedef {object} Line how one command's time grows
 * @property {string} name
 * @property {number[]} times milliseconds, one for each size
 * @property {number} slope between the last two sizes, the median of the rounds': 0 is no growth, 1 as much as the work
 * @property {number} limit that the slope should not pass
 * @property {boolean} ok
 */

/** @typedef {{ what: "packs" | "steps", sizes: number[], lines: Line[] }} Growth */

const limits = { answer: 0.1, all: 1.1 };

/** @param {Work} work @param {string[]} names */
const newFile = (work, ...names) => join(work.fresh(), ...names);

/** In a store of so many packs. What changes the store comes last. @type {Growing[]} */
const inStores = [
  { name: "log -n 20", work: "answer", command: (work, store) => work.ctx(store, "log", "-n", "20") },
  {
    name: "show <prefix>",
    work: "answer",
    command: (work, store) => work.ctx(store, "show", prefixIn(store)),
  },
  { name: "show <tag>", work: "answer", command: (work, store) => work.ctx(store, "show", "oldest") },
  { name: "verify latest", work: "answer", command: (work, store) => work.ctx(store, "verify", "latest") },
  { name: "status", work: "answer", command: (work, store) => work.ctx(store, "status") },
  { name: "log", work: "all", command: (work, store) => work.ctx(store, "log") },
  { name: "gc --dry-run", work: "all", command: (work, store) => work.ctx(store, "gc", "--dry-run") },
  { name: "verify --all", work: "all", command: (work, store) => work.ctx(store, "verify", "--all") },
  {
    name: "pack, one more",
    work: "answer",
    writes: true,
    command: (work, store) => {
      const log = newFile(work, "log.json");
      writeFileSync(log, JSON.stringify({ ...smallRun(0), metadata: { log } }));
      return work.ctx(store, "pack", log);
    },
  },
];

/** Returns the start of some pack's hash. @param {string} store */
function prefixIn(store) {
  return readdirSync(join(store, ".ctx", "packs"))[5].slice(0, 12);
}

/** With runs of so many steps. @type {Growing[]} */
const withRuns = [
  { name: "show", work: "all", command: (work, store) => work.ctx(store, "show", "a") },
  { name: "show --json", work: "all", command: (work, store) => work.ctx(store, "show", "a", "--json") },
  { name: "diff", work: "all", command: (work, store) => work.ctx(store, "diff", "a", "b") },
  { name: "verify", work: "all", command: (work, store) => work.ctx(store, "verify", "a") },
  {
    name: "pack",
    work: "all",
    writes: true,
    command: (work, store) => work.ctx(work.store(), "pack", join(store, "a.json")),
  },
  {
    name: "export",
    work: "all",
    writes: true,
    command: (work, store) => {
      const file = newFile(work, "a.ctx");
      return { ...work.ctx(store, "export", "a", "-o", file), after: () => rmSync(file) };
    },
  },
  {
    name: "import",
    work: "all",
    writes: true,
    command: (work, store) => work.ctx(work.store(), "import", work.bundle(store, "a")),
  },
  {
    name: "fork",
    work: "all",
    writes: true,
    command: (work, store) => work.ctx(store, "fork", "a", newFile(work, "draft")),
  },
];

/** How often each size is measured. */
const rounds = { answer: { full: 15, quick: 7 }, all: { full: 5, quick: 2 } };

/**
 * @param {Work} work
 * @param {{ quick: boolean, sizes: readonly number[], say: (text: string) => void }} options
 * @returns {Promise<Growth[]>}
 */
export async function measureGrowth(work, { quick, sizes, say }) {
  const families = /** @type {const} */ ([
    { what: "packs", commands: inStores, storeOf: work.many },
    { what: "steps", commands: withRuns, storeOf: (steps) => work.pair(steps, "1 % changed") },
  ]);
  /** @type {Growth[]} */
  const found = [];
  for (const { what, commands, storeOf } of families) {
    const stores = sizes.map(storeOf);
    /** @type {Line[]} */
    const lines = [];
    for (const command of commands) {
      say(`measuring growth of ctx ${command.name} by ${what} …`);
      const { full, quick: few } = rounds[command.work];
      const times = await timesIn(work, stores, command, quick ? few : full);
      lines.push(lineOf(command.name, sizes, times, limits[command.work]));
      work.used();
    }
    found.push({ what, sizes: [...sizes], lines });
  }
  return found;
}

/**
 * Returns the times in each store, round by round. A round goes through all stores, there and back: whatever
 * else the machine does hits all sizes alike. A first round is not counted, but for what takes long and
 * writes.
 * @param {Work} work @param {readonly string[]} stores @param {Growing} growing @param {number} count
 */
async function timesIn(work, stores, { command, work: kind, writes = false }, count) {
  /** @type {number[][]} */
  const times = [];
  for (let round = writes && kind === "all" ? 0 : -1; round < count; round++) {
    const indexes = [...stores.keys()];
    /** @type {number[]} */
    const found = [];
    for (const index of round % 2 === 0 ? indexes.toReversed() : indexes) {
      // Lets an interrupt through.
      await breathe();
      const made = command(work, stores[index]);
      if (writes) work.settle();
      found[index] = timeOf(made);
      made.after?.();
    }
    if (round >= 0) times.push(found);
  }
  return times;
}

/** @param {string} name @param {readonly number[]} sizes @param {readonly number[][]} rounds times for each size @param {number} limit @returns {Line} */
export function lineOf(name, sizes, rounds, limit) {
  const times = sizes.map((_, at) => spreadOf(rounds.map((round) => round[at])).median);
  const last = sizes.length - 1;
  const slopes = rounds.map(
    (round) => Math.log(round[last] / round[last - 1]) / Math.log(sizes[last] / sizes[last - 1]),
  );
  const slope = spreadOf(slopes).median;
  return { name, times, slope, limit, ok: slope <= limit };
}
