// Sixteen writers, four readers and an endless sweep on one store: every reported pack exists with the right
// bytes, removed packs stay removed, and no reader sees half of a change.
import * as fs from "node:fs";
import { join } from "node:path";
import { json, runLog } from "../dev/logs.js";
import { type Ended, runCtx } from "../dev/processes.js";
import { emptyStore, must } from "../dev/scenes.js";
import { flawsOf, leftovers, objectFile, reported, sha256, tornObjects } from "../dev/store-check.js";
import type { Case, Options, Report } from "./case.js";
import { chance } from "./sample.js";

const writers = 16;
const readers = 4;
/** Contents of each run; some of them are in other runs, too. */
const contents = 12;

/** What must be in the store according to the reports, and which writer reported it. */
class Ledger {
  /** The contents of each pack that was reported. */
  readonly kept = new Map<string, readonly string[]>();
  readonly tags = new Map<string, string>();
  readonly wrong: string[] = [];
  commands = 0;

  async run(folder: string, args: readonly string[]): Promise<Ended> {
    this.commands++;
    const ended = await runCtx(folder, args, { limit: 120_000 });
    // Any output besides the answer would be about damage.
    if (ended.status !== 0 || /damage|missing|repair/.test(ended.stderr))
      this.wrong.push(`ctx ${args.join(" ")}: ${ended.status}: ${ended.stderr.slice(0, 300)}`);
    return ended;
  }

  /** A pack that was reported, with contents that it is known to have. */
  keep(hex: string | undefined, texts: readonly string[]): void {
    if (hex !== undefined) this.kept.set(hex, texts);
  }
}

function textsOf(writer: number, turn: number): string[] {
  // A third is in the runs of all writers, a third in all runs of this one.
  return Array.from({ length: contents }, (_, at) =>
    at % 3 === 0
      ? `shared ${at}`
      : at % 3 === 1
        ? `of ${writer}, ${at}`
        : `of ${writer} in turn ${turn}, ${at}`,
  );
}

function logOf(writer: number, turn: number): Buffer {
  const steps = textsOf(writer, turn).map((output) => ({ type: "reasoning", output }));
  return json(runLog({ steps, inputs: [], outputs: [], metadata: { writer, turn } }));
}

/**
 * Packs, removes and packs again: objects that no pack needed are needed again while they are being swept.
 */
async function write(folder: string, writer: number, ledger: Ledger, isOver: () => boolean): Promise<void> {
  const path = `w${writer}.json`;
  for (let round = 0; !isOver(); round++) {
    const turn = round >> 1;
    fs.writeFileSync(join(folder, path), logOf(writer, turn));
    const packed = await ledger.run(folder, ["pack", path]);
    const [hex] = reported(packed.stdout);
    ledger.keep(hex, textsOf(writer, turn));
    if (hex === undefined || isOver()) continue;
    if (round % 2 === 0) {
      ledger.kept.delete(hex);
      const removed = await ledger.run(folder, ["rm", hex]);
      if (removed.status !== 0) ledger.kept.set(hex, textsOf(writer, turn));
    } else if (writer % 4 === 0) {
      await ledger.run(folder, ["tag", `of-${writer}`, hex, "--force"]);
      ledger.tags.set(`of-${writer}`, hex);
    } else if (writer % 4 === 1) {
      const prompt = `sealed by ${writer} in turn ${turn}`;
      const sealed = await ledger.run(folder, ["fork", hex, "--set", `system_prompt=${prompt}`, "--seal"]);
      ledger.keep(reported(sealed.stdout)[0], [...textsOf(writer, turn), prompt]);
    } else if (writer % 4 === 2) await bringBack(folder, writer, ledger);
  }
}

/** Imports a bundle, and removes its packs again; the last time they stay. */
async function bringBack(folder: string, writer: number, ledger: Ledger): Promise<void> {
  const bundle = `b${writer}.ctx`;
  const imported = reported((await ledger.run(folder, ["import", bundle])).stdout);
  for (const [at, hex] of imported.entries()) {
    ledger.keep(hex, textsOf(100 + writer, at));
    ledger.kept.delete(hex);
    await ledger.run(folder, ["rm", hex]);
  }
  for (const [at, hex] of reported((await ledger.run(folder, ["import", bundle])).stdout).entries())
    ledger.keep(hex, textsOf(100 + writer, at));
}

