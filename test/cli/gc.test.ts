// `ctx gc`: removes what nothing reaches and is old enough, and never anything else.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GcResult } from "../../src/results/results.js";
import { cli } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import {
  manifestOf,
  objectIn,
  overwrite,
  packed,
  putObject,
  reportLog,
  reportStore,
  reportText,
  sha256,
  verify,
  write,
} from "../../dev/provenance.js";
import { compile, readSchema } from "../../dev/schemas.js";

const day = 86_400;

/** Returns an object that no pack refers to, of this age in days. */
function loose(root: string, content: string, days: number): string {
  const hex = putObject(root, content);
  // A moment ago at the latest: times of files are finer than those of programs.
  const time = Date.now() / 1000 - (days === 0 ? 1 : days * day);
  fs.utimesSync(objectIn(root, hex), time, time);
  return hex;
}

async function gc(folder: string, ...args: string[]): Promise<GcResult> {
  const { status, stdout, stderr } = await cli(["gc", "--json", ...args], { folder });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as GcResult;
}

function hashes({ removed }: GcResult): string[] {
  return removed.map(({ hash }) => hash.slice("sha256:".length));
}

/** Returns the store without what may change at any time. */
function tree(root: string): [string, string][] {
  return [...snapshot(root)].filter(([path]) => !path.startsWith(join(root, "cache")));
}

/** What is left of a download, so many days old. */
function part(place: string, name: string, days: number): string {
  fs.mkdirSync(place, { recursive: true });
  const path = join(place, name);
  fs.writeFileSync(path, "part");
  const time = Date.now() / 1000 - days * 86_400;
  fs.utimesSync(path, time, time);
  return path;
}

