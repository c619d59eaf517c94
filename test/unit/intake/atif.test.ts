// Trajectories in ATIF and its dialects.
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { atif } from "../../../src/intake/formats/atif/format.js";
import { headOf } from "../../../src/intake/head.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import { atifSpecimens } from "../../../dev/specimens/atif.js";

const at = (second: number) => `2026-04-01T09:00:${String(second).padStart(2, "0")}Z`;
const user = { step_id: 1, timestamp: at(0), source: "user", message: "What is in a.txt?" };
const call = (id: string, tool = "read_file", more = {}) => ({
  tool_call_id: id,
  function_name: tool,
  arguments: { path: "a.txt" },
  ...more,
});
const agent = (second: number, more: Record<string, unknown>) => ({
  step_id: second,
  timestamp: at(second),
  source: "agent",
  message: "",
  ...more,
});
const results = (...list: unknown[]) => ({ results: list });
const reads = agent(2, {
  reasoning_content: "I should look.",
  message: "Let me see.",
  tool_calls: [call("c1")],
  observation: results({ source_call_id: "c1", content: "apples" }),
  metrics: { prompt_tokens: 10, completion_tokens: 3, cached_tokens: 4, cost_usd: 0.5 },
});
const says = agent(4, {
  message: "Apples.",
  metrics: { prompt_tokens: 20, completion_tokens: 2, cost_usd: 0.25 },
});

const trajectory = (steps: unknown[], more = {}) => ({
  schema_version: "ATIF-v1.7",
  session_id: "s1",
  trajectory_id: "t1",
  agent: { name: "harness", version: "1.2", model_name: "m-1" },
  steps,
  ...more,
});
const simple = trajectory([user, reads, says]);

function read(log: unknown) {
  const taken = readForeign(atif, typeof log === "string" ? log : JSON.stringify(log, null, 1));
  return {
    ...taken,
    all: taken.runs.map((run) => summaryOf(run, taken.text)),
    ...summaryOf(taken.runs[0] as ExecutionLog, taken.text),
  };
}

function summaryOf(run: ExecutionLog, text: ReturnType<typeof readForeign>["text"]) {
  const steps = (run.steps ?? []).map((step) => ({
    ...step,
    output: text(step.output),
    metadata: step.metadata ?? {},
  }));
  const metadata = run.metadata ?? {};
  return {
    run,
    steps,
    metadata,
    coverage: metadata["coverage"] as Record<string, unknown>,
    source: metadata["source"] as Record<string, unknown>,
    system: text(run.system_prompt),
    prompts: (run.prompts ?? []).map(({ content }) => text(content)),
    /** Each step in a few words. */
    short: steps.map(({ type, tool, output, metadata: { status, kind } }) =>
      [type, tool ?? kind, output, status]
        .flatMap((word) => (word === undefined ? [] : (word as string)))
        .join(" "),
    ),
  };
}

const agentCalls = (...calls: unknown[]) => agent(2, { tool_calls: calls });
const answered = (calls: unknown[], ...list: unknown[]) =>
  agent(2, { tool_calls: calls, observation: results(...list) });
const statusOf = (result: unknown, more = {}) =>
  read(trajectory([user, { ...answered([call("c1")], result), ...more }])).steps[0]?.metadata;

const systemStep = (message: string) => ({ step_id: 1, source: "system", message });

const resultStep = (second: number, id: string, success: boolean, content: string) => ({
  step_id: second,
  timestamp: at(second),
  source: "system",
  message: `Tool result for ${id}`,
  observation: {
    type: "tool_result",
    content,
    result: { success, ...(success ? { output: content } : { error: content }) },
  },
});

const sub = (id: string, steps: unknown[], more = {}) => ({
  ...trajectory(steps),
  session_id: "s1",
  trajectory_id: id,
  ...more,
});

const ref = (id: string) => ({ subagent_trajectory_ref: [{ trajectory_id: id, session_id: "s1" }] });

