// `npm run bench`: measures the built program against its floors, and writes the results.
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureGrowth } from "./growth.mjs";
import { renderChart } from "./growth-chart.mjs";
import { describeMachine } from "./machine.mjs";
import { measureRow, memoryMethod } from "./measure.mjs";
import { renderReadme } from "./page.mjs";
import {
  renderGrowthVerdict,
  renderJson,
  renderOutcome,
  renderVerdict,
  terminalGrowth,
  terminalRows,
} from "./report.mjs";
import { rows } from "./rows.mjs";
import { needed, openWork } from "./work.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const { only, quick, keep } = options;
const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "../dist");
const isGrowthAlone = only === "growth";
const chosen = isGrowthAlone ? [] : rows.filter(({ name }) => name.includes(only ?? ""));
if (!existsSync(join(dist, "ctx.cjs"))) fail("dist/ctx.cjs is not there; `npm run build` makes it");
if (chosen.length === 0 && !isGrowthAlone)
  fail(
    `no row's name contains "${only}"; there are:\n${[...rows.map(({ name }) => name), "growth"].join("\n")}`,
  );

const began = performance.now();
const work = openWork({ dist, parent: process.env["CTX_BENCH_DIR"] });
// Also after an error or an interrupt.
process.on("exit", () => (keep ? say(`left behind: ${work.folder}`) : work.remove()));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
  process.on(signal, () => {
    say(`stopped by ${signal}`);
    process.exit(130);
  });
if (work.isTight())
  say(
    `there is little room on this disk; a full run needs some ${needed.bytes / 1e9} GB and ${needed.files / 1e6} million inodes`,
  );

const machine = describeMachine(work.folder);
if (machine.busy) say("other programs are at work on this machine; the figures are provisional");
const outcomes = [];
/** @type {import("./report.mjs").LeftOut[]} */
const leftOut = [];
for (const row of chosen) {
  const missing = row.needs?.() ?? [];
  if (missing.length > 0) {
    say(`left out: ${row.name}; not found: ${missing.join(" and ")}`);
    leftOut.push({ name: row.name, missing });
    continue;
  }
  say(`measuring ${row.name} …`);
  const outcome = await measureRow(work, row, { quick });
  // A long run that is interrupted has printed its rows.
  say(`  ${renderOutcome(outcome)}`);
  outcomes.push(outcome);
  work.used();
}
if (outcomes.length > 0) console.log(`${terminalRows(outcomes)}\n\n${renderVerdict(outcomes)}`);

if (only === undefined || isGrowthAlone) {
  const growths = await measureGrowth(work, { quick, sizes: [10, 100, 1000, 10_000, 100_000], say });
  console.log(`${isGrowthAlone ? "" : "\n"}${terminalGrowth(growths)}\n\n${renderGrowthVerdict(growths)}`);
  // Part of a table must not replace a complete one.
  writeFileSync(join(isGrowthAlone ? work.folder : here, "growth.svg"), renderChart(growths));
  if (!isGrowthAlone) {
    const minutes = (performance.now() - began) / 60_000;
    const about = { machine, quick, memory: memoryMethod(), leftOut, minutes, used: work.used() };
    writeFileSync(join(here, "README.md"), renderReadme(outcomes, growths, about));
    writeFileSync(join(here, "results.json"), renderJson(outcomes, growths, about));
  }
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  say(message);
  process.exit(2);
}
