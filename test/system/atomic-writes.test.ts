// Files that ctx writes outside the store's batch, as a power cut would find them: by a trace of the built
// program. Each command writes one of them; without any of its flushes, the check of the trace must notice.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { describeWith, program } from "../../dev/needs.js";
import { ctxCommand, runCtx, type StartOptions } from "../../dev/processes.js";
import { callsAbout, copyOf, emptyStore, must, packArgs, sceneFolder } from "../../dev/scenes.js";
import { type Call, type Fault, inject, record } from "../../dev/strace.js";
import { ablations, stepsOf, violations } from "../../dev/trace-check.js";

interface Scene {
  folder: string;
  args: readonly string[];
}

/** Returns a user whose settings and state are in the folder. */
function at(folder: string): StartOptions {
  return { env: { HOME: join(folder, "home"), XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: "" } };
}

async function packed(...args: string[]): Promise<Scene> {
  const folder = await emptyStore();
  await must(folder, packArgs);
  fs.mkdirSync(join(folder, "home/.claude"), { recursive: true });
  fs.writeFileSync(join(folder, "home/.claude/settings.json"), "{}\n");
  return { folder, args };
}

const scenes: Record<string, () => Promise<Scene>> = {
  "an exported file": () => packed("export", "latest", "-o", "out.ctx"),
  "an exported file that replaces another": async () => {
    const scene = await packed("export", "latest", "-o", "out.ctx", "--force");
    fs.writeFileSync(join(scene.folder, "out.ctx"), "old");
    return scene;
  },
  "a sidecar": () => packed("verify", "--write-sidecar", "answer.txt", "--notes", "by hand"),
  "trust and the note that a store accepts sessions": () => packed("trust"),
  "an agent's settings and the memory of its hook": () => packed("hook", "install", "claude-code", "--yes"),
  "the first remote": () => packed("remote", "add", "team", "oci://registry.example.com/team/runs"),
  "git's list of excluded files": async () => {
    const folder = sceneFolder();
    execFileSync("git", ["init", "-q", folder]);
    fs.mkdirSync(join(folder, "home"));
    return { folder, args: ["init"] };
  },
};

/** Returns the files that got their names in a trace, outside the store. */
function namedIn(trace: string): string[] {
  const steps = [...stepsOf(trace)].filter(({ name }) => /^(?:rename|link)/.test(name));
  return steps.map(({ paths }) => paths[1] ?? "").filter((path) => !path.includes("/.ctx/"));
}

describeWith([program("strace"), program("git")], "files outside the store's batch after a power cut", () => {
  it.each(Object.keys(scenes))("a power cut neither tears nor loses %s", async (name) => {
    const { folder, args } = await (scenes[name] as () => Promise<Scene>)();
    const { trace, ended } = await record(ctxCommand(folder, args), [], at(folder));
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
    const order = { root: join(folder, ".ctx") };
    expect(violations(trace, order)).toEqual([]);
    const missed = [...ablations(trace)].filter(({ traces }) =>
      traces.every((other) => violations(other, order).length > 0),
    );
    const flushed = missed.map(({ flush }) => flush.replace(/^fsync /, ""));
    const named = namedIn(trace);
    expect(named.length).toBeGreaterThanOrEqual(1);
    expect(flushed).toEqual(expect.arrayContaining(named.map((file) => dirname(file))));
    expect(
      flushed.filter((path) => !path.includes("/.ctx/") && /\/\.ctx-[^/]*\.tmp$/.test(path)).length,
    ).toBe(named.length);
  });
});

/** Returns the call that writes the bytes aside. */
async function writing(scene: Scene): Promise<Call> {
  const folder = copyOf(scene.folder);
  const { trace } = await record(ctxCommand(folder, scene.args), [], at(folder));
  const call = callsAbout(trace, folder).find(({ what }) => what.startsWith("write @/.ID.tmp"));
  if (call === undefined) throw new Error("nothing is written aside");
  return call;
}

describeWith([program("strace")], "an exported file and faults of writing it", () => {
  it.each([
    ["a write cut short without an error", { retval: 1 }, "bytes were written"],
    ["a write that fails", { error: "ENOSPC" }, "(ENOSPC)"],
  ] as [string, Fault, string][])(
    "an exported file does not appear after %s, and nothing is left",
    async (_name, fault, message) => {
      const scene = await packed("export", "latest", "-o", "out.ctx");
      const { folder, ended } = await inject(
        await writing(scene),
        fault,
        () => copyOf(scene.folder),
        (copy) => ctxCommand(copy, scene.args),
        at,
      );
      expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(ended.stderr).toContain("out.ctx");
      expect(fs.readdirSync(folder).filter((name) => /^out|^\.ctx-/.test(name))).toEqual([]);
    },
  );

  it("an export that was killed half-way is cleared by the next export", async () => {
    const scene = await packed("export", "latest", "-o", "out.ctx");
    const { folder } = await inject(
      await writing(scene),
      { signal: "SIGKILL" },
      () => copyOf(scene.folder),
      (copy) => ctxCommand(copy, scene.args),
      at,
    );
    const left = (): string[] => fs.readdirSync(folder).filter((name) => /^out|^\.ctx-/.test(name));
    expect(left()).toEqual([expect.stringMatching(/^\.ctx-.*\.tmp$/)]);
    expect((await runCtx(folder, scene.args, at(folder))).status).toBe(0);
    expect(left()).toEqual(["out.ctx"]);
  });
});
