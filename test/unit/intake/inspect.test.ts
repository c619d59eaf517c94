// Logs of Inspect: one run for each sample, from its events and its messages.
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { inspect } from "../../../src/intake/formats/inspect/format.js";
import { headOf } from "../../../src/intake/head.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, readForeign } from "../../../dev/intake.js";
import { inspectSpecimens } from "../../../dev/specimens/inspect.js";
import { archiveOf, zipOf } from "../../../dev/zip.js";

const at = (second: number) => `2026-03-01T12:00:${String(second).padStart(2, "0")}+02:00`;

const about = {
  eval_id: "ev1",
  run_id: "r1",
  task: "fruit",
  task_id: "t1",
  created: at(0),
  model: "acme/m-1",
  model_generate_config: { temperature: 0.5, max_tokens: null },
  model_args: {},
  dataset: { name: "d" },
  sandbox: { type: "docker" },
  packages: { inspect_ai: "0.3.100", __proto__: "no" },
  revision: { type: "git", origin: "git@x:y.git", commit: "abc1234" },
};
const head = {
  version: 2,
  status: "success",
  eval: about,
  plan: { steps: [{ solver: "react" }], config: {} },
};

const system = { id: "m0", role: "system", content: "Be brief." };
const user = { id: "m1", role: "user", source: "input", content: "What is in a.txt?" };
const call = (id: string, fn: string, args: unknown) => ({
  id,
  function: fn,
  arguments: args,
  type: "function",
});
const asks = {
  id: "m2",
  role: "assistant",
  source: "generate",
  content: "",
  tool_calls: [call("c1", "bash", { cmd: "cat a.txt" })],
};
const got = { id: "m3", role: "tool", tool_call_id: "c1", function: "bash", content: "apples" };
const says = { id: "m4", role: "assistant", source: "generate", content: "Apples." };

const model = (second: number, input: unknown[], message: unknown, more = {}) => ({
  event: "model",
  timestamp: at(second),
  completed: at(second + 1),
  span_id: "main",
  model: "acme/m-1",
  input,
  tools: [{ name: "bash" }],
  config: { top_p: 0.9 },
  output: {
    model: "m-1-0301",
    choices: [{ message, stop_reason: "stop" }],
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  ...more,
});
const tool = (second: number, id: string, more = {}) => ({
  event: "tool",
  timestamp: at(second),
  completed: at(second + 1),
  span_id: "main",
  id,
  function: "bash",
  arguments: { cmd: "cat a.txt" },
  result: "apples",
  working_time: 1,
  ...more,
});

const sample = {
  id: "s/1",
  epoch: 2,
  uuid: "u1",
  input: "What is in a.txt?",
  target: "apples",
  messages: [system, user, asks, got, says],
  output: { model: "m-1-0301", choices: [{ message: says }] },
  scores: { match: { value: "C", answer: "Apples." } },
  model_usage: {
    "acme/m-1": {
      input_tokens: 10,
      output_tokens: 4,
      input_tokens_cache_read: 3,
      reasoning_tokens: 1,
      total_cost: 0.25,
    },
  },
  events: [
    { event: "span_begin", timestamp: at(0), id: "main", type: "agent", name: "react", span_id: "main" },
    model(1, [system, user], asks),
    {
      event: "span_begin",
      timestamp: at(3),
      id: "t",
      parent_id: "main",
      type: "tool",
      name: "bash",
      span_id: "t",
    },
    tool(3, "c1"),
    { event: "sandbox", timestamp: at(3), span_id: "t", action: "exec", cmd: "bash", result: 3 },
    model(5, [system, user, asks, got], says),
  ],
};

const log = (...samples: unknown[]) => ({ ...head, samples });

function read(source: unknown) {
  const bytes =
    typeof source === "string" || Buffer.isBuffer(source) ? source : JSON.stringify(source, null, 1);
  const taken = readForeign(inspect, bytes);
  return {
    ...taken,
    all: taken.runs.map((run) => summaryOf(run, taken.text)),
    ...summaryOf(taken.runs[0] as ExecutionLog, taken.text),
  };
}

function summaryOf(run: ExecutionLog, text: ReturnType<typeof readForeign>["text"]) {
  const steps = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    parameters: step.parameters,
    output: text(step.output),
    seen: text(step.seen),
    timestamp: step.timestamp,
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
    short: steps.map(({ type, tool: name, output, metadata: { status, kind } }) =>
      [type, name ?? kind, output, status]
        .flatMap((word) => (word === undefined ? [] : (word as string)))
        .join(" "),
    ),
  };
}

