// What only a real process shows: closed pipes, full devices, terminals, standard input, and that nothing leaves the machine.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ctx, line, run, starter, words } from "../support/built.js";
import { tempFolder, tempStore } from "../support/folders.js";
import { json, runLog, smallLog } from "../support/logs.js";
import { describeWith, program as needsProgram } from "../support/needs.js";
import { runCtx } from "../support/processes.js";

function shell(script: string, cwd: string): { status: number | null; stdout: string; stderr: string } {
  return run("/bin/bash", ["-c", `set -o pipefail; ctx() { ${line} "$@"; }; ${script}`], { cwd });
}

describe("streams", () => {
  it("a closed pipe is not an error", () => {
    const { folder } = tempStore();
    const steps = Array.from({ length: 3000 }, (_, index) => ({ type: "x", output: `output ${index}` }));
    ctx(["pack", "-"], { cwd: folder, input: json(smallLog({ steps })) });
    const { status, stdout, stderr } = shell("ctx show latest | head -n 1", folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^ctx:/);
  });

  it("a closed pipe does not keep a command from its work", async () => {
    const { folder } = tempStore();
    ctx(["pack", "-"], { cwd: folder, input: json(runLog()) });
    const { status, stderr } = await runCtx(folder, ["export", "latest", "-o", "run.ctx"], { deaf: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(ctx(["verify", "run.ctx"], { cwd: folder }).status).toBe(0);
  });

  it.runIf(fs.existsSync("/dev/full"))("a full device is", () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(runLog()));
    const { status, stderr } = shell("ctx pack log > /dev/full", folder);
    expect(status).toBe(2);
    expect(stderr).toContain("ENOSPC");
    expect(stderr).not.toContain("    at ");
    // What was sealed before the report failed is there, whole.
    expect(ctx(["log", "--json"], { cwd: folder }).stdout).toContain('"damaged":false');
  });

  it.runIf(fs.existsSync("/dev/full"))("so is one that a bundle goes to", () => {
    const { folder } = tempStore();
    ctx(["pack", "-"], { cwd: folder, input: json(runLog()) });
    const { status, stderr } = shell("ctx export latest -o - > /dev/full", folder);
    expect(status).toBe(2);
    expect(stderr).toContain("standard output");
    expect(stderr).toContain("(ENOSPC)");
  });

  it("a log comes through a pipe, a FIFO and a process substitution", () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(smallLog()));
    const uri = ctx(["pack", "log"], { cwd: folder }).stdout;
    expect(shell("cat log | ctx pack -", folder).stdout).toBe(uri);
    expect(shell("ctx pack <(cat log)", folder).stdout).toBe(uri);
    expect(shell("mkfifo f && (cat log > f &) && ctx pack f", folder).stdout).toBe(uri);
    expect(shell("ctx pack - < log", folder).stdout).toBe(uri);
    expect(shell("ctx pack - < /dev/null", folder).stderr).toContain("it is empty");
  });

  it("no colour in a pipe, also under CI; FORCE_COLOR and NO_COLOR decide", () => {
    const { folder } = tempStore();
    ctx(["pack", "-"], { cwd: folder, input: json(runLog({ system_prompt: "long ".repeat(50) })) });
    const shown = (env: Record<string, string>): string =>
      ctx(["show", "latest"], { cwd: folder, env }).stdout;
    expect(shown({ CI: "true" })).not.toContain("\u001b");
    expect(shown({ FORCE_COLOR: "1" })).toContain("\u001b[");
    expect(shown({ FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain("\u001b");
    expect(shown({ COLUMNS: "200" })).not.toBe(shown({}));
  });

  it("an error of the program has no stack, and CTX_DEBUG=1 shows one", () => {
    const folder = tempFolder();
    expect(ctx(["log"], { cwd: folder }).stderr).not.toContain("    at ");
    expect(ctx(["log"], { cwd: folder, env: { CTX_DEBUG: "1" } }).stderr).toContain("    at ");
  });

  it("a log of many megabytes in one value is packed", () => {
    const { folder } = tempStore();
    const text = 'line of text with "quotes" and \\ and é\n'.repeat(1_000_000);
    fs.writeFileSync(join(folder, "log"), json(smallLog({ inputs: [{ name: "big", content: text }] })));
    const uri = ctx(["pack", "log"], { cwd: folder }).stdout.trim();
    const shown = spawnSync(
      "/bin/bash",
      [
        "-c",
        `${line} show ${uri} --json | sed 's/.*"inputs":\\[{"content_ref":"sha256:\\([0-9a-f]*\\)".*/\\1/' | xargs ${line} cat`,
      ],
      { cwd: folder, maxBuffer: 1 << 28 },
    );
    expect(shown.stdout.equals(Buffer.from(text))).toBe(true);
  });
});

describeWith([needsProgram("strace")], "network", () => {
  it("no command opens an internet socket or runs a program", () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(runLog()));
    const calls = [["init"], ["pack", "log"], ["log"], ["show", "latest"], ["cat", "latest"], ["--help"]];
    for (const call of calls) {
      const trace = join(folder, "trace");
      const args = [
        "-f",
        "-qq",
        "-o",
        trace,
        "-e",
        "trace=socket,connect,execve",
        starter,
        ...words,
        ...call,
      ];
      expect(run("strace", args, { cwd: folder }).status).toBe(0);
      const lines = fs.readFileSync(trace, "utf8").trim().split("\n");
      expect(lines.filter((line) => /AF_INET|AF_NETLINK/.test(line))).toEqual([]);
      expect(lines.filter((line) => line.includes("execve("))).toHaveLength(1);
    }
  });
});
