// From outcomes to tables, sentences and bench/results.json.
import { markdownTable, terminalTable } from "./tables.mjs";

/** @typedef {import("./growth.mjs").Growth} Growth */
/** @typedef {import("./measure.mjs").Outcome} Outcome */

/** @typedef {{ name: string, missing: string[] }} LeftOut a row, and the programs that it needs and that are not here */

/**
 * @typedef {object} About the run
 * @property {import("./machine.mjs").Machine} machine
 * @property {boolean} quick
 * @property {string | undefined} memory how it was measured
 * @property {readonly LeftOut[]} leftOut
 * @property {number} minutes that it took
 * @property {{ bytes: number, files: number }} used the most that was on the disk
 */

/** @param {readonly Outcome[]} outcomes @returns {import("./tables.mjs").Table} */
function tableOf(outcomes) {
  return {
    head: ["what", "against", "ratio", "limit", "", "subject", "floor", "spread of the ratio", "rounds"],
    right: new Set([2, 3, 5, 6, 8]),
    lines: outcomes.map(({ row, ratio, subject, floor, ok, steady, rounds }) => [
      row.name,
      row.floorName,
      number(ratio.median),
      row.limit === undefined ? "-" : String(row.limit),
      ok === undefined ? "" : ok ? "ok" : "over",
      amount(row.measures, subject.median),
      amount(row.measures, floor.median),
      `${number(ratio.low)} to ${number(ratio.high)}${steady ? "" : " (unsteady)"}`,
      String(rounds),
    ]),
  };
}

/** @param {Growth} growth @returns {import("./tables.mjs").Table} */
function growthTableOf({ what, sizes, lines }) {
  const columns = sizes.length;
  return {
    head: [what, ...sizes.map((size) => size.toLocaleString("en")), "slope", "limit", ""],
    right: new Set(Array.from({ length: columns + 2 }, (_, at) => at + 1)),
    lines: lines.map(({ name, times, slope, limit, ok }) => [
      `ctx ${name}`,
      ...times.map((time) => amount("time", time)),
      number(slope),
      String(limit),
      ok ? "ok" : "over",
    ]),
  };
}

/** @param {readonly Outcome[]} outcomes */
export const terminalRows = (outcomes) => terminalTable(tableOf(outcomes));
/** @param {readonly Outcome[]} outcomes */
export const markdownRows = (outcomes) => markdownTable(tableOf(outcomes));
/** @param {readonly Growth[]} growths */
export const terminalGrowth = (growths) =>
  growths.map((growth) => terminalTable(growthTableOf(growth))).join("\n\n");
/** @param {readonly Growth[]} growths */
export const markdownGrowth = (growths) =>
  growths.map((growth) => markdownTable(growthTableOf(growth))).join("\n\n");

/** @param {number} value */
function number(value) {
  return value.toFixed(2);
}

/** @param {"time" | "memory"} kind @param {number} value */
function amount(kind, value) {
  if (kind === "memory") return `${(value / 1e6).toFixed(0)} MB`;
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

/** One row, in a line. @param {Outcome} outcome */
export function renderOutcome({ row, ratio, subject, floor, ok }) {
  const limit = ok === undefined ? "" : ` (limit ${row.limit}${ok ? "" : ", over"})`;
  return `${number(ratio.median)}${limit}: ${amount(row.measures, subject.median)} against ${amount(row.measures, floor.median)}`;
}

/** The limits that were kept and missed, in a sentence. @param {readonly Outcome[]} outcomes */
export function renderVerdict(outcomes) {
  const limited = outcomes.filter(({ ok }) => ok !== undefined);
  const over = limited.filter(({ ok }) => ok === false);
  if (limited.length === 0) return "No limit applies to these rows.";
  if (over.length === 0)
    return limited.length === 1 ? "The limit is kept." : `All ${limited.length} limits are kept.`;
  const names = over.map(({ row, ratio }) => `${row.name} (${number(ratio.median)}, limit ${row.limit})`);
  return `${over.length} of ${limited.length} limits missed: ${names.join("; ")}.`;
}

/** Returns the commands that grow faster than they should, in a sentence. @param {readonly Growth[]} growths */
export function renderGrowthVerdict(growths) {
  const over = growths.flatMap(({ what, lines }) =>
    lines
      .filter(({ ok }) => !ok)
      .map(({ name, slope, limit }) => `ctx ${name} by ${what} (${number(slope)}, limit ${limit})`),
  );
  return over.length === 0
    ? "No command's time grows faster than its work."
    : `Faster than their work grow: ${over.join("; ")}.`;
}

/** @param {readonly Outcome[]} outcomes @param {readonly Growth[]} growths @param {About} about */
export function renderJson(outcomes, growths, { machine, quick, leftOut, minutes, used }) {
  const results = outcomes.map(({ row, rounds, subject, floor, ratio, ok, steady }) => ({
    name: row.name,
    floor_name: row.floorName,
    unit: row.measures === "time" ? "ms" : "bytes",
    limit: row.limit ?? null,
    ok: ok ?? null,
    steady,
    rounds,
    ratio: roundedAll(ratio),
    subject: roundedAll(subject),
    floor: roundedAll(floor),
  }));
  const growth = growths.map(({ what, sizes, lines }) => ({
    what,
    sizes,
    unit: "ms",
    commands: lines.map(({ name, times, slope, limit, ok }) => ({
      name,
      times: times.map(rounded),
      slope: rounded(slope),
      limit,
      ok,
    })),
  }));
  const run = { minutes: Math.round(minutes), bytes: used.bytes, files: used.files };
  const text = JSON.stringify({ machine, quick, run, results, growth, left_out: leftOut }, null, 2);
  return `${text.replaceAll(/\[[\d\s,.]+\]/g, onOneLine)}\n`;
}

/** Lists of numbers, in the style of the project's formatter. @param {string} list */
function onOneLine(list) {
  return list.replaceAll(/\s+/g, " ").replace("[ ", "[").replace(" ]", "]");
}

/** @param {import("./measure.mjs").Spread} spread */
function roundedAll({ low, median, high }) {
  return { low: rounded(low), median: rounded(median), high: rounded(high) };
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 1000) / 1000;
}
