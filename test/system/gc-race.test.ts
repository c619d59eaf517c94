// `ctx gc` and `ctx rm` beside writers and readers, each stopped at the worst moment: nothing that a pack
// needs may ever be missing afterwards, and a killed sweep blocks no command.
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { VerifyResult } from "../../src/results/verify.js";
import { abandonedStore, failed, sweep, wrongs } from "../../torture/races.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, type Ended, runCtx, start, startCtx } from "../../dev/processes.js";
import { copyOf, crashLog, emptyStore, learn, must, packArgs, repeatingStore } from "../../dev/scenes.js";
import { leftovers, objectFile, objectNames, objectsOf } from "../../dev/store-check.js";
import { type Call, injectAt } from "../../dev/strace.js";

const patience = 120_000;

/** Returns the objects that no pack refers to. */
function looseIn(folder: string): string[] {
  const packs = fs.readdirSync(join(folder, ".ctx/packs"));
  const needed = new Set(packs.flatMap((hex) => objectsOf(folder, hex)));
  return objectNames(folder).filter((hex) => !needed.has(hex));
}

/** Returns whether the process is in a stopped state. */
function isStopped(pid: number): boolean {
  return /\) [Tt] /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"));
}

describeWith([program("strace")], "gc while a pack is being written", () => {
  it("gc waits for a pack that is slow before each rename, which loses nothing", {
    timeout: patience,
  }, async () => {
    const folder = await abandonedStore();
    const slow = injectAt("rename", "when=1+", { delay_enter: 400_000 }, ctxCommand(folder, packArgs));
    // Sweeps all along, from the first moment to the last.
    const sweeps: Ended[] = [];
    const done = new AbortController();
    const sweeping = (async () => {
      while (!done.signal.aborted) sweeps.push(await runCtx(folder, sweep));
    })();
    const { ended } = await slow;
    done.abort();
    await sweeping;
    expect([ended, ...sweeps].flatMap(failed)).toEqual([]);
    expect(await wrongs(folder)).toEqual([]);
    expect(fs.readdirSync(join(folder, ".ctx/packs")).length).toBe(1);
    expect(looseIn(folder)).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
  });
});

describeWith([program("strace")], "a pack while gc is running", () => {
  let abandoned: string;
  beforeAll(async () => {
    abandoned = await abandonedStore();
  });

  it("a pack waits for a gc that a signal stopped (SIGSTOP), and finishes after it", {
    timeout: patience,
  }, async () => {
    const folder = copyOf(abandoned);
    // So many objects that the sweep is at it for a while.
    for (let at = 0; at < 3000; at++) {
      const hex = at.toString(16).padStart(64, "0");
      fs.mkdirSync(join(folder, ".ctx/objects", hex.slice(0, 2)), { recursive: true });
      fs.writeFileSync(objectFile(folder, hex), "");
      fs.utimesSync(objectFile(folder, hex), 1, 1);
    }
    const running = startCtx(folder, sweep);
    const before = objectNames(folder).length;
    for (let tries = 0; tries < 20_000 && objectNames(folder).length === before; tries++) await pause(1);
    process.kill(running.pid, "SIGSTOP");
    try {
      for (let tries = 0; tries < 200 && !isStopped(running.pid); tries++) await pause(5);
      expect(objectNames(folder).length).toBeGreaterThan(0);
      const packing = runCtx(folder, packArgs);
      // Half a second later it is waiting still, and has put nothing down.
      expect(await Promise.race([packing, pause(700, "waits")])).toBe("waits");
      expect(fs.readdirSync(join(folder, ".ctx/packs"))).toEqual([]);
      // Readers never wait.
      expect((await runCtx(folder, ["log"])).status).toBe(0);
      process.kill(running.pid, "SIGCONT");
      expect([...failed(await running.ended), ...failed(await packing)]).toEqual([]);
    } finally {
      try {
        process.kill(running.pid, "SIGCONT");
      } catch {
        // It is done.
      }
    }
    expect(await wrongs(folder)).toEqual([]);
    expect(leftovers(folder)).toEqual([]);
  });

  it("a gc killed at any change leaves a store that verifies, and the next writer clears its lock", {
    timeout: 2 * patience,
  }, async () => {
    const start = copyOf(abandoned);
    fs.writeFileSync(join(start, "other.json"), json(smallLog({ system_prompt: "of its own" })));
    const [kept = ""] = await must(start, ["pack", "other.json"]);
    const calls = (await learn(copyOf(start), sweep)).filter(({ what }) =>
      /^(?:openat @\/\.ctx\/locks\/sweep|mkdir|rename|unlink|rmdir)/.test(what),
    );
    expect(calls.length).toBeGreaterThan(10);
    const found: string[] = [];
    for (const { name, when, what } of calls) {
      const folder = copyOf(start);
      const { ended } = await injectAt(
        name,
        `when=${when}`,
        { signal: "SIGKILL" },
        ctxCommand(folder, sweep),
      );
      if (ended.signal !== "SIGKILL" && ended.status === 0) found.push(`${what}: survived`);
      found.push(...(await wrongs(folder)).map((wrong) => `${what}: ${wrong}`));
      const packed = await runCtx(folder, packArgs);
      found.push(...failed(packed));
      if (packed.stderr.includes("waiting for")) found.push(`${what}: waited for the dead`);
      found.push(...leftovers(folder).map((one) => `${what}: left ${one}`));
      found.push(...failed(await runCtx(folder, sweep)));
      found.push(...(await wrongs(folder)).map((wrong) => `${what}, again: ${wrong}`));
      if (looseIn(folder).length > 0) found.push(`${what}, again: not all gone`);
      if (!fs.existsSync(join(folder, ".ctx/packs", kept))) found.push(`${what}: a pack is gone`);
      fs.rmSync(folder, { recursive: true });
    }
    expect(found).toEqual([]);
  });
});

