// Small logs of the formats that came first, with many kinds of records each.
import { lines } from "../intake.js";

const at = (second: number): string => `2026-02-11T14:20:${String(second).padStart(2, "0")}.000Z`;

const claude = (type: string, second: number, rest: object): object => ({
  type,
  uuid: `u${second}`,
  parentUuid: second === 0 ? null : `u${second - 1}`,
  sessionId: "s",
  timestamp: at(second),
  cwd: "/p",
  gitBranch: "main",
  version: "2.1.42",
  isSidechain: false,
  ...rest,
});

const says = (second: number, id: string, block: object): object =>
  claude("assistant", second, {
    requestId: `r${id}`,
    message: {
      id,
      role: "assistant",
      model: "claude-x",
      content: [block],
      usage: { input_tokens: 3, output_tokens: second, cache_read_input_tokens: 1 },
    },
  });

const answers = (second: number, id: string, content: unknown, toolUseResult: unknown): object =>
  claude("user", second, {
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    toolUseResult,
  });

export const claudeCodeSpecimens: readonly string[] = [
  lines(
    { type: "summary", summary: "s", leafUuid: "l" },
    claude("user", 0, { message: { role: "user", content: "fix it" } }),
    says(1, "m1", { type: "thinking", thinking: "hm", signature: "c2ln" }),
    says(2, "m1", { type: "text", text: "I look." }),
    says(3, "m1", { type: "tool_use", id: "t1", name: "Read", input: { file_path: "/p/a.js" } }),
    says(4, "m1", { type: "tool_use", id: "t2", name: "Bash", input: { command: "npm t" } }),
    answers(5, "t1", "     1\u2192x", {
      type: "text",
      file: { filePath: "/p/a.js", content: "x", numLines: 1, startLine: 1, totalLines: 1 },
    }),
    answers(6, "t2", "Exit code 1\nno", "Error: Exit code 1\nno"),
    says(7, "m2", { type: "tool_use", id: "t3", name: "Edit", input: { file_path: "/p/a.js" } }),
    answers(8, "t3", "done", {
      filePath: "/p/a.js",
      oldString: "x",
      newString: "y",
      originalFile: "x",
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-x", "+y"] }],
    }),
    claude("system", 9, { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 5 } }),
    claude("user", 10, { isCompactSummary: true, message: { role: "user", content: "so far" } }),
    claude("attachment", 11, { attachment: { type: "queued_command", prompt: "and more" } }),
    claude("user", 12, {
      isMeta: true,
      message: { role: "user", content: "<system-reminder>x</system-reminder>" },
    }),
    says(13, "m3", { type: "tool_use", id: "t4", name: "Task", input: { prompt: "look" } }),
    answers(14, "t4", [{ type: "text", text: "seen" }], {
      status: "completed",
      agentId: "a1",
      totalTokens: 5,
    }),
    claude("progress", 15, { data: { type: "bash_progress" }, toolUseID: "t2" }),
    says(16, "m4", { type: "text", text: "Fixed." }),
  ),
];

export const claudeStreamJsonSpecimens: readonly string[] = [
  lines(
    {
      type: "system",
      subtype: "init",
      session_id: "s",
      cwd: "/p",
      model: "claude-x",
      tools: ["Bash"],
      mcp_servers: [{ name: "m", status: "connected" }],
      permissionMode: "default",
      claude_code_version: "2.1.41",
    },
    {
      type: "assistant",
      session_id: "s",
      parent_tool_use_id: null,
      message: {
        id: "m1",
        model: "claude-x",
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Task", input: { prompt: "p" } }],
        usage: { input_tokens: 1, output_tokens: 2 },
      },
    },
    {
      type: "assistant",
      session_id: "s",
      parent_tool_use_id: "t1",
      message: { id: "m2", role: "assistant", content: [{ type: "text", text: "sub" }] },
    },
    {
      type: "user",
      session_id: "s",
      parent_tool_use_id: null,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
      tool_use_result: { stdout: "ok", stderr: "", interrupted: false },
    },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      num_turns: 3,
      duration_ms: 1,
      total_cost_usd: 0.01,
      result: "done",
      session_id: "s",
      usage: { input_tokens: 1 },
      permission_denials: [{ tool_use_id: "t9" }],
    },
  ),
];

const codex = (second: number, type: string, payload: object): object => ({
  timestamp: at(second),
  type,
  payload,
});

