// The time of `ctx diff`, by the length of the runs and their differences.
import { huge, large, program } from "./floors.mjs";

/** @typedef {import("../work.mjs").Work} Work */
/** @typedef {import("../rows.mjs").Row} Row */
/** @typedef {import("../runs.mjs").Change} Change */

/** Two runs compared. @param {number} steps @param {Change} change */
export const compared = (steps, change) => ({
  name: `ctx diff, ${steps.toLocaleString("en")} steps, ${change}`,
  prepare: (/** @type {Work} */ work) => work.pair(steps, change),
  subject: (/** @type {Work} */ work, /** @type {string} */ store) => work.ctx(store, "diff", "a", "b"),
});

/** The time that it takes. @param {number} steps @param {Change} change @param {number} limit @returns {Row} */
const comparing = (steps, change, limit) => ({
  ...compared(steps, change),
  floorName: "read, hash, parse both",
  limit,
  measures: "time",
  rounds: steps > 10_000 ? huge : large,
  floorDoes:
    "The floor (`read-manifests.mjs`) reads both manifests, hashes them and parses them with JSON.parse.",
  floor: (work, store) => work.node(program("read-manifests.mjs"), store, "parse"),
});

/** @type {Row[]} */
export const comparingRows = [
  comparing(10_000, "1 % changed", 6),
  comparing(10_000, "one inserted", 4),
  comparing(10_000, "wholly different", 12),
  comparing(10_000, "every output changed", 8),
  comparing(100_000, "1 % changed", 6),
  comparing(100_000, "wholly different", 12),
  {
    ...compared(100_000, "0.1 % changed"),
    floorName: "ctx show --json of both",
    limit: 2,
    measures: "time",
    rounds: huge,
    floorDoes: "The floor is `ctx show --json` of the one run, and then of the other.",
    floor: (work, store) =>
      work.inTurn(work.ctx(store, "show", "a", "--json"), work.ctx(store, "show", "b", "--json")),
  },
];
