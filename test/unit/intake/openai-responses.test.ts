import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { openaiResponses } from "../../../src/intake/formats/openai-responses/format.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import { openaiResponsesSpecimens } from "../../../dev/specimens/openai-responses.js";

const words = (text: string) => ({ type: "output_text", text, annotations: [] });
const ask = { type: "message", role: "user", content: [{ type: "input_text", text: "What is in a.txt?" }] };
const said = (text: string) => ({ type: "message", role: "assistant", content: [words(text)] });

function call(id: string, name: string, args: unknown = "{}") {
  return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: args, status: "completed" };
}

function output(id: string, text: unknown) {
  return { type: "function_call_output", call_id: id, output: text };
}

function response(id: string, items: unknown[], more = {}) {
  return {
    id,
    object: "response",
    created_at: 1770000000,
    status: "completed",
    model: "gpt-x",
    output: items,
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
    },
    ...more,
  };
}

function read(log: unknown, options = {}) {
  const taken = readForeign(openaiResponses, typeof log === "string" ? log : JSON.stringify(log), options);
  const all = taken.runs.map((run) => ({
    run,
    system: taken.text(run.system_prompt),
    prompts: (run.prompts ?? []).map(({ content }) => taken.text(content)),
    steps: (run.steps ?? []).map((step) => ({
      type: step.type,
      tool: step.tool,
      parameters: step.parameters,
      output: taken.text(step.output),
      time: step.timestamp,
      metadata: step.metadata ?? {},
    })),
    files: (list: typeof run.inputs) => (list ?? []).map(({ name, content }) => [name, taken.text(content)]),
    metadata: run.metadata ?? {},
    coverage: (run.metadata ?? {})["coverage"] as Record<string, unknown>,
  }));
  const [first] = all;
  if (first === undefined) throw new Error("no run");
  return { ...first, all };
}

const question = (id: string) => ({
  type: "mcp_approval_request",
  id,
  server_label: "srv",
  name: "rm",
  arguments: "{}",
});

const end = (exit: number, stdout: string) => ({
  stdout,
  stderr: "",
  outcome: { type: "exit", exit_code: exit },
});

const patch = (id: string, operation: unknown) => ({
  type: "apply_patch_call",
  call_id: id,
  operation,
  status: "completed",
});

const done = (id: string, status: string) => ({
  type: "apply_patch_call_output",
  call_id: id,
  status,
  output: "x",
});

const refusal = (log: unknown) => {
  try {
    read(log);
  } catch (error) {
    if (error instanceof CtxError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "taken";
};

describe("recognition of OpenAI Responses", () => {
  it.each<[string, unknown]>([
    ["a response", response("r", [said("x")])],
    ["an empty response", { object: "response", output: [] }],
    ["a request with items", { model: "m", input: [{ role: "user", content: "x" }] }],
    ["a request with a text", { model: "m", input: "x", reasoning: { effort: "low" } }],
    ["a request with its response", { request: { model: "m", input: "x" }, response: response("r", []) }],
    ["a line of a batch", { custom_id: "1", url: "/v1/responses", body: { model: "m", input: [ask] } }],
    ["a result of a batch", { custom_id: "1", response: { status_code: 200, body: response("r", []) } }],
    ["a list of items", [{ role: "user", content: "x" }, call("a", "x")]],
    ["a list of responses", [response("r", []), response("s", [])]],
  ])("OpenAI Responses: the format recognises %s", (_, log) => {
    expect(fits(openaiResponses, JSON.stringify(log))).toBe(true);
    expect(fits(openaiResponses, JSON.stringify(log, null, 2))).toBe(true);
  });

  it("OpenAI Responses: every specimen is recognised and read without a remark", () => {
    for (const log of openaiResponsesSpecimens) {
      expect(fits(openaiResponses, log)).toBe(true);
      expect(readForeign(openaiResponses, log).coverage.isClean).toBe(true);
    }
  });

  it("OpenAI Responses: items and responses, one per line, are recognised", () => {
    expect(fits(openaiResponses, lines(ask, call("a", "x"), output("a", "y")))).toBe(true);
    expect(fits(openaiResponses, lines(response("r", []), response("s", [])))).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a request for embeddings", { model: "text-embedding-3-small", input: "x" }],
    ["a request for many embeddings", { model: "text-embedding-3-small", input: ["x", "y"] }],
    ["chat messages", [{ role: "user", content: "x" }]],
    ["a chat request", { model: "m", messages: [{ role: "user", content: "x" }] }],
    ["a completion", { object: "chat.completion", choices: [] }],
    [
      "an answer of Anthropic",
      { type: "message", role: "assistant", content: [{ type: "text", text: "x" }], stop_reason: null },
    ],
    [
      "messages of Anthropic",
      [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "tool_use" }] },
      ],
    ],
    ["records with other types", [{ type: "message", role: "user", content: "x" }, { type: "hologram" }]],
    ["a record of pi", { type: "message", id: "1", message: { role: "user" } }],
    ["a run of LangSmith", { id: "1", run_type: "llm", input: "x" }],
    ["an empty list", []],
    ["null", null],
  ])("OpenAI Responses: the format does not recognise %s", (_, log) => {
    expect(fits(openaiResponses, JSON.stringify(log))).toBe(false);
  });

  it("OpenAI Responses: a stream of other events is not recognised", () => {
    expect(fits(openaiResponses, lines({ type: "item.completed" }))).toBe(false);
    expect(fits(openaiResponses, 'data: {"type":"message_start"}\n')).toBe(false);
  });
});

