// Small logs of OpenTelemetry events, which between them have every kind of record that the reader looks at.

function held(value: unknown): unknown {
  if (typeof value === "number") return { intValue: String(value) };
  return typeof value === "boolean" ? { boolValue: value } : { stringValue: value };
}

function record(name: string, time: number, attributes: Record<string, unknown>): unknown {
  return {
    timeUnixNano: `${1750000000 + time}000000000`,
    body: { stringValue: `claude_code.${name}` },
    attributes: Object.entries({ "event.name": name, "session.id": "s-1", ...attributes }).map(
      ([key, value]) => ({ key, value: held(value) }),
    ),
  };
}

const otlp = (...logRecords: unknown[]): unknown => ({
  resourceLogs: [
    {
      resource: {
        attributes: [
          { key: "service.name", value: { stringValue: "claude-code" } },
          { key: "service.version", value: { stringValue: "2.1.0" } },
          { key: "os.type", value: { stringValue: "linux" } },
        ],
      },
      scopeLogs: [{ scope: { name: "com.anthropic.claude_code.events" }, logRecords }],
    },
  ],
});

/** Claude Code's events in lines of an OTLP file exporter. */
const claudeRecords = [
  record("user_prompt", 0, { prompt: "Fix the test", prompt_length: 12 }),
  record("api_request_body", 1, {
    query_source: "repl_main_thread",
    body: JSON.stringify({
      model: "claude-x",
      max_tokens: 1000,
      system: [{ type: "text", text: "Be good." }],
      tools: [{ name: "Bash" }],
      messages: [
        { role: "user", content: [{ type: "text", text: "<system-reminder>today</system-reminder>" }] },
        { role: "user", content: "Fix the test" },
      ],
    }),
  }),
  record("api_response_body", 2, {
    body: JSON.stringify({
      model: "claude-x",
      content: [
        { type: "thinking", thinking: "Run it." },
        { type: "text", text: "I run it." },
        { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } },
        { type: "tool_use", id: "t2", name: "Write", input: { file_path: "/a", content: "x" } },
      ],
    }),
  }),
  record("api_request", 2, {
    model: "claude-x",
    input_tokens: 10,
    output_tokens: 5,
    cache_read_tokens: 3,
    cache_creation_tokens: 2,
    cost_usd: "0.5",
    query_source: "repl_main_thread",
  }),
  record("api_request", 2, { model: "claude-y", input_tokens: 1, output_tokens: 1, query_source: "agent:x" }),
  record("tool_decision", 3, { tool_name: "Bash", tool_use_id: "t1", decision: "accept", source: "config" }),
  record("tool_result", 4, {
    tool_name: "Bash",
    tool_use_id: "t1",
    success: "false",
    error: "exit 1",
    duration_ms: 20,
    tool_input: '{"command":"npm test"}',
  }),
  record("tool_decision", 5, {
    tool_name: "Write",
    tool_use_id: "t2",
    decision: "reject",
    source: "user_reject",
  }),
  record("api_error", 6, { model: "claude-x", error: "overloaded", status_code: 529 }),
  record("api_response_body", 7, { body: '{"content":[{"type":"te' }),
  record("hook_registered", 8, {}),
  record("something_new", 9, {}),
];
export const claudeEvents = [claudeRecords.slice(0, 3), claudeRecords.slice(3)]
  .map((each) => `${JSON.stringify(otlp(...each))}\n`)
  .join("");

