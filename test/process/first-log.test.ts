// The first look at a store of many packs: their manifests are read on all cores, and the answer is the one of a single core.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isExecutable } from "../support/built.js";
import { tempFolder } from "../support/folders.js";
import { json, smallLog } from "../support/logs.js";
import { describeWith, program } from "../support/needs.js";
import { ctxCommand, type Ended, runCtx, start } from "../support/processes.js";
import { emptyStore, must } from "../support/scenes.js";
import { objectFile } from "../support/store-check.js";
import { record } from "../support/strace.js";

const count = 1200;

describe.skipIf(isExecutable)("a first log of a thousand packs", () => {
  let folder: string;
  let damaged: string[];
  /** What one core answers. */
  let alone: Ended;

  /** Runs a copy of the program, with this in place of the thread's own. */
  async function withThread(text: string | undefined): Promise<Ended> {
    const [node = "", ctx = "", ...rest] = ctxCommand(folder, ["log", "--json"]);
    const copy = tempFolder();
    for (const name of fs.readdirSync(join(ctx, "..")))
      if (!name.startsWith("entries-worker")) fs.copyFileSync(join(ctx, "..", name), join(copy, name));
    if (text !== undefined) fs.writeFileSync(join(copy, "entries-worker.cjs"), text);
    forget();
    return start(node, [join(copy, "ctx.cjs"), ...rest]).ended;
  }

  function forget(): void {
    fs.rmSync(join(folder, ".ctx/cache"), { recursive: true, force: true });
  }

  beforeAll(async () => {
    folder = await emptyStore();
    fs.mkdirSync(join(folder, "logs"));
    for (let at = 0; at < count; at++)
      fs.writeFileSync(
        join(folder, `logs/${at}.json`),
        // Some at the same time: then their arrival and their hashes decide.
        json(smallLog({ created: new Date(1.7e12 + (at >> 2)).toISOString(), metadata: { at } })),
      );
    await must(folder, ["pack", ...fs.readdirSync(join(folder, "logs")).map((name) => `logs/${name}`)]);
    const packs = fs.readdirSync(join(folder, ".ctx/packs")).sort();
    // Changed, torn and gone; among the first, in the middle, and the very last.
    damaged = [packs[3], packs[count >> 1], packs.at(-1)] as string[];
    for (const [at, hex] of damaged.entries()) {
      const path = objectFile(folder, hex);
      const bytes = fs.readFileSync(path);
      fs.rmSync(path);
      if (at < 2) fs.writeFileSync(path, at === 0 ? `${bytes.toString()} ` : bytes.subarray(0, -1));
    }
    alone = await withThread(undefined);
  }, 60_000);

  it("lists all of them on one core, and those that are damaged", () => {
    const lines = alone.stdout.trim().split("\n");
    expect(lines).toHaveLength(count);
    for (const hex of damaged) {
      expect(lines.filter((line) => line.includes(hex) && line.includes('"damaged":true'))).toHaveLength(1);
      expect(alone.stderr).toContain(hex);
    }
  });

  it("says the same on all cores, many times over", async () => {
    for (let round = 0; round < 5; round++) {
      forget();
      expect(await runCtx(folder, ["log", "--json"])).toEqual(alone);
    }
  });

  it("says the same when a thread fails, at once or before it has handed over anything", async () => {
    expect(await withThread("throw new Error('no');")).toEqual(alone);
    expect(await withThread("process.exit(3);")).toEqual(alone);
  });

  describeWith([program("strace")], "with strace", () => {
    it("is read by more than one thread", async () => {
      forget();
      const { trace } = await record(ctxCommand(folder, ["log", "--json"]));
      const readers = [...trace.matchAll(/^(\d+) +openat\(.*\/\.ctx\/objects\/..\/[0-9a-f]{62}"/gm)];
      expect(new Set(readers.map(([, thread]) => thread)).size).toBeGreaterThan(1);
    });
  });
});