describe("items", () => {
  it("OpenAI Responses: items become a run", () => {
    const { prompts, steps, system, coverage, metadata } = read([
      { role: "developer", content: "Be careful." },
      ask,
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] },
      call("c1", "read_file", '{"path":"a.txt"}'),
      output("c1", "apples"),
      { ...said("Apples."), phase: "final_answer" },
    ]);
    expect(system).toBe("Be careful.");
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(steps).toMatchObject([
      { type: "reasoning", output: "hm" },
      {
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "a.txt" },
        output: "apples",
        metadata: { status: "ok", call_id: "c1", turn: 0 },
      },
      { type: "message", output: "Apples.", metadata: { phase: "final_answer" } },
    ]);
    expect(metadata["source"]).toEqual({ format: "openai-responses" });
    expect(coverage["records"]).toBe(6);
    expect(read(lines(ask, call("c1", "x"))).coverage["records"]).toBe(2);
  });

  it("OpenAI Responses: calls and results are matched by call_id, in any order", () => {
    const { steps } = read([
      call("a", "x"),
      call("b", "x"),
      output("b", "two"),
      output("a", [{ type: "input_text", text: "one" }]),
    ]);
    expect(steps.map(({ output: text }) => text)).toEqual(["one", "two"]);
    expect(steps[0]?.metadata["parallel"]).toBe(steps[1]?.metadata["parallel"]);
    expect(steps[0]?.metadata["parallel"]).toBeDefined();
    expect(read([call("a", "x"), output("a", "1"), call("b", "x")]).steps[1]?.metadata).not.toHaveProperty(
      "parallel",
    );
  });

  it("OpenAI Responses: calls with the same id are told apart (trap 7)", () => {
    const { steps } = read([
      call("c", "x", '{"n":1}'),
      call("c", "x", '{"n":2}'),
      output("c", "one"),
      output("c", "two"),
      call("c", "x"),
      output("c", "three"),
    ]);
    expect(steps.map(({ output: text }) => text)).toEqual(["one", "two", "three"]);
    expect(steps.map(({ metadata }) => [metadata["call_id"], metadata["logged_id"]])).toEqual([
      ["c", undefined],
      ["c-2", "c"],
      ["c-3", "c"],
    ]);
  });

  it("OpenAI Responses: calls without a result and results without a call are kept (trap 8)", () => {
    const { steps } = read([call("a", "x"), output("z", "lost")]);
    expect(steps).toMatchObject([
      { type: "tool_call", metadata: { status: "unanswered" } },
      { type: "tool_result", output: "lost" },
    ]);
  });

  it("OpenAI Responses: encrypted reasoning is marked (trap 12)", () => {
    const { steps, coverage } = read([{ type: "reasoning", summary: [], encrypted_content: "x" }]);
    expect(steps).toMatchObject([{ type: "reasoning", output: undefined, metadata: { opaque: true } }]);
    expect(coverage["unknown"]).toContain("some of the reasoning (encrypted, or not recorded)");
  });

  it("OpenAI Responses: text that Codex injects is no prompt (trap 5)", () => {
    const { prompts, steps } = read([
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "<environment_context>x</environment_context>" }],
      },
      ask,
    ]);
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(steps).toMatchObject([{ type: "context", metadata: { kind: "environment_context" } }]);
  });

  it("OpenAI Responses: a compaction is marked (trap 11)", () => {
    expect(read([{ type: "compaction", encrypted_content: "x" }, ask]).steps).toMatchObject([
      { type: "context", metadata: { kind: "compaction", opaque: true } },
    ]);
  });

  it("OpenAI Responses: repeated items are kept once (trap 14)", () => {
    const item = { ...said("x"), id: "msg_0123456789abcdef01" };
    const { steps, coverage } = read([item, item]);
    expect(steps).toHaveLength(1);
    expect(coverage["duplicates"]).toBe(1);
  });

  it("OpenAI Responses: arguments that are no JSON are kept as text", () => {
    const { steps } = read([
      call("a", "x", "{oops"),
      { type: "custom_tool_call", call_id: "b", name: "run", input: "free" },
    ]);
    expect(steps.map(({ parameters }) => parameters)).toEqual([{ arguments: "{oops" }, { input: "free" }]);
  });

  it("OpenAI Responses: images and files in a prompt are attached", () => {
    const { prompts, run } = read([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "See" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=" },
          { type: "input_file", filename: "b.pdf", file_data: "data:application/pdf;base64,aGk=" },
          { type: "input_file", file_id: "file-1" },
          { type: "input_audio", data: "aGk=", format: "wav" },
          { type: "input_smell" },
        ],
      },
      call("a", "x"),
    ]);
    expect(prompts).toEqual([
      "See\n[.attached/1.png]\n[.attached/2.pdf: b.pdf]\n[file file-1]\n[.attached/3.wav]",
    ]);
    expect(run.inputs).toHaveLength(3);
  });

  it("OpenAI Responses: items of unknown kinds are counted", () => {
    const { coverage } = read([
      call("a", "x"),
      { type: "hologram" },
      { type: "message", role: "robot", content: "x" },
      7,
      { type: "item_reference", id: "msg_1" },
    ]);
    expect(coverage["skipped"]).toEqual({
      "item hologram": 1,
      "message of role robot": 1,
      "item that is no object": 1,
    });
    expect(coverage["unknown"]).toContain("items that are only named (item_reference)");
  });
});

