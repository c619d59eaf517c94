import { describe, expect, it } from "vitest";
import { miniSweAgent } from "../../../src/intake/formats/mini-swe-agent/format.js";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import { miniSweAgentSpecimens } from "../../../dev/specimens/mini-swe-agent.js";
import { fits, readForeign } from "../../../dev/intake.js";

function read(log: unknown, options = {}) {
  const taken = readForeign(miniSweAgent, typeof log === "string" ? log : JSON.stringify(log), options);
  const [run] = taken.runs;
  if (run === undefined) throw new Error("no run");
  const steps = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    parameters: step.parameters,
    output: taken.text(step.output),
    seen: taken.text(step.seen),
    timestamp: step.timestamp,
    metadata: step.metadata ?? {},
  }));
  const prompts = (run.prompts ?? []).map(({ content }) => taken.text(content));
  const outputs = new Map((run.outputs ?? []).map(({ name, content }) => [name, taken.text(content)]));
  const metadata = run.metadata ?? {};
  const coverage = metadata["coverage"] as Record<string, unknown>;
  return { ...taken, run, steps, prompts, outputs, metadata, coverage };
}

const system = { role: "system", content: "You use a shell." };
const task = { role: "user", content: "Fix it." };
const says = (content: string) => ({ role: "assistant", content });
const userMessage = (content: string) => ({ role: "user", content });
const fence = (command: string, word = "bash") => `\`\`\`${word}\n${command}\n\`\`\``;
const ended = (code: number, output: string) =>
  userMessage(`<returncode>${code}</returncode>\n<output>\n${output}</output>`);

const first = [system, task, says(`THOUGHT: look\n\n${fence("ls")}`), ended(0, "a.py\n")];

const call = (id: string, command: string) => ({
  id,
  type: "function",
  function: { name: "bash", arguments: JSON.stringify({ command }) },
});

const response = (id: string) => ({ id, model: "m-1", usage: { prompt_tokens: 10, completion_tokens: 5 } });
const asks = (id: string, ...calls: unknown[]) => ({
  role: "assistant",
  content: "I look.",
  tool_calls: calls,
  extra: { response: response(id), cost: 0.1, timestamp: 1_780_680_349.5 },
});
const result = (id: string, extra: object) => ({
  role: "tool",
  tool_call_id: id,
  content: `for ${id}`,
  extra,
});
const around = (...messages: unknown[]) => ({
  info: {
    model_stats: { instance_cost: 0.2, api_calls: 2 },
    config: {
      model: { model_name: "openai/m", model_kwargs: { temperature: 0, api_key: "k" } },
      environment: { cwd: "/testbed", image: "image" },
    },
    mini_version: "2.3.0",
    exit_status: "Submitted",
  },
  messages: [system, task, ...messages],
  trajectory_format: "mini-swe-agent-1.1",
  instance_id: "case-1",
});
const interrupted = (kind: string, content: string) => ({
  ...userMessage(content),
  extra: { interrupt_type: kind },
});

describe("recognition of mini-swe-agent", () => {
  it.each<[string, unknown]>([
    ["a list with its own fences", [task, says(fence("ls", "mswea_bash_command"))]],
    ["a list with plain fences and return codes", first],
    ["a document that names its format", { messages: [task], trajectory_format: "mini-swe-agent-1" }],
    ["a document with a version", { info: { mini_version: "1.17.0" }, messages: [task] }],
    [
      "a document with its classes",
      { info: { config: { agent_type: "minisweagent.agents.default.DefaultAgent" } }, messages: [] },
    ],
  ])("mini-swe-agent: the format recognises %s", (_, log) => {
    expect(fits(miniSweAgent, JSON.stringify(log))).toBe(true);
    expect(fits(openaiMessages, JSON.stringify(log))).toBe(false);
  });

  it("mini-swe-agent: a document that names its format beyond the inspected head is recognised", () => {
    const log = {
      info: { mini_version: "2.3.0" },
      messages: [task, says("x".repeat(1 << 21))],
      trajectory_format: "mini-swe-agent-1.1",
    };
    expect(fits(miniSweAgent, JSON.stringify(log))).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a chat", [task, says("Hi.")]],
    ["a chat about a shell", [task, says(`Try ${fence("ls")}`), userMessage("Thanks!")]],
    ["a chat about return codes", [userMessage("What is <returncode>0</returncode>?"), says("A tag.")]],
    ["a list with return codes after plain answers", [task, says("Hi."), ended(0, "x")]],
    [
      "a list with two commands in one answer",
      [task, says(`${fence("ls")}\n${fence("pwd")}`), ended(0, "x")],
    ],
    ["a request", { model: "m", messages: first }],
    ["another document with info", { info: {}, messages: [task] }],
    ["null", null],
  ])("mini-swe-agent: the format does not recognise %s", (_, log) => {
    expect(fits(miniSweAgent, JSON.stringify(log))).toBe(false);
  });
});

