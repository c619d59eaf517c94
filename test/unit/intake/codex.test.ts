// Codex rollouts: every layout, and every trap that they set.
import { describe, expect, it } from "vitest";
import type { CtxError } from "../../../src/base/errors.js";
import { codex } from "../../../src/intake/formats/codex/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";

let clock = 0;

function record(type: string, payload: object): object {
  const seconds = String(clock++ % 60).padStart(2, "0");
  return { timestamp: `2026-01-02T03:04:${seconds}.000Z`, type, payload };
}

const item = (type: string, payload: object) => record("response_item", { type, ...payload });
const event = (type: string, payload: object = {}) => record("event_msg", { type, ...payload });
const said = (role: string, ...texts: string[]) =>
  item("message", {
    role,
    content: texts.map((text) => ({ type: role === "assistant" ? "output_text" : "input_text", text })),
  });
const call = (call_id: string, name: string, parameters: object) =>
  item("function_call", { name, arguments: JSON.stringify(parameters), call_id });
const output = (call_id: string, text: unknown) => item("function_call_output", { call_id, output: text });
const userPrompt = (message: string) => event("user_message", { message });

const meta = (more: object = {}) =>
  record("session_meta", {
    id: "thread-1",
    timestamp: "2026-01-02T03:04:00.000Z",
    cwd: "/p",
    originator: "codex-tui",
    cli_version: "0.130.0",
    source: "cli",
    model_provider: "openai",
    base_instructions: { text: "You are Codex." },
    git: { commit_hash: "c0ffee", branch: "main", repository_url: "git@host:p.git" },
    ...more,
  });

const turn = (more: object = {}) =>
  record("turn_context", {
    turn_id: "t1",
    cwd: "/p",
    model: "gpt-x",
    effort: "high",
    summary: "auto",
    approval_policy: "never",
    sandbox_policy: { type: "read-only" },
    ...more,
  });

/** Returns the text with which unified exec reports a command. */
const ran = (text: string, how = "Process exited with code 0") =>
  `Chunk ID: a1b2c3\nWall time: 0.0500 seconds\n${how}\nOriginal token count: 4\nOutput:\n${text}`;

interface ShortStep {
  type: string | undefined;
  tool?: string | undefined;
  output: string | undefined;
  seen: string | undefined;
  metadata: Record<string, unknown>;
}

function read(...records: unknown[]) {
  const taken = readForeign(codex, lines(...records));
  const run = taken.runs[0] as ExecutionLog;
  const steps: ShortStep[] = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    output: taken.text(step.output),
    seen: taken.text(step.seen),
    metadata: { ...step.metadata },
  }));
  const prompts = (run.prompts ?? []).map(({ content }) => taken.text(content));
  const files = (list: ExecutionLog["inputs"]) =>
    Object.fromEntries((list ?? []).map(({ name, content }) => [name, taken.text(content)]));
  const coverage = run.metadata?.["coverage"] as Record<string, unknown>;
  return {
    run,
    steps,
    prompts,
    coverage,
    inputs: files(run.inputs),
    outputs: files(run.outputs),
    text: (content: Parameters<typeof taken.text>[0]) => taken.text(content),
  };
}

const begin = () => [meta(), turn(), said("user", "do it"), userPrompt("do it")];

const total = (input_tokens: number) => ({
  total_token_usage: {
    input_tokens,
    cached_input_tokens: 5,
    output_tokens: 3,
    reasoning_output_tokens: 1,
    total_tokens: 9,
  },
});

const ended = (call_id: string, result: object) =>
  event("mcp_tool_call_end", {
    call_id,
    invocation: { server: "s", tool: "t", arguments: { a: 1 } },
    result,
  });

const patched = (call_id: string, changes: object, more: object = {}) => [
  item("custom_tool_call", { call_id, name: "apply_patch", input: "*** Begin Patch\n*** End Patch" }),
  event("patch_apply_end", {
    call_id,
    success: true,
    status: "completed",
    changes,
    stdout: "Success.\n",
    stderr: "",
    ...more,
  }),
  item("custom_tool_call_output", {
    call_id,
    output: JSON.stringify({ output: "Success.\n", metadata: { exit_code: 0 } }),
  }),
];

