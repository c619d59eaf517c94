// `ctx fork`, `ctx status`, and `ctx pack` of drafts, as a person meets them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { canonicalBytes } from "../../src/base/json/canonical.js";
import { repository } from "../../dev/built.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, runLog } from "../../dev/logs.js";

let folder: string;
let root: string;
let hex: string;
let draft: string;

beforeEach(async () => {
  ({ folder, root } = tempStore());
  hex = await packed(runLog());
  draft = join(root, "drafts", hex.slice(0, 12));
});

async function packed(log: AnyLog): Promise<string> {
  const { stdout, stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
  return stdout.trim().slice("ctx://".length);
}

function ctx(...argv: string[]): Promise<CliResult> {
  return cli(argv, { folder });
}

async function manifest(pack: string): Promise<Record<string, unknown>> {
  return JSON.parse((await ctx("show", pack, "--json")).stdout) as Record<string, unknown>;
}

function write(path: string, content: string | Buffer): void {
  fs.writeFileSync(join(draft, path), content);
}

/** As much of a draft's log as is edited here. */
interface DraftLog {
  model: { identifier: unknown };
  prompts: AnyLog[];
  inputs: AnyLog[];
  steps: AnyLog[];
  [field: string]: unknown;
}

function edit(change: (log: DraftLog) => void): void {
  const path = join(draft, "execution.json");
  const log = JSON.parse(fs.readFileSync(path, "utf8")) as DraftLog;
  change(log);
  fs.writeFileSync(path, JSON.stringify(log, null, 2));
}

describe("ctx fork", () => {
  it("fork: the draft is a folder of plain files, and its path is printed", async () => {
    expect(await ctx("fork", "latest")).toMatchObject({
      status: 0,
      stdout: `.ctx/drafts/${hex.slice(0, 12)}\n`,
      stderr: "",
    });
    const files = fs.readdirSync(draft, { recursive: true, encoding: "utf8" }).sort();
    expect(files).toEqual([
      "README.md",
      "execution.json",
      "inputs",
      "inputs/notes.txt",
      "outputs",
      "outputs/answer.txt",
      "prompts",
      "prompts/000-user.md",
      "steps",
      "steps/0000-read_file.out",
      "steps/0001-reasoning.out",
      "system_prompt.md",
    ]);
    const log = JSON.parse(fs.readFileSync(join(draft, "execution.json"), "utf8")) as AnyLog;
    expect(log).toMatchObject({ parent: `sha256:${hex}`, created: expect.stringMatching(/^20\d\d-.*Z$/) });
    expect(log).not.toHaveProperty("hash");
    expect((log.steps as object[])[0]).not.toHaveProperty("index");
    expect(fs.readFileSync(join(draft, "steps/0000-read_file.out"), "utf8")).toBe("one\ntwo\n");
    expect(fs.statSync(join(draft, "system_prompt.md")).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(join(draft, "README.md"), "utf8")).toContain("ctx pack .");
  });

  it("fork: further drafts are numbered, and --json has path, parent and title", async () => {
    const drafts = [];
    for (let times = 0; times < 3; times++) drafts.push(await ctx("fork", "latest", "--json"));
    expect(drafts.map(({ stdout }) => JSON.parse(stdout) as object)).toEqual(
      ["", "-2", "-3"].map((end) => ({
        draft: `${draft}${end}`,
        parent: `sha256:${hex}`,
        title: "Count the lines of notes.txt.",
        notices: [],
      })),
    );
  });

  it("fork: a terminal shows what to do next", async () => {
    const { stdout, stderr } = await cli(["fork", "latest"], { folder, terminal: 80 });
    expect(stdout).toBe(`.ctx/drafts/${hex.slice(0, 12)}\n`);
    expect(stderr).toContain("Count the lines of notes.txt.\n");
    expect(stderr).toContain(`ctx pack .ctx/drafts/${hex.slice(0, 12)}`);
  });

  it("fork: the draft goes into a folder that is new or empty, and into no other", async () => {
    fs.mkdirSync(join(folder, "empty"));
    fs.mkdirSync(join(folder, "full"));
    fs.writeFileSync(join(folder, "full/mine.txt"), "mine");
    fs.writeFileSync(join(folder, "file"), "mine");
    fs.symlinkSync("nowhere", join(folder, "link"));
    for (const target of ["new", "a/b/c", "empty"]) {
      expect(await ctx("fork", "latest", target)).toMatchObject({ status: 0, stdout: `${target}\n` });
      expect(fs.readdirSync(join(folder, target)).sort()).toHaveLength(7);
    }
    fs.mkdirSync(join(folder, "target"));
    fs.symlinkSync("target", join(folder, "linked"));
    const before = snapshot(folder);
    for (const target of [".ctx/packs/x", ".ctx/drafts/a/b", ".ctx"])
      expect((await ctx("fork", "latest", target)).stderr).toContain("is inside the store");
    for (const target of ["full", "file", "link", "new", ".", "linked"]) {
      const { status, stdout, stderr } = await ctx("fork", "latest", target);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/^error: .* is not an empty folder\nhint: /);
    }
    expect(snapshot(folder)).toEqual(before);
  });

  it("fork: --at keeps the steps before that one", async () => {
    for (const [at, left] of [
      ["0", 0],
      ["1", 1],
      ["2", 2],
    ] as const) {
      await ctx("fork", hex, `at-${at}`, "--at", at);
      const log = JSON.parse(fs.readFileSync(join(folder, `at-${at}/execution.json`), "utf8")) as {
        steps: [];
      };
      expect(log.steps).toHaveLength(left);
      expect(fs.existsSync(join(folder, `at-${at}/steps/0001-reasoning.out`))).toBe(left === 2);
    }
    expect(await ctx("fork", hex, "--at", "3")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("has no step 3: it has 2"),
    });
    expect((await ctx("fork", hex, "--at", "-1")).status).toBe(2);
    expect(await ctx("fork", hex, "--at", "x")).toMatchObject({ status: 2 });
  });

  it("fork: a damaged or missing blob leaves nothing behind", async () => {
    const { system_prompt } = await manifest(hex);
    const blob = String(system_prompt).slice("sha256:".length);
    const path = join(root, "objects", blob.slice(0, 2), blob.slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "other");
    for (const code of ["damaged", "missing"]) {
      for (const target of [[], ["here"]]) {
        const { status, stdout, stderr } = await ctx("fork", hex, ...target, "--json");
        expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
        expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
      }
      fs.rmSync(path, { force: true });
    }
    expect(fs.existsSync(draft)).toBe(false);
    expect(fs.readdirSync(folder)).toEqual([".ctx"]);
    expect(fs.readdirSync(join(root, "tmp"))).toEqual([]);
  });

  it("fork: a manifest with unknown fields is refused", async () => {
    const { hash: _, ...rest } = await manifest(hex);
    const bytes = canonicalBytes({
      ...rest,
      hash: "",
      outputs: [],
      signed_by: "a newer version",
    });
    const name = createHash("sha256").update(bytes).digest("hex");
    fs.mkdirSync(join(root, "objects", name.slice(0, 2)), { recursive: true });
    fs.writeFileSync(join(root, "objects", name.slice(0, 2), name.slice(2)), bytes);
    fs.writeFileSync(
      join(root, "packs", name),
      canonicalBytes({ ...rest, hash: `sha256:${name}`, outputs: [], signed_by: "a newer version" }),
    );
    const { status, stderr } = await ctx("fork", name);
    expect(status).toBe(2);
    expect(stderr).toContain("signed_by");
    expect(fs.existsSync(join(root, "drafts"))).toBe(false);
  });

  it("fork: a pack that the Go implementation wrote becomes a normal draft", async () => {
    const copy = join(tempFolder(), "go");
    fs.cpSync(join(repository, "test/golden/go-store"), copy, { recursive: true });
    const forked = await cli(["fork", "latest", "draft", "--json"], { folder: copy });
    expect(forked.stderr).toBe("");
    expect(forked.status).toBe(0);
    fs.writeFileSync(join(copy, "draft/system_prompt.md"), "another");
    expect(await cli(["pack", "draft"], { folder: copy })).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse((await cli(["diff", "latest"], { folder: copy })).stdout)).toMatchObject({
      entries: [{ type: "prompt_drift" }],
    });
  });
});

