// The output of a command that prints a secret on request, and secrets in bytes that are no UTF-8: masked in
// every kind of log, and found by scan and by what leaves.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { cli } from "../../dev/cli.js";
import { sessionStore, tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { type AnyLog, json, smallLog } from "../../dev/logs.js";
import { githubToken } from "../../dev/secrets.js";

const printed = "Xk29fLqZ81mPvR3tY7wB";
const command = "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d";

function stepLog(step: object, fields: AnyLog = {}): AnyLog {
  return smallLog({ created: "2026-01-01T00:00:00Z", steps: [step], ...fields });
}

const session = "7e57ab1e-0000-4000-8000-000000000001";

/** Returns what every record of a session of Claude Code has. */
function recordAt(number: number): object {
  return {
    sessionId: session,
    uuid: `u${number}`,
    parentUuid: number === 0 ? null : `u${number - 1}`,
    cwd: "/home/ana/app",
    version: "2.1.0",
    timestamp: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
  };
}

function record(fields: object, number: number): object {
  return { ...recordAt(number), ...fields };
}

/** Returns the bytes of every object of a store, in one text. */
function objectsOf(folder: string): string {
  return fs
    .readdirSync(join(folder, ".ctx"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

async function packed(folder: string, input: string, more: string[] = []): Promise<PackResult> {
  const { status, stdout, stderr } = await cli(["pack", "-", "--json", ...more], { folder, input });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as PackResult;
}

describe("the output of a command that prints a secret", () => {
  it.each([
    [
      "before its parameters",
      { output: printed, type: "tool_call", tool: "run_command", parameters: { command } },
    ],
    [
      "behind its parameters",
      { type: "tool_call", tool: "run_command", parameters: { command }, output: printed },
    ],
    [
      "as base64",
      {
        type: "tool_call",
        tool: "sh",
        parameters: { command },
        output_base64: Buffer.from(printed).toString("base64"),
      },
    ],
    [
      "as what the model saw",
      { type: "tool_call", tool: "bash", parameters: { command }, seen: `${printed}\n`, output: "" },
    ],
  ])("redact: a printed secret is masked in a log of ctx's own that has it %s", async (_, step) => {
    const { folder } = tempStore();
    const { redactions } = await packed(folder, JSON.stringify(stepLog(step)));
    expect(redactions?.rules["printed-secret"]).toEqual({ secrets: 1, count: 1 });
    expect(objectsOf(folder)).not.toContain(printed);
  });

  it("redact: a printed secret is masked in a large file that the log names, and in later steps", async () => {
    const { folder } = tempStore();
    const filler = "a line of text\n".repeat(1_200_000);
    fs.writeFileSync(join(folder, "out.txt"), `${filler}${printed}\n`);
    const steps = [
      { type: "tool_call", tool: "bash", parameters: { command }, output_file: "out.txt" },
      { type: "message", output: `the password is set to ${printed} now` },
    ];
    fs.writeFileSync(join(folder, "run.json"), json(smallLog({ created: "2026-01-01T00:00:00Z", steps })));
    const { status } = await cli(["pack", "run.json"], { folder });
    expect(status).toBe(0);
    expect(objectsOf(folder)).not.toContain(printed);
  });

  it("redact: a printed secret is masked in the rest of the run, a printed name is not", async () => {
    const { folder } = tempStore();
    const config = `current-context: prod-eks-eu1\ntoken: ${printed}\n`;
    const steps = [
      { type: "tool_call", tool: "bash", parameters: { command: "cat ~/.kube/config" }, output: config },
      {
        type: "tool_call",
        tool: "bash",
        parameters: { command: "op read op://a/b/c" },
        output: "web-prod-01",
      },
      { type: "message", output: `prod-eks-eu1 and web-prod-01 have ${printed}` },
    ];
    const outputs = [{ name: "web-prod-01", content: "prod-eks-eu1 is up" }];
    const log = smallLog({ created: "2026-01-01T00:00:00Z", steps, outputs });
    const { redactions } = await packed(folder, JSON.stringify(log));
    expect(Object.keys(redactions?.places ?? {})).toEqual([
      "steps[0].output",
      "steps[1].output",
      "steps[2].output",
    ]);
    expect(objectsOf(folder)).not.toContain(printed);
    expect(objectsOf(folder)).toContain("prod-eks-eu1 and web-prod-01 have [REDACTED:");
  });

  it("redact: a printed secret is masked in MCP results", async () => {
    const { folder } = tempStore();
    const output = JSON.stringify({ content: [{ type: "text", text: `${printed}\n` }], isError: false });
    const step = {
      type: "tool_call",
      tool: "mcp__shell__run",
      parameters: { command: "gh auth token" },
      output,
    };
    await packed(folder, JSON.stringify(stepLog(step)));
    expect(objectsOf(folder)).not.toContain(printed);
    expect(objectsOf(folder)).toContain('"text":"[REDACTED:printed-secret:1]\\n"');
  });

  it("redact: a printed secret is masked in a session of Claude Code", async () => {
    const { folder } = tempStore();
    const transcript = lines(
      { type: "user", message: { role: "user", content: "look" }, ...recordAt(0) },
      {
        type: "assistant",
        message: {
          id: "m1",
          role: "assistant",
          model: "x",
          content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "gh auth token" } }],
        },
        ...recordAt(1),
      },
      {
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: printed }] },
        toolUseResult: { stdout: printed, stderr: "", interrupted: false },
        ...recordAt(2),
      },
    );
    const { redactions, format } = await packed(folder, transcript);
    expect(format).toBe("claude-code");
    expect(Object.keys(redactions?.rules ?? {})).toEqual(["printed-secret"]);
    expect(objectsOf(folder)).not.toContain(printed);
  });

  it("redact: a printed secret is masked in OpenAI messages", async () => {
    const call = {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "bash", arguments: JSON.stringify({ command: "op read op://a/b/c" }) },
        },
      ],
    };
    const answer = { role: "tool", tool_call_id: "c1", content: printed };
    const { folder } = tempStore();
    const messages = [{ role: "user", content: "look" }, call, answer];
    await packed(folder, JSON.stringify({ model: "m", messages }));
    expect(objectsOf(folder)).not.toContain(printed);
  });

  it("redact: a printed secret packed without masking is found by scan and not exported", async () => {
    const { folder } = tempStore();
    const log = stepLog({ type: "tool_call", tool: "run_command", parameters: { command }, output: printed });
    await packed(folder, JSON.stringify(log), ["--redact", "off"]);
    const scanned = await cli(["scan", "latest"], { folder });
    expect(scanned.status).toBe(1);
    expect(scanned.stdout).toMatch(/steps\[0\]\.output\s+printed-secret/);
    const left = await cli(["export", "latest", "-o", "a.ctx"], { folder });
    expect(left.status).toBe(2);
    expect(left.stderr).toContain("steps[0].output");
    await packed(folder, JSON.stringify(log));
    expect((await cli(["scan", "latest"], { folder })).status).toBe(0);
  });

  it("redact: masking a packed session makes another version of it, and discover says packed", async () => {
    const { folder } = sessionStore();
    const home = join(folder, ".nobody");
    const project = join(home, ".claude/projects/-home-ana-app");
    fs.mkdirSync(project, { recursive: true });
    const path = join(project, `${session}.jsonl`);
    fs.writeFileSync(
      path,
      lines(
        record({ type: "user", message: { role: "user", content: "look" } }, 0),
        record(
          {
            type: "assistant",
            message: {
              id: "m1",
              role: "assistant",
              model: "x",
              content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "gh auth token" } }],
            },
          },
          1,
        ),
        record(
          {
            type: "user",
            message: {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "t1", content: printed }],
            },
          },
          2,
        ),
      ),
    );
    // As an older version, which masked less, would have packed it.
    const old = await cli(["pack", "--discover", "--redact", "off", "--json"], { folder });
    expect(old.status).toBe(0);
    const states = async (): Promise<string[]> => {
      const { stdout } = await cli(["discover", "--json"], { folder });
      return stdout
        .trim()
        .split("\n")
        .flatMap((line) => {
          const value = JSON.parse(line) as { state?: string; sessions?: { state: string }[] };
          return value.sessions?.map(({ state }) => state) ?? [value.state ?? ""];
        });
    };
    expect(await states()).toEqual(["packed"]);
    const again = await cli(["pack", path, "--json"], { folder });
    expect((JSON.parse(again.stdout) as PackResult).new).toBe(true);
    expect(await states()).toEqual(["packed"]);
    const { stdout } = await cli(["log", "--json"], { folder });
    const versions = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { versions: number }).versions);
    expect(versions).toEqual([2, 2]);
    fs.rmSync(join(folder, ".ctx/cache"), { recursive: true, force: true });
    expect(await states()).not.toContain("new");
  });
});