export const codexSpecimens: readonly string[] = [
  lines(
    codex(0, "session_meta", {
      id: "c",
      timestamp: at(0),
      cwd: "/p",
      originator: "codex-tui",
      cli_version: "0.130.0",
      source: "cli",
      model_provider: "openai",
      base_instructions: { text: "You are Codex." },
      git: { commit_hash: "c8c2", branch: "main", repository_url: "u" },
    }),
    codex(1, "turn_context", {
      turn_id: "t1",
      cwd: "/p",
      model: "gpt-x",
      effort: "high",
      approval_policy: "never",
    }),
    codex(2, "event_msg", { type: "user_message", message: "fix it" }),
    codex(2, "response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "fix it" }],
    }),
    codex(3, "response_item", {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "x",
    }),
    codex(4, "response_item", {
      type: "function_call",
      name: "exec_command",
      arguments: '{"cmd":"ls"}',
      call_id: "k1",
    }),
    codex(5, "response_item", {
      type: "function_call_output",
      call_id: "k1",
      output:
        "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 4\nOutput:\na.js",
    }),
    codex(6, "response_item", {
      type: "custom_tool_call",
      status: "completed",
      call_id: "k2",
      name: "apply_patch",
      input: "*** Begin Patch\n*** Add File: b.js\n+x\n*** End Patch",
    }),
    codex(7, "event_msg", {
      type: "patch_apply_end",
      call_id: "k2",
      success: true,
      changes: { "/p/b.js": { type: "add", content: "x\n" } },
      stdout: "",
      stderr: "",
    }),
    codex(7, "response_item", { type: "custom_tool_call_output", call_id: "k2", output: "ok" }),
    codex(8, "event_msg", {
      type: "token_count",
      info: {
        total_token_usage: { input_tokens: 9, output_tokens: 3 },
        last_token_usage: { input_tokens: 9 },
      },
    }),
    codex(9, "compacted", { message: "so far", replacement_history: [] }),
    codex(10, "response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Fixed." }],
    }),
    codex(11, "event_msg", { type: "task_complete", last_agent_message: "Fixed." }),
  ),
];

export const codexExecJsonSpecimens: readonly string[] = [
  lines(
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "i0", type: "reasoning", text: "hm" } },
    {
      type: "item.completed",
      item: {
        id: "i1",
        type: "command_execution",
        command: "ls",
        aggregated_output: "a",
        exit_code: 0,
        status: "completed",
      },
    },
    {
      type: "item.completed",
      item: { id: "i2", type: "file_change", changes: [{ path: "a", kind: "add" }], status: "completed" },
    },
    {
      type: "item.completed",
      item: {
        id: "i3",
        type: "mcp_tool_call",
        server: "s",
        tool: "t",
        arguments: {},
        result: { content: [] },
        status: "completed",
      },
    },
    { type: "item.completed", item: { id: "i4", type: "agent_message", text: "Done." } },
    { type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 2 } },
  ),
];

export const openaiMessagesSpecimens: readonly string[] = [
  JSON.stringify({
    model: "gpt-x",
    temperature: 0.5,
    tools: [{ type: "function", function: { name: "ls", parameters: {} } }],
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: '{"path":"."}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "a" },
      { role: "assistant", content: "One file.", refusal: null },
    ],
    response: {
      object: "chat.completion",
      created: 1770000000,
      model: "gpt-x",
      choices: [{ message: { role: "assistant", content: "Bye." } }],
      usage: { prompt_tokens: 4, completion_tokens: 2 },
    },
  }),
  JSON.stringify([
    {
      task_id: 0,
      reward: 1,
      traj: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ho" },
      ],
    },
  ]),
];

const attribute = (key: string, value: string): object => ({ key, value: { stringValue: value } });
const span = (id: string, rest: object): object => ({
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: id,
  parentSpanId: "a000000000000000",
  startTimeUnixNano: "1770000000000000000",
  endTimeUnixNano: "1770000001000000000",
  status: {},
  ...rest,
});

export const otelSpecimens: readonly string[] = [
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [attribute("service.name", "s"), attribute("os.type", "linux")] },
        scopeSpans: [
          {
            scope: { name: "x" },
            spans: [
              span("a000000000000000", {
                parentSpanId: "",
                name: "invoke_agent a",
                attributes: [
                  attribute("gen_ai.operation.name", "invoke_agent"),
                  attribute("gen_ai.conversation.id", "c"),
                ],
              }),
              span("a000000000000001", {
                name: "chat m",
                attributes: [
                  attribute("gen_ai.operation.name", "chat"),
                  attribute("gen_ai.request.model", "m"),
                  attribute("gen_ai.system_instructions", '[{"type":"text","content":"Be brief."}]'),
                  attribute(
                    "gen_ai.input.messages",
                    '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
                  ),
                  attribute(
                    "gen_ai.output.messages",
                    '[{"role":"assistant","parts":[{"type":"text","content":"ho"}]}]',
                  ),
                  { key: "gen_ai.usage.input_tokens", value: { intValue: "31" } },
                ],
              }),
              span("a000000000000002", {
                name: "execute_tool t",
                attributes: [
                  attribute("gen_ai.operation.name", "execute_tool"),
                  attribute("gen_ai.tool.name", "t"),
                  attribute("gen_ai.tool.call.id", "k"),
                  attribute("gen_ai.tool.call.arguments", '{"a":1}'),
                  attribute("gen_ai.tool.call.result", "r"),
                ],
                events: [{ name: "e", timeUnixNano: "1770000000500000000", attributes: [] }],
              }),
            ],
          },
        ],
      },
    ],
  }),
];