const eventsOnly = (events: unknown[], more = {}) =>
  log({ ...sample, messages: [], output: undefined, events, ...more });

const bare = (message: Record<string, unknown>) => ({ ...message, id: undefined });

const step = (action: string) => ({ event: "step", action, type: "scorer", name: "s", timestamp: at(6) });

const ask = (id: string) => ({ ...asks, id });

const span = (id: string, parent: string, type: string, name: string) => ({
  event: "span_begin",
  timestamp: at(2),
  id,
  parent_id: parent,
  type,
  name,
  span_id: id,
});

const pooled = (first: unknown, second: unknown) => [
  model(1, [], asks, { input_refs: first }),
  tool(3, "c1"),
  model(5, [], says, { input_refs: second }),
];

it("Inspect: the specimens are small, recognised and read without a remark", () => {
  for (const specimen of inspectSpecimens) {
    expect(specimen.length).toBeLessThan(6000);
    expect(fits(inspect, specimen)).toBe(true);
    const { coverage } = readForeign(inspect, specimen);
    expect(coverage.isClean).toBe(true);
  }
});

describe("recognition of Inspect", () => {
  it("Inspect: a document, one that is cut off, and an archive are recognised", () => {
    expect(fits(inspect, JSON.stringify(log(sample)))).toBe(true);
    expect(fits(inspect, JSON.stringify(log(sample), null, 2).slice(0, 900))).toBe(true);
    expect(fits(inspect, archiveOf({ "_journal/start.json": head }))).toBe(true);
    expect(fits(inspect, archiveOf({ "samples/1_epoch_1.json": sample, "header.json": head }))).toBe(true);
    expect(fits(inspect, archiveOf({ "other.json": 1, "header.json": head }))).toBe(true);
  });

  it.each<[string, unknown, string]>([
    [
      "another archive",
      zipOf([{ name: "word/document.xml", content: "x" }]),
      "it is an archive without header.json and _journal/start.json",
    ],
    ["an evaluation without a task", { ...head, eval: { model: "m" } }, 'its "eval" names no task and model'],
    [
      "an evaluation of something else",
      { eval: { task: "t", model: "m" } },
      "it has neither a status nor a plan",
    ],
    ["a document without an evaluation", { messages: [] }, 'it has no "eval"'],
    ["a list of evaluations", [head], "it is neither an archive nor a JSON object"],
  ])("Inspect: the format does not recognise %s", (_, other, missing) => {
    const bytes = Buffer.from(Buffer.isBuffer(other) ? other : JSON.stringify(other));
    expect(inspect.sniff(headOf(bytes, true))).toMatchObject({ missing });
  });
});

