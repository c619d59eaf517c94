// `ctx verify` as a program: where nothing may be written, where something else stands in place of a file,
// and on several cores at once.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { VerifyResult } from "../../src/results/verify.js";
import { snapshot, tempFolder } from "../../dev/folders.js";
import { memoryFolder, remount } from "../../dev/mounts.js";
import { describeWith, itWith, mounts, onNode, program, root } from "../../dev/needs.js";
import { ctxCommand, type Ended, runCtx, start } from "../../dev/processes.js";
import { asNobody, copyOf, crashLog, emptyStore, must, packArgs, repeatingStore } from "../../dev/scenes.js";
import { objectFile, objectNames, objectsOf } from "../../dev/store-check.js";
import { record } from "../../dev/strace.js";

const isRoot = process.geteuid?.() === 0;

/** Runs `ctx`, but not for ever: what hangs ends with status 124. */
function runSoon(folder: string, args: readonly string[]): Promise<Ended> {
  return start("timeout", ["-k", "1", "10", ...ctxCommand(folder, args)]).ended;
}

/** Returns a store with something for gc to remove, and something for sidecar to write. */
async function busyStore(): Promise<{ folder: string; pack: string }> {
  const folder = await repeatingStore();
  const [pack = ""] = await must(folder, packArgs);
  const loose = join(folder, ".ctx/objects/ab");
  fs.mkdirSync(loose, { recursive: true });
  // `printf old | sha256sum` is another hash, but gc does not check it.
  fs.writeFileSync(join(loose, "0".repeat(62)), "old");
  fs.utimesSync(join(loose, "0".repeat(62)), 1, 1);
  return { folder, pack };
}

const reading: (pack: string) => [string[], number][] = (pack) => [
  [["verify", "answer.txt"], 0],
  [["verify", "answer.txt", "--lines", "--json"], 0],
  [["verify", pack], 0],
  // The loose object does not have the bytes that its name says.
  [["verify", "--all"], 1],
  [["verify", "--sample", "50%"], -1],
  [["gc", "--dry-run"], 0],
  [["verify", "--write-sidecar", "answer.txt"], 0],
];

const writing = (pack: string): string[][] => [
  ["gc"],
  ["rm", pack],
  ["rm", pack, "--force"],
  ["verify", "--write-sidecar", "answer.txt", "--notes", "more"],
];

async function readAndWrite(
  folder: string,
  pack: string,
  options: { user?: number },
  errno: RegExp,
): Promise<string[]> {
  const before = [...snapshot(folder)].map(String);
  for (const [args, status] of reading(pack)) {
    const ended = await runCtx(folder, args, options);
    if (status >= 0)
      expect({ args, status: ended.status, stderr: ended.stderr }).toEqual({ args, status, stderr: "" });
  }
  for (const args of writing(pack)) {
    const { status, stdout, stderr } = await runCtx(folder, args, options);
    // The file is verified before the sidecar is written, and that is printed.
    const printed = args[0] === "verify" ? /^answer\.txt {2}verified\n/ : /^$/;
    expect({ args, status, stdout }).toEqual({
      args,
      status: 2,
      stdout: expect.stringMatching(printed) as string,
    });
    expect(stderr).toMatch(errno);
    expect(stderr).toContain(folder);
    expect(stderr).not.toMatch(/^ +at |bug/m);
  }
  const { status, stderr } = await runCtx(
    folder,
    ["verify", pack, "--junit", join(folder, "out.xml")],
    options,
  );
  expect(status).toBe(2);
  expect(stderr).toContain("out.xml");
  return [...snapshot(folder)].map(String).filter((entry) => !before.includes(entry));
}

describeWith([mounts], "verify on a read-only file system", () => {
  it("on a read-only file system verify works, gc --dry-run reports, and gc, rm and sidecar are refused", async () => {
    const { folder: source, pack } = await busyStore();
    const folder = memoryFolder("size=2m");
    fs.cpSync(source, folder, { recursive: true, preserveTimestamps: true });
    remount(folder, "ro");
    expect(await readAndWrite(folder, pack, {}, /read-only.*EROFS/)).toEqual([]);
  });
});

