// Files of packs and the rest of the world: other programs that copy them, users that are not root, pipes,
// and git.
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ctx, line, run } from "../../dev/built.js";
import { lastingFolder, tempFolder } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, failures, runCtx, together } from "../../dev/processes.js";
import { flawsOf, leftovers } from "../../dev/store-check.js";

/** Returns a folder with a store in it. */
function newStore(...options: string[]): string {
  const folder = tempFolder();
  expect(ctx(["init", ...options], { cwd: folder }).status).toBe(0);
  return folder;
}

function pack(folder: string, log: object): string {
  const { stdout, stderr } = ctx(["pack", "-", "--no-sidecars"], { cwd: folder, input: json(log) });
  expect(stdout, stderr).toMatch(/^ctx:\/\/[0-9a-f]{64}\n$/);
  return stdout.trim().slice(6);
}

function listed(folder: string): string[] {
  const { stdout } = ctx(["log", "--json"], { cwd: folder });
  return stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { hash: string }).hash.slice(7))
    .sort();
}

/** Imports a file, and returns the packs of the store afterwards. */
function imported(file: string): string[] {
  const to = newStore();
  const { status, stderr } = ctx(["import", file], { cwd: to });
  expect(status, stderr).toBe(0);
  expect(ctx(["verify", "--all"], { cwd: to }).status).toBe(0);
  return listed(to);
}

function sound(folder: string): void {
  const { status, stdout } = ctx(["verify", "--all"], { cwd: folder });
  expect(status, stdout).toBe(0);
}

/** Returns how many files an import has written aside. */
function stagedIn(folder: string): number {
  return fs.readdirSync(join(folder, ".ctx/tmp"), { recursive: true }).length;
}

const large = "large ".repeat(200_000);

describeWith([program("skopeo")], "a bundle that skopeo copied", () => {
  /** Runs in a folder that every user can write to. */
  let folder: string;
  let hex: string;

  beforeAll(() => {
    const maker = newStore();
    const parent = pack(maker, smallLog());
    hex = pack(maker, runLog({ parent: `sha256:${parent}`, inputs: [{ name: "a", content: large }] }));
    folder = lastingFolder();
    fs.chmodSync(folder, 0o777);
    ctx(["export", hex, "-o", join(folder, "run.ctx")], { cwd: maker });
    ctx(["export", "--all", "-o", join(folder, "all.ctx")], { cwd: maker });
    // Exported files are their owner's alone, and skopeo runs as another user.
    for (const file of ["run.ctx", "all.ctx"]) fs.chmodSync(join(folder, file), 0o644);
  });

  /** As an ordinary user, where we are root. */
  function skopeo(...args: string[]): void {
    const drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const isRoot = process.geteuid?.() === 0;
    const [command = "", ...rest] = [...(isRoot ? drop : []), "skopeo", "--insecure-policy", ...args];
    const env = { HOME: folder, XDG_RUNTIME_DIR: folder, XDG_DATA_HOME: folder, TMPDIR: folder };
    const { status, stderr } = run(command, rest, { cwd: folder, env });
    expect(status, stderr).toBe(0);
  }

  it("a bundle that skopeo copied to an archive can be imported and verified", () => {
    skopeo("copy", "oci-archive:run.ctx", "oci-archive:again.ctx");
    expect(imported(join(folder, "again.ctx"))).toEqual([hex]);
    expect(ctx(["verify", join(folder, "again.ctx")], { cwd: folder }).status).toBe(0);
  });

  it("a bundle that skopeo copied to a folder can be imported as a tar of that folder", () => {
    skopeo("copy", "oci-archive:run.ctx", "oci:folder");
    execFileSync("tar", ["-cf", "folder.tar", "-C", "folder", "."], { cwd: folder });
    expect(imported(join(folder, "folder.tar"))).toEqual([hex]);
  });

  it("a pack that skopeo copied out of a bundle of several, by its hash, can be imported", () => {
    skopeo("copy", `oci-archive:all.ctx:${hex}`, "oci-archive:one.ctx");
    expect(imported(join(folder, "one.ctx"))).toEqual([hex]);
  });
});

