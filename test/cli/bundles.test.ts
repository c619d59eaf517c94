// `ctx show`, `diff`, `verify` and `replay` of a file of packs: nothing is imported for that, and nothing is
// left.
import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { VerifyResult } from "../../src/results/verify.js";
import { ownId } from "../../src/base/owner-id.js";
import type { Store } from "../../src/store/store.js";
import { exported, hashOf, packed, Unpacked } from "../../dev/bundles.js";
import { cli, type CliOptions, type CliResult } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, runLog, smallLog } from "../../dev/logs.js";

let maker: Store;
/** A run, and one that was made from it. */
let parent: string;
let child: string;
/** A folder without a store, with files of packs in it. */
let folder: string;
let temp: string;
/** The store of a user who received such a file. */
let store: Store;
const usual = process.env["TMPDIR"];

const child1: AnyLog = { created: "2026-02-11T12:00:00Z", outputs: [{ name: "answer.txt", content: "3\n" }] };

beforeEach(() => {
  maker = tempStore();
  parent = packed(maker, runLog());
  child = packed(maker, runLog({ ...child1, parent: `sha256:${parent}` }));
  folder = tempFolder();
  fs.writeFileSync(join(folder, "parent.ctx"), exported(maker, [parent]));
  fs.writeFileSync(join(folder, "child.ctx"), exported(maker, [child]));
  fs.writeFileSync(join(folder, "both.ctx"), exported(maker, [child], { withParents: true }));
  const other = packed(maker, smallLog());
  fs.writeFileSync(join(folder, "two.ctx"), exported(maker, [parent, other]));
  store = tempStore();
  temp = tempFolder();
  process.env["TMPDIR"] = temp;
});

