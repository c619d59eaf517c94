import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownId } from "../../src/base/owner-id.js";
import { cli, type CliResult } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { itWith, root } from "../../dev/needs.js";

function hook(folder: string, ...argv: string[]): Promise<CliResult> {
  return cli(["hook", ...argv], { folder });
}

/** Returns a home with the folder of Claude Code's settings in it. */
function home(): { folder: string; file: string } {
  const { folder } = tempStore();
  fs.mkdirSync(join(folder, ".nobody/.claude"), { recursive: true });
  return { folder, file: join(folder, ".nobody/.claude/settings.json") };
}

function repository(): { folder: string; file: string } {
  const { folder } = tempStore();
  execFileSync("git", ["init", "-q", folder]);
  return { folder, file: join(folder, ".git/hooks/post-commit") };
}

describe("ctx hook and unusual files", () => {
  it.each([
    ["bytes that are no UTF-8", Buffer.from('{"name":"caf\xe9"}', "latin1"), "is not text in UTF-8"],
    ["JSON cut off", Buffer.from('{"a":'), "is not JSON: line 1"],
  ])("hook: settings with %s are refused and left as they are", async (_name, bytes, why) => {
    const { folder, file } = home();
    fs.writeFileSync(file, bytes);
    const { status, stderr } = await hook(folder, "install", "claude-code", "--yes");
    expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(fs.readFileSync(file)).toEqual(bytes);
    const listed = await hook(folder);
    expect([listed.status, listed.stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(listed.stdout).toMatch(/^codex +not installed/m);
  });

  it.each([
    ["nowhere.json", "is a broken link"],
    ["/dev/null", "is not a regular file"],
    ["..", "is not a regular file"],
  ])("hook: settings that are a link to %s are refused", async (target, why) => {
    const { folder, file } = home();
    fs.symlinkSync(target, file);
    const { status, stderr } = await hook(folder, "install", "claude-code", "--dry-run");
    expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(fs.readlinkSync(file)).toBe(target);
  });

  it("hook: what a killed process left beside the settings is cleared, of a live one it stays", async () => {
    const { folder, file } = home();
    const [place, , ...rest] = ownId().split(".");
    const of = (id: string): string => join(file, `../.ctx-${id}.tmp`);
    const [dead, alive] = [of([place, 4194305, ...rest].join(".")), of(ownId())];
    for (const path of [dead, alive]) fs.writeFileSync(path, "{");
    await hook(folder, "install", "claude-code", "--yes");
    expect([fs.existsSync(dead), fs.existsSync(alive)]).toEqual([false, true]);
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toHaveProperty("hooks.SessionEnd");
  });

  it("hook: remove takes out only its own command where others stand beside it", async () => {
    const { folder, file } = home();
    await hook(folder, "install", "claude-code", "--yes");
    const value = JSON.parse(fs.readFileSync(file, "utf8"));
    value.hooks.SessionEnd[0].hooks.push({ type: "command", command: "mine" });
    fs.writeFileSync(file, JSON.stringify(value));
    expect((await hook(folder, "install", "claude-code", "--yes")).stdout).toContain(
      "the hook is already installed",
    );
    await hook(folder, "remove", "claude-code");
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({
      hooks: { SessionEnd: [{ hooks: [{ type: "command", command: "mine" }] }] },
    });
  });

  it("hook: a program whose name ends in ctx is not taken for it, and bad notes are no error", async () => {
    const { folder, file } = home();
    const text = '{"hooks":{"SessionEnd":[{"hooks":[{"command":"my-ctx hook run claude-code"}]}]}}';
    fs.writeFileSync(file, text);
    expect((await hook(folder, "remove", "claude-code")).stdout).toContain("the hook is not installed");
    const state = join(folder, ".nobody/.local/state/ctx");
    fs.mkdirSync(state, { recursive: true });
    fs.writeFileSync(join(state, "hook-runs.jsonl"), '{"hook":"codex","time":"x","packs":[1]}\nnull\n');
    expect((await hook(folder)).status).toBe(0);
  });

  itWith([root], "hook: settings keep their owner and mode", async () => {
    const { folder, file } = home();
    fs.writeFileSync(file, "{}", { mode: 0o640 });
    fs.chownSync(file, 1234, 1235);
    await hook(folder, "install", "claude-code", "--yes");
    const { uid, gid, mode } = fs.statSync(file);
    expect([uid, gid, mode & 0o777]).toEqual([1234, 1235, 0o640]);
  });

  it("hook: git's hook is not put into a script that is not executable", async () => {
    const { folder, file } = repository();
    fs.writeFileSync(file, "#!/bin/sh\necho asleep\n", { mode: 0o644 });
    const { status, stderr } = await hook(folder, "install", "git", "--yes");
    expect([status, stderr]).toEqual([2, expect.stringContaining("it is not executable")]);
    expect(fs.statSync(file).mode & 0o777).toBe(0o644);
  });

  it("hook: removing git's hook restores a script, also one with lines that look like its own", async () => {
    const { folder, file } = repository();
    for (const text of ["#!/bin/sh\n", "#!/bin/sh\n# >>> ctx-other\nx\n# <<< ctx-other\n"]) {
      fs.writeFileSync(file, text, { mode: 0o755 });
      await hook(folder, "install", "git", "--yes");
      expect(fs.readFileSync(file, "utf8")).toContain("hook run git");
      await hook(folder, "remove", "git");
      expect(fs.readFileSync(file, "utf8")).toBe(text);
    }
  });

  it("hook: the error names the path where git's hooks are turned off", async () => {
    const { folder } = repository();
    execFileSync("git", ["-C", folder, "config", "core.hooksPath", "/dev/null"]);
    expect((await hook(folder)).stdout).toMatch(/^git +not installed/m);
    const { status, stderr } = await hook(folder, "install", "git", "--yes");
    expect([status, stderr]).toEqual([2, expect.stringContaining("cannot create /dev/null")]);
  });

  it("hook: git's hook is refused where the path of the repository has a line feed", async () => {
    const folder = join(tempFolder(), "a\nb");
    fs.mkdirSync(folder);
    execFileSync("git", ["init", "-q", folder]);
    const { status, stderr } = await hook(folder, "install", "git", "--yes");
    expect([status, stderr]).toEqual([2, expect.stringContaining("there is no git repository here")]);
    expect(fs.readdirSync(folder)).toEqual([".git"]);
  });

  it("hook: the path of the working folder is printed escaped", async () => {
    const folder = join(tempFolder(), "a\u001b[31mb");
    fs.mkdirSync(folder);
    await cli(["init"], { folder });
    const { stdout } = await hook(folder, "install", "claude-code", "--dry-run");
    expect(stdout).toContain("the only store found here is for");
    expect(stdout).not.toContain("\u001b");
  });
});