describe("verify in folders without permission to write", () => {
  it("in folders without permission to write verify works, gc --dry-run reports, and gc, rm and sidecar are refused", async () => {
    const { folder, pack } = await busyStore();
    const { path, options } = asNobody(folder);
    for (const name of ["", ...(fs.readdirSync(path, { recursive: true }) as string[])])
      if (fs.statSync(join(path, name)).isDirectory()) fs.chmodSync(join(path, name), 0o555);
    expect(await readAndWrite(path, pack, options, /EACCES/)).toEqual([]);
    spawnSync("chmod", ["-R", "u+w", path]);
  });
});

/** Returns what the faults are about. */
function abouts({ stdout }: Ended): string[] {
  const { targets } = JSON.parse(stdout) as VerifyResult;
  return targets.flatMap(({ faults }) => faults.map(({ about }) => about));
}

function hashesIn(stdout: string): string[] {
  const [target] = (JSON.parse(stdout) as VerifyResult).targets;
  return target?.faults.map(({ about }) => about.slice("sha256:".length)) ?? [];
}

describe("verify of a store in which something else replaces a file", () => {
  let begun: string;
  let pack: string;
  let blob: string;

  beforeAll(async () => {
    begun = await repeatingStore();
    [pack = ""] = await must(begun, packArgs);
    blob = objectsOf(begun, pack)[3] ?? "";
    await must(begun, ["tag", "good"]);
  });

  const kinds: [string, (path: string, old: string) => void, boolean][] = [
    ["a FIFO", (path) => void spawnSync("mkfifo", [path]), true],
    ["an endless device", (path) => void spawnSync("mknod", [path, "c", "1", "5"]), isRoot],
    [
      "a device that blocks or returns noise",
      (path) => void spawnSync("mknod", [path, "c", "1", "9"]),
      isRoot,
    ],
    ["an empty device", (path) => void spawnSync("mknod", [path, "c", "1", "3"]), isRoot],
    ["a link to the real one", (path, old) => fs.symlinkSync(old, path), true],
    ["a link to nowhere", (path) => fs.symlinkSync("/nowhere/at/all", path), true],
    ["a link to itself", (path) => fs.symlinkSync(path, path), true],
    ["a link to a device", (path) => fs.symlinkSync("/dev/zero", path), true],
    ["a folder", (path) => fs.mkdirSync(path), true],
    ["a hard link to other bytes", (path, old) => fs.linkSync(join(old, "../../run.json"), path), true],
  ];

  /**
   * A copy in which something else stands where this file or folder was, and what verify says of it, three
   * times.
   */
  async function look(name: string, put: (path: string, old: string) => void): Promise<Ended[]> {
    const folder = copyOf(begun);
    const path = join(folder, ".ctx", name);
    const old = join(folder, "old", "it");
    fs.mkdirSync(join(folder, "old"));
    fs.renameSync(path, old);
    put(path, old);
    const ended: Ended[] = [];
    for (const args of [
      ["verify", "--json"],
      ["verify", pack, "--json"],
      ["verify", "answer.txt", "--json"],
    ])
      ended.push(await runSoon(folder, args));
    // No other command hangs, either.
    for (const args of [["gc", "--dry-run"], ["log"], ["show", pack], ["rm", pack, "--force"]]) {
      const { status, stderr } = await runSoon(folder, args);
      expect([0, 2]).toContain(status);
      expect(stderr).not.toMatch(/^ +at |bug/m);
    }
    return ended;
  }

  describe.each(kinds)("%s", (kind, put, isPossible) => {
    itWith(
      isPossible ? [] : [root],
      `verify: a blob replaced by ${kind} is damage, and no command hangs`,
      async () => {
        const ended = await look(`objects/${blob.slice(0, 2)}/${blob.slice(2)}`, put);
        expect(ended.map(({ status }) => status)).toEqual([1, 1, 1]);
        for (const one of ended) expect(abouts(one)).toEqual([`sha256:${blob}`]);
      },
    );

    itWith(
      isPossible ? [] : [root],
      `verify: a manifest replaced by ${kind} is damage, and no command hangs`,
      async () => {
        const ended = await look(`objects/${pack.slice(0, 2)}/${pack.slice(2)}`, put);
        expect(ended.map(({ status }) => status)).toEqual([1, 1, 1]);
        for (const one of ended) expect(abouts(one)).toEqual([`ctx://${pack}`]);
      },
    );

    itWith(
      isPossible ? [] : [root],
      `verify: an entry of packs/ replaced by ${kind} is damage, and no command hangs`,
      async () => {
        const ended = await look(`packs/${pack}`, put);
        expect(ended.map(({ status }) => status)).toEqual([1, 1, 1]);
        for (const one of ended) expect(abouts(one)).toEqual([`ctx://${pack}`]);
      },
    );

    itWith(
      isPossible ? [] : [root],
      `verify: a folder of objects replaced by ${kind} is damage, and no command hangs`,
      async () => {
        const ended = await look(`objects/${blob.slice(0, 2)}`, put);
        expect(ended[0]?.status).toBe(1);
        expect(abouts(ended[0] as Ended)).toContain(`sha256:${blob}`);
      },
    );

    itWith(
      isPossible ? [] : [root],
      `verify: a tag replaced by ${kind} is a fault of the store only`,
      async () => {
        const ended = await look("refs/tags/good", put);
        expect(ended.map(({ status }) => status)).toEqual([1, 0, 0]);
        expect(abouts(ended[0] as Ended)).toEqual(["tag good"]);
      },
    );
  });

  it.each(["objects", "packs", "refs"])(
    "verify: .ctx/%s replaced by something that is not a folder is refused",
    async (name) => {
      for (const [, put, isPossible] of kinds.filter(([kind]) => kind !== "a folder")) {
        if (!isPossible) continue;
        const folder = copyOf(begun);
        fs.mkdirSync(join(folder, "old"));
        fs.renameSync(join(folder, ".ctx", name), join(folder, "old/it"));
        put(join(folder, ".ctx", name), join(folder, "old/it"));
        const { status, stderr } = await runSoon(folder, ["verify"]);
        expect(status).toBe(2);
        expect(stderr).toContain("not a folder");
      }
    },
  );

  it("verify: a blob that is a hard link to the right bytes is not damaged", async () => {
    const folder = copyOf(begun);
    const path = objectFile(folder, blob);
    fs.renameSync(path, join(folder, "twin"));
    fs.linkSync(join(folder, "twin"), path);
    expect((await runSoon(folder, ["verify"])).status).toBe(0);
  });

  it("verify: a blob replaced by a socket is damage", async () => {
    const folder = copyOf(begun);
    // A socket's path must be short.
    const short = join(tempFolder(), "s");
    const server = createServer().listen(short);
    await new Promise((resolve) => server.on("listening", resolve));
    fs.rmSync(objectFile(folder, blob));
    fs.renameSync(short, objectFile(folder, blob));
    for (const args of [["verify"], ["verify", pack]]) {
      const { status, stdout } = await runSoon(folder, args);
      expect(status).toBe(1);
      expect(stdout).toContain(blob.slice(2));
    }
    server.close();
  });

  it("gc does not wait for a FIFO in a draft", async () => {
    const folder = copyOf(begun);
    fs.mkdirSync(join(folder, ".ctx/drafts/one"), { recursive: true });
    spawnSync("mkfifo", [join(folder, ".ctx/drafts/one/execution.json")]);
    expect((await runSoon(folder, ["gc"])).status).not.toBe(124);
  });

  it("verify and sidecar do not wait for a file or sidecar replaced by a FIFO", async () => {
    for (const name of ["answer.txt", "answer.txt.ctx.json"]) {
      const folder = copyOf(begun);
      fs.rmSync(join(folder, name));
      spawnSync("mkfifo", [join(folder, name)]);
      const status = name === "answer.txt" ? 2 : 1;
      for (const option of [[], ["--write-sidecar"]])
        expect((await runSoon(folder, ["verify", ...option, "answer.txt"])).status).toBe(status);
    }
  });
});

