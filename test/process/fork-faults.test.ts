// `ctx fork`, and sealing a draft, under faults: killed at every change, with calls failing once, with bytes that do not
// arrive, and many at once. A draft is there whole or not at all, and what a person edited is never lost.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { snapshot } from "../support/folders.js";
import { describeWith, program } from "../support/needs.js";
import { ctxCommand, type Ended, pool, runCtx } from "../support/processes.js";
import { copyOf, crashLog, emptyStore, isSame, learn, must, packArgs, spoil } from "../support/scenes.js";
import {
  examine,
  flawsOf,
  leftovers,
  objectFile,
  objectNames,
  objectsOf,
  reported,
  tornObjects,
} from "../support/store-check.js";
import { type Call, isChange, isFlush, record } from "../support/strace.js";
import { ablations, stepsOf, violations } from "../support/trace-check.js";

const patience = 240_000;

interface Scene {
  folder: string;
  /** The command that is put to the test. */
  args: string[];
  /** Where the draft is to be, or is; for drafts in the store, the folder that holds them. */
  place: string;
  /** The shape of a whole draft. */
  whole: string;
  /** The pack that the command seals; for forks none. */
  expected: string;
}

const names = ["seal", "own", "new", "empty", "pack", "pack --rm"] as const;
type Name = (typeof names)[number];

/** A store with one pack, and what the command needs besides. */
async function scene(name: Name): Promise<Scene> {
  const folder = await emptyStore(
    crashLog({ steps: [{ type: "reasoning", output: "Two lines." }], metadata: { made: name } }),
  );
  const [hex = ""] = await must(folder, packArgs);
  if (name === "empty") fs.mkdirSync(join(folder, "empty"));
  const drafted = copyOf(folder);
  await must(drafted, ["fork", "latest", "draft"]);
  const whole = shapeOf(join(drafted, "draft"));
  if (name === "own") return { folder, args: ["fork", "latest"], place: ".ctx/drafts", whole, expected: "" };
  if (name === "new")
    return { folder, args: ["fork", "latest", "mydir"], place: "mydir", whole, expected: "" };
  if (name === "empty")
    return { folder, args: ["fork", "latest", "empty"], place: "empty", whole, expected: "" };
  // The pack by its hash, and with a time: then the same command makes the same pack, also where `latest` has moved.
  let args = ["fork", hex, "--set", "system_prompt=x", "--set", "created=2026-02-12T09:00:00Z", "--seal"];
  const place = `.ctx/drafts/${hex.slice(0, 12)}`;
  if (name !== "seal") {
    await must(folder, ["fork", "latest"]);
    fs.writeFileSync(join(folder, place, "system_prompt.md"), "You are edited.\n");
    args = [...name.split(" "), place];
  }
  const [expected = ""] = await must(copyOf(folder), args);
  return { folder, args, place, whole, expected };
}

/** What a draft holds, without its time; what does not belong to it shows. */
function shapeOf(draft: string): string {
  return [...snapshot(draft)]
    .map(([path, content]) => {
      const name = relative(draft, path);
      return name === "execution.json" ? `${name} ${timeless(path)}` : `${name} ${content}`;
    })
    .sort()
    .join("\n");
}

function timeless(path: string): string {
  const text = fs.readFileSync(path, "utf8");
  try {
    return JSON.stringify({ ...(JSON.parse(text) as object), created: "" });
  } catch {
    return `torn: ${text}`;
  }
}

function isThere(...parts: string[]): boolean {
  return fs.existsSync(join(...parts));
}

/** The drafts that are there, by their paths from the folder. */
function draftsIn(folder: string, { place }: Scene): string[] {
  if (!isThere(folder, place)) return [];
  if (place === ".ctx/drafts") return fs.readdirSync(join(folder, place)).map((one) => `${place}/${one}`);
  // An empty folder that was there before is a draft as soon as it has a log.
  return place !== "empty" || isThere(folder, place, "execution.json") ? [place] : [];
}

/** The folders that forks write aside, outside the store. */
function stagedIn(folder: string): string[] {
  return (fs.readdirSync(folder, { recursive: true }) as string[]).filter((path) =>
    /(?:^|\/)\.ctx-draft-[^/]*$/.test(path),
  );
}

