// What the built program does when a pack wants more of this machine than it may have, or when the temporary
// folder is full: the replay fails with that reason, and is never called exact or diverged for it. Each
// temporary folder is a small tmpfs.
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import { program as built } from "../../dev/built.js";
import { cli } from "../../dev/cli.js";
import { lastingFolder, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, mounts, program } from "../../dev/needs.js";

let folder: string;
let temp: string;

beforeEach(() => {
  ({ folder } = tempStore());
  temp = lastingFolder();
});

async function packed(steps: AnyLog[], inputs: AnyLog[] = []): Promise<void> {
  const { status, stderr } = await cli(["pack", "-", "--no-sidecars"], {
    folder,
    input: json(smallLog({ steps, inputs })),
  });
  expect(status, stderr).toBe(0);
}

function tool(name: string, parameters: AnyLog, output?: string): AnyLog {
  const recorded = output === undefined ? {} : { output };
  return { type: "tool_call", tool: name, parameters, ...recorded, deterministic: true };
}

const command = (line: string, more: AnyLog = {}): AnyLog => ({
  ...tool("run_command", { command: line }, "done\n"),
  ...more,
});

interface Replayed {
  status: number | null;
  /** All that it printed. */
  said: string;
  report: ReplayReport;
}

/** Replays the latest pack with a temporary folder of that size, in which `before` has been run. */
function replayIn(size: string, argv: string[], before = "true"): Replayed {
  const script = `mount -t tmpfs -o mode=1777,size=${size} x "$1" && cd "$1" && { ${before}; }; cd "$2" && shift 2 && TMPDIR=${temp} exec "$@"`;
  const line = [process.execPath, built, "replay", "latest", "--json", ...argv];
  const ran = spawnSync("unshare", ["-m", "sh", "-c", script, "sh", temp, folder, ...line], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: tempFolder() },
  });
  return {
    status: ran.status,
    said: `${ran.stdout}${ran.stderr}`,
    report: (ran.stdout.startsWith("{") ? JSON.parse(ran.stdout) : {}) as ReplayReport,
  };
}

const limit = {
  status: "failed",
  reason: "error",
  message: expect.stringMatching(/^a replay may use|is full$/),
};

