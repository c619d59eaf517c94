// Records that newer versions of agents write, and traps that were found on real logs: history within a prompt, empty
// arguments in a trace, texts that look typed.
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../../src/intake/formats/anthropic-messages/format.js";
import { claudeCode } from "../../../src/intake/formats/claude-code/format.js";
import { codex } from "../../../src/intake/formats/codex/format.js";
import { otel } from "../../../src/intake/formats/otel/format.js";
import { qwenCode } from "../../../src/intake/formats/qwen-code/format.js";
import { vercelAi } from "../../../src/intake/formats/vercel-ai/format.js";
import { lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";

const text = (words: string) => ({ type: "text", text: words });

const codexRecord = (type: string, payload: object) => ({
  timestamp: "2026-10-01T10:00:00.000Z",
  type,
  payload,
});
const wrote = (shown: string, display: object) => {
  const record = (type: string, more: object) => ({
    uuid: `${type} ${shown}`,
    sessionId: "s",
    type,
    cwd: "/p",
    ...more,
  });
  const args = { file_path: "/p/a.txt", content: "new" };
  return readRun(
    qwenCode,
    lines(
      record("user", { message: { role: "user", parts: [{ text: "Write." }] } }),
      record("assistant", {
        message: { role: "model", parts: [{ functionCall: { id: "c", name: "write_file", args } }] },
      }),
      record("tool_result", {
        message: {
          role: "user",
          parts: [{ functionResponse: { id: "c", name: "write_file", response: { output: shown } } }],
        },
        toolCallResult: {
          callId: "c",
          status: "success",
          resultDisplay: { newContent: "new", ...display },
        },
      }),
    ),
  ).run;
};

const history = (...user: string[]) => [
  { role: "user", content: [text("<task>\nRead a.\n</task>")], ts: 1 },
  { role: "assistant", content: [text("ok")], ts: 2 },
  { role: "user", content: user.map(text), ts: 3 },
];

const step = (number: number, prompt: unknown[], output: object) => ({
  id: `s${number}`,
  run_id: "r",
  step_number: number,
  type: "generate",
  model_id: "m",
  started_at: `2026-05-01T10:00:0${number}.000Z`,
  duration_ms: 10,
  input: JSON.stringify({ prompt }),
  output: JSON.stringify(output),
});

const span = (id: number, name: string, attributes: object) => ({
  name,
  context: { trace_id: 1, span_id: id },
  parent: null,
  start_time: 1_758_028_498_000_000_000 + id * 1000,
  end_time: 1_758_028_498_000_000_000 + id * 1000 + 500,
  status: { status_code: "ok" },
  attributes,
  events: [],
  resource: { attributes: {} },
});

const asks = (id: number, ...calls: [string, string][]) =>
  span(id, "call_llm m", {
    "gen_ai.operation.name": "call_llm",
    "gen_ai.request.model": "m",
    "gen_ai.output": JSON.stringify(calls.map(([name, args]) => ({ "tool.name": name, "tool.args": args }))),
    "gen_ai.output.type": "json",
  });
const did = (id: number, name: string, args: string) =>
  span(id, `execute_tool ${name}`, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.args": args,
    "gen_ai.output": "done",
  });

