import { describe, expect, it } from "vitest";
import { claudeStreamJson } from "../../../src/intake/formats/claude-code/stream-json.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";

const init = {
  type: "system",
  subtype: "init",
  session_id: "s",
  cwd: "/r",
  model: "claude-x",
  tools: ["Bash", "Task"],
  mcp_servers: [{ name: "notes", status: "connected" }],
  permissionMode: "default",
  claude_code_version: "2.1.41",
  uuid: "1",
};
const say = (block: object, rest: object = {}): object => ({
  type: "assistant",
  session_id: "s",
  parent_tool_use_id: null,
  message: { id: "m1", model: "claude-x", content: [block], usage: { input_tokens: 1, output_tokens: 2 } },
  ...rest,
});
const call = (id: string, name: string, input: object, rest: object = {}): object =>
  say({ type: "tool_use", id, name, input }, rest);
const answer = (id: string, content: string, rest: object = {}): object => ({
  type: "user",
  session_id: "s",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ...rest,
});
const end = {
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 3,
  duration_ms: 10,
  total_cost_usd: 0.01,
  result: "done",
  session_id: "s",
};

describe("claude -p --output-format stream-json", () => {
  const records = [
    init,
    call("t1", "Bash", { command: "ls" }),
    answer("t1", "a\n", { tool_use_result: { stdout: "a", stderr: "", interrupted: false } }),
    { type: "stream_event", session_id: "s", event: {} },
    say({ type: "text", text: "done" }),
    { type: "brand_new", session_id: "s" },
    end,
  ];

  it("claude stream-json: line by line and as an array it is recognised, a transcript is not", () => {
    expect(fits(claudeStreamJson, lines(...records))).toBe(true);
    expect(fits(claudeStreamJson, JSON.stringify(records, null, 2))).toBe(true);
    expect(fits(claudeStreamJson, JSON.stringify(end))).toBe(true);
    expect(fits(claudeStreamJson, lines({ ...init, session_id: undefined, sessionId: "s" }))).toBe(false);
  });

  it.each([
    ["by line", lines(...records)],
    ["as an array", JSON.stringify(records)],
  ])("claude stream-json: records %s become a run", (_, log) => {
    const { runs, text } = readForeign(claudeStreamJson, log, { prompt: "list the files" });
    const [run] = runs;
    expect(run?.model.identifier).toBe("claude-x");
    expect((run?.prompts ?? []).map(({ content }) => text(content))).toEqual(["list the files"]);
    expect((run?.steps ?? []).map((step) => [step.type, text(step.output)])).toEqual([
      ["tool_call", "a"],
      ["message", "done"],
    ]);
    expect(run?.created).toBeUndefined();
    expect(run?.metadata).toMatchObject({
      source: { format: "claude-stream-json", agent: "claude-code", session: "s", version: "2.1.41" },
      workdir: "/r",
      outcome: "success",
      cost_usd: 0.01,
      turns: 3,
      tools: ["Bash", "Task"],
      mcp_servers: ["notes"],
      coverage: {
        skipped: { brand_new: 1 },
        left_out: { stream_event: 1 },
        unknown: ["the system prompt (not recorded)", "times"],
      },
    });
  });

  it("claude stream-json: sub-agents in the same stream are runs of their own", () => {
    const inner = { parent_tool_use_id: "t1" };
    const { runs, subs } = readForeign(
      claudeStreamJson,
      lines(
        init,
        call("t1", "Task", { prompt: "look" }),
        { type: "user", session_id: "s", message: { role: "user", content: "look" }, ...inner },
        call("t2", "Bash", { command: "ls" }, inner),
        answer("t2", "x", inner),
        answer("t1", "found"),
        end,
      ),
    );
    expect(subs.map(({ run, call: by }) => [by, run.prompts?.length, run.steps?.length])).toEqual([
      ["t1", 1, 1],
    ]);
    expect(subs[0]?.run.metadata?.["workdir"]).toBe(runs[0]?.metadata?.["workdir"]);
    expect(subs[0]?.run.metadata?.["workdir"]).toMatch(/^\//);
    expect(runs[0]?.steps?.map(({ tool, pack }) => [tool, pack !== undefined])).toEqual([
      ["Task", true],
      [undefined, false],
    ]);
  });

  it("claude stream-json: errors and refusals of a run that failed are recorded", () => {
    const { runs, text } = readForeign(
      claudeStreamJson,
      lines(
        init,
        call("t1", "Bash", { command: "rm x" }),
        answer("t1", "no"),
        say({ type: "text", text: "hm" }),
        {
          ...end,
          subtype: "error_during_execution",
          is_error: true,
          result: "another text",
          errors: ["out of luck"],
          structured_output: { a: 1 },
          permission_denials: [{ tool_name: "Bash", tool_use_id: "t1", tool_input: {} }],
        },
      ),
    );
    const [run] = runs;
    expect(run?.metadata).toMatchObject({
      outcome: "error_during_execution",
      is_error: true,
      errors: ["out of luck"],
      structured_output: { a: 1 },
    });
    expect(run?.steps?.[0]?.metadata?.["status"]).toBe("denied");
    expect(text(run?.steps?.at(-1)?.output)).toBe("another text");
  });

  it("claude stream-json: a result alone is the answer", () => {
    const { runs, text } = readForeign(
      claudeStreamJson,
      JSON.stringify({ ...end, usage: { output_tokens: 4 } }),
    );
    expect((runs[0]?.steps ?? []).map((step) => text(step.output))).toEqual(["done"]);
    expect(runs[0]?.metadata?.["usage"]).toMatchObject({ output_tokens: 4 });
  });
});
