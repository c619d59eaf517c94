// Many processes in one store at once, with no daemon between them: none may fail, none may see half of
// another's work.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type AnyLog, json } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, type Ended, failures, runCtx, together } from "../../dev/processes.js";
import { copyOf, crashLog, emptyStore, learn, must, packArgs, sceneFolder } from "../../dev/scenes.js";
import { examine, flawsOf, leftovers, listed, reported, tornObjects } from "../../dev/store-check.js";
import { type Call, injectAt } from "../../dev/strace.js";

const crowd = 16;
const rounds = 3;
const patience = 120_000;

/** Returns whether each of the processes says that the pack was new. */
function news(ended: readonly Ended[]): boolean[] {
  return ended.map(({ stdout }) => (JSON.parse(stdout) as { new: boolean }).new);
}

function put(folder: string, name: string, log: AnyLog): void {
  fs.writeFileSync(join(folder, name), json(log));
}

/** Returns a log in which nothing says when it took place. */
function timelessLog(fields: AnyLog = {}): AnyLog {
  const { created: _created, steps, ...rest } = crashLog();
  const timeless = (steps as AnyLog[]).map(({ timestamp: _timestamp, ...step }) => step);
  return { ...rest, steps: timeless, ...fields };
}

describe("processes that write at once", () => {
  it("many processes that pack one log at once make one pack", { timeout: patience }, async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = await emptyStore();
      const ended = await together(folder, crowd, () => [...packArgs, "--json"]);
      expect(failures(ended)).toEqual([]);
      const [hash, ...others] = new Set(
        ended.map(({ stdout }) => (JSON.parse(stdout) as { hash: string }).hash),
      );
      expect(others).toEqual([]);
      // Two that commit in the same instant both found nothing there, so more than one may have added it.
      expect(news(ended)).toContain(true);
      expect(await listed(folder)).toEqual([hash?.slice("sha256:".length)]);
      expect((await examine(folder, "")).wrongs).toEqual([]);
      expect(leftovers(folder)).toEqual([]);
      const after = await runCtx(folder, [...packArgs, "--json"]);
      expect(news([after])).toEqual([false]);
    }
  });

  it("many processes that pack different logs at once make a pack of each, also if logs share blobs", {
    timeout: patience,
  }, async () => {
    const folder = await emptyStore();
    for (let round = 0; round < rounds; round++) {
      for (let at = 0; at < crowd; at++)
        put(
          folder,
          `${at}.json`,
          crashLog({ metadata: { round, at: at % 8 }, system_prompt: `be ${at % 4}` }),
        );
      const ended = await together(folder, crowd, (at) => ["pack", `${at}.json`]);
      expect(failures(ended)).toEqual([]);
      // Every two of them are the same log.
      expect(new Set(ended.flatMap(({ stdout }) => reported(stdout))).size).toBe(8);
      for (const { stdout } of ended) expect(flawsOf(folder, reported(stdout)[0] as string)).toEqual([]);
    }
    expect((await listed(folder)).length).toBe(8 * rounds);
    expect(tornObjects(folder)).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
    expect(fs.readFileSync(join(folder, ".ctx/refs/latest"), "utf8")).toMatch(/^sha256:[0-9a-f]{64}\n$/);
  });

  it("many processes that pack a log without any time at once make one pack", {
    timeout: patience,
  }, async () => {
    const folder = await emptyStore();
    for (let round = 0; round < rounds; round++) {
      put(folder, "run.json", timelessLog({ metadata: { round } }));
      const ended = await together(folder, crowd, () => [...packArgs, "--json"]);
      expect(failures(ended)).toEqual([]);
      expect(new Set(ended.map(({ stdout }) => (JSON.parse(stdout) as { hash: string }).hash)).size).toBe(1);
      expect(news(ended).filter((isNew) => isNew)).toEqual([true]);
      expect((await listed(folder)).length).toBe(round + 1);
    }
    expect(leftovers(folder)).toEqual([]);
  });

  it("many processes that run init at once make one store", { timeout: patience }, async () => {
    const folder = await emptyStore();
    fs.rmSync(join(folder, ".ctx"), { recursive: true });
    expect(failures(await together(folder, crowd, () => ["init"]))).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
    await must(folder, packArgs);
  });

  it("many processes that pack at once recreate the folders that git dropped", {
    timeout: patience,
  }, async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = await emptyStore();
      for (const name of fs.readdirSync(join(folder, ".ctx"), { withFileTypes: true }))
        if (name.isDirectory()) fs.rmSync(join(folder, ".ctx", name.name), { recursive: true });
      expect(failures(await together(folder, crowd, () => packArgs))).toEqual([]);
      expect((await examine(folder, "")).wrongs).toEqual([]);
    }
  });

  it("many processes that pack at once repair a damaged blob", { timeout: patience }, async () => {
    const folder = await emptyStore();
    const [hex = ""] = await must(folder, packArgs);
    for (let round = 0; round < rounds; round++) {
      const object = join(folder, ".ctx/objects", hex.slice(0, 2), hex.slice(2));
      fs.chmodSync(object, 0o644);
      fs.writeFileSync(object, "torn");
      const ended = await together(folder, crowd, () => packArgs);
      expect(failures(ended)).toEqual([]);
      expect(ended.some(({ stderr }) => stderr.includes("is repaired"))).toBe(true);
      expect(tornObjects(folder)).toEqual([]);
    }
  });
});

