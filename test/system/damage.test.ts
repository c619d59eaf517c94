// A store that something else has spoiled: damage is reported with both hashes wherever it is read, packing
// the same log again repairs it and says so, and leftovers of a crash in tmp/ block no command.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { run } from "../../dev/built.js";
import { describeWith, program } from "../../dev/needs.js";
import { runCtx } from "../../dev/processes.js";
import {
  asNobody,
  copyOf,
  crashedStore,
  emptyStore,
  must,
  packArgs,
  repeatingStore,
} from "../../dev/scenes.js";
import {
  flawsOf,
  leftovers,
  listed,
  objectFile,
  objectsOf,
  sha256,
  tornObjects,
} from "../../dev/store-check.js";

/** Ways to spoil the file of an object, and whether an error can name the hash of the bytes read instead. */
const damages: [string, (path: string) => void, boolean][] = [
  ["a flipped bit", (path) => rewrite(path, (bytes) => void (bytes[0] = (bytes[0] as number) ^ 4)), true],
  ["a missing end", (path) => fs.writeFileSync(path, fs.readFileSync(path).subarray(0, -1)), true],
  ["a longer end", (path) => fs.appendFileSync(path, "x"), true],
  ["no bytes", (path) => fs.writeFileSync(path, ""), true],
  ["a FIFO", (path) => replace(path, () => run("mkfifo", [path], { cwd: "/" })), false],
  ["a link to a whole copy", (path) => replace(path, () => fs.symlinkSync(`${path}.old`, path)), false],
  ["a link to nowhere", (path) => replace(path, () => fs.symlinkSync("/nowhere/at/all", path)), false],
  ["a link to itself", (path) => replace(path, () => fs.symlinkSync(path, path)), false],
];

function rewrite(path: string, change: (bytes: Buffer) => void): void {
  const bytes = fs.readFileSync(path);
  change(bytes);
  fs.writeFileSync(path, bytes);
}

function replace(path: string, put: () => void): void {
  fs.copyFileSync(path, `${path}.old`);
  fs.rmSync(path);
  put();
}

describe("a damaged object", () => {
  let start: string;
  let pack: string;
  let blob: string;

  beforeAll(async () => {
    start = await repeatingStore();
    [pack = ""] = await must(start, packArgs);
    blob = objectsOf(start, pack)[1] ?? "";
  });

  function spoiled(hex: string, damage: (path: string) => void): string {
    const folder = copyOf(start);
    fs.chmodSync(objectFile(folder, hex), 0o644);
    damage(objectFile(folder, hex));
    return folder;
  }

  it.each(damages)("a damaged object (%s) is reported by cat and show", async (_, damage, hasBytes) => {
    const folder = spoiled(blob, damage);
    const path = objectFile(folder, blob);
    for (const args of [
      ["cat", blob],
      ["cat", blob.slice(0, 12)],
      ["cat", blob, "--json"],
      ["show", pack],
    ]) {
      const { status, stderr, stdout } = await runCtx(folder, args);
      expect(status).toBe(2);
      // The path ends with the hash that was expected.
      expect(stderr).toContain(path);
      if (hasBytes) expect(stderr).toContain(sha256(fs.readFileSync(path)));
      expect(stderr).not.toMatch(/^ +at /m);
      if (args[0] === "cat") expect(stdout).toBe("");
    }
  });

  it.each(damages)("a damaged manifest (%s) is reported, and marked in the log", async (_, damage) => {
    const folder = spoiled(pack, damage);
    expect((await runCtx(folder, ["show", pack])).status).toBe(2);
    const { status, stdout, stderr } = await runCtx(folder, ["log", "--json"]);
    expect(status).toBe(0);
    expect(stdout).toContain('"damaged":true');
    expect(stderr).toContain(pack);
  });

  it.each(damages)(
    "a damaged object (%s) is repaired by packing its log again, which says so",
    async (_, damage) => {
      for (const hex of [blob, pack]) {
        const folder = spoiled(hex, damage);
        const { status, stdout, stderr } = await runCtx(folder, packArgs);
        expect({ status, stdout }).toEqual({ status: 0, stdout: `ctx://${pack}\n` });
        fs.rmSync(`${objectFile(folder, hex)}.old`, { force: true });
        expect(flawsOf(folder, pack)).toEqual([]);
        expect(tornObjects(folder)).toEqual([]);
        expect(fs.lstatSync(objectFile(folder, hex)).isFile()).toBe(true);
        expect(await listed(folder)).toEqual([pack]);
        expect(leftovers(folder)).toEqual([]);
        expect(stderr).toMatch(new RegExp(`${hex} was damaged in the store; it is repaired now`));
        // And the second time there is nothing to say.
        expect((await runCtx(folder, packArgs)).stderr).not.toContain("repaired");
      }
    },
  );

  it("an object replaced by a folder is reported, and the folder is left alone", async () => {
    const folder = spoiled(blob, (path) =>
      replace(path, () => fs.mkdirSync(join(path, "mine"), { recursive: true })),
    );
    for (const args of [["cat", blob], ["show", pack], packArgs]) {
      const { status, stderr } = await runCtx(folder, args);
      expect(status).toBe(2);
      expect(stderr).toContain(objectFile(folder, blob));
    }
    expect(fs.readdirSync(objectFile(folder, blob))).toEqual(["mine"]);
    expect(leftovers(folder)).toEqual([]);
  });

  it.each(damages)(
    "a damaged entry of packs/ (%s) is repaired by packing its log again, which says so",
    async (_, damage) => {
      const folder = copyOf(start);
      const entry = join(folder, ".ctx/packs", pack);
      fs.chmodSync(entry, 0o644);
      damage(entry);
      const { status, stderr } = await runCtx(folder, packArgs);
      expect(status).toBe(0);
      fs.rmSync(`${entry}.old`, { force: true });
      expect(fs.readFileSync(entry)).toEqual(fs.readFileSync(join(start, ".ctx/packs", pack)));
      expect(fs.lstatSync(entry).isFile()).toBe(true);
      expect(stderr).toContain("is repaired");
    },
  );
});

describeWith([program("strace")], "leftovers of a crash", () => {
  it("leftovers of a crash: read-only files in tmp/ do not keep an ordinary user from packing, and are cleared", async () => {
    const folder = asNobody(await crashedStore());
    expect(leftovers(folder.path).length).toBe(2);
    const { status, stderr } = await runCtx(folder.path, packArgs, folder.options);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(leftovers(folder.path)).toEqual([]);
  });

  it("leftovers of a crash: files in tmp/ without a lock are cleared too", async () => {
    const folder = await emptyStore();
    fs.writeFileSync(join(folder, ".ctx/tmp/4711-abc"), "x", { mode: 0o444 });
    fs.mkdirSync(join(folder, ".ctx/tmp/4712-abc"), { mode: 0o555 });
    await must(folder, packArgs);
    expect(leftovers(folder)).toEqual([]);
  });

  it("leftovers of a crash: those of another user that cannot be cleared do not keep a user from packing", async () => {
    const folder = asNobody(await crashedStore());
    // Sticky, as /tmp is: only the owner of a file may remove it.
    for (const name of ["tmp", "locks"]) {
      const path = join(folder.path, ".ctx", name);
      if (folder.isRoot) for (const one of fs.readdirSync(path)) fs.chownSync(join(path, one), 1, 1);
      if (folder.isRoot) fs.chownSync(path, 1, 1);
      fs.chmodSync(path, 0o1777);
    }
    const { status, stderr } = await runCtx(folder.path, packArgs, folder.options);
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});
