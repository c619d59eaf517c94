// Small logs of the Responses API that between them have every record and field that is looked at.
import { lines } from "../intake.js";

const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 3,
  output_tokens_details: { reasoning_tokens: 4 },
};
const said = {
  type: "message",
  id: "msg_0123456789abcdef",
  role: "assistant",
  phase: "final_answer",
  content: [
    { type: "output_text", text: "Hi." },
    { type: "refusal", refusal: "No." },
  ],
};
const call = { type: "function_call", call_id: "c1", name: "f", namespace: "ns", arguments: '{"a":1}' };
const shell = { type: "shell_call", call_id: "s1", action: { commands: ["ls"] }, status: "completed" };
const items = [
  { role: "developer", content: "Be careful." },
  {
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: "Look." },
      { type: "input_image", image_url: "data:image/png;base64,aGk=" },
      { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,aGk=" },
      { type: "input_audio", data: "aGk=", format: "wav" },
    ],
  },
  { type: "message", role: "user", content: "<environment_context>x</environment_context>" },
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" },
  call,
  { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "ok" }] },
  { type: "custom_tool_call", call_id: "c2", name: "g", input: "x" },
  { type: "custom_tool_call_output", call_id: "c2", output: "ok" },
  shell,
  {
    type: "shell_call_output",
    call_id: "s1",
    output: [
      { stdout: "a", stderr: "b", outcome: { type: "exit", exit_code: 1 } },
      { stdout: "c", outcome: { type: "timeout" } },
    ],
  },
  { type: "local_shell_call", call_id: "l1", action: { command: ["ls"] } },
  { type: "local_shell_call_output", id: "l1", output: "a", status: "incomplete" },
  {
    type: "apply_patch_call",
    call_id: "p1",
    operation: { type: "create_file", path: "a.txt", diff: "+a\n" },
  },
  { type: "apply_patch_call_output", call_id: "p1", status: "completed", output: "x" },
  { type: "computer_call", call_id: "k1", action: { type: "screenshot" }, actions: [] },
  { type: "computer_call_output", call_id: "k1", output: { image_url: "data:image/png;base64,aGk=" } },
  {
    type: "mcp_approval_request",
    id: "mcpr_1",
    server_label: "srv",
    name: "rm",
    arguments: "{}",
  },
  { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false, reason: "no" },
  { type: "mcp_call", id: "mcp_1", approval_request_id: "mcpr_1", name: "rm", output: "x", status: "failed" },
  { type: "mcp_call", id: "mcp_2", server_label: "srv", name: "f", error: { message: "bad" } },
  { type: "mcp_list_tools", server_label: "srv", tools: [{ name: "f" }], error: "x" },
  { type: "code_interpreter_call", id: "ci", code: "1", container_id: "c", outputs: [{ logs: "2" }] },
  { type: "web_search_call", id: "ws", action: { query: "q", sources: [{ url: "u" }] }, status: "searching" },
  { type: "file_search_call", id: "fs", queries: ["q"], results: [{}], status: "completed" },
  { type: "image_generation_call", id: "ig", revised_prompt: "p", result: "aGk=", status: "generating" },
  { type: "tool_search_call", call_id: "ts", arguments: { q: 1 }, execution: "client" },
  { type: "tool_search_output", call_id: "ts", output: [] },
  { type: "compaction", encrypted_content: "x" },
  { type: "item_reference", id: "msg_1" },
];
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1770000000,
  completed_at: 1770000001,
  status: "incomplete",
  incomplete_details: { reason: "max_output_tokens" },
  error: { message: "Broken" },
  model: "gpt-x",
  conversation: { id: "conv" },
  previous_response_id: "resp_0",
  prompt: { id: "p" },
  output: [said],
  usage,
};
const request = {
  model: "gpt-x",
  instructions: [{ role: "system", content: [{ type: "input_text", text: "Be careful." }] }],
  tools: [{ type: "function", name: "f" }, { type: "mcp", server_label: "srv" }, { type: "shell" }],
  temperature: 0,
  input: [{ role: "user", content: "Hi?" }],
};
const exchanges = lines(
  { custom_id: "1", timestamp: "2026-02-01T10:00:00Z", request, response },
  {
    body: { ...request, input: [...request.input, said, call] },
    response: { body: { ...response, id: "resp_2" } },
  },
  { request: { ...request, previous_response_id: "resp_2" }, response: { body: JSON.stringify(response) } },
);

const capture = `${[
  { type: "response.created", response: { ...response, output: [] } },
  { type: "response.in_progress", response },
  { type: "response.output_item.added", output_index: 0, item: { ...said, content: [] } },
  { type: "response.output_text.delta", output_index: 0, delta: "Hi." },
  { type: "response.refusal.delta", output_index: 0, delta: "No." },
  { type: "response.output_item.added", output_index: 1, item: call },
  { type: "response.function_call_arguments.delta", output_index: 1, delta: "{}" },
  { type: "response.output_item.done", output_index: 1, item: call },
  { type: "response.output_item.added", output_index: 2, item: { type: "reasoning", summary: [] } },
  { type: "response.reasoning_summary_text.delta", output_index: 2, delta: "hm" },
  { type: "error", message: "Broken" },
  { type: "response.completed", response },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("")}data: [DONE]\n`;

export const openaiResponsesSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify(items),
  exchanges,
  capture,
];