describe("newer records of Claude Code", () => {
  let count = 0;
  const record = (type: string, more: object) => ({
    type,
    uuid: `u${++count}`,
    sessionId: "s",
    timestamp: "2026-10-01T10:00:00.000Z",
    ...more,
  });
  const prompt = record("user", { message: { role: "user", content: "Go." } });
  const attach = (attachment: object) => record("attachment", { attachment });

  it("Claude Code: a snapshot of the prompt is the system prompt and the tools, not 28 kB of context", () => {
    const snapshot = {
      type: "prompt_snapshot",
      systemPrompt: ["You are.", "Be brief."],
      reminderFold: false,
    };
    const {
      run,
      text: textOf,
      contexts,
      metadata,
    } = readRun(
      claudeCode,
      lines(
        prompt,
        attach(snapshot),
        attach({ ...snapshot, tools: [{ name: "Read", description: "x", schema: {} }] }),
        attach({ type: "prompt_snapshot", systemPrompt: "Be long." }),
      ),
    );
    expect(textOf(run.system_prompt)).toBe("You are.\n\nBe brief.");
    expect(metadata["tools"]).toEqual(["Read"]);
    expect((run.steps ?? []).map(({ output, metadata: about }) => [textOf(output), about?.["kind"]])).toEqual(
      [["Be long.", "system"]],
    );
    expect(contexts).toHaveLength(1);
  });

  it("Claude Code: the last state of the costs is the run's, and kinds that say nothing are known", () => {
    const usage = { "claude-x": { inputTokens: 1, outputTokens: 2, costUSD: 0.25 } };
    const { metadata, coverage, run } = readRun(
      claudeCode,
      lines(
        prompt,
        { type: "cost-state", sessionId: "s", totalCostUSD: 0.125, modelUsage: {} },
        { type: "tools-used", sessionId: "s" },
        { type: "atis-latch", sessionId: "s", atis: false },
        {
          type: "cost-state",
          sessionId: "s",
          totalCostUSD: 0.25,
          modelUsage: usage,
          hasUnknownModelCost: true,
        },
        { type: "api-request-started", sessionId: "s" },
      ),
    );
    expect(metadata).toMatchObject({ cost_usd: 0.25, model_usage: usage });
    expect(coverage["left_out"]).toEqual({ "atis-latch": 1, "tools-used": 1 });
    expect(coverage["skipped"]).toEqual({ "api-request-started": 1 });
    expect(coverage["unknown"]).toContain("the cost of some models (the client did not know their prices)");
    expect(run.steps).toEqual([]);
  });

  it("Claude Code: a skill that the client loads is context, also in requests to the API", () => {
    const skill = "Base directory for this skill: /home/ann/.claude/skills/plan\n\n# Plan";
    const log = lines(prompt, record("user", { message: { role: "user", content: [text(skill)] } }));
    expect(readRun(claudeCode, log).prompts).toEqual(["Go."]);
    const request = { system: "s", messages: [{ role: "user", content: [text("Go."), text(skill)] }] };
    const { prompts, contexts } = readRun(anthropicMessages, request);
    expect([prompts, contexts.length]).toEqual([["Go."], 1]);
  });
});

describe("newer records of Codex", () => {
  const meta = codexRecord("session_meta", { id: "s", cwd: "/p" });
  const used = (response: string | undefined, input: number, thread: number) =>
    codexRecord("token_usage_record", {
      ...(response === undefined ? {} : { response_id: response }),
      usage: { input_tokens: input, cached_input_tokens: 1, output_tokens: 2 },
      thread_token_usage: { input_tokens: thread, output_tokens: 4 },
    });

  it("Codex: usage by response is added up, and a response counts once", () => {
    const total = codexRecord("event_msg", {
      type: "token_count",
      info: { total_token_usage: { input_tokens: 999, output_tokens: 9 } },
    });
    const { metadata, coverage } = readRun(
      codex,
      lines(meta, used("r1", 10, 10), used("r1", 10, 10), used("r2", 20, 30), total, used(undefined, 5, 35)),
    );
    expect(metadata["usage"]).toMatchObject({ requests: 3, input_tokens: 35, output_tokens: 6 });
    expect(coverage["skipped"]).toBeUndefined();
  });

  it("Codex: a record with nothing but the thread's total is a total", () => {
    const only = codexRecord("token_usage_record", {
      thread_token_usage: { input_tokens: 100, output_tokens: 5 },
    });
    expect(readRun(codex, lines(meta, only)).metadata["usage"]).toEqual({
      input_tokens: 100,
      output_tokens: 5,
    });
  });
});

describe("a new file of Qwen Code", () => {
  it("Qwen Code: a file that was not there is no input, and an empty one that was is", () => {
    const made = wrote("Successfully created and wrote to new file: /p/a.txt.", { originalContent: "" });
    expect([made.inputs, made.outputs?.map(({ name }) => name)]).toEqual([[], ["a.txt"]]);
    const replaced = wrote("Successfully overwrote file: /p/a.txt.", { originalContent: "" });
    expect(replaced.inputs?.map(({ name }) => name)).toEqual(["a.txt"]);
  });
});

