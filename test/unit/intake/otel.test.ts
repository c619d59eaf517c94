import { describe, expect, it } from "vitest";
import { otel } from "../../../src/intake/formats/otel/format.js";
import type { Content } from "../../../src/model/content.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";

type Attributes = Record<string, unknown>;

interface SpanParts {
  id: string;
  parent?: string;
  trace?: string;
  name?: string;
  /** Seconds after the start of the trace. */
  from: number;
  to?: number;
  attributes: Attributes;
  events?: { name: string; attributes: Attributes }[];
  status?: unknown;
}

const nano = (second: number): string => `${1_770_000_000 + second}000000001`;
const iso = (second: number): string =>
  new Date((1_770_000_000 + second) * 1000).toISOString().replace(".000Z", ".000000001Z");

function any(value: unknown): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(any) } };
  return { kvlistValue: { values: listed(value as Attributes) } };
}

function listed(attributes: Attributes): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: any(value) }));
}

function span({
  id,
  parent = "",
  trace = "aa",
  name = id,
  from,
  to = from + 1,
  attributes,
  events = [],
  status,
}: SpanParts) {
  return {
    traceId: trace,
    spanId: id,
    parentSpanId: parent,
    name,
    startTimeUnixNano: nano(from),
    endTimeUnixNano: nano(to),
    attributes: listed(attributes),
    events: events.map((event) => ({ name: event.name, attributes: listed(event.attributes) })),
    status,
  };
}

const resource = {
  "service.name": "helper",
  "service.version": "1.2.3",
  "os.type": "linux",
  "host.arch": "arm64",
  "process.runtime.name": "cpython",
  "process.runtime.version": "3.13",
};

function otlp(...spans: unknown[]) {
  return {
    resourceSpans: [{ resource: { attributes: listed(resource) }, scopeSpans: [{ scope: {}, spans }] }],
  };
}

function chat(parts: Omit<SpanParts, "attributes">, input: unknown, output: unknown, more: Attributes = {}) {
  return span({
    ...parts,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.response.model": "m-1",
      ...(input === undefined ? {} : { "gen_ai.input.messages": input }),
      ...(output === undefined ? {} : { "gen_ai.output.messages": output }),
      ...more,
    },
  });
}

function tool(parts: Omit<SpanParts, "attributes">, name: string, more: Attributes = {}) {
  return span({
    ...parts,
    name: `execute_tool ${name}`,
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, ...more },
  });
}

function agent(parts: Omit<SpanParts, "attributes">, name: string, more: Attributes = {}) {
  return span({
    ...parts,
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, ...more },
  });
}

const says = (role: string, ...parts: unknown[]) => ({
  role,
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", content: part } : part)),
});
const asks = (id: string | undefined, name: string, args: unknown) => ({
  type: "tool_call",
  ...(id === undefined ? {} : { id }),
  name,
  arguments: args,
});
const resultPart = (id: string, response: unknown) => ({ type: "tool_call_response", id, response });

function read(log: unknown, options = {}) {
  const taken = readForeign(otel, typeof log === "string" ? log : JSON.stringify(log), options);
  const runs = taken.runs.map((run) => ({
    run,
    metadata: run.metadata ?? {},
    system: taken.text(run.system_prompt),
    prompts: (run.prompts ?? []).map(({ content }) => taken.text(content)),
    steps: (run.steps ?? []).map(({ type, tool, parameters, output, seen, timestamp, metadata = {} }) => ({
      type,
      tool,
      parameters,
      timestamp,
      metadata,
      output: taken.text(output),
      seen: taken.text(seen),
    })),
  }));
  const text = (content: Content | undefined) => taken.text(content);
  const [first] = runs;
  if (first === undefined) throw new Error("no run");
  return { ...taken, text, ...first, all: runs };
}

const stepTexts = ({
  steps,
}: {
  steps: { type: string; tool?: string | undefined; output?: string | undefined }[];
}) =>
  steps.map(({ type, tool, output }) => [type, tool, output].filter((part) => part !== undefined).join(" "));