describe("OpenAI's own tools", () => {
  it("OpenAI Responses: a server tool has call and result in one item", () => {
    const { steps } = read([
      {
        type: "mcp_call",
        id: "mcp_1",
        server_label: "srv",
        name: "find",
        arguments: '{"q":1}',
        output: "found",
        error: null,
      },
      {
        type: "mcp_call",
        id: "mcp_2",
        server_label: "srv",
        name: "find",
        arguments: "{}",
        output: null,
        error: "broke",
      },
      {
        type: "mcp_call",
        id: "mcp_3",
        name: "find",
        error: { type: "mcp_tool_execution_error", content: [{ type: "text", text: "bad" }] },
      },
      {
        type: "code_interpreter_call",
        id: "ci_1",
        code: "1+1",
        container_id: "c",
        status: "completed",
        outputs: [{ type: "logs", logs: "2" }],
      },
      { type: "code_interpreter_call", id: "ci_2", code: "1", status: "incomplete", outputs: null },
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "q", sources: [{ url: "u" }] },
      },
      { type: "web_search_call", id: "ws_2", status: "failed", action: { type: "search", query: "q" } },
      { type: "file_search_call", id: "fs_1", status: "completed", queries: ["q"], results: [] },
      { type: "image_generation_call", id: "ig_1", status: "completed", revised_prompt: "p", result: "aGk=" },
      { type: "mcp_list_tools", server_label: "srv", tools: [{ name: "find" }, { name: "lose" }] },
    ]);
    expect(
      steps.map(({ type, tool, parameters, output: text, metadata }) => [
        type,
        tool,
        parameters,
        text,
        metadata["status"],
      ]),
    ).toEqual([
      ["server_tool_call", "find", { q: 1 }, "found", "ok"],
      ["server_tool_call", "find", {}, "broke", "error"],
      ["server_tool_call", "find", {}, "bad", "error"],
      ["server_tool_call", "code_interpreter", { code: "1+1", container_id: "c" }, "2", "ok"],
      ["server_tool_call", "code_interpreter", { code: "1" }, undefined, "interrupted"],
      ["server_tool_call", "web_search", { type: "search", query: "q" }, '[{"url":"u"}]', "ok"],
      ["server_tool_call", "web_search", { type: "search", query: "q" }, undefined, "error"],
      ["server_tool_call", "file_search", { queries: ["q"] }, "[]", "ok"],
      ["server_tool_call", "image_generation", { revised_prompt: "p" }, "hi", "ok"],
      ["context", undefined, undefined, "find\nlose", undefined],
    ]);
    expect(steps[0]?.metadata).toMatchObject({ server: "srv", call_id: "mcp_1" });
  });

  it("OpenAI Responses: an approval and the call that it allows are one call", () => {
    const { steps } = read([
      question("mcpr_1"),
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      {
        type: "mcp_call",
        id: "mcp_1",
        approval_request_id: "mcpr_1",
        name: "rm",
        arguments: "{}",
        output: "gone",
      },
      question("mcpr_2"),
      { type: "mcp_approval_response", approval_request_id: "mcpr_2", approve: false, reason: "no" },
    ]);
    expect(steps).toMatchObject([
      { tool: "rm", output: "gone", metadata: { status: "ok" } },
      { tool: "rm", output: "no", metadata: { status: "denied" } },
    ]);
  });

  it("OpenAI Responses: a shell call has the exit code of each command", () => {
    const shell = {
      type: "shell_call",
      id: "sh_1",
      call_id: "s",
      action: { commands: ["a", "b"] },
      status: "completed",
    };
    const run = (...outputs: unknown[]) =>
      read([shell, { type: "shell_call_output", call_id: "s", output: outputs }]).steps[0];
    expect(run(end(0, "one"), end(2, "two"))).toMatchObject({
      tool: "shell",
      parameters: { commands: ["a", "b"] },
      output: "one\ntwo",
      metadata: { status: "error", exit_code: 2, exit_codes: [0, 2] },
    });
    expect(run(end(0, "one"))?.metadata).toMatchObject({ status: "ok", exit_code: 0 });
    expect(run({ stdout: "x", outcome: { type: "timeout" } })?.metadata).toMatchObject({
      status: "interrupted",
      timeout: true,
    });
    const local = read([
      { type: "local_shell_call", call_id: "l", action: { type: "exec", command: ["ls"] } },
      { type: "local_shell_call_output", id: "l", output: "a" },
    ]);
    expect(local.steps[0]).toMatchObject({
      tool: "local_shell",
      parameters: { command: ["ls"] },
      output: "a",
    });
  });

  it("OpenAI Responses: patches change files", () => {
    const { run, files, steps } = read([
      patch("a", { type: "create_file", path: "a.txt", diff: "+one\n+two\n" }),
      done("a", "completed"),
      patch("b", { type: "update_file", path: "a.txt", diff: "@@\n one\n-two\n+three\n" }),
      done("b", "completed"),
      patch("c", { type: "delete_file", path: "b.txt" }),
      done("c", "failed"),
    ]);
    expect(files(run.outputs)).toEqual([["a.txt", "one\nthree\n"]]);
    expect(steps.map(({ metadata }) => metadata["status"])).toEqual(["ok", "ok", "error"]);
    expect(run.steps?.[0]?.deterministic).toBe(true);
  });

  it("OpenAI Responses: screenshots are outputs of computer calls", () => {
    const { steps } = read([
      { type: "computer_call", call_id: "c", action: { type: "screenshot" } },
      {
        type: "computer_call_output",
        call_id: "c",
        output: { type: "computer_screenshot", image_url: "data:image/png;base64,aGk=" },
      },
    ]);
    expect(steps).toMatchObject([
      { tool: "computer", parameters: { action: { type: "screenshot" } }, output: "hi" },
    ]);
  });
});

