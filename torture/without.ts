// Removes one safeguard after the other, each in a copy of the sources, builds the copy, and runs the case
// that must fail.
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../dev/built.js";
import { pool } from "../dev/processes.js";
import { type Safeguard, safeguards } from "./safeguards.js";
import type { Outcome } from "./table.js";

export interface Missed extends Pick<Safeguard, "kind" | "name" | "file" | "missedBy"> {
  /** The findings of the case; finding nothing is a violation here. */
  violations: string[];
  seconds: number;
}

/** Folders that are not part of the sources. */
const apart = ["node_modules", ".git", "dist", "exe", "coverage"];

export function chosenSafeguards(only: string): Safeguard[] {
  const chosen = safeguards.filter(({ kind, name, file }) => `${kind}: ${name} ${file}`.includes(only));
  if (chosen.length === 0) throw new Error(`no safeguard's name contains ${JSON.stringify(only)}`);
  return chosen;
}

export async function withoutEach(
  chosen: readonly Safeguard[],
  say: (text: string) => void,
): Promise<Missed[]> {
  return pool(chosen, async (safeguard) => {
    const missed = await without(safeguard);
    const [first = "no case finds it missing"] = missed.violations;
    say(
      `${missed.kind}: ${missed.name}: ${missed.violations.length}, ${first.split("\n")[0]?.slice(0, 200)}`,
    );
    return missed;
  });
}

async function without({ kind, name, file, from, to, missedBy }: Safeguard): Promise<Missed> {
  const began = performance.now();
  const folder = fs.mkdtempSync(join(tmpdir(), "ctx-without-"));
  try {
    const isSource = (path: string): boolean => !apart.includes(path.slice(repository.length + 1));
    fs.cpSync(repository, folder, { recursive: true, filter: isSource });
    fs.symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
    const path = join(folder, file);
    fs.writeFileSync(path, changed(fs.readFileSync(path, "utf8"), { from, to }));
    const built = await ended(folder, ["scripts/build.mjs", "--program"]);
    if (built.status !== 0) throw new Error(`${name}: it cannot be built: ${built.output}`);
    const violations = await (missedBy.endsWith(".test.ts") ? failuresOf : violationsOf)(folder, missedBy);
    return { kind, name, file, missedBy, violations, seconds: (performance.now() - began) / 1000 };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the findings of the short form of a case. */
async function violationsOf(folder: string, missedBy: string): Promise<string[]> {
  const report = join(folder, "report.json");
  const { output } = await ended(folder, [
    "scripts/torture.mjs",
    "--short",
    "--only",
    missedBy,
    "--json",
    report,
  ]);
  if (!fs.existsSync(report)) throw new Error(`${missedBy}: ${output}`);
  const { rows } = JSON.parse(fs.readFileSync(report, "utf8")) as Outcome;
  const notRun = rows.flatMap((row) => row.notRun ?? []);
  if (notRun.length > 0) throw new Error(`${missedBy} needs ${notRun.join(", ")}`);
  return rows.flatMap((row) => row.violations);
}

/** Returns the failures of a suite. */
async function failuresOf(folder: string, suite: string): Promise<string[]> {
  const report = join(folder, "report.json");
  const { status, output } = await ended(folder, [
    "node_modules/vitest/vitest.mjs",
    "run",
    suite,
    // One failure is enough.
    "--bail=1",
    "--reporter=json",
    `--outputFile=${report}`,
  ]);
  if (!fs.existsSync(report)) throw new Error(`${suite}: ${output}`);
  const { testResults } = JSON.parse(fs.readFileSync(report, "utf8")) as Suites;
  const found = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter((one) => one.status === "failed").map(({ fullName }) => fullName),
  );
  return found.length === 0 && status !== 0 ? ["the suite breaks off"] : found;
}

interface Suites {
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

/** Returns a text with one change, whose old text must occur exactly once. */
export function changed(text: string, { from, to }: Pick<Safeguard, "from" | "to">): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${from} stands there ${parts.length - 1} times`);
  return parts.join(to);
}

async function ended(
  folder: string,
  args: readonly string[],
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  await once(child, "close");
  return { status: child.exitCode, output };
}