const shown = (cmd: string, how?: string) => {
  const { inputs } = read(...begin(), call("c1", "exec_command", { cmd }), output("c1", ran("text\n", how)));
  return Object.keys(inputs);
};

const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
});

describe("recognition of Codex", () => {
  it("Codex: its own layouts are recognised, and nothing else is", () => {
    expect(fits(codex, lines(meta(), turn()))).toBe(true);
    expect(fits(codex, lines(turn(), said("user", "x"), userPrompt("x")))).toBe(true);
    expect(fits(codex, lines({ id: "a", timestamp: "2025-05-01T00:00:00Z", instructions: null }))).toBe(true);
    expect(
      fits(
        codex,
        JSON.stringify({ session: { id: "a", timestamp: "t", instructions: "" }, items: [] }, null, 2),
      ),
    ).toBe(true);
    expect(fits(codex, lines({ type: "thread.started", thread_id: "a" }))).toBe(false);
    expect(fits(codex, lines({ type: "user", sessionId: "a", uuid: "b", message: {} }))).toBe(false);
    expect(fits(codex, lines({ id: "a", timestamp: "2025-05-01T00:00:00Z" }))).toBe(false);
    expect(fits(codex, JSON.stringify([{ role: "user", content: "x" }]))).toBe(false);
    expect(fits(codex, "")).toBe(false);
  });
});

describe("the session", () => {
  it("Codex: a run records where the session comes from, and what it ran with", () => {
    const { run, text } = read(...begin());
    expect(run.metadata).toMatchObject({
      source: {
        format: "codex",
        session: "thread-1",
        version: "0.130.0",
        originator: "codex-tui",
        client: "cli",
      },
      workdir: "/p",
      git: { commit: "c0ffee", branch: "main", remote: "git@host:p.git" },
    });
    expect(run.model).toEqual({
      identifier: "gpt-x",
      parameters: {
        model_provider: "openai",
        effort: "high",
        summary: "auto",
        approval_policy: "never",
        sandbox_policy: { type: "read-only" },
      },
    });
    expect(run.environment?.tool_versions).toEqual({ codex: "0.130.0" });
    expect(text(run.system_prompt)).toBe("You are Codex.");
  });

  it("Codex: only the first session record counts, and copied history is there once", () => {
    const fork = read(
      meta({
        id: "child",
        forked_from_id: "thread-1",
        source: { subagent: { thread_spawn: { parent_thread_id: "thread-1", agent_role: "tester" } } },
      }),
      meta({ cli_version: "0.1.0" }),
      turn(),
      userPrompt("do it"),
      call("c1", "exec_command", { cmd: "ls" }),
      output("c1", ran("a\n")),
      call("c1", "exec_command", { cmd: "ls" }),
      output("c1", ran("a\n")),
    );
    expect(fork.run.metadata?.["source"]).toMatchObject({
      session: "child",
      version: "0.130.0",
      forked_from: "thread-1",
      parent_thread: "thread-1",
      agent_role: "tester",
    });
    expect(fork.steps.map(({ output }) => output)).toEqual(["a\n"]);
    expect(fork.coverage).toMatchObject({ duplicates: 2 });
  });

  it("Codex: models and folders are recorded at the steps where they change", () => {
    const { run, steps } = read(
      ...begin(),
      said("assistant", "one"),
      turn({ model: "gpt-y", cwd: "/q" }),
      userPrompt("again"),
      said("assistant", "two"),
    );
    expect(run.model?.identifier).toBe("gpt-y");
    expect(run.metadata?.["models"]).toEqual(["gpt-x", "gpt-y"]);
    expect(steps.map(({ metadata }) => metadata)).toEqual([
      { turn: 0, model: "gpt-x" },
      { turn: 1, model: "gpt-y", cwd: "/q" },
    ]);
  });

  it("Codex: usage is the last total, not the sum", () => {
    const { run } = read(
      ...begin(),
      event("token_count", { info: total(10) }),
      event("token_count", { info: total(20) }),
      event("token_count", { info: null }),
    );
    expect(run.metadata?.["usage"]).toMatchObject({
      input_tokens: 20,
      cache_read_input_tokens: 5,
      output_tokens: 3,
      reasoning_output_tokens: 1,
    });
  });
});