/** What is there and is not a whole draft. What is being written aside belongs to no draft. */
function halves(folder: string, at: Scene): string[] {
  return draftsIn(folder, at)
    .filter((draft) => {
      const lines = shapeOf(join(folder, draft)).split("\n");
      return lines.filter((line) => !line.startsWith(".ctx-draft-")).join("\n") !== at.whole;
    })
    .map((draft) => `${draft} is not whole: ${fs.readdirSync(join(folder, draft)).join(" ")}`);
}

/** What must hold at any moment, whatever happened. */
async function harm(folder: string, at: Scene, stdout: string): Promise<string[]> {
  const packs = packsIn(folder);
  // Most of the time there is no new pack, and nothing to ask the program about.
  const isAsBefore = packs.length === packsIn(at.folder).length && reported(stdout).length === 0;
  const wrongs = isAsBefore ? storeHarm(folder) : (await examine(folder, stdout)).wrongs;
  return [...wrongs, ...draftHarm(folder, at, packs)];
}

function packsIn(folder: string): string[] {
  return fs.readdirSync(join(folder, ".ctx/packs"));
}

function storeHarm(folder: string): string[] {
  return [...tornObjects(folder), ...packsIn(folder).flatMap((hex) => flawsOf(folder, hex))];
}

/** What is wrong with drafts: those that are made, and the one that is sealed. */
function draftHarm(folder: string, at: Scene, packs: readonly string[]): string[] {
  if (at.expected === "") return halves(folder, at);
  if (at.args[0] === "fork") return [];
  const [before, now] = [linesOf(join(at.folder, at.place)), linesOf(join(folder, at.place))];
  // As it was, until the pack is durable; then files may go, but none may change.
  const mayGo = at.args.includes("--rm") && packs.includes(at.expected);
  const lost = mayGo ? [] : before.filter((line) => !now.includes(line)).map((line) => `lost ${line}`);
  const changed = now.filter((line) => !before.includes(line)).map((line) => `has ${line}`);
  return [...lost, ...changed].map((text) => `the draft ${text}`);
}

function linesOf(draft: string): string[] {
  if (!isThere(draft)) return [];
  return [...snapshot(draft)].map(([path, content]) => `${relative(draft, path)} ${content}`);
}

/** Runs the same command once more, and says what is wrong then. */
async function again(folder: string, at: Scene): Promise<string[]> {
  const before = draftsIn(folder, at);
  const isReady = stagedIn(folder).some((name) => name.endsWith(".ready"));
  const wasSealed = at.args[0] === "pack" && !isThere(folder, at.place, "execution.json");
  const ended = await runCtx(folder, at.args);
  const wrong: string[] = [];
  if (wasSealed) {
    // Its log is gone: there is nothing left to seal, and that is said.
    if (ended.status !== 2 || !/execution\.json|cannot read the log/.test(ended.stderr))
      wrong.push(wordsOf(ended));
    if (!isThere(folder, ".ctx/packs", at.expected)) wrong.push("the draft is gone, and there is no pack");
    // A command that finds nothing to do clears nothing, either; the next writer does.
    await must(folder, packArgs);
  } else if (at.expected !== "") {
    if (ended.stdout !== `ctx://${at.expected}\n`) wrong.push(wordsOf(ended));
    if (at.args.includes("--rm") && isThere(folder, at.place)) wrong.push("the draft is still there");
  } else if (at.place !== ".ctx/drafts" && (before.length > 0 || isReady)) {
    // Where the draft came to be whole, then or now, the folder is in use.
    if (ended.status !== 2 || !ended.stderr.includes("exists")) wrong.push(wordsOf(ended));
  } else wrong.push(...notMade(folder, at, before, ended));
  wrong.push(...storeHarm(folder), ...draftHarm(folder, at, packsIn(folder)));
  wrong.push(...[...leftovers(folder), ...stagedIn(folder)].map((path) => `left behind ${path}`));
  return wrong.map((text) => `again: ${text}`);
}

/** What is wrong when exactly one more draft should be there, and its path printed. */
function notMade(folder: string, at: Scene, before: readonly string[], ended: Ended): string[] {
  const made = draftsIn(folder, at).filter((draft) => !before.includes(draft));
  if (ended.status !== 0 || made.length !== 1) return [`${made.length} drafts; ${wordsOf(ended)}`];
  return ended.stdout.trimEnd().endsWith(`/${made[0]}`) ? [] : [`prints ${ended.stdout}, not ${made[0]}`];
}

