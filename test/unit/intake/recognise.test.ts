// Whose a log is, by what it holds.
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { formats } from "../../../src/intake/formats.js";
import { headOf } from "../../../src/intake/head.js";
import { formatNamed, isSurelyNative, recognise } from "../../../src/intake/recognise.js";
import { unreadFormat } from "../../../src/intake/unread-formats.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import { fits, lines } from "../../../dev/intake.js";
import { importedLog, runLog, smallLog } from "../../../dev/logs.js";

/** Returns the name of the format; "native" for one of ctx's own. */
function nameOf(log: string | Buffer): string {
  return recognise(sourceOf([Buffer.from(log as string)], { name: "log" }))?.name ?? "native";
}

/** Returns the message about a log that no format recognises. */
function refusal(log: string | Buffer): string {
  try {
    return `taken for ${nameOf(log)}`;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    expect(error.code).toBe("unknown-format");
    return [
      error.message,
      ...(error.problems ?? []).map(({ path, message }) => `  ${path}: ${message}`),
      `hint: ${error.hint}`,
    ].join("\n");
  }
}

const said = { role: "user", content: "hi" };
const span = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "chat m",
  startTimeUnixNano: "1700000000000000000",
  endTimeUnixNano: "1700000001000000000",
  attributes: [{ key: "gen_ai.operation.name", value: { stringValue: "chat" } }],
};
const step = { step_id: 1, source: "user", message: "hi" };
const smallest: [format: string, what: string, log: string][] = [
  [
    "inspect",
    "an evaluation",
    JSON.stringify({ version: 2, status: "started", eval: { task: "t", model: "m" }, plan: {} }),
  ],
  [
    "atif",
    "a trajectory",
    JSON.stringify(
      { schema_version: "ATIF-v1.7", agent: { name: "a", version: "1" }, steps: [step] },
      null,
      2,
    ),
  ],
  [
    "atif",
    "a trajectory without the name",
    JSON.stringify({ schema_version: "1.4", agent: { name: "a" }, steps: [step] }),
  ],
  [
    "codex",
    "a rollout",
    lines({ timestamp: "2026-02-01T10:00:00Z", type: "session_meta", payload: { id: "s" } }),
  ],
  ["codex", "an early rollout", lines({ id: "s", timestamp: "2025-06-01T10:00:00Z", instructions: null })],
  [
    "codex",
    "a rollout in one document",
    JSON.stringify({ session: { timestamp: "2025-04-17T10:00:00Z", id: "s", instructions: "" }, items: [] }),
  ],
  ["codex-exec-json", "a stream", lines({ type: "thread.started", thread_id: "t" })],
  ["codex-exec-json", "an early stream", lines({ id: "0", msg: { type: "task_started" } })],
  ["claude-stream-json", "a stream", lines({ type: "system", subtype: "init", session_id: "s", tools: [] })],
  [
    "claude-stream-json",
    "a result alone",
    JSON.stringify({ type: "result", subtype: "success", session_id: "s", num_turns: 1, result: "done" }),
  ],
  [
    "claude-stream-json",
    "an array",
    JSON.stringify([{ type: "system", subtype: "init", session_id: "s", tools: [] }], null, 2),
  ],
  ["otel", "OTLP", lines({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })],
  ["vercel-ai", "messages", JSON.stringify([{ role: "user", parts: [{ type: "text", text: "hi" }] }])],
  [
    "vercel-ai",
    "messages with a call",
    JSON.stringify([
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: {} }] },
    ]),
  ],
  [
    "vercel-ai",
    "runs of the DevTools",
    '{"runs":[{"id":"r","started_at":"2026-05-01T10:00:00Z"}],"steps":[]}',
  ],
  ["langsmith", "a run", lines({ id: "r", trace_id: "t", name: "x", run_type: "llm", inputs: {} })],
  [
    "langsmith",
    "a run that holds others",
    JSON.stringify([{ id: "r", name: "x", run_type: "chain", child_runs: [] }], null, 2),
  ],
  [
    "openinference",
    "a row of Phoenix",
    lines({ name: "x", "context.span_id": "1", "context.trace_id": "2", span_kind: "LLM" }),
  ],
  [
    "otel-events",
    "a row",
    lines({ _type: "log", name: "claude_code.user_prompt", attrs: { "session.id": "s", prompt: "hi" } }),
  ],
  [
    "claude-code",
    "a transcript",
    lines({ type: "user", uuid: "u", sessionId: "s", timestamp: "2026-02-01T10:00:00Z", message: said }),
  ],
  ["claude-code", "a session without a word", lines({ type: "summary", summary: "s", leafUuid: "l" })],
  [
    "swe-agent",
    "a trajectory",
    JSON.stringify({ trajectory: [{ action: "ls", observation: "a", thought: "" }], history: [], info: {} }),
  ],
  ["swe-agent", "a demonstration", JSON.stringify({ history: [{ ...said, agent: "main" }] })],
  [
    "mini-swe-agent",
    "a trajectory",
    JSON.stringify({
      info: { mini_version: "2.0.0" },
      messages: [said],
      trajectory_format: "mini-swe-agent-1.1",
    }),
  ],
  [
    "mini-swe-agent",
    "a bare list",
    JSON.stringify([
      said,
      { role: "assistant", content: "Look.\n```bash\nls\n```" },
      { role: "user", content: "<returncode>0</returncode>\n<output>\na\n</output>" },
    ]),
  ],
  [
    "openhands",
    "a list of events",
    JSON.stringify([{ id: 0, source: "user", action: "message", args: { content: "hi" } }]),
  ],
  [
    "openhands",
    "events of the SDK",
    lines({ id: "e", source: "user", kind: "MessageEvent", llm_message: { role: "user", content: [] } }),
  ],
  [
    "openhands",
    "a task of an evaluation",
    lines({ instance_id: "i", history: [{ action: "message", content: "hi" }], git_patch: "" }),
  ],
  [
    "anthropic-messages",
    "an answer",
    JSON.stringify({ type: "message", role: "assistant", model: "m", content: [] }),
  ],
  ["anthropic-messages", "a request", JSON.stringify({ model: "m", system: "s", messages: [said] })],
  [
    "anthropic-messages",
    "a list",
    JSON.stringify([{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "x", input: {} }] }]),
  ],
  ["anthropic-messages", "a Cline task", JSON.stringify([{ ...said, ts: 1770000000000 }])],
  ["anthropic-messages", "a stream", lines({ type: "message_start", message: {} })],
  ["anthropic-messages", "a capture", 'event: message_start\ndata: {"type":"message_start","message":{}}\n'],
  ["openai-responses", "a response", JSON.stringify({ object: "response", output: [] })],
  ["openai-responses", "a request", JSON.stringify({ model: "m", instructions: "s", input: "hi" })],
  ["openai-responses", "a list", JSON.stringify([{ type: "function_call", call_id: "1", name: "x" }])],
  ["openai-responses", "a stream", lines({ type: "response.created", response: {} })],
  ["openai-responses", "a capture", 'data: {"type":"response.created","response":{}}\n'],
  ["gemini-cli", "a session", JSON.stringify({ sessionId: "s", projectHash: "h", messages: [] })],
  ["gemini-cli", "a journal", lines({ sessionId: "s", projectHash: "h" }, { $set: { summary: "x" } })],
  ["gemini-cli", "a saved chat", JSON.stringify([{ role: "user", parts: [{ text: "hi" }] }])],
  ["gemini-stream-json", "a stream", lines({ type: "init", session_id: "s", model: "m" })],
  [
    "qwen-code",
    "a session",
    lines({ type: "user", uuid: "u", sessionId: "s", message: { role: "user", parts: [{ text: "hi" }] } }),
  ],
  [
    "iflow",
    "a session",
    lines({
      type: "user",
      uuid: "u",
      sessionId: "session-5de701fc-0000-4000-8000-000000000001",
      message: { role: "user", content: "hi" },
    }),
  ],
  ["copilot-cli", "a session", lines({ type: "session.start", data: { sessionId: "s" } })],
  ["copilot-cli", "one that goes on", lines({ type: "user.message", data: { content: "hi" }, id: "e" })],
  ["pi", "a session", lines({ type: "session", id: "s", cwd: "/" })],
  ["opencode", "an export", JSON.stringify({ info: { id: "ses_1" }, messages: [] })],
  ["mcp", "a message", lines({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "x" } })],
  [
    "mcp",
    "an answer in an object",
    lines({ from: "server", message: { jsonrpc: "2.0", id: 0, result: { tools: [] } } }),
  ],
  [
    "mcp",
    "a line of a host's",
    '2026-02-01T10:00:00.000Z [fs] [info] Message from client: {"method":"tools/list","jsonrpc":"2.0","id":1}\n',
  ],
  ["openai-messages", "a list", JSON.stringify([said])],
  ["openai-messages", "a request", JSON.stringify({ model: "m", messages: [said] })],
  [
    "openai-messages",
    "an answer",
    JSON.stringify({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "ho" } }],
    }),
  ],
];