describe("prompts", () => {
  it("Codex: prompts are distinguished from injected messages, and nothing is read twice (trap 4)", () => {
    const { prompts, steps, coverage } = read(
      meta(),
      said("developer", "<permissions instructions>\nask"),
      said(
        "user",
        "# AGENTS.md instructions for /p\n\nbe brief",
        "<environment_context>\n</environment_context>",
      ),
      turn(),
      said("user", "do it"),
      userPrompt("do it"),
      event("agent_reasoning", { text: "hm" }),
      item("reasoning", { summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" }),
      event("agent_message", { message: "done" }),
      said("assistant", "done"),
      said("user", "<turn_aborted>\n</turn_aborted>"),
      userPrompt("more"),
      said("user", "more"),
      said("user", "put in by a version that nobody knows"),
      said("assistant", "done again"),
    );
    expect(prompts).toEqual(["do it", "more"]);
    expect(steps.map(({ type, metadata, output }) => [type, metadata["kind"], output])).toEqual([
      ["context", "developer", "<permissions instructions>\nask"],
      ["context", "agents_md", "# AGENTS.md instructions for /p\n\nbe brief"],
      ["context", "environment_context", "<environment_context>\n</environment_context>"],
      ["reasoning", undefined, "hm"],
      ["message", undefined, "done"],
      ["context", "turn_aborted", "<turn_aborted>\n</turn_aborted>"],
      ["context", "user_message", "put in by a version that nobody knows"],
      ["message", undefined, "done again"],
    ]);
    expect(coverage["left_out"]).toEqual({ "event_msg/agent_message": 1, "event_msg/agent_reasoning": 1 });
  });

  it("Codex: prompts come from completed items in the newer layout", () => {
    const user = (text: string) =>
      event("item_completed", { item: { type: "UserMessage", id: "u", content: [{ type: "text", text }] } });
    const { prompts, steps } = read(
      meta(),
      turn(),
      said("user", "do it"),
      user("do it"),
      said("assistant", "done"),
      event("item_completed", {
        item: { type: "AgentMessage", id: "m", content: [{ type: "Text", text: "done" }] },
      }),
      said("user", "do it"),
      user("do it"),
    );
    expect(prompts).toEqual(["do it", "do it"]);
    expect(steps).toHaveLength(1);
  });

  it("Codex: without events, prompts are the messages that do not look injected", () => {
    const { prompts, steps } = read(
      meta(),
      said("user", "<user_instructions>\nbe brief\n</user_instructions>"),
      said("user", "do it"),
      said("assistant", "done"),
      said("user", "more"),
    );
    expect(prompts).toEqual(["do it", "more"]);
    expect(steps.map(({ metadata }) => [metadata["kind"], metadata["turn"]])).toEqual([
      ["user_instructions", 0],
      [undefined, 0],
    ]);
  });

  it("Codex: a prompt may have images", () => {
    const image = `data:image/png;base64,${Buffer.from("png").toString("base64")}`;
    const content = [
      { type: "input_text", text: "<image name=[Image #1]>" },
      { type: "input_image", image_url: image },
      { type: "input_text", text: "</image>" },
      { type: "input_text", text: "look" },
    ];
    const { prompts, inputs } = read(meta(), item("message", { role: "user", content }), userPrompt("look"));
    expect(prompts).toEqual(["look"]);
    expect(inputs).toEqual({ ".attached/1.png": "png" });
  });

  it("Codex: a prompt that the user took back leaves abandoned steps", () => {
    const { steps } = read(
      ...begin(),
      said("assistant", "one"),
      userPrompt("no"),
      said("assistant", "two"),
      event("thread_rolled_back", { num_turns: 1 }),
      userPrompt("yes"),
      said("assistant", "three"),
    );
    expect(steps.map(({ metadata }) => metadata["abandoned"])).toEqual([undefined, true, undefined]);
  });

  it("Codex: --prompt is refused if the log has prompts", () => {
    expect(() => readForeign(codex, lines(...begin()), { prompt: "x" })).toThrow(
      expect.objectContaining({ code: "usage" } satisfies Partial<CtxError>),
    );
    expect(readForeign(codex, lines(meta()), { prompt: "x" }).runs[0]?.prompts).toHaveLength(1);
  });
});

describe("calls", () => {
  it("Codex: calls have their results, without the text that Codex puts around them", () => {
    const { steps, run } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "ls" }),
      output("c1", ran("a\n")),
      call("c2", "shell", { command: ["bash", "-lc", "false"] }),
      output("c2", JSON.stringify({ output: "bad\n", metadata: { exit_code: 1, duration_seconds: 0.5 } })),
      call("c3", "shell_command", { command: "true" }),
      output("c3", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine"),
      call("c4", "update_plan", { plan: [] }),
      output("c4", "Plan updated"),
      item("local_shell_call", {
        call_id: "c5",
        action: { type: "exec", command: ["ls"] },
        status: "completed",
      }),
      output("c5", { content: "broken", success: false }),
    );
    expect(
      steps.map(({ tool, output, metadata }) => [tool, output, metadata["status"], metadata["exit_code"]]),
    ).toEqual([
      ["exec_command", "a\n", "ok", 0],
      ["shell", "bad\n", "error", 1],
      ["shell_command", "fine", "ok", 0],
      ["update_plan", "Plan updated", "ok", undefined],
      ["local_shell", "broken", "error", undefined],
    ]);
    expect(steps[0]?.seen).toBe(ran("a\n"));
    expect(steps[3]?.seen).toBeUndefined();
    expect(run.steps?.[4]?.parameters).toEqual({ type: "exec", command: ["ls"] });
    expect(run.steps?.[0]?.metadata).toMatchObject({ call_id: "c1", turn: 0 });
  });

  it("Codex: arguments that are no JSON, and free text, are kept", () => {
    const { run, coverage } = read(
      ...begin(),
      item("function_call", { name: "f", arguments: '{"a":', call_id: "c1" }),
      item("custom_tool_call", { name: "apply_patch", input: "*** Begin Patch", call_id: "c2" }),
      item("function_call", {
        name: "g",
        arguments: '{"id":9007199254740993}',
        call_id: "c3",
        namespace: "mcp__s",
      }),
    );
    expect(run.steps?.map(({ tool, parameters }) => [tool, JSON.stringify(parameters)])).toEqual([
      ["f", '{"arguments":"{\\"a\\":"}'],
      ["apply_patch", '{"input":"*** Begin Patch"}'],
      ["mcp__s__g", '{"id":{"digits":"9007199254740993"}}'],
    ]);
    expect(coverage["skipped"]).toEqual({ "arguments of a call that are no JSON object (kept as text)": 1 });
  });

  it("Codex: calls that were issued together are parallel", () => {
    const { steps } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "a" }),
      call("c2", "exec_command", { cmd: "b" }),
      event("token_count", { info: null }),
      output("c2", ran("b")),
      output("c1", ran("a")),
      call("c3", "exec_command", { cmd: "c" }),
      output("c3", ran("c")),
    );
    expect(steps.map(({ output, metadata }) => [output, metadata["parallel"]])).toEqual([
      ["a", "c1"],
      ["b", "c1"],
      ["c", undefined],
    ]);
  });

  it("Codex: calls may be refused, interrupted, failed or unanswered", () => {
    const { steps, coverage } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "a" }),
      output("c1", "exec command rejected by user"),
      call("c2", "exec_command", { cmd: "b" }),
      output("c2", "aborted by user after 3.2s"),
      call("c3", "exec_command", { cmd: "c" }),
      event("turn_aborted", { reason: "interrupted" }),
      userPrompt("go on"),
      call("c4", "exec_command", { cmd: "d" }),
      output("c4", "failed to parse function arguments: missing field"),
      call("c5", "exec_command", { cmd: "e" }),
      output("lost", "somebody's"),
    );
    expect(steps.map(({ type, metadata }) => [type, metadata["call_id"], metadata["status"]])).toEqual([
      ["tool_call", "c1", "denied"],
      ["tool_call", "c2", "interrupted"],
      ["tool_call", "c3", "interrupted"],
      ["tool_call", "c4", "error"],
      ["tool_call", "c5", "unanswered"],
      ["tool_result", "lost", "ok"],
    ]);
    expect(coverage["skipped"]).toBeUndefined();
  });

  it("Codex: a result that precedes its call becomes part of the call", () => {
    const { steps } = read(...begin(), output("c1", "early"), call("c1", "f", {}), said("assistant", "x"));
    expect(steps.map(({ type, output }) => [type, output])).toEqual([
      ["tool_call", "early"],
      ["message", "x"],
    ]);
  });

  it("Codex: calls that the provider ran are server calls", () => {
    const { steps, run } = read(
      ...begin(),
      event("web_search_end", {
        call_id: "ws1",
        query: "q",
        action: { type: "search", query: "q" },
        results: [{ url: "u" }],
      }),
      item("web_search_call", { id: "ws1", status: "completed", action: { type: "search", query: "q" } }),
      item("web_search_call", { status: "completed", action: { type: "search", query: "r" } }),
      item("tool_search_call", {
        call_id: "ts1",
        status: "completed",
        execution: "client",
        arguments: { query: "t" },
      }),
      item("tool_search_output", { call_id: "ts1", tools: [{ type: "function", name: "f" }] }),
      item("image_generation_call", {
        id: "ig1",
        status: "completed",
        revised_prompt: "a cat",
        result: "aGk=",
      }),
    );
    expect(steps.map(({ type, tool, output, metadata }) => [type, tool, output, metadata["status"]])).toEqual(
      [
        ["server_tool_call", "web_search", '[{"url":"u"}]', "ok"],
        ["server_tool_call", "web_search", undefined, "ok"],
        ["server_tool_call", "tool_search", '[{"name":"f","type":"function"}]', "ok"],
        ["server_tool_call", "image_generation", "hi", "ok"],
      ],
    );
    expect(run.steps?.[0]?.parameters).toEqual({ type: "search", query: "q" });
  });

  it("Codex: a call may return a list of texts, or an image", () => {
    const image = `data:image/png;base64,${Buffer.from("png").toString("base64")}`;
    const { steps } = read(
      ...begin(),
      call("c1", "f", {}),
      output("c1", [
        { type: "input_text", text: "one" },
        { type: "input_text", text: "two" },
      ]),
      call("c2", "view_image", { path: "a.png" }),
      output("c2", [{ type: "input_image", image_url: image }]),
    );
    expect(steps.map(({ output }) => output)).toEqual(["one\ntwo", "png"]);
  });
});