function wordsOf({ status, stdout, stderr }: Ended): string {
  return `${status} ${stdout}${stderr}`;
}

/** Contents differ in nothing but their names, and folders in which drafts are written aside in nothing but their place. */
function kindOf({ what }: Call): string {
  return what
    .replaceAll(/@\/\.ctx\/tmp\/ID\/draft|@(?:\/empty)?\/\.ID\.tmp/g, "ASIDE")
    .replaceAll(/objects\/[0-9a-f]{2}/g, "objects/xx")
    .replaceAll(/[0-9a-f]{62,64}/g, "H")
    .replaceAll(/\b(?:prompts|inputs|steps|outputs)\b/g, "D")
    .replaceAll(/\b(?:\d{3,4}-\w+\.\w+|notes\.txt|answer\.txt|notes\/why\.txt|why\.txt)/g, "F")
    .replaceAll(/\/fd\/\d+/g, "/fd/N");
}

/** The first and the last of each kind. */
function ofEachKind<T>(items: readonly T[], kind: (item: T) => string): T[] {
  const firsts = new Map(items.toReversed().map((item) => [kind(item), item]));
  const lasts = new Map(items.map((item) => [kind(item), item]));
  return items.filter((item) => firsts.get(kind(item)) === item || lasts.get(kind(item)) === item);
}

function isOutput({ what }: Call): boolean {
  return /^write fd 1\b/.test(what);
}

/** What was to be done was durable with this call; what comes after it tidies up, and tells. */
function durableAt(calls: readonly Call[], { expected }: Scene): number {
  const packs = calls.findLastIndex(({ what }) => what === "fsync @/.ctx/packs");
  return expected === "" ? calls.findLastIndex(({ name }) => isFlush(name)) : packs;
}

/**
 * Whether a command may succeed without a call. Before all is durable: closing a list of names cannot lose anything, what
 * seems not to be there is written anew, and whether a folder looks like a store is only a guess.
 */
function isHarmless(call: Call, isDurable: boolean): boolean {
  if (isDurable) return !isOutput(call);
  return /^(?:close @(?:\/\.ctx\/(?:tmp|locks|objects)|(?:\/empty)?(?:\/\.ID\.(?:tmp|ready))?|\/\.ctx\/drafts\/[0-9a-f]{12}(?:\/[a-z]+)*)|access @\/\.ctx\/objects\/.*|statx @\/\.ctx\/config\.json)$/.test(
    call.what,
  );
}

/** What a failed command does not say, or says wrongly. */
function unclearIn(ended: Ended, errno: string, folder: string, at: Scene, call: Call): string[] {
  const { status, stderr } = ended;
  const wrong: string[] = [];
  if (/^ +at |node:|ctx has a bug/m.test(stderr)) wrong.push("shows its insides");
  if (status === 2 && !stderr.includes(errno)) wrong.push("hides the errno");
  if (status === 2 && stderr.includes("standard output") !== isOutput(call))
    wrong.push("blames the wrong file");
  else if (
    status === 2 &&
    !isOutput(call) &&
    ![folder, at.place, ".md", ".txt"].some((path) => stderr.includes(path))
  )
    wrong.push("names no path");
  if (at.args.includes("--rm") && isThere(folder, ".ctx/packs", at.expected) && !isOutput(call)) {
    // What could not be removed is in the pack all the same.
    if (stderr.includes("is not in the pack")) wrong.push("says that something is not in the pack");
    if (status === 0 && isThere(folder, at.place) && !/left|remove/.test(stderr))
      wrong.push("says nothing of the draft that is left");
    if (status !== 0 && !isThere(folder, at.place, "execution.json"))
      wrong.push("took the draft, and does not say what it became");
  }
  return wrong.map((text) => `${text}: ${stderr.split("\n")[0]}`);
}

interface Findings {
  tried: number;
  unsafe: string[];
  unclear: string[];
}

interface Told {
  call: Call;
  /** All was durable before. */
  isDurable: boolean;
}

/** The calls that can fail. */
async function failable(at: Scene): Promise<Told[]> {
  const calls = (await learn(copyOf(at.folder), at.args)).filter(({ name }) => name !== "exit_group");
  const durable = durableAt(calls, at);
  return calls.map((call, index) => ({ call, isDurable: index > durable }));
}

