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

# What is fast

Whole commands of the built program, each as a ratio to a floor: a bare program that does the least that the task needs.
Ratios travel from machine to machine; milliseconds do not.

${markdownRows(outcomes)}

${renderVerdict(outcomes)}
${leftOutText(leftOut)}${provisionalText(about)}
## How times grow

![The time of each command, by packs in the store and by steps of the run](growth.svg)

The slope is taken between the last two sizes: 0 is a time that does not grow, 1 one that grows as the work does. A
command that has to look at everything should have 1 at most, and one that is asked for one thing 0.

${markdownGrowth(growths)}

${renderGrowthVerdict(growths)}

## Machine

${machine.cores} cores, ${machine.cpu}, ${machine.fileSystem}, ${machine.kernel}, Node ${machine.node}.

## The floors

${floorsText(outcomes)}

## Method

- Subject and floor run in turn, and change places every round, so that whatever else the machine does hits both. A
  first round warms up and is not counted.
- Every run is a new process (\`spawnSync\` of this Node, output ignored), timed from outside, with NODE_OPTIONS and
  NODE_EXTRA_CA_CERTS unset: the latter alone costs Node 20 some 35 ms at each start.
- The ratio is the median of the rounds' ratios, and its spread their middle half; where that is wider than a quarter of
  the ratio, the row is marked as unsteady, and should be measured again. Times are medians too.
- What packs does so into a new folder. Before each run that writes, everything written so far is flushed (\`sync -f\`),
  which is not timed: otherwise the durable subject would pay for what the floor left in memory.
- Nothing is removed before the end but a few large files, because after mass deletes ext4 creates files up to ten times
  slower for minutes. For the same reason let a few minutes pass between two runs, or use \`--keep\`.
- Contents are ASCII lines such as tools print, with quotes, tabs and backslashes, from a seeded generator; no two are
  alike, but where a row says so. ASCII is the hard case: one wider character would double the string that the floor parses.
- The runs that are compared (\`runs.mjs\`) are like a coding agent's: a fifth prose, of the calls 5 % repeated, 24 % with
  a common output and some in parallel, outputs of 100 to 2,000 bytes. Changes are spread evenly: outputs, parameters,
  tools, and inserted, removed and moved steps in equal shares. Wholly different runs share tools, but no call.
- Times that grow are measured with the same runs, and with stores of packs of five steps. A round goes through all
  sizes, and a first one warms up, but for what takes long and writes; the slope is the median of the rounds' slopes.
- A log of 1 GB has 62,000 steps of 16 KB; one of 1,000,000 steps has 100 outputs of 100 bytes, each in some 10,000 steps.
${memory === undefined ? "" : `- Peak memory is measured by ${memory}. It is not warmed up; a number of bytes is the floor.\n`}
## Run it again

\`\`\`
npm run bench                      # everything; rewrites this page, growth.svg and results.json
npm run bench -- --quick           # fewer rounds
npm run bench -- --only show       # rows whose name contains a text; writes no page
npm run bench -- --only growth     # how times grow, and nothing else; writes no page
npm run bench -- --keep            # leave the work folder; with growth alone the picture is in it
CTX_BENCH_DIR=/mnt/disk npm run bench
bench/compare <program>            # the same jobs with another program that is a ctx
\`\`\`

It works in a folder under the system's temporary one, or under CTX_BENCH_DIR. ${needsText(about)} The exit status is 0
also when a limit is missed. A new row is one entry in a file of \`rows/\`.

## Beside another ctx

\`bench/compare <program>\` runs what both understand (the start, \`init\`, \`pack\`, \`show\`, \`log\`, \`diff\` and \`replay\`)
with the built program and with another one, in turn, on the same logs, each in stores of its own making, and prints
how many times as long ours takes. It uses nothing but the commands and the log format of the reference
implementation. A job that one of them fails is listed with the first line of what it said, and makes the exit status 1.
\`--rounds <n>\` says how often each job is timed (5), \`--divide <n>\` makes everything so many times smaller, to see whether
a program can be compared at all. What the other one does in its time is for the reader to know: the reference flushes
nothing to the disk, and its \`log\` lists 50 packs, where ours lists all.
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
