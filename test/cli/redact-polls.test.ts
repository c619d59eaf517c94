// A step's output is judged by its command, also where a later step shows it, and where `ctx scan` reads a
// log that is not packed yet.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { githubToken } from "../../dev/secrets.js";
import type { ScanResult } from "../../src/results/scan.js";

const printed = "Xk29fLqZ81mPvR3tY7wB";
const harmless = "Build7f3kQ9zL2mX8vR4t";

function step(tool: string, parameters: object, output: string): object {
  return { type: "tool_call", tool, parameters, output };
}

function start(command: string): object {
  return step("Bash", { command, run_in_background: true }, "running in the background");
}

function poll(id: string, output: string): object {
  return step("BashOutput", { bash_id: id }, output);
}

function logOf(steps: object[]): AnyLog {
  return smallLog({ created: "2026-01-01T00:00:00Z", steps });
}

async function packedText(steps: object[]): Promise<{ text: string; folder: string }> {
  const { folder } = tempStore();
  fs.writeFileSync(join(folder, "run.json"), json(logOf(steps)));
  const { status, stderr } = await cli(["pack", "run.json"], { folder });
  expect(status, stderr).toBe(0);
  const objects = fs
    .readdirSync(join(folder, ".ctx/objects"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"));
  return { text: objects.join("\n"), folder };
}

describe("the output of a command that a later step polls", () => {
  it.each([
    ["by its id", [start("gh auth token"), poll("b1", printed)]],
    ["by an id that is polled twice", [start("gh auth token"), poll("b1", ""), poll("b1", printed)]],
    [
      "while another command prints nothing secret",
      [start("npm run dev"), start("gh auth token"), poll("b2", printed)],
    ],
    [
      "by the id in the start's parameters, in another spelling",
      [
        step("bash", { command: "gh auth token", sessionId: "a", async: true }, "started a"),
        step("bash", { command: "npm test", sessionId: "b", async: true }, "started b"),
        step("read_bash", { session_id: "a" }, printed),
      ],
    ],
    [
      "by the id that a command in the foreground printed",
      [
        start("npm run dev"),
        step("Bash", { command: "gh auth token" }, "Command running in background with ID: b2"),
        poll("b2", printed),
      ],
    ],
    [
      "in the file that the start names",
      [
        step(
          "Bash",
          { command: "gh auth token", run_in_background: true },
          "Command running in background with ID: b1. Output is being written to: /tmp/claude/tasks/b1.output",
        ),
        step("Read", { file_path: "/tmp/claude/tasks/b1.output" }, printed),
      ],
    ],
    ["without an id", [start("gh auth token"), step("write_stdin", { chars: "" }, printed)]],
    [
      "in a session",
      [step("exec_command", { cmd: "gh auth token" }, ""), step("write_stdin", { session_id: 4 }, printed)],
    ],
  ])("redact: a polled secret is masked, found by scan and not exported: %s", async (_, steps) => {
    const { text, folder } = await packedText(steps);
    expect(text).not.toContain(printed);
    const off = await cli(["pack", "run.json", "--redact", "off", "--tag", "leaked"], { folder });
    expect(off.status).toBe(0);
    const scanned = await cli(["scan", "leaked"], { folder });
    expect(scanned.status).toBe(1);
    expect(scanned.stdout).toContain(`steps[${steps.length - 1}].output`);
    expect((await cli(["export", "leaked", "-o", "a.ctx"], { folder })).status).toBe(2);
  });

  it.each([
    [
      "polled before",
      [
        start("npm run build"),
        poll("b1", "x"),
        step("Bash", { command: "gh auth token" }, printed),
        poll("b1", harmless),
      ],
    ],
    [
      "started behind a command that printed a secret at once",
      [step("Bash", { command: "gh auth token" }, printed), start("npm run build"), poll("b1", harmless)],
    ],
    [
      "started behind one that was polled",
      [start("gh auth token"), poll("b1", printed), start("npm run build"), poll("b2", harmless)],
    ],
  ])("redact: polled output of another command is not masked if it was %s", async (_, steps) => {
    const { text } = await packedText(steps);
    expect(text).toContain(harmless);
    expect(text).not.toContain(printed);
  });
});

describe("ctx scan of a log that is not packed", () => {
  const own = json(logOf([step("run_command", { command: "gh auth token" }, printed)])).toString();
  const claude = lines(
    ...[
      { type: "user", message: { role: "user", content: "go" } },
      {
        type: "assistant",
        message: {
          role: "assistant",
          model: "m",
          content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "gh auth token" } }],
        },
      },
      {
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: printed }] },
      },
    ].map((fields, at) => ({
      sessionId: "7e57ab1e-0000-4000-8000-000000000001",
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      cwd: "/home/ana/app",
      version: "2.1.0",
      timestamp: `2026-01-01T00:00:0${at}.000Z`,
      ...fields,
    })),
  );

  it.each([
    ["ctx's own", own],
    ["an agent's", claude],
  ])("ctx scan judges outputs by their commands, as pack does: %s log", async (_, text) => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "run.json"), text);
    const before = fs.readdirSync(folder);
    const { status, stdout } = await cli(["scan", "run.json", "--json"], { folder });
    expect(status).toBe(1);
    const [target] = (JSON.parse(stdout) as { targets: { finds: { place: string }[] }[] }).targets;
    expect(target?.finds.map(({ place }) => place)).toContainEqual(
      expect.stringMatching(/^steps\[\d\]\.output$/),
    );
    expect(stdout).not.toContain(printed);
    expect(fs.readdirSync(folder)).toEqual(before);
    expect((await cli(["scan", "-"], { folder, input: text })).status).toBe(1);
  });

  it("ctx scan lists a secret once in a log that is not packed, and finds nothing in a masked one", async () => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "run.json"), json(logOf([step("t", { a: "x" }, `see ${githubToken()}`)])));
    const { stdout } = await cli(["scan", "run.json", "--json"], { folder });
    const [target] = (JSON.parse(stdout) as { targets: { finds: object[] }[] }).targets;
    expect(target?.finds).toHaveLength(1);
    await cli(["pack", "run.json"], { folder });
    await cli(["fork", "latest", "draft"], { folder });
    const masked = await cli(["scan", "draft/execution.json"], { folder });
    expect(masked.status, masked.stdout).toBe(0);
  });

  it("ctx scan says how many secrets ctx pack masks in the same log, where it counts otherwise", async () => {
    const { folder } = tempStore();
    for (const name of ["deploy.json", "staging.env"])
      fs.copyFileSync(join(import.meta.dirname, "../../examples", name), join(folder, name));
    const scanned = await cli(["scan", "deploy.json", "--json"], { folder });
    const packed = await cli(["pack", "deploy.json", "--json", "--no-sidecars"], { folder });
    const { redactions } = JSON.parse(packed.stdout) as {
      redactions: { rules: Record<string, { count: number }> };
    };
    const masked = Object.entries(redactions.rules).map(([rule, { count }]) => [rule, count]);
    const { targets } = JSON.parse(scanned.stdout) as ScanResult;
    expect(targets[0]?.masked_by_pack).toEqual(Object.fromEntries(masked));
    expect((await cli(["scan", "deploy.json"], { folder })).stdout).toContain(
      "`ctx pack` would mask 5: spoken-password 2, named-secret 3.",
    );
    // Where both count alike, nothing needs to be said.
    fs.writeFileSync(join(folder, "run.json"), json(logOf([step("t", { a: "x" }, `see ${githubToken()}`)])));
    expect((await cli(["scan", "run.json"], { folder })).stdout).not.toContain("would mask");
  });

  it("ctx scan finds secrets in files that a log names", async () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, "out.txt"), githubToken());
    const file = { type: "tool_call", tool: "t", parameters: {}, output_file: "out.txt" };
    fs.writeFileSync(join(folder, "run.json"), json(logOf([file])));
    expect((await cli(["scan", "run.json"], { folder })).status).toBe(1);
  });
});