/** The same call after all is durable is another matter. */
function kindInTime({ call, isDurable }: Told): string {
  return `${isDurable} ${kindOf(call)}`;
}

/** Which calls are made to fail with an error. */
const suits = {
  EIO: () => true,
  ENOSPC: isChange,
  EACCES: ({ name }: Call) => /^(?:mkdir|rename|unlink|rmdir)/.test(name),
};

/** Makes calls fail, each in a copy of the start state, and says what is wrong then, and after running it again. */
async function failEverywhere(at: Scene, errno: string, points: readonly Told[]): Promise<Findings> {
  const found: Findings = { tried: 0, unsafe: [], unclear: [] };
  await pool(points, async ({ call, isDurable }) => {
    const { folder, ended, later } = await spoil(at.folder, at.args, call, { error: errno });
    const unsafe = await harm(folder, at, ended.stdout);
    const harmless = isHarmless(call, isDurable);
    if (ended.status !== 2 && !(ended.status === 0 && harmless)) unsafe.push(`status ${ended.status}`);
    if (at.expected === "" && ended.status === 0) unsafe.push(...notMade(folder, at, [], ended));
    if (at.expected !== "" && ended.status === 0 && reported(ended.stdout)[0] !== at.expected)
      unsafe.push(`prints ${ended.stdout}`);
    if (ended.status !== 0 && !isDurable && ended.stdout !== "") unsafe.push(`prints ${ended.stdout}`);
    // A flush that failed may have lost the bytes for good: a second one would say that all is well.
    if (isFlush(call.name) && later.length > 0) unsafe.push("goes on flushing");
    // Who is told that it failed finds the folder as it was, or else could not try again.
    if (!isDurable && ended.status !== 0 && at.place !== ".ctx/drafts" && at.expected === "") {
      const left = isThere(folder, at.place) ? fs.readdirSync(join(folder, at.place)) : [];
      if (left.length > 0) unsafe.push(`left in ${at.place}: ${left.join(" ")}`);
    }
    found.unclear.push(
      ...unclearIn(ended, errno, folder, at, call).map((text) => `${errno} at ${call.what}: ${text}`),
    );
    // A folder that is as it was before needs no second try.
    if (!isSame(folder, at.folder)) unsafe.push(...(await again(folder, at)));
    fs.rmSync(folder, { recursive: true });
    found.tried++;
    found.unsafe.push(...unsafe.map((text) => `${errno} at ${call.what}: ${text}`));
  });
  return found;
}

