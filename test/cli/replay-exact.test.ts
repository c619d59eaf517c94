// What `exact` and `matched` promise: every output that an executed step had to make is there byte for byte,
// nothing counts as matched that was not compared, and what the log says about itself never raises a verdict.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayReport } from "../../src/results/replay.js";
import type { VerifyResult } from "../../src/results/verify.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, environmentHere, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

let folder: string;

beforeEach(() => {
  ({ folder } = tempStore());
});

function call(tool: string, parameters: AnyLog, output: string, more: AnyLog = {}): AnyLog {
  return { type: "tool_call", tool, parameters, output, deterministic: true, ...more };
}

const write = (path: string, content: string, more: AnyLog = {}): AnyLog =>
  call("write_file", { path, content }, "ok", more);
const command = (line: string, output = "", more: AnyLog = {}): AnyLog =>
  call("run_command", { command: line }, output, more);
const bash = (more: AnyLog): AnyLog => command("npm test", "ALL 500 TESTS PASSED\n", more);
const readNotes = call("read_file", { path: "notes.txt" }, "one\ntwo\n");

async function run(steps: AnyLog[], outputs: Record<string, string> = {}, more: AnyLog = {}): Promise<void> {
  const log = smallLog({
    inputs: [{ name: "notes.txt", content: "one\ntwo\n" }],
    steps,
    outputs: Object.entries(outputs).map(([name, content]) => ({ name, content })),
    ...more,
  });
  const { stderr, status } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
}

async function replayed(...argv: string[]): Promise<ReplayReport & { exit: number }> {
  const { status, stdout, stderr } = await cli(["replay", "latest", "--json", ...argv], { folder });
  expect(stderr).toBe("");
  return { ...(JSON.parse(stdout) as ReplayReport), exit: status };
}

/**
 * Returns the claim of `ctx verify --replay` about the latest pack, and the exit status; the first line must
 * say the same.
 */
async function claimed(...argv: string[]): Promise<{ exit: number; answer: string; detail: string }> {
  const { stdout: shown } = await cli(["verify", "latest", "--replay", ...argv], { folder });
  const { status, stdout } = await cli(["verify", "latest", "--replay", "--json", ...argv], { folder });
  const claims = (JSON.parse(stdout) as VerifyResult).targets[0]?.claims ?? [];
  const { answer = "", detail = "" } = claims.find(({ claim }) => claim === "replay") ?? {};
  expect(shown.split("\n")[0]).toBe(`latest  ${headlines[answer] ?? ""}`);
  return { exit: status, answer, detail };
}

const headlines: Record<string, string> = {
  yes: "verified, and the replay reproduced it",
  no: "verified by hash; the replay did not reproduce it",
  not_checked: "verified by hash; the replay was not conclusive",
};

const statuses = ({ steps }: ReplayReport): string[] => steps.map(({ status }) => status);

