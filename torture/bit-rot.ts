// One bit of each byte of a small store is flipped, one at a time: `ctx verify` finds it and names the file,
// and no command prints a wrong answer. A flipped bit in a file that may be lost, such as a cache, changes
// nothing.
import * as fs from "node:fs";
import { join } from "node:path";
import { Random } from "../dev/drift/random.js";
import { atEnd } from "../dev/endings.js";
import { type AnyLog, json } from "../dev/logs.js";
import { pool, runCtx } from "../dev/processes.js";
import { reportLog, reportText } from "../dev/report-log.js";
import { sha256 } from "../dev/store-check.js";
import type { Case, Options, Report } from "./case.js";
import { inGround, quickFolder, write } from "./fuzz/ground.js";
import type { Said } from "./fuzz/inside.js";
import { type Entrance, place } from "./fuzz/parser.js";
import { wrongIn } from "./fuzz/verdict.js";
import { Room } from "./fuzz/watch.js";
import { Rot } from "./rot-judge.js";
import { shuffled } from "./sample.js";

/** Number of bytes that are tried: in a shared process, and with a process for each command. */
const inShort = { inside: 60, started: 1 };
const inFull = { inside: Number.POSITIVE_INFINITY, started: 60 };

/** The parts of a store, by name. */
const parts: Record<string, RegExp> = {
  objects: /^\.ctx\/objects\//,
  packs: /^\.ctx\/packs\//,
  "refs and config": /^\.ctx\/(?:refs\/|config|\.git)/,
  cache: /^\.ctx\/cache\//,
  drafts: /^\.ctx\/drafts\//,
  "files and sidecars": /^report\.md/,
};

export const bitRotCases: Case[] = Object.entries(parts).map(([name, pattern]) => ({
  group: "bit rot",
  name,
  run: (options) => rot(pattern, options),
}));

interface Small {
  folder: string;
  first: string;
  second: string;
  /** The logs that the packs were made from. */
  logs: readonly AnyLog[];
}

let made: Promise<Small> | undefined;

/** Two packs, the second made from the first; a tag, a draft, a file with its sidecar, and one without. */
async function makeSmall(): Promise<Small> {
  const folder = quickFolder();
  const ctx = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await runCtx(folder, args, inGround(folder));
    if (status !== 0) throw new Error(`ctx ${args.join(" ")} failed: ${stderr}`);
    return stdout.trim();
  };
  await ctx("init");
  write(folder, "report.md", reportText);
  const log = reportLog();
  write(folder, "first.json", json(log));
  const first = (await ctx("pack", "first.json")).slice("ctx://".length);
  const next = reportLog({
    parent: `sha256:${first}`,
    created: "2026-03-01T00:00:00Z",
    system_prompt: "You are number two.",
  });
  write(folder, "second.json", json(next));
  const second = (await ctx("pack", "second.json", "--no-sidecars")).slice("ctx://".length);
  await ctx("tag", "good", first);
  await ctx("fork", "good");
  fs.copyFileSync(join(folder, "report.md"), join(folder, "copy.md"));
  for (const name of ["first.json", "second.json"]) fs.rmSync(join(folder, name));
  return { folder, first, second, logs: [log, next] };
}

/** Returns a copy whose cache belongs to this very copy. */
async function copyOfSmall(): Promise<string> {
  const { folder } = await (made ??= makeSmall());
  const copy = quickFolder();
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  fs.rmSync(join(copy, ".ctx/cache"), { recursive: true, force: true });
  await runCtx(copy, ["log"], inGround(copy));
  // A cache made right after the packs would be rebuilt each time, and its bits would have no effect.
  const later = Date.now() / 1000 + 60;
  fs.utimesSync(join(copy, ".ctx/cache/catalog"), later, later);
  return copy;
}

const rooms = [new Room(copyOfSmall), new Room(copyOfSmall)];
atEnd(() => {
  for (const room of rooms) room.end();
});

function commandsFor({ first, second }: Small): string[][] {
  return [
    ["verify", "--json"],
    ["log", "--json"],
    ["show", first, "--json"],
    ["show", first.slice(0, 9)],
    ["show", "good", "--json"],
    ["show", "latest", "--json"],
    ["cat", sha256(Buffer.from(reportText))],
    ["cat", second],
    ["diff", first, second, "--json"],
    ["verify", "report.md", "--json"],
    ["verify", "copy.md", "--json"],
    ["log", "--parent", first, "--json"],
    ["tag", "--json"],
    ["status", "--json"],
  ];
}

interface Sound extends Small {
  /** The output of each command when nothing is wrong. */
  clean: readonly Said[];
}

let sound: Promise<Sound> | undefined;

async function makeSound(): Promise<Sound> {
  const small = await (made ??= makeSmall());
  const folder = await copyOfSmall();
  const clean: Said[] = [];
  for (const args of commandsFor(small)) clean.push(await said(folder, args));
  return { ...small, folder, clean };
}