describeWith([program("strace")], "a fork or a seal", () => {
  const scenes = new Map<Name, Scene>();
  const sceneOf = (name: Name): Scene => scenes.get(name) as Scene;

  /** The calls that are made to fail: what is tried with one command is not tried again with the next. */
  const plan = new Map<Name, Told[]>();

  beforeAll(async () => {
    await pool(names, async (name) => scenes.set(name, await scene(name)));
    const tried = new Set<string>();
    for (const name of names) {
      const points = (await failable(sceneOf(name))).filter((point) => !tried.has(kindInTime(point)));
      plan.set(name, ofEachKind(points, kindInTime));
      for (const point of points) tried.add(kindInTime(point));
    }
  }, patience);

  it.each(names)("(%s) is killed at every change, and harms nothing", { timeout: patience }, async (name) => {
    const at = sceneOf(name);
    const changes = (await learn(copyOf(at.folder), at.args)).filter(isChange);
    // Flushes change nothing that a killed process could leave, so one command is enough to try them.
    const points = changes.filter((call) => name === "own" || !isFlush(call.name));
    expect(points.length).toBeGreaterThan(15);
    const found = await pool(points, async (call) => {
      const { folder, ended } = await spoil(at.folder, at.args, call, { signal: "SIGKILL" });
      const wrong = ended.signal === "SIGKILL" ? [] : [`it survived with ${ended.status}`];
      wrong.push(...(await harm(folder, at, ended.stdout)), ...(await again(folder, at)));
      fs.rmSync(folder, { recursive: true });
      return wrong.map((text) => `killed at ${call.what}: ${text}`);
    });
    expect(found.flat()).toEqual([]);
  });

  const surveys: [Name, keyof typeof suits, number][] = [
    ["seal", "EIO", 30],
    ["own", "EIO", 40],
    ["new", "EIO", 10],
    ["empty", "EIO", 15],
    ["pack", "EIO", 20],
    ["pack --rm", "EIO", 50],
    ["seal", "ENOSPC", 8],
    ["own", "ENOSPC", 20],
    ["new", "ENOSPC", 2],
    ["empty", "ENOSPC", 5],
    ["pack --rm", "ENOSPC", 5],
    ["own", "EACCES", 5],
    ["new", "EACCES", 0],
    ["empty", "EACCES", 5],
    ["pack --rm", "EACCES", 5],
  ];

  describe.each(surveys)("(%s) with %s at calls of each kind", (name, errno, least) => {
    let found: Findings;

    beforeAll(async () => {
      const points = (plan.get(name) as Told[]).filter(({ call }) => suits[errno](call));
      // Most of what sealing does is tried with other commands, too.
      const chosen = points.filter((_, at) => name !== "seal" || at % 3 === 0);
      found = await failEverywhere(sceneOf(name), errno, chosen);
    }, patience);

    it("loses nothing, claims nothing, and works again", () => {
      expect(found.unsafe).toEqual([]);
      expect(found.tried).toBeGreaterThan(least);
    });

    it("is told as it is", () => {
      expect(found.unclear).toEqual([]);
    });
  });

  it.each(["own", "new", "empty", "seal"] as const)(
    "(%s) notices bytes that did not arrive, before they get a name",
    { timeout: patience },
    async (name) => {
      const at = sceneOf(name);
      const calls = await learn(copyOf(at.folder), at.args);
      const writes = ofEachKind(
        calls.filter(({ what }) => what.startsWith("write @")),
        kindOf,
      );
      expect(writes.length).toBeGreaterThan(3);
      const found = await pool(writes, async (call) => {
        const { folder, ended } = await spoil(at.folder, at.args, call, { retval: 1 });
        const wrong = await harm(folder, at, ended.stdout);
        if (ended.status !== 2 || ended.stdout !== "" || !/\d+ of \d+ bytes arrived/.test(ended.stderr))
          wrong.push(wordsOf(ended));
        wrong.push(...draftsIn(folder, at), ...(await again(folder, at)));
        return wrong.map((text) => `one byte at ${call.what}: ${text}`);
      });
      expect(found.flat()).toEqual([]);
    },
  );

  it.each(["own", "new", "empty"] as const)(
    "(%s) is on the disk before it gets its name, and its name before it is told",
    { timeout: patience },
    async (name) => {
      const { folder, trace } = await traced(sceneOf(name));
      expect(disorder(trace, folder)).toEqual([]);
    },
  );

  it("(own) would be noticed without any one of its flushes", { timeout: patience }, async () => {
    const { folder, trace } = await traced(sceneOf("own"));
    const all = [...ablations(trace)];
    expect(all.length).toBeGreaterThan(10);
    const needless = all.filter(({ traces }) => !traces.every((one) => disorder(one, folder).length > 0));
    expect(needless.map(({ flush }) => flush.replaceAll(folder, "@"))).toEqual([]);
  });

  it.each(["seal", "pack", "pack --rm"] as const)(
    "(%s) is on the disk before it is told, and before anything is removed",
    { timeout: patience },
    async (name) => {
      const at = sceneOf(name);
      const { folder, trace } = await traced(at);
      const objects = objectNames(at.folder);
      // The parent is named, but is no part of the pack.
      const needs = objectsOf(folder, at.expected).filter((hex) => !packsIn(at.folder).includes(hex));
      const found = needs.filter((hex) => objects.includes(hex)).map((hex) => objectFile(folder, hex));
      const root = join(folder, ".ctx");
      const order = violations(trace, {
        root,
        found,
        named: ["objects", "packs"].map((one) => join(root, one)),
        needs: needs.map((hex) => objectFile(folder, hex)),
      });
      expect(order).toEqual([]);
      const steps = [...stepsOf(trace)];
      const durable = steps.findLastIndex(
        ({ name: call, paths }) => isFlush(call) && paths[0] === join(root, "packs"),
      );
      const removals = steps.flatMap(({ name: call, paths }, index) =>
        /^(?:unlink|rmdir)/.test(call) && paths[0]?.includes("/drafts/") === true ? [index] : [],
      );
      expect(durable).toBeGreaterThan(0);
      expect(removals.length > 5).toBe(name === "pack --rm");
      expect(removals.filter((index) => index < durable)).toEqual([]);
    },
  );
});