/** Two requests with a call between them, as they are written when all content is recorded. */
const first = [says("user", "What is in a.txt?")];
const answer = says(
  "assistant",
  { type: "reasoning", content: "I must look." },
  "Let me see.",
  asks("c1", "read", { path: "a.txt" }),
);
const second = [...first, answer, says("tool", resultPart("c1", "apples"))];
const full = [
  agent({ id: "a1", from: 0, to: 9 }, "main", {
    "gen_ai.usage.input_tokens": 30,
    "gen_ai.usage.output_tokens": 7,
  }),
  chat({ id: "b1", parent: "a1", from: 1 }, JSON.stringify(first), JSON.stringify([answer]), {
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: "Be careful." }]),
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 100,
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.usage.cache_read.input_tokens": 2,
    "gen_ai.tool.definitions": JSON.stringify([{ type: "function", name: "read" }]),
  }),
  tool({ id: "c1c1", parent: "a1", from: 3 }, "read", {
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.arguments": '{"path":"a.txt"}',
    "gen_ai.tool.call.result": "apples",
  }),
  chat({ id: "b2", parent: "a1", from: 5 }, second, [says("assistant", "Apples.")], {
    "gen_ai.system_instructions": [{ type: "text", content: "Be careful." }],
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 4,
  }),
];
const fullTold = [
  "reasoning I must look.",
  "message Let me see.",
  "tool_call read apples",
  "message Apples.",
];

const askIn = (trace: string, from: number, more: Attributes) =>
  chat({ id: "b1", trace, from }, [says("user", `from ${trace}`)], [says("assistant", "yes")], more);

const asking = (...parts: unknown[]) => chat({ id: "b1", from: 1 }, first, [says("assistant", ...parts)]);

const askedAt = (prefix: string) => ({
  [`${prefix}.role`]: "assistant",
  [`${prefix}.tool_calls.0.id`]: "c1",
  [`${prefix}.tool_calls.0.name`]: "x",
  [`${prefix}.tool_calls.0.arguments`]: "{}",
});

const chatting = (output: string, more: Attributes = {}) => ({
  "gen_ai.operation.name": "call_llm",
  "gen_ai.request.model": "m",
  "gen_ai.output": output,
  "gen_ai.usage.input_cost": 0.1,
  "gen_ai.usage.output_cost": 0.2,
  ...more,
});

const numberedId = (number: string) =>
  `{"trace_id": 340282366920938463463374607431768211455, "span_id": ${number}}`;

const summariesOf = (log: unknown) => {
  const found = read(log);
  return { system: found.system, prompts: found.prompts, steps: stepTexts(found) };
};

const printed = (id: string, parent: string | null, end: string | null, attributes: Attributes) =>
  JSON.stringify(
    {
      name: "x {",
      context: { trace_id: "0xaa", span_id: id },
      parent_id: parent,
      start_time: "2026-02-02T02:40:01.5Z",
      end_time: end,
      status: { status_code: "UNSET" },
      attributes,
      events: [],
      links: [],
    },
    null,
    4,
  );
const shown = (response: unknown) =>
  read(
    otlp(
      asking(asks("c1", "x", {})),
      tool({ id: "d1", from: 3 }, "x", {
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": '{"a":1,"b":2}',
      }),
      chat({ id: "b2", from: 5 }, [says("tool", resultPart("c1", response))], []),
    ),
  ).steps[0];

const did = (id: string, from: number, a: number) =>
  tool({ id, from }, "x", {
    "gen_ai.tool.call.id": "t",
    "gen_ai.tool.call.arguments": JSON.stringify({ a }),
  });