describe("outputs", () => {
  it("Codex: truncated outputs are marked, and are complete if an event has them", () => {
    const { steps, coverage } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "a" }),
      output("c1", ran("Total output lines: 9\n\nab…12 tokens truncated…yz")),
      call("c2", "exec_command", { cmd: "b" }),
      event("exec_command_end", {
        call_id: "c2",
        aggregated_output: "x".repeat(99),
        exit_code: 0,
        duration: { secs: 1, nanos: 5e8 },
      }),
      output("c2", ran("x…90 chars truncated…x")),
    );
    expect(
      steps.map(({ output, metadata }) => [output, metadata["truncated"], metadata["duration_ms"]]),
    ).toEqual([
      ["ab…12 tokens truncated…yz", true, undefined],
      ["x".repeat(99), undefined, 1500],
    ]);
    expect(coverage["truncated"]).toBe(1);
  });

  it("Codex: the output of a command that ran on is put together from its polls", () => {
    const { steps, coverage } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "make" }),
      output("c1", ran("one\n", "Process running with session ID 7")),
      call("c2", "write_stdin", { session_id: 7, chars: "" }),
      output("c2", ran("two\n", "Process running with session ID 7")),
      call("c3", "write_stdin", { session_id: 7, chars: "\u0003" }),
      output("c3", "write_stdin failed: stdin is closed for this session"),
      call("c4", "write_stdin", { session_id: 7, chars: "" }),
      event("exec_command_end", { call_id: "c1", aggregated_output: "cut", exit_code: 2, status: "failed" }),
      output("c4", ran("three\n", "Process exited with code 2")),
    );
    expect(steps.map(({ output, metadata }) => [output, metadata["status"], metadata["exit_code"]])).toEqual([
      ["one\ntwo\nthree\n", "error", 2],
      ["two\n", "ok", undefined],
      ["write_stdin failed: stdin is closed for this session", "error", undefined],
      ["three\n", "ok", 2],
    ]);
    expect(steps[0]?.seen).toBe(ran("one\n", "Process running with session ID 7"));
    expect(steps[0]?.metadata["session_id"]).toBe(7);
    expect(coverage["reconstructed"]).toEqual(["outputs of commands that ran on, from their polls"]);
  });

  it("Codex: the output of a command left running is what was seen, or what an event has (trap 9)", () => {
    const { steps } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "a" }),
      output("c1", ran("one\n", "Process running with session ID 7")),
      call("c2", "exec_command", { cmd: "b" }),
      output("c2", ran("", "Process running with session ID 8")),
      event("exec_command_end", { call_id: "c2", aggregated_output: "all of it", exit_code: 0 }),
      call("c3", "exec_command", { cmd: "c" }),
      event("exec_command_end", { call_id: "c3", stdout: "out", stderr: "err", exit_code: 1 }),
    );
    expect(steps.map(({ output, metadata }) => [output, metadata["status"], metadata["exit_code"]])).toEqual([
      ["one\n", "ok", undefined],
      ["all of it", "ok", 0],
      ["outerr", "error", 1],
    ]);
  });

  it("Codex: the output of an MCP call is what the server returned", () => {
    const { steps } = read(
      ...begin(),
      call("c1", "mcp__s__t", { a: 1 }),
      ended("c1", { Ok: { content: [{ type: "text", text: "plain" }], isError: false } }),
      output("c1", "Wall time: 0.1 seconds\nOutput:\n[{...}]"),
      call("c2", "mcp__s__t", { a: 1 }),
      ended("c2", { Err: "user rejected MCP tool call" }),
      output("c2", "user rejected MCP tool call"),
      ended("c3", { Ok: { content: [], isError: true } }),
    );
    expect(steps.map(({ type, output, metadata }) => [type, output, metadata["status"]])).toEqual([
      ["tool_call", "plain", "ok"],
      ["tool_call", "user rejected MCP tool call", "denied"],
      ["tool_result", '{"content":[],"isError":true}', "error"],
    ]);
    expect(steps[2]?.metadata["tool"]).toBe("mcp__s__t");
  });

  it("Codex: calls that a script made are steps within it", () => {
    const { steps } = read(
      ...begin(),
      item("custom_tool_call", { call_id: "c1", name: "exec", input: "tools.exec_command(…)" }),
      event("item_completed", {
        item: {
          type: "CommandExecution",
          id: "n1",
          command: ["ls"],
          cwd: "/p",
          aggregated_output: "a\n",
          exit_code: 0,
          status: "completed",
        },
      }),
      item("custom_tool_call_output", {
        call_id: "c1",
        output: [
          { type: "input_text", text: "Script running with cell ID 4\nWall time 1.0 seconds\nOutput:\n" },
        ],
      }),
      call("c2", "wait", { cell_id: "4" }),
      output("c2", "Script failed\nWall time 1.0 seconds\nOutput:\noh"),
    );
    expect(
      steps.map(({ tool, output, metadata }) => [tool, output, metadata["within"], metadata["status"]]),
    ).toEqual([
      ["exec", "oh", undefined, "error"],
      ["exec_command", "a\n", "c1", "ok"],
      ["wait", "oh", undefined, "ok"],
    ]);
  });
});

