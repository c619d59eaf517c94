// The peak memory of commands: whatever the size of the run, it has to stay below a bound.
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { compared } from "./comparing.mjs";
import { memory, once, pack } from "./floors.mjs";

/** @typedef {import("../work.mjs").Command} Command */
/** @typedef {import("../work.mjs").Work} Work */
/** @typedef {import("../rows.mjs").Row} Row */
/** @typedef {import("../scenes.mjs").Long} Long */

/** The peak of packing a log of this shape, against the log's size. @param {import("../logs.mjs").LogShape} shape */
const peakOfPacking = (shape) => ({
  limit: 4,
  floorName: "size of the log",
  measures: /** @type {const} */ ("memory"),
  writes: true,
  rounds: memory,
  floorDoes: "The floor is not a program, but the size of the log.",
  prepare: (/** @type {Work} */ work) => work.log(shape),
  subject: pack,
  floor: (/** @type {Work} */ _work, /** @type {string} */ log) => statSync(log).size,
});

/** A bound that is stated, in MB. @param {number} megabytes */
const bound = (megabytes) => ({
  floorName: `${megabytes.toLocaleString("en")} MB`,
  limit: 1,
  measures: /** @type {const} */ ("memory"),
  floorDoes: "The floor is not a program, but the number of bytes that the command may use.",
  floor: () => megabytes * 1e6,
});

/** @type {Record<string, (work: Work, long: Long) => Command>} */
const commands = {
  pack: (work, { log }) => pack(work, log),
  show: (work, { store }) => work.ctx(store, "show", "a"),
  "show --json": (work, { store }) => work.ctx(store, "show", "a", "--json"),
  diff: (work, { store }) => work.ctx(store, "diff", "a", "b"),
  verify: (work, { store }) => work.ctx(store, "verify", "a"),
  export: (work, { store }) => {
    const file = join(work.fresh(), "a.ctx");
    return { ...work.ctx(store, "export", "a", "-o", file), after: () => rmSync(file) };
  },
  import: (work, { store }) => work.ctx(work.store(), "import", work.bundle(store, "a")),
};

/** Every command that has to do with the whole of a run. @param {string} what @param {(work: Work) => Long} prepare @param {Record<keyof typeof commands, number>} bounds in MB @returns {Row[]} */
const peaks = (what, prepare, bounds) =>
  Object.entries(bounds).map(([command, megabytes]) => ({
    name: `peak memory, ctx ${command}, ${what}`,
    ...bound(megabytes),
    writes: ["pack", "export", "import"].includes(command),
    rounds: once,
    prepare,
    subject: commands[command],
  }));

/** The peak, against what it may be for any runs of 100,000 steps. @param {import("../runs.mjs").Change} change @returns {Row} */
const peakOfComparing = (change) => {
  const { name, ...row } = compared(100_000, change);
  return { ...row, name: `peak memory, ${name}`, ...bound(600), rounds: memory };
};

/** @type {Row[]} */
export const memoryRows = [
  {
    name: "peak memory, a Claude Code session of 1 GB",
    ...bound(512),
    writes: true,
    rounds: memory,
    prepare: (work) => work.transcript(1e9),
    subject: pack,
  },
  { name: "peak memory, 400 inputs of 1 MB", ...peakOfPacking({ inputs: 400, inputSize: 1 << 20 }) },
  { name: "peak memory, 100,000 steps of 4 KB", ...peakOfPacking({ steps: 100_000, stepSize: 4096 }) },
  peakOfComparing("1 % changed"),
  peakOfComparing("wholly different"),
  {
    name: "peak memory, ctx replay, 10,000 steps",
    floorName: "the same with 1,000",
    limit: 2,
    measures: "memory",
    rounds: memory,
    floorDoes:
      "The floor is a replay of 1,000 steps of the same kind: outputs are not kept, only the list of steps grows.",
    prepare: (work) => [work.replayable(1000, "read_file"), work.replayable(10_000, "read_file")],
    subject: (work, [, store]) => work.replay(store),
    floor: (work, [store]) => work.replay(store),
  },
  ...peaks("1,000,000 steps", (work) => work.million(), {
    pack: 1800,
    show: 3200,
    "show --json": 1500,
    diff: 2900,
    verify: 1800,
    export: 1900,
    import: 1500,
  }),
  ...peaks("a log of 1 GB", (work) => work.gigabyte(), {
    pack: 1400,
    show: 600,
    "show --json": 300,
    diff: 400,
    verify: 300,
    export: 400,
    import: 300,
  }),
];