it("ATIF: the specimens are small, recognised and read without a remark", () => {
  for (const specimen of atifSpecimens) {
    expect(specimen.length).toBeLessThan(6000);
    expect(fits(atif, specimen)).toBe(true);
    const { coverage } = readForeign(atif, specimen);
    expect(coverage.isClean).toBe(true);
  }
});

describe("recognition of ATIF", () => {
  it.each<[string, unknown]>([
    ["a trajectory", simple],
    [
      "a trajectory of the first version",
      { schema_version: "ATIF-v1.0", session_id: "s", agent: { name: "a" }, steps: [] },
    ],
    ["a trajectory of a future version", { ...simple, schema_version: "ATIF-v1.8" }],
    ["a trajectory whose schema version lacks the name", { ...simple, schema_version: "1.4" }],
    ["a list of trajectories", [simple, simple]],
  ])("ATIF: the format recognises %s", (_, log) => {
    expect(fits(atif, JSON.stringify(log))).toBe(true);
    expect(fits(atif, JSON.stringify(log, null, 2))).toBe(true);
  });

  it("ATIF: a log with a trajectory per line, and a trajectory longer than the inspected head, are recognised", () => {
    expect(fits(atif, lines(simple, simple))).toBe(true);
    expect(fits(atif, JSON.stringify(trajectory([{ ...user, message: "x".repeat(2 << 20) }])))).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ["a version alone", { schema_version: "ATIF-v1.7" }, "it has neither an agent nor steps"],
    ["steps without a version", { steps: [user] }, "it has no schema_version that starts with ATIF-"],
    [
      "another schema",
      { schema_version: "1.0", items: [] },
      "it has no schema_version that starts with ATIF-, and no such steps",
    ],
    [
      "steps of another kind",
      { schema_version: "2.0", agent: {}, steps: [{ type: "x" }] },
      "it has no schema_version that starts with ATIF-, and no such steps",
    ],
    ["a text", "x", "it is not a JSON object"],
  ])("ATIF: the format does not recognise %s", (_, log, missing) => {
    expect(atif.sniff(headOf(Buffer.from(JSON.stringify(log)), true))).toMatchObject({ missing });
  });
});

