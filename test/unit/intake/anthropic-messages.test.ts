import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { anthropicMessages } from "../../../src/intake/formats/anthropic-messages/format.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import { anthropicMessagesSpecimens } from "../../../dev/specimens/anthropic-messages.js";

const ask = { role: "user", content: "What is in a.txt?" };

function use(id: string, name: string, input: unknown = {}) {
  return { type: "tool_use", id, name, input };
}

function result(id: string, content: unknown, more = {}) {
  return { type: "tool_result", tool_use_id: id, content, ...more };
}

function says(...content: unknown[]) {
  return { role: "assistant", content };
}

function userMessage(...content: unknown[]) {
  return { role: "user", content };
}

const text = (words: string) => ({ type: "text", text: words });

const simple = [
  ask,
  says(text("I look."), use("t1", "read_file", { path: "a.txt" })),
  userMessage(result("t1", "apples")),
  says(text("Apples.")),
];

const answer = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-x",
  content: [text("Hello.")],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 2 },
};

const request = {
  model: "claude-x",
  max_tokens: 100,
  system: [{ type: "text", text: "Be careful." }],
  tools: [{ name: "read_file", input_schema: {} }],
  messages: [ask],
};

function read(log: unknown, options = {}) {
  const taken = readForeign(anthropicMessages, typeof log === "string" ? log : JSON.stringify(log), options);
  const of = (run: (typeof taken.runs)[number]) => ({
    run,
    system: taken.text(run.system_prompt),
    prompts: (run.prompts ?? []).map(({ content }) => taken.text(content)),
    steps: (run.steps ?? []).map((step) => ({
      type: step.type,
      tool: step.tool,
      parameters: step.parameters,
      output: taken.text(step.output),
      seen: taken.text(step.seen),
      time: step.timestamp,
      metadata: step.metadata ?? {},
    })),
    metadata: run.metadata ?? {},
    coverage: (run.metadata ?? {})["coverage"] as Record<string, unknown>,
  });
  const all = taken.runs.map(of);
  const [first] = all;
  if (first === undefined) throw new Error("no run");
  return { ...first, all, taken };
}

const server = (id: string, name: string) => ({ type: "server_tool_use", id, name, input: { q: 1 } });