describe("the smallest log of a format", () => {
  it.each(smallest)("recognition: the smallest log of %s, %s, is recognised as just that", (name, _, log) => {
    expect(nameOf(log)).toBe(name);
    expect(formats.filter((format) => fits(format, log)).map((format) => format.name)).toEqual([name]);
  });

  it.each(smallest)(
    "recognition: the smallest log of %s, %s, is recognised with a BOM and CRLF, too",
    (name, _, log) => {
      expect(nameOf(`\ufeff${log.replaceAll("\n", "\r\n")}`)).toBe(name);
    },
  );

  it("recognition: there is a smallest log of every format", () => {
    expect([...new Set(smallest.map(([name]) => name))].sort()).toEqual(
      formats.map(({ name }) => name).sort(),
    );
  });

  it("recognition: no smallest log of a format is taken for a native log", () => {
    for (const [, , log] of smallest) expect(isSurelyNative(log), log).toBe(false);
  });
});

describe("native logs", () => {
  it("recognition: a native log is known by its required fields", () => {
    for (const log of [smallLog(), runLog(), importedLog()]) {
      expect(nameOf(JSON.stringify(log))).toBe("native");
      expect(isSurelyNative(JSON.stringify(log))).toBe(true);
      expect(isSurelyNative(`\ufeff ${JSON.stringify(log, null, 2)}`)).toBe(true);
    }
    // Before any other format is tried, so that none can claim it.
    expect(isSurelyNative(JSON.stringify({ messages: [said], ...smallLog() }))).toBe(true);
    const { system_prompt: text, ...rest } = smallLog();
    expect(isSurelyNative(JSON.stringify({ system_prompt_base64: text, ...rest }))).toBe(true);
  });

  it.each([
    ["that is cut off", '{"model":{"identifier":"m"},"steps":[{"type":'],
    ["with a comma too many", '{"model":{"identifier":"m"},"steps":[,],}'],
    ["with a syntax error later on", '{"model":{"identifier":"m"},"steps":[],"prompts":[}'],
    ["in which everything is of the wrong kind", '{"model":"m","steps":7}'],
    ["with two of its fields", '{"inputs":[],"outputs":[]}'],
    ["with fields of other formats", '{"version":"1","metadata":{},"type":"user","role":"user"}'],
    ["with a prompt in a file", '{"system_prompt_file":"p.md","prompts":[]}'],
    ["with a key twice", '{"steps":[],"steps":[],"prompts":[]}'],
  ])("recognition: a native log %s is still native, and its errors are those of a native log", (_, log) => {
    expect(nameOf(log)).toBe("native");
  });

  it("recognition: one field of a native log is not enough for a native log", () => {
    expect(refusal('{"steps":[]}')).toMatch(/^log is not in a format that ctx recognises\n/);
    expect(refusal('[{"model":{"identifier":"m"},"steps":[]}]')).toMatch(
      /^log is not in a format that ctx recognises\n/,
    );
  });

  it("recognition: a request to a model has a model and metadata, but is no native log", () => {
    expect(nameOf(JSON.stringify({ model: "m", metadata: {}, messages: [said] }))).toBe("openai-messages");
  });
});

