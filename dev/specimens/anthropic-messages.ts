// Small logs of Anthropic's messages that between them have every record and field that is looked at.
import { lines } from "../intake.js";

const text = (words: string) => ({ type: "text", text: words });
const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
const caller = { type: "code_execution_20250825", tool_id: "s1" };

const content = [
  { type: "thinking", thinking: "hm", signature: "s" },
  { type: "redacted_thinking", data: "x" },
  { type: "compaction", content: "so far" },
  text("I look."),
  { type: "server_tool_use", id: "s1", name: "code_execution", input: { code: "1" } },
  { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a.txt" }, caller },
  { type: "tool_use", id: "t2", name: "Write", input: { file_path: "b.txt", content: "b" } },
  {
    type: "code_execution_tool_result",
    tool_use_id: "s1",
    content: { type: "x", stdout: "o", stderr: "e", return_code: 1, content: [{ file_id: "f" }] },
  },
  { type: "server_tool_use", id: "s2", name: "web_search", input: { query: "q" } },
  {
    type: "web_search_tool_result",
    tool_use_id: "s2",
    content: { type: "web_search_tool_result_error", error_code: "x" },
  },
  { type: "mcp_tool_use", id: "m1", name: "echo", server_name: "srv", input: {} },
  { type: "mcp_tool_result", tool_use_id: "m1", is_error: false, content: [text("hi")] },
];

const usage = {
  input_tokens: 1,
  output_tokens: 2,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 4,
};
const answer = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-x",
  content,
  stop_reason: "tool_use",
  container: { id: "c" },
  usage,
};
const request = {
  model: "claude-x",
  system: [text("Be careful.")],
  temperature: 0,
  tools: [{ name: "Read", input_schema: {} }],
  mcp_servers: [{ name: "srv" }],
  messages: [{ role: "user", content: "Look." }],
};
const results = [
  { type: "tool_result", tool_use_id: "t1", content: "     1\tapples" },
  { type: "tool_result", tool_use_id: "t2", content: [text("no"), png], is_error: true },
  text("<system-reminder>x</system-reminder>"),
  text("Go on."),
  png,
];
const exchanges = lines(
  { request: { body: request, timestamp: 1770000000.5 }, response: { body: answer }, custom_id: "1" },
  {
    request: {
      ...request,
      messages: [...request.messages, { role: "assistant", content }, { role: "user", content: results }],
    },
    response: {
      body_raw: `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { id: "msg_2", usage } })}\n\ndata: {"type":"message_stop"}\n`,
    },
    logged_at: "2026-02-01T10:00:00Z",
  },
);

const capture = [
  { type: "message_start", message: { ...answer, content: [] } },
  { type: "ping" },
  { type: "content_block_start", index: 0, content_block: text("a") },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "b" } },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "t", name: "x", input: {} },
  },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
  { type: "content_block_delta", index: 2, delta: { type: "thinking_delta", thinking: "c" } },
  { type: "content_block_delta", index: 2, delta: { type: "signature_delta", signature: "c" } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
  { type: "message_stop" },
  { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

const details = "<environment_details>\n# Current Working Directory (/p) Files\na\n</environment_details>";
const cline = JSON.stringify([
  { role: "user", ts: 1770000000000, content: [text("<task>\nLook.\n</task>\nmore"), text(details)] },
  {
    role: "assistant",
    ts: 1770000001000,
    modelInfo: { modelId: "claude-x", providerId: "anthropic", mode: "act" },
    metrics: { tokens: { prompt: 1, completion: 2, cached: 3 }, cost: 0.1 },
    content: [
      { type: "reasoning", text: "hm" },
      { type: "tool_use", id: "t1", name: "read_file", input: { path: "a" } },
      { type: "tool_use", id: "t2", name: "execute_command", input: { command: "x" } },
      text("<write_to_file>\n<path>b</path>\n<content>\nb\n</content>\n</write_to_file>"),
      { type: "tool_use", id: "t3", name: "attempt_completion", input: { result: "Done." } },
      { type: "tool_use", id: "t4", name: "browser_action", input: {} },
    ],
  },
  {
    role: "user",
    ts: 1770000002000,
    content: [
      text("[read_file for 'a'] Result:\napples"),
      {
        type: "tool_result",
        tool_use_id: "t2",
        content: `Exit code: 1\nOutput:\nx\n${details}`,
        is_error: true,
      },
      text("[write_to_file for 'b'] Result:"),
      text('<final_file_content path="b">\nb\n</final_file_content>'),
      png,
      text("[attempt_completion] Result:\nThe user has provided feedback.\n<feedback>\nMore.\n</feedback>"),
      text("Skipping tool [browser_action] due to user rejecting a previous tool."),
      text("New instructions:\n<user_message>Go.</user_message>"),
    ],
  },
  { role: "user", isSummary: true, content: "So far." },
]);

export const anthropicMessagesSpecimens: readonly (string | Buffer)[] = [exchanges, capture, cline];