describe("sealing a draft", () => {
  beforeEach(async () => {
    await ctx("fork", "latest");
  });

  it("sealing a draft: it becomes one new pack with its parent, and the draft stays", async () => {
    write("system_prompt.md", "Be brief.");
    const first = await ctx("pack", draft);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    const again = await ctx("pack", join(draft, "execution.json"));
    expect(again.stdout).toBe(first.stdout);
    expect(fs.existsSync(join(draft, "execution.json"))).toBe(true);
    expect(JSON.parse((await ctx("diff", "latest")).stdout)).toMatchObject({
      pack_hash_a: `sha256:${hex}`,
      entries: [{ type: "prompt_drift", change: "changed" }],
    });
    expect((await ctx("show", "latest~1")).stdout).toContain(`ctx://${hex}`);
    expect((await ctx("show", hex)).stdout).toContain(`children ${first.stdout.slice(6, 18)}\n`);
    expect((await ctx("show", "latest")).stdout).toContain(`parent   ${hex.slice(0, 12)}\n`);
  });

  it("sealing a draft: only what was edited is stored again", async () => {
    write("prompts/000-user.md", "Count the words.");
    const result = JSON.parse((await ctx("pack", draft, "--json")).stdout) as Record<string, number>;
    const { size } = JSON.parse((await ctx("cat", "latest", "--json")).stdout) as { size: number };
    expect(result["bytes_new"]).toBe("Count the words.".length + size);
    expect(result["bytes_shared"]).toBeGreaterThan(20);
  });

  it("sealing a draft: steps and inputs may be added or dropped", async () => {
    write("steps/mine.bin", Buffer.from([0, 0xff]));
    edit((log) => {
      log.steps.splice(0, 1, { type: "tool_call", tool: "x", output_file: "steps/mine.bin" });
      log.inputs = [{ name: "in/line.txt", content: "inline" }];
    });
    expect((await ctx("pack", draft)).status).toBe(0);
    expect((await cli(["show", "latest", "--step", "0", "--json"], { folder })).stdout).toContain('"AP8="');
    expect(await manifest("latest")).toMatchObject({ inputs: [{ name: "in/line.txt", size: 6 }] });
  });

  it("sealing a draft: no change exits 1, and --allow-empty seals it", async () => {
    const before = snapshot(root);
    for (const name of [draft, join(draft, "execution.json")])
      expect(await ctx("pack", name)).toMatchObject({
        status: 1,
        stdout: "",
        stderr: expect.stringContaining(`nothing changed since ctx://${hex}\n`),
      });
    expect(JSON.parse((await ctx("pack", draft, "--json")).stderr)).toMatchObject({
      error: { code: "unchanged" },
    });
    expect(snapshot(root)).toEqual(before);
    const sealed = await ctx("pack", "--allow-empty", draft);
    expect(sealed).toMatchObject({ status: 0, stderr: "" });
    // What is a pack already may be packed again, as any log.
    expect(await ctx("pack", draft)).toMatchObject({ status: 0, stdout: sealed.stdout });
    expect((await ctx("log", "--json")).stdout.split("\n")).toHaveLength(3);
  });

  it("sealing a draft: other logs are packed after one that did not change", async () => {
    fs.writeFileSync(join(folder, "other.json"), json(runLog({ metadata: { other: true } })));
    const { status, stdout } = await ctx("pack", draft, "other.json", "--no-sidecars");
    expect({ status, packs: stdout.match(/ctx:/g)?.length }).toEqual({ status: 1, packs: 1 });
    fs.writeFileSync(join(folder, "bad.json"), "{}");
    expect((await ctx("pack", draft, "bad.json")).status).toBe(2);
  });

  it("sealing a draft: no sidecar is written, in the draft or beside the artifacts of its parent", async () => {
    fs.writeFileSync(join(folder, "answer.txt"), "2\n");
    write("system_prompt.md", "Be brief.");
    expect(await ctx("pack", draft)).toMatchObject({ status: 0, stderr: "" });
    expect(fs.readdirSync(folder).sort()).toEqual([".ctx", "answer.txt"]);
    await ctx("fork", "latest", "mine");
    fs.writeFileSync(join(folder, "mine/outputs/answer.txt"), "3\n");
    expect(await ctx("pack", "mine")).toMatchObject({ status: 0, stderr: "" });
    expect(fs.readdirSync(join(folder, "mine/outputs"))).toEqual(["answer.txt"]);
  });

  it("sealing a draft: all problems are reported at once with their lines, and nothing is lost", async () => {
    fs.rmSync(join(draft, "inputs/notes.txt"));
    fs.rmSync(join(draft, "outputs/answer.txt"));
    fs.symlinkSync("../system_prompt.md", join(draft, "outputs/answer.txt"));
    execFileSync("mkfifo", [join(draft, "fifo")]);
    fs.mkdirSync(join(draft, "inner"));
    fs.symlinkSync("/etc", join(draft, "elsewhere"));
    edit((log) => {
      log.model.identifier = "";
      log.prompts[0] = { role: "user", content_file: "../../../packs" };
      (log.steps[0] as AnyLog)["output_file"] = "fifo";
      (log.steps[1] as AnyLog)["output_file"] = "inner";
      log.steps.push({ type: "tool_call", output_file: "elsewhere/hosts" });
      log["sytem_prompt"] = "x";
    });
    const before = snapshot(folder);
    const { status, stdout, stderr } = await ctx("pack", draft);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.replace(draft, "DRAFT")).toMatchInlineSnapshot(`
      "error: DRAFT/execution.json is not a valid execution log (9 problems)
        line  6: model.identifier: must not be empty
        line 13: prompts[0].content_file: "../../../packs" is not below the log's folder
        line 19: inputs[0].content_file: there is no file "inputs/notes.txt"
        line 29: steps[0].output_file: "fifo" is not a regular file
        line 35: steps[1].output_file: "inner" is not a regular file
        line 38: steps[2].tool: required for a tool_call
        line 40: steps[2].output_file: "elsewhere/hosts" is reached through a link, or a part of the path is not a folder
        line 46: outputs[0].content_file: "outputs/answer.txt" is reached through a link, or a part of the path is not a folder
        line 55: sytem_prompt: unknown field (is it "system_prompt"?)
      "
    `);
    expect(snapshot(folder)).toEqual(before);
    const found = JSON.parse((await ctx("pack", draft, "--json")).stderr) as {
      error: { problems: { line: number }[] };
    };
    expect(found.error.problems.every(({ line }) => line > 1)).toBe(true);
  });

  it("sealing a draft: every missing file is reported where the log is valid", async () => {
    for (const name of ["inputs/notes.txt", "system_prompt.md"]) fs.rmSync(join(draft, name));
    const { status, stderr } = await ctx("pack", draft);
    expect(status).toBe(2);
    expect(stderr).toContain('system_prompt_file: there is no file "system_prompt.md"');
    expect(stderr).toContain('inputs[0].content_file: there is no file "inputs/notes.txt"');
  });

  it("sealing a draft: a folder without a log is refused", async () => {
    fs.mkdirSync(join(folder, "plain"));
    expect(await ctx("pack", "plain")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        "plain is a folder without execution.json, so it is not a draft\nhint: ",
      ),
    });
  });
});