describe("what Cline says in the user's name", () => {
  it.each([
    [
      "The user has provided feedback on the results. Consider their input.\n<feedback>\nMore.\n</feedback>",
      ["More."],
    ],
    ["The user is not pleased with the results.\n<feedback>\nMore.\n</feedback>", ["More."]],
    ["The user has provided feedback on the results. Consider their input.", []],
    ['{"status":"denied","message":"The user denied this operation."}', []],
    ['<user_input mode="act">More.</user_input>', ["More."]],
    ["New instructions for task continuation:\n<user_message>\nMore.\n</user_message>", ["More."]],
    ["[[NOTE] This file read has been removed to save space in the context window.]", []],
  ])("Cline: of %j only what the user said is a prompt", (said, expected) => {
    expect(readRun(anthropicMessages, history(said)).prompts).toEqual(["Read a.", ...expected]);
  });

  it("Cline: feedback in a result of Roo's that is JSON is a prompt", () => {
    const { prompts, calls } = readRun(anthropicMessages, [
      { role: "user", content: [text("<task>\nRead a.\n</task>")], ts: 1 },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "c", name: "read_file", input: { path: "a" } }],
        ts: 2,
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c", content: '{"status":"denied","feedback":"Not that."}' },
        ],
        ts: 3,
      },
    ]);
    expect([prompts, calls.map(({ metadata }) => metadata["status"])]).toEqual([
      ["Read a.", "Not that."],
      ["denied"],
    ]);
  });

  it("Cline: sessions of its newest versions have model, tokens and system prompt", () => {
    const {
      run,
      text: textOf,
      metadata,
    } = readRun(anthropicMessages, {
      version: 1,
      sessionId: "s",
      agent: "lead",
      system_prompt: "You are Cline.",
      messages: [
        { role: "user", content: [text('<user_input mode="act">Go.</user_input>')], ts: 1 },
        {
          role: "assistant",
          content: [text("Done.")],
          ts: 2,
          modelInfo: { id: "claude-x", provider: "anthropic" },
          metrics: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheWriteTokens: 6, cost: 0.5 },
        },
      ],
    });
    expect(textOf(run.system_prompt)).toBe("You are Cline.");
    expect(run.model).toEqual({ identifier: "claude-x", parameters: { model_provider: "anthropic" } });
    expect(metadata["usage"]).toMatchObject({
      input_tokens: 3,
      output_tokens: 4,
      cache_creation_input_tokens: 6,
    });
  });
});

describe("history within a prompt", () => {
  const call = { type: "tool-call", toolCallId: "c0", toolName: "send", input: { to: "a" } };
  const result = {
    type: "tool-result",
    toolCallId: "c0",
    toolName: "send",
    output: { type: "text", value: "sent" },
  };
  const past = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [text("Send it.")] },
    { role: "assistant", content: [text("I send."), call] },
    { role: "tool", content: [result] },
    { role: "assistant", content: [text("Sent.")] },
  ];
  const runs = [{ id: "r", started_at: "2026-05-01T10:00:00.000Z" }];
  const asked = [...past, { role: "user", content: [text("Once more.")] }];
  const own = { ...call, toolCallId: "c1" };

  it("Vercel AI SDK: calls and prompts of earlier runs, which DevTools records with each request, are history", () => {
    const {
      calls,
      prompts,
      contexts,
      text: textOf,
      run,
    } = readRun(vercelAi, {
      runs,
      steps: [
        step(1, asked, { content: [own] }),
        step(
          2,
          [
            ...asked,
            { role: "assistant", content: [own] },
            { role: "tool", content: [{ ...result, toolCallId: "c1" }] },
          ],
          { textParts: [{ text: "Done." }] },
        ),
      ],
    });
    expect(prompts).toEqual(["Once more."]);
    expect(calls.map(({ metadata, output }) => [metadata["call_id"], output])).toEqual([["c1", "sent"]]);
    expect(textOf(run.system_prompt)).toBe("Be brief.");
    expect(contexts).toHaveLength(4);
    const history = (run.steps ?? []).filter(({ metadata }) => metadata?.["kind"] === "history");
    expect(history.map(({ output }) => textOf(output))).toEqual([
      "user: Send it.",
      'assistant: I send.\nsend {"to":"a"}',
      "tool: sent",
      "assistant: Sent.",
    ]);
  });

  it("Vercel AI SDK: where the prompt ends with a result, the run answers the user's last message", () => {
    const { calls, prompts } = readRun(vercelAi, {
      runs,
      steps: [step(1, past.slice(0, 4), { textParts: [{ text: "Sent." }] })],
    });
    expect([calls.length, prompts]).toEqual([0, ["Send it."]]);
  });
});

describe("traces whose messages leave out arguments", () => {
  it("OpenTelemetry: a call that a message tells of without arguments is the one that was executed", () => {
    const { calls } = readRun(otel, {
      spans: [
        asks(1, ["write_file", "{}"]),
        did(2, "write_file", '{"text":"2025"}'),
        asks(3, ["look", '{"a":1}']),
        did(4, "look", '{"a":1,"deep":false}'),
      ],
    });
    expect(calls.map(({ tool, parameters, metadata }) => [tool, parameters, metadata["status"]])).toEqual([
      ["write_file", { text: "2025" }, "ok"],
      ["look", { a: 1, deep: false }, "ok"],
    ]);
  });

  it("OpenTelemetry: a call with other arguments is another call", () => {
    const { calls } = readRun(otel, { spans: [asks(1, ["look", '{"a":2}']), did(2, "look", '{"a":1}')] });
    expect(new Set(calls.map(({ metadata }) => metadata["status"]))).toEqual(new Set(["ok", "unanswered"]));
  });
});
