// What a log says about how its calls ended, and that they may vary, never makes a verdict better; nor does a
// program that never ran.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import type { VerifyResult } from "../../src/results/verify.js";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

let folder: string;
let home: string;

beforeEach(() => {
  ({ folder } = tempStore());
  home = tempFolder();
});

function call(tool: string, parameters: AnyLog, output: string, more: AnyLog = {}): AnyLog {
  return { type: "tool_call", tool, parameters, output, deterministic: true, ...more };
}

const readNotes = call("read_file", { path: "notes.txt" }, "one\ntwo\n");
const command = (line: string, output: string, more: AnyLog = {}): AnyLog =>
  call("run_command", { command: line }, output, more);

async function run(steps: AnyLog[], more: AnyLog = {}): Promise<void> {
  const log = smallLog({ inputs: [{ name: "notes.txt", content: "one\ntwo\n" }], steps, ...more });
  const { stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
}

const allow = ["--allow", "exec,adapters,mcp"];

async function replayed(...argv: string[]): Promise<ReplayReport> {
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  const { stdout } = await cli(["replay", "latest", "--json", ...allow, ...argv], { folder, env });
  return JSON.parse(stdout) as ReplayReport;
}

function configure(replay: AnyLog): void {
  fs.mkdirSync(join(home, ".config/ctx"), { recursive: true });
  fs.writeFileSync(join(home, ".config/ctx/config.json"), JSON.stringify({ version: "0.1", replay }));
}

async function claimed(): Promise<{ answer: string; detail: string }> {
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  const { stdout } = await cli(["verify", "latest", "--replay", "--json", ...allow], { folder, env });
  const claims = (JSON.parse(stdout) as VerifyResult).targets[0]?.claims ?? [];
  const { answer = "", detail = "" } = claims.find(({ claim }) => claim === "replay") ?? {};
  return { answer, detail };
}

describeWith(
  [program("bwrap", "bubblewrap")],
  "a command that the log calls a success, and that fails now",
  () => {
    it.each<[AnyLog, string]>([
      [{ status: "ok" }, "exit status 1, and the log records no failure"],
      [{ status: "success", exit_code: null }, "exit status 1, and the log records no failure"],
      [{ status: "ok", exit_code: "zero" }, "exit status 1, and the log records no failure"],
      [{ exit_code: "0" }, "exit status 1, recorded 0"],
      [{ exit_code: 0, status: "ok" }, "exit status 1, recorded 0"],
    ])("replay: a command that fails now diverges though the log says %j", async (metadata, message) => {
      await run([readNotes, command("echo done; false", "done\n", { metadata })]);
      const report = await replayed();
      expect(report).toMatchObject({ fidelity: "degraded" });
      expect(report.steps[1]).toMatchObject({ status: "diverged", exit_code: 1, message });
      expect((await claimed()).answer).toBe("no");
    });

    it.each<AnyLog>([
      { exit_code: 1, status: "ok" },
      { exit_code: "1" },
      { status: "error" },
      { status: "Failed " },
    ])("replay: a command that fails now matches a failure recorded as %j", async (metadata) => {
      await run([command("echo done; false", "done\n", { metadata })]);
      expect((await replayed()).steps[0]).toMatchObject({ status: "matched", exit_code: 1 });
    });

    it.each<AnyLog>([
      {},
      { status: "ok " },
      { status: ["ok"] },
      { status: "done" },
      { exit_code: "0 (ok)" },
      { exitCode: 0 },
    ])("replay: a command that fails now diverges from %j, which is no failure", async (metadata) => {
      await run([readNotes, command("echo done; false", "done\n", { metadata })]);
      const report = await replayed();
      expect(report.fidelity).toBe("degraded");
      expect(report.steps[1]).toMatchObject({
        status: "diverged",
        message: "exit status 1, and the log records no failure",
      });
      expect((await claimed()).answer).toBe("no");
    });

    it.each<AnyLog>([
      { agent: "codex" },
      { agent: "foo" },
      { format: "atif" },
      { agent: "x", format: "codex" },
    ])("replay: a command that fails now diverges whatever agent the log names: %j", async (source) => {
      const steps = [readNotes, command("echo done; false", "done\n", { metadata: { status: "ok" } })];
      await run(steps, { metadata: { source } });
      expect(await replayed()).toMatchObject({ fidelity: "degraded", steps: [{}, { status: "diverged" }] });
      expect((await claimed()).answer).toBe("no");
    });

    it.each<[string, AnyLog, string]>([
      ["test -f does-not-exist", { exit_code: 0 }, "exit status 1, recorded 0"],
      ["echo FAIL; exit 7", { exit_code: 0, status: "ok" }, "exit status 7, recorded 0"],
      ["echo FAIL; exit 7", { status: "ok" }, "exit status 7, and the log records no failure"],
      ["grep none notes.txt", { status: "ok" }, "exit status 1, and the log records no failure"],
      ["true", { status: "error" }, "it failed then, and did not now"],
    ])("replay: without output the exit status counts: %s with %j", async (line, metadata, message) => {
      const { output: _, ...bare } = command(line, "", { metadata });
      await run([readNotes, bare]);
      const report = await replayed();
      expect(report.fidelity).toBe("degraded");
      expect(report.steps[1]).toMatchObject({ status: "diverged", executed: true, message });
      expect((await claimed()).answer).toBe("no");
      const { stdout } = await cli(["replay", "latest", ...allow], { folder });
      expect(stdout).toContain(message);
    });

    it("replay: a command without a recorded output is recorded if it ends as the log says", async () => {
      const { output: _, ...bare } = command("exit 3", "", { metadata: { exit_code: 3 } });
      await run([readNotes, bare]);
      expect((await replayed()).steps[1]).toMatchObject({
        status: "recorded",
        executed: true,
        exit_code: 3,
        message: "no output is recorded",
      });
    });

    it("replay: a search that found nothing is no failure where the search alone decides the exit status", async () => {
      const metadata = { status: "ok" };
      const lines: [string, string, string][] = [
        ["grep none notes.txt", "", "matched"],
        ["grep 'none;$(x)' notes.txt", "", "matched"],
        ["cat notes.txt | grep none", "", "matched"],
        ["grep -q none notes.txt", "", "diverged"],
        ["grep --qui none notes.txt", "", "diverged"],
        ["grep none notes.txt > /dev/null", "", "diverged"],
        ["cd . && grep none notes.txt", "", "diverged"],
        ["false && grep none notes.txt", "", "diverged"],
        ["echo hi; exit 1\ngrep none notes.txt", "hi\n", "diverged"],
        ["false || exit 1\ngrep none notes.txt", "", "diverged"],
        ["false || { echo hi; exit 1; grep x; }", "hi\n", "diverged"],
        ["set -e; false; grep none notes.txt", "", "diverged"],
        ["! grep one notes.txt", "one\n", "diverged"],
        ['grep "$(exit 1)" /dev/null', "", "diverged"],
        ["grep none missing.txt 2>&1 | cat; grep -rn x none.txt", "", "diverged"],
      ];
      await run(lines.map(([line, output]) => command(line, output, { metadata })));
      const { steps } = await replayed();
      expect(steps.map(({ status }, at) => [lines[at]?.[0], status])).toEqual(
        lines.map(([line, , status]) => [line, status]),
      );
    });

    it("replay: a program whose arguments only look like a pipe to grep is no search", async () => {
      const argv = ["node", "-e", "process.exit(1) //", "| grep x"];
      await run([readNotes, call("run_command", { command: argv }, "", { metadata: { status: "ok" } })]);
      expect((await replayed()).steps[1]?.status).toBe("diverged");
    });
  },
);

describeWith([program("bwrap", "bubblewrap")], "a step that diverged as the log allows", () => {
  const steps = [readNotes, command("echo failed", "passed\n", { deterministic: false })];

  it("ctx verify --replay does not say yes if a step diverged as the log allows, and replay counts it", async () => {
    await run(steps);
    expect(await replayed()).toMatchObject({ fidelity: "exact" });
    expect(await claimed()).toEqual({
      answer: "not_checked",
      detail: expect.stringContaining("1 step diverged, as the log allows") as string,
    });
    const { stdout } = await cli(["replay", "latest", ...allow], { folder });
    expect(stdout).toContain("exact: 2 of 2 tool calls checked; 1 diverged as the log allows");
  });

  it("replay --junit: a step that diverged as the log allows is skipped, with the reason", async () => {
    await run(steps);
    await replayed("--junit", "out.xml");
    const xml = fs.readFileSync(join(folder, "out.xml"), "utf8");
    expect(xml).toMatch(/name="step 1 run_command"><skipped message="diverged, which the log allows/);
    expect(xml).toContain("+failed");
  });
});

describeWith([program("bwrap", "bubblewrap")], "a step that matched only after normalising", () => {
  it("ctx verify --replay does not say yes if a step matched only after normalising", async () => {
    configure({ normalise: [{ name: "took", pattern: "took [0-9.]+ s" }] });
    await run([readNotes, command("echo took 1.5 s", "took 2.5 s\n")]);
    const report = await replayed();
    expect(report).toMatchObject({ fidelity: "exact" });
    expect(report.steps[1]).toMatchObject({
      status: "matched",
      compared: "normalised",
      normalised: ["took"],
    });
    expect(await claimed()).toEqual({
      answer: "not_checked",
      detail: expect.stringContaining("1 step matched only after normalising") as string,
    });
    await run([readNotes, command("echo took 1.5 s", "took 1.5 s\n")]);
    expect((await claimed()).answer).toBe("yes");
  });
});

describeWith([program("bwrap", "bubblewrap")], "a program that never ran", () => {
  const failing = { metadata: { status: "error" } };

  it.each<[string, string[], AnyLog]>([
    ["is missing", ["/usr/bin/none-such"], { reason: "no_program" }],
    ["is missing for its launcher", ["/usr/bin/env", "none-such"], { reason: "no_program" }],
    ["is a file of the workspace", ["python3", "tool.py"], { reason: "error" }],
  ])("replay: a program that %s is a failed step, even if it failed then", async (_, argv, expected) => {
    await run([readNotes, call("lookup", {}, "ALL 500 TESTS PASSED", failing)], {
      inputs: [
        { name: "notes.txt", content: "one\ntwo\n" },
        { name: "tool.py", content: "print(1)\n" },
      ],
    });
    configure({ adapters: { lookup: { command: argv } } });
    const { steps, fidelity } = await replayed();
    expect(fidelity).toBe("failed");
    expect(steps[1]).toMatchObject({ status: "failed", executed: false, ...expected });
  });

  it("replay: an MCP server that does not start, or a folder that is missing, is a failed step", async () => {
    configure({ mcp: { notes: { command: ["/bin/false"] } } });
    await run([
      readNotes,
      call("mcp__notes__say", {}, "x", failing),
      command("true", "x", { metadata: { status: "error", cwd: "gone" } }),
    ]);
    const { steps } = await replayed();
    expect(steps.slice(1).map(({ status, executed }) => [status, executed])).toEqual([
      ["failed", false],
      ["failed", false],
    ]);
  });

  it("replay: an adapter that ran and failed, as it did then, is recorded", async () => {
    configure({ adapters: { lookup: { command: ["/bin/false"] } } });
    await run([readNotes, call("lookup", {}, "x", failing)]);
    expect((await replayed()).steps[1]).toMatchObject({ status: "recorded", executed: true });
  });
});
