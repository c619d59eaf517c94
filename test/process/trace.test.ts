// The order of writes and flushes, seen from outside: file systems forgive most mistakes in it most of the time, a
// trace forgives none. And the check itself: without any one of the flushes it must find fault.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeWith, program } from "../support/needs.js";
import { ctxCommand } from "../support/processes.js";
import {
  emptyStore,
  largeLog,
  packArgs,
  repeatingStore,
  sceneFolder,
  sharingStore,
} from "../support/scenes.js";
import { json, smallLog } from "../support/logs.js";
import { objectFile, objectNames, objectsOf, reported } from "../support/store-check.js";
import { callsOf, record } from "../support/strace.js";
import { ablations, type Scene, violations } from "../support/trace-check.js";

interface Recorded {
  trace: string;
  scene: Scene;
}

/** Packs with a trace; everything that the pack rests on and that is there before counts as never flushed. */
async function tracedPack(folder: string, rules: string[] = [], args = packArgs): Promise<Recorded> {
  const root = join(folder, ".ctx");
  const objects = objectNames(folder);
  // Another writer may have made them a moment ago, and have been cut off.
  const named = ["objects", "packs"].map((name) => join(root, name)).filter((path) => fs.existsSync(path));
  const packs = named.includes(join(root, "packs")) ? fs.readdirSync(join(root, "packs")) : [];
  const { trace, ended } = await record(ctxCommand(folder, args), rules);
  const added = reported(ended.stdout);
  const needs = [...new Set(added.flatMap((hex) => objectsOf(folder, hex)))];
  const found = [
    ...needs.filter((name) => objects.includes(name)).map((name) => objectFile(folder, name)),
    ...packs.filter((name) => added.includes(name)).map((name) => join(root, "packs", name)),
  ];
  return { trace, scene: { root, found, named, needs: needs.map((name) => objectFile(folder, name)) } };
}

async function tracedInit(folder: string, below = "."): Promise<Recorded> {
  const { trace, ended } = await record(ctxCommand(folder, ["init", below]));
  expect(ended.status).toBe(0);
  return { trace, scene: { root: join(folder, below, ".ctx") } };
}

/** A store whose empty folders git dropped. */
async function clonedStore(): Promise<string> {
  const folder = await emptyStore();
  for (const name of ["packs", "refs", "tmp", "locks"])
    fs.rmSync(join(folder, ".ctx", name), { recursive: true });
  return folder;
}