describe("an output of a replayed run", () => {
  it("replay: an output with other bytes rules out exact, even if its step is not deterministic", async () => {
    await run([readNotes, write("report.md", "it failed\n", { deterministic: false })], {
      "report.md": "it passed\n",
    });
    const report = await replayed();
    expect(report).toMatchObject({ exit: 1, fidelity: "degraded" });
    expect(report.steps[1]).toMatchObject({ status: "diverged", expected: true });
    expect(report.outputs).toEqual([
      {
        name: "report.md",
        reproduced: false,
        made_by: 1,
        expected_hash: expect.stringContaining("sha256:"),
        actual_hash: expect.stringContaining("sha256:"),
        message: "step 1 made it with other bytes",
        diff: expect.stringContaining("-it passed\n+it failed\n"),
      },
    ]);
    expect(await claimed()).toMatchObject({
      exit: 1,
      answer: "no",
      detail: expect.stringContaining("report.md"),
    });
  });

  it("replay: an output that no step makes is named, does not rule out exact, and is never verified", async () => {
    await run([readNotes], { "report.md": "it passed\n" });
    const report = await replayed();
    expect(report).toMatchObject({ exit: 0, fidelity: "exact" });
    expect(report.outputs).toEqual([
      {
        name: "report.md",
        reproduced: null,
        made_by: null,
        expected_hash: expect.stringContaining("sha256:"),
        message: "no executed step made it",
      },
    ]);
    expect(await claimed()).toMatchObject({
      exit: 0,
      answer: "not_checked",
      detail: expect.stringContaining("report.md: no executed step made it"),
    });
    const { stdout } = await cli(["replay", "latest"], { folder });
    expect(stdout).toContain("exact: 1 of 1 tool call checked; 0 of 1 output reproduced");
    expect(stdout).toContain("not checked report.md: no executed step made it");
  });

  it("replay: an output that was there before the first step, unchanged, was not made", async () => {
    await run([readNotes], { "notes.txt": "one\ntwo\n" });
    expect(await replayed()).toMatchObject({
      fidelity: "exact",
      outputs: [{ reproduced: null, made_by: null, unchanged: true }],
    });
    expect((await claimed()).answer).toBe("not_checked");
    // A step that writes all bytes of a file makes it, whatever the file held before.
    await run([readNotes, write("notes.txt", "one\ntwo\n")], { "notes.txt": "one\ntwo\n" });
    expect((await replayed()).outputs).toMatchObject([{ name: "notes.txt", reproduced: true, made_by: 1 }]);
    expect((await claimed()).answer).toBe("yes");
  });

  it("replay: an output that a step had to change, and could not, is not reproduced", async () => {
    const edit = { path: "notes.txt", old_text: "gone", new_text: "x" };
    await run([readNotes, call("edit_file", edit, "ok", { deterministic: false })], { "notes.txt": "x\n" });
    expect(await replayed()).toMatchObject({
      exit: 1,
      outputs: [{ reproduced: false, made_by: 1, message: "step 1 had to change it, and could not" }],
    });
  });

  it("replay: an output that the model said word for word is judged where a step made the file", async () => {
    const said = { type: "message", output: "it passed\n" };
    await run([readNotes, write("report.md", "it failed\n"), said], { "report.md": "it passed\n" });
    expect(await replayed()).toMatchObject({ exit: 1, outputs: [{ reproduced: false, made_by: 1 }] });
  });

  it("replay: an output that the model only said is named, and verify's yes is not about it", async () => {
    const said = { type: "message", output: "it passed, all of it\n" };
    await run([readNotes, said, write("report.md", "x")], {
      "answer.md": "it passed, all of it\n",
      "report.md": "x",
    });
    expect((await replayed()).outputs).toMatchObject([
      { reproduced: null, made_by: null, said: true, message: "the model said it; no step made it" },
      { reproduced: true, made_by: 2 },
    ]);
    const { stdout } = await cli(["replay", "latest"], { folder });
    expect(stdout).toContain("exact: 2 of 2 tool calls checked  (");
    expect(stdout).toContain("1 of 1 reproduced byte for byte\n");
    expect(stdout).toContain("not checked answer.md: the model said it; no step made it");
    expect(await claimed()).toMatchObject({
      answer: "yes",
      detail: expect.stringContaining("not about answer.md: the model wrote that"),
    });
    fs.writeFileSync(join(folder, "answer.md"), "it passed, all of it\n");
    const about = await cli(["verify", "answer.md", "--replay", "--json"], { folder });
    expect(JSON.parse(about.stdout)).toMatchObject({
      targets: [
        {
          result: "verified",
          claims: expect.arrayContaining([
            expect.objectContaining({ claim: "replay", answer: "not_checked" }),
          ]),
        },
      ],
    });
  });

  it("replay: an output that was moved with its folder or removed is attributed to the last such step", async () => {
    await run(
      [
        write("a/report.md", "x"),
        call("move_file", { source: "a", destination: "b" }, "ok"),
        write("c/gone.md", "y"),
        call("delete_file", { path: "c" }, "ok"),
        readNotes,
      ],
      { "b/report.md": "x", "c/gone.md": "y" },
    );
    expect(await replayed()).toMatchObject({
      exit: 1,
      outputs: [
        { name: "b/report.md", reproduced: true, made_by: 1 },
        { name: "c/gone.md", reproduced: false, made_by: 3 },
      ],
    });
  });

  it("replay: under --step an output counts only for that step", async () => {
    await run([readNotes, write("report.md", "other")], { "report.md": "x" });
    expect(await replayed("--step", "0")).toMatchObject({
      fidelity: "exact",
      outputs: [{ reproduced: null, made_by: null }],
    });
    await run([write("report.md", "other"), readNotes], { "report.md": "x" });
    expect(await replayed("--step", "1")).toMatchObject({
      fidelity: "exact",
      outputs: [{ reproduced: null, made_by: 0 }],
    });
    expect(await replayed("--step", "0")).toMatchObject({ exit: 1, outputs: [{ reproduced: false }] });
  });

  it("replay: each output has a case in JUnit, and a line in Markdown", async () => {
    await run([readNotes, write("good.md", "x"), write("bad.md", "x", { deterministic: false })], {
      "good.md": "x",
      "bad.md": "y",
      "none.md": "z",
    });
    const { stdout } = await cli(["replay", "latest", "--markdown", "--junit", "out.xml"], { folder });
    const xml = fs.readFileSync(join(folder, "out.xml"), "utf8");
    expect(xml).toMatch(/name="output good\.md"><\/testcase>/);
    expect(xml).toMatch(/name="output bad\.md"><failure message="step 2 made it with other bytes">/);
    expect(xml).toMatch(/name="output none\.md"><skipped message="no executed step made it">/);
    expect(xml).toContain('<testsuites tests="7" failures="2"');
    expect(stdout).toContain(
      "**degraded: 3 of 3 tool calls checked; 1 diverged as the log allows; 1 of 3 outputs reproduced**",
    );
    expect(stdout).toContain(
      "- output <code>bad&#46;md</code> not reproduced: <code>step 2 made it with other bytes</code>",
    );
    expect(stdout).toContain(
      "- output <code>none&#46;md</code> not checked: <code>no executed step made it</code>",
    );
  });

  it("replay: a differing output is shown with its step, the difference, and how to see all of it", async () => {
    const outputs = { "report.md": "it passed\n" };
    await run([readNotes, write("report.md", "it failed\n")], outputs, { environment: environmentHere });
    const { stdout } = await cli(["replay", "latest"], { folder });
    expect(stdout.replace(/^ctx:.*\n/, "")).toMatchInlineSnapshot(`
      "  0  matched   read_file       notes.txt
        1  diverged  write_file      report.md…  report.md differs from the recorded …
      2 calls: all checked
        1 matched  (1 by bytes)
        1 diverged  step 1
      degraded: 2 of 2 tool calls checked; 0 of 1 output reproduced
        (1 matched, 1 diverged)
      outputs      0 of 1 reproduced byte for byte
                   differs report.md: step 1 made it with other bytes
      environment  3 facts the same

      step 1 write_file diverged
        report.md differs from the recorded output
        recorded 069b9df3fc6f, now 2104db4d9ba9
          @@ -1 +1 @@
          -it passed
          +it failed

      To compare all of report.md
        recorded  ctx cat 069b9df3fc6f
        now       add --keep, which leaves the workspace
      "
    `);
    const kept = await cli(["replay", "latest", "--keep"], { folder });
    const workspace = /^kept +(\S+)$/m.exec(kept.stdout)?.[1] ?? "";
    expect(kept.stdout).toContain(`| diff - ${workspace}/report.md\n`);
    fs.rmSync(join(workspace, ".."), { recursive: true });
  });
});