describe("a trajectory", () => {
  it("ATIF: a trajectory becomes prompts and steps in its order", () => {
    const { short, prompts, steps, run } = read(simple);
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(short).toEqual([
      "reasoning I should look.",
      "message Let me see.",
      "tool_call read_file apples ok",
      "message Apples.",
    ]);
    expect(steps[2]).toMatchObject({
      parameters: { path: "a.txt" },
      timestamp: at(2),
      deterministic: true,
      metadata: { call_id: "c1" },
    });
    expect(run.created).toBe(at(4));
  });

  it("ATIF: a run records agent, model, usage, cost and notes", () => {
    const { run, metadata, source } = read({ ...simple, notes: "by hand", extra: { a: 1 } });
    expect(run.model).toEqual({ identifier: "m-1", parameters: {} });
    expect(source).toEqual({
      format: "atif",
      agent: "harness",
      session: "s1",
      trajectory: "t1",
      schema: "ATIF-v1.7",
      version: "1.2",
    });
    expect(run.environment.tool_versions).toEqual({ harness: "1.2" });
    expect(metadata).toMatchObject({
      usage: { requests: 2, input_tokens: 30, output_tokens: 5, cache_read_input_tokens: 4 },
      cost_usd: 0.75,
      notes: "by hand",
      extra: { a: 1 },
    });
  });

  it("ATIF: totals count if the trajectory has them", () => {
    const final_metrics = {
      total_prompt_tokens: 100,
      total_completion_tokens: 9,
      total_cached_tokens: 50,
      total_cost_usd: 2,
      total_steps: 3,
    };
    const { metadata } = read({ ...simple, final_metrics });
    expect(metadata).toMatchObject({
      usage: { input_tokens: 100, output_tokens: 9, cache_read_input_tokens: 50 },
      cost_usd: 2,
      final_metrics,
    });
  });

  it("ATIF: tools, settings and changes of the model are recorded", () => {
    const about = {
      name: "a",
      model_name: "m-1",
      tool_definitions: [{ type: "function", function: { name: "read_file" } }],
      extra: { temperature: 0.2, note: "x" },
    };
    const steps = [
      user,
      agent(2, { message: "a", reasoning_effort: "low" }),
      agent(3, { message: "b", model_name: "m-2", reasoning_effort: "high" }),
    ];
    const { run, metadata, steps: done } = read(trajectory(steps, { agent: about }));
    expect(run.model).toEqual({
      identifier: "m-2",
      parameters: { temperature: 0.2, reasoning_effort: "low" },
    });
    expect(metadata).toMatchObject({
      tools: ["read_file"],
      models: ["m-1", "m-2"],
      agent_extra: { note: "x" },
    });
    expect(done[1]?.metadata).toMatchObject({ model: "m-2", reasoning_effort: "high" });
  });

  it("ATIF: the first system message before any answer is the system prompt", () => {
    const { system: prompt, short } = read(
      trajectory([systemStep("Be brief."), user, systemStep("More."), says, systemStep("Late.")]),
    );
    expect(prompt).toBe("Be brief.");
    expect(short).toEqual(["context system More.", "message Apples.", "context system Late."]);
    expect(read(trajectory([user, says, systemStep("Late.")])).system).toBe("");
  });

  it("ATIF: small extra fields are kept, large ones are counted as left out", () => {
    const steps = [
      { ...user, extra: { a: 1 } },
      agent(2, { message: "x", extra: { b: 2 }, llm_call_count: 0 }),
      answered([call("c1", "f", { extra: { c: 3 } })], {
        source_call_id: "c1",
        content: "y",
        extra: { d: 4 },
      }),
      agent(3, { message: "z", extra: { e: "x".repeat(5000) } }),
    ];
    const { steps: done, coverage } = read(trajectory(steps));
    expect(done[0]?.metadata).toMatchObject({ extra: { b: 2 }, llm_calls: 0 });
    expect(done[1]?.metadata).toMatchObject({ call_extra: { c: 3 }, result_extra: { d: 4 } });
    expect(done[2]?.metadata).not.toHaveProperty("extra");
    expect(coverage["left_out"]).toMatchObject({
      "extra of a prompt": 1,
      "extra (too large for metadata)": 1,
    });
  });

  it("ATIF: steps and fields that are not read are counted", () => {
    const steps = [
      user,
      7,
      { source: "oracle", message: "x" },
      { message: "y" },
      agent(2, { message: "z", metrics: { logprobs: [1], prompt_token_ids: [2] } }),
    ];
    const { coverage } = read({ ...trajectory(steps), novelty: 1 });
    expect(coverage).toMatchObject({
      records: 4,
      skipped: { "step that is no object": 1, "step of source oracle": 1, "step without a source": 1 },
      left_out: { "field novelty": 1, "metrics: logprobs": 1, "metrics: prompt_token_ids": 1 },
    });
  });
});

describe("content in parts", () => {
  it("ATIF: texts, embedded pictures and pictures that lie elsewhere make up a prompt", () => {
    const message = [
      { type: "text", text: "Look:" },
      { type: "image", source: { media_type: "image/png", path: "images/a.png" } },
      { type: "image", source: { media_type: "image/png", path: "data:image/png;base64,AAAA" } },
      { type: "image", source: { media_type: "image/jpeg", data: "AAAA" } },
      { type: "hologram" },
    ];
    const { prompts, run, coverage } = read(trajectory([{ ...user, message }]));
    expect(prompts).toEqual(["Look:\n[image/png: images/a.png]\n[.attached/1.png]\n[.attached/2.jpg]"]);
    expect(run.inputs?.map(({ name }) => name)).toEqual([".attached/1.png", ".attached/2.jpg"]);
    expect(coverage["skipped"]).toEqual({ "content of type hologram": 1 });
    expect(coverage["unknown"]).toContain("pictures and other files that the log only names");
  });

  it("ATIF: the text parts of a result are joined", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(
      read(trajectory([user, answered([call("c1")], { source_call_id: "c1", content })])).steps[0]?.output,
    ).toBe("a\nb");
  });
});