const refusal = (log: unknown) => {
  try {
    read(log);
  } catch (error) {
    if (error instanceof CtxError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "taken";
};

describe("recognition of Anthropic messages", () => {
  it.each<[string, unknown]>([
    ["a list of messages", simple],
    ["a list with thinking", [says({ type: "thinking", thinking: "x" })]],
    ["a list with an image", [userMessage({ type: "image", source: { type: "url", url: "https://x" } })]],
    ["a request", request],
    ["a request with tools", { messages: [ask], tools: [{ name: "x", input_schema: {} }] }],
    ["a request to Bedrock", { anthropic_version: "bedrock-2023-05-31", messages: [ask] }],
    ["a response", answer],
    ["a request with its response", { request, response: answer }],
    ["messages with a response of Anthropic", { messages: [ask], response: answer }],
    ["the record of a proxy", { request: { body: request }, response: { body: answer } }],
    [
      "the record of a proxy, with bodies as text",
      { request: { body: JSON.stringify(request) }, response: {} },
    ],
    ["a line of a batch", { custom_id: "1", params: { model: "m", messages: [ask] } }],
    ["a result of a batch", { custom_id: "1", result: { type: "succeeded", message: answer } }],
    ["responses in a list", [answer, answer]],
    ["a history of Cline", [{ ...ask, ts: 1 }, says(text("x"))]],
    [
      "an old history of Cline",
      [userMessage(text("<task>\nx\n</task>"), text("<environment_details>\n</environment_details>"))],
    ],
    [
      "a session of Cline's CLI",
      { version: 1, agent: "lead", sessionId: "s", messages: [{ ...ask, ts: 1 }] },
    ],
  ])("Anthropic messages: the format recognises %s", (_, log) => {
    expect(fits(anthropicMessages, JSON.stringify(log))).toBe(true);
    expect(fits(anthropicMessages, JSON.stringify(log, null, 2))).toBe(true);
    expect(read(log).all.length).toBeGreaterThan(0);
  });

  it("Anthropic messages: every specimen is recognised and read without a remark", () => {
    for (const log of anthropicMessagesSpecimens) {
      expect(fits(anthropicMessages, log)).toBe(true);
      expect(readForeign(anthropicMessages, log).coverage.isClean).toBe(true);
    }
  });

  it("Anthropic messages: messages, answers and requests, one per line, are recognised", () => {
    expect(fits(anthropicMessages, lines(...simple))).toBe(true);
    expect(fits(anthropicMessages, lines(answer, answer))).toBe(true);
    expect(fits(anthropicMessages, lines({ request, response: answer }))).toBe(true);
  });

  it.each<[string, unknown]>([
    ["chat messages", [ask, { role: "assistant", content: "x" }]],
    ["a chat request", { model: "m", messages: [ask] }],
    ["calls of OpenAI", [ask, { role: "assistant", content: null, tool_calls: [] }]],
    ["results of OpenAI", [ask, says(use("1", "x")), { role: "tool", tool_call_id: "1", content: "x" }]],
    [
      "items of responses",
      [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] }],
    ],
    ["messages with parts", [{ role: "user", parts: [] }]],
    ["messages of Goose", [says({ type: "thinking", thinking: "x" }, { type: "toolRequest", id: "1" })]],
    ["messages of pi", { type: "message", id: "1", message: { role: "user", content: "x" } }],
    ["a thread of Amp", { id: "T-1", messages: simple }],
    ["a session of Gemini CLI", { sessionId: "s", projectHash: "p", messages: [] }],
    ["a trajectory of mini-swe-agent", { trajectory_format: "mini-swe-agent-1", messages: simple }],
    ["a transcript of Claude Code", { type: "assistant", sessionId: "s", uuid: "u", message: answer }],
    ["an empty list", []],
    ["numbers", [1]],
    ["null", null],
  ])("Anthropic messages: the format does not recognise %s", (_, log) => {
    expect(fits(anthropicMessages, JSON.stringify(log))).toBe(false);
  });

  it.each<[string, unknown, RegExp]>([
    ["ui_messages.json", [{ ts: 1, type: "say", say: "text", text: "x" }], /^it is ui_messages\.json/],
    ["task_metadata.json", { files_in_context: [], model_usage: [] }, /^it is Cline's task_metadata\.json/],
    ["history_item.json", { id: "1", ts: 1, task: "x", tokensIn: 1 }, /^it is the history_item\.json/],
  ])("Anthropic messages: Cline's %s is refused, and the refusal names the right file", (_, log, missing) => {
    const document = log as never;
    const fit = anthropicMessages.sniff({
      bytes: Buffer.alloc(0),
      isWhole: true,
      text: "",
      records: [],
      otherLines: 0,
      document,
    });
    expect(fit).toMatchObject({ near: 0.95, missing: expect.stringMatching(missing) as string });
    expect((fit as { missing: string }).missing).toContain("api_conversation_history.json");
    expect(refusal(log)).toContain("api_conversation_history.json");
  });
});

describe("messages", () => {
  it("Anthropic messages: a list of messages becomes a run", () => {
    const { prompts, steps, coverage, metadata } = read(simple);
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(steps).toMatchObject([
      { type: "message", output: "I look." },
      {
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "a.txt" },
        output: "apples",
        metadata: { status: "ok", call_id: "t1", turn: 0 },
      },
      { type: "message", output: "Apples." },
    ]);
    expect(metadata["source"]).toEqual({ format: "anthropic-messages" });
    expect(coverage).toMatchObject({
      records: 4,
      unknown: ["the system prompt (not recorded)", "times", "the model"],
    });
  });

  it("Anthropic messages: messages, one per line, are one run", () => {
    const { all, coverage } = read(lines(...simple));
    expect(all).toHaveLength(1);
    expect(coverage["records"]).toBe(4);
  });

  it("Anthropic messages: parallel calls have their results in any order", () => {
    const { steps } = read([
      ask,
      says(use("a", "x"), use("b", "x")),
      userMessage(result("b", "two"), result("a", [text("one"), text("more")])),
    ]);
    expect(steps.map(({ output }) => output)).toEqual(["one\nmore", "two"]);
    expect(new Set(steps.map(({ metadata }) => metadata["parallel"])).size).toBe(1);
    expect(steps[0]?.metadata["parallel"]).toBeDefined();
  });

  it("Anthropic messages: calls with the same id are told apart, in one message and later (trap 7)", () => {
    const { steps } = read([
      ask,
      says(use("c", "x", { n: 1 }), use("c", "x", { n: 2 })),
      userMessage(result("c", "one"), result("c", "two")),
      says(use("c", "x", { n: 3 })),
      userMessage(result("c", "three")),
    ]);
    expect(steps.map(({ output }) => output)).toEqual(["one", "two", "three"]);
    expect(steps.map(({ metadata }) => [metadata["call_id"], metadata["logged_id"]])).toEqual([
      ["c", undefined],
      ["c-2", "c"],
      ["c-3", "c"],
    ]);
  });

  it("Anthropic messages: calls without a result and results without a call are kept (trap 8)", () => {
    const { steps, coverage } = read([
      says(use("a", "x")),
      userMessage(result("z", "lost")),
      userMessage(result("z", "again")),
    ]);
    expect(steps).toMatchObject([
      { type: "tool_call", output: undefined, metadata: { status: "unanswered" } },
      { type: "tool_result", output: "lost" },
      { type: "tool_result", output: "again" },
    ]);
    expect(coverage["skipped"]).toBeUndefined();
  });

  it("Anthropic messages: failed and refused calls have their status", () => {
    const { steps } = read([
      says(use("a", "x"), use("b", "x")),
      userMessage(
        result("a", "no", { is_error: true }),
        result("b", "The user doesn't want to proceed", { is_error: true }),
      ),
    ]);
    expect(steps.map(({ metadata }) => metadata["status"])).toEqual(["error", "denied"]);
  });

  it("Anthropic messages: text that the client injected is no prompt (trap 5)", () => {
    const { prompts, steps } = read([
      userMessage(text("<system-reminder>now</system-reminder>"), text("Do it.")),
      says(use("a", "x")),
      userMessage(result("a", "ok"), text("And this.")),
    ]);
    expect(prompts).toEqual(["Do it.", "And this."]);
    expect(steps[0]).toMatchObject({ type: "context", metadata: { kind: "reminder" } });
  });

  it("Anthropic messages: reasoning without a readable text is marked as opaque (trap 12)", () => {
    const { steps } = read([
      says(
        { type: "thinking", thinking: "hm" },
        { type: "thinking", thinking: "", signature: "s" },
        { type: "redacted_thinking", data: "x" },
      ),
    ]);
    expect(steps).toMatchObject([
      { type: "reasoning", output: "hm" },
      { type: "reasoning", metadata: { opaque: true } },
      { type: "reasoning", metadata: { opaque: true } },
    ]);
  });

  it("Anthropic messages: a compaction is a step (trap 11)", () => {
    const { steps } = read([says({ type: "compaction", content: "so far" }, use("a", "x"))]);
    expect(steps[0]).toMatchObject({ type: "context", output: "so far", metadata: { kind: "compaction" } });
  });

  it("Anthropic messages: images in a prompt are attached", () => {
    const source = { type: "base64", media_type: "image/png", data: Buffer.from("png").toString("base64") };
    const { run } = read([userMessage(text("See."), { type: "image", source }), says(use("a", "x"))]);
    expect(run.inputs).toMatchObject([{ name: ".attached/1.png" }]);
  });

  it("Anthropic messages: blocks and messages of unknown kinds and roles are counted", () => {
    const { coverage } = read([
      says(use("a", "x"), { type: "hologram" }),
      { role: "robot", content: "x" },
      7,
    ]);
    expect(coverage["skipped"]).toEqual({
      "block hologram": 1,
      "message of role robot": 1,
      "message that is no object": 1,
    });
  });
});