describe("files", () => {
  it("Codex: added, removed, changed and moved files are known as far as the log goes", () => {
    const { inputs, outputs, coverage } = read(
      ...begin(),
      call("c1", "exec_command", { cmd: "cat b.txt" }),
      output("c1", ran("one\ntwo\nthree\n")),
      ...patched("c2", {
        "/p/new.txt": { type: "add", content: "new\n" },
        "/p/gone.txt": { type: "delete", content: "old\n" },
        "/p/b.txt": {
          type: "update",
          unified_diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
          move_path: null,
        },
        "/p/unseen.txt": { type: "update", unified_diff: "@@ -1 +1 @@\n-a\n+b\n", move_path: null },
        "/etc/x": { type: "add", content: "x" },
      }),
      ...patched("c3", {
        "/p/b.txt": { type: "update", unified_diff: "@@ -2 +2 @@\n-2\n+II\n", move_path: "/p/c.txt" },
      }),
    );
    expect(inputs).toEqual({ "b.txt": "one\ntwo\nthree\n", "gone.txt": "old\n" });
    expect(outputs).toEqual({ "new.txt": "new\n", ".outside/etc/x": "x", "c.txt": "one\nII\nthree\n" });
    expect(coverage["unknown"]).toContain("the content of 1 changed file at the end");
  });

  it("Codex: a failed patch changes no file", () => {
    const { outputs, steps } = read(
      ...begin(),
      ...patched("c1", { "/p/a": { type: "add", content: "x" } }, { success: false, status: "failed" }),
    );
    expect(outputs).toEqual({});
    expect(steps[0]?.metadata["status"]).toBe("error");
  });

  it("Codex: without an event, a patch is applied as the model wrote it", () => {
    const patch = [
      "*** Begin Patch",
      "*** Add File: new.txt",
      "+new",
      "*** Update File: a.txt",
      "@@ head",
      " one",
      "-two",
      "+2",
      "*** Delete File: gone.txt",
      "*** End Patch",
    ].join("\n");
    const { inputs, outputs } = read(
      ...begin(),
      call("c1", "shell", { command: ["bash", "-lc", "cat 'a.txt'"], workdir: "/p" }),
      output("c1", JSON.stringify({ output: "two\nhead\none\ntwo\n", metadata: { exit_code: 0 } })),
      item("custom_tool_call", { call_id: "c2", name: "apply_patch", input: patch }),
      item("custom_tool_call_output", {
        call_id: "c2",
        output: "Success. Updated the following files:\nA new.txt\n",
      }),
    );
    expect(inputs).toEqual({ "a.txt": "two\nhead\none\ntwo\n" });
    expect(outputs).toEqual({ "new.txt": "new\n", "a.txt": "two\nhead\none\n2\n" });
  });

  it("Codex: only a plain cat shows a whole file", () => {
    expect(shown("cat a/b.txt")).toEqual(["a/b.txt"]);
    expect(shown('cat -- "a b.txt"')).toEqual(["a b.txt"]);
    for (const cmd of ["cat a b", "cat a | head", "cat -n a", "cat *.txt", "cat a; ls", "head a", "cat $x"])
      expect(shown(cmd), cmd).toEqual([]);
    expect(shown("cat a", "Process exited with code 1")).toEqual([]);
  });
});

