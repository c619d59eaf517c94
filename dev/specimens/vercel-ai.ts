// Small logs of Vercel's AI SDK, which between them have every kind of message, part and record that the
// reader looks at.

/** Messages as models take them, with what stands around them. */
export const modelMessages = JSON.stringify({
  id: "chat-1",
  title: "Weather",
  model: "model-x",
  temperature: 0.5,
  createdAt: "2026-05-01T10:00:00.000Z",
  system: "Be brief.",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is it like?" },
        { type: "image", image: "data:image/png;base64,aGk=" },
        { type: "file", data: "aGk=", mediaType: "text/plain", filename: "a.txt" },
        { type: "file", data: "https://example.com/b.pdf", mediaType: "application/pdf" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Look it up." },
        { type: "redacted-reasoning", data: "x" },
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "c1", toolName: "weather", input: { in: "Rome" } },
        { type: "tool-call", toolCallId: "c2", toolName: "weather", args: { in: "Atlantis" } },
        { type: "tool-call", toolCallId: "c3", toolName: "search", input: {}, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: "c3",
          toolName: "search",
          output: { type: "json", value: { hits: 0 } },
        },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "weather",
          output: { type: "text", value: "sunny" },
        },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "weather",
          output: { type: "error-text", value: "no city" },
        },
        { type: "tool-result", toolCallId: "gone", toolName: "weather", result: { t: 1 }, isError: true },
      ],
    },
    { role: "assistant", content: "Sunny in Rome." },
  ],
});

/** Messages as user interfaces keep them, one a line. */
export const uiMessages = [
  { id: "m1", role: "user", parts: [{ type: "text", text: "Go" }], metadata: { timestamp: 1777629600000 } },
  {
    id: "m2",
    role: "assistant",
    metadata: {
      timestamp: 1777629601000,
      model: "model-y",
      usage: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1 },
    },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Hm.", state: "done" },
      {
        type: "tool-read_file",
        toolCallId: "a",
        state: "output-available",
        input: { path: "a" },
        output: "text",
      },
      {
        type: "dynamic-tool",
        toolName: "bash",
        toolCallId: "b",
        state: "output-error",
        input: { command: "ls" },
        errorText: "no",
      },
      { type: "step-start" },
      {
        type: "tool-write",
        toolCallId: "d",
        state: "output-denied",
        input: {},
        approval: { id: "x", approved: false, reason: "not now" },
      },
      { type: "tool-wait", toolCallId: "e", state: "input-available", input: {} },
      {
        type: "tool-invocation",
        toolInvocation: { state: "result", toolCallId: "f", toolName: "old", args: {}, result: { ok: true } },
      },
      { type: "source-url", sourceId: "s", url: "https://example.com" },
      { type: "data-note", data: {} },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,aGk=" },
      { type: "text", text: "Done." },
    ],
  },
  {
    id: "m3",
    role: "assistant",
    createdAt: "2026-05-01T10:00:09.000Z",
    content: "Older.",
    reasoning: "Old thought.",
    toolInvocations: [{ state: "call", toolCallId: "g", toolName: "old", args: { x: 1 } }],
    experimental_attachments: [{ name: "c.png", contentType: "image/png", url: "https://example.com/c.png" }],
  },
]
  .map((each) => `${JSON.stringify(each)}\n`)
  .join("");

const text = (value: unknown): string => JSON.stringify(value);

/** What the SDK's DevTools keep: two runs, one of which a step of the other started. */
export const devtoolsRuns = JSON.stringify({
  runs: [
    { id: "r1", started_at: "2026-05-01T10:00:00.000Z", function_id: "chat" },
    {
      id: "r2",
      started_at: "2026-05-01T10:00:01.500Z",
      parent_run_id: "r1",
      parent_step_id: "s1",
      function_id: "helper",
    },
    { id: "r0", started_at: "2026-05-01T09:00:00.000Z" },
  ],
  steps: [
    {
      id: "s1",
      run_id: "r1",
      step_number: 1,
      type: "stream",
      model_id: "model-z",
      provider: "p",
      started_at: "2026-05-01T10:00:01.000Z",
      duration_ms: 400,
      input: text({
        prompt: [
          { role: "system", content: "Be good." },
          { role: "user", content: [{ type: "text", text: "Ask him" }] },
        ],
        tools: [{ type: "function", name: "ask" }],
        temperature: 0,
      }),
      output: text({
        textParts: [{ id: "t", text: "I ask." }],
        reasoningParts: [{ id: "r", text: "Hm." }],
        toolCalls: [{ type: "tool-call", toolCallId: "k", toolName: "ask", input: '{"q":"x"}' }],
      }),
      usage: text({
        inputTokens: { total: 9, cacheRead: 1, cacheWrite: 2 },
        outputTokens: { total: 3, reasoning: 1 },
      }),
      error: null,
      raw_request: "{}",
    },
    {
      id: "s2",
      run_id: "r2",
      type: "generate",
      model_id: "model-s",
      started_at: "2026-05-01T10:00:02.000Z",
      input: { prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
      output: { content: [{ type: "text", text: "y" }], usage: { inputTokens: 1, outputTokens: 1 } },
    },
    {
      id: "s3",
      run_id: "r1",
      type: "stream",
      model_id: "model-z",
      started_at: "2026-05-01T10:00:03.000Z",
      input: text({
        prompt: [
          { role: "user", content: [{ type: "text", text: "Ask him" }] },
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "k", toolName: "ask", input: { q: "x" } }],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "k", toolName: "ask", output: { type: "text", value: "y" } },
            ],
          },
        ],
      }),
      output: null,
      error: { message: "overloaded" },
    },
  ],
});

export const vercelAiSpecimens: readonly string[] = [modelMessages, uiMessages, devtoolsRuns];