/** What Gemini CLI writes into its outfile: object after object, over many lines. */
export const geminiEvents = [
  { "event.name": "gemini_cli.config", model: "gemini-x", approval_mode: "default", sandbox_enabled: false },
  { "event.name": "gemini_cli.user_prompt", prompt: "List the files", prompt_length: 14, prompt_id: "p" },
  {
    "event.name": "gemini_cli.api_response",
    "event.timestamp": "2026-05-01T10:00:02.000Z",
    model: "gemini-x",
    role: "main",
    input_token_count: 20,
    output_token_count: 6,
    cached_content_token_count: 4,
    thoughts_token_count: 2,
  },
  {
    "event.name": "gen_ai.client.inference.operation.details",
    "event.timestamp": "2026-05-01T10:00:02.000Z",
    "gen_ai.request.model": "gemini-x",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.system_instructions": '[{"type":"text","content":"You are an agent."}]',
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.input.messages":
      '[{"role":"user","parts":[{"type":"text","content":"This is the setup"}]},{"role":"user","parts":[{"type":"text","content":"List the files"}]}]',
    "gen_ai.output.messages":
      '[{"role":"system","parts":[{"type":"reasoning","content":"ls"},{"type":"tool_call","id":"c1","name":"list_directory","arguments":"{\\"path\\":\\".\\"}"}],"finish_reason":"stop"}]',
  },
  {
    "event.name": "gemini_cli.tool_call",
    function_name: "list_directory",
    function_args: '{\n  "path": "."\n}',
    duration_ms: 3,
    success: true,
    decision: "auto_accept",
  },
  {
    "event.name": "gen_ai.client.inference.operation.details",
    "event.timestamp": "2026-05-01T10:00:04.000Z",
    "gen_ai.input.messages":
      '[{"role":"user","parts":[{"type":"text","content":"List the files"}]},{"role":"system","parts":[{"type":"tool_call","id":"c1","name":"list_directory","arguments":"{\\"path\\":\\".\\"}"}]},{"role":"user","parts":[{"type":"tool_call_response","id":"c1","response":"{\\"output\\":\\"a.txt\\"}"}]}]',
    "gen_ai.output.messages": '[{"role":"system","parts":[{"type":"text","content":"There is a.txt."}]}]',
  },
  {
    "event.name": "gemini_cli.api_response",
    "event.timestamp": "2026-05-01T10:00:05.000Z",
    role: "utility_next_speaker",
    model: "gemini-small",
    input_token_count: 1,
    output_token_count: 1,
    response_text: '{"candidates":[{"content":{"parts":[{"text":"{}"}]}}]}',
  },
]
  .map((attributes, index) =>
    JSON.stringify(
      {
        hrTime: [1777629600 + index, 0],
        resource: { _rawAttributes: [["service.name", "gemini-cli"]] },
        instrumentationScope: { name: "gemini-cli" },
        attributes: { "session.id": "g-1", ...attributes },
        _body: "something happened",
      },
      null,
      2,
    ),
  )
  .concat(JSON.stringify({ resource: {}, scopeMetrics: [] }, null, 2))
  .join("\n");

/** The conventions' own events, as the SDK for Python prints them, and Codex's. */
export const otherEvents = [
  ...[
    ["gen_ai.system.message", { content: "Be brief." }],
    ["gen_ai.user.message", { content: "What is it like in Rome?" }],
    [
      "gen_ai.assistant.message",
      {
        tool_calls: [
          { id: "c", type: "function", function: { name: "weather", arguments: '{"in":"Rome"}' } },
        ],
      },
    ],
    ["gen_ai.tool.message", { id: "c", content: "sunny" }],
    ["gen_ai.choice", { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Sunny." } }],
  ].map(([name, body]) => ({
    body,
    severity_number: 9,
    attributes: { "gen_ai.system": "openai", "event.name": name },
    timestamp: "2026-05-01T10:00:00.000000Z",
    trace_id: "0x4bf92f3577b34da6a3ce929d0e0e4736",
    span_id: "0x00f067aa0ba902b7",
    resource: { attributes: { "service.name": "app" } },
  })),
  ...(
    [
      ["codex.conversation_starts", { approval_policy: "never", reasoning_effort: "high", cwd: "/w" }],
      ["codex.user_prompt", { prompt: "Say hello" }],
      [
        "codex.sse_event",
        {
          "event.kind": "response.completed",
          input_token_count: 5,
          output_token_count: 2,
          cached_token_count: 1,
          reasoning_token_count: 1,
        },
      ],
      [
        "codex.tool_result",
        {
          tool_name: "shell",
          call_id: "k",
          arguments: '{"command":["ls"]}',
          output: "a",
          success: "true",
          duration_ms: 1,
        },
      ],
    ] as const
  ).map(([name, attributes]) => ({
    _type: "log",
    ts: "2026-05-01T11:00:00.000Z",
    name,
    attrs: {
      "event.name": name,
      "conversation.id": "k-1",
      model: "gpt-x",
      "app.version": "0.9",
      ...attributes,
    },
    resource: { "service.name": "codex_cli_rs" },
  })),
  { _type: "metric", ts: "2026-05-01T11:00:00.000Z", name: "n", value: 1, attrs: {}, resource: {} },
]
  .map((each) => `${JSON.stringify(each)}\n`)
  .join("");

export const otelEventsSpecimens: readonly string[] = [claudeEvents, geminiEvents, otherEvents];
