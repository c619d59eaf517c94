// What `codex exec --json` prints, in its current form and in the one before.
import { describe, expect, it } from "vitest";
import { codexExecJson } from "../../../src/intake/formats/codex/exec-json.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";

const started = { type: "thread.started", thread_id: "thread-1" };
const begun = (item: object) => ({ type: "item.started", item });
const updated = (item: object) => ({ type: "item.updated", item });
const done = (item: object) => ({ type: "item.completed", item });
const usage = { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 };

function read(records: unknown[], options: { prompt?: string } = {}) {
  const taken = readForeign(codexExecJson, lines(...records), options);
  const run = taken.runs[0] as ExecutionLog;
  const steps = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    parameters: step.parameters,
    output: taken.text(step.output),
    metadata: { ...step.metadata } as Record<string, unknown>,
  }));
  const coverage = run.metadata?.["coverage"] as Record<string, unknown>;
  return { run, steps, coverage, prompts: run.prompts?.map(({ content }) => taken.text(content)) };
}

const shell = (id: string, more: object = {}) => ({
  id,
  type: "command_execution",
  command: "bash -lc ls",
  aggregated_output: "",
  status: "in_progress",
  ...more,
});

const plan = (completed: boolean) => ({
  id: "item_9",
  type: "todo_list",
  items: [{ text: "x", completed }],
});

const ran = (text: string) =>
  done(shell("item_0", { aggregated_output: text, exit_code: 0, status: "completed" }));

const event = (type: string, more: object = {}) => ({ id: "1", msg: { type, ...more } });

describe("codex exec --json", () => {
  it("codex exec --json: its output is recognised, and nothing else is", () => {
    expect(fits(codexExecJson, lines(started, { type: "turn.started" }))).toBe(true);
    expect(fits(codexExecJson, lines(done({ id: "item_0", type: "agent_message", text: "x" })))).toBe(true);
    expect(fits(codexExecJson, lines({ id: "0", msg: { type: "task_started" } }))).toBe(true);
    expect(fits(codexExecJson, lines({ type: "turn.started" }))).toBe(false);
    expect(fits(codexExecJson, lines({ timestamp: "t", type: "session_meta", payload: {} }))).toBe(false);
    expect(fits(codexExecJson, lines({ type: "system", subtype: "init", session_id: "a" }))).toBe(false);
    expect(fits(codexExecJson, "")).toBe(false);
  });

  it("codex exec --json: calls have their results, in the order of the calls", () => {
    const { run, steps } = read([
      started,
      { type: "turn.started" },
      done({ id: "item_0", type: "reasoning", text: "hm" }),
      begun(shell("item_1")),
      begun(shell("item_2")),
      done(shell("item_2", { aggregated_output: "no\n", exit_code: 1, status: "failed" })),
      done(shell("item_1", { aggregated_output: "a\n", exit_code: 0, status: "completed" })),
      done(shell("item_3", { aggregated_output: "", exit_code: -1, status: "declined" })),
      done({ id: "item_4", type: "agent_message", text: "done" }),
      { type: "turn.completed", usage },
    ]);
    expect(run.metadata?.["source"]).toEqual({
      format: "codex-exec-json",
      agent: "codex",
      session: "thread-1",
    });
    expect(run.metadata?.["usage"]).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 4,
      output_tokens: 2,
    });
    expect(steps.map(({ type, tool, output }) => [type, tool, output])).toEqual([
      ["reasoning", undefined, "hm"],
      ["tool_call", "shell", "a\n"],
      ["tool_call", "shell", "no\n"],
      ["tool_call", "shell", ""],
      ["message", undefined, "done"],
    ]);
    expect(steps.slice(1, 4).map(({ metadata }) => metadata)).toEqual([
      { turn: 0, status: "ok", call_id: "item_1", parallel: "item_1", exit_code: 0 },
      { turn: 0, status: "error", call_id: "item_2", parallel: "item_1", exit_code: 1 },
      { turn: 0, status: "denied", call_id: "item_3" },
    ]);
  });

  it("codex exec --json: file changes, MCP calls, searches and plans are calls", () => {
    const mcp = { type: "mcp_tool_call", server: "s", tool: "t", arguments: { a: 1 } };
    const { run, steps, coverage } = read([
      started,
      done({
        id: "item_1",
        type: "file_change",
        changes: [{ path: "/p/a", kind: "add" }],
        status: "completed",
      }),
      done({ ...mcp, id: "item_2", result: { content: [{ type: "text", text: "r" }] }, status: "completed" }),
      done({ ...mcp, id: "item_3", result: null, error: { message: "gone" }, status: "failed" }),
      begun({ id: "item_4", type: "web_search", query: "" }),
      done({ id: "item_4", type: "web_search", query: "q" }),
      begun(plan(false)),
      updated(plan(true)),
      done(plan(true)),
      done({ id: "item_5", type: "strange" }),
      { type: "stranger" },
    ]);
    expect(steps.map(({ type, tool, output, metadata }) => [type, tool, output, metadata["status"]])).toEqual(
      [
        ["tool_call", "apply_patch", undefined, "ok"],
        ["tool_call", "mcp__s__t", "r", "ok"],
        ["tool_call", "mcp__s__t", "gone", "error"],
        ["server_tool_call", "web_search", undefined, "ok"],
        ["tool_call", "update_plan", undefined, "ok"],
        ["tool_call", "update_plan", undefined, "ok"],
      ],
    );
    expect(steps[1]?.parameters).toEqual({ a: 1 });
    expect(run.outputs).toEqual([]);
    expect(coverage).toMatchObject({ skipped: { "item/strange": 1, stranger: 1 } });
    expect(coverage["unknown"]).toContain("the content of 1 changed file at the end");
  });

  it("codex exec --json: the prompt comes from the user, and coverage lists what is unknown", () => {
    expect(read([started], { prompt: "do it" }).prompts).toEqual(["do it"]);
    expect(read([started]).coverage["unknown"]).toEqual([
      "the prompt (give it with --prompt)",
      "the system prompt (not recorded)",
      "times",
      "the model",
    ]);
  });

  it("codex exec --json: a failed turn interrupts its calls, and its error is kept once", () => {
    const { steps } = read([
      started,
      begun(shell("item_1")),
      { type: "error", message: "too many requests" },
      { type: "turn.failed", error: { message: "too many requests" } },
      begun(shell("item_2")),
    ]);
    expect(steps.map(({ type, output, metadata }) => [type, output, metadata["status"]])).toEqual([
      ["tool_call", undefined, "interrupted"],
      ["context", "too many requests", undefined],
      ["tool_call", undefined, "unanswered"],
    ]);
  });

  it("codex exec --json: items of a thread that continues in the same file are told apart", () => {
    const { run, steps, coverage } = read([
      started,
      ran("one"),
      ran("one"),
      { type: "turn.completed", usage },
      started,
      ran("two"),
      { type: "turn.completed", usage: { ...usage, input_tokens: 30 } },
    ]);
    expect(steps.map(({ output }) => output)).toEqual(["one", "two"]);
    expect(coverage["duplicates"]).toBe(1);
    expect(run.metadata?.["usage"]).toMatchObject({ input_tokens: 30 });
  });
});