describe("a sample with events", () => {
  it("Inspect: a sample with events is read once, with the times of its events", () => {
    const { steps, system: prompt, prompts, run } = read(log(sample));
    expect(prompt).toBe("Be brief.");
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(steps).toMatchObject([
      {
        type: "tool_call",
        tool: "bash",
        parameters: { cmd: "cat a.txt" },
        output: "apples",
        seen: undefined,
        timestamp: "2026-03-01T10:00:02Z",
        metadata: { status: "ok", call_id: "c1", exit_code: 3, agent: "react", working_time: 1 },
      },
      { type: "message", output: "Apples.", timestamp: "2026-03-01T10:00:06Z" },
    ]);
    expect(run.created).toBe("2026-03-01T10:00:06Z");
    expect(run.outputs?.map(({ name }) => name)).toEqual([".answer.md"]);
  });

  it("Inspect: a run records its settings, usage, versions and scores", () => {
    const { run, metadata, source } = read(log(sample));
    expect(run.model).toEqual({ identifier: "acme/m-1", parameters: { temperature: 0.5, top_p: 0.9 } });
    expect(source).toEqual({
      format: "inspect",
      session: "ev1/s/1/2",
      version: "0.3.100",
      eval: "ev1",
      run: "r1",
      sample: "s/1",
      epoch: 2,
      uuid: "u1",
    });
    expect(run.environment.tool_versions).toEqual({ inspect_ai: "0.3.100" });
    expect(metadata).toMatchObject({
      usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 3, reasoning_output_tokens: 1 },
      cost_usd: 0.25,
      git: { commit: "abc1234", remote: "git@x:y.git" },
      sandbox: { type: "docker" },
      scores: { match: { value: "C" } },
      target: "apples",
      task: "fruit",
      status: "success",
      tools: ["bash"],
      solvers: ["react"],
      response_models: ["m-1-0301"],
    });
  });

  it("Inspect: events and fields that are left out are counted", () => {
    const events = [
      ...sample.events,
      { event: "state", timestamp: at(7) },
      { event: "quux", timestamp: at(7) },
      7,
    ];
    const { coverage } = read(log({ ...sample, events, store: { a: 1 }, novelty: 1 }));
    expect(coverage).toMatchObject({
      records: 8 + 5,
      skipped: { quux: 1, "event that is no object": 1 },
      left_out: { span_begin: 2, "sandbox exec": 1, state: 1, "field store": 1, "field novelty": 1 },
    });
  });

  it("Inspect: usage is that of the requests if the sample has none", () => {
    const { metadata } = read(log({ ...sample, model_usage: {} }, sample));
    expect(metadata["usage"]).toEqual({ requests: 2, input_tokens: 10, output_tokens: 4 });
    const alone = read({
      ...log({ ...sample, model_usage: undefined }),
      stats: { model_usage: { m: { input_tokens: 9 } } },
    });
    expect(alone.metadata["usage"]).toEqual({ input_tokens: 9 });
  });
});

describe("attachments", () => {
  it("Inspect: attachments are inserted in messages, results, arguments and scores", () => {
    const events = [
      model(1, [{ ...user, content: "attachment://q" }], {
        ...asks,
        tool_calls: [call("c1", "bash", { cmd: "attachment://cmd" })],
      }),
      tool(3, "c1", { result: "attachment://r" }),
      model(5, [], { ...says, content: [{ type: "text", text: "tc://r" }] }),
    ];
    const attachments = { q: "A long question", cmd: "cat long", r: "a long result" };
    const scores = { x: { explanation: "attachment://r" } };
    const { prompts, steps, metadata } = read(eventsOnly(events, { attachments, scores }));
    expect(prompts).toEqual(["A long question"]);
    expect(steps[0]).toMatchObject({ parameters: { cmd: "cat long" }, output: "a long result" });
    expect(steps[1]?.output).toBe("a long result");
    expect(metadata["scores"]).toEqual({ x: { explanation: "a long result" } });
  });

  it("Inspect: references to missing attachments stay, and coverage names them", () => {
    const { prompts, coverage } = read(
      eventsOnly([model(1, [{ ...user, content: "attachment://gone" }], says)]),
    );
    expect(prompts).toEqual(["attachment://gone"]);
    expect(coverage["unknown"]).toContain("some of the texts that the log keeps apart (attachments)");
  });

  it("Inspect: attachments that repeat are inserted only up to a limit", () => {
    const text = "x".repeat(1 << 22);
    const list = Array.from({ length: 300 }, () => "attachment://a");
    const events = [model(1, [user], { ...asks, tool_calls: [call("c1", "f", { list })] })];
    const { steps } = read(eventsOnly(events, { attachments: { a: text } }));
    const parameters = steps[0]?.parameters as { list: string[] };
    expect(parameters.list.filter((item) => item.length > 20).length).toBeLessThan(130);
  });

  it("Inspect: pictures become attachments of the run", () => {
    const content = [
      { type: "text", text: "Look:" },
      { type: "image", image: "attachment://p" },
    ];
    const attachments = { p: "data:image/png;base64,AAAA" };
    const { prompts, run } = read(eventsOnly([model(1, [{ ...user, content }], says)], { attachments }));
    expect(prompts).toEqual(["Look:\n[.attached/1.png]"]);
    expect(run.inputs?.map(({ name }) => name)).toEqual([".attached/1.png"]);
  });
});

