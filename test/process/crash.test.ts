// SIGKILL at every system call by which `ctx pack` or `ctx init` changes something: nothing half-made may ever show, and
// the same command run again must succeed as if nothing had happened.
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWith, program } from "../support/needs.js";
import { pool, runCtx } from "../support/processes.js";
import {
  copyOf,
  crashedStore,
  emptyStore,
  largeLog,
  learn,
  must,
  packArgs,
  repeatingStore,
  sceneFolder,
  sharingStore,
  spoil,
} from "../support/scenes.js";
import { examine, flawsOf, leftovers, listed, tornObjects } from "../support/store-check.js";
import { type Call, isChange, isFlush } from "../support/strace.js";

const patience = 120_000;

/** Kills the command at one call, and says what is wrong then, and after running it again. */
async function killAt(
  start: string,
  expected: string,
  packs: number,
  call: Call,
  signal: string,
): Promise<string[]> {
  const { folder, ended: cut } = await spoil(start, packArgs, call, { signal });
  const found = cut.signal === signal ? [] : [`it survived with status ${cut.status}`];
  found.push(...(await examine(folder, cut.stdout)).wrongs);
  found.push(...sidecarFlaws(folder));
  const again = await runCtx(folder, packArgs);
  if (again.stdout !== `ctx://${expected}\n`)
    found.push(`again: ${again.status} ${again.stdout}${again.stderr}`);
  const after = fs.readdirSync(join(folder, ".ctx/packs"));
  if (after.length !== packs) found.push(`again: ${after.length} packs`);
  for (const wrong of [...tornObjects(folder), ...after.flatMap((hex) => flawsOf(folder, hex))])
    found.push(`again: ${wrong}`);
  found.push(...leftovers(folder).map((path) => `again: left behind ${path}`));
  if (!fs.existsSync(join(folder, "answer.txt.ctx.json"))) found.push("again: no sidecar");
  fs.rmSync(folder, { recursive: true });
  return found.map((wrong) => `killed at ${call.what}: ${wrong}`);
}

/** Kills the command at all the calls chosen, each time in a copy of the start state. */
async function killEverywhere(
  start: string,
  choose: (call: Call, at: number) => boolean,
  signal = "SIGKILL",
): Promise<{ points: Call[]; found: string[] }> {
  const [expected = ""] = await must(copyOf(start), packArgs);
  const packs = new Set([...(await listed(start)), expected]).size;
  const points = (await learn(copyOf(start), packArgs)).filter(isChange).filter(choose);
  const found = await pool(points, (call) => killAt(start, expected, packs, call, signal));
  return { points, found: found.flat() };
}

describeWith([program("strace")], "a pack that is killed", () => {
  it("leaves a new store sound, at every call", { timeout: patience }, async () => {
    const { points, found } = await killEverywhere(await emptyStore(), () => true);
    expect(found).toEqual([]);
    expect(points.length).toBeGreaterThan(75);
    const names = new Set(points.map(({ name }) => name));
    expect([...names]).toEqual(
      expect.arrayContaining([
        "openat",
        "write",
        "fsync",
        "mkdir",
        "rename",
        "rmdir",
        "unlink",
        "exit_group",
      ]),
    );
  });

  // Flushes change nothing that a killed process could leave, so the other states do without them.
  it.each([
    ["held the blobs already", sharingStore, 10],
    ["held the pack already", repeatingStore, 5],
    ["had been through a crash before", crashedStore, 40],
  ])("leaves a store sound that %s", { timeout: patience }, async (_, make, least) => {
    const { points, found } = await killEverywhere(await make(), ({ name }) => !isFlush(name));
    expect(found).toEqual([]);
    expect(points.length).toBeGreaterThan(least);
  });

  it("leaves a store sound into which a large pack was to go", { timeout: patience }, async () => {
    const { found } = await killEverywhere(await emptyStore(largeLog()), (_, at) => at % 40 === 3);
    expect(found).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"])(
    "leaves a store sound after %s, too",
    { timeout: patience },
    async (signal) => {
      const { found } = await killEverywhere(await emptyStore(), (_, at) => at % 9 === 4, signal);
      expect(found).toEqual([]);
    },
  );
});

describeWith([program("strace")], "an init that is killed", () => {
  it("is completed by the next one, at every call", { timeout: patience }, async () => {
    const start = sceneFolder();
    const [expected] = await must(await emptyStore(), packArgs);
    const points = (await learn(copyOf(start), ["init"])).filter(isChange);
    expect(points.length).toBeGreaterThan(20);
    const found = await pool(points, async (call) => {
      const { folder, ended: cut } = await spoil(start, ["init"], call, { signal: "SIGKILL" });
      const wrong = cut.signal === "SIGKILL" ? [] : [`it survived with status ${cut.status}`];
      // Whatever is there now either is a store or is refused in words.
      const early = await runCtx(folder, packArgs);
      if (early.status === 0) wrong.push(...flawsOf(folder, expected as string));
      else if (early.status !== 2 || !early.stderr.includes("ctx init")) wrong.push(`pack: ${early.stderr}`);
      await must(folder, ["init"]);
      const [hex] = await must(folder, packArgs);
      if (hex !== expected) wrong.push(`packed as ${hex}`);
      wrong.push(...tornObjects(folder), ...leftovers(folder));
      for (const name of ["config.json", ".gitignore", ".gitattributes", "refs/tags"])
        if (!fs.existsSync(join(folder, ".ctx", name))) wrong.push(`no ${name}`);
      return wrong.map((text) => `killed at ${call.what}: ${text}`);
    });
    expect(found.flat()).toEqual([]);
  });
});

/** A sidecar is whole or not there. */
function sidecarFlaws(folder: string): string[] {
  const path = join(folder, "answer.txt.ctx.json");
  if (!fs.existsSync(path)) return [];
  try {
    JSON.parse(fs.readFileSync(path, "utf8"));
    return [];
  } catch {
    return ["torn sidecar"];
  }
}
