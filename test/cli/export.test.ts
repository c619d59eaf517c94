// `ctx export` and `ctx import`, as a person meets them.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { exportPacks } from "../../src/ops/export.js";
import { repository } from "../../dev/built.js";
import { exported, hashOf, packed, Unpacked } from "../../dev/bundles.js";
import { cli, type CliOptions, type CliResult } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { runLog, smallLog } from "../../dev/logs.js";
import { githubToken } from "../../dev/secrets.js";
import type { Store } from "../../src/store/store.js";

let store: Store;
let folder: string;
let hex: string;

beforeEach(() => {
  store = tempStore();
  ({ folder } = store);
  hex = packed(store, runLog());
});

function ctx(argv: string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
  return cli(argv, { folder, ...options });
}

/** Returns the names in the folder besides the store. */
function files(): string[] {
  return fs.readdirSync(folder).filter((name) => name !== ".ctx");
}

describe("ctx export", () => {
  it("export: the screen says what goes, and the file is named after the pack", async () => {
    const name = `${hex.slice(0, 12)}.ctx`;
    const { status, stdout, stderr } = await ctx(["export", "latest"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(
        `^1 pack, .*\\n  ${hex.slice(0, 12)}  2026-02-10.*\\n    Count the lines of notes.txt.\\n    2 steps, 1 prompt, 2 files, .*\\n    notes.txt, answer.txt\\nwrote ${name}, `,
      ),
    );
    expect(files()).toEqual([name]);
    expect(fs.readFileSync(join(folder, name)).equals(exported(store, [hex]))).toBe(true);
    expect(fs.statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("export: --json says what goes", async () => {
    const { stdout } = await ctx(["export", "latest", "-o", "run.ctx", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "run.ctx",
      bytes: fs.statSync(join(folder, "run.ctx")).size,
      packs: [
        { hash: `sha256:${hex}`, why: "asked", files: ["notes.txt", "answer.txt"], steps: 2, prompts: 1 },
      ],
      absent: [],
    });
  });

  it("export: -o - writes the bundle to standard output, but not to a terminal", async () => {
    const { bytes, stderr, status } = await ctx(["export", "latest", "-o", "-"]);
    expect(status).toBe(0);
    expect(bytes.equals(exported(store, [hex]))).toBe(true);
    expect(stderr).toBe("");
    const json = await ctx(["export", "latest", "-o", "-", "--json"]);
    expect(json.bytes.equals(bytes)).toBe(true);
    expect(JSON.parse(json.stderr)).toMatchObject({ file: "-" });
    expect(await ctx(["export", "latest", "-o", "-"], { terminal: 80 })).toMatchObject({
      status: 2,
      stdout: "",
    });
    expect(files()).toEqual([]);
  });

  it("export: --dry-run writes nothing", async () => {
    const { status, stdout } = await ctx(["export", "latest", "--dry-run"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`would be 15 kB in ${hex.slice(0, 12)}.ctx`);
    expect((await ctx(["export", "latest", "-o", "-", "--dry-run"])).stdout).toContain("would be");
    const { stdout: json } = await ctx(["export", "latest", "--dry-run", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ dry_run: true, bytes: exported(store, [hex]).length });
    expect(files()).toEqual([]);
  });

  it("export: a file is replaced only with --force, and nothing but a file is", async () => {
    const path = join(folder, "run.ctx");
    fs.writeFileSync(path, "mine");
    const refused = await ctx(["export", "latest", "-o", "run.ctx", "--json"]);
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "exists" } });
    expect(fs.readFileSync(path, "utf8")).toBe("mine");
    expect((await ctx(["export", "latest", "-o", "run.ctx", "--force"])).status).toBe(0);
    expect(fs.readFileSync(path).equals(exported(store, [hex]))).toBe(true);
    fs.mkdirSync(join(folder, "sub.ctx"));
    fs.symlinkSync("elsewhere", join(folder, "link.ctx"));
    execFileSync("mkfifo", [join(folder, "pipe.ctx")]);
    const before = snapshot(folder);
    for (const name of ["sub.ctx", "link.ctx", "pipe.ctx"])
      expect(await ctx(["export", "latest", "-o", name, "--force"]), name).toMatchObject({ status: 2 });
    expect(snapshot(folder)).toEqual(before);
    expect(fs.lstatSync(join(folder, "pipe.ctx")).isFIFO()).toBe(true);
  });

  it("export: a file that appears meanwhile is left alone", () => {
    const file = join(folder, "run.ctx");
    const before = (): void => fs.writeFileSync(file, "mine");
    expect(() => exportPacks(store, [hex], { file, before })).toThrow(
      expect.objectContaining({ code: "exists" }),
    );
    expect(fs.readFileSync(file, "utf8")).toBe("mine");
    expect(files()).toEqual(["run.ctx"]);
  });

  it("export: a missing folder is named, and a failure leaves no file", async () => {
    const { status, stderr } = await ctx(["export", "latest", "-o", "no/run.ctx"]);
    expect(status).toBe(2);
    expect(stderr).toContain(`cannot write ${join(folder, "no/run.ctx")}: no such file or folder`);
    const hurt = hashOf("2\n");
    fs.rmSync(join(store.root, "objects", hurt.slice(0, 2), hurt.slice(2)));
    expect(await ctx(["export", "latest", "-o", "run.ctx"])).toMatchObject({ status: 2 });
    expect(files()).toEqual([]);
  });

  it("export: a damaged pack leaves no file, and no bundle that can be imported", async () => {
    const input = "large ".repeat(400_000);
    const big = packed(store, smallLog({ inputs: [{ name: "a", content: input }] }));
    const hurt = hashOf(input);
    const path = join(store.root, "objects", hurt.slice(0, 2), hurt.slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, input.replace("large", "small"));
    const { status, stderr } = await ctx(["export", big, "--allow-secrets"]);
    expect(status).toBe(2);
    expect(stderr).toContain("damaged");
    expect(files()).toEqual([]);
    // Into a pipe some of it may have gone, but never its end.
    const piped = await ctx(["export", big, "--allow-secrets", "-o", "-"]);
    expect(piped.status).toBe(2);
    const other = tempStore();
    expect((await cli(["import", "-"], { folder: other.folder, input: piped.bytes })).status).toBe(2);
    expect(fs.readdirSync(join(other.root, "packs"))).toEqual([]);
  });

  it("export: a secret is refused unless --allow-secrets is set", async () => {
    const secret = packed(
      store,
      runLog({ outputs: [{ name: "a.txt", content: `token ${githubToken()}\n` }] }),
    );
    const before = snapshot(folder);
    for (const argv of [["-o", "run.ctx"], ["-o", "-"], ["--dry-run"], ["--all"]]) {
      const names = argv[0] === "--all" ? [] : [secret];
      const { status, stdout, stderr } = await ctx(["export", ...names, ...argv, "--json"]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(JSON.parse(stderr)).toMatchObject({
        error: {
          code: "secret-found",
          problems: [{ path: `ctx://${secret.slice(0, 12)} outputs[0].content`, message: "github-token" }],
        },
      });
      expect(stderr).not.toContain(githubToken());
    }
    expect(snapshot(folder)).toEqual(before);
    expect((await ctx(["export", secret, "-o", "run.ctx", "--allow-secrets"])).status).toBe(0);
    // Neither in what goes along.
    const child = packed(store, smallLog({ parent: `sha256:${secret}` }));
    expect((await ctx(["export", child, "-o", "child.ctx"])).status).toBe(0);
    expect((await ctx(["export", child, "-o", "both.ctx", "--with-parents"])).status).toBe(2);
    expect(files().sort()).toEqual(["child.ctx", "run.ctx"]);
  });

  it("export: sub-agents go along, and parents with --with-parents", async () => {
    const parent = packed(store, smallLog());
    const agent = packed(store, smallLog({ created: "2026-02-09T12:00:00Z", parent: `sha256:${hex}` }));
    const gone = "ab".repeat(32);
    const steps = [agent, gone].map((pack) => ({
      type: "tool_call",
      tool: "Task",
      output: "None.",
      pack: `sha256:${pack}`,
    }));
    const child = packed(store, smallLog({ parent: `sha256:${parent}`, steps }));
    const going = async (...argv: string[]): Promise<unknown> => {
      const { stdout } = await ctx(["export", ...argv, "-o", "run.ctx", "--force", "--json"]);
      const { packs } = JSON.parse(stdout) as { packs: { hash: string; why: string }[] };
      const { index } = new Unpacked(fs.readFileSync(join(folder, "run.ctx")));
      expect(index.manifests.map(({ annotations }) => Object.values(annotations ?? {})[0])).toEqual(
        packs.map(({ hash }) => hash.slice(7)).sort(),
      );
      return packs.map(({ hash, why }) => [hash.slice(7), why]);
    };
    expect(await going(child)).toEqual([
      [child, "asked"],
      [agent, "subagent"],
    ]);
    expect(await going(child, "--with-parents")).toEqual([
      [child, "asked"],
      [agent, "subagent"],
      [parent, "parent"],
      [hex, "parent"],
    ]);
    expect(await going(agent, child)).toEqual([
      [agent, "asked"],
      [child, "asked"],
    ]);
    expect(await going("--all")).toEqual([hex, parent, agent, child].sort().map((one) => [one, "asked"]));
    const { stderr } = await ctx(["export", child, "--dry-run"]);
    expect(stderr).toBe(
      `note: ctx://${child.slice(0, 12)}: a sub-agent's run, ctx://${gone.slice(0, 12)}, is not in this store\n`,
    );
  });

  it("export: a pack of the Go program is refused, and the hint works", async () => {
    const there = tempFolder();
    fs.cpSync(join(repository, "test/golden/go-store"), there, { recursive: true });
    const [old = ""] = fs.readdirSync(join(there, ".ctx/packs"));
    const { status, stderr } = await ctx(["export", old, "-o", "old.ctx"], { folder: there });
    expect(status).toBe(2);
    expect(fs.existsSync(join(there, "old.ctx"))).toBe(false);
    // What is advised works.
    expect(stderr).toContain(
      `\`ctx fork ${old.slice(0, 12)}\` makes a draft of it; \`ctx pack --allow-empty\``,
    );
    const { stdout: draft } = await ctx(["fork", old.slice(0, 12)], { folder: there });
    expect((await ctx(["pack", "--allow-empty", draft.trim()], { folder: there })).status).toBe(0);
    expect((await ctx(["export", "latest", "-o", "new.ctx"], { folder: there })).status).toBe(0);
  });

  it("export: a command line without a clear meaning is refused", async () => {
    expect((await ctx(["export"])).stderr).toContain("name a pack, or use --all");
    expect((await ctx(["export", "latest", "--all"])).stderr).toContain("name none");
    expect((await ctx(["export", "latest", "-o", ""])).stderr).toContain("--output needs");
    expect((await ctx(["export", "nothing"])).stderr).toContain("no pack or tag");
    expect((await cli(["export", "--all"], { folder: tempStore().folder })).stderr).toContain(
      "no packs in this store yet",
    );
    expect(files()).toEqual([]);
  });
});

describe("ctx import", () => {
  it("import: what came is printed, also when it was there already or is repaired", async () => {
    const { bytes } = await ctx(["export", "latest", "-o", "-"]);
    const other = tempStore();
    fs.writeFileSync(join(other.folder, "run.ctx"), bytes);
    const take = (...argv: string[]): Promise<CliResult> =>
      cli(["import", ...argv], { folder: other.folder, input: bytes });
    expect(await take("run.ctx")).toMatchObject({ status: 0, stdout: `ctx://${hex}\n`, stderr: "" });
    expect(await take("-")).toMatchObject({ status: 0, stdout: `ctx://${hex}\n`, stderr: "" });
    const path = join(other.root, "objects", hashOf("2\n").slice(0, 2), hashOf("2\n").slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "3\n");
    expect(await take("run.ctx")).toMatchObject({
      stdout: `ctx://${hex}\n`,
      stderr: `note: sha256:${hashOf("2\n")} was damaged in the store; it is repaired now\n`,
    });
    const watched = await cli(["import", "run.ctx"], { folder: other.folder, terminal: 80 });
    expect(watched.stderr).toMatch(/^1 pack already here\n {2}\S+ {2}Count the lines of notes\.txt\.\n$/);
    expect(JSON.parse((await take("-", "--json")).stdout)).toMatchObject({
      from: "-",
      packs: [{ new: false }],
      absent: [],
    });
    expect(JSON.parse((await take("run.ctx", "--json")).stdout)).toMatchObject({ from: "run.ctx" });
  });

  it("import: a link to a bundle is followed", async () => {
    await ctx(["export", "latest", "-o", "run.ctx"]);
    const other = tempStore();
    fs.symlinkSync(join(folder, "run.ctx"), join(other.folder, "link.ctx"));
    expect(await cli(["show", "link.ctx", "--json"], { folder: other.folder })).toMatchObject({ status: 0 });
    expect((await cli(["import", "link.ctx"], { folder: other.folder })).stdout).toBe(`ctx://${hex}\n`);
  });

  it("import: a parent that did not come is named in a note", async () => {
    const child = packed(store, smallLog({ parent: `sha256:${hex}` }));
    const { folder: there } = tempStore();
    const { stderr, status } = await cli(["import", "-"], { folder: there, input: exported(store, [child]) });
    expect(status).toBe(0);
    expect(stderr).toBe(
      `note: ctx://${child.slice(0, 12)}: its parent, ctx://${hex.slice(0, 12)}, is not in this store\n`,
    );
  });

  it("import: the error about a bad bundle says why, and nothing in it steers the terminal", async () => {
    const unpacked = new Unpacked(exported(store, [hex]));
    unpacked.entries.push({ name: "\u001b]0;gotcha\u0007", bytes: Buffer.from("x") });
    const { folder: there, root } = tempStore();
    const before = snapshot(root);
    const take = (input: Buffer): Promise<CliResult> => cli(["import", "-"], { folder: there, input });
    const { status, stderr } = await take(unpacked.bytes());
    expect(status).toBe(2);
    expect(stderr).toContain("is not a valid bundle of packs: it contains an unexpected file");
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    for (const input of [Buffer.alloc(0), Buffer.from("{}"), Buffer.alloc(10_240)])
      expect(await take(input)).toMatchObject({
        status: 2,
        stdout: "",
        stderr: expect.stringMatching(
          /^error: standard input.*\nhint: .*`ctx export` wrote.*pack it with `ctx pack`\n$/,
        ),
      });
    expect(snapshot(root)).toEqual(before);
  });

  it("import: a missing file, a folder and a missing store are named", async () => {
    fs.mkdirSync(join(folder, "sub"));
    expect((await ctx(["import", "no.ctx"])).stderr).toMatch(/cannot read .*no\.ctx: no such file/);
    expect((await ctx(["import", "sub"])).stderr).toMatch(/cannot read .*sub: it is a folder/);
    expect((await cli(["import", "x.ctx"], { folder: tempFolder() })).stderr).toContain("no .ctx store");
  });
});
