// Small trajectories in ATIF that between them have every field that its reader looks at.
const results = (...list: unknown[]) => ({ results: list });

const sub = {
  schema_version: "ATIF-v1.7",
  session_id: "s1",
  trajectory_id: "t2",
  agent: { name: "helper", version: "2" },
  steps: [
    { step_id: 1, source: "user", message: "Look into it." },
    { step_id: 2, source: "agent", message: "Done.", metrics: { cost_usd: 0.1 } },
  ],
};

const full = {
  schema_version: "ATIF-v1.7",
  session_id: "s1",
  trajectory_id: "t1",
  agent: {
    name: "harness",
    version: "1.2",
    model_name: "m-1",
    provider: "p",
    tool_definitions: [{ type: "function", function: { name: "read_file" } }],
    extra: { temperature: 0.2, note: "x" },
  },
  notes: "by hand",
  continued_trajectory_ref: "trajectory.cont-1.json",
  steps: [
    { step_id: 1, timestamp: "2026-04-01T09:00:00Z", source: "system", message: "Be brief." },
    {
      step_id: 2,
      timestamp: "2026-04-01T09:00:01Z",
      source: "user",
      is_copied_context: true,
      extra: { a: 1 },
      message: [
        { type: "text", text: "What is in it?" },
        { type: "image", source: { media_type: "image/png", path: "images/a.png" } },
        { type: "image", source: { media_type: "image/png", data: "AAAA" } },
        { type: "image", source: { path: "data:image/png;base64,AAAA" } },
      ],
    },
    {
      step_id: 3,
      timestamp: "2026-04-01T09:00:02Z",
      source: "agent",
      model_name: "m-2",
      reasoning_effort: "low",
      reasoning_content: "I should look.",
      message: "Let me see.",
      llm_call_count: 1,
      tool_calls: [
        { tool_call_id: "c1", function_name: "read_file", arguments: { path: "a.txt" }, extra: { b: 2 } },
        { tool_call_id: "c2", function_name: "task", arguments: '{"ask":"x"}' },
      ],
      observation: results(
        {
          source_call_id: "c1",
          content: "apples",
          extra: { ctx: { status: "error", exit_code: 1, metadata: {} } },
        },
        {
          source_call_id: "c2",
          content: [{ type: "text", text: "done" }],
          subagent_trajectory_ref: [{ trajectory_id: "t2", session_id: "s1" }],
        },
      ),
      metrics: { prompt_tokens: 10, completion_tokens: 3, cached_tokens: 4, cost_usd: 0.5, logprobs: [0.1] },
      extra: { c: 3 },
    },
    {
      step_id: 4,
      source: "agent",
      reasoning_effort: "high",
      message: "",
      tool_calls: [{ function_name: "bash", arguments: { command: "ls" } }],
      observation: results({
        content: "a.txt",
        is_error: false,
        extra: { status: "completed", exit_code: 0 },
      }),
    },
    {
      step_id: 5,
      source: "system",
      message: "Reminder.",
      observation: results({ source_call_id: "c9", content: "late" }),
    },
  ],
  final_metrics: {
    total_prompt_tokens: 10,
    total_completion_tokens: 3,
    total_cached_tokens: 4,
    total_cost_usd: 0.5,
    total_steps: 5,
  },
  subagent_trajectories: [sub],
  extra: { d: 4, ctx: { version: 1 } },
};

const dialect = {
  schema_version: "1.4",
  session_id: "s2",
  agent: { name: "claude-code", version: "2.0", model: "m-9" },
  steps: [
    { step_id: 1, source: "user", message: "Go." },
    {
      step_id: 2,
      source: "system",
      message: "Tool result for x1",
      observation: { type: "tool_result", content: "no", result: { success: false, error: "no" } },
    },
    {
      step_id: 3,
      source: "agent",
      message: "So.",
      tool_calls: [{ id: "x1", name: "Write", arguments: { file_path: "a.txt", content: "" } }],
      extra: { tool_result_is_error: true, tool_result_metadata: { exit_code: 2 } },
    },
  ],
};

export const atifSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify(full, null, 1),
  JSON.stringify(dialect),
  `${JSON.stringify(dialect)}\n${JSON.stringify(sub)}\n`,
];
