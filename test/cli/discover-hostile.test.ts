import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { packDiscovered } from "../../src/ops/pack-discovered.js";
import { cli } from "../../dev/cli.js";
import { sessionStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { runLog } from "../../dev/logs.js";
import { itWith, only } from "../../dev/needs.js";

function put(home: string, path: string, text: string): string {
  const file = join(home, path);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}

function claude(session: string, text: string): string {
  const timestamp = "2026-02-10T12:00:00.000Z";
  const message = { role: "user", content: text };
  return lines({ type: "user", uuid: "u", sessionId: session, cwd: "/p", timestamp, message });
}

const project = ".claude/projects/p";

const sharedMemory = only("/dev/shm", fs.existsSync("/dev/shm"));

describe("ctx discover with hostile or damaged files", () => {
  it("discover: a path that is a link to itself is skipped and named", async () => {
    const { folder } = sessionStore();
    const home = join(folder, ".nobody");
    put(home, `${project}/s.jsonl`, claude("s", "hello"));
    fs.symlinkSync(".codex", join(home, ".codex"));
    put(home, ".cline", "a file where a folder would be");
    const { status, stdout, stderr } = await cli(["pack", "--discover"], { folder });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ctx:/)]);
    expect(stderr).toContain(`cannot read ${join(home, ".codex")}: ELOOP`);
    expect(stderr.match(/cannot read/g)).toHaveLength(1);
  });

  itWith([sharedMemory], "discover: a file with a modification time out of range is listed", async () => {
    const { folder } = sessionStore();
    const home = fs.mkdtempSync("/dev/shm/ctx-test-");
    onTestFinished(() => fs.rmSync(home, { recursive: true }));
    const file = put(home, `${project}/s.jsonl`, claude("s", "hello"));
    for (const time of ["@253402300900", "@9000000000000000", "@-99999999999"]) {
      execFileSync("touch", ["-d", time, file]);
      const { status, stdout } = await cli(["discover", "--json"], { folder, env: { HOME: home } });
      expect([status, JSON.parse(stdout).session]).toEqual([0, "s"]);
    }
  });

  it("discover: a name that is not UTF-8 is reported, and a relative path in a variable is resolved", async () => {
    const { folder } = sessionStore();
    put(folder, "moved/projects/p/s.jsonl", claude("s", "hello"));
    fs.writeFileSync(Buffer.from(join(folder, "moved/projects/p/caf\xe9.jsonl"), "latin1"), "{}");
    const env = { CLAUDE_CONFIG_DIR: "moved" };
    const { stdout, stderr } = await cli(["discover", "--json"], { folder, env });
    expect(JSON.parse(stdout).path).toBe(join(folder, "moved/projects/p/s.jsonl"));
    expect(stderr).toContain("caf\ufffd.jsonl: its name is not UTF-8");
    const hook = await cli(["hook", "--json"], { folder, env });
    expect(JSON.parse(hook.stdout.split("\n")[0] as string).file).toBe(join(folder, "moved/settings.json"));
  });

  it("discover: every log is packed, also when several have the same session", async () => {
    const { folder } = sessionStore();
    const home = join(folder, ".nobody");
    put(home, `${project}/s.jsonl`, claude("s", "hello"));
    await cli(["pack", "--discover"], { folder });
    const other = put(home, `${project}/branch.jsonl`, claude("s", "something else"));
    fs.utimesSync(other, new Date("2026-02-10T11:00:00Z"), new Date("2026-02-10T11:00:00Z"));
    expect((await cli(["pack", "--discover"], { folder })).stdout).toMatch(/^ctx:/);
    expect((await cli(["pack", "--discover"], { folder })).stdout).toBe("");
  });

  it("discover: a session is packed again when only one of its sub-agents went on", async () => {
    const { folder } = sessionStore();
    const home = join(folder, ".nobody");
    put(home, `${project}/s.jsonl`, claude("s", "hello"));
    await cli(["pack", "--discover"], { folder });
    const agent = claude("s", "look around").replace('"uuid"', '"isSidechain":true,"agentId":"a1","uuid"');
    put(home, `${project}/s/subagents/agent-a1.jsonl`, agent);
    expect((await cli(["pack", "--discover"], { folder })).stdout).toMatch(/^ctx:/);
    expect((await cli(["pack", "--discover"], { folder })).stdout).toBe("");
    // A link below the places is not followed, here either.
    fs.renameSync(join(home, project, "s"), join(home, "elsewhere"));
    fs.symlinkSync(join(home, "elsewhere"), join(home, project, "s"));
    const { stdout } = await cli(["discover", "--json"], { folder });
    expect(JSON.parse(stdout).size).toBe(fs.statSync(join(home, project, "s.jsonl")).size);
  });

  it("discover: the other logs are packed when ctx fails on one with a bug", async () => {
    const store = sessionStore();
    const { folder } = store;
    const home = join(folder, ".nobody");
    for (const name of ["a", "b"]) put(home, `${project}/${name}.jsonl`, claude(name, name));
    const failed: string[] = [];
    let isFirst = true;
    const result = packDiscovered(
      store,
      { home, folder, env: {} },
      {
        progress({ bytes }) {
          if (bytes === 0 || !isFirst) return;
          isFirst = false;
          throw new TypeError("oops");
        },
        packed: () => undefined,
        failed: ({ code, message }) => void failed.push(`${code}: ${message}`),
        unreadable: () => undefined,
      },
    );
    expect(result).toMatchObject({ packed: 1, failed: 1 });
    expect(failed).toEqual([expect.stringMatching(/^internal: .*[ab]\.jsonl: TypeError: oops$/)]);
  });

  it.each([
    ["file", "s.jsonl"],
    ["folder", ""],
  ])("discover: nothing is packed when a %s is replaced by a link after the session was found", (_, part) => {
    const store = sessionStore();
    const { folder } = store;
    const home = join(folder, ".nobody");
    const log = put(home, `${project}/s.jsonl`, claude("s", "mine"));
    put(home, "elsewhere/s.jsonl", claude("s", "somebody else's"));
    const failed: string[] = [];
    const result = packDiscovered(
      store,
      { home, folder, env: {} },
      {
        progress({ bytes }) {
          const place = join(home, project, part);
          if (bytes > 0 || fs.lstatSync(place).isSymbolicLink()) return;
          fs.renameSync(place, join(home, "aside"));
          fs.symlinkSync(join(home, "elsewhere", part), place);
        },
        packed: () => undefined,
        failed: ({ code, message }) => void failed.push(`${code}: ${message}`),
        unreadable: () => undefined,
      },
    );
    expect(result).toMatchObject({ packed: 0, failed: 1 });
    expect(failed).toEqual([
      expect.stringMatching(`^io: cannot read the log ${log}: it was replaced by a link`),
    ]);
    expect(fs.readdirSync(join(store.root, "packs"))).toEqual([]);
  });

  it("discover: a session that its agent replaced after it was found is packed", () => {
    const store = sessionStore();
    const { folder } = store;
    const home = join(folder, ".nobody");
    const log = put(home, `${project}/s.jsonl`, claude("s", "first"));
    const result = packDiscovered(
      store,
      { home, folder, env: {} },
      {
        progress({ bytes }) {
          if (bytes > 0) return;
          fs.writeFileSync(`${log}.new`, claude("s", "second"));
          fs.renameSync(`${log}.new`, log);
        },
        packed: () => undefined,
        failed: () => undefined,
        unreadable: () => undefined,
      },
    );
    expect(result).toMatchObject({ packed: 1, failed: 0 });
  });

  it("discover: packing writes no sidecar beside what a log names", async () => {
    const { folder } = sessionStore();
    const home = join(folder, ".nobody");
    const outputs = [{ name: "answer.txt", content_file: "answer.txt" }];
    put(home, `${project}/answer.txt`, "2\n");
    put(home, `${project}/s.jsonl`, JSON.stringify(runLog({ outputs })));
    const { stdout, stderr } = await cli(["pack", "--discover"], { folder });
    expect(stdout, stderr).toMatch(/^ctx:/);
    expect(fs.readdirSync(join(home, project)).sort()).toEqual(["answer.txt", "s.jsonl"]);
  });
});