describe("calls and their results", () => {
  it("ATIF: calls and results are matched by id, in any order and across steps", () => {
    const steps = [
      user,
      agentCalls(call("c1"), call("c2")),
      { source: "system", observation: results({ source_call_id: "c2", content: "two" }) },
      agent(4, { observation: results({ source_call_id: "c1", content: "one" }) }),
    ];
    const { short, steps: done } = read(trajectory(steps));
    expect(short).toEqual(["tool_call read_file one ok", "tool_call read_file two ok"]);
    expect(done[0]?.metadata["parallel"]).toBe(done[1]?.metadata["parallel"]);
  });

  it("ATIF: calls and results without ids are matched by position if there are as many", () => {
    const two = [call("c1"), call("c2")];
    expect(read(trajectory([user, answered(two, { content: "one" }, { content: "two" })])).short).toEqual([
      "tool_call read_file one ok",
      "tool_call read_file two ok",
    ]);
    expect(read(trajectory([user, answered(two, { content: "both" })])).short).toEqual([
      "tool_call read_file unanswered",
      "tool_call read_file unanswered",
      "tool_result both ok",
    ]);
    expect(
      read(trajectory([user, answered(two, { source_call_id: "c1", content: "one" }, { content: "two" })]))
        .short,
    ).toEqual(["tool_call read_file one ok", "tool_call read_file two ok"]);
  });

  it("ATIF: calls with the same id are told apart", () => {
    const once = (content: string) => answered([call("c1")], { source_call_id: "c1", content });
    const place = answered([call("c1")], { content: "three" });
    expect(read(trajectory([user, once("one"), once("two"), place, once("four")])).short).toEqual(
      ["one", "two", "three", "four"].map((word) => `tool_call read_file ${word} ok`),
    );
  });

  it("ATIF: calls without a result, results without a call and second results are kept", () => {
    const steps = [
      user,
      answered(
        [call("c1"), call("c2")],
        { source_call_id: "c1", content: "one" },
        { source_call_id: "c1", content: "again" },
        { source_call_id: "c9", content: "nobody's" },
      ),
    ];
    const { short, coverage } = read(trajectory(steps));
    expect(short).toEqual([
      "tool_call read_file one ok",
      "tool_call read_file unanswered",
      "tool_result again ok",
      "tool_result nobody's ok",
    ]);
    expect(coverage["duplicates"]).toBe(1);
  });

  it("ATIF: arguments may be text, and the name of a tool may be missing", () => {
    const { steps } = read(
      trajectory([
        user,
        agentCalls({ tool_call_id: "a", arguments: '{"x":1}' }, { function_name: "f", arguments: "{no" }, 7),
      ]),
    );
    expect(steps).toMatchObject([
      { tool: "unknown", parameters: { x: 1 } },
      { tool: "f", parameters: { arguments: "{no" } },
    ]);
  });

  it.each<[string, unknown, object, unknown]>([
    ["the absence of any mark", {}, {}, { status: "ok" }],
    [
      "the status of ctx",
      { extra: { ctx: { status: "denied", exit_code: 2, metadata: { why: "x" } } } },
      {},
      { status: "denied", exit_code: 2, why: "x" },
    ],
    ["an unknown status of ctx", { extra: { ctx: { status: "great" } } }, {}, { status: "ok" }],
    ["a flag", { is_error: true }, {}, { status: "error" }],
    ["a flag in its extra", { extra: { is_error: true } }, {}, { status: "error" }],
    ["a word in its extra", { extra: { status: "failed" } }, {}, { status: "error" }],
    ["a word that is no status", { extra: { status: "constructor" } }, {}, { status: "ok" }],
    ["an exit code", { extra: { exit_code: 3 } }, {}, { status: "error", exit_code: 3 }],
    ["the step's extra", {}, { extra: { tool_result_is_error: true } }, { status: "error" }],
    ["a cancelled status in its extra", { extra: { status: "cancelled" } }, {}, { status: "interrupted" }],
  ])("ATIF: the status of a call follows from %s", (_, result, more, expected) => {
    expect(statusOf({ source_call_id: "c1", content: "x", ...(result as object) }, more)).toMatchObject(
      expected as object,
    );
  });

  it("ATIF: metadata that ctx wrote itself is not kept twice", () => {
    const metadata = statusOf({
      source_call_id: "c1",
      content: "x",
      extra: { ctx: { status: "ok" }, mine: 1 },
    });
    expect(metadata).toMatchObject({ status: "ok", result_extra: { mine: 1 } });
  });
});