describe("logs of unknown format", () => {
  it("recognition: an unknown log is refused with the nearest formats, and why they do not fit", () => {
    const nearly = lines(
      { type: "user", session_id: "s", message: said },
      { type: "assistant", session_id: "s" },
    );
    expect(refusal(nearly)).toMatchInlineSnapshot(`
      "log is not in a format that ctx recognises
        claude-stream-json: no record is the beginning (system/init) or the result of a session
        claude-code: no message has a sessionId and a uuid
      hint: \`ctx pack --from list\` lists the formats; \`--from <format>\` reads the log in one of them"
    `);
    expect(refusal('{"steps":[]}')).toMatchInlineSnapshot(`
      "log is not in a format that ctx recognises
        native: an execution log has model, system_prompt, environment
        openai-messages: it has "steps": an object with steps
      hint: \`ctx pack --from list\` lists the formats; \`--from <format>\` reads the log in one of them"
    `);
  });

  it.each<[string, string | Buffer, string]>([
    ["that is empty", "", "log is not in a format that ctx recognises: it is empty"],
    ["of text", "Dear diary,\n", "log is not in a format that ctx recognises: it does not start with JSON"],
    [
      "of bytes",
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]),
      "log is not in a format that ctx recognises: it contains binary data",
    ],
    [
      "of other JSON",
      '{"hello":"world"}',
      "log is not in a format that ctx recognises: it is JSON with the fields hello",
    ],
    ["of a number", "42", "log is not in a format that ctx recognises: it does not start with JSON"],
    ["of an empty list", "[]", "log is not in a format that ctx recognises"],
  ])("recognition: an unknown log %s is refused with a message and a hint", (_, log, message) => {
    expect(refusal(log).split("\n")[0]).toBe(message);
    expect(refusal(log)).toContain("\nhint: `ctx pack --from list` lists the formats;");
  });

  it("recognition: the refusal of an unknown log names at most three formats, the nearest first", () => {
    const log = lines(
      { type: "user", session_id: "s", model: "m", system: "x" },
      { type: "event_msg", payload: { type: "x" } },
    );
    expect(refusal(log).match(/^ {2}[\w-]+/gm)).toEqual(["  codex", "  claude-stream-json", "  claude-code"]);
  });
});

