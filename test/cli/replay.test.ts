// `ctx replay` as a person meets it: what runs, what does not without consent, and what the verdict says.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayedStep, ReplayReport } from "../../src/results/replay.js";
import { repository } from "../../dev/built.js";
import { cli, type CliOptions, type CliResult } from "../../dev/cli.js";
import { snapshot, tempFolder, tempStore } from "../../dev/folders.js";
import { type AnyLog, environmentHere, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

let folder: string;
let root: string;

beforeEach(() => {
  ({ folder, root } = tempStore());
});

async function packed(log: AnyLog): Promise<string> {
  const { stdout, stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
  return stdout.trim().slice("ctx://".length);
}

function ctx(argv: readonly string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
  return cli(argv, { folder, ...options });
}

/** Returns the report of the latest pack's replay. */
async function replayed(...argv: string[]): Promise<ReplayReport & { exit: number }> {
  const { status, stdout, stderr } = await ctx(["replay", "latest", "--json", ...argv]);
  expect(stderr).toBe("");
  return { ...(JSON.parse(stdout) as ReplayReport), exit: status };
}

function call(tool: string, parameters: AnyLog, output?: string, more: AnyLog = {}): AnyLog {
  return {
    type: "tool_call",
    tool,
    parameters,
    deterministic: true,
    ...(output === undefined ? {} : { output }),
    ...more,
  };
}

/** Seals a run with these steps and inputs. */
function run(steps: AnyLog[], more: AnyLog = {}): Promise<string> {
  return packed(smallLog({ inputs: [{ name: "notes.txt", content: "one\ntwo\n" }], steps, ...more }));
}

function statuses({ steps }: ReplayReport): string[] {
  return steps.map(({ status }) => status);
}

describe("built-in tools of a replay", () => {
  it("replay: built-in tools run at once, and reproduce what is recorded", async () => {
    await run(
      [
        call("read_file", { path: "notes.txt" }, "one\ntwo\n"),
        call("Write", { file_path: "a/b.txt", content: "x" }, "ok"),
        call("list_directory", { path: "." }, "a/\nnotes.txt\n"),
        call("grep", { pattern: "^t" }, "notes.txt:2:two\n"),
        call(
          "str_replace_editor",
          { command: "str_replace", path: "notes.txt", old_str: "one", new_str: "1" },
          "ok",
        ),
        call("read_file", { path: "notes.txt" }, "1\ntwo\n"),
        { type: "reasoning", output: "done" },
        call("TodoWrite", { todos: [] }, "ok"),
      ],
      { outputs: [{ name: "a/b.txt", content: "x" }] },
    );
    const report = await replayed();
    expect(report).toMatchObject({ exit: 0, fidelity: "exact", counts: { checked: 5, tool_calls: 7 } });
    const [read, write, list, grep, edit, again, ...rest] = statuses(report);
    expect(new Set([read, write, list, grep, again])).toEqual(new Set(["matched"]));
    // No output says what the file that it edits should become.
    expect([edit, ...rest]).toEqual(["recorded", "recorded", "recorded"]);
    expect(report.steps[4]).toMatchObject({
      executed: true,
      message: expect.stringContaining("nothing to compare it with"),
    });
    expect(report.outputs).toMatchObject([{ name: "a/b.txt", reproduced: true, made_by: 1 }]);
    expect(report.sandbox).toEqual({ kind: "none", network: false });
    expect(report.steps[1]).toMatchObject({ compared: "effect", executed: true });
  });

  it("replay: built-in tools never touch what is outside the workspace", async () => {
    fs.writeFileSync(join(folder, "mine.txt"), "mine");
    const before = snapshot(folder);
    await run(
      [
        call("read_file", { path: "../mine.txt" }, "x"),
        call("read_file", { path: join(folder, "mine.txt") }, "mine"),
        call("write_file", { path: "/etc/ctx-was-here", content: "x" }, "x"),
        call("delete_file", { path: "../../.." }, "x"),
      ],
      { metadata: { workdir: "/" } },
    );
    const inside = snapshot(folder);
    const report = await replayed();
    expect(report).toMatchObject({ exit: 2, fidelity: "failed" });
    expect(report.steps.map(({ reason }) => reason)).toEqual(Array(4).fill("outside"));
    expect(snapshot(folder)).toEqual(inside);
    expect(inside.size).toBeGreaterThan(before.size);
    expect(fs.existsSync("/etc/ctx-was-here")).toBe(false);
  });

  it("replay: a divergence is shown with both hashes and a short diff", async () => {
    const steps = [
      call("read_file", { path: "notes.txt" }, "one\nTWO\n"),
      call("edit_file", { path: "notes.txt", old_text: "gone", new_text: "x" }, "ok"),
      call("read_file", { path: "notes.txt" }, "other", { deterministic: false }),
    ];
    await run(steps, { environment: environmentHere });
    const { status, stdout } = await ctx(["replay", "latest"]);
    expect(status).toBe(1);
    // The hash depends on the version of Node.
    expect(stdout.replace(/^ctx:\/\/[0-9a-f]{12}/, "ctx://@")).toMatchInlineSnapshot(`
      "ctx://@  read_file notes.txt
        0  diverged  read_file       notes.txt
        1  diverged  edit_file       notes.txt…  the text to be replaced is not in no…
        2  diverged  read_file       notes.txt  not deterministic
      3 calls: all checked
        3 diverged  step 0, 1, 2
      degraded: 3 of 3 tool calls checked; 1 diverged as the log allows  (3 diverged)
      environment  3 facts the same

      step 0 read_file diverged
        recorded ff4bebae5b91, now c3f9c8c283a2
          @@ -1,2 +1,2 @@
           one
          -TWO
          +two

      step 1 edit_file diverged
        the text to be replaced is not in notes.txt

      step 2 read_file diverged, as it may: it is not deterministic
        recorded d9298a10d1b0, now c3f9c8c283a2
          @@ -1 +1,2 @@
          -other
          \\ No newline at end of file
          +one
          +two
      "
    `);
    const report = await replayed();
    expect(report.steps.map(({ expected }) => expected)).toEqual([undefined, undefined, true]);
  });

  it("replay: the fidelity is exact if a step matched and only non-deterministic steps diverged", async () => {
    const varies = call("read_file", { path: "notes.txt" }, "other", { deterministic: false });
    await run([call("read_file", { path: "notes.txt" }, "one\ntwo\n"), varies]);
    expect(await replayed()).toMatchObject({ exit: 0, fidelity: "exact" });
    await run([varies]);
    const { stdout, status } = await ctx(["replay", "latest"]);
    expect(status).toBe(1);
    expect(stdout).toContain("degraded, nothing matched: 1 of 1 tool call checked");
  });

  it("replay: the first line says when nothing was checked", async () => {
    await run([{ type: "reasoning", output: "hm" }]);
    const { stdout, status } = await ctx(["replay", "latest"]);
    expect(status).toBe(0);
    expect(stdout.split("\n")[0]).toContain("exact, but nothing was checked: 0 of 0 tool calls checked");
  });

  it("replay: files that patches and moves make are compared, and unchanged ones are not reproduced", async () => {
    const patch = "*** Begin Patch\n*** Add File: q\n+b\n*** End Patch\n";
    const steps = [
      call("apply_patch", { input: patch }, "ok"),
      call("move_file", { source: "q", destination: "r" }, "ok"),
    ];
    await run(steps, {
      outputs: [
        { name: "r", content: "b\n" },
        { name: "notes.txt", content: "one\ntwo\n" },
      ],
    });
    const good = await replayed();
    expect(good).toMatchObject({
      fidelity: "exact",
      outputs: [{ reproduced: true }, { reproduced: null, made_by: null, unchanged: true }],
    });
    await run(steps.slice(0, 1), { outputs: [{ name: "q", content: "DIFFERENT" }] });
    expect(await replayed()).toMatchObject({ exit: 1, steps: [{ status: "diverged", compared: "effect" }] });
    const shell = ["bash", "-lc", `apply_patch <<'EOF'\n${patch}EOF\n`];
    await run([call("shell", { command: shell }, "ok"), call("read_file", { path: "q" }, "b\n")]);
    expect(statuses(await replayed())).toEqual(["recorded", "matched"]);
  });

  it("replay: a written file is compared with the run's output of that name, after its last write", async () => {
    const steps = [
      call("write_file", { path: "out.txt", content: "draft" }, "ok"),
      call("append_file", { path: "out.txt", content: "!" }, "ok"),
    ];
    await run(steps, { outputs: [{ name: "out.txt", content: "draft!" }] });
    expect(await replayed()).toMatchObject({ fidelity: "exact", outputs: [{ reproduced: true }] });
    // Not before the last step that writes it.
    expect(await replayed("--to", "0")).toMatchObject({
      steps: [{ status: "recorded", executed: true }],
      outputs: [
        { reproduced: null, made_by: 0, message: expect.stringContaining("step 1 was not executed") },
      ],
    });
    await run(steps, { outputs: [{ name: "out.txt", content: "draft?" }] });
    const report = await replayed();
    expect(report).toMatchObject({ exit: 1, outputs: [{ reproduced: false }] });
    expect(statuses(report)).toEqual(["recorded", "diverged"]);
  });
});

describe("steps that are recorded, not executed", () => {
  it("replay: calls that were denied, interrupted or unanswered are recorded, and never run", async () => {
    await run(
      ["denied", "interrupted", "unanswered"].map((status) =>
        call("write_file", { path: "x", content: "x" }, "no", { metadata: { status } }),
      ),
    );
    const report = await replayed();
    expect(report).toMatchObject({ fidelity: "exact", counts: { checked: 0, recorded: 3 } });
    expect(report.steps.every(({ executed }) => !executed)).toBe(true);
  });

  it("replay: a call that failed then and fails now is recorded", async () => {
    await run([
      call("read_file", { path: "none" }, "no such file", { metadata: { status: "error" } }),
      call("read_file", { path: "notes.txt" }, "no such file", { metadata: { status: "error" } }),
    ]);
    expect(statuses(await replayed())).toEqual(["recorded", "diverged"]);
  });

  it("replay: a call that failed then fails if it cannot be tried now", async () => {
    const failing = { metadata: { status: "error" } };
    await run([
      call("bash", { command: "false" }, "", failing),
      call("frob", {}, "", failing),
      call("read_file", { path: "/etc/passwd" }, "x", failing),
      call("edit_file", { path: "notes.txt", old_text: "gone", new_text: "x" }, "not found", failing),
    ]);
    const report = await replayed();
    expect(report).toMatchObject({ exit: 2, fidelity: "failed" });
    expect(report.steps.map(({ status, reason }) => reason ?? status)).toEqual([
      "not_allowed",
      "no_tool",
      "outside",
      "recorded",
    ]);
  });

  it("replay: calls that only the agent can make are recorded", async () => {
    await run([
      call("Grep", { pattern: "x", head_limit: 3 }, "x"),
      call("Bash", { command: "sleep 100", run_in_background: true }, "x"),
      call("BashOutput", { id: 1 }, "x"),
      call("str_replace_editor", { command: "view", path: "notes.txt" }, "1 one"),
    ]);
    expect(await replayed("--allow", "exec")).toMatchObject({
      fidelity: "exact",
      counts: { checked: 0, recorded: 4 },
    });
  });

  it("replay: a call with masked parameters fails", async () => {
    const step = call("bash", { command: "curl -H [REDACTED:token:1]" }, "x");
    await run([step], { metadata: { redactions: [{ rule: "token" }] } });
    expect((await replayed("--allow", "exec")).steps[0]).toMatchObject({
      status: "failed",
      reason: "masked",
    });
  });

  it("replay --recorded accepts the record, which is not exact; else an unknown tool fails with a hint", async () => {
    await run([call("frobnicate", { a: 1 }, "x"), call("read_file", { path: "notes.txt" }, "one\ntwo\n")]);
    const { status, stdout } = await ctx(["replay", "latest"]);
    expect(status).toBe(2);
    expect(stdout).toContain("frobnicate");
    const failed = await replayed();
    expect(failed.steps[0]).toMatchObject({
      status: "failed",
      reason: "no_tool",
      message: expect.stringContaining("--recorded"),
    });
    for (const name of ["frobnicate", "*"]) {
      const report = await replayed("--recorded", name);
      expect(report).toMatchObject({ exit: 1, fidelity: "degraded", counts: { checked: 1 } });
      expect(report.steps[0]).toMatchObject({ status: "recorded", by_request: true, executed: false });
    }
  });

  it("replay: a call without a recorded output is executed and recorded", async () => {
    await run([call("write_file", { path: "x", content: "1" }), call("read_file", { path: "x" })]);
    expect((await replayed()).steps[1]).toMatchObject({ status: "recorded", executed: true });
  });
});

describe("inputs that cannot be used", () => {
  it("replay: a damaged or missing input makes the run failed, even if no step uses it", async () => {
    await run([{ type: "reasoning", output: "x" }]);
    const { stdout } = await ctx(["show", "latest", "--json"]);
    const hash =
      (JSON.parse(stdout) as { inputs: { content_ref: string }[] }).inputs[0]?.content_ref.slice(7) ?? "";
    const path = join(root, "objects", hash.slice(0, 2), hash.slice(2));
    fs.chmodSync(path, 0o644);
    fs.writeFileSync(path, "other");
    const input = { kind: "input", name: "notes.txt" };
    expect(await replayed()).toMatchObject({
      exit: 2,
      environment: expect.arrayContaining([expect.objectContaining({ ...input, status: "damaged" })]),
    });
    fs.rmSync(path);
    expect(await replayed()).toMatchObject({
      exit: 2,
      environment: expect.arrayContaining([expect.objectContaining({ ...input, status: "missing" })]),
    });
  });

  it("replay: an input whose name collides with another is missing", async () => {
    await packed(
      smallLog({
        inputs: [
          { name: "a", content: "1" },
          { name: "a/b", content: "2" },
        ],
        steps: [],
      }),
    );
    const report = await replayed();
    expect(report.fidelity).toBe("failed");
    expect(report.environment.filter(({ kind }) => kind === "input").map(({ status }) => status)).toEqual([
      "same",
      "missing",
    ]);
  });
});

describe("consent to run programs", () => {
  const steps = [
    call("run_command", { command: "echo hi > made" }, ""),
    call("read_file", { path: "made" }, "hi\n"),
  ];

  it("replay: no program runs without consent and without a terminal", async () => {
    await run(steps);
    const report = await replayed();
    expect(report).toMatchObject({ exit: 2, sandbox: { kind: "none" } });
    expect(report.steps[0]).toMatchObject({
      reason: "not_allowed",
      message: expect.stringContaining("--allow exec"),
      executed: false,
    });
    expect(report.steps[1]).toMatchObject({ reason: "missing_input" });
  });

  it("replay --plan executes nothing, and shows what a replay needs", async () => {
    await run([...steps, call("frob", {}), call("run_command", { command: "printf '\u001b]0;hi\u0007'" })]);
    const { stdout, status } = await ctx(["replay", "latest", "--plan"]);
    expect(status).toBe(0);
    expect(
      stdout.replaceAll(/[0-9a-f]{64}/g, "HASH").replaceAll(/[0-9a-f]{12}/g, "HEX"),
    ).toMatchInlineSnapshot(`
      "Plan for ctx://HEX, 4 steps: nothing is executed
      run_command echo hi > made
      HASH
      Workspace  a throw-away folder from 1 input, seen as /workspace
        steps  tool         runs as             needs         compared
            2  run_command  command             --allow exec  output
            1  read_file    built in            -             output
            1  frob         nothing: will fail  --recorded    -
      Classes    2 pure, 1 tree, 1 tool
      Commands   1x echo hi > made
                 1x printf '\\u{1b}]0;hi\\u{7}'
      Run it     ctx replay HEX --allow exec --recorded frob
      "
    `);
  });

  it("replay --plan shows commands of several lines on one, with a mark where a line ends", async () => {
    await run([call("run_command", { command: "cd src\nnpm test\n" })]);
    const { stdout } = await ctx(["replay", "latest", "--plan"]);
    expect(stdout).toContain("Commands   1x cd src⏎npm test\n");
  });

  it("replay: any answer but yes refuses, and so does an unknown kind of --allow", async () => {
    await run(steps);
    for (const answer of ["", "n", "N", "what"]) {
      const { status, stderr } = await ctx(["replay", "latest"], { terminal: 80, answers: [answer] });
      expect(status).toBe(2);
      expect(stderr).toContain("This pack wants to run programs on this machine.");
    }
    expect((await ctx(["replay", "latest", "--allow", "everything"])).stderr).toContain('not "everything"');
  });

  it("replay: the question shows commands escaped, with the whole hash", async () => {
    const hex = await run(
      Array.from({ length: 10_000 }, (_, at) => call("bash", { command: `echo \u001b[31m${at} \u202eevil` })),
    );
    const { stderr } = await ctx(["replay", "latest"], { terminal: 80, answers: ["l", "n"] });
    expect(stderr).toContain(hex);
    expect(stderr).toContain("10,000 commands from the pack (10,000 different ones)");
    expect(stderr).toContain("echo \\u{1b}[31m9999 \\u{202e}evil");
    expect(stderr.replaceAll(/\u001b\[\d+m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describeWith([program("bwrap", "bubblewrap")], "commands in a replay", () => {
  it("replay: the example of the README replays exactly, and its fork diverges where its input is used", async () => {
    const log = fs.readFileSync(join(repository, "examples/run.json"));
    await cli(["pack", "-", "--no-sidecars"], { folder, input: log });
    const report = await replayed("--allow", "exec");
    expect(report).toMatchObject({ exit: 0, fidelity: "exact", counts: { checked: 6, tool_calls: 6 } });
    expect(report.outputs.every(({ reproduced }) => reproduced)).toBe(true);
    expect(report.sandbox).toMatchObject({ kind: "bwrap", network: false });
    // One input is changed in a fork: just the steps that depend on it diverge.
    const test = 'console.log("0 of 3 cases failed");\n';
    fs.writeFileSync(join(folder, "test.mjs"), test);
    await ctx(["fork", "latest", "--set", "inputs[test.mjs].content=@test.mjs", "--seal"]);
    const forked = await replayed("--allow", "exec");
    expect(forked).toMatchObject({ exit: 1, fidelity: "degraded" });
    expect(forked.steps.filter(({ status }) => status === "diverged").map(({ index }) => index)).toEqual([
      1, 2,
    ]);
  });

  it("ctx verify --replay adds a claim, which needs --allow for commands", async () => {
    const hex = await run([call("bash", { command: "cat notes.txt" }, "one\ntwo\n")]);
    const claim = async (...argv: string[]) => {
      const { status, stdout } = await ctx(["verify", hex, "--json", "--replay", ...argv]);
      const { targets } = JSON.parse(stdout) as {
        targets: { claims: { claim: string; answer: string }[] }[];
      };
      return [status, targets[0]?.claims.at(-1)];
    };
    expect(await claim("--allow", "exec")).toMatchObject([0, { claim: "replay", answer: "yes" }]);
    expect(await claim()).toMatchObject([0, { claim: "replay", answer: "not_checked" }]);
    await ctx(["fork", hex, "--set", "inputs[0].content=other", "--seal"]);
    const { status } = await ctx(["verify", "latest", "--replay", "--allow", "exec"]);
    expect(status).toBe(1);
    for (const argv of [["--replay"], ["latest", "--allow", "exec"]])
      expect((await ctx(["verify", ...argv])).status).toBe(2);
  });

  it("replay: commands see the workspace at the run's own path, and absolute paths are mapped", async () => {
    await run(
      [
        call("bash", { command: "pwd; cat notes.txt" }, "/srv/my app\none\ntwo\n"),
        call("read_file", { path: "/srv/my app/notes.txt" }, "one\ntwo\n"),
        call("bash", { command: "cd sub && pwd", workdir: "/srv/my app" }, "", {
          metadata: { exit_code: 1 },
        }),
        call("bash", { command: ["printf", "%s", "a b"] }, "a b"),
        call("bash", { command: "pwd", cwd: "/elsewhere" }, "x"),
      ],
      { metadata: { workdir: "/srv/my app" } },
    );
    const report = await replayed("--allow", "exec");
    expect(statuses(report)).toEqual(["matched", "matched", "diverged", "matched", "failed"]);
    expect(report.steps[2]).toMatchObject({ exit_code: 1 });
    expect(report.steps[4]).toMatchObject({ reason: "outside" });
    expect(report.workspace.seen_as).toBe("/srv/my app");
  });

  it("replay: durations and temporary paths are normalised, and the exit status counts", async () => {
    await run([
      call("bash", { command: "echo took 3.2ms; mktemp" }, "took 17ms\n/tmp/tmp.abc\n"),
      call("bash", { command: "echo same; exit 3" }, "same\n", { metadata: { exit_code: 0 } }),
    ]);
    const report = await replayed("--allow", "exec");
    expect(report.steps[0]).toMatchObject({
      status: "matched",
      compared: "normalised",
      normalised: ["durations", "temporary paths"],
    });
    expect(report.steps[1]).toMatchObject({
      status: "diverged",
      exit_code: 3,
      message: "exit status 3, recorded 0",
    });
  });

  it("replay: searches of a known agent are compared as sets of lines", async () => {
    const metadata = { source: { format: "claude-code" }, workdir: "/repo" };
    const inputs = [
      { name: "b.ts", content: "x" },
      { name: "a.ts", content: "x" },
    ];
    const steps = [
      call("Glob", { pattern: "*.ts" }, "/repo/b.ts\n/repo/a.ts"),
      call("Grep", { pattern: "x" }, "b.ts\na.ts\n"),
    ];
    await packed(smallLog({ inputs, steps, metadata }));
    const report = await replayed();
    expect(report.steps).toMatchObject([
      { status: "matched", compared: "lines" },
      { status: "matched", compared: "lines" },
    ]);
  });

  it("replay: commands run after yes, and their files last while their processes do not", async () => {
    await run([
      call("bash", { command: "echo 1 > made; echo 2 > /tmp/t; echo 3 > ~/h; sleep 100 & disown" }, ""),
      call("bash", { command: "cat made /tmp/t ~/h; pgrep sleep || echo none" }, "1\n2\n3\nnone\n"),
    ]);
    const { status, stdout } = await ctx(["replay", "latest"], { terminal: 80, answers: ["y"] });
    expect(stdout).toContain("exact: 2 of 2 tool calls checked".replace("exact", "exact"));
    expect(status).toBe(0);
    // Only what was offered is an answer.
    expect((await ctx(["replay", "latest"], { terminal: 80, answers: ["e"] })).status).toBe(2);
  });

  it("replay: commands that are killed, are not found, or print bytes are compared as recorded", async () => {
    await run([
      call("bash", { command: "kill -9 $$" }, "", { metadata: { exit_code: 137 } }),
      call("bash", { command: "nonesuch" }, "/bin/bash: line 1: nonesuch: command not found\n", {
        metadata: { exit_code: 127 },
      }),
      call("bash", { command: "printf '\\377\\376'" }, undefined, { output_base64: "//4=" }),
      call("bash", { command: "mkdir -p d/e; chmod 000 d" }, ""),
    ]);
    const report = await replayed("--allow", "exec");
    expect(statuses(report)).toEqual(["matched", "matched", "matched", "matched"]);
    expect(report.steps[0]?.exit_code).toBe(137);
    expect(fs.readdirSync(join(folder)).includes("d")).toBe(false);
  });

  it("replay: commands are refused without a sandbox, and the report says --no-sandbox", async () => {
    await run([call("bash", { command: "echo hi" }, "hi\n")]);
    const bin = tempFolder();
    const env = { PATH: bin };
    const { status, stdout } = await ctx(["replay", "latest", "--allow", "exec", "--json"], { env });
    expect(status).toBe(2);
    expect((JSON.parse(stdout) as ReplayReport).steps[0]).toMatchObject({
      reason: "no_sandbox",
      message: expect.stringContaining("bwrap is not installed"),
    });
    const without = await ctx(["replay", "latest", "--allow", "exec", "--no-sandbox"]);
    expect(without.status).toBe(0);
    expect(without.stdout).toContain("NONE: programs ran with your rights");
  });
});

/** Git in the folder of the store. */
function git(...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  // Before the runs of this file.
  const at = "2026-02-01T12:00:00Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  return execFileSync("git", ["-C", folder, ...who, ...args], { encoding: "utf8", env }).trim();
}

describe("the workspace of a replay", () => {
  const steps = [
    call("read_file", { path: "extra.txt" }, "extra\n"),
    call("read_file", { path: "notes.txt" }, "one\ntwo\n"),
  ];

  it("replay --workspace copies a folder, adds the inputs, and changes nothing in it", async () => {
    await run([...steps, call("write_file", { path: "extra.txt", content: "changed" }, "ok")]);
    const from = tempFolder();
    fs.writeFileSync(join(from, "extra.txt"), "extra\n");
    fs.writeFileSync(join(from, "notes.txt"), "other");
    fs.mkdirSync(join(from, ".ctx"));
    fs.writeFileSync(join(from, ".ctx/secret"), "x");
    fs.symlinkSync("/etc/passwd", join(from, "link"));
    const before = snapshot(from);
    const report = await replayed("--workspace", from, "--keep");
    expect(report).toMatchObject({ exit: 0, workspace: { from: `a copy of ${from}` } });
    expect(snapshot(from)).toEqual(before);
    const kept = report.workspace.kept as string;
    expect(fs.readFileSync(join(kept, "extra.txt"), "utf8")).toBe("changed");
    expect(fs.existsSync(join(kept, ".ctx"))).toBe(false);
    expect(fs.readlinkSync(join(kept, "link"))).toBe("/etc/passwd");
    fs.rmSync(join(kept, ".."), { recursive: true, force: true });
    expect((await ctx(["replay", "latest", "--workspace", "none"])).status).toBe(2);
  });

  it("replay --git starts from a revision; auto finds the one with most inputs", async () => {
    const commit = (message: string, files: Record<string, string>): string => {
      for (const [name, content] of Object.entries(files)) fs.writeFileSync(join(folder, name), content);
      git("add", ...Object.keys(files));
      git("commit", "-qm", message);
      return git("rev-parse", "HEAD");
    };
    git("init", "-q");
    const first = commit("1", { "notes.txt": "one\ntwo\n", "extra.txt": "extra\n" });
    const second = commit("2", { "notes.txt": "three\n", "extra.txt": "other\n" });
    await run(steps);
    expect(await replayed("--git", "auto")).toMatchObject({
      exit: 0,
      workspace: { from: `likely: ${first.slice(0, 12)} holds 1 of 1` },
      tree: { commit: first, how: "likely", holds: 1, of: 1 },
    });
    expect(await replayed("--git", "HEAD")).toMatchObject({
      exit: 1,
      tree: { commit: second, how: "named", holds: 0, of: 1 },
      workspace: { from: expect.stringContaining(second.slice(0, 12)) },
    });
    await run(steps, { metadata: { git: { commit: second } } });
    // A recorded commit is no proof: what the run read is.
    expect(await replayed("--git", "auto")).toMatchObject({
      workspace: { from: expect.stringContaining(`(recorded ${second.slice(0, 10)} holds 0)`) },
      tree: { commit: first, recorded: { commit: second, holds: 0 } },
    });
    // A store in a folder of the repository: the run took place there.
    fs.mkdirSync(join(folder, "pkg"));
    fs.renameSync(root, join(folder, "pkg/.ctx"));
    const inner = commit("3", { "pkg/notes.txt": "one\ntwo\n", "pkg/extra.txt": "extra\n" });
    const head = await cli(["replay", "latest", "--git", "HEAD", "--json"], { folder: join(folder, "pkg") });
    expect(JSON.parse(head.stdout)).toMatchObject({
      fidelity: "exact",
      workspace: { from: expect.stringContaining(inner.slice(0, 12)) },
    });
    fs.renameSync(join(folder, "pkg/.ctx"), root);
    for (const revision of ["nonesuch", "--output=x", "-h"])
      expect((await ctx(["replay", "latest", `--git=${revision}`])).status).toBe(2);
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
  });
});

/** Writes an object as it is, however wrong, and returns its id. */
function gitObject(type: string, content: string | Buffer): Buffer {
  const args = ["-C", folder, "hash-object", "-t", type, "-w", "--literally", "--stdin"];
  return Buffer.from(execFileSync("git", args, { input: content, encoding: "utf8" }).trim(), "hex");
}

function gitTree(...entries: [mode: string, name: string, id: Buffer][]): Buffer {
  return gitObject(
    "tree",
    Buffer.concat(entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), id])),
  );
}

describe("a revision that leads out of the workspace", () => {
  it("replay --git: a revision with a link in place of a folder leaves nothing outside the workspace", async () => {
    const victim = tempFolder();
    git("init", "-q");
    // A link and a folder of the same name: what is laid into the folder must not go through the link.
    const inside = gitTree(
      ["120000", "planted", gitObject("blob", "/anything")],
      ["100644", "file", gitObject("blob", "x")],
    );
    const top = gitTree(["120000", "d", gitObject("blob", victim)], ["40000", "d", inside]);
    const commit = git("commit-tree", "-m", "x", top.toString("hex"));
    git("update-ref", "refs/heads/evil", commit);
    await run([], { metadata: { workdir: victim, git: { commit } } });
    await ctx(["replay", "latest", "--git", "auto"]);
    expect(fs.readdirSync(victim)).toEqual([]);
  });
});

describe("how far a replay goes", () => {
  beforeEach(async () => {
    await run([
      call("read_file", { path: "notes.txt" }, "no"),
      call("write_file", { path: "x", content: "1" }, "ok"),
      call("read_file", { path: "x" }, "1"),
    ]);
  });

  it.each<[string[], string[], string]>([
    [[], ["diverged", "recorded", "matched"], "degraded"],
    [["--to", "1"], ["diverged", "recorded"], "degraded"],
    [["--step", "2"], ["matched"], "exact"],
    [["--stop-on-divergence"], ["diverged"], "degraded"],
  ])("replay with options %j: the steps are %j, and the fidelity is %s", async (argv, expected, fidelity) => {
    const report = await replayed(...argv);
    expect(statuses(report)).toEqual(expected);
    expect(report.fidelity).toBe(fidelity);
    // However little of it was looked at, it is said how much there is.
    expect(report.counts.tool_calls).toBe(3);
  });

  it("replay --seal leaves out the output of a step that was not executed", async () => {
    await run([
      call("read_file", { path: "notes.txt" }, "one\ntwo\n"),
      call("bash", { command: "echo hi" }, "hi\n"),
    ]);
    const { sealed } = await replayed("--seal");
    const { stdout } = await ctx(["show", (sealed as string).slice(7), "--json"]);
    expect((JSON.parse(stdout) as { steps: object[] }).steps[1]).not.toHaveProperty("output_ref");
  });

  it.each([
    ["--to", "1", "--step", "1"],
    ["--plan", "--seal"],
    ["--plan", "--git", "auto"],
    ["--plan", "--allow", "exec"],
    ["--no-sandbox", "--tools", ""],
    ["--junit", "/nowhere/x.xml"],
    ["--full"],
  ])("replay: unusable options are refused (case %#: %s …)", async (...argv) => {
    const { status, stdout } = await ctx(["replay", "latest", ...argv]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  it("replay --recorded: a tool that no step calls is a notice", async () => {
    expect((await replayed("--recorded", "typo")).notices).toEqual([
      'no step calls the tool "typo" that --recorded names',
    ]);
  });

  it("replay --to past the last step is an error", async () => {
    expect((await ctx(["replay", "latest", "--to", "3"])).stderr).toContain("there is no step 3");
    expect((await ctx(["replay", "latest", "--to", "x"])).status).toBe(2);
  });

  it("replay --seal makes a child that ctx diff can compare", async () => {
    const { sealed } = await replayed("--seal");
    const { stdout } = await ctx(["diff", (sealed as string).slice(7), "--human"]);
    expect(stdout).toContain("read_file");
    const report = JSON.parse((await ctx(["diff", (sealed as string).slice(7)])).stdout) as {
      entries: { index_a: number }[];
    };
    expect(report.entries.map(({ index_a }) => index_a)).toEqual([0]);
  });
});

describe("replay reports for other programs", () => {
  it("replay: JUnit and Markdown agree, and nothing in a pack can break out of them", async () => {
    await run([
      call("read_file", { path: "notes.txt" }, "one\ntwo\n"),
      call("read_file", { path: "notes.txt" }, "```\n</details><script>@everyone\n"),
      call("</failure>]]>", {}, "x"),
    ]);
    const { status } = await ctx(["replay", "latest", "--json", "--junit", "out.xml"]);
    expect(status).toBe(2);
    const xml = fs.readFileSync(join(folder, "out.xml"), "utf8");
    expect(xml).toContain('tests="4" failures="2" errors="1"');
    expect(xml).not.toContain("<script>");
    const { stdout } = await ctx(["replay", "latest", "--markdown"]);
    expect(stdout).toContain("**failed: 2 of 3 tool calls checked**");
    expect(stdout).toContain("````diff");
    expect((await ctx(["replay", "nonesuch", "--junit", "out.xml"])).status).toBe(2);
    expect(fs.readFileSync(join(folder, "out.xml"), "utf8")).toContain('errors="1"');
  });

  it("replay: the exit status agrees with the printed verdict", async () => {
    const verdicts: [string, number, ReplayedStep["status"]][] = [];
    for (const output of ["one\ntwo\n", "other"]) {
      await run([call("read_file", { path: "notes.txt" }, output)]);
      const { status, stdout } = await ctx(["replay", "latest"]);
      verdicts.push([/^(exact|degraded|failed):/m.exec(stdout)?.[1] ?? "", status, "matched"]);
    }
    expect(verdicts.map(([verdict, status]) => [verdict, status])).toEqual([
      ["exact", 0],
      ["degraded", 1],
    ]);
  });
});