describe("the dialect of OpenAgents", () => {
  it("ATIF: in the dialect of OpenAgents, results precede the step that lists their calls", () => {
    const calls = [
      { id: "x1", name: "Write", arguments: { file_path: "a.txt", content: "" } },
      { id: "x2", name: "Bash", arguments: { command: "pwd" } },
    ];
    const log = {
      ...trajectory([
        user,
        resultStep(2, "x1", false, "denied"),
        resultStep(3, "x2", true, "/tmp"),
        agent(4, { message: "So.", tool_calls: calls }),
      ]),
      schema_version: "1.4",
      agent: { name: "claude-code", version: "2.0", model: "m-9", provider: "p" },
    };
    const { short, run } = read(log);
    expect(short).toEqual(["message So.", "tool_call Write denied error", "tool_call Bash /tmp ok"]);
    expect(run.model).toEqual({ identifier: "m-9", parameters: { model_provider: "p" } });
  });

  it("ATIF: in the dialect of OpenAgents, a result whose call never comes is a step of its own", () => {
    expect(read(trajectory([user, resultStep(2, "x1", true, "so")])).short).toEqual(["tool_result so ok"]);
  });
});

describe("copied context", () => {
  it("ATIF: copied context is kept and marked, and its usage is not counted again", () => {
    const { steps, prompts, metadata } = read(
      trajectory([{ ...user, is_copied_context: true }, { ...reads, is_copied_context: true }, says]),
    );
    expect(prompts).toHaveLength(1);
    expect(steps.map((step) => step.metadata["copied"])).toEqual([true, true, true, undefined]);
    expect(metadata).toMatchObject({
      copied_steps: 2,
      cost_usd: 0.25,
      usage: { requests: 1, input_tokens: 20 },
    });
  });

  it("ATIF: a trajectory that continues elsewhere names the other one", () => {
    const { source, coverage } = read({ ...simple, continued_trajectory_ref: "trajectory.cont-1.json" });
    expect(source["continued_in"]).toBe("trajectory.cont-1.json");
    expect(coverage["unknown"]).toContain("the rest of the run (it goes on in another trajectory)");
  });
});