describe("pools of messages", () => {
  it.each(["events_data", "message_pool"])(
    "Inspect: messages that requests share are found in %s",
    (place) => {
      const pool = [system, user, asks, got];
      const more =
        place === "message_pool" ? { message_pool: pool } : { events_data: { messages: pool, calls: [] } };
      const { prompts, short, system: prompt } = read(eventsOnly(pooled([[0, 2]], [[0, 4]]), more));
      expect(prompt).toBe("Be brief.");
      expect(prompts).toEqual(["What is in a.txt?"]);
      expect(short).toEqual(["tool_call bash apples ok", "message Apples."]);
    },
  );

  it("Inspect: invalid ranges into the shared messages do no harm", () => {
    const ranges = [[-5, 1e12], [1, "x"], "y", [3, 1]];
    const { prompts } = read(
      eventsOnly(pooled(ranges, null), { events_data: { messages: [{ ...user, content: "?" }] } }),
    );
    expect(prompts).toEqual(["?"]);
  });

  it("Inspect: 4,000 requests that share ever more messages are read", () => {
    const messages = Array.from({ length: 4000 }, (_, index) => ({
      id: `p${index}`,
      role: "user",
      content: "x",
    }));
    const events = messages.map((_, index) =>
      model(1, [], { id: `a${index}`, role: "assistant", content: "y" }, { input_refs: [[0, index + 1]] }),
    );
    expect(read(eventsOnly(events, { events_data: { messages } })).steps).toHaveLength(4000);
  });
});

describe("older logs", () => {
  it("Inspect: messages without ids are kept once, and as often as they were repeated", () => {
    const again = { role: "user", content: "Go on." };
    const [u, a] = [bare(user), { role: "assistant", content: "Yes." }];
    const events = [model(1, [u], a), model(3, [u, a, again], a), model(5, [u, a, again, a, again], a)];
    const { short, prompts } = read(eventsOnly(events, { messages: [u, a, again, a, again, a], input: "" }));
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(short).toEqual([
      "message Yes.",
      "context scaffold Go on.",
      "message Yes.",
      "context scaffold Go on.",
      "message Yes.",
    ]);
  });

  it("Inspect: a message is the same whether its text is inline or an attachment", () => {
    const long = "q".repeat(200);
    const events = [model(1, [{ role: "user", content: "attachment://q" }], bare(says))];
    const messages = [{ role: "user", content: long }, bare(says)];
    expect(read(eventsOnly(events, { messages, attachments: { q: long } })).prompts).toEqual([long]);
  });

  it("Inspect: a sample without events is read from its messages", () => {
    const { short, prompts, coverage, run } = read(log({ ...sample, events: undefined }));
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(short).toEqual(["tool_call bash apples ok", "message Apples."]);
    expect(coverage["unknown"]).toContain("times of the steps (the log has no events)");
    expect(run.created).toBe("2026-03-01T10:00:00Z");
  });

  it("Inspect: without sources of messages, all user messages are prompts", () => {
    const messages = [
      { role: "user", content: "One?" },
      { role: "assistant", content: "1" },
      { role: "user", content: "Two?" },
    ];
    expect(read(log({ ...sample, events: [], messages })).prompts).toEqual(["One?", "Two?"]);
  });

  it("Inspect: events in a transcript, and those nested in a tool event, are read", () => {
    const inner = [
      model(3, [{ role: "user", content: "Sub?" }], { role: "assistant", content: "Sub." }),
      { event: "sandbox", action: "exec", result: 0, timestamp: at(4) },
    ];
    const transcript = { events: [model(1, [user], asks), tool(3, "c1", { events: inner })], content: {} };
    const { short, steps } = read(
      log({ ...sample, events: undefined, messages: [], output: {}, transcript }),
    );
    expect(short).toEqual(["tool_call bash apples ok", "context agent_input Sub?", "message Sub."]);
    expect(steps[0]?.metadata["exit_code"]).toBe(0);
  });

  it("Inspect: step events replace spans in older logs", () => {
    const events = [
      model(1, [user], says),
      step("begin"),
      model(7, [], { ...says, id: "g", content: "grade" }),
      step("end"),
    ].map((event) => ({ ...event, span_id: undefined }));
    const { short, coverage } = read(eventsOnly(events));
    expect(short).toEqual(["message Apples."]);
    expect(coverage["left_out"]).toMatchObject({ "model event of a scorer": 1 });
  });
});