/** What others write that looks a little like a log. */
const foreign: readonly [what: string, log: string][] = [
  ["a recipe", JSON.stringify({ id: "r", timestamp: "2026-01-01T00:00:00Z", instructions: "Bake it." })],
  ["a shopping cart", JSON.stringify({ session: { id: "s", timestamp: 1 }, items: [{ sku: 1 }] })],
  ["messages on a bus", lines({ type: "event_msg", payload: { order: 1 } })],
  ["events of a shop", lines({ type: "item.completed", item: { type: "order" } })],
  ["people", lines({ type: "user", uuid: "u1", name: "Ann" }, { type: "user", uuid: "u2", name: "Bo" })],
  ["analytics", lines({ type: "user", sessionId: "s", uuid: "u", message: { text: "hi" } })],
  ["notes of a system", lines({ type: "system", sessionId: "s", timestamp: "2026-01-01T00:00:00Z" })],
  [
    "progress",
    lines({ type: "progress", uuid: "a", percent: 1 }, { type: "progress", uuid: "b", percent: 2 }),
  ],
  ["a summary of coverage", JSON.stringify({ type: "summary", total: { lines: 1 } })],
  ["the settings of a training", JSON.stringify({ eval: { task: "glue", model: "bert" }, status: "new" })],
  [
    "a pipeline",
    JSON.stringify({ schema_version: "1.2", agent: { pool: "x" }, steps: [{ source: "system" }] }),
  ],
  ["a robot's way", JSON.stringify({ trajectory: [{ action: "left", observation: "wall", reward: 1 }] })],
  ["clicks", JSON.stringify([{ id: 1, source: "user", action: "click", message: "x" }])],
  ["readings", lines({ source: "environment", observation: "ok", message: "x" })],
  ["parts of a car", JSON.stringify([{ role: "function", parts: [{ name: "wheel" }] }])],
  [
    "runs of a build server",
    JSON.stringify({
      runs: [{ id: "a", started_at: "2026-01-01T00:00:00Z" }],
      steps: [{ id: "s", run_id: "a", type: "checkout", output: "{}" }],
    }),
  ],
  [
    "traffic with a language server",
    lines(
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { processId: 1, capabilities: {} } },
      { jsonrpc: "2.0", id: 1, result: { capabilities: {}, serverInfo: { name: "gopls" } } },
      { jsonrpc: "2.0", method: "textDocument/didOpen", params: {} },
      { jsonrpc: "2.0", id: 2, result: { content: [] } },
    ),
  ],
];