/** How often the whole file system was flushed, and how often a single file or folder. */
function flushes({ trace }: Recorded): [whole: number, single: number] {
  const count = (pattern: RegExp): number => trace.match(pattern)?.length ?? 0;
  return [count(/^\d+ +syncfs\(.* = 0$/gm), count(/^\d+ +fsync\(.* = 0$/gm)];
}

/** Several logs in one call. */
async function tracedPacks(count: number): Promise<Recorded> {
  const folder = await emptyStore();
  const names = Array.from({ length: count }, (_, at) => `many-${at}.json`);
  for (const [at, name] of names.entries())
    fs.writeFileSync(join(folder, name), json(smallLog({ system_prompt: `number ${at}` })));
  return await tracedPack(folder, [], ["pack", ...names]);
}

const runs: [string, () => Promise<Recorded>][] = [
  ["a pack of several logs", () => tracedPacks(3)],
  ["a pack with a sidecar", async () => tracedPack(await emptyStore())],
  ["a large pack", async () => tracedPack(await emptyStore(largeLog()))],
  ["a pack whose blobs are there", async () => tracedPack(await sharingStore())],
  ["a pack that is there", async () => tracedPack(await repeatingStore())],
  ["a pack into a store without its empty folders", async () => tracedPack(await clonedStore())],
  ["init", () => tracedInit(sceneFolder())],
  ["init of a folder that is made", () => tracedInit(sceneFolder(), "runs/today")],
];

describeWith([program("strace")], "a power cut", () => {
  it.each(runs)("at any moment of %s loses nothing that was reported", async (_, run) => {
    const { trace, scene } = await run();
    expect(violations(trace, scene)).toEqual([]);
  });

  it.each(runs)("in %s would be noticed without any one of its flushes", async (name, run) => {
    const { trace, scene: found } = await run();
    // Whatever the store had may have been made a moment ago, by a writer that was cut off before it flushed.
    const named = name.includes("pack") ? ["objects", "packs"].map((folder) => join(found.root, folder)) : [];
    const scene = { ...found, named };
    const all = [...ablations(trace)];
    expect(all.length).toBeGreaterThan(2);
    const already = new Set(violations(trace, scene));
    const isNoticed = (changed: string): boolean =>
      violations(changed, scene).some((wrong) => !already.has(wrong));
    const needless = all
      .filter(({ traces }) => !traces.every(isNoticed))
      .map(({ flush }) => flush.replaceAll(dirname(scene.root), "@"));
    expect(needless).toEqual([]);
  });

  it("takes as many flushes for many logs as for some", async () => {
    const [some, many] = [flushes(await tracedPacks(80)), flushes(await tracedPacks(160))];
    expect(many).toEqual(some);
  });

  it("loses nothing of a large pack, whether or not the whole file system can be flushed", async () => {
    const usual = await tracedPack(await emptyStore(largeLog()));
    const [whole, single] = flushes(usual);
    expect(whole).toBe(2);
    expect(single).toBeLessThan(10);
    // No new process can be started, for either of the two flushes.
    const starts = callsOf(usual.trace, usual.scene.root).filter(({ line }) =>
      /^\d+ +v?(?:clone|fork)/.test(line),
    );
    const programs = starts.filter(({ line }) => !line.includes("CLONE_THREAD"));
    expect(programs.length).toBe(2);
    for (const { name, when } of programs) {
      const rule = `inject=${name}:error=EAGAIN:when=${when}`;
      const { trace, scene } = await tracedPack(await emptyStore(largeLog()), ["-e", rule]);
      expect(violations(trace, scene)).toEqual([]);
      const [left, instead] = flushes({ trace, scene });
      expect(left).toBe(1);
      expect(instead).toBeGreaterThan(single + 64);
    }
  });
});

describe("the check of traces", () => {
  const root = "/s/.ctx";
  const object = `${root}/objects/ab/${"c".repeat(62)}`;
  const pack = `${root}/packs/${"d".repeat(64)}`;
  const sound = [
    `1 openat(AT_FDCWD</s>, "${root}/tmp/x/o", O_WRONLY|O_CREAT|O_EXCL, 0444) = 17<${root}/tmp/x/o>`,
    `1 write(17<${root}/tmp/x/o>, ""..., 14) = 14`,
    `1 fsync(17<${root}/tmp/x/o>) = 0`,
    `1 mkdir("${root}/objects/ab", 0777) = 0`,
    `1 rename("${root}/tmp/x/o", "${object}") = 0`,
    `1 fsync(17<${root}/objects/ab>) = 0`,
    `1 fsync(17<${root}/objects>) = 0`,
    `1 openat(AT_FDCWD</s>, "${root}/tmp/x/p", O_WRONLY|O_CREAT|O_EXCL, 0444) = 17<${root}/tmp/x/p>`,
    `1 write(17<${root}/tmp/x/p>, ""..., 14 <unfinished ...>`,
    `1 <... write resumed>) = 14`,
    `1 fsync(17<${root}/tmp/x/p>) = 0`,
    `1 rename("${root}/tmp/x/p", "${pack}") = 0`,
    `1 fsync(17<${root}/packs>) = 0`,
    `1 write(1<pipe:[1]>, ""..., 71) = 71`,
  ];
  const check = (lines: readonly string[]): string[] =>
    violations(lines.join("\n"), { root, needs: [object] });
  const moved = (from: number, to: number): string[] => {
    const lines = sound.toSpliced(from, 1);
    return lines.toSpliced(to, 0, sound[from] as string);
  };

  it("finds nothing in a sound order", () => {
    expect(check(sound)).toEqual([]);
  });

  it.each([
    ["a file flushed before its last write", moved(2, 1), "gets its name before the flush of its bytes"],
    [
      "a folder flushed before its last entry",
      moved(5, 4),
      "appears before the flush of the name objects/ab/",
    ],
    [
      "a pack named before its objects are flushed",
      moved(6, 12),
      "appears before the flush of the name objects/ab",
    ],
    ["a report before the pack is flushed", moved(13, 12), "is reported before the flush of the name packs/"],
    ["a missing object", sound.toSpliced(4, 1), "appears without objects/ab/"],
    [
      "a flush that failed",
      sound.with(2, (sound[2] as string).replace("= 0", "= -1 EIO (Input/output error)")),
      "before the flush of its bytes",
    ],
    ["a write in place", [`1 write(17<${object}>, ""..., 14) = 14`, ...sound], "is written in place"],
    [
      "a link in place of a rename",
      [`1 link("${root}/tmp/x/o", "${object}") = 0`, ...sound],
      "link of objects/ab",
    ],
  ])("finds %s", (_, lines, expected) => {
    expect(check(lines).join("\n")).toContain(expected);
  });
});