describe("calls and their results", () => {
  it("Inspect: what the model saw is kept if it differs, and truncated results are marked", () => {
    const shown = { ...got, content: "The output was too long: app" };
    const events = [
      model(1, [user], asks),
      tool(3, "c1", { result: "app", truncated: [6, 3] }),
      model(5, [user, asks, shown], says),
    ];
    const { steps, coverage } = read(eventsOnly(events));
    expect(steps[0]).toMatchObject({
      output: "app",
      seen: "The output was too long: app",
      metadata: { truncated: true, bytes: { of: 6, kept: 3 } },
    });
    expect(coverage["truncated"]).toBe(1);
  });

  it.each([
    ["timeout", "error"],
    ["parsing", "error"],
    ["approval", "denied"],
    ["cancelled", "interrupted"],
  ])("Inspect: a call with an error of type %s has the status %s", (type, status) => {
    const events = [model(1, [user], asks), tool(3, "c1", { result: "", error: { type, message: "no" } })];
    const { steps } = read(eventsOnly(events));
    expect(steps[0]).toMatchObject({ output: "no", metadata: { status, error: type } });
    const message = { ...got, content: "partly", error: { type, message: "no" } };
    const older = read(log({ ...sample, events: [], messages: [user, asks, message] }));
    expect(older.steps[0]).toMatchObject({ output: "partly", seen: "no", metadata: { status, error: type } });
  });

  it("Inspect: calls with the same id are told apart, and results go to their own", () => {
    const events = [
      model(1, [user], ask("a")),
      tool(2, "c1", { result: "one" }),
      model(3, [], ask("b")),
      tool(4, "c1", { result: "two" }),
    ];
    const { short, steps } = read(eventsOnly(events));
    expect(short).toEqual(["tool_call bash one ok", "tool_call bash two ok"]);
    expect(steps.map(({ metadata }) => metadata["call_id"])).toEqual(["c1", "c1-2"]);
  });

  it("Inspect: calls without a result and results without a call are kept", () => {
    const asked = { ...asks, tool_calls: [call("c1", "bash", {}), call("c2", "bash", {})] };
    const { short, steps } = read(
      log({
        ...sample,
        events: [],
        output: {},
        messages: [user, asked, { ...got, tool_call_id: "c2" }, { ...got, id: "x", tool_call_id: "c9" }],
      }),
    );
    expect(short).toEqual(["tool_call bash unanswered", "tool_call bash apples ok", "tool_result apples ok"]);
    expect(steps[0]?.metadata["parallel"]).toBe(steps[1]?.metadata["parallel"]);
  });

  it("Inspect: a tool event that no message announced is a call", () => {
    expect(read(eventsOnly([model(1, [user], says), tool(3, "solver")])).short).toEqual([
      "message Apples.",
      "tool_call bash apples ok",
    ]);
  });

  it("Inspect: a call that is still running is unanswered", () => {
    const events = [model(1, [user], asks), tool(3, "c1", { pending: true, result: "" })];
    expect(read(eventsOnly(events)).short).toEqual(["tool_call bash unanswered"]);
  });

  it('Inspect: arguments that are no JSON are kept, and a missing name is "unknown"', () => {
    const bad = { ...asks, tool_calls: [{ id: "c1", arguments: "{oops", parse_error: "bad" }] };
    const { steps } = read(eventsOnly([model(1, [user], bad)]));
    expect(steps[0]).toMatchObject({
      tool: "unknown",
      parameters: { arguments: "{oops" },
      metadata: { parse_error: "bad" },
    });
  });

  it("Inspect: tools that the provider ran are server calls", () => {
    const content = [
      {
        type: "tool_use",
        tool_type: "web_search",
        id: "w1",
        name: "web_search",
        arguments: '{"query":"x"}',
        result: "found",
      },
      {
        type: "tool_use",
        tool_type: "mcp_call",
        id: "w2",
        name: "get",
        arguments: "{}",
        result: "",
        error: "refused",
      },
      { type: "text", text: "So." },
    ];
    const { short, steps } = read(eventsOnly([model(1, [user], { ...says, content })]));
    expect(short).toEqual([
      "server_tool_call web_search found ok",
      "server_tool_call get refused error",
      "message So.",
    ]);
    expect(steps[0]?.parameters).toEqual({ query: "x" });
  });
});

