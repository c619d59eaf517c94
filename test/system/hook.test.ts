import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ctx, program, starter, words } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";

/**
 * As an agent would: the command line of the hook that was installed, by a shell, with the payload on
 * standard input.
 */
function callHook(home: string, cwd: string, payload: string): ReturnType<typeof spawnSync> {
  const settings = JSON.parse(fs.readFileSync(join(home, ".claude/settings.json"), "utf8"));
  const { command } = settings.hooks.SessionEnd[0].hooks[0];
  return spawnSync("/bin/sh", ["-c", command], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    input: payload,
    encoding: "utf8",
  });
}

describe("an installed hook", () => {
  const home = tempFolder();
  const log = join(home, ".claude/projects/p/s1.jsonl");
  const env = { HOME: home };
  const payload = JSON.stringify({ session_id: "s1", transcript_path: log, cwd: home });

  it("an installed hook returns without output, and the session is sealed soon after", async () => {
    ctx(["init"], { cwd: home, env });
    fs.mkdirSync(join(log, ".."), { recursive: true });
    const message = { role: "user", content: "hello" };
    const timestamp = "2026-02-10T12:00:00.000Z";
    fs.writeFileSync(log, lines({ type: "user", uuid: "u", sessionId: "s1", cwd: "/p", timestamp, message }));
    expect(ctx(["hook", "install", "claude-code", "--yes"], { cwd: home, env }).status).toBe(0);
    expect(callHook(home, home, payload)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const runs = join(home, ".local/state/ctx/hook-runs.jsonl");
    for (let tries = 0; tries < 200 && !fs.existsSync(runs); tries++) await sleep(50);
    expect(JSON.parse(fs.readFileSync(runs, "utf8"))).toMatchObject({ log, packs: [expect.any(String)] });
    expect(ctx(["log", "--session", "s1", "--json"], { cwd: home, env }).stdout).toContain('"session":"s1"');
  });

  it("an installed hook works in a folder that was deleted", () => {
    const gone = join(home, "gone");
    fs.mkdirSync(gone);
    const { hooks } = JSON.parse(fs.readFileSync(join(home, ".claude/settings.json"), "utf8"));
    const command = hooks.SessionEnd[0].hooks[0].command.replace(/ >.*/, " </dev/null 2>&1");
    const inIt = ["-c", `rmdir ${gone} && { ${command}; }`];
    const ran = spawnSync("/bin/sh", inIt, { cwd: gone, env: { ...env, PWD: gone }, encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stdout: "" });
  });

  it("an installed hook never fails the agent, whatever is wrong", () => {
    expect(callHook(home, home, "no json")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(callHook(home, "/", JSON.stringify({ cwd: "/" }))).toMatchObject({ status: 0, stdout: "" });
    const settings = join(home, ".claude/settings.json");
    const text = fs.readFileSync(settings, "utf8");
    fs.writeFileSync(settings, text.replace(program, `${program}-that-is-gone`));
    expect(callHook(home, home, payload)).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  it("an installed hook does not wait for the end of its input", async () => {
    const child = spawn(starter, [...words, "__seal", "codex"], {
      env: { PATH: process.env["PATH"], HOME: home },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = once(child, "exit");
    child.stdin.write('{"session_id":');
    await sleep(100);
    child.stdin.write('"s9"}');
    expect(await ended).toEqual([0, null]);
  });
});
