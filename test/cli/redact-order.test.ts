// What a command printed is masked in everything that a run holds, in whatever order the log records it.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";
import { json, smallLog } from "../../dev/logs.js";

/** Random enough to be masked in all of a run. */
const random = "Xk29fLqZ81mPvR3tY7wB";
/** Masked only where it is known to be printed. */
const weak = "troubadour&horse";
const command = "vault kv get -field=password secret/db";

async function packed(log: string | Buffer): Promise<{ text: string; folder: string }> {
  const { folder } = tempStore();
  fs.writeFileSync(join(folder, "run.jsonl"), log);
  const { status, stderr } = await cli(["pack", "run.jsonl"], { folder });
  expect(status, stderr).toBe(0);
  const objects = fs
    .readdirSync(join(folder, ".ctx"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"));
  return { text: objects.join("\n"), folder };
}

function codex(...payloads: ({ type: string } & object)[]): string {
  const id = "30000000-0000-4000-8000-000000000001";
  const timestamp = "2026-01-01T00:00:00Z";
  return lines(
    {
      timestamp,
      type: "session_meta",
      payload: { id, timestamp, cwd: "/x", originator: "codex_cli_rs", cli_version: "0.140.0" },
    },
    ...payloads.map((payload, at) => ({
      timestamp: `2026-01-01T00:00:${10 + at}Z`,
      type: payload.type === "exec_command_end" ? "event_msg" : "response_item",
      payload,
    })),
  );
}

function codexCall(id: string, name: string, parameters: object): { type: string } {
  return { type: "function_call", name, arguments: JSON.stringify(parameters), call_id: id } as {
    type: string;
  };
}

function codexOutput(id: string, state: string, text: string): { type: string } {
  const output = `Chunk ID: a1b2c3\nWall time: 1.0 seconds\n${state}\nOriginal token count: 5\nOutput:\n${text}\n`;
  return { type: "function_call_output", call_id: id, output } as { type: string };
}

const runsOn = "Process running with session ID 84721";
const ended = "Process exited with code 0";

function userText(text: string): { type: string } {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] } as { type: string };
}

function claude(...messages: { role: string; content: unknown; result?: object }[]): string {
  return lines(
    ...messages.map(({ role, content, result }, at) => ({
      type: role,
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      sessionId: "20000000-0000-4000-8000-000000000001",
      timestamp: `2026-01-01T00:00:${10 + at}Z`,
      cwd: "/x",
      message: { role, content, ...(role === "assistant" ? { model: "m", id: `m${at}` } : {}) },
      ...(result === undefined ? {} : { toolUseResult: result }),
    })),
  );
}

