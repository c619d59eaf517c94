// A store of 100,000 packs beside one of 100: a command about one pack takes no longer among many, and a
// command about all takes no longer for each pack, or as much longer as bench/README.md allows.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { starter, words } from "../dev/built.js";
import { must } from "../dev/scenes.js";
import type { Case, Options, Report } from "./case.js";
import { Planter } from "./hostile-packs.js";

const few = 100;

/** Packs of five steps, written by hand: the program would take longer than the measurement. */
async function storeOf(folder: string, packs: number): Promise<string> {
  fs.mkdirSync(folder);
  await must(folder, ["init"]);
  const planter = new Planter(join(folder, ".ctx"));
  const outputs = Array.from({ length: 5 }, (_, at) => planter.blob(`output ${at}`));
  for (let index = 0; index < packs; index++) {
    const created = new Date(1_700_000_000_000 + index * 60_000).toISOString();
    const fields = {
      created,
      model: { identifier: `model-${index % 7}`, parameters: { temperature: 0 } },
      steps: outputs.map((output_ref, at) =>
        planter.step(at, {
          tool: ["read_file", "run_command", "edit_file"][at % 3],
          parameters: { path: `src/file-${index % 50}-${at}.ts` },
          output_ref,
          timestamp: created,
        }),
      ),
      metadata: { index },
    };
    planter.plant(index === 0 ? "oldest" : undefined, fields);
    if (index % 1000 === 0) await pause(0);
  }
  // The catalog is trusted when it is older than the packs that it lists; the next command writes it.
  await pause(2100);
  await must(folder, ["log", "-n", "1"]);
  return folder;
}

interface Timed {
  name: string;
  args: (store: string) => string[];
  /** How many times as long it may take: among many packs, or for each pack. */
  limit: number;
  /** It has to read every pack. */
  isWhole?: boolean;
}

function packIn(store: string): string {
  return fs.readdirSync(join(store, ".ctx/packs"))[17] as string;
}

/**
 * The limit of bench/rows/reading.mjs; and for each pack no more than in a small store, with room for what a
 * machine does.
 */
function commandsFor(): Timed[] {
  const one = 1.5;
  const each = 2;
  return [
    { name: "log -n 20", args: () => ["log", "-n", "20"], limit: one },
    { name: "show", args: (store) => ["show", packIn(store)], limit: one },
    { name: "show <prefix>", args: (store) => ["show", packIn(store).slice(0, 12), "--json"], limit: one },
    { name: "show <tag>", args: () => ["show", "oldest", "--json"], limit: one },
    { name: "verify", args: (store) => ["verify", packIn(store)], limit: one },
    { name: "cat", args: (store) => ["cat", packIn(store)], limit: one },
    { name: "diff", args: (store) => ["diff", "oldest", packIn(store), "--stat"], limit: one },
    { name: "status", args: () => ["status"], limit: one },
    { name: "__complete", args: () => ["__complete", "--", "show", ""], limit: one * 2 },
    { name: "log", args: () => ["log", "--oneline"], limit: each, isWhole: true },
    { name: "gc --dry-run", args: () => ["gc", "--dry-run"], limit: each, isWhole: true },
    { name: "verify --all", args: () => ["verify", "--all"], limit: each, isWhole: true },
  ];
}

function milliseconds(store: string, args: readonly string[]): number {
  const { NODE_OPTIONS: _options, NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  const began = performance.now();
  const { status, stderr } = spawnSync(starter, [...words, ...args], {
    cwd: store,
    env: { ...env, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) throw new Error(`ctx ${args.join(" ")}: ${status}: ${stderr.toString()}`);
  return performance.now() - began;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}

/** How many times as long it takes among many. Both are run in turn: what else the machine does hits both. */
async function ratio(
  { args, isWhole = false }: Timed,
  [small, large]: readonly [string, string],
  times: number,
): Promise<number> {
  const found: [number[], number[], number[]] = [[], [], []];
  // A long measurement is steady enough to be made once.
  for (let round = 0; round < 7; round++) {
    if (isWhole) found[2].push(milliseconds(small, ["status"]));
    found[0].push(milliseconds(small, args(small)));
    if (!isWhole || round === 0 || Math.max(...found[1]) < 1000)
      found[1].push(milliseconds(large, args(large)));
    await pause(0);
  }
  const [short, long] = [median(found[0]), median(found[1])];
  if (!isWhole) return long / short;
  // For each pack, without the time to start.
  const start = median(found[2]);
  return (long - start) / times / Math.max(short - start, 5);
}

async function grow(options: Options): Promise<Report> {
  const { short, scratch } = options;
  const many = short ? 1000 : 100_000;
  options.say(`making a store of ${many} packs`);
  const stores = [
    await storeOf(join(scratch, "few"), few),
    await storeOf(join(scratch, "many"), many),
  ] as const;
  const times = many / few;
  const violations: string[] = [];
  const commands = commandsFor();
  let tries = 0;
  for (const command of commands) {
    options.say(command.name);
    let found = await ratio(command, stores, times);
    tries++;
    if (found > command.limit) {
      // Once more, in case the machine was busy the first time.
      found = Math.min(found, await ratio(command, stores, times));
      tries++;
    }
    if (found > command.limit)
      violations.push(
        `ctx ${command.name} takes ${found.toFixed(2)} times as long ${command.isWhole === true ? "for each pack" : ""} among ${many} packs as among ${few}; the limit is ${command.limit.toFixed(2)}`,
      );
  }
  return { points: commands.length, tries, violations };
}

export const manyPacksCases: Case[] = [{ group: "load", name: "100,000 packs in one store", run: grow }];
