// What the rules for real sessions make equal in a whole replay, what they do not, and that none of them lets
// `ctx verify --replay` answer yes.
import { beforeEach, describe, expect, it } from "vitest";
import type { ReplayedStep, ReplayReport } from "../../src/results/replay.js";
import type { VerifyResult } from "../../src/results/verify.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { describeWith, program } from "../../dev/needs.js";

let folder: string;

beforeEach(() => {
  ({ folder } = tempStore());
});

function call(tool: string, parameters: AnyLog, output: string, more: AnyLog = {}): AnyLog {
  return { type: "tool_call", tool, parameters, output, deterministic: true, ...more };
}

const command = (line: string, output: string, more: AnyLog = {}): AnyLog =>
  call("run_command", { command: line }, output, more);

async function replayed(steps: AnyLog[], more: AnyLog = {}): Promise<ReplayedStep[]> {
  const log = smallLog({
    inputs: [{ name: "notes.txt", content: "one\ntwo\n" }],
    outputs: [],
    steps,
    ...more,
  });
  const packed = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(log) });
  expect(packed.status, packed.stderr).toBe(0);
  const { stdout } = await cli(["replay", "latest", "--json", "--allow", "exec"], { folder });
  return (JSON.parse(stdout) as ReplayReport).steps;
}

async function claim(): Promise<string | undefined> {
  const { stdout } = await cli(["verify", "latest", "--replay", "--json", "--allow", "exec"], { folder });
  const claims = (JSON.parse(stdout) as VerifyResult).targets[0]?.claims ?? [];
  return claims.find((each) => each.claim === "replay")?.answer;
}

const tap = (pass: number, fail: string): string =>
  `not ok 2 - ${fail}\n# tests 2\n# suites 0\n# pass ${pass}\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 1\n`;

describeWith([program("bwrap", "bubblewrap")], "rules in a replay", () => {
  it("replay: the search for lines in any order is said, and proves nothing", async () => {
    const steps = await replayed([
      command("grep -rn o .", "./notes.txt:2:two\n./notes.txt:1:one\n"),
      command("grep -rn o .", "./notes.txt:1:one\n./notes.txt:1:one\n./notes.txt:2:two\n"),
    ]);
    expect(steps).toMatchObject([{ status: "matched", compared: "lines" }, { status: "diverged" }]);
    const { stdout } = await cli(["replay", "latest", "--allow", "exec"], { folder });
    expect(stdout).toContain("as a set of lines");
  });

  it.each([
    ["a search", command("grep -rn o .", "./notes.txt:2:two\n./notes.txt:1:one\n")],
    ["a listing", command("ls -l", "total 1\n-rw-r--r-- 1 ana staff 8 Jan  1 2025 notes.txt\n")],
    ["a terminal", command("cat notes.txt", "one\r\ntwo\r\nroot@a1:/w # ")],
  ])("ctx verify --replay: %s that matched by a rule is not checked", async (_, step) => {
    const [replay] = await replayed([step]);
    expect(replay).toMatchObject({ status: "matched" });
    expect(await claim()).toBe("not_checked");
  });

  it("replay: commits of the run are recognised by their hashes in this replay", async () => {
    const set = "git -c user.name=a -c user.email=b@c";
    const steps = await replayed([
      command("git init -q -b main . && git add notes.txt", ""),
      command(
        `${set} commit -m Notes`,
        "[main (root-commit) abc1234] Notes\n 1 file changed, 2 insertions(+)\n create mode 100644 notes.txt\n",
      ),
      command("git log --oneline", "abc1234 Notes\n"),
      command("git log --oneline", "abc1235 Notes\n"),
    ]);
    expect(steps).toMatchObject([
      { status: "matched", compared: "output" },
      { status: "matched", normalised: ["git hashes"] },
      { status: "matched", normalised: ["git hashes"] },
      { status: "diverged" },
    ]);
  });

  it("replay: tests are compared by their results, and their exit status counts before", async () => {
    const source =
      'import test from "node:test"; test("adds", () => {}); test("fails", () => { throw new Error("no"); });';
    const inputs = [{ name: "a.test.mjs", content: source }];
    const line = "node --test --test-reporter=tap a.test.mjs";
    const steps = await replayed(
      [
        command(line, tap(1, "fails"), { metadata: { exit_code: 1 } }),
        command(line, tap(1, "adds"), { metadata: { exit_code: 1 } }),
        command(line, tap(2, "fails"), { metadata: { exit_code: 1 } }),
        command(line, tap(1, "fails"), { metadata: { exit_code: 0 } }),
      ],
      { inputs },
    );
    expect(steps.map(({ status, message }) => [status, message])).toEqual([
      ["matched", undefined],
      ["diverged", undefined],
      ["diverged", undefined],
      ["diverged", "exit status 1, recorded 0"],
    ]);
    expect(steps[0]?.compared).toBe("results");
    const { stdout } = await cli(["replay", "latest", "--allow", "exec"], { folder });
    expect(stdout).toContain("by the results of the tests");
    await replayed([command(line, tap(1, "fails"), { metadata: { exit_code: 1 } })], { inputs });
    expect(await claim()).toBe("not_checked");
  });

  it("replay: a part of a record that was cut is said to be that", async () => {
    const content = `${Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n")}\n`;
    const cut = `${content.slice(0, 600)}\u202690 tokens truncated\u2026${content.slice(-600)}`;
    const inputs = [{ name: "long.txt", content }];
    const metadata = { truncated: true };
    const steps = await replayed(
      [
        command("cat long.txt", cut, { metadata }),
        command("cat long.txt", cut),
        command("cat long.txt", cut.replace("line 3\n", "line x\n"), { metadata }),
      ],
      { inputs },
    );
    expect(steps).toMatchObject([
      { status: "matched", compared: "normalised", normalised: ["cut"] },
      { status: "diverged" },
      { status: "diverged" },
    ]);
  });
});

const shown = (...lines: string[]): string =>
  `[File: /w/a.py (${lines.length} lines total)]\n${lines.map((line, at) => `${at + 1}:${line}`).join("\n")}`;
const edit = (line: string, output: string): AnyLog => call("edit", { command: line }, output);
const sweAgent = { source: { format: "swe-agent" } };
const refused =
  "Your proposed edit has introduced new syntax error(s). Please read this.\n\nERRORS:\n- E999\n\n";

describe("SWE-agent's editor in a replay", () => {
  it("replay: edits of the open file match by what the editor showed, and a refused edit is not applied", async () => {
    const steps = await replayed(
      [
        call("create", { command: "create a.py\n" }, shown("")),
        edit("edit 1:1\nx = 1\ny = 2\nend_of_edit\n", `${shown("x = 1", "y = 2")}\nFile updated.`),
        edit(
          "edit 2:2\ny = (\nend_of_edit\n",
          `${refused}${shown("x = 1", "y = (")}\n\n${shown("x = 1", "y = 2")}\n`,
        ),
        edit("edit 2:2\nz = 3\nend_of_edit\n", shown("x = 1", "z = 3")),
        edit("edit 1:1\nx = 4\nend_of_edit\n", shown("x = 5", "z = 3")),
        call("open", { path: "notes.txt" }, "[File: /w/notes.txt (2 lines total)]\n1:one\n2:two"),
      ],
      { metadata: sweAgent },
    );
    expect(steps.map(({ status }) => status)).toEqual([
      "matched",
      "matched",
      "matched",
      "matched",
      "diverged",
      "matched",
    ]);
    expect(steps[1]).toMatchObject({ compared: "normalised", normalised: ["window"] });
    expect(await claim()).not.toBe("yes");
  });
});
