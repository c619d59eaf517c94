// Every system call about the store or the log fails once, as on a broken or a full disk: the command must say so,
// claim nothing that is not so, leave nothing torn, and work when it is run again.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { describeWith, program } from "../support/needs.js";
import { eachKind, kindOf, ofEachKind } from "../support/fault-kinds.js";
import { ctxCommand, type Ended, pool, runCtx } from "../support/processes.js";
import {
  copyOf,
  emptyStore,
  isSame,
  largeLog,
  learn,
  must,
  packArgs,
  repeatingStore,
  sceneFolder,
  sharingStore,
  spoil,
} from "../support/scenes.js";
import { examine, flawsOf, leftovers, reported, tornObjects } from "../support/store-check.js";
import { type Call, injectAt, isChange, isFlush } from "../support/strace.js";

const patience = 120_000;

/** What went wrong at all the calls tried: what could cost data, and what only misleads. */
interface Findings {
  tried: number;
  unsafe: string[];
  unclear: string[];
}

/** The calls of a command that can fail. */
async function failable(start: string, args: readonly string[]): Promise<Call[]> {
  return (await learn(copyOf(start), args)).filter(({ name }) => name !== "exit_group");
}

function changes(calls: readonly Call[]): Call[] {
  return calls.filter(isChange);
}

function isOutput({ what }: Call): boolean {
  return /^write fd 1\b/.test(what);
}

/** What a failed command does not say, or says wrongly. */
function unclearIn({ status, stderr }: Ended, errno: string, folder: string, call: Call): string[] {
  const wrong: string[] = [];
  if (/^ +at |node:|ctx has a bug/m.test(stderr)) wrong.push("shows its insides");
  if (status === 2 && !stderr.includes(`(${errno})`) && !stderr.includes(`: ${errno}`))
    wrong.push("hides the errno");
  if (status === 2 && stderr.includes("standard output") !== isOutput(call))
    wrong.push("blames the wrong file");
  else if (status === 2 && !isOutput(call) && !stderr.includes(folder) && !stderr.includes("run.json"))
    wrong.push("names no path");
  return wrong.map((text) => `${text}: ${stderr.split("\n")[0]}`);
}

/**
 * Whether a command may succeed without a call. Once the pack is durable, only sidecars and tidying up are left. Before:
 * closing a list of names cannot lose anything, a blob that seems not to be there is written anew, a folder that is
 * there need not be made, and whether a folder looks like a store is only a guess.
 */
function isHarmless(call: Call, isDurable: boolean): boolean {
  if (isDurable) return !isOutput(call);
  return /^(?:close @\/\.ctx\/(?:tmp|locks|objects)|access @\/\.ctx\/objects\/.*|mkdir @|statx @\/\.ctx\/config\.json)$/.test(
    call.what,
  );
}

function sidecarIn(folder: string): string {
  return join(folder, "answer.txt.ctx.json");
}