describe("a replayed step that writes", () => {
  it("replay: a write that nothing was compared with is recorded, and a run of such steps is not exact", async () => {
    await run([
      write("a", "1"),
      call("make_folder", { path: "d" }, "ok"),
      call("delete_file", { path: "a" }, "ok"),
    ]);
    const report = await replayed();
    expect(report).toMatchObject({
      exit: 1,
      fidelity: "degraded",
      counts: { checked: 0, matched: 0, recorded: 3 },
    });
    expect(report.steps.every(({ executed, status }) => executed && status === "recorded")).toBe(true);
    const { stdout } = await cli(["replay", "latest"], { folder });
    expect(stdout).toContain(
      "degraded, nothing matched: 0 of 3 tool calls checked\n  (3 recorded, 3 of them executed)",
    );
    expect((await claimed()).answer).toBe("not_checked");
  });
});

describe("ctx verify --replay", () => {
  const { output: _, ...silent } = bash({});

  it.each<[string, AnyLog, string]>([
    [
      "a denied call with an output",
      bash({ metadata: { status: "denied" } }),
      "was denied, but has a result",
    ],
    [
      "an interrupted call with an exit status",
      { ...silent, metadata: { status: "interrupted", exit_code: 0 } },
      "was interrupted, but has a result",
    ],
    ["an unanswered call with an output", bash({ metadata: { status: "unanswered" } }), "has a result"],
    ["a call that goes by the name of reasoning", bash({ type: "reasoning" }), "run_command: no tool call"],
    ["a call without parameters", bash({ type: "message", parameters: {} }), "run_command: no tool call"],
    [
      "a call that ran in the background",
      call("bash", { command: "npm test", run_in_background: true }, "passed"),
      "it ran in the background",
    ],
  ])("ctx verify --replay does not say yes with %s", async (_name, step, why) => {
    await run([step, write("report.md", "T")], { "report.md": "T" });
    expect((await replayed()).fidelity).toBe("exact");
    expect(await claimed()).toMatchObject({
      exit: 0,
      answer: "not_checked",
      detail: expect.stringMatching(`1 call not checked: step 0 .*${why}`),
    });
  });

  it("ctx verify --replay says yes with a denied call without a result, and names the agent's own tools", async () => {
    const todo = call("TodoWrite", { todos: [] }, "ok");
    const denied = { ...silent, metadata: { status: "denied" } };
    await run([denied, todo, write("report.md", "T")], { "report.md": "T" });
    expect(await claimed()).toMatchObject({
      answer: "yes",
      detail: expect.stringContaining("not about calls of the agent's own tools: TodoWrite"),
    });
  });

  it("ctx verify --replay says yes with a write that a later step rewrites", async () => {
    await run([write("report.md", "draft"), write("report.md", "T")], { "report.md": "T" });
    expect((await replayed()).steps[0]).toMatchObject({ status: "recorded", executed: true });
    expect((await claimed()).answer).toBe("yes");
  });

  it("ctx verify --replay does not say yes with a search that matched only as a set of lines", async () => {
    const search = call("glob", { pattern: "*" }, "notes.txt\nnotes.txt\n");
    const source = { agent: "claude-code" };
    await run([search, write("report.md", "T")], { "report.md": "T" }, { metadata: { source } });
    expect((await replayed()).steps[0]).toMatchObject({ status: "matched", compared: "lines" });
    expect(await claimed()).toMatchObject({
      answer: "not_checked",
      detail: expect.stringContaining(
        "1 step matched only after normalising, or with lines in another order",
      ),
    });
    await run(
      [{ ...search, output: "notes.txt\n" }, write("report.md", "T")],
      { "report.md": "T" },
      { metadata: { source } },
    );
    expect((await claimed()).answer).toBe("yes");
  });
});