interface BytePosition {
  file: string;
  at: number;
}

/** Packing the same runs again repairs it. */
async function unrepaired(
  copy: string,
  { file, at }: BytePosition,
  { folder, logs }: Small,
): Promise<string[]> {
  if (!parts["objects"]?.test(file) && !parts["packs"]?.test(file)) return [];
  for (const log of logs) {
    write(copy, "again.json", json(log));
    const { status, stderr } = await said(copy, ["pack", "again.json", "--no-sidecars"]);
    if (status !== 0) return [`${file} byte ${at}: cannot be packed again: ${stderr}`];
  }
  const isRight = fs.readFileSync(join(copy, file)).equals(fs.readFileSync(join(folder, file)));
  return isRight ? [] : [`${file} byte ${at}: is not repaired by packing again`];
}

async function rot(pattern: RegExp, options: Options): Promise<Report> {
  const { folder, ...rest } = await (sound ??= makeSound());
  const most = options.short ? inShort : inFull;
  const commands = rest.clean.map(({ args }) => args).filter((args) => isRelevant(args, pattern));
  const judge = new Rot(folder, rest);
  const files = filesIn(folder, "").filter((file) => pattern.test(file));
  const positions: BytePosition[] = files.flatMap((file) =>
    Array.from(fs.readFileSync(join(folder, file)), (_, at) => ({ file, at })),
  );
  const random = new Random(options.seed);
  const mixed = shuffled(positions, () => random.unit());
  // The last row of the catalog is always included: an entry found there is not checked again.
  const isRow = ({ file, at }: BytePosition): boolean =>
    file.startsWith(".ctx/cache/") && at >= fs.statSync(join(folder, file)).size - 64;
  const chosen = mixed.filter((one, count) => count < most.inside || isRow(one));
  const violations: string[] = [];
  let tries = 0;
  const work = async (room: Room): Promise<void> => {
    for (let one = chosen.pop(); one !== undefined; one = chosen.pop()) {
      const { file, at } = one;
      if (++tries % 50 === 0) options.say(`${tries} of ${Math.min(most.inside, positions.length)} bytes`);
      const entrance = entranceOf(file, turn(commands, at), (at & 1) === 1);
      const answer = await room.try(entrance, Buffer.from(String(at)));
      const wrong =
        typeof answer === "string"
          ? [answer]
          : [...answer.wrong, ...answer.said.flatMap((found) => judge.wrongWith(found, file, at))];
      violations.push(...wrong.map((text) => `${file} byte ${at}: ${text}`));
    }
  };
  const points = chosen.length;
  await Promise.all(rooms.slice(0, options.short ? 1 : 2).map(work));
  await pool(mixed.slice(-most.started), async ({ file, at }) => {
    const copy = await copyOfSmall();
    place(entranceOf(file, commands, false), copy, Buffer.from(String(at)));
    for (const args of shuffled(commands, () => random.unit()).slice(0, 3)) {
      const found = await said(copy, args);
      const wrong = [...wrongIn(found), ...judge.wrongWith(found, file, at)];
      violations.push(...wrong.map((text) => `${file} byte ${at}, in a process of its own: ${text}`));
      tries++;
    }
    violations.push(...(await unrepaired(copy, { file, at }, { folder, ...rest })));
    fs.rmSync(copy, { recursive: true, force: true });
  });
  return { points, tries, violations };
}

/**
 * Returns the commands that are run for a byte: those that must find it, and a third of the others; the bytes
 * beside it get the rest.
 */
function turn(commands: Entrance["commands"], at: number): Entrance["commands"] {
  return commands.filter((_, index) => index === 0 || index % 3 === at % 3);
}

/** Fewer commands read files beside the store: none looks there for a pack. */
function isRelevant([command = ""]: readonly string[], pattern: RegExp): boolean {
  const isBeside = pattern === parts["drafts"] || pattern === parts["files and sidecars"];
  return !isBeside || ["verify", "status", "log"].includes(command);
}

function entranceOf(file: string, commands: Entrance["commands"], isForgetful: boolean): Entrance {
  const isCache = file.startsWith(".ctx/cache/");
  return {
    name: file,
    by: "rot",
    file,
    commands,
    isForgetful: isForgetful && !isCache,
    isToldAll: true,
    free: [".ctx/cache"],
  };
}

async function said(folder: string, args: readonly string[]): Promise<Said> {
  const { status, stdout, stderr } = await runCtx(folder, args, inGround(folder));
  return { args, status: status ?? -1, stdout, stderr };
}

function filesIn(folder: string, inside: string): string[] {
  return fs
    .readdirSync(join(folder, inside), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
      return entry.isDirectory() ? filesIn(folder, path) : [path];
    });
}