describe("reasoning", () => {
  it("Inspect: reasoning is kept, and hidden reasoning is marked", () => {
    const content = [
      { type: "reasoning", reasoning: "hmm" },
      { type: "reasoning", reasoning: "Zm9v", redacted: true },
      { type: "reasoning", reasoning: "", summary: "in short" },
      { type: "text", text: "A" },
      { type: "text", text: "B" },
      { type: "text", text: "no", refusal: true },
    ];
    const { short, steps, coverage } = read(eventsOnly([model(1, [user], { ...says, content })]));
    expect(short).toEqual(["reasoning hmm", "reasoning", "reasoning in short", "message A\nB", "message no"]);
    expect(steps[4]?.metadata["refusal"]).toBe(true);
    expect(coverage["unknown"]).toContain("some of the reasoning (encrypted, or not recorded)");
  });

  it("Inspect: reasoning in a field of its own is read", () => {
    expect(read(eventsOnly([model(1, [user], { ...says, reasoning: "hmm" })])).short).toEqual([
      "reasoning hmm",
      "message Apples.",
    ]);
  });
});

describe("other events of a sample", () => {
  it("Inspect: limits, errors, rejections, input and compaction are context", () => {
    const events = [
      model(1, [user], says, { error: "overloaded" }),
      { event: "approval", timestamp: at(2), decision: "approve", approver: "auto", call: { id: "c1" } },
      {
        event: "approval",
        timestamp: at(2),
        decision: "reject",
        approver: "human",
        explanation: "too risky",
        call: { id: "c1" },
      },
      { event: "compaction", timestamp: at(3), tokens_before: 9, tokens_after: 1 },
      { event: "input", timestamp: at(3), input: "typed" },
      { event: "info", timestamp: at(3), source: "me", data: { a: 1 } },
      { event: "sample_limit", timestamp: at(4), type: "token", message: "too many", limit: 5 },
      { event: "error", timestamp: at(5), error: { message: "boom", traceback: "…" } },
    ];
    const limit = { type: "token", limit: 5 };
    const { short, metadata, coverage } = read(eventsOnly(events, { limit, error: { message: "boom" } }));
    expect(short).toEqual([
      "message Apples.",
      "context error overloaded",
      "context approval too risky",
      "context compaction ",
      "context input typed",
      'context info {"a":1}',
      "context sample_limit too many",
      "context error boom",
    ]);
    expect(metadata).toMatchObject({ limit, error: { message: "boom" } });
    expect(coverage["left_out"]).toMatchObject({ "approval (approved)": 1 });
  });

  it("Inspect: an evaluation that was cancelled or failed records its status and error", () => {
    const { metadata } = read({ ...log(sample), status: "cancelled", error: { message: "stopped" } });
    expect(metadata).toMatchObject({ status: "cancelled", eval_error: "stopped" });
  });

  it("Inspect: steps of agents inside a call are marked, and their input is no prompt", () => {
    const events = [
      model(1, [user], asks),
      span("t", "main", "tool", "bash"),
      span("a", "t", "agent", "helper"),
      tool(3, "c1", { agent: "helper" }),
      model(
        4,
        [
          { id: "q", role: "system", content: "Help." },
          { id: "p", role: "user", source: "input", content: "Sub?" },
        ],
        { id: "z", role: "assistant", content: "Sub." },
        { span_id: "a", model: "acme/small" },
      ),
      model(6, [], says),
    ];
    const { short, steps, prompts, metadata } = read(eventsOnly(events));
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(short).toEqual([
      "tool_call bash apples ok",
      "context system Help.",
      "context agent_input Sub?",
      "message Sub.",
      "message Apples.",
    ]);
    expect(steps[0]?.metadata["agent"]).toBe("helper");
    expect(steps[3]?.metadata["agent"]).toBe("helper");
    expect(metadata["models"]).toEqual(["acme/m-1", "acme/small"]);
  });

  it("Inspect: examples in the input are context, not messages of the model", () => {
    const example = {
      id: "e",
      role: "assistant",
      source: "input",
      content: "42",
      tool_calls: [call("x", "f", {})],
    };
    const { short, coverage } = read(eventsOnly([model(1, [user, example], says)]));
    expect(short).toEqual(["context example 42", "message Apples."]);
    expect(coverage["left_out"]).toMatchObject({ "tool call of an example": 1 });
  });

  it("Inspect: the completion is the answer if it differs from the last message", () => {
    const { short, run, text } = read(log({ ...sample, output: { completion: "apples", choices: [] } }));
    expect(short.at(-1)).toBe("message apples");
    expect(text(run.outputs?.[0]?.content)).toBe("apples");
  });
});