describe("the provider's tools", () => {
  it("Anthropic messages: results of server tools within a message go to their calls", () => {
    const { steps } = read({
      ...answer,
      content: [
        server("s1", "bash_code_execution"),
        {
          type: "bash_code_execution_tool_result",
          tool_use_id: "s1",
          content: {
            type: "bash_code_execution_result",
            stdout: "out",
            stderr: "err",
            return_code: 2,
            content: [{ type: "bash_code_execution_output", file_id: "f1" }],
          },
        },
        server("s2", "web_search"),
        {
          type: "web_search_tool_result",
          tool_use_id: "s2",
          content: { type: "web_search_tool_result_error", error_code: "unavailable" },
        },
        { type: "mcp_tool_use", id: "m1", name: "echo", server_name: "srv", input: {} },
        { type: "mcp_tool_result", tool_use_id: "m1", is_error: false, content: [text("hi")] },
      ],
    });
    expect(steps).toMatchObject([
      {
        type: "server_tool_call",
        output: "out\nerr",
        metadata: { status: "error", exit_code: 2, files: ["f1"] },
      },
      { type: "server_tool_call", tool: "web_search", metadata: { status: "error" } },
      { type: "server_tool_call", tool: "echo", output: "hi", metadata: { server: "srv", status: "ok" } },
    ]);
  });

  it("Anthropic messages: a call that a script made is a step within it", () => {
    const { steps } = read([
      says(server("s1", "code_execution"), {
        ...use("t1", "roll"),
        caller: { type: "code_execution_20250825", tool_id: "s1" },
      }),
      userMessage(result("t1", "6")),
      says({
        type: "code_execution_tool_result",
        tool_use_id: "s1",
        content: { type: "code_execution_result", stdout: "6\n", stderr: "", return_code: 0, content: [] },
      }),
    ]);
    expect(steps).toMatchObject([
      { type: "server_tool_call", output: "6\n", metadata: { exit_code: 0 } },
      { type: "tool_call", output: "6", metadata: { within: "s1" } },
    ]);
  });
});

