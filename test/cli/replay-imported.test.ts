// Replays of imported sessions report the truth: what was refused is not executed, what is not here is
// no divergence, and what was judged and diverged is never exact.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type ClaudeCall,
  claudeBash,
  claudeBashFailed,
  claudeEdit,
  claudeError,
  claudeFolder,
  claudeLog,
  claudeRead,
} from "../../dev/claude-log.js";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";
import type { ReplayedStep, ReplayReport } from "../../src/results/replay.js";

let folder: string;
let home: string;

beforeEach(() => {
  ({ folder } = tempStore());
  home = tempFolder();
});

const env = (): Record<string, string> => ({ HOME: home, PATH: process.env["PATH"] ?? "" });

async function pack(calls: readonly ClaudeCall[]): Promise<void> {
  const { stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: claudeLog(calls) });
  expect(status, stderr).toBe(0);
}

async function replayed(...argv: string[]): Promise<ReplayReport> {
  const { stdout, stderr } = await cli(["replay", "latest", "--json", ...argv], { folder, env: env() });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as ReplayReport;
}

async function printed(...argv: string[]): Promise<string> {
  return (await cli(["replay", "latest", ...argv], { folder, env: env() })).stdout;
}

const calls = ({ steps }: ReplayReport): ReplayedStep[] => steps.filter(({ type }) => type === "tool_call");

/** Returns a folder with the files of a repository, so that commands have something to work on. */
function checkout(files: Record<string, string> = { "notes.txt": "one\ntwo\n" }): string[] {
  const path = tempFolder();
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(path, name), text);
  return ["--workspace", path];
}

/** A read of lines of a file that the log holds no more of. */
function readPart(path: string): ClaudeCall {
  const name = `${claudeFolder}/${path}`;
  const file = { filePath: name, content: "1\n2", numLines: 2, startLine: 10, totalLines: 99 };
  return {
    tool: "Read",
    input: { file_path: name, offset: 10, limit: 2 },
    shown: "1\n2",
    structured: { type: "text", file },
  };
}

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join("");
const allow = ["--allow", "exec"];
const file = `${claudeFolder}/notes.txt`;
const edit = { file_path: file, old_string: "one", new_string: "1" };