describe("ctx pack --rm", () => {
  beforeEach(async () => {
    await ctx("fork", "latest");
    write("system_prompt.md", "Be brief.");
  });

  it("pack --rm: the draft is removed", async () => {
    expect(await ctx("pack", "--rm", draft)).toMatchObject({ status: 0, stderr: "" });
    expect(fs.existsSync(draft)).toBe(false);
    expect((await ctx("status")).stdout).toContain("No drafts");
  });

  it("pack --rm: a draft is sealed and removed although another name is too long for a file", async () => {
    const { status, stdout, stderr } = await ctx("pack", "--rm", draft, "x".repeat(300));
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("ENAMETOOLONG") as string,
    });
    expect(stdout).toMatch(/^ctx:\/\/[0-9a-f]{64}\n$/);
    expect(fs.existsSync(draft)).toBe(false);
  });

  it("pack --rm: files that the pack does not hold stay and are named", async () => {
    write("notes.txt", "mine");
    write("steps/0000-read_file.out~", "backup");
    fs.appendFileSync(join(draft, "README.md"), "my notes");
    const { status, stderr } = await ctx("pack", "--rm", draft);
    expect(status).toBe(0);
    const left = ["README.md", "notes.txt", "steps/0000-read_file.out~"];
    for (const name of left) expect(stderr).toContain(name);
    const files = fs.readdirSync(draft, { recursive: true, encoding: "utf8" });
    expect(files.sort()).toEqual(["README.md", "notes.txt", "steps", "steps/0000-read_file.out~"]);
  });

  it("pack --rm: files that were dropped from the log are removed, as the parent holds them", async () => {
    edit((log) => {
      log.inputs = [];
      log.steps.pop();
    });
    expect(await ctx("pack", "--rm", draft)).toMatchObject({ status: 0, stderr: "" });
    expect(fs.existsSync(draft)).toBe(false);
  });

  it("pack --rm: the working folder is emptied, but stays", async () => {
    expect(await cli(["pack", "--rm", "."], { folder: draft })).toMatchObject({ status: 0, stderr: "" });
    expect(fs.readdirSync(draft)).toEqual([]);
  });

  it("pack --rm: links are not followed", async () => {
    fs.symlinkSync(draft, join(folder, "link"));
    const { status, stderr } = await ctx("pack", "--rm", "link");
    expect(status).toBe(0);
    expect(stderr).toContain("link is a link, so the draft was not removed");
    expect(fs.existsSync(join(draft, "execution.json"))).toBe(true);
    fs.renameSync(join(root, "drafts"), join(folder, "elsewhere"));
    fs.symlinkSync(join(folder, "elsewhere"), join(root, "drafts"));
    expect(await ctx("status")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("drafts is not a folder"),
    });
  });

  it("pack --rm: a draft that could not be sealed or did not change stays", async () => {
    write("system_prompt.md", "You are terse.");
    const before = snapshot(draft);
    expect((await ctx("pack", "--rm", draft)).status).toBe(1);
    expect(snapshot(draft)).toEqual(before);
    write("execution.json", "{");
    expect((await ctx("pack", "--rm", draft)).status).toBe(2);
    expect(fs.existsSync(join(draft, "system_prompt.md"))).toBe(true);
  });

  it("pack --rm: what ctx fork did not make is never removed", async () => {
    fs.writeFileSync(join(folder, "run.json"), json(runLog()));
    fs.mkdirSync(join(folder, "own"));
    fs.writeFileSync(join(folder, "own/execution.json"), json(runLog()));
    fs.writeFileSync(join(folder, "own/README.md"), "# My project");
    const before = snapshot(folder);
    for (const name of ["run.json", "own", "own/execution.json"])
      expect(await ctx("pack", "--rm", name)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("--rm will not remove it"),
      });
    expect((await cli(["pack", "--rm", "-"], { folder, input: json(runLog()) })).status).toBe(2);
    expect(snapshot(folder)).toEqual(before);
  });
});