describeWith([program("strace")], "rm beside a pack", () => {
  it("rm of a pack while a child of it is being packed is refused, and harms neither", async () => {
    const folder = await repeatingStore();
    const [hex = ""] = await must(folder, packArgs);
    fs.writeFileSync(
      join(folder, "child.json"),
      json(crashLog({ parent: `sha256:${hex}`, metadata: { child: 1 } })),
    );
    const late = injectAt(
      "rename",
      "when=1",
      { delay_enter: 800_000 },
      ctxCommand(folder, ["pack", "child.json"]),
    );
    await pause(400);
    const removed = await runCtx(folder, ["rm", hex]);
    const { ended } = await late;
    expect(failed(ended)).toEqual([]);
    // It came after the child, so it was refused.
    expect(removed.status).toBe(2);
    expect(removed.stderr).toContain("was made from it");
    expect(await wrongs(folder)).toEqual([]);
  });
});

describe("gc, rm and pack at once", () => {
  it("gc, rm, pack and verify at once all end, and lose nothing", { timeout: patience }, async () => {
    const folder = await emptyStore();
    for (let at = 0; at < 6; at++)
      fs.writeFileSync(join(folder, `${at}.json`), json(crashLog({ system_prompt: `be ${at}` })));
    const hashes = (
      await Promise.all(
        Array.from({ length: 6 }, (_, at) => must(folder, ["pack", `${at}.json`, "--no-sidecars"])),
      )
    ).flat();
    for (let round = 0; round < 2; round++) {
      const ended = await Promise.all([
        runCtx(folder, sweep),
        runCtx(folder, ["rm", hashes[round] as string]),
        runCtx(folder, ["pack", "5.json", "--no-sidecars"]),
        runCtx(folder, sweep),
        runCtx(folder, ["rm", hashes[round + 2] as string]),
        runCtx(folder, ["pack", `${round}.json`, "--no-sidecars"]),
        runCtx(folder, ["verify", hashes[4] as string]),
      ]);
      expect(
        ended.flatMap((one) => (one.stderr.includes("is a blob, not a pack") ? [] : failed(one))),
      ).toEqual([]);
      expect(await wrongs(folder)).toEqual([]);
      await must(folder, ["pack", "0.json", "1.json", "2.json", "3.json", "--no-sidecars"]);
    }
    expect(leftovers(folder)).toEqual([]);
  });
});

