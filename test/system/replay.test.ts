// The built program replays: what is left when it is ended, how much memory it takes, and what a terminal is
// asked.
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { line, starter, words } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, program as needed } from "../../dev/needs.js";
import { must } from "../../dev/scenes.js";

/**
 * Returns a store whose pack has these steps, and a folder for temporary files that no other process uses.
 */
async function scene(
  steps: AnyLog[],
): Promise<{ folder: string; temp: string; env: Record<string, string> }> {
  const folder = tempFolder();
  const temp = tempFolder();
  fs.chmodSync(temp, 0o755);
  fs.writeFileSync(
    join(folder, "run.json"),
    json(smallLog({ inputs: [{ name: "a.txt", content: "a\n" }], steps })),
  );
  await must(folder, ["init"]);
  await must(folder, ["pack", "run.json"]);
  return { folder, temp, env: { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: temp } };
}

function command(line: string, more: AnyLog = {}): AnyLog {
  return {
    type: "tool_call",
    tool: "bash",
    parameters: { command: line },
    output: "",
    deterministic: true,
    ...more,
  };
}

/** Processes whose command line holds a word. */
function running(word: string): string[] {
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

describeWith([needed("bwrap", "bubblewrap")], "a replay that is ended", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "a replay that %s ends leaves no process and no folder",
    async (signal) => {
      const word = `4242.${process.pid}${signal.length}`;
      const { folder, temp, env } = await scene([
        command("echo first"),
        command(`setsid sleep ${word} & sleep ${word}`),
      ]);
      const child = spawn(starter, [...words, "replay", "latest", "--allow", "exec"], {
        cwd: folder,
        env,
        stdio: "ignore",
      });
      const ended = new Promise<NodeJS.Signals | null>((resolve) =>
        child.on("exit", (_code, by) => resolve(by)),
      );
      await until(() => running(word).length > 1);
      expect(running(word).length).toBeGreaterThan(1);
      child.kill(signal);
      expect(await ended).toBe(signal);
      await until(() => running(word).length === 0);
      expect(running(word)).toEqual([]);
      expect(fs.readdirSync(temp)).toEqual([]);
    },
  );

  it("a replay that SIGKILL ends leaves no process, and the next one clears its folder", async () => {
    const word = `4343.${process.pid}`;
    const { folder, temp, env } = await scene([command(`sleep ${word}`)]);
    const child = spawn(starter, [...words, "replay", "latest", "--allow", "exec"], {
      cwd: folder,
      env,
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    // Not before the program itself runs: until bwrap has asked to die with its parent, nothing would tell
    // it.
    await until(() => running(`sleep\0${word}`).length > 0);
    expect(running(`sleep\0${word}`).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await ended;
    await until(() => running(word).length === 0);
    expect(running(word)).toEqual([]);
    expect(fs.readdirSync(temp)).toHaveLength(1);
    // One of another process, which may be at work, stays.
    fs.mkdirSync(join(temp, "ctx-replay-elsewhere.1.2.3-abcdef"));
    spawnSync(starter, [...words, "replay", "latest"], { cwd: folder, env, stdio: "ignore" });
    expect(fs.readdirSync(temp)).toEqual(["ctx-replay-elsewhere.1.2.3-abcdef"]);
  });

  it("a replay that only reads files is ended by SIGINT at once", async () => {
    const { folder, temp, env } = await scene(
      Array.from({ length: 20_000 }, () => ({
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "a.txt" },
        output: "a\n",
      })),
    );
    const child = spawn(starter, [...words, "replay", "latest"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.on("exit", (_code, by) => resolve(by)),
    );
    child.stdout.once("data", () => child.kill("SIGINT"));
    child.stdout.resume();
    expect(await ended).toBe("SIGINT");
    expect(fs.readdirSync(temp)).toEqual([]);
  });
});

describeWith([needed("bwrap", "bubblewrap"), needed("script")], "a replay on a terminal", () => {
  it("a replay on a terminal asks one question, and the answer decides", async () => {
    const { folder, env } = await scene([command("echo hi", { output: "hi\n" })]);
    const answered = (answer: string): string =>
      spawnSync("script", ["-qec", `${line} replay latest`, "/dev/null"], {
        cwd: folder,
        env,
        input: `${answer}\n`,
        encoding: "utf8",
        timeout: 30_000,
      }).stdout;
    expect(answered("y")).toMatch(/This pack wants to run programs[^]*Run them\?[^]*exact[^]*1 of 1/);
    expect(answered("n")).toMatch(/Run them\?[^]*not_allowed[^]*failed[^]*0 of 1/);
  });
});

describeWith([needed("bwrap", "bubblewrap"), needed("script")], "the question of a replay", () => {
  it("a replay's question on a terminal can be ended by Ctrl-C", async () => {
    const { folder, temp, env } = await scene([command("echo hi")]);
    const child = spawn("script", ["-qec", `${line} replay latest`, "/dev/null"], {
      cwd: folder,
      env,
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    child.stdout.on("data", (text: Buffer) => {
      if (text.includes("Run them?")) child.stdin.write("\u0003");
    });
    expect(await ended).toBe(130);
    expect(fs.readdirSync(temp)).toEqual([]);
  });
});

describeWith([needed("bwrap", "bubblewrap")], "the exit status of a replay", () => {
  it("a replay has the exit status of its verdict, even if its output is not read", async () => {
    const { folder, env } = await scene([
      command("echo hi"),
      ...Array.from({ length: 500 }, () => command("true")),
    ]);
    for (const [argv, status] of [
      ["replay latest", 2],
      ["replay latest --json", 2],
      ["verify latest --replay --json --allow exec", 1],
    ] as const) {
      const script = `set -o pipefail; ${line} ${argv} | true`;
      expect(spawnSync("bash", ["-c", script], { cwd: folder, env, stdio: "ignore" }).status, argv).toBe(
        status,
      );
    }
  });
});

describeWith([needed("bwrap", "bubblewrap")], "a store that names programs", () => {
  it("a store that names programs runs none of them in log, show, diff, verify, status or an untrusted replay", async () => {
    const { folder, env } = await scene([{ type: "tool_call", tool: "mine", parameters: {}, output: "" }]);
    const mark = join(folder, "ran");
    const config = {
      version: "0.1",
      replay: { adapters: { mine: { command: ["touch", mark] } }, mcp: { x: { command: ["touch", mark] } } },
    };
    fs.writeFileSync(join(folder, ".ctx/config.json"), JSON.stringify(config));
    for (const args of [
      ["log"],
      ["show", "latest"],
      ["diff", "latest", "latest"],
      ["verify"],
      ["replay", "latest", "--plan"],
      ["replay", "latest", "--allow", "all"],
      ["trust", "--list"],
      ["status"],
    ])
      spawnSync(starter, [...words, ...args], { cwd: folder, env, stdio: "ignore" });
    expect(fs.existsSync(mark)).toBe(false);
  });
});
