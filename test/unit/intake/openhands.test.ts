import { describe, expect, it } from "vitest";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import { openhands } from "../../../src/intake/formats/openhands/format.js";
import { sweAgent } from "../../../src/intake/formats/swe-agent/format.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import { openhandsSpecimens } from "../../../dev/specimens/openhands.js";

function readAll(log: unknown, options = {}) {
  const taken = readForeign(openhands, typeof log === "string" ? log : JSON.stringify(log), options);
  return taken.runs.map((run) => ({
    run,
    text: taken.text,
    steps: (run.steps ?? []).map((step) => ({
      type: step.type,
      tool: step.tool,
      parameters: step.parameters,
      output: taken.text(step.output),
      seen: taken.text(step.seen),
      timestamp: step.timestamp,
      metadata: step.metadata ?? {},
    })),
    prompts: (run.prompts ?? []).map(({ content }) => taken.text(content)),
    inputs: Object.fromEntries((run.inputs ?? []).map(({ name, content }) => [name, taken.text(content)])),
    outputs: Object.fromEntries((run.outputs ?? []).map(({ name, content }) => [name, taken.text(content)])),
    metadata: run.metadata ?? {},
    coverage: (run.metadata ?? {})["coverage"] as Record<string, unknown>,
  }));
}

function read(log: unknown, options = {}) {
  const [only] = readAll(log, options);
  if (only === undefined) throw new Error("no run");
  return only;
}

/** Returns an event of the first generation. */
const old = (id: number, rest: object) => ({
  id,
  timestamp: `2025-01-27T22:45:${String(id).padStart(2, "0")}.5`,
  source: "agent",
  ...rest,
});
const asks = (id: number, content: string) =>
  old(id, { source: "user", action: "message", args: { content } });