describe("files that are no logs", () => {
  it.each(foreign)("recognition: no format claims %s", (_, log) => {
    expect(formats.filter((format) => fits(format, log)).map(({ name }) => name)).toEqual([]);
  });

  it("recognition: chat messages whose tools speak JSON-RPC are OpenAI messages", () => {
    const content = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    const call = { id: "c", type: "function", function: { name: "curl", arguments: "{}" } };
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content },
    ];
    expect(nameOf(JSON.stringify(messages, null, 1))).toBe("openai-messages");
  });
});

it("recognition: the refusal of a log that comes near to no format names none, but its fields", () => {
  const text = refusal(lines({ _type: "log", ts: "2026-06-19T09:59:50.000Z" }));
  expect(text.match(/^ {2}[\w-]+(?=: \w)/gm)).toBeNull();
  expect(text.split("\n")[0]).toMatch(/: it is JSON with the fields _type, ts$/);
});

it.each([
  ['{"system_prompt":"Be brief."}', ["  native"]],
  ['{"model":"m"}', null],
])("recognition: ctx's own format is near to a document with one of its own fields: %s", (log, expected) => {
  expect(refusal(log).match(/^ {2}[\w-]+(?=: \w)/gm)).toEqual(expected);
});

const chat = { role: "user", message: { content: [{ type: "text", text: "hi" }] } };