describe("ctx fork --set", () => {
  it("fork --set: with --seal the new pack is made at once", async () => {
    fs.writeFileSync(join(folder, "terse.md"), "Be brief.");
    const { status, stdout, stderr } = await ctx(
      "fork",
      "latest",
      "--set=model.parameters.temperature=0",
      "--set=system_prompt=@terse.md",
      "--seal",
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^ctx:\/\/[0-9a-f]{64}\n$/);
    expect(fs.readdirSync(root)).not.toContain("drafts");
    expect(await manifest("latest")).toMatchObject({
      parent: `sha256:${hex}`,
      model: { parameters: { temperature: 0 } },
    });
    expect((await ctx("show", "latest", "--system")).stdout).toContain("Be brief.");
  });

  it("fork --set: without --seal the draft is edited", async () => {
    await cli(["fork", "latest", "--set", "inputs[notes.txt].content=@-", "--set", "model.identifier=m2"], {
      folder,
      input: "three\n",
    });
    expect(fs.readFileSync(join(draft, "inputs/notes.txt"), "utf8")).toBe("three\n");
    expect(fs.readFileSync(join(draft, "execution.json"), "utf8")).toContain('"identifier": "m2"');
  });

  it("fork --set: with --seal and no change the exit status is 1", async () => {
    for (const set of [[], ["--set", "system_prompt=You are terse."], ["--at", "2"]])
      expect(await ctx("fork", "latest", ...set, "--seal")).toMatchObject({
        status: 1,
        stdout: "",
        stderr: expect.stringContaining(`nothing changed since ctx://${hex}`),
      });
  });

  it.each([
    ["x", "must have the form path=value"],
    ["=1", "must have the form path=value"],
    ["a..b=1", "must have the form path=value"],
    ["steps[9].output=x", 'there is no "9" in that list\nhint: its items are 0 to 1'],
    ["inputs[x].content=x", "its items are 0 to 0: notes.txt"],
    ["model.parameters.t=1e999", "too large for a double"],
    ["model.identifer=x", 'model.identifer: unknown field (is it "identifier"?)'],
    ["system_prompt=@none.md", "none.md"],
    ["model.identifier=5", "model.identifier: must be a text, not a number"],
  ])("fork --set: %s is refused, and nothing is made", async (set, message) => {
    for (const more of [[], ["--seal"]]) {
      const { status, stdout, stderr } = await ctx("fork", "latest", "--set", set, ...more);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(message);
    }
    expect(fs.existsSync(join(root, "drafts"))).toBe(false);
  });

  it("fork --seal: a folder is refused", async () => {
    expect((await ctx("fork", "latest", "dir", "--seal")).status).toBe(2);
  });
});