describe("compaction, reasoning and damage", () => {
  it("Codex: compactions and errors are kept where they were", () => {
    const { steps } = read(
      ...begin(),
      said("assistant", "one"),
      record("compacted", { message: "so far: one", replacement_history: [] }),
      event("context_compacted"),
      record("compacted", { message: "", window_number: 2 }),
      event("error", { message: "no more tokens" }),
      event("task_complete", { error: { message: "no more tokens" } }),
    );
    expect(steps.map(({ type, output, metadata }) => [type, metadata["kind"], output])).toEqual([
      ["message", undefined, "one"],
      ["context", "compaction", "so far: one"],
      ["context", "compaction", ""],
      ["context", "error", "no more tokens"],
    ]);
    expect(steps[2]?.metadata).toMatchObject({ window: 2, opaque: true });
  });

  it("Codex: reasoning that only the provider can read is marked", () => {
    const { steps, coverage } = read(
      ...begin(),
      item("reasoning", { summary: [], content: null, encrypted_content: "x" }),
    );
    expect(steps).toMatchObject([{ type: "reasoning", output: undefined, metadata: { opaque: true } }]);
    expect(coverage["unknown"]).toContain("some of the reasoning (encrypted, or not recorded)");
  });

  it("Codex: unknown records are counted, and damaged lines are skipped", () => {
    const log = `${lines(...begin(), event("foo"), item("bar", {}), record("baz", {}))}{"broken\n{"cut`;
    const { runs } = readForeign(codex, log);
    expect(runs[0]?.metadata?.["coverage"]).toMatchObject({
      skipped: { "event_msg/foo": 1, "response_item/bar": 1, baz: 1 },
      damaged: { count: 1 },
      partial_last_line: true,
    });
  });

  it("Codex: the time of a run is that of its last event", () => {
    clock = 0;
    expect(read(...begin(), said("assistant", "x")).run.created).toBe("2026-01-02T03:04:04.000Z");
  });
});