describe("several samples", () => {
  it("Inspect: each sample is a run with a session of its own", () => {
    const { all, coverage } = read(log(sample, { ...sample, id: 7, epoch: 1 }, null));
    expect(all.map(({ source }) => source["session"])).toEqual(["ev1/s/1/2", "ev1/7/1"]);
    expect(coverage["records"]).toBe(11);
  });

  it("Inspect: samples of older evaluations are named by run and task", () => {
    const { eval_id: _, ...older } = about;
    expect(read({ ...head, eval: older, samples: [sample] }).source["session"]).toBe("r1/t1/s/1/2");
  });
});

describe("an archive", () => {
  const files = { "_journal/start.json": head, "samples/s/1_epoch_2.json": sample, "header.json": head };

  it.each([0, 8])("Inspect: an archive has the same runs as the document (method %d)", (method) => {
    expect(read(archiveOf(files, method)).runs).toEqual(read(log(sample)).runs);
  });

  it("Inspect: the archive of an unfinished evaluation is read, and coverage says so", () => {
    const { status: _, ...start } = head;
    const { metadata, coverage } = read(
      archiveOf({
        "_journal/start.json": start,
        "samples/1_epoch_1.json": sample,
        "_journal/summaries/1.json": [],
      }),
    );
    expect(metadata["status"]).toBe("started");
    expect(coverage["unknown"]).toContain("how the evaluation ended (it was still running)");
  });

  it("Inspect: a sample that an archive holds in pieces is put together", () => {
    const prefix = "samples/s/1_epoch_2";
    const { messages: _, events, metadata: __, ...shell } = { ...sample, metadata: {} };
    const pooled = events.map((event) =>
      "input" in event
        ? { ...event, input: [], input_refs: [[0, event.timestamp === at(1) ? 2 : 4]] }
        : event,
    );
    const runs = read(
      archiveOf({
        [`${prefix}/sample.json`]: { ...shell, message_refs: [[0, 5]] },
        [`${prefix}/metadata.json`]: { hard: true },
        [`${prefix}/messages/0.json`]: [system, { ...user, content: "attachment://1" }, asks],
        [`${prefix}/messages/3.json`]: [got, says],
        [`${prefix}/events/0.json`]: pooled.slice(0, 3),
        [`${prefix}/events/3.json`]: pooled.slice(3),
        [`${prefix}/events/stats.json`]: {},
        [`${prefix}/attachments/0.json`]: ["zero", "A question, kept apart"],
        "header.json": { ...head, version: 3 },
      }),
    );
    expect(runs.prompts).toEqual(["A question, kept apart"]);
    expect(runs.short).toEqual(["tool_call bash apples ok", "message Apples."]);
    expect(runs.metadata["sample_metadata"]).toEqual({ hard: true });
  });

  it("Inspect: a damaged entry of an archive is left out, and named", () => {
    const entries = Object.entries({ ...files, "samples/2_epoch_1.json": { ...sample, id: 2 } }).map(
      ([name, value]) => ({ name, content: JSON.stringify(value) }),
    );
    entries[1] = { ...entries[1], says: { crc: 1 } } as never;
    const { runs, coverage } = readForeign(inspect, zipOf(entries));
    expect(runs).toHaveLength(1);
    expect(coverage.notices()).toEqual([
      "line 2: the entry samples/s/1_epoch_2.json does not match its checksum; it is left out",
    ]);
  });

  it("Inspect: an archive whose end is missing is read up to there", () => {
    const bytes = archiveOf(files);
    const { coverage, short } = read(bytes.subarray(0, bytes.lastIndexOf("PK\u0003\u0004")));
    expect(short).toHaveLength(2);
    expect(coverage).toMatchObject({ partial_last_line: true });
  });

  it.each<[string, Buffer, string]>([
    [
      "without a header",
      archiveOf({ "samples/1_epoch_1.json": sample }),
      "log-unreadable: log is an archive that contains no Inspect evaluation",
    ],
    [
      "without samples",
      archiveOf({ "header.json": head }),
      "log-unreadable: log contains no samples that ctx can read",
    ],
    [
      "whose header is no object",
      archiveOf({ "header.json": 7 }),
      "log-unreadable: log is an archive that contains no Inspect evaluation",
    ],
  ])("Inspect: an archive %s is refused", (_, bytes, message) => {
    expect(refusal(() => read(bytes))).toBe(message);
  });
});

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CtxError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "taken";
}

