// Nothing that a pack holds may reach a terminal raw: every string field carries every dangerous character,
// and every screen is searched for what got through.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const controls = [
  ...Array.from({ length: 31 }, (_, index) => index + 1),
  0x7f,
  ...Array.from({ length: 32 }, (_, index) => 0x80 + index),
];
const evil = `${String.fromCharCode(...controls)}\u001b]52;c;aGk=\u0007\u001bP+q\u001b\\\u001b]8;;http://x\u001b\\\u202e\u2066\u200b\u200d\u2060\ufeff\u{e0041}\u2028`;
/** The same without what makes a name illegal. */
const evilName = evil.replaceAll(/[/\\]/g, "");
const raw =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

const hostile = smallLog({
  model: { identifier: `model${evil}`, parameters: { [`key${evil}`]: evil } },
  system_prompt: `system${evil}`,
  prompts: [{ role: `role${evil}`, content: `prompt${evil}` }],
  inputs: [{ name: `input${evilName}`, content: evil }],
  steps: [
    {
      type: "tool_call",
      tool: `tool${evil}`,
      parameters: { path: evil, [evil]: [evil, `two\nlines${evil}`], many: `a\nb${evil}` },
      output: `out${evil}`,
      seen: `seen${evil}`,
      metadata: { [evil]: evil },
    },
    { type: `type${evil}`, output: evil },
    { type: "context", metadata: { kind: evil, turn: 0, status: evil } },
    { type: "message", metadata: { turn: 1, abandoned: true } },
  ],
  outputs: [{ name: `output${evilName}`, content: evil, notes: `notes${evil}` }],
  environment: { os: `os${evil}`, runtime: `run${evil}`, tool_versions: { [evil]: evil } },
  metadata: {
    [evil]: evil,
    source: { format: evil, agent: evil, version: evil, session: evil, subagent: "x\u001b", [evil]: evil },
    workdir: evil,
    git: { branch: evil, commit: evil },
    usage: { [evil]: 1 },
    coverage: {
      captured: [evil],
      skipped: { [evil]: 1 },
      damaged: { count: 1, lines: [{ line: 1, why: evil }] },
      [evil]: evil,
    },
  },
});

/** Our own colours, and line feeds and tabs of ours, are all that may be left. */
function leftovers(text: string): RegExpExecArray | null {
  return raw.exec(text.replaceAll(/\u001b\[\d+m/g, ""));
}

describe("hostile text", () => {
  it("hostile text is on no screen raw, on a terminal or in a pipe", async () => {
    const { folder, root } = tempStore();
    fs.writeFileSync(join(folder, "log"), json(hostile));
    const hex = (await cli(["pack", "log"], { folder })).stdout.trim().slice(6);
    const names = [`input${evilName}`, `output${evilName}`] as const;
    expect(hex).toMatch(/^[0-9a-f]{64}$/);
    const calls = [
      ["pack", "log"],
      ["log"],
      ["log", "--oneline"],
      ["log", "--session", evil],
      ["log", "--session", `none${evil}`],
      ["show", hex],
      ["show", hex, "--step", "0"],
      ["show", hex, "--step", "1"],
      ["show", hex, "--prompt", "0"],
      ["show", hex, "--system"],
      ["show", hex, "--input", names[0]],
      ["show", hex, "--output", names[1]],
      ["show", hex, "--output", evil],
      ["show", evil],
      ["cat", evil],
      [evil],
      ["show", `--${evil}`],
      ["pack", `none${evil}`],
      ["-C", evil, "log"],
      ["pack", "log", "--created", evil],
    ];
    fs.writeFileSync(join(root, "packs", "0".repeat(64)), "");
    for (const call of calls)
      for (const options of [{ folder }, { folder, terminal: 80 }, { folder, width: 300 }]) {
        const { stdout, stderr } = await cli(call, options);
        expect(leftovers(stdout + stderr), `${JSON.stringify(call)}: ${stdout}${stderr}`).toBeNull();
        expect(stdout + stderr).not.toBe("");
      }
  });

  it("hostile text is visible as escapes, not dropped", async () => {
    const { folder } = tempStore();
    await cli(["pack", "-"], { folder, input: json(hostile) });
    const { stdout } = await cli(["show", "latest", "--system"], { folder });
    for (const code of controls.filter((code) => code !== 9 && code !== 10))
      expect(stdout).toContain(`\\u{${code.toString(16)}}`);
    for (const code of ["202e", "2066", "200b", "200d", "2060", "feff", "e0041", "2028"])
      expect(stdout).toContain(`\\u{${code}}`);
  });

  it("hostile text is escaped in JSON, and means the same", async () => {
    const { folder } = tempStore();
    await cli(["pack", "-"], { folder, input: json(hostile) });
    for (const call of [
      ["show", "latest", "--json"],
      ["show", "latest", "--step", "0", "--json"],
      ["log", "--json"],
      ["show", evil, "--json"],
    ]) {
      const { stdout, stderr } = await cli(call, { folder });
      expect(leftovers((stdout + stderr).replaceAll("\n", ""))).toBeNull();
    }
    const shown = JSON.parse((await cli(["show", "latest", "--json"], { folder })).stdout) as {
      model: { identifier: string };
    };
    expect(shown.model.identifier).toBe(`model${evil}`);
  });

  it("hostile text in a log that is refused is in no error message raw", async () => {
    const { folder } = tempStore();
    const bad = [
      { [`field${evil}`]: 1 },
      { metadata: { [evil]: { a: "\ud800" } } },
      { inputs: [{ name: `../${evil}`, content_file: evil }] },
      { created: evil, version: evil, parent: evil },
    ];
    for (const fields of bad)
      for (const more of [[], ["--json"]]) {
        const { stderr } = await cli(["pack", "-", ...more], { folder, input: json(smallLog(fields)) });
        expect(leftovers(stderr)).toBeNull();
        expect(stderr).toContain("log");
      }
  });
});