describe("requests and responses", () => {
  it("OpenAI Responses: a request with its response has settings, times and usage", () => {
    const { run, system, prompts, metadata, steps, coverage } = read({
      request: {
        model: "gpt",
        instructions: "Be careful.",
        input: "Hi?",
        temperature: 0,
        tools: [{ type: "function", name: "f" }, { type: "shell" }],
      },
      response: response("resp_1", [said("Hi.")], {
        instructions: "Be careful.",
        conversation: { id: "conv_1" },
        billing: {},
      }),
    });
    expect(system).toBe("Be careful.");
    expect(prompts).toEqual(["Hi?"]);
    expect(run.model).toEqual({ identifier: "gpt-x", parameters: { temperature: 0 } });
    expect(run.created).toBe("2026-02-02T02:40:00Z");
    expect(steps).toMatchObject([{ output: "Hi.", time: "2026-02-02T02:40:00Z" }]);
    expect(metadata).toMatchObject({
      source: { session: "conv_1" },
      tools: ["f", "shell"],
      usage: {
        requests: 1,
        input_tokens: 10,
        cache_read_input_tokens: 4,
        output_tokens: 5,
        reasoning_output_tokens: 3,
      },
    });
    expect(coverage["left_out"]).toEqual({ "field billing": 1 });
  });

  it("OpenAI Responses: a response to a missing one names it, and coverage says so", () => {
    const { coverage, metadata } = read(response("resp_2", [said("x")], { previous_response_id: "resp_1" }));
    expect(coverage["unknown"]).toContain("what was said before (only previous_response_id names it)");
    expect(metadata["source"]).toMatchObject({ previous_response: "resp_1" });
  });

  it("OpenAI Responses: responses that name the previous one are one run", () => {
    const { all, metadata, coverage } = read(
      lines(
        { request: { model: "m", input: "One?" }, response: response("resp_1", [call("c", "x")]) },
        response("resp_9", [said("Other.")]),
        {
          request: { model: "m", previous_response_id: "resp_1", input: [output("c", "y")] },
          response: response("resp_2", [said("One.")], { previous_response_id: "resp_1" }),
        },
      ),
    );
    expect(all.map(({ steps }) => steps.map(({ output: text }) => text))).toEqual([
      ["y", "One."],
      ["Other."],
    ]);
    expect(metadata["usage"]).toMatchObject({ requests: 2, output_tokens: 10 });
    expect(coverage["unknown"]).not.toContain("what was said before (only previous_response_id names it)");
  });

  it("OpenAI Responses: requests that send all items again are one run, without repetition (trap 14)", () => {
    const first = [ask];
    const second = [ask, call("c", "x"), output("c", "y")];
    const { all, coverage } = read([
      { request: { model: "m", input: first }, response: response("resp_1", [call("c", "x")]) },
      { request: { model: "m", input: second }, response: response("resp_2", [said("One.")]) },
    ]);
    expect(all).toHaveLength(1);
    expect(all[0]?.prompts).toHaveLength(1);
    expect(all[0]?.steps.map(({ output: text }) => text)).toEqual(["y", "One."]);
    expect(coverage["left_out"]).toEqual({ "items that were sent again": 2 });
  });

  it("OpenAI Responses: the outcome, refusals and errors of a response are recorded", () => {
    const { metadata, steps } = read(
      response(
        "r",
        [{ type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] }],
        {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          error: { code: "x", message: "Broken" },
        },
      ),
    );
    expect(metadata).toMatchObject({ outcome: "incomplete", stop_reason: "max_output_tokens" });
    expect(steps).toMatchObject([
      { type: "message", output: "No.", metadata: { refusal: true } },
      { type: "context", output: "Broken", metadata: { kind: "error" } },
    ]);
  });

  it("OpenAI Responses: several models are told apart (trap 15)", () => {
    const { metadata } = read([
      response("resp_1", [said("a")]),
      response("resp_2", [said("b")], { model: "gpt-y", previous_response_id: "resp_1" }),
    ]);
    expect(metadata["models"]).toEqual(["gpt-x", "gpt-y"]);
  });
});