/**
 * Runs a command that stops for a while before one of its calls; what others do meanwhile comes as a surprise
 * to it. Says what went wrong.
 */
async function surprise(
  folder: string,
  args: string[],
  slow: [name: string, when: string],
  meanwhile: () => Promise<unknown>,
): Promise<string[]> {
  const late = injectAt(...slow, { delay_enter: 1_000_000 }, ctxCommand(folder, args));
  await pause(400);
  await meanwhile();
  const { ended } = await late;
  return [...failures([ended]), ...(await examine(folder, ended.stdout)).wrongs, ...leftovers(folder)];
}

describeWith([program("strace")], "processes that meet in the same instant", () => {
  it("two packs that meet in mkdir both recreate the folders that git dropped", async () => {
    const folder = await emptyStore();
    fs.rmSync(join(folder, ".ctx/packs"), { recursive: true });
    const wrong = await surprise(folder, packArgs, ["mkdir", "when=1"], () => must(folder, packArgs));
    expect(wrong).toEqual([]);
  });

  it("two inits that meet half-way both succeed, and the store is complete", async () => {
    const folder = sceneFolder();
    // The third folder that it makes is the first one inside .ctx.
    const wrong = await surprise(folder, ["init"], ["mkdir", "when=3"], () => must(folder, ["init"]));
    expect(wrong).toEqual([]);
  });

  it("two packs of one log that meet in rename both succeed and name the same objects", async () => {
    const folder = await emptyStore();
    const wrong = await surprise(folder, packArgs, ["rename", "when=2"], () => must(folder, packArgs));
    expect(wrong).toEqual([]);
  });

  it.each([
    ["before it has its lock", "openat @/.ctx/locks/once."],
    ["while it has its lock", "rename @/.ctx/tmp/"],
  ])("two packs of a log without any time make one pack, though one stops %s", async (_, where) => {
    const folder = await emptyStore(timelessLog());
    const calls = await learn(copyOf(folder), packArgs);
    const { name, when } = calls.find(({ what }) => what.startsWith(where)) as Call;
    const wrong = await surprise(folder, packArgs, [name, `when=${when}`], () => must(folder, packArgs));
    expect(wrong).toEqual([]);
    expect((await listed(folder)).length).toBe(1);
  });

  it("a pack does not clear what another process has just staged", async () => {
    const folder = await emptyStore();
    put(folder, "other.json", crashLog({ metadata: { other: true } }));
    // One stops before it names its first object; the other looks for left-overs meanwhile.
    const wrong = await surprise(folder, packArgs, ["rename", "when=1"], async () => {
      for (let tries = 0; tries < 200 && leftovers(folder).length < 2; tries++) await pause(10);
      const [work = "", lock = ""] = leftovers(folder);
      await must(folder, ["pack", "other.json"]);
      expect(leftovers(folder)).toEqual([work, lock]);
    });
    expect(wrong).toEqual([]);
  });
});

describe("readers beside writers", () => {
  it("log and show beside many packs never fail and never see part of a pack", {
    timeout: patience,
  }, async () => {
    const folder = await emptyStore();
    await must(folder, packArgs);
    const seen: string[] = [];
    const done = new AbortController();
    const reader = async (args: string[]): Promise<number> => {
      let reads = 0;
      for (; !done.signal.aborted; reads++) {
        const { status, stderr } = await runCtx(folder, args);
        // Damage, a missing blob or a notice would be said on standard error.
        if (status !== 0 || stderr !== "") seen.push(`${args.join(" ")}: ${status} ${stderr}`);
      }
      return reads;
    };
    const readers = [["log"], ["log", "--json"], ["show", "latest"], ["show", "latest", "--json"]].map(
      reader,
    );
    for (let round = 0; round < rounds; round++) {
      for (let at = 0; at < crowd; at++)
        put(folder, `${at}.json`, crashLog({ metadata: { round, at: at % 12 } }));
      const ended = await together(folder, crowd, (at) => ["pack", `${at}.json`]);
      seen.push(...failures(ended));
    }
    done.abort();
    const reads = await Promise.all(readers);
    expect(seen).toEqual([]);
    expect(Math.min(...reads)).toBeGreaterThan(2);
    expect((await listed(folder)).length).toBe(1 + 12 * rounds);
  });
});