describe("sub-agents", () => {
  it("ATIF: sub-agents are packs of their own, named by the calls that started them", () => {
    const inner = sub("t3", [user, says]);
    const outer = sub(
      "t2",
      [user, answered([call("i", "task")], { source_call_id: "i", content: "in", ...ref("t3") }), says],
      { subagent_trajectories: [inner] },
    );
    const log = trajectory(
      [user, answered([call("c1", "task")], { source_call_id: "c1", content: "done", ...ref("t2") })],
      {
        subagent_trajectories: [outer, sub("t9", [user, says])],
      },
    );
    const { steps, subs, metadata } = read(log);
    expect(subs.map(({ agent: name }) => name)).toEqual(["t3", "t2", "t9"]);
    expect(steps[0]?.pack).toMatch(/0{63}2$/);
    expect(subs[1]?.run.steps?.[0]?.pack).toMatch(/0{63}1$/);
    expect(subs.map(({ run }) => run.metadata?.["source"])).toMatchObject([
      { session: "s1", subagent: "t3" },
      { session: "s1", subagent: "t2" },
      { session: "s1", subagent: "t9" },
    ]);
    expect(metadata["subagents"]).toMatchObject([{ agent: "t9" }]);
  });

  it("ATIF: sub-agents of older versions are found by their session", () => {
    const child = { ...sub("", [user, says]), session_id: "child", trajectory_id: undefined };
    const log = trajectory(
      [
        user,
        answered([call("c1")], { source_call_id: "c1", subagent_trajectory_ref: [{ session_id: "child" }] }),
      ],
      { subagent_trajectories: [child] },
    );
    expect(read(log).steps[0]?.pack).toMatch(/0{63}1$/);
  });

  it("ATIF: sub-agents in files of their own are recorded as missing", () => {
    const refs = [{ session_id: "x", trajectory_path: "../../x.json" }];
    const { steps, coverage } = read(
      trajectory([user, answered([call("c1")], { source_call_id: "c1", subagent_trajectory_ref: refs })]),
    );
    expect(steps[0]?.metadata["subagents"]).toEqual(refs);
    expect(coverage["unknown"]).toContain("what some sub-agents did (their trajectories are not in the log)");
  });

  it("ATIF: sub-agents with the same name, or nested too deep, do no harm", () => {
    const twice = trajectory(
      [user, answered([call("c1")], { source_call_id: "c1", content: "", ...ref("t2") })],
      { subagent_trajectories: [sub("t2", [user]), sub("t2", [user])] },
    );
    expect(read(twice).steps[0]?.pack).toBeUndefined();
    let nested: unknown = sub("t0", [user]);
    for (let depth = 0; depth < 60; depth++)
      nested = sub(`n${depth}`, [user], { subagent_trajectories: [nested] });
    expect(read(nested).subs).toHaveLength(20);
  });
});

describe("several trajectories", () => {
  it.each<[string, string]>([
    ["in a list", JSON.stringify([simple, { ...simple, session_id: "s2" }, 7])],
    ["one per line", lines(simple, { ...simple, session_id: "s2" }, { x: 1 })],
  ])("ATIF: several trajectories %s are one run each", (_, log) => {
    const { all, coverage } =
      readForeign(atif, log).runs.length === 2 ? read(log) : { all: [], coverage: {} };
    expect(all.map(({ source }) => source["session"])).toEqual(["s1", "s2"]);
    expect(coverage).toMatchObject({ records: 3 });
  });
});

describe("a damaged log", () => {
  it("ATIF: a log that breaks off is read up to there", () => {
    const text = JSON.stringify(simple);
    const { prompts, coverage } = read(text.slice(0, text.indexOf("Let me see")));
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(coverage).toMatchObject({ partial_last_line: true });
  });

  it.each(["[]", "{}", '{"schema_version":"ATIF-v1.7","steps":7}', "[7]"])(
    "ATIF: %s is unreadable",
    (log) => {
      let code = "";
      try {
        readForeign(atif, log);
      } catch (error) {
        if (error instanceof CtxError) ({ code } = error);
      }
      expect(code).toBe("log-unreadable");
    },
  );

  it.each([
    trajectory([
      { source: "agent", message: { a: 1 }, tool_calls: 7, observation: [], metrics: "x", extra: 3 },
    ]),
    trajectory([
      { source: "agent", message: [null, 7, []], tool_calls: [{}], observation: { results: [7, {}] } },
    ]),
    trajectory([{ source: "system", message: 9, observation: { content: null } }], {
      agent: 7,
      final_metrics: [],
      extra: "x",
    }),
    trajectory([{ source: "user" }], {
      subagent_trajectories: [{}, { steps: 7 }, 7],
      agent: { name: "__proto__", version: "__proto__" },
    }),
    trajectory([
      agentCalls(call("__proto__")),
      answered([call("constructor")], { source_call_id: "__proto__", content: "x" }),
    ]),
    trajectory([{ source: "user", message: "a\ud800", timestamp: 5, step_id: "x" }]),
  ])("ATIF: a log of any shape is read (%#)", (log) => {
    expect(read(log).runs).toHaveLength(1);
  });
});