describe("a list of version 1", () => {
  it("mini-swe-agent: a list of version 1 becomes a run", () => {
    const { steps, prompts, run, text, coverage } = read(first);
    expect(text(run.system_prompt)).toBe("You use a shell.");
    expect(prompts).toEqual(["Fix it."]);
    expect(steps).toMatchObject([
      { type: "message", output: "THOUGHT: look" },
      {
        type: "tool_call",
        tool: "bash",
        parameters: { command: "ls" },
        output: "a.py\n",
        seen: "<returncode>0</returncode>\n<output>\na.py\n</output>",
        metadata: { status: "ok", exit_code: 0 },
      },
    ]);
    expect(coverage).toMatchObject({ records: 4, unknown: ["times", "the model"] });
  });

  it.each<[string, string, object]>([
    ["failed", "<returncode>2</returncode>\n<output>\nno\n</output>", { status: "error", exit_code: 2 }],
    [
      "took too long",
      "The last command <command>x</command> timed out and has been killed.",
      { status: "error" },
    ],
    [
      "was not allowed",
      "Command not executed. The user rejected your command with the following message: no",
      { status: "denied" },
    ],
    ["ended without a return code", "Observation: fine", { status: "ok" }],
  ])("mini-swe-agent: a command that %s has its status", (_, content, metadata) => {
    const { steps } = read([system, task, says(fence("x")), userMessage(content), ...first.slice(2)]);
    expect(steps[0]).toMatchObject({ type: "tool_call", metadata });
  });

  it("mini-swe-agent: an output of which only the ends are shown is marked as truncated (trap 10)", () => {
    const content =
      "<returncode>0</returncode>\n<output_head>\na\n</output_head>\n<output_tail>\nb\n</output_tail>";
    const { steps, coverage } = read([...first, says(fence("cat big")), userMessage(content)]);
    expect(steps.at(-1)).toMatchObject({ output: content, metadata: { truncated: true, exit_code: 0 } });
    expect(coverage["truncated"]).toBe(1);
  });

  it("mini-swe-agent: two commands in one answer are no call, since the agent refuses them", () => {
    const { steps } = read([
      ...first,
      says(`${fence("ls")}\n${fence("pwd")}`),
      userMessage("Exactly one, please."),
      says("Sorry."),
    ]);
    expect(steps.slice(2).map(({ type, metadata }) => [type, metadata["kind"]])).toEqual([
      ["message", undefined],
      ["context", "client"],
      ["message", undefined],
    ]);
  });

  it("mini-swe-agent: a submission is an output", () => {
    const patch = "diff --git a/a b/a\n";
    const { steps, outputs } = read([
      ...first,
      says(fence("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff")),
      userMessage(patch),
    ]);
    expect(steps.at(-1)).toMatchObject({ output: patch, metadata: { status: "ok" } });
    expect(outputs.get(".submission.patch")).toBe(patch);
  });

  it("mini-swe-agent: a command that nothing follows is unanswered (trap 8)", () => {
    expect(read([...first, says(fence("sleep 9"))]).steps.at(-1)?.metadata["status"]).toBe("unanswered");
  });
});