describe("a store of more than a thousand objects", () => {
  const count = 1200;
  let folder: string;
  let damaged: string[];

  beforeAll(async () => {
    const steps = Array.from({ length: count }, (_, at) => ({
      type: "reasoning",
      output: `thought number ${at}`,
    }));
    const large = "a line of some length, over and over again\n".repeat(80_000);
    folder = await emptyStore(crashLog({ steps, prompts: [{ role: "user", content: large }] }));
    const [pack = ""] = await must(folder, packArgs);
    await must(folder, ["verify"]);
    const sizes = new Map(objectNames(folder).map((hex) => [hex, fs.statSync(objectFile(folder, hex)).size]));
    const others = [...sizes.keys()].filter((hex) => hex !== pack).sort();
    const largest = others.find((hex) => (sizes.get(hex) ?? 0) > 2 << 20) as string;
    // The last byte of one that is read in pieces; one that is torn; one that is empty.
    damaged = [largest, others[400] as string, others.at(-1) as string];
    for (const [at, hex] of damaged.entries()) {
      const path = objectFile(folder, hex);
      const bytes = fs.readFileSync(path);
      bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
      fs.chmodSync(path, 0o644);
      fs.writeFileSync(path, at === 0 ? bytes : at === 1 ? bytes.subarray(0, -1) : "");
    }
    damaged.sort();
  }, 60_000);

  it("verify of a large store names exactly the three damaged blobs, on all cores and repeatedly", async () => {
    for (let round = 0; round < 5; round++) {
      const { status, stdout } = await runCtx(folder, ["verify", "--json"]);
      expect(status).toBe(1);
      expect(hashesIn(stdout)).toEqual(damaged);
    }
  });

  it("verify of a large pack names exactly its three damaged blobs", async () => {
    const { status, stdout } = await runCtx(folder, ["verify", "latest", "--json"]);
    expect(status).toBe(1);
    expect(hashesIn(stdout).sort()).toEqual(damaged);
  });

  describeWith([program("taskset")], "on one core", () => {
    it("verify of a large store on one core names exactly the three damaged blobs", async () => {
      const { status, stdout } = await start("taskset", [
        "-c",
        "0",
        ...ctxCommand(folder, ["verify", "--json"]),
      ]).ended;
      expect(status).toBe(1);
      expect(hashesIn(stdout)).toEqual(damaged);
    });
  });

  describeWith([program("strace")], "with strace", () => {
    it("verify of a large store reads with as many threads as there are cores", async () => {
      const { trace, ended } = await record(ctxCommand(folder, ["verify", "--json"]));
      expect(hashesIn(ended.stdout)).toEqual(damaged);
      const readers = new Set(
        [...trace.matchAll(/^(\d+) +openat\(.*\/\.ctx\/objects\/..\/[0-9a-f]{62}"/gm)].map(
          ([, thread]) => thread,
        ),
      );
      const cores = spawnSync("nproc", { encoding: "utf8" }).stdout.trim();
      expect(readers.size).toBe(Number(cores));
    });
  });

  itWith(
    [onNode],
    "verify without its worker program, or with a failing one, has the same result",
    async () => {
      const [node = "", ctx = "", ...rest] = ctxCommand(folder, ["verify", "--json"]);
      const copy = tempFolder();
      for (const name of fs.readdirSync(join(ctx, "..")))
        if (!name.startsWith("hash-worker")) fs.copyFileSync(join(ctx, "..", name), join(copy, name));
      const { status, stdout } = await start(node, [join(copy, "ctx.cjs"), ...rest]).ended;
      expect(status).toBe(1);
      expect(hashesIn(stdout)).toEqual(damaged);
      // One that fails at once, neither.
      fs.writeFileSync(join(copy, "hash-worker.cjs"), "throw new Error('no');");
      const failing = await start(node, [join(copy, "ctx.cjs"), ...rest]).ended;
      expect({ status: failing.status, stderr: failing.stderr }).toEqual({ status: 1, stderr: "" });
      expect(hashesIn(failing.stdout)).toEqual(damaged);
    },
  );

  it("packing the log of a large damaged store again repairs it", async () => {
    const { status, stderr } = await runCtx(folder, packArgs);
    expect(status).toBe(0);
    for (const hex of damaged) expect(stderr).toContain(hex);
    expect((await runCtx(folder, ["verify"])).status).toBe(0);
  });
});