/** Reads packs that stay, and checks that the answer is complete. */
async function read(
  folder: string,
  stable: readonly string[],
  ledger: Ledger,
  next: () => number,
  isOver: () => boolean,
): Promise<void> {
  const one = (): string => stable[Math.floor(next() * stable.length)] as string;
  const is = (isRight: boolean, what: string): void =>
    void (isRight || ledger.wrong.push(`a wrong answer: ${what}`));
  while (!isOver()) {
    const [a, b] = [one(), one()];
    const log = await ledger.run(folder, ["log", "--json"]);
    const seen = log.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { hash: string; damaged: boolean });
    is(
      stable.every((hex) => seen.some(({ hash }) => hash === `sha256:${hex}`)),
      "ctx log leaves a pack out",
    );
    is(
      seen.every(({ damaged }) => !damaged),
      "ctx log calls a pack damaged",
    );
    const show = await ledger.run(folder, ["show", a, "--json"]);
    is(show.stdout.trimEnd() === fs.readFileSync(join(folder, ".ctx/packs", a), "utf8"), `ctx show ${a}`);
    const cat = await ledger.run(folder, ["cat", b]);
    is(sha256(Buffer.from(cat.stdout)) === b, `ctx cat ${b}`);
    const verify = await ledger.run(folder, ["verify", a, "--json"]);
    is((JSON.parse(verify.stdout || "{}") as { exit?: number }).exit === 0, `ctx verify ${a}`);
    const diff = await ledger.run(folder, ["diff", a, b, "--stat"]);
    is(a === b || diff.stdout !== "", `ctx diff ${a} ${b}`);
  }
}

async function add(folder: string, writer: number, turn: number): Promise<string> {
  fs.writeFileSync(join(folder, "one.json"), logOf(writer, turn));
  const [hex = ""] = await must(folder, ["pack", "one.json"]);
  return hex;
}

/** Returns a store with a few packs that no writer removes, and a bundle for each importer. */
async function prepare(ledger: Ledger): Promise<{ folder: string; stable: string[] }> {
  const folder = await emptyStore();
  const maker = await emptyStore();
  const stable: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const hex = await add(folder, 99, turn);
    stable.push(hex);
    ledger.keep(hex, textsOf(99, turn));
  }
  for (let writer = 2; writer < writers; writer += 4) {
    const packs: string[] = [];
    for (let turn = 0; turn < 2; turn++) packs.push(await add(maker, 100 + writer, turn));
    await must(maker, ["export", ...packs, "-o", join(folder, `b${writer}.ctx`)]);
  }
  return { folder, stable };
}

/** Everything that was reported, by the files, and then by the program. */
async function audit(folder: string, { kept, tags, wrong }: Ledger): Promise<void> {
  const packs = fs.readdirSync(join(folder, ".ctx/packs"));
  for (const [hex, texts] of kept) {
    if (!packs.includes(hex)) wrong.push(`reported, but not there: ${hex}`);
    else wrong.push(...flawsOf(folder, hex).map((flaw) => `pack ${hex}: ${flaw}`));
    for (const text of texts) {
      const path = objectFile(folder, sha256(Buffer.from(text)));
      if (!fs.existsSync(path) || fs.readFileSync(path, "utf8") !== text)
        wrong.push(`${hex} has lost "${text}"`);
    }
  }
  for (const hex of packs)
    if (!kept.has(hex)) wrong.push(`there, though it was taken out or never reported: ${hex}`);
  for (const [name, hex] of tags)
    if (fs.readFileSync(join(folder, ".ctx/refs/tags", name), "utf8") !== `sha256:${hex}\n`)
      wrong.push(`the tag ${name} is not what was reported`);
  wrong.push(...tornObjects(folder).map((hex) => `torn object ${hex}`));
  const { status, stdout, stderr } = await runCtx(folder, ["verify", "--all"]);
  if (status !== 0) wrong.push(`verify --all: ${status}: ${(stderr + stdout).slice(0, 500)}`);
  wrong.push(...leftovers(folder).map((name) => `left behind: ${name}`));
}

async function load(options: Options): Promise<Report> {
  const { short, seed } = options;
  const ledger = new Ledger();
  const { folder, stable } = await prepare(ledger);
  const until = performance.now() + (short ? 8_000 : 60_000);
  const isOver = (): boolean => performance.now() > until;
  let sweeps = 0;
  const sweeping = (async () => {
    for (; !isOver(); sweeps++) {
      await ledger.run(folder, ["gc", "--grace", "0d"]);
      options.say(`${ledger.commands} commands, ${sweeps} sweeps`);
    }
  })();
  await Promise.all([
    sweeping,
    ...Array.from({ length: writers }, (_, writer) => write(folder, writer, ledger, isOver)),
    ...Array.from({ length: readers }, (_, at) => read(folder, stable, ledger, chance(seed + at), isOver)),
  ]);
  await audit(folder, ledger);
  if (sweeps < 2) ledger.wrong.push(`only ${sweeps} sweeps took place`);
  return { points: writers + readers + 1, tries: ledger.commands, violations: ledger.wrong };
}

export const loadCases: Case[] = [{ group: "load", name: "16 writers, 4 readers and a sweep", run: load }];
