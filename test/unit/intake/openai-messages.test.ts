import { describe, expect, it } from "vitest";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import type { Content } from "../../../src/model/content.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";

const system = { role: "system", content: "You are careful." };
const user = { role: "user", content: "What is in a.txt?" };

function call(id: string | undefined, name: string, args: unknown) {
  return { ...(id === undefined ? {} : { id }), type: "function", function: { name, arguments: args } };
}

function result(id: string, content: unknown) {
  return { role: "tool", tool_call_id: id, content };
}

const simple = [
  system,
  user,
  { role: "assistant", content: null, tool_calls: [call("c1", "read_file", '{"path":"a.txt"}')] },
  result("c1", "apples"),
  { role: "assistant", content: "There are apples in it." },
];

function read(log: unknown, options = {}) {
  const taken = readForeign(
    openaiMessages,
    typeof log === "string" ? log : JSON.stringify(log, null, 1),
    options,
  );
  const text = (content: Content | undefined) => taken.text(content);
  const [run] = taken.runs;
  if (run === undefined) throw new Error("no run");
  const steps = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    parameters: step.parameters,
    output: taken.text(step.output),
    metadata: step.metadata ?? {},
    timestamp: step.timestamp,
  }));
  const prompts = (run.prompts ?? []).map(({ content }) => taken.text(content));
  return { ...taken, text, run, steps, prompts, metadata: run.metadata ?? {} };
}

function coverageOf(metadata: Record<string, unknown>) {
  return metadata["coverage"] as Record<string, unknown>;
}

const asksFor = (name: string) => ({
  role: "assistant",
  content: null,
  function_call: { name, arguments: "{}" },
});

const givesBack = (name: string, content: string) => ({ role: "function", name, content });

const task = (number: number) => ({
  task_id: number,
  reward: number / 2,
  info: { a: 1 },
  traj: simple,
  trial: 0,
});

describe("recognition of OpenAI messages", () => {
  it.each<[string, unknown]>([
    ["a bare list", simple],
    ["a request", { model: "m", messages: simple, temperature: 0 }],
    ["a request with its response", { messages: [user], response: { choices: [{ message: {} }] } }],
    ["a line of a batch", { custom_id: "1", method: "POST", body: { model: "m", messages: simple } }],
    ["a completion", { id: "x", object: "chat.completion", choices: [] }],
    ["tasks of a benchmark", [{ task_id: 0, reward: 1, info: {}, traj: simple }]],
    ["a list with content in parts", [{ role: "user", content: [{ type: "text", text: "x" }] }]],
  ])("OpenAI messages: the format recognises %s", (_, log) => {
    expect(fits(openaiMessages, JSON.stringify(log))).toBe(true);
    expect(fits(openaiMessages, JSON.stringify(log, null, 2))).toBe(true);
  });

  it("OpenAI messages: a log with one wrapper per line is recognised", () => {
    expect(fits(openaiMessages, lines({ messages: simple }, { messages: simple }))).toBe(true);
  });

  it("OpenAI messages: a list that is longer than the inspected head is recognised", () => {
    const long = [
      ...simple,
      ...Array.from({ length: 300 }, () => ({ role: "user", content: "x".repeat(1999) })),
    ];
    expect(fits(openaiMessages, JSON.stringify(long))).toBe(true);
  });

  it.each<[string, unknown]>([
    [
      "blocks of Anthropic",
      [user, { role: "assistant", content: [{ type: "tool_use", id: "1", name: "x" }] }],
    ],
    ["results of Anthropic", [{ role: "user", content: [{ type: "tool_result", tool_use_id: "1" }] }]],
    ["thinking of Anthropic", [{ role: "assistant", content: [{ type: "thinking", thinking: "x" }] }]],
    ["a request to Anthropic", { model: "m", system: "x", messages: [user] }],
    ["tools of Anthropic", { messages: [user], tools: [{ name: "x", input_schema: {} }] }],
    ["messages with parts", [{ role: "user", parts: [{ type: "text", text: "x" }] }]],
    ["messages of Cline", [{ role: "user", content: "x", modelInfo: {} }]],
    ["messages of Cline's interface", [{ ts: 1, type: "say", say: "text" }]],
    ["events of OpenHands", [{ id: 0, source: "user", action: "message", args: {} }]],
    ["newer events of OpenHands", [{ kind: "MessageEvent", source: "user" }]],
    ["a stream of Claude Code", [{ type: "system", subtype: "init", session_id: "x" }]],
    [
      "a session of Gemini CLI",
      { sessionId: "x", projectHash: "y", messages: [{ type: "user", content: "x" }] },
    ],
    ["a session of OpenCode", { info: {}, messages: [{ info: { role: "user" }, parts: [] }] }],
    ["items of responses", [{ type: "message", role: "user", content: "x" }]],
    ["a response", { id: "r", object: "response", output: [] }],
    ["a trajectory of mini-swe-agent", { trajectory_format: "mini-swe-agent-1", messages: simple }],
    ["calls in text", [{ role: "assistant", content: "```mswea_bash_command\nls\n```" }]],
    ["pieces of a stream", { object: "chat.completion.chunk", choices: [] }],
    ["an unknown role", [{ role: "robot", content: "x" }]],
    [
      "a native log",
      { version: "0.1", model: { identifier: "m" }, system_prompt: "", prompts: [], steps: [] },
    ],
    ["an empty list", []],
    ["numbers", [1, 2]],
    ["a text", "messages"],
    ["null", null],
  ])("OpenAI messages: the format does not recognise %s", (_, log) => {
    expect(fits(openaiMessages, JSON.stringify(log))).toBe(false);
  });
});

