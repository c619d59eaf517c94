// From outcomes to the table on the screen, bench/README.md and bench/results.json.
import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";

/** @typedef {import("./measure.mjs").Outcome} Outcome */

/**
 * @typedef {object} Machine
 * @property {number} cores
 * @property {string} cpu
 * @property {string} fileSystem
 * @property {string} kernel
 * @property {string} node
 * @property {boolean} busy whether other programs were at work when the run began
 */

/** @typedef {{ name: string, missing: string[] }} LeftOut a row, and the programs that it needs and that are not here */

/** @param {string} folder the folder that was worked in @returns {Machine} */
export function describeMachine(folder) {
  const cores = availableParallelism();
  return {
    cores,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    fileSystem: fileSystemOf(folder),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    busy: /** @type {number} */ (loadavg()[0]) > cores / 2,
  };
}

/** The kind of file system, from the deepest mount that holds the folder. @param {string} folder */
function fileSystemOf(folder) {
  const path = realpathSync(folder);
  let deepest = { point: "", kind: "unknown" };
  try {
    for (const mount of readFileSync("/proc/self/mounts", "utf8").split("\n")) {
      const [, escaped = "", kind = ""] = mount.split(" ");
      const point = escaped.replaceAll("\\040", " ");
      const holds = path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`);
      // Of two mounts at one place the later one is seen.
      if (holds && point.startsWith("/") && point.length >= deepest.point.length) deepest = { point, kind };
    }
  } catch {
    // Not Linux.
  }
  return deepest.kind;
}

const head = ["what", "against", "ratio", "limit", "", "subject", "floor", "spread of the ratio"];
const alignRight = new Set([2, 3, 5, 6]);

/** @param {Outcome} outcome */
function cells({ row, ratio, subject, floor, ok, steady }) {
  return [
    row.name,
    row.floorName,
    number(ratio.median),
    row.limit === undefined ? "-" : String(row.limit),
    ok === undefined ? "" : ok ? "ok" : "over",
    amount(row.measures, subject.median),
    amount(row.measures, floor.median),
    `${number(ratio.low)} to ${number(ratio.high)}${steady ? "" : " (unsteady)"}`,
  ];
}

/** @param {number} value */
function number(value) {
  return value.toFixed(2);
}

/** @param {"time" | "memory"} kind @param {number} value */
function amount(kind, value) {
  if (kind === "memory") return `${(value / 1e6).toFixed(0)} MB`;
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

/** The table for a terminal. @param {readonly Outcome[]} outcomes */
export function renderTable(outcomes) {
  const lines = [head, ...outcomes.map(cells)];
  const widths = widthsOf(lines);
  return lines.map((line) => aligned(line, widths).join("  ").trimEnd()).join("\n");
}

/** The table for the page, laid out as the project's formatter wants it. @param {readonly Outcome[]} outcomes */
function markdownTable(outcomes) {
  const lines = [head, ...outcomes.map(cells)];
  const widths = widthsOf(lines).map((width) => Math.max(width, 3));
  const rule = widths.map((width, column) =>
    alignRight.has(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  const [first, ...rest] = lines.map((line) => aligned(line, widths));
  return [first, rule, ...rest].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** @param {readonly string[][]} lines */
function widthsOf(lines) {
  return head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
}

/** @param {readonly string[]} line @param {readonly number[]} widths */
function aligned(line, widths) {
  return line.map((cell, column) =>
    alignRight.has(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
  );
}

/** What the limits came to, in a sentence. @param {readonly Outcome[]} outcomes */
export function renderVerdict(outcomes) {
  const limited = outcomes.filter(({ ok }) => ok !== undefined);
  const over = limited.filter(({ ok }) => ok === false);
  if (limited.length === 0) return "No limit applies to these rows.";
  if (over.length === 0)
    return limited.length === 1 ? "The limit is kept." : `All ${limited.length} limits are kept.`;
  const names = over.map(({ row, ratio }) => `${row.name} (${number(ratio.median)}, limit ${row.limit})`);
  return `${over.length} of ${limited.length} limits missed: ${names.join("; ")}.`;
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {{ machine: Machine, quick: boolean, memory: string | undefined, leftOut: readonly LeftOut[] }} about
 */
export function renderReadme(outcomes, { machine, quick, memory, leftOut }) {
  const provisional = [
    ...(quick ? ["few rounds (`--quick`)"] : []),
    ...(machine.busy ? ["a machine that was busy with other work"] : []),
  ];
  return `<!-- Written by \`npm run bench\`; edits are lost. -->

# What is fast

Whole commands of the built program, each as a ratio to a floor: a bare program that does the least that the task needs.
Ratios travel from machine to machine; milliseconds do not.

${markdownTable(outcomes)}

${renderVerdict(outcomes)}
${leftOutText(leftOut)}${provisional.length === 0 ? "" : `\nProvisional: measured with ${provisional.join(", and on ")}.\n`}
## Machine

${machine.cores} cores, ${machine.cpu}, ${machine.fileSystem}, ${machine.kernel}, Node ${machine.node}.

## The floors

${outcomes.map(({ row }) => `- **${row.name}**: ${row.floorDoes}`).join("\n")}

## Method

- Subject and floor run in turn, and change places every round, so that whatever else the machine does hits both. A
  first round warms up and is not counted.
- Every run is a new process (\`spawnSync\` of this Node, output ignored), timed from outside, with NODE_OPTIONS and
  NODE_EXTRA_CA_CERTS unset: the latter alone costs Node 20 some 35 ms at each start.
- The ratio is the median of the rounds' ratios, and its spread their middle half; where that is wider than a quarter of
  the ratio, the row is marked as unsteady, and should be measured again. Times are medians too.
- What packs does so into a new folder. Before each run that writes, everything written so far is flushed (\`sync -f\`),
  which is not timed: otherwise the durable subject would pay for what the floor left in memory.
- Nothing is removed before the end, because after mass deletes ext4 creates files up to ten times slower for
  minutes. For the same reason let a few minutes pass between two runs, or use \`--keep\`.
- Contents are ASCII lines such as tools print, with quotes, tabs and backslashes, from a seeded generator; no two are
  alike. ASCII is the hard case: one wider character would double the string that the floor parses.
- The runs that are compared (\`runs.mjs\`) are like a coding agent's: a fifth prose, of the calls 5 % repeated, 24 % with
  a common output and some in parallel, outputs of 100 to 2,000 bytes. Changes are spread evenly: outputs, parameters,
  tools, and inserted, removed and moved steps in equal shares. Wholly different runs share tools, but no call.
${memory === undefined ? "" : `- Peak memory is measured by ${memory}. It is not warmed up; a number of bytes is the floor.\n`}- Rounds: ${roundsText(outcomes)}.

## Run it again

\`\`\`
npm run bench                      # everything; rewrites this page and results.json
npm run bench -- --quick           # fewer rounds
npm run bench -- --only show       # rows whose name contains a text; writes no page
npm run bench -- --keep            # leave the work folder
CTX_BENCH_DIR=/mnt/disk npm run bench
\`\`\`

It works in a folder under the system's temporary one, or under CTX_BENCH_DIR, and needs some 12 GB there. The exit
status is 0 also when a limit is missed. A new row is one entry in \`rows.mjs\`.
`;
}

/** @param {readonly LeftOut[]} rows */
function leftOutText(rows) {
  if (rows.length === 0) return "";
  const names = rows.map(({ name, missing }) => `${name} (without ${missing.join(" and ")})`);
  return `\nNot measured here: ${names.join("; ")}.\n`;
}

/** @param {readonly Outcome[]} outcomes */
function roundsText(outcomes) {
  const rounds = new Map();
  for (const outcome of outcomes)
    rounds.set(outcome.rounds, [...(rounds.get(outcome.rounds) ?? []), outcome.row.name]);
  return [...rounds].map(([count, names]) => `${count} for ${names.join("; ")}`).join(". ");
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {{ machine: Machine, quick: boolean, leftOut: readonly LeftOut[] }} about
 */
export function renderJson(outcomes, { machine, quick, leftOut }) {
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
  return `${JSON.stringify({ machine, quick, results, left_out: leftOut }, null, 2)}\n`;
}

/** @param {import("./measure.mjs").Spread} spread */
function roundedAll({ low, median, high }) {
  return { low: rounded(low), median: rounded(median), high: rounded(high) };
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 1000) / 1000;
}
