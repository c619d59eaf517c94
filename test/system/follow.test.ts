// `ctx show --follow` while a log is being written: the built program reads, and the test writes as an agent
// does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { starter, words } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { agentTranscript, sessionId, transcript } from "../../dev/sessions.js";
import { codexSpecimens } from "../../dev/specimens/earlier.js";

const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

class Following {
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;

  constructor(folder: string, ...argv: string[]) {
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      COLUMNS: "100",
      XDG_CACHE_HOME: join(folder, ".cache"),
    };
    const child = spawn(starter, [...words, "show", "--follow", ...argv], { cwd: folder, env });
    running.add(child);
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (this.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (this.stderr += text));
    this.#child = child;
  }

  /** Waits until the output has this text. */
  async until(text: string, stream: "stdout" | "stderr" = "stdout"): Promise<void> {
    for (let left = 600; !this[stream].includes(text); left--) {
      if (left === 0 || this.#child.exitCode !== null)
        throw new Error(`no "${text}" in ${stream}:\n${this.stdout}\n${this.stderr}`);
      await pause(50);
    }
  }

  /** Presses Ctrl-C, and returns the exit status. */
  async interrupt(signal: NodeJS.Signals = "SIGINT"): Promise<number | NodeJS.Signals | null> {
    const ended = once(this.#child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    this.#child.kill(signal);
    const [status, by] = await ended;
    return status ?? by;
  }
}

/** Returns the rows without their times and paddings. */
function rows(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) =>
      line
        .trim()
        .replaceAll(/ {2,}/g, " ")
        .replace(/\+\d[\d.smh]* /, ""),
    );
}

/** Waits long enough for the program to have looked at the log several times. */
const quiet = async (): Promise<void> => await pause(1200);

const records = transcript();