describeWith([program("strace")], "a pack with one failing call", () => {
  let expected: string;
  let ordinary: Set<string>;

  beforeAll(async () => {
    const start = await emptyStore();
    [expected = ""] = await must(copyOf(start), packArgs);
    ordinary = new Set((await failable(start, packArgs)).map(kindOf));
  });

  /** `harmless`: whether the pack may succeed all the same. */
  async function failAt(start: string, call: Call, errno: string, harmless: boolean): Promise<Findings> {
    const { folder, ended, later } = await spoil(start, packArgs, call, { error: errno });
    const { packs, wrongs: unsafe } = await examine(folder, ended.stdout);
    if (ended.status !== 2 && !(ended.status === 0 && harmless)) unsafe.push(`status ${ended.status}`);
    if ((ended.status === 0) !== (reported(ended.stdout)[0] === expected))
      unsafe.push(`prints ${ended.stdout}`);
    // A flush that failed may have lost the bytes for good: a second one would say that all is well.
    if (isFlush(call.name) && !harmless && later.length > 0) unsafe.push("goes on flushing");
    const unclear = unclearIn(ended, errno, folder, call);
    if (packs.includes(expected) && ended.stderr.includes("nothing was added"))
      unclear.push("says that nothing was added");
    if (ended.status === 0 && !fs.existsSync(sidecarIn(folder)) && !ended.stderr.includes("answer.txt"))
      unclear.push("says nothing about the sidecar");
    // A folder that is as it was before needs no second try.
    if (!isSame(folder, start)) unsafe.push(...(await worksAgain(folder)));
    fs.rmSync(folder, { recursive: true });
    const name = (text: string): string => `${errno} at ${call.what}: ${text}`;
    return { tried: 1, unsafe: unsafe.map(name), unclear: unclear.map(name) };
  }

  async function worksAgain(folder: string): Promise<string[]> {
    const again = await runCtx(folder, packArgs);
    return [
      ...(again.stdout === `ctx://${expected}\n` ? [] : [`${again.status} ${again.stdout}${again.stderr}`]),
      ...flawsOf(folder, expected),
      ...tornObjects(folder),
      ...leftovers(folder),
      ...(fs.existsSync(sidecarIn(folder)) ? [] : ["no sidecar"]),
    ].map((text) => `again: ${text}`);
  }

  async function failEverywhere(
    start: string,
    errno: string,
    choose: (calls: Call[]) => Call[],
  ): Promise<Findings> {
    const calls = await failable(start, packArgs);
    // From here on the pack is safe: that `latest` could not be moved is a note, not a failure.
    const durable = calls.findLastIndex(({ what }) => /^fsync @\/\.ctx\/packs$/.test(what));
    const findings = await pool(choose(calls), (call) =>
      failAt(start, call, errno, isHarmless(call, calls.indexOf(call) > durable)),
    );
    return {
      tried: findings.length,
      unsafe: findings.flatMap(({ unsafe }) => unsafe),
      unclear: findings.flatMap(({ unclear }) => unclear),
    };
  }

  const unusual = (calls: Call[]): Call[] => ofEachKind(calls.filter((call) => !ordinary.has(kindOf(call))));
  const surveys: [string, string, () => Promise<string>, (calls: Call[]) => Call[], number][] = [
    ["EIO", "every kind of call", emptyStore, eachKind, 60],
    ["ENOSPC", "every change", emptyStore, changes, 70],
    ["EROFS", "changes of each kind", emptyStore, (calls) => ofEachKind(changes(calls)), 20],
    ["EDQUOT", "changes of each kind", emptyStore, (calls) => ofEachKind(changes(calls)), 20],
    [
      "EMFILE",
      "opening",
      emptyStore,
      (calls) => ofEachKind(calls.filter(({ name }) => name === "openat")),
      15,
    ],
    ["EIO", "calls that are made only where the blobs are there already", sharingStore, unusual, 10],
    ["EIO", "calls that are made only where the pack is there already", repeatingStore, unusual, 10],
  ];

  describe.each(surveys)("%s at %s", (errno, _, make, choose, least) => {
    let found: Findings;

    beforeAll(async () => {
      found = await failEverywhere(await make(), errno, choose);
    }, patience);

    it("loses nothing, claims nothing, and works again", () => {
      expect(found.unsafe).toEqual([]);
      expect(found.tried).toBeGreaterThan(least);
    });

    it("is told as it is", () => {
      expect(found.unclear).toEqual([]);
    });
  });

  it("notices bytes that did not arrive, before they get a name", { timeout: patience }, async () => {
    const start = await emptyStore();
    const writes = (await failable(start, packArgs)).filter(({ what }) => what.startsWith("write @"));
    expect(writes.length).toBeGreaterThan(10);
    const found = await pool(writes, async (call) => {
      const { folder, ended } = await spoil(start, packArgs, call, { retval: 1 });
      const { wrongs } = await examine(folder, ended.stdout);
      if (ended.status !== (call.what.includes("sidecar") ? 0 : 2)) wrongs.push(`status ${ended.status}`);
      if (!/\d+ of \d+ bytes arrived/.test(ended.stderr)) wrongs.push(ended.stderr);
      wrongs.push(...(await worksAgain(folder)));
      return wrongs.map((text) => `one byte at ${call.what}: ${text}`);
    });
    expect(found.flat()).toEqual([]);
  });
});

describeWith([program("strace")], "a large pack", () => {
  it("fails when the whole file system cannot be flushed, and works again", async () => {
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

describeWith([program("strace")], "an init with one failing call", () => {
  const surveys: [string, (call: Call) => boolean][] = [
    ["EIO", () => true],
    ["ENOSPC", isChange],
  ];

  describe.each(surveys)("%s", (errno, suits) => {
    const found: Findings = { tried: 0, unsafe: [], unclear: [] };

    beforeAll(async () => {
      const start = sceneFolder();
      const whole = await emptyStore();
      await pool((await failable(start, ["init"])).filter(suits), async (call) => {
        const { folder, ended } = await spoil(start, ["init"], call, { error: errno });
        const isTidying = /^(?:statx|rmdir|unlink) @\/\.ctx\/(?:tmp|locks)\/\S/.test(call.what);
        found.tried++;
        if (ended.status !== 2 && !(ended.status === 0 && isHarmless(call, isTidying)))
          found.unsafe.push(`${errno} at ${call.what}: status ${ended.status}`);
        found.unclear.push(...unclearIn(ended, errno, folder, call).map((text) => `${call.what}: ${text}`));
        await must(folder, ["init"]);
        // What could not be tidied up is left to the next writer.
        if (isTidying) await must(folder, packArgs);
        const flaws = isTidying ? leftovers(folder) : isSame(folder, whole) ? [] : ["not a whole store"];
        found.unsafe.push(...flaws.map((text) => `${errno} at ${call.what}: ${text}`));
      });
    }, patience);

    it("is completed by the next one", () => {
      expect(found.unsafe).toEqual([]);
      expect(found.tried).toBeGreaterThan(20);
    });

    it("is told as it is", () => {
      expect(found.unclear).toEqual([]);
    });
  });
});
