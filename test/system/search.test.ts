// `ctx grep` beside other processes: every pack that was reported before a search began is searched, whatever is written
// meanwhile, and wherever a process that writes the index is killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json, type AnyLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, type Ended, failures, runCtx } from "../../dev/processes.js";
import { copyOf, crashLog, emptyStore, learn, must, spoil } from "../../dev/scenes.js";
import { isChange } from "../../dev/strace.js";

const patience = 300_000;

function planted(at: number): AnyLog {
  return crashLog({ prompts: [{ role: "user", content: `planted ${at}\n` }] });
}

/** Returns the packs with a hit of `ctx grep --json`. */
function packsIn({ stdout }: Ended): string[] {
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { pack?: string });
  return [...new Set(lines.flatMap(({ pack }) => pack ?? []))].sort();
}

describe("searches beside other processes", () => {
  it("grep: 16 packers and 4 searches at once: each search has every pack that was reported before it began", {
    timeout: patience,
  }, async () => {
    const folder = await emptyStore();
    const reported: string[] = [];
    const packing = new Set(Array.from({ length: 16 }, (_, at) => at));
    const pack = async (at: number): Promise<void> => {
      const log = `log-${at}.json`;
      fs.writeFileSync(join(folder, log), json(planted(at)));
      const ended = await runCtx(folder, ["pack", log, "--json"]);
      expect(failures([ended])).toEqual([]);
      reported.push((JSON.parse(ended.stdout) as { hash: string }).hash);
      packing.delete(at);
    };
    const search = async (): Promise<void> => {
      do {
        const before = [...reported];
        const ended = await runCtx(folder, ["grep", "--json", "planted [0-9]+"]);
        expect(ended.stderr).toBe("");
        const found = new Set(packsIn(ended));
        expect(before.filter((hash) => !found.has(hash))).toEqual([]);
      } while (packing.size > 0);
    };
    await Promise.all([
      ...Array.from({ length: 16 }, (_, at) => pack(at)),
      ...Array.from({ length: 4 }, () => search()),
    ]);
    expect(packsIn(await runCtx(folder, ["grep", "--json", "planted"]))).toEqual(reported.toSorted());
  });

  it("grep: a reader that closes its end after a line is no error", { timeout: patience }, async () => {
    const folder = await emptyStore(
      crashLog({ prompts: [{ role: "user", content: "planted\n".repeat(100_000) }] }),
    );
    await must(folder, ["pack", "run.json"]);
    const [command = "", ...args] = ctxCommand(folder, ["grep", "--json", "planted"]);
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (piece) => (errors += String(piece)));
    child.stdout.once("data", () => child.stdout.destroy());
    const [status] = (await once(child, "close")) as [number | null];
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
  });
});

describeWith([program("strace")], "a process that is killed while it writes the index", () => {
  it("grep: killed at any call that changes a file: the next search finds the same", {
    timeout: patience,
  }, async () => {
    const start = await emptyStore(planted(1));
    await must(start, ["pack", "run.json"]);
    fs.writeFileSync(join(start, "run.json"), json(planted(2)));
    await must(start, ["grep", "planted"]);
    await must(start, ["pack", "run.json"]);
    const search = ["grep", "--json", "planted"];
    const expected = packsIn(await runCtx(copyOf(start), [...search, "--no-index"]));
    expect(expected).toHaveLength(2);
    const calls = (await learn(copyOf(start), search)).filter(isChange);
    expect(calls.some(({ line }) => line.includes("cache/search"))).toBe(true);
    for (const call of calls) {
      const { folder } = await spoil(start, search, call, { signal: "SIGKILL" });
      expect(packsIn(await runCtx(folder, search)), call.what).toEqual(expected);
      expect(packsIn(await runCtx(folder, search)), call.what).toEqual(expected);
    }
  });
});