describe("a failure that the log records", () => {
  it("replay: a call that failed then and now is recorded, since no text is compared", async () => {
    const failing = { metadata: { status: "error" } };
    await run([
      readNotes,
      call("read_file", { path: "results.txt" }, "ALL 500 TESTS PASSED", failing),
      call("edit_file", { path: "notes.txt", old_text: "gone", new_text: "x" }, "done", failing),
    ]);
    const report = await replayed();
    expect(statuses(report)).toEqual(["matched", "recorded", "recorded"]);
    expect(report.steps[1]).toMatchObject({
      executed: true,
      message: expect.stringContaining("failed then and now; texts were not compared"),
    });
    expect(report.counts).toMatchObject({ checked: 1, matched: 1, tool_calls: 3 });
  });

  it("replay: a call that failed then and succeeds now diverges, whatever the bytes are", async () => {
    const failing = { metadata: { status: "error" } };
    await run([call("read_file", { path: "notes.txt" }, "one\ntwo\n", failing)]);
    expect(await replayed()).toMatchObject({
      exit: 1,
      steps: [{ status: "diverged", message: "it failed then, and did not now" }],
    });
  });
});

describe("normalisers of a replay", () => {
  it("replay: the user's own normalisers do not apply to what a tool reads from files", async () => {
    const home = join(folder, "config");
    fs.mkdirSync(join(home, "ctx"), { recursive: true });
    const config = { version: "0.1", replay: { normalise: [{ name: "words", pattern: "one|ONE" }] } };
    fs.writeFileSync(join(home, "ctx", "config.json"), JSON.stringify(config));
    await run([
      call("read_file", { path: "notes.txt" }, "ONE\ntwo\n"),
      call("grep", { pattern: "one" }, "notes.txt:1:ONE\n"),
      call("read_file", { path: "notes.txt", limit: 1 }, "one"),
    ]);
    const { stdout } = await cli(["replay", "latest", "--json"], { folder, env: { XDG_CONFIG_HOME: home } });
    expect(statuses(JSON.parse(stdout) as ReplayReport)).toEqual(["diverged", "diverged", "diverged"]);
  });

  it("replay: space at the end of lines of a file is normalised for an agent's log", async () => {
    const source = { format: "claude-code" };
    await run([call("read_file", { path: "notes.txt", limit: 1 }, "one")], {}, { metadata: { source } });
    expect((await replayed()).steps).toMatchObject([
      { status: "matched", compared: "normalised", normalised: ["space at the end"] },
    ]);
  });
});

