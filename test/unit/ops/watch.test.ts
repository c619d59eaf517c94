// Sealing what appears in a folder: once it is whole, once each time it changes, and never what is no log.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CtxError } from "../../../src/base/errors.js";
import { watch } from "../../../src/ops/watch.js";
import type { Store } from "../../../src/store/store.js";
import { startCtx } from "../../../dev/processes.js";
import { tempFolder, tempStore } from "../../../dev/folders.js";
import { json, smallLog } from "../../../dev/logs.js";

interface Watching {
  folder: string;
  packed: string[];
  failed: string[];
  /** Waits until so many logs were answered for. */
  until(count: number): Promise<void>;
  end(): Promise<void>;
}

function watching(quiet = 30): Watching {
  const store: Store = tempStore();
  const folder = tempFolder();
  const controller = new AbortController();
  const packed: string[] = [];
  const failed: string[] = [];
  const name = (path: string): string => path.slice(folder.length + 1);
  const done = watch(store, folder, {
    signal: controller.signal,
    quiet,
    sidecars: false,
    packed: (_, path) => void packed.push(name(path)),
    failed: (error: CtxError, path) => void failed.push(`${name(path)}: ${error.code}`),
  });
  return {
    folder,
    packed,
    failed,
    async until(count) {
      while (packed.length + failed.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async end() {
      controller.abort();
      await done;
      for (const part of ["tmp", "locks"]) expect(fs.readdirSync(join(store.root, part))).toEqual([]);
    },
  };
}

const log = (prompt: string): string => json(smallLog({ system_prompt: prompt })).toString();

describe("a folder that is watched", () => {
  it("watch: every log that is there or arrives, also in subfolders, is sealed, and again when it changes", async () => {
    const place = watching();
    fs.mkdirSync(join(place.folder, "deep/er"), { recursive: true });
    fs.writeFileSync(join(place.folder, "a.json"), log("a"));
    fs.writeFileSync(join(place.folder, "deep/er/b.json"), log("b"));
    await place.until(2);
    const aside = join(tempFolder(), "c.json");
    fs.writeFileSync(aside, log("c"));
    fs.renameSync(aside, join(place.folder, "c.json"));
    await place.until(3);
    fs.writeFileSync(join(place.folder, "a.json"), log("another"));
    await place.until(4);
    await place.end();
    expect(place.packed.slice(0, 2).sort()).toEqual(["a.json", "deep/er/b.json"]);
    expect(place.packed.slice(2)).toEqual(["c.json", "a.json"]);
    expect(place.failed).toEqual([]);
  });

  it("watch: a log that cannot be sealed is reported once, and watching goes on", async () => {
    const place = watching();
    fs.writeFileSync(join(place.folder, "bad.json"), '{"model":{},"steps":[]}');
    await place.until(1);
    fs.writeFileSync(join(place.folder, "good.json"), log("good"));
    await place.until(2);
    fs.writeFileSync(join(place.folder, "bad.json"), log("mended"));
    await place.until(3);
    await place.end();
    expect(place.failed).toEqual(["bad.json: log-invalid"]);
    expect(place.packed).toEqual(["good.json", "bad.json"]);
  });

  it("watch: a file is not sealed while it is written, nor are hidden files, links, sidecars and stores", async () => {
    const place = watching(200);
    const away = join(tempFolder(), "away.json");
    fs.writeFileSync(away, log("away"));
    fs.symlinkSync(away, join(place.folder, "link.json"));
    fs.writeFileSync(join(place.folder, ".hidden.json"), log("hidden"));
    fs.writeFileSync(join(place.folder, "x.md.ctx.json"), "{}");
    fs.mkdirSync(join(place.folder, ".ctx"));
    fs.writeFileSync(join(place.folder, ".ctx/config.json"), "{}");
    const text = log("slow");
    const half = text.length >> 1;
    fs.writeFileSync(join(place.folder, "slow.json"), text.slice(0, half));
    fs.appendFileSync(join(place.folder, "slow.json"), text.slice(half));
    await place.until(1);
    await place.end();
    expect(place.packed).toEqual(["slow.json"]);
    expect(place.failed).toEqual([]);
  });

  it("watch: a folder that does not exist is an error", async () => {
    const never = new AbortController().signal;
    const callbacks = { packed: () => undefined, failed: () => undefined };
    const watched = watch(tempStore(), "/nowhere/at/all", { signal: never, ...callbacks });
    await expect(watched).rejects.toMatchObject({ code: "io" });
  });
});

describe("ctx pack --watch", () => {
  it("ctx pack --watch prints each pack, and ends with the signal that ended it", async () => {
    const { folder } = tempStore();
    const logs = join(folder, "logs");
    fs.mkdirSync(logs);
    fs.writeFileSync(join(logs, "a.json"), log("a"));
    const { pid, ended } = startCtx(folder, ["pack", "--watch", "logs", "--json"]);
    const packs = join(folder, ".ctx/packs");
    while (fs.readdirSync(packs).length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(pid, "SIGINT");
    const { stdout, stderr, signal } = await ended;
    expect({ stderr, signal }).toEqual({ stderr: "", signal: "SIGINT" });
    expect(JSON.parse(stdout)).toMatchObject({ source: expect.stringMatching(/a\.json$/), new: true });
  });

  it.each([
    [["pack", "--watch", "logs", "a.json"], "<log>"],
    [["pack", "--watch", "logs", "--tag", "x"], "--tag"],
    [["pack", "--watch", "logs", "--rm"], "--rm"],
  ])("ctx pack --watch: %j is refused", async (argv, what) => {
    const { stderr, status } = await startCtx(tempStore().folder, argv).ended;
    expect(status).toBe(2);
    expect(stderr).toContain(`--watch packs what appears in a folder, so it takes no ${what}`);
  });
});