describe("ctx gc", () => {
  it("gc: a file beside the drafts whose name is not UTF-8 does not stop it", async () => {
    const { folder, root } = tempStore();
    fs.mkdirSync(join(root, "drafts"));
    fs.writeFileSync(Buffer.from(join(root, "drafts/caf\xe9"), "latin1"), "");
    const hex = loose(root, "nobody's", 30);
    expect((await gc(folder)).removed.map(({ hash }) => hash)).toEqual([`sha256:${hex}`]);
  });

  it("gc: what nothing reaches is removed after two weeks, and the result says how much", async () => {
    const { folder, root } = await reportStore();
    const before = tree(root);
    const old = loose(root, "old enough", 15);
    const young = loose(root, "too young", 13);
    const result = await gc(folder);
    expect(result).toEqual({
      removed: [{ hash: `sha256:${old}`, size: 10 }],
      bytes: 10,
      young: { objects: 1, bytes: 9 },
      downloads: { files: 0, bytes: 0 },
      dry_run: false,
    });
    expect(fs.existsSync(objectIn(root, old))).toBe(false);
    fs.rmSync(objectIn(root, young));
    const after = tree(root).filter(([path]) => !/objects\/..$/.test(path));
    expect(after).toEqual(before.filter(([path]) => !/objects\/..$/.test(path)));
    expect((await verify(folder)).status).toBe(0);
    expect(compile(readSchema("gc-result"))(result)).toBe(true);
  });

  it.each<[string, number[]]>([
    ["14d", [15, 20]],
    ["2w", [15, 20]],
    ["16d", [20]],
    ["384h", [20]],
    ["23040m", [20]],
    ["0d", [0, 1, 15, 20]],
    ["0h", [0, 1, 15, 20]],
    ["999999w", []],
  ])("gc: --grace %s removes what is older than that", async (grace, gone) => {
    const { folder, root } = await reportStore();
    const ages = [0, 1, 15, 20];
    const names = new Map(ages.map((days) => [loose(root, `${days} days`, days), days]));
    const found = await gc(folder, "--grace", grace);
    expect(
      hashes(found)
        .map((hex) => names.get(hex))
        .sort((a = 0, b = 0) => a - b),
    ).toEqual(gone);
    expect(found.young.objects).toBe(ages.length - gone.length);
  });

  it("gc: an object with a time in the future stays", async () => {
    const { folder, root } = await reportStore();
    const hex = loose(root, "from the future", -1);
    expect(hashes(await gc(folder, "--grace", "0d"))).toEqual([]);
    expect(fs.existsSync(objectIn(root, hex))).toBe(true);
  });

  it.each(["", "14", "d", "-1d", "1.5d", "1y", "14 d", "9999999d", "0x1d"])(
    "gc: --grace %j is refused",
    async (grace) => {
      const { folder, root } = await reportStore();
      const hex = loose(root, "x", 100);
      const { status, stderr } = await cli(["gc", "--grace", grace], { folder });
      expect(status).toBe(2);
      expect(stderr).toContain("--grace");
      expect(fs.existsSync(objectIn(root, hex))).toBe(true);
    },
  );

  it("gc: --dry-run lists objects with sizes, and changes nothing", async () => {
    const { folder, root } = await reportStore();
    const hex = loose(root, "old", 15);
    loose(root, "young", 1);
    await gc(folder, "--dry-run");
    const before = [...snapshot(folder)];
    const times = fs.statSync(root).mtimeMs;
    expect(await gc(folder, "--dry-run")).toEqual({
      removed: [{ hash: `sha256:${hex}`, size: 3 }],
      bytes: 3,
      young: { objects: 1, bytes: 5 },
      downloads: { files: 0, bytes: 0 },
      dry_run: true,
    });
    const { stdout } = await cli(["gc", "-n"], { folder });
    expect(stdout).toContain(hex.slice(0, 12));
    expect(stdout).toContain("3 B");
    expect(stdout).toContain("1 object would be removed");
    expect([...snapshot(folder)]).toEqual(before);
    expect(fs.statSync(root).mtimeMs).toBe(times);
    // What was announced is what goes.
    expect(hashes(await gc(folder))).toEqual([hex]);
  });

  it("gc: old unfinished downloads are removed, but not through a link", async () => {
    const { folder, root } = await reportStore();
    const downloads = join(root, "cache/downloads");
    const gone = `${"ab".repeat(32)}.elsewhere.1.2.3`;
    const old = part(downloads, gone, 15);
    const kept = [part(downloads, `${"cd".repeat(32)}.elsewhere.1.2.3`, 1), part(downloads, "notes.txt", 99)];
    expect(await gc(folder, "--dry-run")).toMatchObject({ downloads: { files: 1, bytes: 4 } });
    expect(fs.existsSync(old)).toBe(true);
    expect((await cli(["gc"], { folder })).stdout).toContain("1 unfinished download removed, 4 B");
    expect(fs.existsSync(old)).toBe(false);
    for (const path of kept) expect(fs.existsSync(path)).toBe(true);
    const mine = tempFolder();
    const file = part(join(mine, "downloads"), gone, 15);
    fs.rmSync(join(root, "cache"), { recursive: true });
    fs.symlinkSync(mine, join(root, "cache"));
    expect(await gc(folder)).toMatchObject({ downloads: { files: 0 } });
    expect(fs.existsSync(file)).toBe(true);
  });

  it("gc: everything that packs reach stays, however old", async () => {
    const { folder, root, hex } = await reportStore({
      steps: [{ type: "tool_call", tool: "t", output: "step output", seen: "what it saw" }],
    });
    await packed(folder, reportLog({ parent: `sha256:${hex}` }), "--no-sidecars");
    for (const name of fs.readdirSync(join(root, "objects"), { recursive: true }) as string[])
      fs.utimesSync(join(root, "objects", name), 1, 1);
    expect(hashes(await gc(folder, "--grace", "0d"))).toEqual([]);
    expect((await verify(folder)).status).toBe(0);
  });

  it("gc: what a tag, latest or a draft names stays with all it reaches, though it is no pack", async () => {
    const { folder, root, hex } = await reportStore();
    const kept: Record<string, (root: string) => void> = {
      tag: () => write(root, "refs/tags/old", `sha256:${hex}\n`),
      latest: () => write(root, "refs/latest", `sha256:${hex}\n`),
      draft: () => write(root, "drafts/one/execution.json", JSON.stringify({ parent: `sha256:${hex}` })),
    };
    fs.rmSync(join(root, "packs", hex));
    fs.rmSync(join(root, "refs/latest"), { force: true });
    for (const name of fs.readdirSync(join(root, "objects"), { recursive: true }) as string[])
      fs.utimesSync(join(root, "objects", name), 1, 1);
    for (const put of Object.values(kept)) {
      put(root);
      expect(hashes(await gc(folder))).toEqual([]);
      for (const name of ["refs/tags/old", "refs/latest", "drafts"])
        fs.rmSync(join(root, name), { recursive: true, force: true });
    }
    write(
      root,
      "drafts/one/execution.json",
      JSON.stringify({ steps: [{ output_ref: `sha256:${sha256("written")}` }] }),
    );
    expect(hashes(await gc(folder)).length).toBe(6);
    expect(fs.existsSync(objectIn(root, sha256("written")))).toBe(true);
  });

  it("gc: a torn tag, or a draft that is not JSON, does not stop it", async () => {
    const { folder, root } = await reportStore();
    const hex = loose(root, "old", 15);
    write(root, "refs/tags/torn", "sha256:");
    write(root, "drafts/odd/execution.json", "not json");
    write(root, "drafts/file", "");
    fs.mkdirSync(join(root, "drafts/empty"));
    expect(hashes(await gc(folder))).toEqual([hex]);
  });

  it.each<[string, (root: string, hex: string) => void]>([
    ["has lost its manifest", (root, hex) => fs.rmSync(objectIn(root, hex))],
    ["has a torn manifest", (root, hex) => overwrite(objectIn(root, hex), "{")],
    [
      "has a link for its manifest",
      (root, hex) => {
        fs.rmSync(objectIn(root, hex));
        fs.symlinkSync("/dev/null", objectIn(root, hex));
      },
    ],
    [
      "has a folder for its entry",
      (root, hex) => {
        fs.rmSync(join(root, "packs", hex));
        fs.mkdirSync(join(root, "packs", hex));
      },
    ],
    [
      "is of a version to come",
      (root, hex) => {
        const bytes = JSON.stringify({ ...manifestOf(root, hex), version: "9" });
        write(root, `packs/${putObject(root, bytes)}`, bytes);
      },
    ],
  ])("gc: it refuses to remove anything where a pack %s", async (_, damage) => {
    const { folder, root, hex } = await reportStore();
    loose(root, "old", 100);
    damage(root, hex);
    const before = tree(root);
    for (const args of [["--grace", "0d"], ["--dry-run"], ["--grace", "0d", "--json"]]) {
      const { status, stdout, stderr } = await cli(["gc", ...args], { folder });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/cannot find out which blobs ctx:\/\/[0-9a-f]{12} refers to/);
      expect(stderr).toMatch(/ctx verify|ctx rm/);
    }
    expect(tree(root)).toEqual(before);
  });

  it("gc: it works again after the damaged pack was removed, as the hint says", async () => {
    const { folder, root, hex } = await reportStore();
    const other = await packed(
      folder,
      reportLog({ created: "2026-03-01T00:00:00Z", system_prompt: "other" }),
      "--no-sidecars",
    );
    overwrite(objectIn(root, hex), "{");
    expect((await cli(["rm", hex.slice(0, 12)], { folder })).status).toBe(0);
    expect((await cli(["gc", "--grace", "0d"], { folder })).status).toBe(0);
    expect((await verify(folder, other)).status).toBe(0);
    expect((await verify(folder)).status).toBe(0);
  });

  it("gc: a damaged content that a pack needs stays", async () => {
    const { folder, root } = await reportStore();
    const needed = sha256("one\ntwo\n");
    overwrite(objectIn(root, needed), "torn");
    fs.utimesSync(objectIn(root, needed), 1, 1);
    const hex = loose(root, "old", 100);
    overwrite(objectIn(root, hex), "torn, and of nobody");
    fs.utimesSync(objectIn(root, hex), 1, 1);
    expect(hashes(await gc(folder, "--grace", "0d"))).toEqual([hex]);
    expect(fs.existsSync(objectIn(root, needed))).toBe(true);
  });

  it("gc: files that ctx did not make stay", async () => {
    const { folder, root } = await reportStore();
    const names = [
      "objects/ab/note",
      "objects/note",
      "objects/zz/x",
      `objects/ab/${"A".repeat(62)}`,
      `objects/ab/${"0".repeat(61)}`,
      `packs/note`,
      "mine",
    ];
    for (const name of names) {
      write(root, name, "mine");
      fs.utimesSync(join(root, name), 1, 1);
    }
    fs.mkdirSync(join(root, `objects/ab/${"1".repeat(62)}`));
    expect(hashes(await gc(folder, "--grace", "0d"))).toEqual([]);
    for (const name of names) expect(fs.existsSync(join(root, name)), name).toBe(true);
  });

  it("gc: nothing outside the store is removed through a link", async () => {
    const { folder, root } = await reportStore();
    const outside = tempFolder();
    const name = "0".repeat(62);
    write(outside, name, "mine");
    write(outside, "target", "mine");
    fs.utimesSync(join(outside, name), 1, 1);
    fs.symlinkSync(outside, join(root, "objects/00"));
    const { status, stderr } = await cli(["gc", "--grace", "0d"], { folder });
    expect(status, stderr).toBe(2);
    expect(stderr).toContain("objects/00 is not a folder");
    fs.rmSync(join(root, "objects/00"));
    fs.mkdirSync(join(root, "objects/00"));
    fs.symlinkSync(join(outside, "target"), join(root, "objects/00", name));
    fs.lutimesSync(join(root, "objects/00", name), 1, 1);
    expect(hashes(await gc(folder, "--grace", "0d"))).toEqual([`00${name}`]);
    expect(fs.readdirSync(outside).sort()).toEqual([name, "target"].sort());
  });

  it("gc: --dry-run lists nothing that lies outside the store", async () => {
    const { folder, root } = await reportStore();
    const outside = tempFolder();
    fs.utimesSync(write(outside, "0".repeat(62), "mine"), 1, 1);
    fs.symlinkSync(outside, join(root, "objects/00"));
    const { stdout, status } = await cli(["gc", "--dry-run", "--grace", "0d", "--json"], { folder });
    expect(status === 2 || !stdout.includes("0".repeat(62))).toBe(true);
  });

  it("gc: what a dead writer left in tmp/ is cleared, what a live one has there stays", async () => {
    const { folder, root } = await reportStore();
    // Process 4711 of another boot cannot be looked up, so age decides; ours can.
    const dead = spawnSync("true").pid;
    const here = await lockName(folder, root);
    const gone = `${here}.${dead}.1.00000000aaaa`;
    const alive = `${here}.${process.pid}.${startOf(process.pid)}.00000000bbbb`;
    const elsewhere = "otherhost-0123456789ab-1.1.1.00000000cccc";
    for (const id of [gone, alive, elsewhere]) {
      write(root, `tmp/${id}/pack`, "{");
      fs.chmodSync(join(root, "tmp", id, "pack"), 0o444);
    }
    write(root, "tmp/4711-abc", "left by an older program");
    fs.chmodSync(join(root, "tmp/4711-abc"), 0o444);
    write(root, `locks/add.${gone}`, "");
    // A live reader locks no other process out of its own store: use a lock that gc does not wait for.
    write(root, `locks/read.${alive}`, "");
    write(root, `locks/read.${elsewhere}`, "");
    expect((await cli(["gc"], { folder })).status).toBe(0);
    expect(fs.readdirSync(join(root, "tmp")).sort()).toEqual([alive, elsewhere].sort());
    expect(fs.readdirSync(join(root, "locks")).sort()).toEqual([`read.${alive}`, `read.${elsewhere}`].sort());
  });

  it("gc: the screen says in one or two lines what was done", async () => {
    const { folder, root } = await reportStore();
    expect((await cli(["gc"], { folder })).stdout).toBe("0 objects removed, 0 B\n");
    loose(root, "x".repeat(2048), 15);
    loose(root, "young", 1);
    const { stdout } = await cli(["gc"], { folder });
    expect(stdout).toMatch(/^1 object removed, 2\.[01] kB\n1 more object, 5 B, .*too recent/);
    expect((await cli(["gc"], { folder: tempStore().folder })).status).toBe(0);
    expect((await cli(["gc"], { folder: tempFolder() })).status).toBe(2);
  });

  it("gc: a report can still be verified afterwards", async () => {
    const { folder } = await reportStore();
    await gc(folder, "--grace", "0d");
    expect(fs.readFileSync(join(folder, "report.md"), "utf8")).toBe(reportText);
    expect((await verify(folder, "report.md")).status).toBe(0);
  });
});

/** Returns where a lock of this machine says that it is from. */
async function lockName(folder: string, root: string): Promise<string> {
  let found: string | undefined;
  const watch = fs.watch(join(root, "locks"));
  try {
    const seen = new Promise<string>((resolve) => {
      watch.on("change", (_, name) => resolve(String(name)));
    });
    await packed(folder, reportLog(), "--no-sidecars");
    found = await seen;
  } finally {
    watch.close();
  }
  return found.split(".")[1] as string;
}

/** Returns when a process started, as the kernel counts it. */
function startOf(pid: number): string {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