describeWith([program("strace")], "verify of the whole store beside writers", () => {
  it("verify --all finds no fault while a pack is added, at whatever moment", {
    timeout: patience,
  }, async () => {
    const begun = await emptyStore();
    const first = await must(begun, packArgs);
    expect(first.length).toBe(1);
    fs.writeFileSync(
      join(begun, "new.json"),
      json(crashLog({ system_prompt: "new", prompts: [{ role: "user", content: "also new" }] })),
    );
    const args = ["verify", "--all"];
    const calls = await learn(copyOf(begun), args);
    const looks = calls.filter(({ what }) =>
      /^openat @\/\.ctx\/(?:objects|packs|refs|refs\/tags)\b\S* /.test(what),
    );
    const moments = looks.filter(
      ({ what }, at) => /@\/\.ctx\/(?:objects|packs|refs|refs\/tags) /.test(what) || at % 8 === 0,
    );
    expect(moments.length).toBeGreaterThan(3);
    const found: string[] = [];
    for (const { name, when, what } of moments) {
      const folder = copyOf(begun);
      const late = injectAt(name, `when=${when}`, { delay_enter: 900_000 }, ctxCommand(folder, args));
      await pause(350);
      await must(folder, ["pack", "new.json"]);
      const { ended } = await late;
      if (ended.status !== 0) found.push(`${what}: ${ended.status} ${ended.stdout}`);
      fs.rmSync(folder, { recursive: true });
    }
    expect(found).toEqual([]);
  });

  it("verify finds no fault while gc removes unreferenced objects", {
    timeout: patience,
  }, async () => {
    const begun = await abandonedStore();
    fs.writeFileSync(join(begun, "other.json"), json(smallLog({ system_prompt: "of its own" })));
    await must(begun, ["pack", "other.json"]);
    const calls = await learn(copyOf(begun), ["verify"]);
    const opened = calls.filter(({ what }) => what.startsWith("openat @/.ctx/packs "));
    expect(opened.length).toBeGreaterThan(0);
    for (const { name, when } of [opened[0], opened.at(-1)] as Call[]) {
      const folder = copyOf(begun);
      const late = injectAt(name, `when=${when}`, { delay_enter: 900_000 }, ctxCommand(folder, ["verify"]));
      await pause(450);
      expect(failed(await runCtx(folder, sweep))).toEqual([]);
      expect(looseIn(folder)).toEqual([]);
      const { ended } = await late;
      expect({ status: ended.status, said: ended.stdout }).toMatchObject({ status: 0 });
    }
  });
});

describeWith([program("strace")], "verify of a file that changes", () => {
  it("verify opens a file once: later changes of the file do not count", async () => {
    const folder = await repeatingStore();
    await must(folder, ["verify", "answer.txt"]);
    const calls = await learn(copyOf(folder), ["verify", "answer.txt"]);
    const opened = calls.filter(({ what }) => what.startsWith("openat @/answer.txt "));
    expect(opened.length).toBe(1);
    // Swapped just before it is opened: the new bytes count. Just after it was read: the old ones do.
    const late = async (call: Call | undefined): Promise<Ended> => {
      const copy = copyOf(folder);
      const { name, when } = call as Call;
      const slow = injectAt(
        name,
        `when=${when}`,
        { delay_enter: 4_000_000 },
        ctxCommand(copy, ["verify", "answer.txt", "--json"]),
      );
      // A busy machine needs a second to get there.
      await pause(2000);
      fs.writeFileSync(join(copy, "new"), "3\n");
      fs.renameSync(join(copy, "new"), join(copy, "answer.txt"));
      return (await slow).ended;
    };
    expect((await late(opened[0])).status).toBe(1);
    const after = calls.find(({ what }) => what.startsWith("openat @/answer.txt.ctx.json "));
    const { status, stdout } = await late(after);
    const [target] = (JSON.parse(stdout) as VerifyResult).targets;
    // 2\n
    expect({ status, hash: target?.hash }).toEqual({
      status: 0,
      hash: "sha256:53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3",
    });
  });

  it("verify of a file that keeps growing ends", { timeout: patience }, async () => {
    const folder = await repeatingStore();
    const writer = start("sh", [
      "-c",
      `i=0; while [ $i -lt 400 ]; do head -c 20000 /dev/zero >> ${folder}/answer.txt; i=$((i+1)); done`,
    ]);
    const { status } = await runCtx(folder, ["verify", "answer.txt"]);
    expect(status).toBe(1);
    await writer.ended;
  });
});
