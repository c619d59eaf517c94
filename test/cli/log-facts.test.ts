// `ctx log --path`, `--wrote`, `--read` and `--ran`: runs by the files that they used and the commands that they executed.
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";

const { folder } = tempStore();
const packs = new Map<string, string>();

async function add(name: string, fields: AnyLog): Promise<void> {
  const { stdout } = await cli(["pack", "-", "--no-sidecars"], { folder, input: json(smallLog(fields)) });
  packs.set(`sha256:${stdout.trim().slice("ctx://".length)}`, name);
}

function call(tool: string, parameters: AnyLog, status = "ok"): AnyLog {
  return { type: "tool_call", tool, parameters, metadata: { status } };
}

const command = (text: string, status?: string): AnyLog => call("bash", { command: text }, status);

/** Which packs a listing names, by the names that they have here. */
async function listed(...argv: string[]): Promise<string> {
  const { stdout, stderr, status } = await cli(["log", "--json", ...argv], { folder });
  expect(status, stderr).toBe(0);
  const hashes = stdout.split("\n").filter(Boolean);
  return hashes.map((line) => packs.get((JSON.parse(line) as { hash: string }).hash)).join("");
}

const claude = (session: string, subagent?: string): AnyLog => ({
  workdir: "/srv/app",
  source: {
    format: "claude-code",
    agent: "claude-code",
    session,
    ...(subagent === undefined ? {} : { subagent }),
  },
});

beforeAll(async () => {
  await add("a", {
    created: "2026-02-01T12:00:00Z",
    steps: [call("Read", { file_path: "/srv/app/src/auth.ts" }), command("npm test -- auth")],
    metadata: { workdir: "/srv/app" },
  });
  await add("b", {
    created: "2026-02-02T12:00:00Z",
    steps: [
      call("Edit", { file_path: "src/auth.ts", old_string: "a", new_string: "b" }),
      command("rm -rf dist\nnpm run build"),
    ],
    metadata: { workdir: "/srv/app" },
  });
  await add("c", {
    created: "2026-02-03T12:00:00Z",
    steps: [
      call("bash", { command: "rm src/auth.ts" }),
      command("rm -rf /", "denied"),
      call("Read", { file_path: "lib/auth.ts" }, "error"),
    ],
  });
  await add("d", {
    created: "2026-02-04T12:00:00Z",
    inputs: [{ name: "src/auth.ts", content: "x" }],
    outputs: [{ name: "docs/report.md", content: "y" }],
    steps: [command("exit 3", "error")],
  });
  await add("m", { created: "2026-02-06T12:00:00Z", steps: [call("Task", {})], metadata: claude("s1") });
  await add("s", {
    created: "2026-02-05T12:00:00Z",
    steps: [call("Write", { file_path: "deep/sub.ts", content: "" }), command("make sub")],
    metadata: claude("s1", "a1"),
  });
});

describe("ctx log by facts of runs", () => {
  it.each([
    [["--path", "src/auth.ts"], "dcba"],
    [["--path", "auth.ts"], "dcba"],
    [["--path", "src/"], "dcba"],
    [["--path", "./src"], "dcba"],
    [["--path", "/srv/app/src/auth.ts"], "ba"],
    [["--path", "/srv/app"], "sba"],
    [["--path", "*.md"], "d"],
    [["--path", "**/auth.ts"], "dcba"],
    [["--path", "lib/auth.ts"], ""],
    [["--path", "uth.ts"], ""],
    [["--path", "src/auth.ts", "--read"], "a"],
    [["--path", "src/auth.ts", "--wrote"], "cb"],
    [["--path", "docs", "--wrote"], "d"],
    [["--path", "docs", "--read"], ""],
    [["--path", "auth.ts", "-n", "2"], "dc"],
    [["--path", "auth.ts", "--until", "2026-02-02"], "ba"],
    [["--path", "auth.ts", "--failed"], "dc"],
    [["--ran", "rm -rf"], "b"],
    [["--ran", "npm"], "ba"],
    [["--ran", "NPM"], ""],
    [["--ran", "^npm (test|run)"], "ba"],
    [["--ran", "build$"], "b"],
    [["--ran", "exit 3"], "d"],
    [["--ran", "(unclosed"], ""],
    [["--ran", "npm", "--path", "src/auth.ts", "--wrote"], "b"],
    [["--ran", "sub"], "s"],
  ])("ctx log %j lists %j", async (argv, expected) => {
    expect(await listed(...argv)).toBe(expected);
    // From the facts that the first answer kept.
    expect(await listed(...argv)).toBe(expected);
  });

  it("ctx log lists the run that started a sub-agent for what the sub-agent did, and the sub-agent's with --subagents", async () => {
    const main = [...packs].find(([, name]) => name === "m")?.[0].slice(7, 19);
    const sub = [...packs].find(([, name]) => name === "s")?.[0].slice(7, 19);
    const { stdout } = await cli(["log", "--oneline", "--path", "deep/sub.ts"], { folder });
    expect(stdout.split("\n").map((line) => line.slice(0, 12))).toEqual([main, ""]);
    const both = await cli(["log", "--oneline", "--subagents", "--path", "deep/sub.ts"], { folder });
    expect(both.stdout.split("\n").map((line) => line.slice(0, 12))).toEqual([sub, ""]);
  });

  it("ctx log says when no run matches", async () => {
    const { stdout, stderr, status } = await cli(["log", "--path", "nowhere"], { folder });
    expect({ stdout, stderr, status }).toEqual({
      stdout: "",
      stderr: "note: none of 6 packs matches\n",
      status: 0,
    });
  });

  it.each([
    [["--path", ""], /--path needs a non-empty value/],
    [["--ran", ""], /--ran needs a non-empty value/],
    [["--wrote"], /--path/],
    [["--read"], /--path/],
    [["--path", "a", "--wrote", "--read"], /--wrote.*--read|--read.*--wrote/],
    [["--errors"], /`ctx log --failed`/],
    [["--file", "a"], /--path/],
  ])("ctx log %j is a usage error", async (argv, message) => {
    const { status, stderr } = await cli(["log", ...argv], { folder });
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});