describe("streams", () => {
  const item = { ...said("Hello."), id: "msg_1" };
  const events = [
    { type: "response.created", response: { ...response("r", []), usage: null, status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
    { type: "response.output_text.delta", output_index: 0, delta: "lo." },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.output_item.added", output_index: 1, item: { ...call("c", "x", "") } },
    { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a":1' },
    { type: "response.function_call_arguments.delta", output_index: 1, delta: "}" },
    { type: "response.output_item.done", output_index: 1, item: call("c", "x", '{"a":1}') },
    { type: "response.completed", response: response("r", [item, call("c", "x", '{"a":1}')]) },
  ];
  const capture = `${events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;

  it.each([
    ["as lines", lines(...events)],
    ["as captured", capture],
    [
      "with a last event that holds nothing",
      lines(...events.slice(0, -1), { type: "response.completed", response: response("r", []) }),
    ],
  ])("OpenAI Responses: a stream %s is put together", (_, log) => {
    expect(fits(openaiResponses, log)).toBe(true);
    const { steps, metadata, coverage } = read(log);
    expect(steps).toMatchObject([{ output: "Hello." }, { tool: "x", parameters: { a: 1 } }]);
    expect(metadata["usage"]).toMatchObject({ requests: 1, output_tokens: 5 });
    expect(coverage["records"]).toBe(10);
  });

  it("OpenAI Responses: a stream that is cut off is read up to there (trap 17)", () => {
    const { steps, coverage } = read(`${lines(...events.slice(0, 7))}{"type":"resp`);
    expect(steps).toMatchObject([{ output: "Hello." }, { tool: "x", parameters: { arguments: '{"a":1' } }]);
    expect(coverage).toMatchObject({ partial_last_line: true });
    expect(coverage["unknown"]).toContain("the end of an answer (the stream was cut off)");
    expect(read(lines(...events.slice(0, 3))).steps).toMatchObject([{ output: "Hel" }]);
  });

  it("OpenAI Responses: a stream may end in an error, and stand in a record", () => {
    expect(read(lines(...events.slice(0, 1), { type: "error", message: "Broken" })).steps).toMatchObject([
      { type: "context", output: "Broken" },
    ]);
    const { steps, prompts } = read(
      lines({ request: { model: "m", input: [ask] }, response: { body: capture } }),
    );
    expect(prompts).toHaveLength(1);
    expect(steps).toHaveLength(2);
  });
});

describe("damaged logs", () => {
  it("OpenAI Responses: damaged lines are counted (trap 17)", () => {
    const { coverage } = read(`${JSON.stringify(ask)}\n{"type":\n${JSON.stringify(call("a", "x"))}\n{"ty`);
    expect(coverage).toMatchObject({ damaged: { count: 1 }, partial_last_line: true });
  });

  it("OpenAI Responses: a log in which nothing can be read is refused with a reason", () => {
    expect(refusal('{"object":"response","output":[')).toMatch(/^log-unreadable: /);
    expect(refusal({ hello: 1 })).toMatch(/^log-unreadable: log contains neither items nor responses/);
  });

  it.each([
    [
      [
        { type: "message", role: 7, content: { a: 1 } },
        { type: "function_call", arguments: 7 },
        { type: "reasoning", summary: 7 },
        null,
      ],
    ],
    [
      response("r", [null, 7, [], "x", { type: 7 }], {
        usage: 7,
        tools: 7,
        instructions: [7, { content: 7 }],
        created_at: "x",
      }),
    ],
    [{ object: "response", output: 7, error: 7, conversation: 7, previous_response_id: 7 }],
    [
      [
        { type: "shell_call_output", call_id: 7, output: [7, null] },
        { type: "mcp_call", error: [], arguments: [] },
        { type: "mcp_list_tools", tools: 7 },
      ],
    ],
    [
      [
        { type: "apply_patch_call", call_id: "a", operation: 7 },
        { type: "apply_patch_call_output", call_id: "a", output: {} },
      ],
    ],
    [
      JSON.parse(
        '[{"type":"function_call","call_id":"__proto__","name":"__proto__","arguments":"{\\"__proto__\\":1}"}]',
      ),
    ],
  ])("OpenAI Responses: a log of any shape does not crash the reader (%#)", (log) => {
    expect(() => read(log)).not.toThrow(TypeError);
  });
});