function response(id: string, calls: [id: string, command: string][], more = {}) {
  const tool_calls = calls.map(([call, command]) => ({
    id: call,
    function: { name: "execute_bash", arguments: JSON.stringify({ command }) },
  }));
  return {
    id,
    model: "m-1",
    choices: [{ message: { role: "assistant", content: "", tool_calls, ...more } }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  };
}

const meta = (id: string, model_response: object) => ({
  tool_call_metadata: { function_name: "execute_bash", tool_call_id: id, model_response },
});
const runs = (id: number, command: string, more: object = {}) =>
  old(id, { action: "run", args: { command }, ...more });
const ran = (id: number, cause: number, content: string, extras: object = {}, more: object = {}) =>
  old(id, { cause, observation: "run", content, extras, ...more });

describe("recognition of OpenHands", () => {
  const event = asks(0, "Go.");
  const sdk = { id: "m", source: "user", kind: "MessageEvent", llm_message: { role: "user", content: [] } };
  it.each<[string, string]>([
    ["a list of events", JSON.stringify([event])],
    ["an indented list of events", JSON.stringify([event], null, 2)],
    ["one event a line", lines(event, event)],
    ["a trajectory from the server", JSON.stringify({ trajectory: [event] })],
    ["events of the SDK", JSON.stringify([sdk])],
    ["events of the SDK, one a line", lines(sdk, sdk)],
    ["a page of events of the SDK", JSON.stringify({ items: [sdk], next_page_id: null })],
    ["an evaluation", lines({ instance_id: "i", history: [event], test_result: {} })],
    [
      "an evaluation with bare events",
      lines({ instance_id: "i", history: [{ action: "message", content: "x" }] }),
    ],
    [
      "an evaluation with pairs",
      lines({ instance_id: "i", history: [[{ action: "run", command: "ls" }, {}]] }),
    ],
    [
      "an evaluation of the SDK",
      lines({ instance_id: "i", history: [{ kind: "ActionEvent" }], git_patch: "" }),
    ],
    [
      "an evaluation whose first task failed",
      lines({ instance_id: "i", history: null }, { instance_id: "j", history: [event] }),
    ],
  ])("OpenHands: the format recognises %s", (_, log) => {
    expect(fits(openhands, log)).toBe(true);
    expect([fits(sweAgent, log), fits(openaiMessages, log)]).toEqual([false, false]);
  });

  it.each<[string, unknown]>([
    ["a chat", [{ role: "user", content: "x" }]],
    ["actions without a source", [{ id: 0, action: "message", args: {} }]],
    ["a source of another kind", [{ source: "cli", action: "message" }]],
    ["kinds of others", [{ source: "user", kind: "Message" }]],
    ["a trajectory of SWE-agent", { trajectory: [{ action: "ls", observation: "a", thought: "" }] }],
    [
      "a history of SWE-agent",
      { instance_id: "i", history: [{ role: "user", content: "x", agent: "main" }] },
    ],
    ["an empty object", {}],
    ["null", null],
  ])("OpenHands: the format does not recognise %s", (_, log) => {
    expect(fits(openhands, JSON.stringify(log))).toBe(false);
  });
});

describe("events of the first generation", () => {
  const r1 = response("r1", [["t1", "ls"]], { reasoning_content: "Hm." });
  const log = [
    old(0, {
      action: "system",
      args: {
        content: "You are.",
        tools: [{ function: { name: "execute_bash" } }],
        openhands_version: "0.50",
      },
    }),
    asks(1, "Go."),
    runs(2, "ls", { ...meta("t1", r1), args: { command: "ls", thought: "I look." } }),
    ran(3, 2, "a", { metadata: { exit_code: 0, working_dir: "/workspace" } }, meta("t1", r1)),
    old(4, { action: "finish", args: { final_thought: "Done.", task_completed: "true" } }),
  ];

  it("OpenHands: events of the first generation become a run", () => {
    const { run, text, steps, prompts, metadata, outputs } = read(log);
    expect(text(run.system_prompt)).toBe("You are.");
    expect(prompts).toEqual(["Go."]);
    expect(steps).toMatchObject([
      { type: "reasoning", output: "Hm." },
      { type: "message", output: "I look." },
      {
        type: "tool_call",
        tool: "execute_bash",
        parameters: { command: "ls" },
        output: "a",
        metadata: { call_id: "t1", exit_code: 0, status: "ok" },
      },
      { type: "tool_call", tool: "finish", metadata: { status: "ok" } },
      { type: "message", output: "Done." },
    ]);
    expect(outputs[".answer.md"]).toBe("Done.");
    expect(run.model.identifier).toBe("m-1");
    expect(metadata).toMatchObject({
      source: { format: "openhands", version: "0.50" },
      workdir: "/workspace",
      tools: ["execute_bash"],
      task_completed: "true",
    });
  });

  it("OpenHands: a response that is copied on every event counts once (trap 1)", () => {
    expect(read(log).metadata["usage"]).toEqual({ requests: 1, input_tokens: 10, output_tokens: 5 });
    expect(read(log).steps.filter(({ type }) => type === "reasoning")).toHaveLength(1);
  });

  it("OpenHands: accumulated metrics count as usage and cost", () => {
    const llm_metrics = {
      accumulated_cost: 0.5,
      accumulated_token_usage: { prompt_tokens: 9, cache_read_tokens: 4 },
    };
    const { metadata } = read([
      asks(0, "Go."),
      old(1, { action: "message", args: { content: "Hi." }, llm_metrics }),
    ]);
    expect(metadata).toMatchObject({ cost_usd: 0.5, usage: { input_tokens: 9, cache_read_input_tokens: 4 } });
  });

  it("OpenHands: recalled text is context, not a prompt (trap 5)", () => {
    const recalled = [
      old(1, { source: "user", action: "recall", args: { query: "Go." } }),
      old(2, {
        cause: 1,
        observation: "recall",
        content: "Added",
        extras: { repo_instructions: "Be kind." },
      }),
    ];
    const { prompts, steps, coverage } = read([asks(0, "Go."), ...recalled]);
    expect(prompts).toEqual(["Go."]);
    expect(steps).toMatchObject([
      { type: "context", output: '{"repo_instructions":"Be kind."}', metadata: { kind: "recall" } },
    ]);
    expect(coverage["left_out"]).toEqual({ recall: 1 });
  });

  it("OpenHands: results go to the events that caused them, not to ids, which repeat (trap 7)", () => {
    const twice = response("r1", [
      ["t", "one"],
      ["t", "two"],
    ]);
    const again = response("r2", [["t", "three"]]);
    const { steps } = read([
      asks(0, "Go."),
      runs(1, "one", meta("t", twice)),
      runs(2, "two", meta("t", twice)),
      ran(3, 2, "2", {}, meta("t", twice)),
      ran(4, 1, "1", {}, meta("t", twice)),
      runs(5, "three", meta("t", again)),
      ran(6, 5, "3", {}, meta("t", again)),
    ]);
    expect(
      steps.map(({ parameters, output, metadata }) => [
        parameters?.["command"],
        output,
        metadata["parallel"],
      ]),
    ).toEqual([
      ["one", "1", "r1"],
      ["two", "2", "r1"],
      ["three", "3", undefined],
    ]);
  });

  it("OpenHands: calls without a result and results without a call are kept (trap 8)", () => {
    const { steps } = read([asks(0, "Go."), runs(1, "sleep 9"), ran(2, 77, "x")]);
    expect(steps.map(({ type, metadata }) => [type, metadata["status"]])).toEqual([
      ["tool_call", "unanswered"],
      ["tool_result", "ok"],
    ]);
  });

  it.each<[string, object, object]>([
    ["failed", { metadata: { exit_code: 2 } }, { status: "error", exit_code: 2 }],
    ["failed in the older form", { exit_code: 1 }, { status: "error", exit_code: 1 }],
    ["is still running", { metadata: { exit_code: -1 } }, { status: "ok", still_running: true }],
  ])("OpenHands: the outcome of a command that %s is recorded", (_, extras, metadata) => {
    const call = read([asks(0, "Go."), runs(1, "x"), ran(2, 1, "", extras)]).steps[0];
    expect(call?.metadata).toMatchObject(metadata);
  });

  it("OpenHands: refused, failed and interrupted calls have their status", () => {
    const { steps } = read([
      asks(0, "Go."),
      runs(1, "rm"),
      old(2, { cause: 1, observation: "user_rejected", content: "No." }),
      old(3, { action: "browse", args: { url: "u" } }),
      old(4, { cause: 3, observation: "error", content: "Down." }),
      old(5, { action: "call_tool_mcp", args: { name: "n" } }),
      old(6, { cause: 5, observation: "mcp", content: '{"isError":true}' }),
      old(7, { source: "environment", observation: "error", content: "It broke." }),
      runs(8, "w", { source: "user" }),
      old(9, { source: "user", action: "change_agent_state", args: { agent_state: "stopped" } }),
      old(10, { observation: "agent_state_changed", extras: { agent_state: "stopped", reason: "the user" } }),
    ]);
    expect(steps.map(({ type, metadata }) => [type, metadata["status"] ?? metadata["kind"]])).toEqual([
      ["tool_call", "denied"],
      ["tool_call", "error"],
      ["tool_call", "error"],
      ["context", "error"],
      ["tool_call", "interrupted"],
      ["context", "error"],
    ]);
    expect(steps[4]?.metadata["issued_by"]).toBe("user");
  });

  it("OpenHands: truncated outputs are marked (trap 10)", () => {
    const content = "a\n[... Observation truncated due to length ...]\nz";
    const { steps, coverage } = read([asks(0, "Go."), runs(1, "x"), ran(2, 1, content)]);
    expect(steps[0]?.metadata["truncated"]).toBe(true);
    expect(coverage["truncated"]).toBe(1);
  });

  it("OpenHands: forgotten events stay, and the place of the summary is marked (trap 11)", () => {
    const forgets = old(2, {
      action: "condensation",
      args: { summary: "Much.", forgotten_event_ids: [0, 1] },
    });
    const { steps } = read([asks(0, "Go."), runs(1, "x"), forgets]);
    expect(steps).toMatchObject([
      { type: "tool_call" },
      { type: "context", output: "Much.", metadata: { kind: "compaction", forgotten: 2 } },
    ]);
  });

  it("OpenHands: an event that occurs twice counts once (trap 14)", () => {
    const event = runs(1, "x");
    const { steps, coverage } = read([asks(0, "Go."), event, event, ran(2, 1, "a")]);
    expect(steps).toHaveLength(1);
    expect(coverage["duplicates"]).toBe(1);
  });

  it("OpenHands: models are recorded where they change (trap 15)", () => {
    const other = { ...response("r2", [["t2", "b"]]), model: "m-2" };
    const { steps, metadata } = read([
      asks(0, "Go."),
      runs(1, "a", meta("t1", response("r1", [["t1", "a"]]))),
      runs(2, "b", meta("t2", other)),
    ]);
    expect(steps.map((step) => step.metadata["model"])).toEqual(["m-1", "m-2"]);
    expect(metadata["models"]).toEqual(["m-1", "m-2"]);
  });

  it("OpenHands: times without a zone are read as UTC, and coverage says so (trap 19)", () => {
    const { steps, coverage } = read(log);
    expect(steps[0]?.timestamp).toBe("2025-01-27T22:45:02.5Z");
    expect(coverage["unknown"]).toContain("the time zone (times are taken as UTC)");
  });

  it("OpenHands: files have their content before and after edits", () => {
    const edited = (id: number, extras: object) => [
      old(id, { action: "edit", args: { path: "/workspace/a" } }),
      old(id + 1, {
        cause: id,
        observation: "edit",
        content: "diff",
        extras: { path: "/workspace/a", ...extras },
      }),
    ];
    const { inputs, outputs, steps } = read([
      asks(0, "Go."),
      runs(1, "pwd"),
      ran(2, 1, "", { metadata: { exit_code: 0, working_dir: "/workspace" } }),
      ...edited(3, {
        prev_exist: true,
        old_content: "1",
        new_content: "2",
        formatted_output_and_error: "edited",
      }),
      ...edited(5, { prev_exist: true, old_content: "2", new_content: "3" }),
      old(7, { action: "write", args: { path: "b", content: "new", start: 0, end: -1 } }),
      old(8, { cause: 7, observation: "write", content: "", extras: { path: "b" } }),
    ]);
    expect(inputs).toEqual({ a: "1" });
    expect(outputs).toEqual({ a: "3", b: "new" });
    expect(steps[1]?.seen).toBe("edited");
  });

  it("OpenHands: a damaged line and an incomplete last line are counted, the rest is read (trap 17)", () => {
    const text = `${lines(asks(0, "Go."), runs(1, "x"))}{broken\n${lines(ran(2, 1, "a"))}{"id":3,`;
    const { steps, coverage } = read(text);
    expect(steps).toMatchObject([{ output: "a" }]);
    expect(coverage).toMatchObject({ records: 3, damaged: { count: 1 }, partial_last_line: true });
  });

  it("OpenHands: events of unknown kinds are counted", () => {
    const { coverage, steps } = read([
      asks(0, "Go."),
      old(1, { action: "dance", args: {} }),
      old(2, { action: "jump", ...meta("t", response("r", [["t", "x"]])) }),
    ]);
    expect(coverage["skipped"]).toEqual({ dance: 1 });
    expect(steps).toMatchObject([{ type: "tool_call", tool: "execute_bash" }]);
  });
});

describe("evaluations", () => {
  const history = [
    { action: "message", content: "Fix it." },
    { action: "run", command: "ls", thought: "I look.", keep_prompt: true },
    { observation: "run", content: "a", command: "ls", exit_code: 0 },
    { action: "message", content: "What now?" },
    { action: "message", content: "Go on." },
    { action: "finish", thought: "Done.", outputs: {} },
  ];
  const task = {
    instance_id: "case-1",
    instruction: "Fix it.",
    metadata: { agent_class: "CodeAct", llm_config: { model: "m", temperature: 0 } },
    history,
    metrics: { accumulated_cost: 0.25 },
    test_result: { git_patch: "diff --git a/a b/a\n", resolved: true },
    error: null,
  };

  it("OpenHands: an evaluation has one run per line", () => {
    const [one, two] = readAll(lines(task, { ...task, instance_id: "case-2" }));
    expect(one?.metadata).toMatchObject({
      instance_id: "case-1",
      test_result: { resolved: true },
      cost_usd: 0.25,
    });
    expect(one?.run.model).toEqual({ identifier: "m", parameters: { temperature: 0 } });
    expect(one?.outputs[".submission.patch"]).toBe("diff --git a/a b/a\n");
    expect(two?.metadata["instance_id"]).toBe("case-2");
  });

  it("OpenHands: events of an evaluation have no ids, and each result follows its action", () => {
    const { steps, prompts } = read(lines(task));
    expect(prompts).toEqual(["Fix it.", "Go on."]);
    expect(steps.map(({ type, tool, output }) => [type, tool, output])).toEqual([
      ["message", undefined, "I look."],
      ["tool_call", "run", "a"],
      ["message", undefined, "What now?"],
      ["message", undefined, "Done."],
      ["tool_call", "finish", undefined],
    ]);
    expect(steps[1]?.parameters).toEqual({ command: "ls" });
  });

  it("OpenHands: an evaluation may have pairs of actions and observations", () => {
    const pairs = [
      [history[0], {}],
      [history[1], history[2]],
      [history[5], null],
    ];
    const { steps, coverage } = read(lines({ ...task, history: pairs }));
    expect(steps[1]).toMatchObject({ tool: "run", output: "a" });
    expect(coverage["skipped"]).toEqual({ "event without action or observation": 1 });
  });

  it("OpenHands: a line of an evaluation without a history is counted", () => {
    const { coverage, runs: found } = readForeign(
      openhands,
      lines({ instance_id: "x", history: null }, task, { instance_id: "y" }),
    );
    expect(found).toHaveLength(1);
    expect(coverage.toJson([])).toMatchObject({ skipped: { "line without a history": 2 } });
  });

  it("OpenHands: an evaluation may have events of the SDK", () => {
    const events = [{ kind: "ActionEvent", id: "a", tool_name: "terminal", action: { command: "ls" } }];
    const { steps, prompts } = read(
      lines({ instance_id: "i", instruction: "Fix it.", history: events, git_patch: "" }),
    );
    expect(prompts).toEqual(["Fix it."]);
    expect(steps).toMatchObject([{ tool: "terminal", parameters: { command: "ls" } }]);
  });
});

describe("damaged logs", () => {
  it("OpenHands: a list that is cut off is read up to there", () => {
    const text = JSON.stringify([asks(0, "Go."), runs(1, "x"), ran(2, 1, "a")]);
    const { steps, coverage } = read(text.slice(0, -40));
    expect(steps).toHaveLength(1);
    expect(coverage["partial_last_line"]).toBe(true);
  });

  it.each(["[]", "[1]", "[", "x", '"x"'])("OpenHands: %s is no log", (log) => {
    expect(() => readForeign(openhands, log)).toThrow(expect.objectContaining({ code: "log-unreadable" }));
  });

  it("OpenHands: the specimens are read without unknown records", () => {
    for (const log of openhandsSpecimens)
      for (const { coverage } of readAll(String(log))) expect(coverage).not.toHaveProperty("skipped");
  });
});