describe("requests and responses", () => {
  it("Anthropic messages: a request with its response has settings, times and usage", () => {
    const { run, system, prompts, steps, metadata, coverage } = read({
      request,
      response: answer,
      timestamp: "2026-02-01T10:00:00Z",
      secret: 1,
    });
    expect(system).toBe("Be careful.");
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(run.model).toEqual({ identifier: "claude-x", parameters: { max_tokens: 100 } });
    expect(run.created).toBe("2026-02-01T10:00:00Z");
    expect(steps).toMatchObject([{ type: "message", output: "Hello.", time: "2026-02-01T10:00:00Z" }]);
    expect(metadata).toMatchObject({
      usage: { requests: 1, input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 2 },
      stop_reason: "end_turn",
      tools: ["read_file"],
    });
    expect(coverage["left_out"]).toEqual({ "field secret": 1 });
  });

  it("Anthropic messages: messages that are sent again are read and counted once (trap 14)", () => {
    const second = {
      ...request,
      messages: [
        { role: "user", content: "What is in a.txt?" },
        { role: "assistant", content: answer.content },
        userMessage({ ...text("And now?"), cache_control: { type: "ephemeral" } }),
      ],
    };
    const other = {
      request: { ...request, messages: [userMessage(text("Another."))] },
      response: { ...answer, id: "msg_9" },
    };
    const third = {
      ...second,
      messages: [
        ...second.messages.slice(0, 2),
        userMessage(text("And now?")),
        says(text("Now.")),
        userMessage(text("End.")),
      ],
    };
    const { all } = read(
      lines(
        { request, response: answer },
        other,
        { request: second, response: { ...answer, id: "msg_2", content: [text("Now.")] } },
        { request: third, response: { ...answer, id: "msg_3", content: [text("Bye.")] } },
      ),
    );
    expect(all.map(({ prompts }) => prompts)).toEqual([
      ["What is in a.txt?", "And now?", "End."],
      ["Another."],
    ]);
    expect(all[0]?.steps.map(({ output }) => output)).toEqual(["Hello.", "Now.", "Bye."]);
    expect(all[0]?.metadata["usage"]).toMatchObject({ requests: 3, output_tokens: 9 });
    expect(all[0]?.coverage["left_out"]).toEqual({ "messages that were sent again": 6 });
  });

  it("Anthropic messages: an answer that occurs twice is one request (trap 1)", () => {
    const { metadata } = read([ask, answer, { ...answer, usage: { input_tokens: 10, output_tokens: 30 } }]);
    expect(metadata["usage"]).toMatchObject({ requests: 1, output_tokens: 30 });
  });

  it("Anthropic messages: several models are told apart (trap 15)", () => {
    const { metadata, run } = read([ask, answer, ask, { ...answer, id: "msg_2", model: "claude-y" }]);
    expect(metadata["models"]).toEqual(["claude-x", "claude-y"]);
    expect(run.model.identifier).toBe("claude-y");
  });

  it("Anthropic messages: a record may hold the response as a captured stream", () => {
    const raw = [
      {
        type: "message_start",
        message: { ...answer, content: [], usage: { input_tokens: 10, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: text("") },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
    const log = { request: { body: request }, response: { body_raw: raw } };
    expect(fits(anthropicMessages, JSON.stringify(log))).toBe(true);
    const { steps, metadata, coverage } = read(lines(log));
    expect(steps).toMatchObject([{ output: "Hello." }]);
    expect(metadata["usage"]).toMatchObject({ input_tokens: 10, output_tokens: 3 });
    expect(coverage["records"]).toBe(2);
  });

  it("Anthropic messages: a response alone takes its prompt from the options", () => {
    expect(read(answer).coverage["unknown"]).toContain("the prompt (give it with --prompt)");
    expect(read(answer, { prompt: "Say hello." }).prompts).toEqual(["Say hello."]);
  });

  it("Anthropic messages: each result of a batch is a run with its custom_id", () => {
    const { all } = read(
      lines(
        { custom_id: "a", result: { type: "succeeded", message: answer } },
        { custom_id: "b", result: { type: "errored" } },
        { custom_id: "c", result: { type: "succeeded", message: { ...answer, id: "msg_2" } } },
      ),
    );
    expect(all.map(({ metadata }) => metadata["custom_id"])).toEqual(["a", "c"]);
  });
});

describe("streams", () => {
  const events = [
    { type: "message_start", message: { ...answer, content: [] } },
    { type: "ping" },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "h" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "m" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: use("t1", "x") },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":' } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "1}" } },
    { type: "content_block_start", index: 2, content_block: use("t2", "y") },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "" } },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  const capture = events
    .map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`)
    .join("");

  it.each([
    ["as lines", lines(...events)],
    ["as captured", capture],
    ["with data alone", capture.replaceAll(/^event:.*$/gm, "")],
  ])("Anthropic messages: a stream %s is put together", (_, log) => {
    expect(fits(anthropicMessages, log)).toBe(true);
    const { steps, metadata, coverage } = read(log);
    expect(steps).toMatchObject([
      { type: "reasoning", output: "hm" },
      { tool: "x", parameters: { a: 1 } },
      { tool: "y", parameters: {} },
    ]);
    expect(metadata).toMatchObject({
      usage: { output_tokens: 9, input_tokens: 10 },
      stop_reason: "tool_use",
    });
    expect(coverage).toMatchObject({ records: 14, left_out: { ping: 1, signature_delta: 1 } });
    expect(coverage["unknown"]).not.toContain("the end of an answer (the stream was cut off)");
  });

  it("Anthropic messages: a stream that is cut off is read up to there (trap 17)", () => {
    const { steps, coverage } = read(lines(...events.slice(0, 9)) + '{"type":"content_bl');
    expect(steps).toMatchObject([{ output: "hm" }, { tool: "x", parameters: { arguments: '{"a":' } }]);
    expect(coverage).toMatchObject({ partial_last_line: true });
    expect(coverage["unknown"]).toContain("the end of an answer (the stream was cut off)");
  });

  it("Anthropic messages: a stream may begin late, hold several messages, and end in an error", () => {
    const { steps, coverage } = read(
      lines(
        { type: "content_block_delta", index: 3, delta: { type: "text_delta", text: "late" } },
        { type: "message_start", message: {} },
        { type: "content_block_start", index: 0, content_block: text("two") },
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        { type: "novelty" },
        { type: "content_block_delta", delta: { type: "novelty_delta" } },
      ),
    );
    expect(steps.map(({ type, output }) => [type, output])).toEqual([
      ["message", "late"],
      ["message", "two"],
      ["context", "Overloaded"],
    ]);
    expect(coverage["skipped"]).toEqual({ novelty: 1, "piece novelty_delta": 1 });
  });
});

describe("damaged logs", () => {
  it("Anthropic messages: damaged lines are counted (trap 17)", () => {
    const { coverage, prompts } = read(
      `${JSON.stringify(ask)}\n{"role":\n${JSON.stringify(simple[1])}\n{"role":"us`,
    );
    expect(prompts).toHaveLength(1);
    expect(coverage).toMatchObject({ damaged: { count: 1 }, partial_last_line: true });
  });

  it("Anthropic messages: halves of characters are replaced and counted (trap 20)", () => {
    const { steps, coverage } = read(
      '[{"role":"assistant","content":[{"type":"text","text":"\\ud800!"},{"type":"tool_use"}]}]',
    );
    expect(steps[0]?.output).toBe("\ufffd!");
    expect(coverage["replaced"]).toBe(1);
  });

  it("Anthropic messages: a document that is cut off, or has no messages, is refused with a reason", () => {
    expect(refusal(`[${JSON.stringify(ask)},{"role"`)).toBe("log-unreadable: log is not valid JSON");
    expect(refusal({ hello: 1 })).toBe("log-unreadable: log contains no messages of Anthropic's API");
    expect(refusal([])).toBe("log-unreadable: log contains no messages of Anthropic's API");
  });

  it.each([
    [
      [
        { role: "user", content: null },
        says(null, 7, [], { type: 7 }, use(7 as never, 7 as never, 7)),
        userMessage({ type: "tool_result" }),
      ],
    ],
    [
      [
        says({ type: "tool_use", caller: 7, input: [] }),
        userMessage(result("x", { type: 7 })),
        { role: "user", content: { a: 1 } },
      ],
    ],
    [{ system: 7, messages: [null, 7, "x", []], tools: 7, model: 7 }],
    [
      {
        ...answer,
        usage: 7,
        content: [{ type: "bash_tool_result", content: { stdout: "x", return_code: "no", content: 7 } }],
      },
    ],
    [
      JSON.parse(
        '{"__proto__":{"messages":[]},"messages":[{"role":"user","__proto__":{"content":"x"}}],"system":"s"}',
      ),
    ],
  ])("Anthropic messages: a log of any shape does not crash the reader (%#)", (log) => {
    expect(() => read(log)).not.toThrow(TypeError);
  });
});