describe("the order of a log", () => {
  it.each([random, weak])("redact: a poll of a Codex command that ran on is masked: %s", async (secret) => {
    const { text } = await packed(
      codex(
        codexCall("k", "exec_command", { cmd: command }),
        codexOutput("k", runsOn, ""),
        codexCall("k2", "write_stdin", { session_id: 84_721, chars: "" }),
        codexOutput("k2", ended, secret),
      ),
    );
    expect(text).not.toContain(secret);
    expect(text).toContain("[REDACTED:printed-secret:1]");
  });

  it("redact: a poll of a Codex script that ran on is masked", async () => {
    const { text } = await packed(
      codex(
        codexCall("k", "exec_command", { cmd: command }),
        codexOutput("k", "Script running with cell ID 7", ""),
        codexCall("k2", "wait", { cell_id: "7" }),
        codexOutput("k2", "Script completed", weak),
      ),
    );
    expect(text).not.toContain(weak);
  });

  it("redact: what an open Codex command printed is masked in messages and steps before its end", async () => {
    const { text } = await packed(
      codex(
        userText("keep the tunnel open"),
        codexCall("k", "exec_command", { cmd: `${command}; ssh -N tunnel` }),
        codexOutput("k", runsOn, random),
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: `Got ${random}.` }],
        } as {
          type: string;
        },
        codexCall("k1", "exec_command", { cmd: "cat notes.txt" }),
        codexOutput("k1", ended, `used ${random} today`),
      ),
    );
    expect(text).not.toContain(random);
  });

  it.each([
    [
      "ctx's own",
      json(smallLog({ prompts: [{ role: "user", content: `is it ${random}?` }], steps: [step()] })),
    ],
    [
      "an agent's",
      codex(
        userText(`is it ${random}?`),
        codexCall("k", "exec_command", { cmd: command }),
        codexOutput("k", ended, random),
      ),
    ],
  ])("redact: a secret is masked in what was stored before it was known, %s log", async (_, log) => {
    const { text, folder } = await packed(log);
    expect(text).not.toContain(random);
    const { stdout } = await cli(["show", "latest", "--json"], { folder });
    expect(stdout).toContain('"prompts[0].content":{"printed-secret":1}');
    expect((await cli(["verify", "latest"], { folder })).status).toBe(0);
  });

  it.each([random, weak])("redact: the output file of a background command is masked: %s", async (secret) => {
    const file = "/tmp/claude-0/-x/tasks/b1x.output";
    const { text } = await packed(
      claude(
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "t1", name: "Bash", input: { command, run_in_background: true } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: `Command running in background with ID: b1x. Output is being written to: ${file}`,
            },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t3", name: "Read", input: { file_path: file } }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t3", content: `     1\u2192${secret}\n` }],
          result: {
            type: "text",
            file: { filePath: file, content: `${secret}\n`, numLines: 2, startLine: 1, totalLines: 2 },
          },
        },
      ),
    );
    expect(text).toContain("b1x.output");
    expect(text).not.toContain(secret);
  });
});

function step(): object {
  return { type: "tool_call", tool: "Bash", parameters: { command }, output: random };
}

describe("commands that the user runs in the agent", () => {
  const logs: [string, string][] = [
    [
      "Claude Code",
      claude(
        { role: "user", content: `<bash-input>${command}</bash-input>` },
        { role: "user", content: `<bash-stdout>${weak}</bash-stdout><bash-stderr></bash-stderr>` },
        { role: "assistant", content: [{ type: "text", text: "ok" }] },
      ),
    ],
    [
      "Codex",
      codex(
        userText(
          `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: 0\nDuration: 0.1 seconds\nOutput:\n${weak}\n</result>\n</user_shell_command>`,
        ),
      ),
    ],
  ];

  it.each(logs)("redact: their output is masked, found by scan and not exported: %s", async (_, log) => {
    const { text, folder } = await packed(log);
    expect(text).not.toContain(weak);
    expect(text).toContain(command);
    expect((await cli(["pack", "run.jsonl", "--redact", "off", "--tag", "leaked"], { folder })).status).toBe(
      0,
    );
    expect((await cli(["scan", "leaked"], { folder })).status).toBe(1);
    expect((await cli(["export", "leaked", "-o", "a.ctx"], { folder })).status).toBe(2);
  });

  it("redact: output of a command that prints no secret stays", async () => {
    const { text } = await packed((logs[0]?.[1] ?? "").replaceAll(command, "ls build"));
    expect(text).toContain(weak);
  });

  it("redact: a Codex command that only an event names is judged", async () => {
    const { text } = await packed(
      codex(userText("go"), {
        type: "exec_command_end",
        call_id: "k",
        command: ["bash", "-lc", command],
        aggregated_output: weak,
        exit_code: 0,
      } as { type: string }),
    );
    expect(text).not.toContain(weak);
  });

  it("redact: Gemini CLI's report of a command is judged", async () => {
    const report = `I ran the following shell command:\n\`\`\`sh\n${command}\n\`\`\`\n\nThis produced the following result:\n\`\`\`\n${weak}\n\`\`\``;
    const { text } = await packed(json(smallLog({ prompts: [{ role: "user", content: report }] })));
    expect(text).not.toContain(weak);
    expect(text).toContain(command);
  });
});
