import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const { folder } = tempStore();
const packs: Record<string, string> = {};

async function add(name: string, fields: Record<string, unknown>): Promise<void> {
  const { stdout } = await cli(["pack", "-"], { folder, input: json(smallLog(fields)) });
  packs[name] = stdout.trim().slice("ctx://".length);
}

/** Returns which packs a listing names, by the names they have here. */
async function listed(...argv: string[]): Promise<string> {
  const { stdout, status, stderr } = await cli(["log", "--json", ...argv], { folder });
  expect(status, stderr).toBe(0);
  const names = new Map(Object.entries(packs).map(([name, hex]) => [`sha256:${hex}`, name]));
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => names.get((JSON.parse(line) as { hash: string }).hash))
    .join("");
}

/** Returns the steps of a run that used one tool. */
function tool(name: string): unknown[] {
  return [{ type: "tool_call", tool: name }];
}

beforeAll(async () => {
  await add("a", { created: "2020-01-01T00:00:00Z", model: { identifier: "GPT-4o" }, steps: tool("read") });
  await add("b", {
    created: "2020-01-02T12:00:00Z",
    model: { identifier: "claude-opus" },
    metadata: {
      workdir: "/srv/shop/web",
      source: { format: "atif", agent: "codex" },
      models: ["o-mini", "claude-opus"],
    },
    steps: tool("bash"),
    parent: `sha256:${packs["a"]}`,
  });
  await add("c", {
    created: "2020-01-03T00:00:00Z",
    model: { identifier: "claude-haiku" },
    metadata: { workdir: "/srv/shop" },
    steps: [
      { type: "tool_call", tool: "read", metadata: { status: "ok" } },
      { type: "tool_call", tool: "read", metadata: { status: "error" } },
      { type: "tool_call", tool: "read", metadata: { exit_code: 1 } },
      { type: "tool_call", tool: "read", metadata: { status: "denied" } },
    ],
    parent: `sha256:${packs["a"]}`,
  });
  await add("d", {
    steps: [{ type: "tool_call", tool: "edit", metadata: { status: "denied" } }],
    created: new Date().toISOString(),
    model: { identifier: "claude-opus" },
    parent: `sha256:${packs["b"]}`,
  });
  await cli(["tag", "base", packs["a"] as string], { folder });
});

function at(name: string): string {
  return (packs[name] as string).slice(0, 12);
}

describe("ctx log", () => {
  it.each([
    [[], "dcba"],
    [["--model", "claude"], "dcb"],
    [["--model", "gpt"], "a"],
    [["--tool", "bash"], "b"],
    [["--tool", "ba"], ""],
    [["--agent", "codex"], "b"],
    [["--agent", "atif"], ""],
    [["--model", "o-mini"], "b"],
    [["--project", "/srv/shop"], "cb"],
    [["--project", "/srv/shop/"], "cb"],
    [["--project", "/srv/shop/web/../web"], "b"],
    [["--project", "shop"], "cb"],
    [["--project", "web"], "b"],
    [["--project", "/srv/sho"], ""],
    [["--project", "sho"], ""],
    [["--project", "."], ""],
    [["--since", "2020-01-02"], "dcb"],
    [["--until", "2020-01-02"], "ba"],
    [["--since", "2020-01-02T12:00:00Z", "--until", "2020-01-02T13:00:00+01:00"], "b"],
    [["--since", "7d"], "d"],
    [["--until", "1h"], "cba"],
    [["--since", "99999999y"], "dcba"],
    [["--failed"], "c"],
    [["--denied"], "dc"],
    [["--denied", "--model", "none"], ""],
    [["--failed", "--tool", "bash"], ""],
    [["--tag", "base"], "a"],
    [["--parent", "base"], "cb"],
    [["--parent", "latest~1"], "d"],
    [["--parent", "f".repeat(64)], ""],
    [["--model", "claude", "-n", "2"], "dc"],
    [["--graph"], "dbca"],
    [["--graph", "-n", "2"], "db"],
  ])("ctx log %j lists %j", async (argv, expected) => expect(await listed(...argv)).toBe(expected));

  it("ctx log --graph draws the lineage", async () => {
    const { stdout } = await cli(["log", "--graph", "--oneline", "--until", "2020-12-31"], { folder });
    expect(stdout).toBe(
      [
        `* ${at("c")}  2020-01-03  read (2 failed, 1 denied)`,
        `| * ${at("b")}  2020-01-02  bash`,
        "|/",
        `* ${at("a")}  2020-01-01  read (base)`,
        "",
      ].join("\n"),
    );
    const full = await cli(["log", "--graph"], { folder });
    expect(full.stdout).toContain(`* ${at("d")}  edit\n|     `);
    for (const line of full.stdout.split("\n")) expect(line).toBe(line.trimEnd());
  });

  it.each(["model", "tool", "since", "until", "tag", "parent", "session"])(
    "ctx log --%s with an empty value is a usage error",
    async (name) => {
      const { status, stderr } = await cli(["log", `--${name}=`], { folder });
      expect(status).toBe(2);
      expect(stderr).toBe(`error: --${name} needs a non-empty value\n`);
    },
  );

  it.each([
    [["--since", "last week"], '--since "last week" is neither a time'],
    [["--until", "tomorrow"], '--until "tomorrow" is neither a time'],
    [["--until", "2020-02-30"], "is a date that does not exist"],
    [["--tag", "bse"], 'there is no tag "bse"'],
    [["--parent", "nowhere"], 'there is no pack or tag "nowhere"'],
  ])("ctx log %j is refused", async (argv, expected) => {
    const { status, stderr } = await cli(["log", ...argv], { folder });
    expect(status).toBe(2);
    expect(stderr).toContain(expected);
  });

  it("ctx log: a note says when nothing fits", async () => {
    const { stdout, stderr } = await cli(["log", "--tool", "none"], { folder });
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "note: none of 4 packs matches\n" });
  });
});
