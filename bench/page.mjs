// The page bench/README.md: the results, and how and against what they were measured.
import { markdownGrowth, markdownRows, renderGrowthVerdict, renderVerdict } from "./report.mjs";
import { needed } from "./work.mjs";

/** @typedef {import("./growth.mjs").Growth} Growth */
/** @typedef {import("./measure.mjs").Outcome} Outcome */
/** @typedef {import("./report.mjs").About} About */

/** @param {readonly Outcome[]} outcomes @param {readonly Growth[]} growths @param {About} about */
export function renderReadme(outcomes, growths, about) {
  const { machine, memory, leftOut } = about;
  return `<!-- Written by \`npm run bench\`; edits are lost. -->

# Speed

Whole commands of the built program, each as a ratio to a floor: a bare program that does the minimum the task requires.
Ratios hold across machines; milliseconds do not.

${markdownRows(outcomes)}

${renderVerdict(outcomes)}
${leftOutText(leftOut)}${provisionalText(about)}
## How times grow

![The time of each command, by packs in the store and by steps of the run](growth.svg)

The slope is that between the last two sizes: 0 means that the time does not grow, 1 that it grows with the work. A
command that has to read everything should have at most 1, a command that reads one pack 0.

${markdownGrowth(growths)}

${renderGrowthVerdict(growths)}

## Machine

${machine.cores} cores, ${machine.cpu}, ${machine.fileSystem}, ${machine.kernel}, Node ${machine.node}.

## The floors

${floorsText(outcomes)}

## Method

- Subject and floor run alternately and swap order every round, so that other load on the machine hits both. A first
  round warms up and is not counted.
- Every run is a new process (\`spawnSync\` of this Node, output ignored), timed from outside, with NODE_OPTIONS and
  NODE_EXTRA_CA_CERTS unset: the latter alone costs Node 20 about 35 ms per start.
- The ratio is the median of the rounds' ratios, and its spread their middle half. If the spread is wider than a quarter
  of the ratio, the row is marked as unsteady and should be measured again. Times are medians too.
- Commands that pack use a new folder. Before each run that writes, everything written so far is flushed (\`sync -f\`),
  which is not timed: otherwise the durable subject would pay for the floor's unwritten data.
- Only a few large files are removed before the end, because after mass deletes ext4 creates files up to ten times more
  slowly for minutes. For the same reason, wait a few minutes between two runs, or use \`--keep\`.
- Contents are ASCII lines like those that tools print, with quotes, tabs and backslashes, from a seeded generator; all
  are different, unless a row says otherwise. ASCII is the hard case: one wider character would double the string that the
  floor parses.
- The compared runs (\`runs.mjs\`) are like a coding agent's: a fifth is prose; of the calls, 5 % are repeated, 24 % have a
  common output, and some are parallel; outputs have 100 to 2,000 bytes. Changes are spread evenly over outputs,
  parameters, tools, and inserted, removed and moved steps. Wholly different runs share tools, but no call.
- Growth is measured with the same runs, and with stores of packs of five steps. A round covers all sizes, and a first
  one warms up, except for long commands that write; the slope is the median of the rounds' slopes.
- A log of 1 GB has 62,000 steps of 16 KB; one of 1,000,000 steps has 100 outputs of 100 bytes, each in about 10,000 steps.
${memory === undefined ? "" : `- Peak memory is measured by ${memory}. It is not warmed up; the floor is a number of bytes.\n`}
## Running the benchmark

\`\`\`
npm run bench                      # everything; rewrites this page, growth.svg and results.json
npm run bench -- --quick           # fewer rounds
npm run bench -- --only show       # rows whose name contains a text; writes no page
npm run bench -- --only growth     # how times grow, and nothing else; writes no page
npm run bench -- --keep            # leave the work folder; with growth alone the picture is in it
CTX_BENCH_DIR=/mnt/disk npm run bench
bench/compare <program>            # the same jobs with another implementation of ctx
\`\`\`

It works in a folder under the system's temporary one, or under CTX_BENCH_DIR. ${needsText(about)} The exit status is 0
even if a limit is missed. A new row is one entry in a file of \`rows/\`.

## Comparing with another ctx

\`bench/compare <program>\` runs the jobs that both support (the start, \`init\`, \`pack\`, \`show\`, \`log\`, \`diff\` and \`replay\`)
with the built program and with another one, alternately, on the same logs, each in stores that it made, and prints the
ratio of our time to the other's. It uses only the commands and the log format of the reference implementation. A job that
fails is listed with the first line of its error, and makes the exit status 1. \`--rounds <n>\` sets how often each job is
timed (5); \`--divide <n>\` makes everything n times smaller, to see whether a program can be compared at all. Times alone do
not say what a program does in them: the reference flushes nothing to the disk, and its \`log\` lists 50 packs, ours all.
`;
}

/** @param {About} about */
function provisionalText({ quick, machine }) {
  const why = [
    ...(quick ? ["few rounds (`--quick`)"] : []),
    ...(machine.busy ? ["a machine that was busy with other work"] : []),
  ];
  return why.length === 0 ? "" : `\nProvisional: measured with ${why.join(", and on ")}.\n`;
}

/** @param {readonly import("./report.mjs").LeftOut[]} rows */
function leftOutText(rows) {
  if (rows.length === 0) return "";
  const names = rows.map(({ name, missing }) => `${name} (without ${missing.join(" and ")})`);
  return `\nNot measured here: ${names.join("; ")}.\n`;
}

/** Rows with the same floor are named together. @param {readonly Outcome[]} outcomes */
function floorsText(outcomes) {
  /** @type {Map<string, string[]>} */
  const floors = new Map();
  for (const { row } of outcomes) floors.set(row.floorDoes, [...(floors.get(row.floorDoes) ?? []), row.name]);
  return [...floors].map(([does, names]) => `- **${names.join("; ")}**: ${does}`).join("\n");
}

/** The cost of a run. @param {About} about */
function needsText({ quick, minutes, used }) {
  return `The run that this page shows${quick ? ", a quick one," : ""} took ${Math.round(minutes)} minutes, and at most ${gigabytes(used.bytes)} GB
in ${millions(used.files)} million files; have ${gigabytes(needed.bytes)} GB and ${millions(needed.files)} million inodes free.`;
}

/** @param {number} bytes */
function gigabytes(bytes) {
  return Math.ceil(bytes / 1e9);
}

/** @param {number} files */
function millions(files) {
  return (files / 1e6).toFixed(1);
}