describe("documents that are not quite JSON", () => {
  it("Inspect: NaN and Infinity are replaced, and counted", () => {
    const text = JSON.stringify(log({ ...sample, scores: { s: { value: 12345 } } })).replace("12345", "NaN");
    const { metadata, coverage } = read(text);
    expect(metadata["scores"]).toEqual({ s: { value: "NaN" } });
    expect(coverage["replaced"]).toBe(1);
  });

  it("Inspect: a document that breaks off is read up to there", () => {
    const text = JSON.stringify(log(sample));
    const { coverage, prompts } = read(text.slice(0, text.indexOf('"scores"')));
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(coverage).toMatchObject({ partial_last_line: true });
  });

  it("Inspect: halves of surrogate pairs are replaced, and NUL characters are kept", () => {
    const text = JSON.stringify(
      log({ ...sample, events: [], messages: [{ ...user, content: "X" }] }),
    ).replace('"X"', '"a\\ud800b\\u0000c"');
    expect(read(text).prompts).toEqual(["a\ufffdb\0c"]);
  });

  it.each([
    log({ events: 7, messages: "x", input: { a: 1 }, output: [], attachments: [1, "x"] }),
    log({ events: [{ event: "model" }, { event: "tool" }, {}, { event: 5 }], id: [], epoch: {} }),
    log({
      events: [{ event: "model", input: [null, 5, {}], output: { choices: [null, {}] }, input_refs: 7 }],
    }),
    log({
      messages: [{ role: "assistant", content: [null, 7, {}, { type: "image" }], tool_calls: [null, {}] }],
    }),
    { ...head, eval: null, samples: [{ messages: [user] }] },
    { samples: [{ input: "x", metadata: 3, model_usage: { m: 7 }, scores: [] }] },
    log({
      id: "__proto__",
      messages: [{ id: "__proto__", role: "tool", tool_call_id: "__proto__" }],
      attachments: { constructor: "x" },
    }),
  ])("Inspect: a document of any shape is read (%#)", (value) => {
    expect(read(value).runs).toHaveLength(1);
  });
});