describe("recognition of OpenTelemetry", () => {
  const consoleSpan = {
    name: "chat m",
    context: { trace_id: "0xaa", span_id: "0xb1", trace_state: "[]" },
    kind: "SpanKind.CLIENT",
    parent_id: null,
    start_time: "2026-02-02T02:40:00.000001Z",
    attributes: { "gen_ai.operation.name": "chat" },
  };

  it.each<[string, string]>([
    ["OTLP", JSON.stringify(otlp(...full))],
    ["OTLP over many lines", JSON.stringify(otlp(...full), null, 2)],
    ["OTLP, one document per line", lines(...full.map((each) => otlp(each)))],
    ["a dump of spans", JSON.stringify({ spans: [consoleSpan] }, null, 2)],
    ["a list of spans", JSON.stringify([consoleSpan, consoleSpan])],
    ["a list of OTLP documents", JSON.stringify([otlp(...full)])],
    [
      "the output of a console exporter",
      `${JSON.stringify(consoleSpan, null, 4)}\n${JSON.stringify(consoleSpan, null, 4)}\n`,
    ],
    ["spans, one per line", lines(consoleSpan, consoleSpan)],
  ])("OpenTelemetry: the format recognises %s", (_, log) => {
    expect(fits(otel, log)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["spans of something else", otlp(span({ id: "a1", from: 0, attributes: { "http.method": "GET" } }))],
    [
      "spans of OpenInference",
      otlp(span({ id: "a1", from: 0, attributes: { "openinference.span.kind": "LLM" } })),
    ],
    ["events without spans", { _type: "log", name: "gen_ai.x", attrs: { "gen_ai.operation.name": "chat" } }],
    [
      "a log of ctx's own",
      { model: { identifier: "m" }, system_prompt: "gen_ai.", environment: {}, steps: [] },
    ],
    ["chat messages", [{ role: "user", content: '"gen_ai.' }]],
    ["an empty list", []],
    ["a number", 7],
  ])("OpenTelemetry: the format does not recognise %s", (_, log) => {
    expect(fits(otel, JSON.stringify(log))).toBe(false);
  });
});

describe("a trace", () => {
  it("OpenTelemetry: a trace becomes a run", () => {
    const found = read(otlp(...full));
    const { run, metadata, system, prompts, steps } = found;
    expect(system).toBe("Be careful.");
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(stepTexts(found)).toEqual(fullTold);
    expect(steps[2]).toMatchObject({
      parameters: { path: "a.txt" },
      timestamp: iso(3),
      metadata: { turn: 0, status: "ok", call_id: "c1" },
    });
    expect(steps[2]?.seen).toBeUndefined();
    expect(steps.map(({ timestamp }) => timestamp)).toEqual([iso(2), iso(2), iso(3), iso(6)]);
    expect(run.created).toBe(iso(9));
    expect(run.model).toEqual({ identifier: "m-1", parameters: { temperature: 0.5, max_tokens: 100 } });
    expect(run.environment).toEqual({
      os: "linux/arm64",
      runtime: "cpython 3.13",
      tool_versions: { helper: "1.2.3" },
    });
    expect(metadata).toMatchObject({
      source: { format: "otel", session: "aa" },
      agent: "main",
      operations: { invoke_agent: 1, chat: 2, execute_tool: 1 },
      tools: ["read"],
      usage: { requests: 2, input_tokens: 30, output_tokens: 7, cache_read_input_tokens: 2 },
      coverage: { records: 4 },
    });
    expect(metadata["coverage"]).not.toHaveProperty("unknown");
  });

  it("OpenTelemetry: a trace has the same steps line by line, in a list, indented and out of order", () => {
    const expected = read(otlp(...full)).run;
    const reversed = [...full].reverse();
    for (const log of [
      lines(...reversed.map((each) => otlp(each))),
      JSON.stringify(reversed.map((each) => otlp(each))),
      JSON.stringify(otlp(...reversed), null, 2),
    ])
      expect(read(log).run.steps).toEqual(expected.steps);
  });

  it("OpenTelemetry: each trace is a run, and traces of one conversation are one run", () => {
    const apart = read(otlp(askIn("bb", 4, {}), askIn("aa", 1, {})));
    expect(apart.all.map(({ metadata, prompts }) => [metadata["source"], prompts])).toEqual([
      [{ format: "otel", session: "aa" }, ["from aa"]],
      [{ format: "otel", session: "bb" }, ["from bb"]],
    ]);
    expect(apart.all[0]?.metadata).toMatchObject({ coverage: { records: 1 } });
    const talk = { "gen_ai.conversation.id": "talk" };
    const within = tool({ id: "c1c1", trace: "aa", parent: "b1", from: 2 }, "x");
    const together = read(otlp(askIn("bb", 4, talk), askIn("aa", 1, talk), within));
    expect(together.all).toHaveLength(1);
    expect(together.prompts).toEqual(["from aa", "from bb"]);
    expect(together.metadata).toMatchObject({ source: { session: "talk" } });
  });

  it("OpenTelemetry: duplicate spans and spans about other things are counted, not read", () => {
    const begun = { ...full[2], endTimeUnixNano: undefined, attributes: [], status: {} };
    const other = span({ id: "d1", parent: "b1", from: 1, attributes: { "http.method": "POST" } });
    const list = span({ id: "d2", from: 1, attributes: { "mcp.method.name": "tools/list" } });
    const odd = span({ id: "d3", from: 1, attributes: { "gen_ai.operation.name": "dream" } });
    const found = read(otlp(begun, ...full, full[2], other, list, odd));
    expect(stepTexts(found)).toEqual(fullTold);
    expect(found.metadata["coverage"]).toMatchObject({
      records: 9,
      duplicates: 2,
      left_out: { "span tools/list": 1, "span without GenAI attributes": 1 },
      skipped: { "span dream": 1 },
    });
  });

  it("OpenTelemetry: a trace without content has calls, and coverage lists what is unknown", () => {
    const bare = [
      chat({ id: "b1", from: 1 }, undefined, undefined),
      tool({ id: "c1c1", from: 3 }, "read", { "gen_ai.tool.call.id": "c1" }),
    ];
    const { steps, prompts, metadata } = read(otlp(...bare));
    expect(prompts).toEqual([]);
    expect(steps).toMatchObject([
      { type: "tool_call", tool: "read", parameters: {}, metadata: { status: "ok" } },
    ]);
    expect((metadata["coverage"] as { unknown: string[] }).unknown).toEqual(
      expect.arrayContaining([
        "prompts and answers (content capture was off)",
        "the arguments of some calls (content capture was off)",
        "the results of some calls (content capture was off)",
      ]),
    );
    expect(read(otlp(...bare), { prompt: "Look!" }).prompts).toEqual(["Look!"]);
    expect(() => read(otlp(...full), { prompt: "Look!" })).toThrow("the log records its own prompts");
  });

  it("OpenTelemetry: repeated words are kept as often as they were said", () => {
    const go = says("user", "go on");
    const ok = says("assistant", "ok");
    const found = read(
      otlp(
        chat({ id: "b1", from: 1 }, [go], [ok]),
        chat({ id: "b2", from: 3 }, [go, ok, go], [ok]),
        chat({ id: "b3", from: 5 }, [go, ok, go, ok, says("user", "stop")], [says("assistant", "bye")]),
      ),
    );
    expect(found.prompts).toEqual(["go on", "go on", "stop"]);
    expect(found.steps.map(({ output, metadata }) => [output, metadata["turn"]])).toEqual([
      ["ok", 0],
      ["ok", 1],
      ["bye", 2],
    ]);
  });

  it("OpenTelemetry: a request that several layers of spans record counts once", () => {
    const usage = { "gen_ai.usage.input_tokens": 5 };
    const found = read(
      otlp(
        chat({ id: "e1", from: 0, to: 9 }, first, [says("assistant", "Apples.")], usage),
        chat({ id: "e2", parent: "e1", from: 1 }, first, [says("assistant", "Hm.")], usage),
        chat({ id: "e3", parent: "e2", from: 1 }, undefined, undefined, {
          ...usage,
          "gen_ai.request.seed": 7,
        }),
        chat({ id: "e4", parent: "e1", from: 3 }, undefined, [says("assistant", "Apples.")], usage),
      ),
    );
    expect(stepTexts(found)).toEqual(["message Hm.", "message Apples."]);
    expect(found.metadata).toMatchObject({ usage: { requests: 2, input_tokens: 10 } });
    expect(found.run.model.parameters).toEqual({ seed: 7 });
  });

  it("OpenTelemetry: the content of the agent's span counts only if no request has any", () => {
    const content = {
      "gen_ai.input.messages": JSON.stringify(first),
      "gen_ai.output.messages": JSON.stringify([says("assistant", "Apples.")]),
    };
    const silent = read(
      otlp(
        agent({ id: "a1", from: 0, to: 9 }, "main", content),
        chat({ id: "b1", parent: "a1", from: 1 }, undefined, undefined),
      ),
    );
    expect(silent.prompts).toEqual(["What is in a.txt?"]);
    expect(stepTexts(silent)).toEqual(["message Apples."]);
    const loud = read(otlp(agent({ id: "a1", from: 0, to: 9 }, "main", content), ...full.slice(1)));
    expect(stepTexts(loud)).toEqual(fullTold);
  });

  it("OpenTelemetry: steps of other agents are marked, and their prompts are context", () => {
    const found = read(
      otlp(
        agent({ id: "a1", from: 0, to: 20 }, "main"),
        chat({ id: "b1", parent: "a1", from: 1 }, first, [
          says("assistant", asks("c1", "research", { about: "x" })),
        ]),
        tool({ id: "c1c1", parent: "a1", from: 3, to: 9 }, "research", {
          "gen_ai.tool.call.id": "c1",
          "gen_ai.tool.call.result": "found",
        }),
        agent({ id: "a2", parent: "c1c1", from: 4, to: 8 }, "scout"),
        chat(
          { id: "b2", parent: "a2", from: 5 },
          [says("system", "Scout."), ...first],
          [says("assistant", "found")],
          { "gen_ai.response.model": "small" },
        ),
        tool({ id: "c2c2", parent: "a2", from: 7 }, "look"),
        chat(
          { id: "b3", parent: "a1", from: 10 },
          [
            ...first,
            says("assistant", asks("c1", "research", { about: "x" })),
            says("tool", resultPart("c1", "found")),
          ],
          [says("assistant", "Done.")],
        ),
      ),
    );
    expect(found.prompts).toEqual(["What is in a.txt?"]);
    expect(
      found.steps.map(({ type, tool, output, metadata }) => [type, tool ?? output, metadata["agent"]]),
    ).toEqual([
      ["tool_call", "research", undefined],
      ["context", "Scout.", "scout"],
      ["context", "What is in a.txt?", "scout"],
      ["message", "found", "scout"],
      ["tool_call", "look", "scout"],
      ["message", "Done.", undefined],
    ]);
    expect(found.run.model.identifier).toBe("m-1");
    expect(found.system).toBe("");
  });
});

describe("calls", () => {
  it("OpenTelemetry: a call has the status of its span", () => {
    const { steps } = read(
      otlp(
        tool({ id: "c1", from: 1, status: { code: 2, message: "no such file" } }, "a"),
        tool({ id: "c2", from: 2, status: { code: "STATUS_CODE_ERROR" } }, "b", {
          "gen_ai.tool.call.result": "bad",
          "error.type": "KeyError",
        }),
        tool(
          { id: "c3", from: 3, events: [{ name: "exception", attributes: { "exception.message": "boom" } }] },
          "c",
          { "error.type": "X" },
        ),
        { ...tool({ id: "c4", from: 4 }, "d"), endTimeUnixNano: undefined },
      ),
    );
    expect(steps.map(({ output, metadata }) => [output, metadata["status"], metadata["error"]])).toEqual([
      ["no such file", "error", undefined],
      ["bad", "error", "KeyError"],
      ["boom", "error", undefined],
      [undefined, "unanswered", undefined],
    ]);
  });

  it("OpenTelemetry: calls without a span are read from messages, and are parallel if issued together", () => {
    const calls = [asks("c1", "x", { a: 1 }), asks("c2", "y", '{"b":2}'), asks("c3", "z", "oops")];
    const found = read(
      otlp(
        asking(...calls),
        chat(
          { id: "b2", from: 3 },
          [
            ...first,
            says("assistant", ...calls),
            says("tool", resultPart("c2", { ok: true }), resultPart("c1", "one")),
            says("tool", resultPart("c9", "lost")),
          ],
          [],
        ),
      ),
    );
    expect(
      found.steps.map(({ type, parameters, output, metadata }) => [
        type,
        parameters,
        output,
        metadata["status"],
      ]),
    ).toEqual([
      ["tool_call", { a: 1 }, "one", "ok"],
      ["tool_call", { b: 2 }, '{"ok":true}', "ok"],
      ["tool_call", { arguments: "oops" }, undefined, "unanswered"],
      ["tool_result", undefined, "lost", "ok"],
    ]);
    expect(new Set(found.steps.slice(0, 3).map(({ metadata }) => metadata["parallel"])).size).toBe(1);
  });

  it("OpenTelemetry: a call in a message and in a span is one, by id or by tool and arguments", () => {
    const found = read(
      otlp(
        asking(
          asks("c1", "x", { a: 1 }),
          asks(undefined, "x", { a: 2 }),
          asks("c3", "x", { a: 3 }),
          asks("c4", "y", { b: 1 }),
        ),
        tool({ id: "d4", from: 3 }, "x", { "gen_ai.tool.call.arguments": '{"a":3}' }),
        tool({ id: "d3", from: 4 }, "x", { "gen_ai.tool.args": '{"a": 2}', "gen_ai.output": "two" }),
        tool({ id: "d2", from: 5 }, "x", { "gen_ai.tool.call.id": "c1" }),
        tool({ id: "d1", from: 6 }, "y"),
        chat({ id: "b2", from: 8 }, [says("tool", resultPart("c1", "one"), resultPart("c3", "three"))], []),
      ),
    );
    expect(
      found.steps.map(({ tool, parameters, output, metadata }) => [
        tool,
        parameters,
        output,
        metadata["call_id"],
      ]),
    ).toEqual([
      ["x", { a: 3 }, "three", "c3"],
      ["x", { a: 2 }, "two", "d3"],
      ["x", { a: 1 }, "one", "c1"],
      ["y", { b: 1 }, undefined, "c4"],
    ]);
  });

  it("OpenTelemetry: calls that reuse an id are told apart in spans", () => {
    const found = read(
      otlp(
        asking(asks("t", "x", { a: 1 })),
        did("d1", 2, 1),
        chat(
          { id: "b2", from: 4 },
          [says("tool", resultPart("t", "one"))],
          [says("assistant", asks("t", "x", { a: 2 }))],
        ),
        did("d2", 6, 2),
        chat({ id: "b3", from: 8 }, [says("tool", resultPart("t", "one"), resultPart("t", "two"))], []),
      ),
    );
    expect(
      found.steps.map(({ parameters, output, metadata }) => [parameters, output, metadata["call_id"]]),
    ).toEqual([
      [{ a: 1 }, "one", "t"],
      [{ a: 2 }, "two", "t-2"],
    ]);
  });

  it("OpenTelemetry: calls that reuse an id are told apart in messages", () => {
    const found = read(
      otlp(
        asking(asks("t", "x", { a: 1 })),
        chat(
          { id: "b2", from: 3 },
          [says("tool", resultPart("t", "one"))],
          [says("assistant", asks("t", "x", { a: 2 }))],
        ),
        chat(
          { id: "b3", from: 5 },
          [says("tool", resultPart("t", "one")), says("tool", resultPart("t", "two"))],
          [],
        ),
      ),
    );
    expect(found.steps.map(({ output, metadata }) => [output, metadata["call_id"]])).toEqual([
      ["one", "t"],
      ["two", "t-2"],
    ]);
  });

  it("OpenTelemetry: what the model saw is kept if it differs from what the tool returned", () => {
    expect(shown({ b: 2, a: 1 })?.seen).toBeUndefined();
    expect(shown("cut")).toMatchObject({ output: '{"a":1,"b":2}', seen: "cut" });
  });

  it("OpenTelemetry: MCP calls are calls, and one call with the tool span above them", () => {
    const mcp = {
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "x",
      "gen_ai.tool.call.result": "of mcp",
    };
    const found = read(
      otlp(
        tool({ id: "d1", from: 1, to: 4 }, "x", { "gen_ai.tool.call.id": "c1" }),
        span({ id: "d2", parent: "d1", from: 1, attributes: mcp }),
        span({ id: "d3", from: 6, name: "tools/call y", attributes: { "mcp.method.name": "tools/call" } }),
      ),
    );
    expect(stepTexts(found)).toEqual(["tool_call x of mcp", "tool_call y"]);
  });

  it("OpenTelemetry: calls that the provider runs are server calls", () => {
    const { steps } = read(
      otlp(asking({ type: "server_tool_call", id: "s", name: "web", server_tool_call: { q: "x" } })),
    );
    expect(steps).toMatchObject([{ type: "server_tool_call", tool: "web", parameters: { q: "x" } }]);
  });
});

describe("other forms of content", () => {
  const expected = { system: "Be careful.", prompts: ["Hi"], steps: ["tool_call x one", "message Done."] };
  const calls = [{ id: "c1", type: "function", function: { name: "x", arguments: "{}" } }];

  it("OpenTelemetry: content may be events of a span", () => {
    const op = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
    const begin = [
      { name: "gen_ai.system.message", attributes: { content: "Be careful." } },
      { name: "gen_ai.user.message", attributes: { content: "Hi" } },
    ];
    const log = otlp(
      span({
        id: "b1",
        from: 1,
        attributes: op,
        events: [
          ...begin,
          {
            name: "gen_ai.choice",
            attributes: { index: 0, message: JSON.stringify({ role: "assistant", tool_calls: calls }) },
          },
        ],
      }),
      span({
        id: "b2",
        from: 3,
        attributes: op,
        events: [
          ...begin,
          { name: "gen_ai.assistant.message", attributes: { tool_calls: JSON.stringify(calls) } },
          { name: "gen_ai.tool.message", attributes: { id: "c1", content: "one" } },
          { name: "gen_ai.choice", attributes: { index: 0, message: { content: "Done." } } },
        ],
      }),
    );
    expect(summariesOf(log)).toEqual(expected);
  });

  it("OpenTelemetry: content may be numbered attributes", () => {
    const begin = {
      "llm.request.type": "chat",
      "gen_ai.prompt.0.role": "system",
      "gen_ai.prompt.0.content": "Be careful.",
      "gen_ai.prompt.1.role": "user",
      "gen_ai.prompt.1.content": '[{"type":"text","text":"Hi"}]',
    };
    const log = otlp(
      span({ id: "b1", from: 1, attributes: { ...begin, ...askedAt("gen_ai.completion.0") } }),
      span({
        id: "b2",
        from: 3,
        attributes: {
          ...begin,
          ...askedAt("gen_ai.prompt.2"),
          "gen_ai.prompt.3.role": "tool",
          "gen_ai.prompt.3.tool_call_id": "c1",
          "gen_ai.prompt.3.content": "one",
          "gen_ai.completion.0.role": "assistant",
          "gen_ai.completion.0.content": "Done.",
        },
      }),
    );
    expect(summariesOf(log)).toEqual(expected);
  });

  it("OpenTelemetry: content may be one text, one event with all messages, or log records", () => {
    const op = { "gen_ai.operation.name": "chat" };
    const messages = {
      "gen_ai.input.messages": first,
      "gen_ai.output.messages": [says("assistant", "Apples.")],
    };
    const details = { name: "gen_ai.client.inference.operation.details", attributes: messages };
    const bare = span({ id: "b1", from: 1, attributes: op });
    const logs = {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  traceId: "aa",
                  spanId: "b1",
                  eventName: "gen_ai.user.message",
                  body: any({ content: "What is in a.txt?" }),
                },
                {
                  traceId: "aa",
                  spanId: "b1",
                  attributes: listed({ "event.name": "gen_ai.choice" }),
                  body: any({ message: { content: "Apples." } }),
                },
                { body: { stringValue: "started" } },
              ],
            },
          ],
        },
      ],
    };
    for (const log of [
      otlp(
        span({
          id: "b1",
          from: 1,
          attributes: { ...op, "gen_ai.prompt": "What is in a.txt?", "gen_ai.completion": "Apples." },
        }),
      ),
      otlp(span({ id: "b1", from: 1, attributes: op, events: [details] })),
      lines(logs, otlp(bare)),
    ]) {
      const found = summariesOf(log);
      expect(found).toEqual({ system: "", prompts: ["What is in a.txt?"], steps: ["message Apples."] });
    }
  });

  it("OpenTelemetry: entities of Traceloop are calls", () => {
    const { steps } = read(
      otlp(
        span({
          id: "d1",
          from: 1,
          attributes: {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "x",
            "traceloop.entity.input": '{"a":1}',
            "traceloop.entity.output": '"one"',
          },
        }),
      ),
    );
    expect(steps).toMatchObject([
      { tool: "x", parameters: { a: 1 }, output: '"one"', metadata: { status: "ok" } },
    ]);
    expect(steps[0]?.metadata).not.toHaveProperty("agent");
  });

  it("OpenTelemetry: blobs and links in a message are part of the prompt, unknown parts are counted", () => {
    const { run, prompts, text, metadata } = read(
      otlp(
        chat(
          { id: "b1", from: 1 },
          [
            says(
              "user",
              "look",
              { type: "blob", mime_type: "image/png", content: btoa("png!") },
              { type: "uri", uri: "https://example.com/x" },
              { type: "smell" },
            ),
          ],
          undefined,
        ),
        chat(
          { id: "b2", from: 3 },
          [
            says(
              "user",
              "look",
              { type: "blob", mime_type: "image/png", content: btoa("png!") },
              { type: "uri", uri: "https://example.com/x" },
              { type: "smell" },
            ),
          ],
          undefined,
        ),
      ),
    );
    expect(prompts).toEqual(["look\n[.attached/1.png]\n[https://example.com/x]"]);
    expect((run.inputs ?? []).map(({ name, content }) => [name, text(content)])).toEqual([
      [".attached/1.png", "png!"],
    ]);
    expect(metadata["coverage"]).toMatchObject({ skipped: { "part of type smell": 1 } });
  });
});