describe("a bundle", () => {
  it("a bundle can be exported and imported through a pipe", () => {
    const [from, to] = [newStore(), newStore()];
    const hex = pack(from, runLog({ inputs: [{ name: "a", content: large }] }));
    const { status, stdout, stderr } = run(
      "sh",
      ["-c", `${line} -C "${from}" export latest -o - 2>told | ${line} -C "${to}" import /dev/stdin`],
      { cwd: tempFolder() },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `ctx://${hex}\n`, stderr: "" });
    expect(listed(to)).toEqual([hex]);
  });

  it("a bundle can be imported by several processes at once", async () => {
    const [from, to] = [newStore(), newStore()];
    const hex = pack(from, runLog({ inputs: [{ name: "a", content: large }] }));
    ctx(["export", "latest", "-o", "run.ctx"], { cwd: from });
    const ended = await together(to, 4, () => ["import", join(from, "run.ctx")]);
    expect(failures(ended)).toEqual([]);
    expect(listed(to)).toEqual([hex]);
    expect(flawsOf(to, hex)).toEqual([]);
    expect(leftovers(to)).toEqual([]);
  });

  it("a bundle is a tar that tar can list", () => {
    const folder = newStore();
    pack(folder, runLog());
    ctx(["export", "latest", "-o", "run.ctx"], { cwd: folder });
    const { status, stdout } = run("tar", ["-tf", "run.ctx"], { cwd: folder });
    expect(status).toBe(0);
    expect(stdout.split("\n").slice(0, 4)).toEqual(["oci-layout", "index.json", "blobs/", "blobs/sha256/"]);
  });

  it("a large bundle is imported completely or not at all, whenever the import is killed", async () => {
    const maker = newStore();
    const inputs = Array.from({ length: 40 }, (_, at) => ({
      name: `${at}`,
      content: `${at} `.repeat(150_000),
    }));
    const steps = Array.from({ length: 400 }, (_, at) => ({ type: "reasoning", output: `thought ${at}` }));
    const hex = pack(maker, smallLog({ inputs, steps }));
    ctx(["export", "latest", "-o", "run.ctx", "--allow-secrets"], { cwd: maker });
    const to = newStore();
    const bytes = fs.readFileSync(join(maker, "run.ctx"));
    for (const share of [0.1, 0.5, 1]) {
      // It waits for more, or at least for the end of its input, and is killed there.
      const [command = "", ...args] = ctxCommand(to, ["import", "-"]);
      const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] });
      const ended = new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
      child.stdin.on("error", () => undefined);
      child.stdin.write(bytes.subarray(0, bytes.length * share - 1));
      const least = Math.max(1, Math.floor(30 * share));
      await expect.poll(() => stagedIn(to), { timeout: 30_000 }).toBeGreaterThanOrEqual(least);
      child.kill("SIGKILL");
      expect(await ended).toBe("SIGKILL");
      expect(fs.readdirSync(join(to, ".ctx/packs"))).toEqual([]);
      expect((await runCtx(to, ["verify", "--all"])).status).toBe(0);
    }
    expect((await runCtx(to, ["import", join(maker, "run.ctx")])).status).toBe(0);
    expect(listed(to)).toEqual([hex]);
    expect(leftovers(to)).toEqual([]);
    expect(flawsOf(to, hex)).toEqual([]);
  });
});

describeWith([program("git")], "a store in a git repository", () => {
  const env = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };

  function git(cwd: string, ...args: string[]): string {
    const { status, stdout, stderr } = run("git", args, { cwd, env });
    expect(status, stderr).toBe(0);
    return stdout;
  }

  it("a store in a git repository can be cloned and merged like any folder", () => {
    const folder = newStore("--shared");
    git(folder, "init", "-q", "-b", "main");
    const first = pack(folder, runLog({ inputs: [{ name: "crlf", content: "one\r\ntwo\r\n" }] }));
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "one");
    const added = ["left", "right"].map((branch, at) => {
      git(folder, "switch", "-qc", branch, "main");
      const hex = pack(
        folder,
        runLog({ created: `2026-03-0${at + 1}T12:00:00Z`, parent: `sha256:${first}` }),
      );
      expect(ctx(["tag", branch, hex], { cwd: folder }).status).toBe(0);
      git(folder, "add", "-A");
      git(folder, "commit", "-qm", branch);
      return hex;
    });
    expect(listed(folder)).toEqual([first, added[1] ?? ""].sort());
    sound(folder);
    git(folder, "switch", "-q", "main");
    for (const branch of ["left", "right"]) git(folder, "merge", "-q", "-m", "both", branch);
    expect(listed(folder)).toEqual([first, ...added].sort());
    sound(folder);
    expect(git(folder, "status", "--porcelain")).toBe("");
    const clone = join(tempFolder(), "clone");
    // Also where git is configured to change line ends.
    git(folder, "-c", "core.autocrlf=true", "clone", "-q", folder, clone);
    sound(clone);
    expect(listed(clone)).toEqual([first, ...added].sort());
    expect(ctx(["show", "right", "--json"], { cwd: clone }).stdout).toContain(added[1] ?? "");
    expect(git(clone, "status", "--porcelain")).toBe("");
    const exports = [folder, clone].map((cwd) => ctx(["export", "--all", "-o", "-"], { cwd }).stdout);
    expect(exports[0]).toBe(exports[1]);
    expect(ctx(["pack", "-", "--no-sidecars"], { cwd: clone, input: json(smallLog()) }).status).toBe(0);
  });
});
