// `npm run torture`: attacks the built program from outside, and prints how often, where, and what was wrong.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../dev/built.js";
import { endAll } from "../dev/endings.js";
import type { Case } from "./case.js";
import { cases } from "./cases.js";
import { missingFor, runCase } from "./run.js";
import { type Proof, proofTable, withProof } from "./proof.js";
import { chosenSafeguards, withoutEach } from "./without.js";
import { machineKind, type Outcome, type Row, screenTable, withTable } from "./table.js";

const usage = `usage: npm run torture -- [--short] [--only <text>] [--list] [--seed <number>] [--json <file>]
       npm run torture -- --safeguards [--only <text>] [--list] [--json <file>]   (takes each one out, and sees who misses it)
       npm run torture -- --table <file that --json wrote>   (into docs/reliability.md)`;

/** Number of violations of each case that are shown as it ends; all are in the file. */
const shown = 3;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      list: { type: "boolean", default: false },
      safeguards: { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
      table: { type: "string" },
    },
  });
  if (values.table !== undefined) {
    const written = JSON.parse(fs.readFileSync(values.table, "utf8")) as Outcome | Proof;
    const page = join(repository, "docs/reliability.md");
    const text = fs.readFileSync(page, "utf8");
    fs.writeFileSync(page, "safeguards" in written ? withProof(text, written) : withTable(text, written));
    return 0;
  }
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed} is no whole number`);
  if (values.safeguards) {
    if (values.short || values.seed !== "1")
      throw new Error("with --safeguards, every case is run in its short form, with the usual seed");
    const chosen = chosenSafeguards(values.only);
    if (values.list) {
      for (const { kind, name, missedBy } of chosen) console.log(`${kind}: ${name} [missed by ${missedBy}]`);
      return 0;
    }
    const missed = await withoutEach(chosen, (text) => console.error(text));
    const proof: Proof = { date: today(), safeguards: missed };
    console.log(proofTable(proof));
    if (values.json !== undefined) fs.writeFileSync(values.json, `${JSON.stringify(proof, undefined, 2)}\n`);
    return missed.every(({ violations }) => violations.length > 0) ? 0 : 1;
  }
  const chosen = cases.filter((one) => title(one).includes(values.only));
  if (chosen.length === 0) throw new Error(`no case's name contains ${JSON.stringify(values.only)}`);
  if (values.list) {
    for (const one of chosen)
      console.log([title(one), ...(one.needs ?? []).map((need) => `[needs ${need}]`)].join(" "));
    return 0;
  }
  const rows: Row[] = [];
  for (const one of chosen) rows.push(await attack(one, values.short, seed));
  clearProgress();
  console.log(screenTable(rows));
  const outcome: Outcome = {
    date: today(),
    machine: machineKind(),
    node: process.version,
    short: values.short,
    seed,
    rows,
  };
  if (values.json !== undefined) fs.writeFileSync(values.json, `${JSON.stringify(outcome, undefined, 2)}\n`);
  const wrong = rows.filter(({ violations }) => violations.length > 0);
  if (wrong.length === 0) return 0;
  keep(wrong);
  return 1;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function title({ group, name }: Pick<Case, "group" | "name">): string {
  return `${group}: ${name}`;
}

async function attack(one: Case, short: boolean, seed: number): Promise<Row> {
  const row = { group: one.group, name: one.name };
  const notRun = missingFor(one);
  if (notRun.length > 0) {
    clearProgress();
    console.error(`${title(one)}: not run: needs ${notRun.join(", ")}`);
    return { ...row, points: 0, tries: 0, violations: [], seconds: 0, notRun };
  }
  const began = performance.now();
  progress(title(one));
  const report = await runCase(one, { short, seed, say: (text) => progress(`${title(one)}: ${text}`) });
  const seconds = (performance.now() - began) / 1000;
  clearProgress();
  console.error(
    `${title(one)}: ${report.tries} tries, ${report.violations.length} violations, ${seconds.toFixed(0)} s`,
  );
  for (const text of report.violations.slice(0, shown)) console.error(`  ${text.replaceAll("\n", "\n  ")}`);
  return { ...row, ...report, seconds };
}

/** All violations in a file that is kept. */
function keep(rows: readonly Row[]): void {
  const all = rows.flatMap((row) => [`# ${title(row)}`, ...row.violations, ""]);
  const kept = process.env["CTX_TORTURE_KEPT"] ?? join(tmpdir(), "ctx-torture-violations.txt");
  fs.writeFileSync(kept, all.join("\n"));
  console.log(`all violations: ${kept}`);
}

function progress(text: string): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? `${error.message}\n${usage}` : error);
  process.exitCode = 2;
} finally {
  await endAll();
}