describe("show --follow", () => {
  it("show --follow: prints each step of a Claude Code session once, when its call is answered", async () => {
    const folder = tempFolder();
    const log = join(folder, "s.jsonl");
    fs.writeFileSync(log, "");
    const following = new Following(folder, "s.jsonl");
    await quiet();
    expect(following).toMatchObject({ stdout: "" });
    fs.appendFileSync(log, lines(records[0]));
    await following.until("Make two pages of it.");
    fs.appendFileSync(log, lines(records[1]));
    await quiet();
    // The call has no answer yet.
    expect(following.stdout).not.toContain("Task");
    const answer = lines(records[2]);
    fs.appendFileSync(log, answer.slice(0, 60));
    await quiet();
    expect(following.stdout).not.toContain("Task");
    fs.appendFileSync(log, answer.slice(60) + lines(...records.slice(3)));
    await following.until("Two pages it is.");
    expect(await following.interrupt()).toBe(0);
    expect(following.stderr.match(/following s\.jsonl; Ctrl-C ends it/g)).toHaveLength(1);
    expect(following.stderr).not.toContain("error");
    expect(rows(following.stdout)).toEqual([
      "turn 0 Make two pages of it.",
      "0 ~ Task 7 B Who reads it? → Nobody.",
      "1 = Edit 7 B pages.txt new_string=two pages old_string=on… → updated",
      "2 ~ message 16 B Two pages it is.",
    ]);
  });

  it("show --follow: prints each step of a Codex session once, in order", async () => {
    const folder = tempFolder();
    const log = join(folder, "rollout.jsonl");
    const all = (codexSpecimens[0] as string).split("\n").filter(Boolean);
    fs.writeFileSync(log, `${all[0]}\n`);
    const following = new Following(folder, "rollout.jsonl", "--json");
    for (const record of all.slice(1)) {
      fs.appendFileSync(log, record.slice(0, 30));
      await pause(60);
      fs.appendFileSync(log, `${record.slice(30)}\n`);
      await pause(60);
    }
    await following.until("apply_patch");
    await quiet();
    expect(await following.interrupt()).toBe(0);
    const parts = following.stdout
      .trim()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as { part: string; index: number; session: string; step?: { tool?: string } },
      );
    const steps = parts.filter(({ part }) => part === "step");
    expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index));
    expect(steps.flatMap(({ step }) => step?.tool ?? []).slice(0, 2)).toEqual([
      "exec_command",
      "apply_patch",
    ]);
    expect(parts.filter(({ part }) => part === "prompt").length).toBe(1);
    expect(new Set(parts.map(({ session }) => session))).toEqual(new Set(["c"]));
  });

  it("show --follow: prints the steps of a sub-agent under its name, before the call that started it", async () => {
    const folder = tempFolder();
    const log = join(folder, "s.jsonl");
    fs.writeFileSync(log, lines(...records.slice(0, 2)));
    const following = new Following(folder, "s.jsonl");
    await following.until("Make two pages");
    const agent = join(folder, "s/subagents/agent-a1.jsonl");
    fs.mkdirSync(dirname(agent), { recursive: true });
    fs.writeFileSync(agent, lines(...agentTranscript().slice(0, 1)));
    await following.until("sub-agent a1");
    fs.appendFileSync(agent, lines(...agentTranscript().slice(1)));
    await following.until("Nobody.");
    fs.appendFileSync(log, lines(...records.slice(2)));
    await following.until("Two pages it is.");
    await following.interrupt();
    expect(rows(following.stdout).map((row) => row.split(" ").slice(0, 3).join(" "))).toEqual([
      "turn 0 Make",
      "sub-agent a1",
      "turn 0 Who",
      "0 ~ message",
      "main run",
      "0 ~ Task",
      "1 = Edit",
      "2 ~ message",
    ]);
  });

  it("show --follow: a log that was replaced by another is printed from its beginning, and says so", async () => {
    const folder = tempFolder();
    const log = join(folder, "s.jsonl");
    fs.writeFileSync(log, lines(...records));
    const following = new Following(folder, "s.jsonl");
    await following.until("Two pages it is.");
    const others = records.map((record) => ({ ...record, timestamp: "2026-03-01T08:00:00.000Z" }));
    fs.writeFileSync(join(folder, "new"), lines(...others));
    fs.renameSync(join(folder, "new"), log);
    await following.until("from step 0 on", "stderr");
    await quiet();
    fs.rmSync(log);
    await following.until("waiting for more of it", "stderr");
    expect(await following.interrupt()).toBe(0);
    expect(following.stdout.split("Two pages it is.").length - 1).toBe(2);
  });

  it("show --follow: steps that come after a truncation are printed, and those before it are not again", async () => {
    const folder = tempFolder();
    const log = join(folder, "s.jsonl");
    fs.writeFileSync(log, lines(...records));
    const following = new Following(folder, "s.jsonl");
    await following.until("Two pages it is.");
    fs.writeFileSync(log, lines(...records.slice(0, 3)));
    await following.until("from step 1 on", "stderr");
    fs.appendFileSync(log, lines(records.at(-1)));
    await quiet();
    await following.interrupt();
    const counts = ["Task", "Edit", "Two pages it is."].map(
      (text) => following.stdout.split(text).length - 1,
    );
    expect(counts).toEqual([1, 1, 2]);
  });

  it("show --follow: takes a session's id, and masks secrets in full parts as packing does", async () => {
    const folder = tempFolder();
    const log = join(folder, ".claude/projects/p", `${sessionId}.jsonl`);
    fs.mkdirSync(dirname(log), { recursive: true });
    const token = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5";
    fs.writeFileSync(log, lines(...records).replace("Two pages it is.", `Pushed with ${token}.`));
    const following = new Following(folder, sessionId.slice(0, 8), "--full");
    await following.until("Pushed with");
    expect(await following.interrupt()).toBe(0);
    expect(following.stdout).toContain("== step 2  message");
    expect(following.stdout).not.toContain(token);
    expect(fs.existsSync(join(folder, ".ctx"))).toBe(false);
  });

  it("show --follow: another signal than Ctrl-C ends it as that signal ends any program", async () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "s.jsonl"), lines(...records));
    const following = new Following(folder, "s.jsonl");
    await following.until("Two pages it is.");
    expect(await following.interrupt("SIGTERM")).toBe("SIGTERM");
  });
});
