// Small logs of OpenHands that between them have every kind of event, and every field that is read.
const day = "2025-01-27T22:45";

function response(id: string, ...calls: [id: string, name: string, args: object][]): object {
  return {
    id,
    model: "claude-x",
    choices: [
      {
        message: {
          role: "assistant",
          content: "I go on.",
          reasoning_content: `What ${id} thought.`,
          tool_calls: calls.map(([call, name, args]) => ({
            id: call,
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, cache_read_input_tokens: 3 },
  };
}

function toolCall(name: string, id: string, model_response: object): object {
  return { tool_call_metadata: { function_name: name, tool_call_id: id, model_response } };
}

const run = response(
  "r1",
  ["t1", "execute_bash", { command: "ls" }],
  ["t1", "execute_bash", { command: "pwd" }],
);
const edit = response("r2", ["t2", "str_replace_editor", { command: "create", path: "/workspace/a" }]);
const metrics = {
  accumulated_cost: 0.5,
  accumulated_token_usage: { prompt_tokens: 20, completion_tokens: 9 },
  token_usages: [
    { model: "claude-x", prompt_tokens: 10, cache_read_tokens: 3, cache_write_tokens: 1, response_id: "r1" },
  ],
};

const old = [
  {
    id: 0,
    timestamp: `${day}:00.1`,
    source: "agent",
    action: "system",
    args: {
      content: "You are.",
      tools: [{ function: { name: "execute_bash" } }],
      openhands_version: "0.50",
      agent_class: "CodeAct",
    },
  },
  {
    id: 1,
    timestamp: `${day}:01`,
    source: "user",
    action: "message",
    args: { content: "Go.", image_urls: ["data:image/png;base64,AA=="] },
  },
  { id: 2, timestamp: `${day}:01`, source: "user", action: "recall", args: { query: "Go." } },
  {
    id: 3,
    cause: 2,
    source: "environment",
    observation: "recall",
    content: "Added",
    extras: { recall_type: "workspace_context", repo_instructions: "Be kind." },
  },
  {
    id: 4,
    timestamp: `${day}:02`,
    source: "agent",
    action: "run",
    args: { command: "ls", thought: "I look." },
    ...toolCall("execute_bash", "t1", run),
    llm_metrics: metrics,
  },
  { id: 5, source: "agent", action: "run", args: { command: "pwd" }, ...toolCall("execute_bash", "t1", run) },
  {
    id: 6,
    cause: 5,
    source: "agent",
    observation: "run",
    content: "/workspace",
    extras: { metadata: { exit_code: 0, working_dir: "/workspace" } },
    ...toolCall("execute_bash", "t1", run),
  },
  {
    id: 7,
    cause: 4,
    source: "agent",
    observation: "run",
    content: "[... Observation truncated due to length ...]",
    extras: { metadata: { exit_code: -1, working_dir: null } },
  },
  {
    id: 8,
    source: "agent",
    action: "edit",
    args: { path: "/workspace/a" },
    ...toolCall("str_replace_editor", "t2", edit),
  },
  {
    id: 9,
    cause: 8,
    source: "agent",
    observation: "edit",
    content: "diff",
    extras: {
      path: "/workspace/a",
      prev_exist: true,
      old_content: "1",
      new_content: "2",
      formatted_output_and_error: "edited",
    },
  },
  { id: 10, source: "agent", action: "write", args: { path: "b", content: "x", start: 0, end: -1 } },
  { id: 11, cause: 10, source: "agent", observation: "write", content: "", extras: { path: "b" } },
  { id: 12, source: "agent", action: "call_tool_mcp", args: { name: "n", arguments: {} } },
  { id: 13, cause: 12, source: "agent", observation: "mcp", content: '{"isError":true}', extras: {} },
  { id: 14, source: "user", action: "run", args: { command: "rm -r /" } },
  { id: 15, cause: 14, source: "user", observation: "user_rejected", content: "No.", extras: {} },
  { id: 16, source: "agent", action: "think", args: { thought: "Hm." } },
  { id: 17, source: "environment", observation: "error", content: "It broke.", extras: { error_id: "E" } },
  {
    id: 18,
    source: "agent",
    action: "condensation",
    args: { summary: "Much.", forgotten_events_start_id: 2, forgotten_events_end_id: 5 },
  },
  {
    id: 19,
    source: "environment",
    observation: "agent_state_changed",
    content: "",
    extras: { agent_state: "error", reason: "why" },
  },
  { id: 20, source: "user", action: "change_agent_state", args: { agent_state: "stopped" } },
  {
    id: 21,
    source: "agent",
    action: "finish",
    args: { final_thought: "Done.", task_completed: "true", outputs: {} },
  },
];

const part = (text: string): object => ({ type: "text", text });
const stats = {
  usage_to_metrics: {
    agent: {
      model_name: "m",
      accumulated_cost: 0.1,
      accumulated_token_usage: { prompt_tokens: 5, completion_tokens: 2, reasoning_tokens: 1 },
    },
  },
};

const sdk = [
  {
    id: "s",
    timestamp: `${day}:00`,
    source: "agent",
    system_prompt: part("You are."),
    dynamic_context: part("Today."),
    tools: [{ name: "terminal" }],
    kind: "SystemPromptEvent",
  },
  {
    id: "m",
    source: "user",
    llm_message: { role: "user", content: [part("Go."), { type: "image", image_urls: ["https://a/b.png"] }] },
    extended_content: [part("A skill.")],
    kind: "MessageEvent",
  },
  {
    id: "a1",
    source: "agent",
    thought: [part("<think>Hm.</think> I look.")],
    reasoning_content: "Hm.",
    thinking_blocks: [{ type: "redacted_thinking" }],
    responses_reasoning_item: { summary: ["S"], encrypted_content: "x" },
    action: { command: "ls", kind: "TerminalAction" },
    tool_name: "terminal",
    tool_call_id: "t1",
    tool_call: { id: "t1", name: "terminal", arguments: '{"command":"ls"}' },
    llm_response_id: "r1",
    security_risk: "LOW",
    summary: "look",
    kind: "ActionEvent",
  },
  {
    id: "a2",
    source: "agent",
    thought: [],
    action: { path: "/w/a", kind: "FileEditorAction" },
    tool_name: "file_editor",
    tool_call_id: "t2",
    llm_response_id: "r1",
    kind: "ActionEvent",
  },
  {
    id: "o2",
    source: "environment",
    action_id: "a2",
    tool_call_id: "t2",
    observation: {
      content: [part("ok")],
      is_error: false,
      command: "create",
      path: "/w/a",
      prev_exist: false,
      new_content: "1",
    },
    extended_content: [part("A rule.")],
    kind: "ObservationEvent",
  },
  {
    id: "o1",
    source: "environment",
    action_id: "a1",
    tool_call_id: "t1",
    observation: {
      content: [part("a")],
      is_error: true,
      exit_code: 2,
      timeout: true,
      metadata: { exit_code: 2, working_dir: "/w" },
    },
    kind: "ObservationEvent",
  },
  {
    id: "a3",
    source: "agent",
    action: { kind: "X" },
    tool_name: "x",
    tool_call_id: "t3",
    kind: "ActionEvent",
  },
  {
    id: "o3",
    source: "user",
    action_id: "a3",
    rejection_reason: "No.",
    rejection_source: "user",
    kind: "UserRejectObservation",
  },
  { id: "a4", source: "agent", action: null, tool_name: "y", tool_call_id: "t4", kind: "ActionEvent" },
  {
    id: "o4",
    source: "agent",
    tool_call_id: "t4",
    tool_name: "y",
    error: "no such tool",
    kind: "AgentErrorEvent",
  },
  { id: "c", source: "environment", forgotten_event_ids: ["a1"], summary: "Much.", kind: "Condensation" },
  {
    id: "p1",
    source: "agent",
    tool_call_id: "p",
    title: "Read",
    status: "pending",
    tool_kind: "read",
    raw_input: { path: "a" },
    kind: "ACPToolCallEvent",
  },
  {
    id: "p2",
    source: "agent",
    tool_call_id: "p",
    title: "Read",
    status: "completed",
    raw_output: "x",
    kind: "ACPToolCallEvent",
  },
  { id: "u1", source: "environment", key: "stats", value: stats, kind: "ConversationStateUpdateEvent" },
  {
    id: "u2",
    source: "environment",
    key: "execution_status",
    value: "finished",
    kind: "ConversationStateUpdateEvent",
  },
  {
    id: "u3",
    source: "environment",
    key: "full_state",
    value: {
      id: "i",
      agent: { llm: { model: "m", temperature: 0 }, kind: "Agent", tools: [{ name: "t" }] },
      workspace: { working_dir: "/w" },
      confirmation_policy: { kind: "Never" },
      stats,
    },
    kind: "ConversationStateUpdateEvent",
  },
  { id: "e", source: "environment", code: "E", detail: "why", kind: "ConversationErrorEvent" },
  { id: "i", source: "user", kind: "InterruptEvent" },
  {
    id: "f",
    source: "agent",
    action: { message: "Done.", kind: "FinishAction" },
    tool_name: "finish",
    tool_call_id: "t5",
    kind: "ActionEvent",
  },
];

const task = {
  instance_id: "case-1",
  instruction: "Fix it.",
  test_result: { git_patch: "diff --git a/a b/a\n", resolved: true },
  metadata: { agent_class: "CodeAct", llm_config: { model: "m", temperature: 0 }, dataset: "d" },
  history: [
    { action: "message", content: "Fix it.", images_urls: null },
    { action: "run", command: "ls", thought: "I look." },
    { observation: "run", content: "a", command: "ls", exit_code: 1 },
    { action: "message", content: "What now?" },
  ],
  metrics,
  error: null,
  issue: { number: 1, body: "b" },
  success: true,
};

const pairs = {
  instance_id: "case-2",
  history: [
    [
      { action: "run", command: "ls" },
      { observation: "run", content: "a" },
    ],
  ],
  git_patch: "",
};

export const openhandsSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify(old),
  sdk.map((event) => `${JSON.stringify(event)}\n`).join(""),
  `${JSON.stringify(task)}\n${JSON.stringify(pairs)}\n`,
];