afterEach(() => {
  if (usual === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usual;
  const left = fs.readdirSync(temp);
  if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
});

function ctx(argv: string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
  return cli(argv, { folder, ...options });
}

function withoutHint(text: string): string {
  return text.replace(/^in full: .*\n$/m, "");
}

async function shown(name: string, at = folder): Promise<string> {
  const { status, stdout, stderr } = await ctx(["show", name, "--json"], { folder: at });
  expect(status, stderr).toBe(0);
  return (JSON.parse(stdout) as { hash: string }).hash.slice(7);
}

describe("the missing parent of a pack in a bundle", () => {
  it("bundle: a parent that it does not hold is read from the store of the working folder", async () => {
    packed(store, runLog());
    const file = join(folder, "child.ctx");
    const diff = await ctx(["diff", file, "--stat"], { folder: store.folder });
    expect(diff).toMatchObject({ status: 0, stderr: "" });
    expect(diff.stdout).toContain("output_drift");
    expect(await shown(`${file}#${child.slice(0, 8)}~1`, store.folder)).toBe(parent);
    const { stdout } = await ctx(["verify", file], { folder: store.folder });
    expect(stdout).toContain("1 parent, all intact");
    fs.rmSync(join(store.root, "objects", parent.slice(0, 2), parent.slice(2)));
    expect((await ctx(["verify", file], { folder: store.folder })).stdout).toContain("is not in this store");
    expect(await shown(file, store.folder)).toBe(child);
  });

  it("bundle: diff fails where neither the bundle nor a store has the parent", async () => {
    expect(await ctx(["diff", "child.ctx", "--stat"])).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("the name of a pack in a bundle", () => {
  it("bundle: a pack is named by the file, or by the file and the beginning of its hash", async () => {
    expect(await shown("parent.ctx")).toBe(parent);
    expect(await shown("./parent.ctx")).toBe(parent);
    expect(await shown(join(folder, "parent.ctx"))).toBe(parent);
    expect(await shown(`parent.ctx#${parent.slice(0, 4)}`)).toBe(parent);
    expect(await shown(`parent.ctx#sha256:${parent.toUpperCase()}`)).toBe(parent);
    expect(await shown(`two.ctx#${parent}`)).toBe(parent);
  });

  it("bundle: a file with a run and its parent means the run when it is named alone", async () => {
    expect(await shown("both.ctx")).toBe(child);
    expect(await shown(`both.ctx#${child.slice(0, 12)}~1`)).toBe(parent);
    expect(await shown(`both.ctx#${child.slice(0, 12)}^`)).toBe(parent);
    expect(await shown(`both.ctx#${parent.slice(0, 12)}`)).toBe(parent);
  });

  it("bundle: a name that fits no pack or several is an error that says what could be meant", async () => {
    const many = await ctx(["show", "two.ctx"]);
    expect(many.status).toBe(2);
    expect(many.stderr).toContain(`two.ctx#${parent.slice(0, 12)}`);
    expect(many.stderr).toContain("is ambiguous: 2 packs match");
    expect((await ctx(["show", "parent.ctx#0000"])).stderr).toContain(`#${parent.slice(0, 12)}`);
    expect((await ctx(["show", "parent.ctx#main"])).stderr).toContain('"main" is not the hash of a pack');
    expect((await ctx(["show", "parent.ctx#"])).stderr).toContain('"" is not the hash of a pack');
    expect((await ctx(["show", `parent.ctx#${parent}~1`])).stderr).toContain("has no parent");
    expect((await ctx(["show", `child.ctx#${child}~1`])).stderr).toContain("is not in this store");
  });

  it("bundle: a path with a folder in it need not end in .ctx, and a file name may contain #", async () => {
    fs.mkdirSync(join(folder, "c#"));
    for (const name of ["c#/bundle.tar", "run#1.ctx"]) {
      fs.copyFileSync(join(folder, "parent.ctx"), join(folder, name));
      expect(await shown(name)).toBe(parent);
    }
    expect(await shown(`run#1.ctx#${parent.slice(0, 8)}`)).toBe(parent);
  });

  it("bundle: a file that does not exist is an error that names it", async () => {
    for (const name of ["no.ctx", "./no.ctx", "no.ctx#abcd", "sub/no"])
      for (const at of [folder, maker.folder]) {
        const { status, stderr } = await ctx(["show", name], { folder: at });
        expect(status).toBe(2);
        expect(stderr, name).toMatch(/no: no such file|no\.ctx: no such file/);
      }
    for (const command of ["diff", "verify", "replay"])
      expect(await ctx([command, "no.ctx"])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("no such file") as string,
      });
  });

  it("bundle: a name that ends in .ctx is a tag if there is one, and ./ makes it a file", async () => {
    await ctx(["tag", "run.ctx", parent], { folder: maker.folder });
    expect(await shown("run.ctx", maker.folder)).toBe(parent);
    expect(await shown("run.ctx~0", maker.folder)).toBe(parent);
    fs.copyFileSync(join(folder, "child.ctx"), join(maker.folder, "run.ctx"));
    expect(await shown("run.ctx", maker.folder)).toBe(parent);
    expect(await shown("./run.ctx", maker.folder)).toBe(child);
    fs.rmSync(join(maker.folder, "run.ctx"));
    fs.mkdirSync(join(maker.folder, "run.ctx"));
    expect(await shown("run.ctx", maker.folder)).toBe(parent);
  });
});

describe("commands on a bundle", () => {
  it("bundle: show prints a pack of a bundle as it prints a pack of the store", async () => {
    packed(store, runLog());
    const here = await ctx(["show", parent], { folder: store.folder });
    const { status, stdout, stderr } = await ctx(["show", "parent.ctx"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(withoutHint(stdout)).toBe(withoutHint(here.stdout));
    expect((await ctx(["show", "parent.ctx", "--output", "answer.txt"])).stdout).toContain("2\n");
    expect((await ctx(["show", "parent.ctx", "--step", "9"])).status).toBe(2);
  });

  it("bundle: show and replay name the file in the command to type next", async () => {
    const { stdout } = await ctx(["show", "both.ctx"]);
    expect(stdout).toContain("in full: ctx show both.ctx --step 0\n");
    const one = `two.ctx#${parent.slice(0, 8)}`;
    expect((await ctx(["show", one])).stdout).toContain(`in full: ctx show '${one}' --step 0\n`);
    expect((await ctx(["replay", one, "--plan"])).stdout).toContain(`Run it     ctx replay '${one}'`);
  });

  it("bundle: diff compares its pack with packs of other bundles and of the store", async () => {
    for (const name of ["parent.ctx", "child.ctx", "both.ctx"])
      fs.copyFileSync(join(folder, name), join(store.folder, name));
    const own = packed(store, runLog({ created: "2026-02-12T12:00:00Z", system_prompt: "You are long." }));
    const before = snapshot(store.root);
    const compared = async (...names: string[]): Promise<string[]> => {
      const { stdout, stderr } = await ctx(["diff", ...names], { folder: store.folder });
      expect(stdout, stderr).not.toBe("");
      const report = JSON.parse(stdout) as { pack_hash_a: string; pack_hash_b: string };
      return [report.pack_hash_a, report.pack_hash_b].map((hash) => hash.slice(7));
    };
    expect(await compared("parent.ctx", "child.ctx")).toEqual([parent, child]);
    expect(await compared("latest", "child.ctx")).toEqual([own, child]);
    expect(await compared("child.ctx", own.slice(0, 8))).toEqual([child, own]);
    expect(await compared("both.ctx")).toEqual([parent, child]);
    expect(await compared("--baseline", "parent.ctx", "--baseline", "latest", "child.ctx")).toEqual([
      parent,
      child,
    ]);
    expect((await ctx(["diff", "parent.ctx", "child.ctx", "--exit-code"])).status).toBe(1);
    expect((await ctx(["diff", "parent.ctx", "latest"])).stderr).toContain(
      'cannot look for "latest": there is no .ctx store here or above',
    );
    expect([...snapshot(store.root)].filter(([path]) => !path.includes("/cache"))).toEqual([...before]);
  });

  it("bundle: verify checks every pack of a file, or the one that is named", async () => {
    expect(await ctx(["verify", "parent.ctx"])).toMatchObject({ status: 0 });
    const { stdout } = await ctx(["verify", "two.ctx", `both.ctx#${child.slice(0, 8)}`, "--json"]);
    const { targets, exit } = JSON.parse(stdout) as {
      exit: number;
      targets: { target: string; result: string }[];
    };
    expect(exit).toBe(0);
    expect(targets.map(({ result }) => result)).toEqual(["verified", "verified", "verified"]);
    expect(
      targets
        .map(({ target }) => target)
        .slice(0, 2)
        .sort(),
    ).toEqual([parent, hashIn("two.ctx", parent)].map((hex) => `two.ctx#${hex.slice(0, 12)}`).sort());
    expect(targets[2]?.target).toBe(`both.ctx#${child.slice(0, 8)}`);
  });

  it.each([
    ["nosuch.ctx", /nosuch\.ctx/],
    ["./nosuch.ctx", /nosuch\.ctx/],
    ["both.ctx#ffff", /no pack in .*both\.ctx has a hash that starts with ffff/],
    ["both.ctx#x", /"x" is not the hash of a pack/],
    ["folder.ctx", /no \.ctx store in/],
    ["report.md", /no \.ctx store in/],
  ])("bundle: verify checks it beside %s, which is reported on its own", async (name, why) => {
    fs.mkdirSync(join(folder, "folder.ctx"));
    fs.writeFileSync(join(folder, "report.md"), "2\n");
    for (const names of [
      ["parent.ctx", name],
      [name, "parent.ctx"],
    ]) {
      const { status, stdout } = await ctx(["verify", ...names, "--json"]);
      const { exit, targets } = JSON.parse(stdout) as VerifyResult;
      expect([status, exit]).toEqual([2, 2]);
      expect(targets.map(({ target }) => target)).toEqual(names);
      const results = Object.fromEntries(targets.map(({ target, result }) => [target, result]));
      expect(results).toEqual({ "parent.ctx": "verified", [name]: "absent" });
      expect(targets.find(({ target }) => target === name)?.claims[0]?.detail).toMatch(why);
    }
    const { stdout } = await ctx(["verify", "parent.ctx", name]);
    expect(stdout).toMatch(/^parent\.ctx {2}verified\n/);
    expect(stdout).toContain(`\n${name}  absent\n  not checked`);
  });

  it("bundle: verify checks it with packs and files of the store, in the order of the names", async () => {
    fs.copyFileSync(join(folder, "child.ctx"), join(maker.folder, "child.ctx"));
    fs.writeFileSync(join(maker.folder, "a#b.txt"), "2\n");
    const { stdout, status } = await ctx(["verify", parent, "child.ctx", "a#b.txt", "--json"], {
      folder: maker.folder,
    });
    const { targets } = JSON.parse(stdout) as { targets: { target: string; kind: string }[] };
    expect(targets.map(({ target, kind }) => [target, kind])).toEqual([
      [parent, "pack"],
      ["child.ctx", "pack"],
      ["a#b.txt", "file"],
    ]);
    // Two bytes under another name than the output's prove nothing; of several answers the highest counts.
    expect(status).toBe(2);
  });

  it("bundle: verify --file checks the bundle as a plain file", async () => {
    fs.copyFileSync(join(folder, "child.ctx"), join(maker.folder, "child.ctx"));
    const { stdout } = await ctx(["verify", "--file", "child.ctx", "--json"], { folder: maker.folder });
    expect(JSON.parse(stdout)).toMatchObject({ targets: [{ kind: "file" }] });
  });

  it("bundle: its pack can be replayed, but the replay cannot be sealed", async () => {
    const { status, stdout, stderr } = await ctx(["replay", "parent.ctx", "--json"]);
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ pack_hash: `sha256:${parent}` });
    expect((await ctx(["replay", "parent.ctx", "--plan"])).status).toBe(0);
    const sealing = await ctx(["replay", `parent.ctx#${parent.slice(0, 8)}`, "--seal"]);
    expect(sealing.status).toBe(2);
    expect(sealing.stderr).toContain("ctx import parent.ctx");
  });

  it("bundle: show, diff, verify and replay leave the store as it is", async () => {
    packed(store, smallLog());
    const before = snapshot(store.root);
    const file = join(folder, "both.ctx");
    for (const argv of [
      ["show", file],
      ["diff", file],
      ["verify", file],
      ["replay", file],
      ["replay", file, "--plan"],
    ])
      expect((await ctx(argv, { folder: store.folder })).status, argv[0]).toBe(0);
    expect(snapshot(store.root)).toEqual(before);
  });
});

describe("a damaged bundle", () => {
  it.each([
    ["cut", (bytes: Buffer) => bytes.subarray(0, 5000)],
    [
      "changed",
      (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replace("Two lines.", "Ten lines."), "latin1"),
    ],
    ["no tar at all", () => Buffer.from("hello")],
    ["empty", () => Buffer.alloc(0)],
  ])("bundle: verify reports a damaged file, the others refuse it: %s", async (_, spoil) => {
    const bytes = spoil(fs.readFileSync(join(folder, "parent.ctx")));
    fs.writeFileSync(join(folder, "bad.ctx"), bytes);
    const { status, stdout } = await ctx(["verify", "bad.ctx", "--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      exit: 1,
      targets: [{ target: "bad.ctx", result: "damaged" }],
    });
    expect(await ctx(["verify", "parent.ctx", "bad.ctx"])).toMatchObject({ status: 1 });
    for (const argv of [
      ["show", "bad.ctx"],
      ["diff", "parent.ctx", "bad.ctx"],
      ["replay", "bad.ctx"],
      ["replay", "bad.ctx", "--plan"],
    ]) {
      const { status: failed, stdout: said, stderr } = await ctx(argv);
      expect({ failed, said }).toEqual({ failed: 2, said: "" });
      expect(stderr).toContain("bad.ctx");
    }
  });
});

describe("leftovers of commands that read a bundle", () => {
  it("bundle: the next command that reads one clears what killed commands left, and nothing else", async () => {
    const [host, , start, random] = ownId().split(".");
    const dead = join(temp, `ctx-look-${[host, "999999999", start, random].join(".")}-abcdef`);
    const alive = join(temp, `ctx-look-${ownId()}-abcdef`);
    const elsewhere = join(temp, `ctx-look-elsewhere-1-2.999999999.1.ab-abcdef`);
    const others = [join(temp, "ctx-look"), join(temp, "ctx-looks-x"), alive, elsewhere];
    for (const path of [dead, ...others]) fs.mkdirSync(join(path, ".ctx/objects"), { recursive: true });
    const link = `${dead.slice(0, -6)}ghijkl`;
    fs.symlinkSync(maker.folder, link);
    const before = snapshot(maker.folder);
    expect(await shown("parent.ctx")).toBe(parent);
    expect(fs.existsSync(dead)).toBe(false);
    for (const path of others) expect(fs.existsSync(path), path).toBe(true);
    expect(snapshot(maker.folder)).toEqual(before);
    for (const path of [...others, link]) fs.rmSync(path, { recursive: true });
  });

  it("bundle: a file that cannot be read leaves nothing behind", async () => {
    fs.writeFileSync(join(folder, "bad.ctx"), "x");
    expect((await ctx(["show", "bad.ctx"])).status).toBe(2);
    expect(fs.readdirSync(temp)).toEqual([]);
  });
});

/** Returns the other pack of a file. */
function hashIn(name: string, not: string): string {
  const { index } = new Unpacked(fs.readFileSync(join(folder, name)));
  const found = index.manifests.map(({ annotations }) => Object.values(annotations ?? {})[0] ?? "");
  return found.find((hex) => hex !== not) ?? hashOf("");
}