describe("a list of messages", () => {
  it("OpenAI messages: a list of messages becomes a run", () => {
    const { run, steps, prompts, metadata, text } = read(simple);
    expect(text(run.system_prompt)).toBe("You are careful.");
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(steps).toMatchObject([
      {
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "a.txt" },
        output: "apples",
        metadata: { turn: 0, status: "ok", call_id: "c1" },
      },
      { type: "message", output: "There are apples in it." },
    ]);
    expect(steps[0]?.metadata).not.toHaveProperty("parallel");
    expect(run.model.identifier).toBe("unknown");
    expect(metadata).toMatchObject({ source: { format: "openai-messages" }, coverage: { records: 5 } });
    expect(coverageOf(metadata)["unknown"]).toEqual([
      "whether tool calls failed (chat messages do not say it)",
      "times",
      "the model",
    ]);
  });

  it("OpenAI messages: parallel calls are answered in any order, and some are unanswered", () => {
    const { steps } = read([
      user,
      { role: "assistant", tool_calls: [call("a", "x", "{}"), call("b", "y", "{}"), call("c", "z", "{}")] },
      result("b", "of b"),
      result("a", "of a"),
    ]);
    expect(steps.map(({ tool, output, metadata }) => [tool, output, metadata["status"]])).toEqual([
      ["x", "of a", "ok"],
      ["y", "of b", "ok"],
      ["z", undefined, "unanswered"],
    ]);
    expect(new Set(steps.map(({ metadata }) => metadata["parallel"])).size).toBe(1);
    expect(steps[0]?.metadata).toHaveProperty("parallel");
  });

  it("OpenAI messages: calls that reuse an id, later or within one message, are told apart", () => {
    const { steps } = read([
      { role: "assistant", tool_calls: [call("t", "one", "{}")] },
      { role: "assistant", tool_calls: [call("t", "two", "{}"), call("t", "three", "{}")] },
      result("t", "of two"),
      result("t", "of three"),
      { role: "assistant", tool_calls: [call("t", "four", "{}")] },
      result("t", "of four"),
    ]);
    expect(steps.map(({ tool, output, metadata }) => [tool, output, metadata["call_id"]])).toEqual([
      ["one", undefined, "t"],
      ["two", "of two", "t-2"],
      ["three", "of three", "t-3"],
      ["four", "of four", "t-4"],
    ]);
  });

  it("OpenAI messages: a result without a call, and a second result, are kept", () => {
    const { steps } = read([...simple.slice(0, 4), result("c1", "again"), result("zz", "lost")]);
    expect(steps.map(({ type, output, metadata }) => [type, output, metadata["call_id"]])).toEqual([
      ["tool_call", "apples", "c1"],
      ["tool_result", "again", "c1"],
      ["tool_result", "lost", "zz"],
    ]);
  });

  it("OpenAI messages: function calls of the older form have their results", () => {
    const { steps } = read([
      asksFor("x"),
      asksFor("y"),
      asksFor("x"),
      givesBack("x", "1"),
      givesBack("x", "2"),
      givesBack("y", "3"),
    ]);
    expect(steps.map(({ tool, output }) => [tool, output])).toEqual([
      ["x", "1"],
      ["y", "3"],
      ["x", "2"],
    ]);
  });

  it.each<[unknown, unknown]>([
    ['{"a":9007199254740993}', { a: { digits: "9007199254740993" } }],
    ['{"a":', { arguments: '{"a":' }],
    ["[1]", { arguments: "[1]" }],
    ["", {}],
    [null, {}],
    [{ a: 1 }, { a: 1 }],
    [7, { arguments: 7 }],
  ])("OpenAI messages: the arguments %j are read", (written, expected) => {
    const { steps } = read([{ role: "assistant", tool_calls: [call("a", "x", written)] }]);
    expect(steps[0]?.parameters).toEqual(expected);
  });

  it("OpenAI messages: reasoning, refusals and several system messages are kept", () => {
    const { run, steps, text } = read([
      { role: "developer", content: "first" },
      user,
      { role: "assistant", reasoning_content: "hm", content: "well", refusal: null },
      { role: "system", content: "second" },
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      { role: "assistant", content: null, refusal: "never" },
      { role: "assistant", content: "", thinking_blocks: [{ type: "thinking", thinking: "so" }] },
    ]);
    expect(text(run.system_prompt)).toBe("first");
    expect(
      steps.map(({ type, output, metadata }) => [type, output, metadata["refusal"] ?? metadata["kind"]]),
    ).toEqual([
      ["reasoning", "hm", undefined],
      ["message", "well", undefined],
      ["context", "second", "system"],
      ["message", "no", true],
      ["message", "never", true],
      ["reasoning", "so", undefined],
    ]);
  });

  it("OpenAI messages: content has parts, of which files become inputs", () => {
    const { run, prompts, text, metadata } = read([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: `data:image/jpeg;base64,${btoa("jpg!")}` } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          { type: "input_audio", input_audio: { data: btoa("wav!"), format: "wav" } },
          {
            type: "file",
            file: { filename: "b.pdf", file_data: `data:application/pdf;base64,${btoa("pdf!")}` },
          },
          { type: "file", file: { file_id: "f-1" } },
          { type: "hologram" },
        ],
      },
    ]);
    expect(prompts).toEqual([
      "look\n[.attached/1.jpg]\n[https://example.com/a.png]\n[.attached/2.wav]\n[.attached/3.pdf: b.pdf]\n[file f-1]",
    ]);
    expect((run.inputs ?? []).map(({ name, content }) => [name, text(content)])).toEqual([
      [".attached/1.jpg", "jpg!"],
      [".attached/2.wav", "wav!"],
      [".attached/3.pdf", "pdf!"],
    ]);
    expect(coverageOf(metadata)["skipped"]).toEqual({ "content of type hologram": 1 });
  });

  it("OpenAI messages: messages of any shape are read or counted", () => {
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { role: 7 },
      { role: "robot" },
      { role: "user" },
      { role: "user", content: 5 },
    ];
    const calls = {
      role: "assistant",
      content: {},
      tool_calls: [null, 1, {}, { function: 3 }, { function: {} }],
    };
    const { steps, prompts, metadata } = read([
      ...odd,
      calls,
      { role: "tool" },
      { role: "assistant", tool_calls: 1 },
    ]);
    // A message without a text is no prompt.
    expect(prompts).toEqual(["5"]);
    expect(steps.map(({ type, tool }) => [type, tool])).toEqual([
      ["message", undefined],
      ["tool_call", "unknown"],
    ]);
    expect(coverageOf(metadata)["skipped"]).toEqual({
      "message of role robot": 1,
      "message without a role": 6,
      "tool call of type unknown": 4,
    });
  });

  it("OpenAI messages: coverage says that calls are written into the text", () => {
    const { metadata } = read([{ role: "assistant", content: "<function=ls></function>" }]);
    expect(coverageOf(metadata)["unknown"]).toContain("tool calls that the model wrote into its text");
  });
});