/** The beginnings of logs that ctx does not read, by what they are. */
const unread: readonly (readonly [string, string | Buffer])[] = [
  ["SQLite database", Buffer.from("SQLite format 3\0\x10")],
  ["SQLite database", Buffer.from([0x37, 0x7f, 0x06, 0x82, 0, 0])],
  ["SpecStory", "<!-- Generated by SpecStory -->\n\n# 2026-01-01"],
  ["chat history of aider", "\n# aider chat started at 2026-01-01 10:00:00\n\n> Aider v0.80"],
  ["aider's record", "\n# 2024-08-13 14:35:11.129146\n+fix it\n"],
  ["aider's record", "TO LLM 2024-08-13T14:35:11\n-------\n"],
  ["VS Code's Copilot", JSON.stringify({ responderUsername: "GitHub Copilot", requests: [] })],
  ["VS Code's Copilot", lines({ kind: 0, v: { requests: [] } })],
  ["Continue", JSON.stringify({ sessionId: "s", workspaceDirectory: "/", history: [] })],
  ["Agent Development Kit", JSON.stringify({ id: "s", events: [{ invocation_id: "e", author: "user" }] })],
  ["evaluation set", JSON.stringify({ eval_set_id: "s", eval_cases: [] })],
  ["evaluation set", JSON.stringify([{ query: "q", expected_tool_use: [] }])],
  ["Amp", JSON.stringify({ id: "T-1", messages: [{ role: "user", content: [] }] })],
  ["Kimi CLI", lines({ type: "metadata", protocol_version: "1" })],
  ["Kimi CLI", lines({ role: "_system_prompt", content: "x" }, { role: "user", content: "hi" })],
  ["Droid", lines({ type: "session_start", id: "s" }, { type: "message", message: { role: "user" } })],
  ["Goose", lines({ working_dir: "/", description: "d" }, { role: "user", created: 1, content: [] })],
  ["Cursor", lines(chat, { ...chat, role: "assistant" }, { type: "turn_ended" })],
  ["Kiro", lines({ version: "v1", kind: "Prompt", data: {} })],
  ["Letta", JSON.stringify({ agents: [], blocks: [], tools: [] })],
  ["it is Markdown", "# Notes\n\nSome text.\n"],
];

it.each(unread)("recognition: a file of %s is refused by what it is (%#)", (what, log) => {
  const [first = "", second = ""] = refusal(log).split("\n");
  expect(first).toContain(what);
  expect(first).toMatch(/: it is .*, which ctx does not read$/);
  expect(second).toMatch(/^hint: /);
});

it.each(smallest)("recognition: %s, %s, is of no format that ctx does not read", (_format, _what, log) => {
  expect(unreadFormat(headOf(Buffer.from(log), true))).toBeUndefined();
});

describe("a format by its name", () => {
  it("formats: formatNamed returns the format of a name", () => {
    for (const format of formats) expect(formatNamed(format.name)).toBe(format);
    expect(formatNamed("native")).toBeUndefined();
  });

  it.each([
    ["claude-cod", 'there is no format "claude-cod" (is it "claude-code"?)'],
    ["codx", 'there is no format "codx" (is it "codex"?)'],
    ["Codex", 'there is no format "Codex" (is it "codex"?)'],
    ["natve", 'there is no format "natve" (is it "native"?)'],
    ["", 'there is no format ""'],
    ["something-else-entirely", 'there is no format "something-else-entirely"'],
  ])(
    "formats: %j is no format, and one with a similar name is suggested if there is any",
    (name, message) => {
      expect(() => formatNamed(name)).toThrow(expect.objectContaining({ code: "usage", message }));
    },
  );
});

describe("every format", () => {
  it("formats: every format has a name of its own that can be typed", () => {
    const names = formats.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [...names, "native"]) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    for (const reserved of ["native", "list"]) expect(names).not.toContain(reserved);
  });

  it("formats: every format says how near a foreign log comes, and what it lacks", () => {
    const others = [
      "",
      "text",
      "{}",
      "[]",
      "[{}]",
      "[[]]",
      "null",
      '"text"',
      "\0",
      '{"messages":{}}',
      '{"messages":[null]}',
    ];
    for (const log of [...others, ...smallest.map(([, , text]) => text)])
      for (const format of formats) {
        const bytes = Buffer.from(log);
        if (fits(format, bytes)) continue;
        const answers = refusalOf(format, bytes);
        expect(answers.near, `${format.name}: ${log}`).toBeGreaterThanOrEqual(0);
        expect(answers.near).toBeLessThan(1);
        expect(answers.missing).toMatch(/^\S.*[^.\s]$/);
      }
  });
});

function refusalOf(format: (typeof formats)[number], bytes: Buffer): { near: number; missing: string } {
  const fit = format.sniff(headOf(bytes, true));
  if (fit === true) throw new Error("it fits");
  return fit;
}