/** Runs the command with a trace. */
async function traced(at: Scene): Promise<{ folder: string; trace: string }> {
  const folder = copyOf(at.folder);
  const { trace, ended } = await record(ctxCommand(folder, at.args));
  expect(ended.status).toBe(0);
  return { folder, trace };
}

/** What may be lost: writers make it anew. */
function isScratch(path: string): boolean {
  return /\/\.ctx\/(?:tmp|locks)\//.test(path);
}

function isIn(path: string, above: string): boolean {
  return path.startsWith(`${above}/`);
}

/**
 * Reads a trace as a power cut would, and says where a folder got its name before all that is in it was on the disk, a
 * log before what lies beside it, or the user an answer before anything else.
 */
function disorder(trace: string, folder: string): string[] {
  const wrong: string[] = [];
  /** Files with bytes that are in memory only, and names; a name lies in the folder that must be flushed. */
  const [dirty, unnamed] = [new Set<string>(), new Set<string>()];
  const unflushed = (): string[] => [...dirty, ...unnamed];
  const move = (from: string, to: string): void => {
    for (const paths of [dirty, unnamed])
      for (const path of [...paths].filter((one) => one === from || isIn(one, from))) {
        paths.delete(path);
        paths.add(to + path.slice(from.length));
      }
    unnamed.add(to);
  };
  const report = (what: string, lost: string[]): void => {
    wrong.push(...lost.map((path) => `${what} before the flush of ${path}`.replaceAll(folder, "@")));
  };
  for (const { name, paths, text } of stepsOf(trace)) {
    const [first = "", second = ""] = paths;
    if (isFlush(name)) {
      dirty.delete(first);
      for (const path of unnamed) if (dirname(path) === first) unnamed.delete(path);
    } else if (name === "write" && text.startsWith("write(1<"))
      report(
        "it is told",
        unflushed().filter((path) => !isScratch(path)),
      );
    else if (!isIn(first, folder)) continue;
    else if (name === "mkdir" || text.includes("O_CREAT")) {
      unnamed.add(first);
      if (name !== "mkdir") dirty.add(first);
    } else if (name === "write") dirty.add(first);
    else if (name === "unlink" || name === "rmdir") {
      dirty.delete(first);
      unnamed.delete(first);
    } else if (name === "rename") {
      const inside = unflushed().filter((path) => isIn(path, first) || (path === first && dirty.has(path)));
      const beside = unflushed().filter((path) => isIn(path, dirname(second)) && !isIn(path, dirname(first)));
      report(`${second} appears`, second.endsWith("/execution.json") ? [...inside, ...beside] : inside);
      move(first, second);
    }
  }
  return wrong;
}

describe("forks at once", () => {
  const crowd = 8;
  const together = (folder: string, args: readonly string[]): Promise<Ended[]> =>
    Promise.all(Array.from({ length: crowd }, () => runCtx(folder, args)));

  it("of one pack are as many drafts, all whole", { timeout: patience }, async () => {
    const at = await scene("own");
    const ended = await together(at.folder, at.args);
    expect(ended.filter(({ status }) => status !== 0).map(wordsOf)).toEqual([]);
    const told = ended.map(({ stdout }) => relative(at.folder, resolve(tmpdir(), stdout.trimEnd())));
    expect(told.sort()).toEqual(draftsIn(at.folder, at).sort());
    expect(told.length).toBe(crowd);
    expect([...halves(at.folder, at), ...leftovers(at.folder), ...stagedIn(at.folder)]).toEqual([]);
  });

  it.each(["new", "empty"] as const)(
    "into one folder (%s) are one whole draft, and the others say so",
    { timeout: patience },
    async (name) => {
      const at = await scene(name);
      const ended = await together(at.folder, at.args);
      const made = ended.filter(({ status }) => status === 0);
      const refused = ended.filter(({ status, stderr }) => status === 2 && stderr.includes("exist"));
      expect(made.length + refused.length).toBe(crowd);
      expect(draftsIn(at.folder, at).length).toBe(made.length);
      // Inside a folder that is there, all may have given way to each other.
      if (name === "new") expect(made.length).toBe(1);
      expect([...halves(at.folder, at), ...leftovers(at.folder), ...stagedIn(at.folder)]).toEqual([]);
    },
  );
});