describe("wrappers of messages", () => {
  const wrapper = {
    messages: simple.slice(0, 2),
    tools: [{ type: "function", function: { name: "read_file" } }],
    kwargs: { temperature: 0, top_p: 1, seed: null, api_key: "secret" },
    response: {
      id: "r",
      object: "chat.completion",
      created: 1757015030,
      model: "provider/m-1",
      choices: [
        { message: { role: "assistant", content: "I look.", tool_calls: [call("c", "read_file", "{}")] } },
        { message: { role: "assistant", content: "Or not." } },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 4,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
    cost: 0.25,
    timestamp: 1757015033.25,
    latency_sec: 3.5,
    context_window: 1000,
  };

  it("OpenAI messages: a request with its response is one run", () => {
    const { run, steps, metadata } = read(wrapper);
    expect(run.model).toEqual({ identifier: "provider/m-1", parameters: { temperature: 0, top_p: 1 } });
    expect(run.created).toBe("2025-09-04T19:43:53.25Z");
    expect(steps).toMatchObject([
      { type: "message", output: "I look.", timestamp: "2025-09-04T19:43:53.25Z" },
      { type: "tool_call", tool: "read_file", metadata: { status: "unanswered" } },
    ]);
    expect(metadata).toMatchObject({
      cost_usd: 0.25,
      latency_sec: 3.5,
      tools: ["read_file"],
      usage: {
        requests: 1,
        input_tokens: 10,
        output_tokens: 4,
        cache_read_input_tokens: 3,
        reasoning_output_tokens: 2,
      },
      coverage: {
        records: 3,
        left_out: { "another choice of the same answer": 1, "field api_key": 1, "field context_window": 1 },
      },
    });
    expect(JSON.stringify(run)).not.toContain("secret");
  });

  it("OpenAI messages: a completion alone takes its prompt from the options", () => {
    const { run, prompts, steps } = read(wrapper.response, { prompt: "Look!" });
    expect(prompts).toEqual(["Look!"]);
    expect(run.created).toBe("2025-09-04T19:43:50Z");
    expect(steps).toHaveLength(2);
    expect(() => read(simple, { prompt: "Look!" })).toThrow("the log records its own prompts");
  });

  it("OpenAI messages: each task of a benchmark is a run", () => {
    const { runs, coverage } = read([task(0), task(1)]);
    expect(runs.map(({ metadata }) => metadata)).toMatchObject([
      { task_id: 0, reward: 0, trial: 0, coverage: { records: 5, left_out: { "field info": 1 } } },
      { task_id: 1, reward: 0.5, trial: 0, coverage: { records: 5 } },
    ]);
    expect(coverage.records).toBe(10);
  });

  it("OpenAI messages: each line with messages is a run, and other lines are counted", () => {
    const log = `${lines(
      { custom_id: "a", body: { model: "m", messages: simple, max_tokens: 5 } },
      { custom_id: "b", response: { status_code: 200, body: wrapper.response } },
      { unrelated: true },
    )}not JSON\n{"messages":[{"role":"us`;
    const { runs, coverage } = read(log);
    expect(
      runs.map(({ model, metadata }) => [model.identifier, model.parameters, metadata?.["custom_id"]]),
    ).toEqual([
      ["m", { max_tokens: 5 }, "a"],
      ["provider/m-1", {}, "b"],
    ]);
    expect(coverage.notices()).toEqual([
      "line 4: is not valid JSON; it is left out",
      "its end is missing: it is still being written, or was cut off",
    ]);
    expect(coverage.toJson([])).toMatchObject({
      partial_last_line: true,
      skipped: { "line without messages": 1 },
    });
  });

  it("OpenAI messages: a replaced half of a surrogate pair is counted for its own run", () => {
    const bad = '{"messages":[{"role":"user","content":"x\\ud800"}]}\n';
    const { runs } = read(`${lines({ messages: simple })}${bad}${lines({ messages: simple })}`);
    expect(runs.map(({ metadata }) => coverageOf(metadata ?? {})["replaced"])).toEqual([
      undefined,
      1,
      undefined,
    ]);
  });

  it.each(["[", "[]", "{}", '{"messages":[]}', "7", '[{"x":1}]'])(
    "OpenAI messages: %s has no messages and is unreadable",
    (log) => {
      expect(() => read(log)).toThrow(expect.objectContaining({ code: "log-unreadable" }));
    },
  );
});
