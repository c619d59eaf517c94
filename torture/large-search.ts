// `ctx grep` in contents that are as large as they get: a line of 500 MB, and a million hits for a reader that takes ten.
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { ctxCommand, type Ended, runCtx } from "../dev/processes.js";
import { emptyStore } from "../dev/scenes.js";
import type { Case, Options, Report } from "./case.js";
import { Planter } from "./hostile-packs.js";

const size = 500_000_000;
const hits = 1_000_000;
/** How long one search may take, in milliseconds. */
const limit = 300_000;

interface Hit {
  column: number;
  cut?: boolean;
  text: string;
}

/** Returns a store with a run that has this output. */
async function storeWith(output: Buffer): Promise<string> {
  const folder = await emptyStore();
  const to = new Planter(join(folder, ".ctx"));
  fs.mkdirSync(join(folder, ".ctx/packs"), { recursive: true });
  to.plant("large", { steps: [to.step(0, { output_ref: to.blob(output) })] });
  return folder;
}

async function longLine(options: Options): Promise<Report> {
  const length = options.short ? size / 10 : size;
  const line = Buffer.alloc(length, "a");
  line.write("needle", length - 6);
  const folder = await storeWith(line);
  const violations: string[] = [];
  // Each with the column of its match; the third would take a backtracking engine forever.
  const searches: [args: string[], column: number | undefined][] = [
    [["-F", "needle"], length - 5],
    [["-i", "-F", "NEEDLE"], length - 5],
    [["(a+)+b"], undefined],
    [["ne+dle$"], length - 5],
  ];
  for (const [args, column] of searches) {
    options.say(args.join(" "));
    const ended = await runCtx(folder, ["grep", "--json", "--no-index", ...args], { limit });
    const found = hitsIn(ended);
    const isRight =
      ended.status === (column === undefined ? 1 : 0) &&
      found.length === (column === undefined ? 0 : 1) &&
      found.every((hit) => hit.column === column && hit.cut === true && hit.text.endsWith("needle"));
    if (!isRight)
      violations.push(
        `grep ${args.join(" ")}: ${ended.status}: ${`${ended.stdout}${ended.stderr}`.slice(0, 300)}`,
      );
  }
  return { points: searches.length, tries: searches.length, violations };
}

function hitsIn({ stdout }: Ended): Hit[] {
  const values = stdout.split("\n").filter(Boolean);
  return values.map((value) => JSON.parse(value) as Hit).filter(({ text }) => text !== undefined);
}

async function fewOfMany(options: Options): Promise<Report> {
  const folder = await storeWith(Buffer.from("a needle\n".repeat(options.short ? hits / 10 : hits)));
  const violations: string[] = [];
  const searches = [["-F", "needle"], ["need.e"], ["--json", "-F", "needle"], ["--steps", "-F", "needle"]];
  for (const args of searches) {
    options.say(args.join(" "));
    const [command = "", ...words] = ctxCommand(folder, ["grep", ...args]);
    const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"], timeout: limit });
    let errors = "";
    let read = 0;
    child.stderr.on("data", (piece) => (errors += String(piece)));
    child.stdout.once("data", (piece: Buffer) => {
      read = piece.length;
      child.stdout.destroy();
    });
    const [status] = (await once(child, "close")) as [number | null];
    if (status !== 0 || errors !== "" || read === 0)
      violations.push(`grep ${args.join(" ")}: ${status}, ${read} bytes: ${errors.slice(0, 300)}`);
  }
  return { points: searches.length, tries: searches.length, violations };
}

export const largeSearchCases: Case[] = [
  { group: "search", name: "a line of 500 MB", run: longLine },
  { group: "search", name: "1,000,000 hits, and a reader that takes a few", run: fewOfMany },
];