describeWith([mounts, program("bwrap", "bubblewrap")], "replay and the limits of the disk", () => {
  it("a replay of built-in tools fails when they would fill the disk", async () => {
    const grow = { path: "f", old_text: "a", new_text: "a".repeat(1000), replace_all: true };
    await packed(
      Array.from({ length: 30 }, (_, at) => [
        tool("write_file", { path: "f", content: "a".repeat(1000) }),
        tool("edit_file", grow),
        tool("move_file", { source: "f", destination: `g${at}` }),
      ]).flat(),
    );
    const { status, report } = replayIn("40m", []);
    expect(status).toBe(2);
    expect(report.fidelity).toBe("failed");
    expect(report.steps.filter((step) => step.status === "failed" && step.reason === "error")).toContainEqual(
      expect.objectContaining(limit),
    );
    // Half of what is free, and not more.
    expect(
      report.steps.filter(({ tool: name, status: is }) => name === "move_file" && is !== "failed").length,
    ).toBeLessThan(21);
    expect(report.steps.some((step) => step.status === "diverged")).toBe(false);
  });

  it.each([
    ["with a file", "head -c 100M /dev/zero > f 2>/dev/null; echo done"],
    ["with a file, and fails by its status", "head -c 100M /dev/zero > f && echo done"],
    ["with a deleted file", "exec 7>f; rm f; head -c 25M /dev/zero >&7; sleep 1; echo done"],
    ["in its home", "head -c 25M /dev/zero > ~/f; echo done"],
    ["in /tmp", "head -c 25M /dev/zero > /tmp/f; echo done"],
  ])("a replay fails when a command fills the disk: %s", async (_, line) => {
    // Also where the record says that it failed then: that was something else.
    for (const more of [{}, { metadata: { status: "error" } }]) {
      await packed([command(line, more)]);
      const { status, report } = replayIn("40m", ["--allow", "exec"]);
      expect(report.steps).toMatchObject([limit]);
      expect([status, report.fidelity, report.counts.checked]).toEqual([2, "failed", 0]);
    }
  });

  describe("in a full temporary folder", () => {
    const full = "head -c 2M /dev/zero > fill 2> /dev/null";

    it.each([[[]], [["--no-sandbox"]]])(
      "a replay in a full temporary folder fails, and names the folder: %j",
      async (more) => {
        await packed([command("echo done")]);
        const { status, said, report } = replayIn("1m", ["--allow", "exec", ...more], full);
        expect(status).toBe(2);
        expect(said).not.toContain("standard output");
        expect(report.steps).toMatchObject([{ status: "failed", message: expect.stringContaining(temp) }]);
      },
    );

    it.each([[[]], [["--allow", "exec"]]])(
      "a replay in a full temporary folder fails the steps that use inputs: %j",
      async (argv) => {
        await packed(
          [tool("read_file", { path: "a" }, "hello\n"), command("echo done")],
          [{ name: "a", content: "hello\n" }],
        );
        const { status, said, report } = replayIn("1m", argv, full);
        expect([status, report.counts.checked]).toEqual([2, 0]);
        expect(said).not.toContain("standard output");
        expect(report.steps[0]).toMatchObject({ status: "failed", reason: "missing_input" });
      },
    );
  });

  it("a replay fails the steps that use an input for which there was no space", async () => {
    await packed(
      [
        tool("read_file", { path: "big" }, "x"),
        tool("list_files", { path: "." }, "big\nsmall\n"),
        command("wc -c < big"),
        tool("read_file", { path: "small" }, "hello\n"),
      ],
      [
        { name: "big", content: "x".repeat(3_000_000) },
        { name: "small", content: "hello\n" },
      ],
    );
    const { status, report } = replayIn("4m", ["--allow", "exec"]);
    const lost = { status: "failed", reason: "missing_input", message: expect.stringContaining("no room") };
    expect(report.steps).toMatchObject([lost, lost, lost, { status: "matched" }]);
    expect([status, report.counts.checked]).toEqual([2, 1]);
  });

  it("a replay with --seal keeps the outputs of steps within the same limit", async () => {
    await packed(
      Array.from({ length: 8 }, () => tool("read_file", { path: "a" }, "other")),
      [{ name: "a", content: "x".repeat(5_000_000) }],
    );
    const { status, said } = replayIn("40m", ["--seal"]);
    expect(status).toBe(2);
    expect(said).toMatch(/the output of step \d cannot be kept for --seal: a replay may use \d+ MiB/);
  });

  it("a replay leaves no zombies where ctx is the first process", async () => {
    const steps = 25;
    await packed([
      ...Array.from({ length: steps }, () => command("(sleep 100 &); echo done")),
      command("sleep 100"),
    ]);
    const words = ["replay", "latest", "--allow", "exec"];
    const shell = `exec "$0" "$@"`;
    const child = spawn(
      "unshare",
      ["-pf", "--mount-proc", "--kill-child", "sh", "-c", shell, process.execPath, built, ...words],
      {
        cwd: folder,
        env: { PATH: process.env["PATH"], HOME: tempFolder(), TMPDIR: temp },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    let printed = "";
    child.stdout.on("data", (bytes) => (printed += String(bytes)));
    try {
      while (!printed.includes(` ${steps - 1}  `)) await pause(20);
      const first = childrenOf(String(child.pid))[0] ?? "";
      // What has just ended may still be waited for.
      expect(childrenOf(first).filter((pid) => stateOf(pid) === "Z").length).toBeLessThan(4);
      expect(printed.match(/matched/g)?.length).toBe(steps);
    } finally {
      child.kill("SIGKILL");
    }
  });
});

function childrenOf(pid: string): string[] {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
}

function stateOf(pid: string): string {
  try {
    return /\) (\S)/.exec(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1] ?? "";
  } catch {
    return "";
  }
}