/** UTF-16 with the high byte first. */
function swapped(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

describe("contents that are not UTF-8", () => {
  const token = githubToken();
  const text = `# key\r\nGITHUB_TOKEN=${token}\r\nDB_PASSWORD=s3cr3t-Passw0rd9\r\n`;

  it.each([
    ["Latin-1", Buffer.from(`# Schlüssel\n${text}`, "latin1"), "latin1"],
    ["UTF-16 with its mark", Buffer.from(`\ufeff${text}`, "utf16le"), "utf16le"],
    ["big-endian UTF-16", swapped(`\ufeff${text}`), "utf16be"],
    ["UTF-16 without a mark", Buffer.from(text, "utf16le"), "utf16le"],
    ["big-endian UTF-16 without a mark", swapped(text), "utf16be"],
    [
      "UTF-16 that was cut in a character",
      Buffer.concat([Buffer.from(text, "utf16le"), Buffer.from("x")]),
      "utf16le",
    ],
    [
      "Latin-1 of 20 MB",
      Buffer.concat([Buffer.alloc(20 << 20, "\xfcber alles\n", "latin1"), Buffer.from(text)]),
      "latin1",
    ],
    [
      "UTF-16 of 20 MB",
      Buffer.concat([
        Buffer.alloc(20 << 20, Buffer.from("some line\n", "utf16le")),
        Buffer.from(text, "utf16le"),
      ]),
      "utf16le",
    ],
  ])("redact: secrets are masked, found and not exported in %s", async (_, bytes, encoding) => {
    const { folder } = tempStore();
    fs.writeFileSync(join(folder, "notes.env"), bytes);
    fs.writeFileSync(
      join(folder, "run.json"),
      json(
        smallLog({
          created: "2026-01-01T00:00:00Z",
          outputs: [{ name: "notes.env", content_file: "notes.env" }],
        }),
      ),
    );
    const file = await cli(["scan", "notes.env"], { folder });
    expect(file.status).toBe(1);
    const off = await cli(["pack", "run.json", "--redact", "off"], { folder });
    expect(off.status).toBe(0);
    expect((await cli(["scan", "latest"], { folder })).status).toBe(1);
    expect((await cli(["export", "latest", "-o", "a.ctx"], { folder })).status).toBe(2);
    const { stdout } = await cli(["pack", "run.json", "--json"], { folder });
    const { redactions, hash, unsearched } = JSON.parse(stdout) as PackResult;
    expect(redactions?.places["outputs[0].content"]).toEqual({ "github-token": 1, "named-secret": 1 });
    expect(unsearched).toBeUndefined();
    const shown = await cli(["show", hash, "--json"], { folder });
    const { outputs } = JSON.parse(shown.stdout) as { outputs: { content_ref: string }[] };
    const stored = await cli(["cat", outputs[0]?.content_ref ?? "", "--raw"], { folder });
    const plain =
      encoding === "utf16be"
        ? Buffer.from(stored.bytes.subarray(0, stored.bytes.length & ~1))
            .swap16()
            .toString("utf16le")
        : stored.bytes.toString(encoding as BufferEncoding);
    expect(plain).toContain(
      "GITHUB_TOKEN=[REDACTED:github-token:1]\r\nDB_PASSWORD=[REDACTED:named-secret:1]\r\n",
    );
    expect(stored.bytes.length % 2).toBe(
      bytes.length % 2 === 1 && encoding !== "latin1" ? 1 : stored.bytes.length % 2,
    );
  });

  it("redact: contents that are no text are counted, and tokens with a known form are masked there", async () => {
    const { folder } = tempStore();
    const noise = Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 7919 + (at >> 3)) % 256));
    fs.writeFileSync(join(folder, "a.bin"), Buffer.concat([noise, Buffer.from(`\n${token}\n`), noise]));
    fs.writeFileSync(join(folder, "b.bin"), noise);
    const outputs = ["a", "b"].map((name) => ({ name, content_file: `${name}.bin` }));
    fs.writeFileSync(join(folder, "run.json"), json(smallLog({ created: "2026-01-01T00:00:00Z", outputs })));
    const { stdout, stderr } = await cli(["pack", "run.json", "--json"], { folder });
    const result = JSON.parse(stdout) as PackResult;
    expect(result.unsearched).toBe(2);
    expect(result.redactions?.places).toEqual({ "outputs[0].content": { "github-token": 1 } });
    expect(result.notices.join("\n") + stderr).toContain("2 contents are not text");
    const scanned = await cli(["scan", "latest"], { folder });
    expect(scanned.status).toBe(0);
    expect(scanned.stdout).toContain("2 contents are not text");
    const left = await cli(["export", "latest", "-o", "a.ctx"], { folder });
    expect(left.status).toBe(0);
    expect(left.stdout).toContain("2 contents are not text");
    expect((await cli(["scan", "b.bin"], { folder })).status).toBe(2);
  });
});