describe("dumps, consoles and odd logs", () => {
  it("OpenTelemetry: a dump may have numbers for ids", () => {
    const dumped = (number: string, parent: string, from: number, attributes: Attributes) => `{
      "name": "x", "context": ${numberedId(number)}, "parent": ${parent}, "start_time": ${nano(from)}, "end_time": ${nano(from + 1)},
      "status": {"status_code": "ok", "description": null}, "events": [], "attributes": ${JSON.stringify(attributes)},
      "resource": {"attributes": {"telemetry.sdk.language": "python"}}}`;
    const root = numberedId("18446744073709551615");
    const log = `{"spans": [${[
      dumped(
        "18446744073709551613",
        root,
        1,
        chatting('[{"tool.name": "x", "tool.args": "{\\"a\\": 1}"}]', {
          "gen_ai.input.messages": '[{"role":"system","content":"Be."},{"role":"user","content":"Hi"}]',
        }),
      ),
      dumped("18446744073709551614", root, 3, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "x",
        "gen_ai.tool.args": '{"a":1}',
        "gen_ai.output": "null",
      }),
      dumped("18446744073709551612", root, 5, chatting('{"done": true}')),
      dumped("18446744073709551615", '{"span_id": null}', 0, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "any",
      }),
    ].join(",")}], "final_output": "x"}`;
    const found = read(log);
    expect(stepTexts(found)).toEqual(["tool_call x null", 'message {"done": true}']);
    expect(found.steps[0]).toMatchObject({
      timestamp: iso(3),
      metadata: { call_id: "18446744073709551614" },
    });
    expect(found).toMatchObject({ system: "Be.", prompts: ["Hi"] });
    expect(found.metadata).toMatchObject({
      source: { session: "340282366920938463463374607431768211455" },
      cost_usd: 0.6,
      operations: { call_llm: 2, execute_tool: 1, invoke_agent: 1 },
      coverage: { records: 4, left_out: { "field final_output": 1 } },
    });
    expect(found.run.environment.runtime).toBe("python");
  });

  it("OpenTelemetry: console output is read with other text between, and up to where it is cut off", () => {
    const op = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x" };
    const log = [
      printed("0x01", null, null, op),
      'starting up, with "quotes',
      printed("0x01", null, "2026-02-02T02:40:02.5Z", { ...op, "gen_ai.tool.call.result": 'a "}" b' }),
      "Traceback {",
      printed("0x02", "0x01", "2026-02-02T02:40:02.5Z", { "gen_ai.operation.name": "chat" }),
      printed("0x03", null, null, op).slice(0, 60),
    ].join("\n");
    const found = read(log);
    expect(stepTexts(found)).toEqual(['tool_call x a "}" b']);
    expect(found.run.created).toBe("2026-02-02T02:40:02.5Z");
    expect(found.metadata["coverage"]).toMatchObject({
      records: 3,
      duplicates: 1,
      damaged: { count: 1 },
      partial_last_line: true,
    });
  });

  it("OpenTelemetry: spans of any shape are read", () => {
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { spanId: {} },
      { spanId: "0000" },
      { spanId: "a", attributes: [null, {}, { key: 1 }], events: [null, {}] },
    ];
    const circle = [
      tool({ id: "e1", parent: "e2", from: 1 }, "x", {
        "gen_ai.tool.call.arguments": [1],
        "gen_ai.tool.call.result": { a: 1 },
      }),
      tool({ id: "e2", parent: "e1", from: 1 }, "y"),
    ];
    const strange = chat(
      { id: "e3", from: 2 },
      "not JSON",
      '[{"role":"constructor","content":{}},{"role":"assistant"},3]',
      { "gen_ai.request.__proto__": 1 },
    );
    const found = read(
      JSON.stringify(
        otlp(...odd, ...circle, strange, { spanId: "e4", startTimeUnixNano: "soon", name: 3, status: 4 }),
      ),
    );
    expect(found.all.flatMap(stepTexts)).toEqual(
      expect.arrayContaining(['tool_call x {"a":1}', "tool_call y"]),
    );
    expect(found.prompts).toEqual(["not JSON"]);
  });

  it.each(["", "{}", "[]", "7", "nothing", '{"resourceSpans":[]}', '{"spans":[{"name":"x"}]}'])(
    "OpenTelemetry: %j has no spans and is unreadable",
    (log) => {
      expect(() => read(log)).toThrow(expect.objectContaining({ code: "log-unreadable" }));
    },
  );
});