describeWith([program("bwrap", "bubblewrap")], "commands that a replay runs after a write", () => {
  const exec = ["--allow", "exec"];

  it.each(["true", "ls > listing", "touch report.md", "chmod 600 report.md"])(
    "replay: the command %s after a write does not turn the comparison off",
    async (line) => {
      await run([readNotes, write("report.md", "it failed\n"), command(line)], {
        "report.md": "it passed\n",
      });
      const report = await replayed(...exec);
      expect(report).toMatchObject({ exit: 1, fidelity: "degraded" });
      expect(statuses(report)).toEqual(["matched", "diverged", "matched"]);
      expect(report.outputs).toMatchObject([{ reproduced: false, made_by: 1 }]);
      expect(await claimed(...exec)).toMatchObject({ exit: 1, answer: "no" });
    },
  );

  it("replay: a step's line is printed again when its verdict is known only at the end", async () => {
    await run([readNotes, write("report.md", "it failed\n"), command("true")], {
      "report.md": "it passed\n",
    });
    const { stdout } = await cli(["replay", "latest", ...exec], { folder });
    const lines = stdout.split("\n").filter((line) => line.includes("write_file  "));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/1 {2}recorded .*applied; differs so far/);
    expect(lines[1]).toMatch(/1 {2}diverged /);
  });

  it("replay: a command may finish what a built-in step began", async () => {
    await run([write("report.md", "draft\n"), command("echo done >> report.md")], {
      "report.md": "draft\ndone\n",
    });
    const report = await replayed(...exec);
    expect(report).toMatchObject({ exit: 0, outputs: [{ reproduced: true, made_by: 1 }] });
    expect(statuses(report)).toEqual(["recorded", "matched"]);
    expect((await claimed(...exec)).answer).toBe("yes");
  });

  it("replay: a command that spoils what a built-in step made is the one that is named", async () => {
    await run([write("report.md", "x\n"), command("echo y > report.md")], { "report.md": "x\n" });
    expect(await replayed(...exec)).toMatchObject({
      exit: 1,
      steps: [{ status: "matched" }, { status: "matched" }],
      outputs: [{ reproduced: false, made_by: 1 }],
    });
  });

  it("replay: the last command that changed an output's bytes made it", async () => {
    await run([command("echo x > out"), command("touch out"), command("cat out", "x\n")], { out: "x\n" });
    expect(await replayed(...exec)).toMatchObject({ exit: 0, outputs: [{ reproduced: true, made_by: 0 }] });
    await run([command("echo x > out"), command("rm out")], { out: "x\n" });
    expect(await replayed(...exec)).toMatchObject({ exit: 1, outputs: [{ reproduced: false, made_by: 1 }] });
    // What was there before is not made by being touched.
    await run([command("touch notes.txt; cp notes.txt n; cp n notes.txt")], { "notes.txt": "one\ntwo\n" });
    expect(await replayed(...exec)).toMatchObject({ outputs: [{ reproduced: null, made_by: null }] });
  });

  it.each([
    ["a folder", "out", "mkdir out"],
    ["a link out of the workspace", "out", "echo right > /tmp/r; ln -s /tmp/r out"],
    ["a link to nothing", "out", "ln -s none out"],
    ["a pipe", "out", "mkfifo out"],
    ["a file below a linked folder", "d/out", "mkdir /tmp/d; echo right > /tmp/d/out; ln -s /tmp/d d"],
  ])("replay: an output that a command turns into %s is not reproduced", async (_, name, line) => {
    await run([readNotes, command(line)], { [name]: "right\n" });
    expect(await replayed(...exec)).toMatchObject({
      exit: 1,
      fidelity: "degraded",
      outputs: [{ reproduced: false, made_by: 1, message: "step 1 left no file that can be compared" }],
    });
    expect(await claimed(...exec)).toMatchObject({ exit: 1, answer: "no" });
  });

  it("replay: a differing output stays open while a later command did not run", async () => {
    await run([write("report.md", "draft\n"), command("echo done >> report.md")], {
      "report.md": "draft\ndone\n",
    });
    expect(await replayed("--to", "0")).toMatchObject({ outputs: [{ reproduced: null, made_by: 0 }] });
    expect(await replayed()).toMatchObject({
      exit: 2,
      steps: [{ status: "recorded" }, { reason: "not_allowed" }],
      outputs: [{ reproduced: null, made_by: 0 }],
    });
  });

  it("replay: output of commands that may print files is not normalised, other output is", async () => {
    const then = "p99 latency 3 ms, checked 2026-11-17, log /tmp/a/b\n";
    const now = "p99 latency 3000 ms, checked 2019-01-01, log /tmp/c/d\n";
    const lines = [
      "cat bench.txt",
      "cd . && LC_ALL=C cat bench.txt | head -n 5",
      "cat bench.txt; echo",
      "sed -n 1,3p bench.txt",
      'bash -lc "grep p99 bench.txt"',
      'echo "$(cat bench.txt)"',
      "printf '%s\\n' \"$(<bench.txt)\"",
      'while read l; do echo "$l"; done < bench.txt',
      "find . -name bench.txt -exec cat {} \\;",
      "echo bench.txt | xargs cat",
      "show() { cat bench.txt; }; show",
      "case x in x) cat bench.txt;; esac",
      'node -p \'require("fs").readFileSync("bench.txt", "utf8").trim()\'',
    ];
    const others = ["node bench.mjs", "node bench.mjs 2>&1 | tail -5", "cd . && node bench.mjs; echo"];
    await run(
      [...lines, ...others].map((line) => command(line, `${then}${line.endsWith("echo") ? "\n" : ""}`)),
      {},
      {
        inputs: [
          { name: "bench.txt", content: now },
          { name: "bench.mjs", content: `process.stdout.write(${JSON.stringify(now)})` },
        ],
      },
    );
    const report = await replayed(...exec);
    expect(report).toMatchObject({ exit: 1, fidelity: "degraded" });
    expect(statuses(report)).toEqual([...lines.map(() => "diverged"), ...others.map(() => "matched")]);
  });

  it("replay: a command that failed then and ends with status 0 now diverges", async () => {
    await run([readNotes, command("echo x", "x\n", { metadata: { status: "error" } })]);
    expect(statuses(await replayed(...exec))).toEqual(["matched", "diverged"]);
    await run([readNotes, command("echo x; false", "x\n", { metadata: { status: "error" } })]);
    expect(statuses(await replayed(...exec))).toEqual(["matched", "matched"]);
  });
});