describe("codex exec --json in its earlier form", () => {
  const settings = {
    model: "gpt-x",
    workdir: "/p",
    provider: "openai",
    approval: "never",
    sandbox: "read-only",
  };

  it("codex exec --json: the earlier form has settings, a prompt and one event per line", () => {
    const records = [
      { ...settings, "reasoning effort": "high" },
      { prompt: "do it" },
      event("task_started"),
      event("session_configured", { session_id: "s-1", model: "gpt-x" }),
      event("agent_reasoning", { text: "hm" }),
      event("exec_command_begin", { call_id: "c1", command: ["ls"], cwd: "/p" }),
      event("exec_command_output_delta", { call_id: "c1" }),
      event("exec_command_end", {
        call_id: "c1",
        stdout: "a\n",
        stderr: "",
        exit_code: 0,
        duration: { secs: 0, nanos: 5e6 },
      }),
      event("patch_apply_begin", { call_id: "c2", changes: { "/p/a": { add: { content: "x\n" } } } }),
      event("patch_apply_end", { call_id: "c2", stdout: "Success.\n", stderr: "", success: true }),
      event("mcp_tool_call_begin", { call_id: "c3", invocation: { server: "s", tool: "t", arguments: {} } }),
      event("mcp_tool_call_end", { call_id: "c3", result: { Err: "gone" } }),
      event("exec_command_begin", { call_id: "c4", command: ["sleep"], cwd: "/p" }),
      event("turn_aborted", { reason: "interrupted" }),
      event("token_count", { info: { total_token_usage: usage } }),
      event("agent_message", { message: "done" }),
      event("strange"),
    ];
    expect(fits(codexExecJson, lines(...records))).toBe(true);
    const { run, steps, prompts, coverage } = read(records);
    expect(prompts).toEqual(["do it"]);
    expect(run.model).toMatchObject({
      identifier: "gpt-x",
      parameters: { effort: "high", approval_policy: "never" },
    });
    expect(run.metadata).toMatchObject({
      source: { session: "s-1" },
      workdir: "/p",
      usage: { input_tokens: 10 },
    });
    expect(steps.map(({ type, tool, output, metadata }) => [type, tool, output, metadata["status"]])).toEqual(
      [
        ["reasoning", undefined, "hm", undefined],
        ["tool_call", "shell", "a\n", "ok"],
        ["tool_call", "apply_patch", "Success.\n", "ok"],
        ["tool_call", "mcp__s__t", "gone", "error"],
        ["tool_call", "shell", undefined, "interrupted"],
        ["message", undefined, "done", undefined],
      ],
    );
    expect(run.outputs?.map(({ name }) => name)).toEqual(["a", ".answer.md"]);
    expect(coverage["skipped"]).toEqual({ "msg/strange": 1 });
  });
});