describe("ctx status", () => {
  it("status: each draft is listed with its differences, and what is unfinished", async () => {
    for (let count = 0; count < 4; count++)
      await ctx("fork", "latest", "--set", "created=2026-02-11T00:00:00Z");
    const first = draft;
    const at = (end: string): string => `${first}${end}`;
    fs.writeFileSync(join(at("-2"), "system_prompt.md"), "Be brief.");
    fs.writeFileSync(join(at("-2"), "inputs/notes.txt"), "three");
    draft = at("-3");
    edit((log) => {
      log.model.identifier = 7;
      delete (log.steps[0] as AnyLog)["tool"];
    });
    draft = at("-4");
    fs.rmSync(join(draft, "execution.json"));
    const { status, stdout } = await ctx("status");
    expect(status).toBe(0);
    expect(stdout.replaceAll(hex.slice(0, 12), "HEX")).toMatchInlineSnapshot(`
      ".ctx/drafts/HEX  unedited
        Count the lines of notes.txt.
        from ctx://HEX, forked 2026-02-11 00:00:00 UTC

      .ctx/drafts/HEX-2  edited
        Count the lines of notes.txt.
        from ctx://HEX, forked 2026-02-11 00:00:00 UTC
        System prompts differ
        input notes.txt changed
        to seal it: ctx pack .ctx/drafts/HEX-2

      .ctx/drafts/HEX-3  unfinished
        Count the lines of notes.txt.
        from ctx://HEX
        cannot be sealed; in execution.json:
        line  6: model.identifier: must be a text, not a number
        line 23: steps[0].tool: required for a tool_call

      .ctx/drafts/HEX-4  unfinished
        it has no execution.json: \`ctx fork\` was interrupted, or the draft has been sealed
      "
    `);
    const { drafts } = JSON.parse((await ctx("status", "--json")).stdout) as { drafts: { state: string }[] };
    expect(drafts.map(({ state }) => state)).toEqual(["unedited", "edited", "unfinished", "unfinished"]);
  });

  it("status: a draft that is sealed already is called so, and a parent that is missing is named", async () => {
    await ctx("fork", "latest", "mine");
    fs.writeFileSync(join(folder, "mine/system_prompt.md"), "Be brief.");
    await ctx("pack", "mine");
    expect((await ctx("status", "mine")).stdout).toMatch(/^mine {2}sealed\n/);
    await ctx("rm", "--force", hex);
    const { stdout } = await ctx("status", "mine");
    expect(stdout).toContain("(not in this store)");
    expect(await ctx("show", "latest")).toMatchObject({
      stdout: expect.stringContaining(`${hex.slice(0, 12)}  (not in this store)`),
    });
    expect((await ctx("log", "--graph")).stdout).toContain(
      `its parent ${hex.slice(0, 12)} is not in this store`,
    );
    expect((await ctx("log", "--json")).stdout).toContain('"parent_absent":true');
  });

  it("status: a folder that is no draft is an error, and a parent that is gone is reported", async () => {
    fs.mkdirSync(join(folder, "plain"));
    expect(await ctx("status", "nowhere")).toMatchObject({ status: 2, stdout: "" });
    expect((await ctx("status", "plain")).stderr).toContain("plain is not a draft");
    await ctx("fork", "latest");
    await ctx("rm", "--force", hex);
    // gc keeps the manifest for the draft.
    expect((await ctx("status")).stdout).toContain("unedited");
    fs.rmSync(join(root, "objects", hex.slice(0, 2), hex.slice(2)));
    expect((await ctx("status")).stdout).toMatch(
      /unknown\n.*not in this store.*\n.*cannot say what was edited/,
    );
  });

  it("status: a change that is no drift is listed", async () => {
    await ctx("fork", "latest");
    edit((log) => {
      (log.steps[0] as AnyLog)["timestamp"] = "2026-02-10T11:59:57Z";
    });
    expect((await ctx("status")).stdout).toContain("order, times or metadata of some parts changed");
    edit((log) => {
      log["metadata"] = { why: "to see" };
    });
    expect((await ctx("status")).stdout).toContain("metadata changed");
  });
});