describe("a document of version 2", () => {
  it("mini-swe-agent: a document of version 2 has settings, and the usage of each request", () => {
    const { run, metadata } = read(around(asks("r1", call("c1", "ls")), asks("r2", call("c2", "ls"))));
    expect(run.model).toEqual({ identifier: "m-1", parameters: { temperature: 0 } });
    expect(metadata).toMatchObject({
      source: { format: "mini-swe-agent", version: "2.3.0" },
      workdir: "/testbed",
      usage: { requests: 2, input_tokens: 20, output_tokens: 10 },
      instance_id: "case-1",
      image: "image",
      outcome: "Submitted",
      cost_usd: 0.2,
      requests: 2,
    });
  });

  it("mini-swe-agent: times are seconds since 1970 (trap 19)", () => {
    const { steps, run } = read(
      around(asks("r1", call("c1", "ls")), result("c1", { returncode: 0, timestamp: 1_780_680_351 })),
    );
    expect(steps[1]?.timestamp).toBe("2026-06-05T17:25:49.5Z");
    expect(run.created).toBe("2026-06-05T17:25:51Z");
  });

  it("mini-swe-agent: parallel calls have their results in any order, and what the model saw", () => {
    const { steps } = read(
      around(
        asks("r1", call("c1", "cat a"), call("c2", "cat b")),
        result("c2", { raw_output: "b", returncode: 1 }),
        result("c1", { raw_output: "a", returncode: 0, exception_info: "" }),
        result("c9", { raw_output: "x", returncode: 0 }),
      ),
    );
    expect(steps.slice(1)).toMatchObject([
      {
        type: "tool_call",
        output: "a",
        seen: "for c1",
        metadata: { call_id: "c1", exit_code: 0, status: "ok", parallel: "message-3" },
      },
      {
        type: "tool_call",
        output: "b",
        seen: "for c2",
        metadata: { call_id: "c2", exit_code: 1, status: "error", parallel: "message-3" },
      },
      { type: "tool_result", output: "x" },
    ]);
  });

  it("mini-swe-agent: calls with the same id are userMessage apart (trap 7)", () => {
    const { steps } = read(
      around(
        asks("r1", call("c", "one")),
        result("c", { raw_output: "1", returncode: 0 }),
        asks("r2", call("c", "two")),
        result("c", { raw_output: "2", returncode: 0 }),
      ),
    );
    const calls = steps.filter(({ type }) => type === "tool_call");
    expect(calls.map(({ parameters, output }) => [parameters?.["command"], output])).toEqual([
      ["one", "1"],
      ["two", "2"],
    ]);
  });

  it("mini-swe-agent: rejected and interrupted calls have their status, and a new task is a prompt", () => {
    const not = { returncode: -1, exception_info: "action was not executed" };
    const { steps, prompts } = read(
      around(
        asks("r1", call("c1", "rm -r /")),
        result("c1", not),
        interrupted("UserRejection", "Commands not executed."),
        asks("r2", call("c2", "sleep 9")),
        result("c2", not),
        interrupted("UserNewTask", "The user added a new task: more"),
        interrupted("FormatError", "Tool call error"),
      ),
    );
    const calls = steps.filter(({ type }) => type === "tool_call");
    expect(calls.map(({ metadata }) => metadata["status"])).toEqual(["denied", "interrupted"]);
    expect(prompts).toEqual(["Fix it.", "The user added a new task: more"]);
    expect(steps.flatMap(({ metadata }) => metadata["kind"] ?? [])).toEqual(["rejection", "format_error"]);
  });

  it("mini-swe-agent: a command of the user is marked", () => {
    const { steps } = read(
      around(
        { ...userMessage("User command: ls"), extra: { actions: [{ command: "ls" }] } },
        { ...userMessage("<returncode>0</returncode>"), extra: { raw_output: "a", returncode: 0 } },
      ),
    );
    expect(steps).toMatchObject([{ type: "tool_call", output: "a", metadata: { issued_by: "user" } }]);
  });

  it("mini-swe-agent: items of the Responses API are read", () => {
    const { steps, metadata } = read(
      around(
        {
          object: "response",
          id: "r1",
          output: [
            { type: "reasoning", summary: [{ text: "Hm." }] },
            { type: "message", content: [{ type: "output_text", text: "I look." }] },
            { type: "function_call", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' },
          ],
          usage: { input_tokens: 3, output_tokens: 2 },
          extra: { actions: [{ command: "ls", tool_call_id: "c1" }] },
        },
        {
          type: "function_call_output",
          call_id: "c1",
          output: "<returncode>0</returncode>\n<output>\na</output>",
        },
      ),
    );
    expect(steps.map(({ type, output }) => [type, output])).toEqual([
      ["reasoning", "Hm."],
      ["message", "I look."],
      ["tool_call", "a"],
    ]);
    expect(metadata["usage"]).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });

  it("mini-swe-agent: the exit message ends the last command, and its submission is an output", () => {
    const last = call("c1", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT");
    const exit = { role: "exit", content: "done", extra: { exit_status: "Submitted", submission: "done" } };
    const { steps, outputs } = read(around(asks("r1", last), exit));
    expect(steps.at(-1)).toMatchObject({ type: "tool_call", output: "done", metadata: { status: "ok" } });
    expect(outputs.get(".submission.txt")).toBe("done");
    const limits = {
      role: "exit",
      content: "LimitsExceeded",
      extra: { exit_status: "LimitsExceeded", submission: "" },
    };
    expect(read(around(asks("r1", call("c1", "ls")), limits)).steps.at(-1)).toMatchObject({
      type: "context",
      metadata: { kind: "exit" },
    });
  });
});

describe("damaged logs", () => {
  it("mini-swe-agent: a log that is cut off is read up to there", () => {
    const log = JSON.stringify([...first, says(fence("pwd"))]);
    const { steps, coverage } = read(log.slice(0, -20));
    expect(steps).toHaveLength(2);
    expect(coverage["partial_last_line"]).toBe(true);
  });

  it.each(["[]", "{}", "[1]", '{"messages":7}', "[", "x"])("mini-swe-agent: %s is no log", (log) => {
    expect(() => readForeign(miniSweAgent, log)).toThrow(expect.objectContaining({ code: "log-unreadable" }));
  });

  it("mini-swe-agent: unknown roles and items are counted", () => {
    const { coverage } = read([
      ...first,
      { role: "robot", content: "x" },
      { content: "y" },
      { object: "response", output: [{ type: "z" }] },
    ]);
    expect(coverage["skipped"]).toEqual({
      "item of type z": 1,
      "message of role robot": 1,
      "message without a role": 1,
    });
  });

  it("mini-swe-agent: a text with 100,000 fences is read", () => {
    const long = "```bash\nls\n```\n".repeat(100_000);
    expect(read([...first, says(long), says("```bash".repeat(200_000))]).steps).toHaveLength(4);
  });

  it("mini-swe-agent: the specimens are read without unknown records", () => {
    for (const log of miniSweAgentSpecimens) expect(read(String(log)).coverage).not.toHaveProperty("skipped");
  });
});