describe("a call that the agent's program refused", () => {
  it.each<[string, ClaudeCall]>([
    [
      "the user declined",
      {
        tool: "Bash",
        input: { command: "touch made" },
        ...claudeError("The user doesn't want to proceed with this tool use. The tool use was rejected"),
      },
    ],
    [
      "a sub-agent was denied",
      {
        tool: "Bash",
        input: { command: "touch made" },
        ...claudeError(
          "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit)",
        ),
      },
    ],
    [
      "a hook stopped it",
      {
        tool: "Bash",
        input: { command: "touch made" },
        ...claudeError("PreToolUse:Bash hook error: [check]: no commits today"),
      },
    ],
    [
      "it has no exit status",
      { tool: "Bash", input: { command: "touch made" }, ...claudeError("Something that no table knows") },
    ],
    [
      "a sibling failed",
      {
        tool: "Bash",
        input: { command: "touch made" },
        ...claudeError("<tool_use_error>Sibling tool call errored</tool_use_error>"),
      },
    ],
    [
      "the file was not read",
      {
        tool: "Edit",
        input: edit,
        ...claudeError(
          "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        ),
      },
    ],
    [
      "the file was too long",
      {
        tool: "Read",
        input: { file_path: file },
        ...claudeError(
          "File content (30000 tokens) exceeds maximum allowed tokens (25000). Use offset and limit",
        ),
      },
    ],
  ])("replay: is not executed, and not judged: %s", async (_why, call) => {
    await pack([claudeRead("notes.txt", "one\ntwo\n"), call]);
    const report = await replayed(...allow, ...checkout());
    expect(calls(report)[1]).toMatchObject({ class: "refused", status: "recorded", executed: false });
    expect(report).toMatchObject({
      fidelity: "exact",
      coverage: { calls: 2, checkable: 1, checked: 1, needs: [] },
    });
  });

  it("replay: a log that was written for ctx decides by its status alone", async () => {
    const steps = [
      {
        type: "tool_call",
        tool: "write_file",
        parameters: { path: "made", content: "x" },
        output: "The user doesn't want to proceed with this tool use.",
        metadata: { status: "error" },
        deterministic: true,
      },
    ];
    await cli(["pack", "-", "--no-sidecars"], { folder, input: json(smallLog({ steps })) });
    expect(calls(await replayed())[0]).toMatchObject({ class: "edit", status: "diverged", executed: true });
  });
});

describe("a call that failed then", () => {
  const notFound = claudeError(
    "<tool_use_error>String to replace not found in file.\nString: three</tool_use_error>",
  );

  it("replay: an edit that works now is taken back, and diverges", async () => {
    await pack([
      claudeRead("notes.txt", "one\ntwo\n"),
      { tool: "Edit", input: edit, ...notFound },
      claudeRead("notes.txt", "one\ntwo\n"),
    ]);
    const report = await replayed();
    expect(calls(report).map(({ status }) => status)).toEqual(["matched", "diverged", "matched"]);
    expect(report.fidelity).toBe("degraded");
  });

  it("replay: an edit that fails in the same way matches, by how it failed", async () => {
    await pack([
      claudeRead("notes.txt", "one\ntwo\n"),
      { tool: "Edit", input: { ...edit, old_string: "three" }, ...notFound },
    ]);
    const report = await replayed();
    expect(calls(report)[1]).toMatchObject({ status: "matched", compared: "failure", executed: true });
    expect(report).toMatchObject({ fidelity: "exact", coverage: { checked: 2 } });
  });

  it("replay: an edit that fails in another way diverges", async () => {
    await pack([claudeRead("notes.txt", "one\none\n"), { tool: "Edit", input: edit, ...notFound }]);
    expect(calls(await replayed())[1]).toMatchObject({ status: "diverged", compared: "failure" });
  });
});

describeWith([program("bwrap", "bubblewrap")], "a command of an imported session", () => {
  it("replay: a command that failed then and works now is taken back", async () => {
    await pack([
      claudeBashFailed("echo three >> notes.txt && mkdir made", "mkdir: no"),
      claudeBash("cat notes.txt; ls", "one\ntwo\nnotes.txt\n"),
    ]);
    const report = await replayed(...allow, ...checkout());
    expect(calls(report)).toMatchObject([
      { status: "diverged", executed: true, exit_code: 0 },
      { status: "matched", executed: true },
    ]);
  });

  it("replay: is never exact if it was judged and diverged, and not deterministic is no excuse", async () => {
    await pack([claudeBash("cat notes.txt", "three\n"), claudeBash("ls", "notes.txt")]);
    const report = await replayed(...allow, ...checkout());
    expect(report.fidelity).toBe("degraded");
    expect(calls(report)).toMatchObject([
      { class: "pure", status: "diverged" },
      { class: "pure", status: "matched" },
    ]);
    expect(calls(report)[0]).not.toHaveProperty("expected");
    expect(await printed(...allow, ...checkout())).toContain(
      "2 calls: all checked\n  1 matched  (1 normalised)\n  1 diverged  step 0\ndegraded: 2 of 2 tool calls checked",
    );
  });

  it("replay: a program that is not here is no divergence, also behind a pipe, and is not run", async () => {
    await pack([
      claudeBash("touch made; no-such-mix test 2>&1 | tail -1", "1 passed"),
      claudeBash("echo all is well", "all is well"),
      claudeBash("ls", "notes.txt"),
    ]);
    const report = await replayed(...allow, ...checkout());
    expect(calls(report)).toMatchObject([
      { class: "tool", status: "failed", reason: "no_program", needs: "no-such-mix", executed: false },
      { status: "matched" },
      { status: "matched" },
    ]);
    expect(report).toMatchObject({
      fidelity: "failed",
      coverage: {
        calls: 3,
        checkable: 3,
        checked: 2,
        needs: [{ what: "no-such-mix", calls: 1, flag: null }],
      },
    });
  });

  it("replay: a program that was not there then either is run, and matches", async () => {
    const line = "no-such-mix test";
    await pack([claudeBashFailed(line, "/bin/bash: line 1: no-such-mix: command not found", 127)]);
    expect(calls(await replayed(...allow, ...checkout()))[0]).toMatchObject({
      status: "matched",
      exit_code: 127,
    });
  });

  it("replay: the screen says in plain words what unchecked calls need, each reason on one line", async () => {
    await pack([
      { tool: "TodoWrite", input: { todos: [] }, shown: "ok" },
      claudeBash("cat ~/.netrc", "x"),
      claudeBash("cat ~/.npmrc", "x"),
      claudeBash("curl -s https://example.org", "x"),
      claudeBash("ls", "notes.txt"),
    ]);
    const screen = await printed(...allow, ...checkout());
    expect(screen).toContain("needs your home, not replayed");
    expect(screen).toContain("2 that need your home,");
    expect(screen).toContain("1 of the agent itself");
    expect(screen).toContain("1 that needs the network");
    expect(screen).not.toContain("world:");
    expect(screen).not.toContain("0 facts the same");
  });

  it("replay: calls that were not executed for one reason are one line, and in order with the others", async () => {
    const read = { tool: "Read", input: { file_path: file }, shown: "     1\tone\n     2\ttwo\n" };
    const plan = { tool: "TodoWrite", input: { todos: [] }, shown: "ok" };
    const wait = { tool: "Task", input: { prompt: "wait" }, shown: "ok" };
    const ls = claudeBash("ls", "notes.txt");
    await pack([ls, plan, ls, plan, wait, ls, read, ls, claudeBash("cat ~/.netrc", "x")]);
    const screen = await printed(...checkout());
    const rows = screen
      .split("\n")
      .filter((line) => /^ +\d+ {2}(?:failed|recorded|matched|diverged) /.test(line));
    expect(rows.map((row) => row.replace(/^ +\d+ +/, ""))).toEqual([
      "failed    3 calls need --allow exec (up to step 5: Bash)",
      expect.stringContaining("recorded  3 calls: internal to the agent, not replayed (up to step 4: T"),
      expect.stringContaining("Read"),
      expect.stringContaining("--allow exec lets it run"),
      expect.stringContaining("needs your home"),
    ]);
    expect((await replayed(...checkout())).steps.filter(({ type }) => type === "tool_call")).toHaveLength(9);
  });

  it("replay: a module that is not here is a dependency, not a divergence", async () => {
    await pack([claudeBash(`node -e 'require("left-pad-x")'`, "")]);
    expect(calls(await replayed(...allow, ...checkout()))[0]).toMatchObject({
      status: "failed",
      reason: "no_dependency",
      needs: "left-pad-x",
    });
  });

  it.each([
    ["cat ~/.netrc 2>/dev/null; touch made", "home"],
    ["curl -s https://example.org > made", "network"],
    ["ps aux > made", "processes"],
    ["cat /etc/hostname > made", "outside"],
    ["date > made", "clock"],
  ])("replay: %s is of the world, and is not executed", async (line, why) => {
    await pack([claudeBash(line, "x"), claudeBash("ls", "notes.txt")]);
    const report = await replayed(...allow, ...checkout());
    expect(calls(report)).toMatchObject([
      { class: "world", status: "recorded", executed: false, message: `world: ${why}` },
      { status: "matched" },
    ]);
    expect(report).toMatchObject({ fidelity: "exact", coverage: { calls: 2, checkable: 1, checked: 1 } });
  });

  it("replay: without a checkout, a command that differs needs one; with it, it is judged", async () => {
    await pack([claudeBash("wc -l notes.txt", "2 notes.txt"), claudeBash("git status --short", "?? x")]);
    const without = await replayed(...allow);
    expect(calls(without)[0]).toMatchObject({
      status: "failed",
      reason: "missing_input",
      needs: "a checkout",
    });
    expect(without.coverage).toEqual({
      calls: 2,
      checkable: 2,
      checked: 0,
      needs: [{ what: "a checkout", calls: 2, flag: "--auto --repo <folder>" }],
    });
    expect(calls(await replayed(...allow, ...checkout()))[0]).toMatchObject({ status: "matched" });
    expect(await printed(...allow)).toContain(
      "next   ctx replay latest --auto --repo <folder> --allow exec\n",
    );
  });
});

describe("the claims of a report", () => {
  it("replay: an edit is compared although a later one failed, then and now", async () => {
    await pack([
      claudeEdit("notes.txt", ["one\n", "one", "1"]),
      { tool: "Edit", input: edit, ...claudeError("String to replace not found in file.\nString: one") },
    ]);
    expect(calls(await replayed())).toMatchObject([
      { status: "matched", compared: "effect" },
      { status: "matched", compared: "failure" },
    ]);
  });

  it("replay: a read that differs after a command that was not executed names the command", async () => {
    await pack([
      claudeRead("notes.txt", "one\n"),
      claudeBash("no-such-program >> notes.txt", ""),
      claudeRead("notes.txt", "one\ntwo\n"),
    ]);
    expect(calls(await replayed())[2]).toMatchObject({
      status: "diverged",
      message: "step 1, which may have changed it, was not executed",
    });
    expect(await printed()).toContain("step 1, which may have changed it, was not executed");
  });

  it("replay: an edit outside the workspace, of a file that the log does not hold, is of the world", async () => {
    const outside = { file_path: "/home/ana/other/a.txt", old_string: "a", new_string: "b" };
    await pack([
      { tool: "Edit", input: outside, shown: "updated" },
      claudeEdit("notes.txt", ["one\n", "one", "1"]),
    ]);
    const report = await replayed();
    expect(calls(report)).toMatchObject([
      { class: "world", status: "recorded", executed: false, message: "world: home" },
      { status: "matched" },
    ]);
    expect(report).toMatchObject({ fidelity: "exact", coverage: { calls: 2, checkable: 1, checked: 1 } });
  });

  it("replay: a run of which nothing can be checked says so, and not that all of nothing was", async () => {
    await pack([claudeBash("curl -s https://example.org", "x")]);
    expect(await printed(...allow)).toContain(
      "1 call: none can be checked; not checked: 1 that needs the network\n",
    );
  });
});

describeWith([program("bwrap"), program("python3")], "the claims of a report on commands", () => {
  it("replay: without a checkout, a Python module that is not here may be the project's own", async () => {
    await pack([claudeBash("python3 -c 'import own_part; print(1)'", "1")]);
    expect(calls(await replayed(...allow))[0]).toMatchObject({
      status: "failed",
      reason: "missing_input",
      needs: "a checkout",
      message: "it needs own_part, which is not here, and neither is its repository",
    });
    expect(calls(await replayed(...allow, ...checkout()))[0]).toMatchObject({ needs: "own_part" });
  });

  it("replay: a file that a command changed after its last recorded change is not checked, nor called reproduced", async () => {
    const write = { file_path: file, content: "one\n" };
    await pack([{ tool: "Write", input: write, shown: "created" }, claudeBash("rm notes.txt", "")]);
    const report = await replayed(...allow);
    expect(report.fidelity).toBe("exact");
    expect(report.outputs[0]).toMatchObject({ name: "notes.txt", reproduced: null });
    expect(report.outputs[0]?.message).toContain("a command, changed it, which the log does not record");
    expect(await printed(...allow)).toContain("0 of 1 output reproduced");
  });

  it("replay: in a log that was written for ctx, a file that a command changed later has differed", async () => {
    const step = { type: "tool_call", output: "", deterministic: true };
    const log = smallLog({
      steps: [
        { ...step, tool: "write_file", parameters: { path: "notes.txt", content: "one\n" } },
        { ...step, tool: "run_command", parameters: { command: "rm notes.txt" } },
      ],
      outputs: [{ name: "notes.txt", content: "one\n" }],
    });
    await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
    const report = await replayed(...allow);
    expect(report.fidelity).toBe("degraded");
    expect(report.outputs[0]).toMatchObject({ reproduced: false, made_by: 1 });
  });

  it("replay: a server that was still running where its record ends is not started", async () => {
    const step = {
      type: "tool_call",
      tool: "run",
      parameters: { command: "touch made; sleep 100" },
      output: "",
    };
    const log = smallLog({
      steps: [
        { ...step, metadata: { status: "ok", still_running: true } },
        { ...step, metadata: { status: "ok", session_id: 7 } },
      ],
      metadata: { source: { format: "openhands" } },
    });
    await cli(["pack", "-"], { folder, input: json(log) });
    const message = "it was still running when the record of it ends";
    const expected = { class: "own", status: "recorded", executed: false, message };
    expect(calls(await replayed(...allow))).toMatchObject([expected, expected]);
  });
});

describeWith([program("bwrap"), program("zsh")], "the shell of a session", () => {
  it("replay: where the log shows zsh, zsh runs the commands", async () => {
    const listing = claudeBash("setopt sh_word_split; echo $ZSH_NAME", "zsh");
    await pack([claudeBashFailed("ls *.none", "(eval):1: no matches found: *.none"), listing]);
    const report = await replayed(...allow, ...checkout());
    expect(calls(report).map(({ status, diff }) => diff ?? status)).toEqual(["matched", "matched"]);
    expect(report.notices).toEqual([]);
    await pack([claudeBash("echo $ZSH_NAME", "zsh")]);
    expect(calls(await replayed(...allow, ...checkout()))[0]).toMatchObject({ status: "diverged" });
  });
});

describe("the coverage of a replay", () => {
  it("replay: consent is a need, with the exact command that follows", async () => {
    await pack([claudeRead("notes.txt", "one\n"), claudeBash("npm test", "ok")]);
    const report = await replayed();
    expect(report.coverage).toEqual({
      calls: 2,
      checkable: 2,
      checked: 1,
      needs: [{ what: "--allow exec", calls: 1, flag: "--allow exec" }],
    });
    expect((await printed()).split("\n").slice(3, 8)).toEqual([
      "2 calls: 2 can be checked, 1 of them were",
      "  1 matched  (1 by bytes)",
      "  1 needs --allow exec",
      expect.stringMatching(/^failed: 1 of 2 tool calls checked/),
      "next   ctx replay latest --allow exec",
    ]);
  });

  it("replay: the verdict counts tool calls only, and each failure is printed once, in full", async () => {
    const missing = "a/folder/with/a/long/name/and-a-file-with-a-long-name.txt";
    await pack([readPart(missing), claudeRead("notes.txt", "one\n"), claudeBash("ls", "notes.txt")]);
    const text = await printed();
    expect(text).toContain("failed: 1 of 3 tool calls checked  (1 matched, 2 could not be executed)\n");
    const reason = /there is no file\s+a\/folder\/with\/a\/long\/name\/and-a-file-with-a-long-name\.txt/g;
    expect(text.match(reason)).toHaveLength(1);
    expect(text.match(/--allow exec lets it run/g)).toHaveLength(1);
  });

  it("replay --step: a step that is not checked does not sound like success, and earlier failures are three notes", async () => {
    const reads = ["a", "b", "c", "d"].map((name) => readPart(`${name}.txt`));
    const declined = claudeError("The user doesn't want to proceed with this tool use.");
    await pack([
      ...reads,
      claudeBash("ls", "notes.txt"),
      claudeBash("wc notes.txt", "1"),
      { ...claudeEdit("notes.txt", ["one\n", "one", "1"]), ...declined },
    ]);
    const report = await replayed("--step", "6");
    expect(report).toMatchObject({ fidelity: "exact", selected: 6, counts: { tool_calls: 7, checked: 0 } });
    expect(report.notices).toHaveLength(5);
    expect(report.notices[4]).toBe(
      "steps 4, 5 could not be executed, which may matter: --allow exec lets it run",
    );
    const lines = (await printed("--step", "6")).split("\n");
    expect(lines).toContain("1 of 7 calls selected, step 6: not checked, it never ran");
    expect(lines).toContain("nothing was checked (fidelity exact): 0 of 1 selected tool call checked");
    expect(lines.filter((line) => line.startsWith("note"))).toEqual([
      expect.stringContaining("step 0 could not be executed"),
      expect.stringContaining("step 1 could not be executed"),
      expect.stringContaining("step 2 could not be executed"),
      "note         and 2 more (--json has them all)",
    ]);
    expect(await printed("--step", "4")).toContain(
      "1 of 7 calls selected, step 4: not checked, it could not be executed\n",
    );
  });

  it("replay --plan: counts the calls that need the files of the repository, and names it", async () => {
    await pack([
      claudeRead("notes.txt", "one\n"),
      readPart("a.txt"),
      { tool: "Grep", input: { pattern: "x" }, shown: "a.txt" },
      claudeBash("ls", "notes.txt"),
    ]);
    const stdout = await printed("--plan");
    expect(stdout).toMatch(/ 1 {2}Read {2}built in {2}a checkout {8}output\n/);
    expect(stdout).toMatch(/ 1 {2}Grep {2}built in {2}maybe a checkout {2}lines\n/);
    expect(stdout).toContain(
      "Checkout   1 read needs a checkout; 1 search and 1 command may: --auto finds it,\n",
    );
  });

  it("replay --require: too little coverage makes an exact replay degraded, and a wrong percentage is refused", async () => {
    await pack([claudeRead("notes.txt", "one\n"), claudeEdit("notes.txt", ["one\n", "one", "1"])]);
    expect((await replayed("--require", "100")).fidelity).toBe("exact");
    for (const wrong of ["101", "-1", "x", "1.5"]) {
      const { status, stderr } = await cli(["replay", "latest", `--require=${wrong}`], {
        folder,
        env: env(),
      });
      expect(status).toBe(2);
      expect(stderr).toContain("--require takes a percentage");
    }
  });
});

function nativeCall(tool: string, parameters: object, output: string): object {
  return { type: "tool_call", tool, parameters, output, deterministic: true };
}

describe("a file that has drifted from the record", () => {
  it("replay: is set back before the edit that needs it; the command that was to change it stays as it was judged", async () => {
    await pack([
      claudeRead("notes.txt", text("one", "two", "three")),
      claudeEdit("notes.txt", [text("one", "two", "three"), "one", "1"]),
      claudeBash("no-such-mix format", ""),
      claudeEdit("notes.txt", [text("1", "# two", "three"), "# two\nthree", "2\n3"]),
    ]);
    const report = await replayed(...allow);
    expect(report.set_back).toEqual([
      {
        path: "notes.txt",
        before: 3,
        since: [2],
        why: "step 2: there is no program no-such-mix in the sandbox",
      },
    ]);
    expect(report.counts.resynced).toBe(1);
    expect(calls(report)).toMatchObject([
      { status: "matched" },
      { status: "recorded" },
      { status: "failed", reason: "no_program" },
      { status: "matched", compared: "effect" },
    ]);
    expect(report.outputs.find(({ name }) => name === "notes.txt")).toMatchObject({
      reproduced: null,
      message: "it was set back to the record on the way: this replay did not make all of it",
    });
    expect(await printed(...allow)).toContain("  set back: notes.txt before step 3 (drifted since 2");
  });

  it("replay --no-resync: the edit that does not fit diverges", async () => {
    await pack([
      claudeRead("notes.txt", text("one", "two")),
      claudeEdit("notes.txt", [text("one", "two"), "one", "1"]),
      claudeEdit("notes.txt", [text("1", "# two"), "# two", "2"]),
    ]);
    expect(calls(await replayed()).map(({ status }) => status)).toEqual(["matched", "recorded", "matched"]);
    const report = await replayed("--no-resync");
    expect(report.set_back).toEqual([]);
    expect(calls(report)[2]).toMatchObject({ status: "diverged" });
  });

  it("replay: a whole read is judged before the file is set back, so that it stays a divergence", async () => {
    await pack([
      claudeRead("notes.txt", text("one", "two")),
      claudeRead("notes.txt", text("one", "TWO")),
      claudeEdit("notes.txt", [text("one", "TWO"), "TWO", "2"]),
    ]);
    const report = await replayed();
    expect(calls(report).map(({ status }) => status)).toEqual(["matched", "diverged", "matched"]);
    expect(report).toMatchObject({ fidelity: "degraded", counts: { resynced: 1 } });
  });

  it("replay: a log that was written for ctx is never set back", async () => {
    const steps = [
      nativeCall("read_file", { path: "notes.txt" }, "another\n"),
      nativeCall("edit_file", { path: "notes.txt", old_text: "another", new_text: "2" }, "ok"),
    ];
    const log = smallLog({ inputs: [{ name: "notes.txt", content: "one\n" }], steps });
    await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
    const report = await replayed();
    expect(report).toMatchObject({ set_back: [], fidelity: "degraded" });
    expect(calls(report).map(({ status }) => status)).toEqual(["diverged", "diverged"]);
  });
});