describe("older layouts", () => {
  const items = [
    message("user", "do it"),
    { type: "reasoning", id: "r", summary: [] },
    { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c1" },
    {
      type: "function_call_output",
      call_id: "c1",
      output: '{"output":"a\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}',
    },
    message("assistant", "done"),
  ];

  it("Codex: an early rollout of bare items after a bare head is read", () => {
    const head = {
      id: "old-1",
      timestamp: "2025-07-01T10:00:00.000Z",
      instructions: "be brief",
      git: { branch: "b" },
    };
    const { run, prompts, steps, coverage } = read(head, { record_type: "state" }, ...items, {
      record_type: "state",
    });
    expect(fits(codex, lines(head, { record_type: "state" }, ...items))).toBe(true);
    expect(run.created).toBe("2025-07-01T10:00:00.000Z");
    expect(run.metadata).toMatchObject({ source: { session: "old-1" }, git: { branch: "b" } });
    expect(prompts).toEqual(["do it"]);
    expect(steps.map(({ type, output }) => [type, output])).toEqual([
      ["context", "be brief"],
      ["reasoning", undefined],
      ["tool_call", "a\n"],
      ["message", "done"],
    ]);
    expect(coverage["left_out"]).toEqual({ state: 2 });
    expect(coverage["unknown"]).toContain("the model");
  });

  it("Codex: instructions that an early rollout repeats are there once", () => {
    const head = { id: "old-1", timestamp: "2025-07-01T10:00:00.000Z", instructions: "be brief" };
    const { steps } = read(
      head,
      message("user", "<user_instructions>\n\nbe brief\n\n</user_instructions>"),
      ...items,
    );
    expect(steps.filter(({ output }) => output?.includes("be brief"))).toHaveLength(1);
  });

  it("Codex: an early rollout in one document is read", () => {
    const document = {
      session: { id: "ts-1", timestamp: "2025-05-01T10:00:00.000Z", instructions: "" },
      items,
    };
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      expect(fits(codex, text)).toBe(true);
      const { runs } = readForeign(codex, text);
      expect(runs[0]?.metadata?.["source"]).toMatchObject({ session: "ts-1" });
      expect(runs[0]?.prompts).toHaveLength(1);
      expect(runs[0]?.steps?.map(({ type }) => type)).toEqual(["reasoning", "tool_call", "message"]);
    }
    expect(() => readForeign(codex, JSON.stringify(document).slice(0, -5))).toThrow("is not valid JSON");
  });
});
