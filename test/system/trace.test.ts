// How often is flushed, and what is done where that cannot be; and the check of traces itself, by which `npm
// run torture` judges the order of writes and flushes: file systems forgive most mistakes in it most of the
// time, a trace forgives none.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Traced, traced } from "../../torture/order.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, runCtx } from "../../dev/processes.js";
import { emptyStore, largeLog, must, packArgs } from "../../dev/scenes.js";
import { examine, flawsOf, leftovers } from "../../dev/store-check.js";
import { callsOf, injectAt, record } from "../../dev/strace.js";
import { ablations, violations } from "../../dev/trace-check.js";

/** Returns how often the whole file system was flushed, and how often a single file or folder. */
function flushes({ trace }: Traced): [whole: number, single: number] {
  const count = (pattern: RegExp): number => trace.match(pattern)?.length ?? 0;
  return [count(/^\d+ +syncfs\(.* = 0$/gm), count(/^\d+ +fsync\(.* = 0$/gm)];
}

/** Several logs in one call. */
async function tracedPacks(count: number): Promise<Traced> {
  const folder = await emptyStore();
  const names = Array.from({ length: count }, (_, at) => `many-${at}.json`);
  for (const [at, name] of names.entries())
    fs.writeFileSync(join(folder, name), json(smallLog({ system_prompt: `number ${at}` })));
  return await traced({ folder, args: ["pack", ...names] });
}

describeWith([program("strace")], "flushes of pack", () => {
  it("pack flushes as often for 160 logs as for 80", async () => {
    const [some, many] = [flushes(await tracedPacks(80)), flushes(await tracedPacks(160))];
    expect(many).toEqual(some);
  });

  it("pack loses nothing of a large pack in a power cut, also when syncfs cannot be run", async () => {
    const scene = { folder: await emptyStore(largeLog()), args: packArgs };
    const usual = await traced(scene);
    const [whole, single] = flushes(usual);
    expect(whole).toBe(2);
    expect(single).toBeLessThan(10);
    // No new process can be started, for either of the two flushes.
    const starts = callsOf(usual.trace, usual.folder).filter(({ line }) =>
      /^\d+ +v?(?:clone|fork)/.test(line),
    );
    const programs = starts.filter(({ line }) => !line.includes("CLONE_THREAD"));
    expect(programs.length).toBe(2);
    for (const { name, when } of programs) {
      const rule = `inject=${name}:error=EAGAIN:when=${when}`;
      const without = await traced(scene, ["-e", rule]);
      expect(violations(without.trace, without.order)).toEqual([]);
      const [left, instead] = flushes(without);
      expect(left).toBe(1);
      expect(instead).toBeGreaterThan(single + 64);
    }
  });
});

describeWith([program("strace")], "trust that is withdrawn", () => {
  it("trust that is withdrawn does not come back after a power cut", async () => {
    const folder = await emptyStore();
    const options = { env: { HOME: folder, XDG_STATE_HOME: join(folder, "state") } };
    expect((await runCtx(folder, ["trust"], options)).status).toBe(0);
    const { trace, ended } = await record(ctxCommand(folder, ["trust", "--forget"]), [], options);
    expect(ended.status).toBe(0);
    const order = { root: join(folder, ".ctx") };
    expect(violations(trace, order)).toEqual([]);
    // The trust, and the note that the store takes sessions.
    const without = [...ablations(trace)].flatMap(({ traces }) => traces);
    expect(without.length).toBe(4);
    for (const other of without) expect(violations(other, order).join()).toContain("is gone for good");
  });
});

describeWith([program("strace")], "a large pack", () => {
  it("a large pack fails when the file system cannot be flushed, and works the next time", async () => {
    const folder = await emptyStore(largeLog());
    const { ended } = await injectAt("syncfs", "when=1", { error: "EIO" }, ctxCommand(folder, packArgs));
    expect(ended).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("(EIO)") });
    expect(ended.stderr).toContain(join(folder, ".ctx"));
    expect(await examine(folder, ended.stdout)).toEqual({ packs: [], wrongs: [] });
    const [hex = ""] = await must(folder, packArgs);
    expect(flawsOf(folder, hex)).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
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

  it("the check of traces finds nothing in a correct order", () => {
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
  ])("the check of traces finds %s", (_, lines, expected) => {
    expect(check(lines).join("\n")).toContain(expected);
  });
});
