// Small logs of Inspect, a document and an archive, that between them have every field that their reader
// looks at.
import { archiveOf } from "../zip.js";

const at = (second: number) => `2026-03-01T12:00:0${second}+02:00`;

const head = {
  version: 2,
  status: "success",
  eval: {
    eval_id: "ev1",
    run_id: "r1",
    task: "fruit",
    task_id: "t1",
    created: at(0),
    model: "acme/m-1",
    model_base_url: "http://localhost",
    model_generate_config: { temperature: 0.5 },
    model_args: { a: 1 },
    task_args: { b: 2 },
    dataset: { name: "d" },
    tags: ["x"],
    sandbox: { type: "docker" },
    packages: { inspect_ai: "0.3.100" },
    revision: { type: "git", origin: "git@x:y.git", commit: "abc1234" },
  },
  plan: { steps: [{ solver: "react" }], config: { top_p: 1 } },
  stats: { completed_at: at(9), model_usage: { "acme/m-1": { input_tokens: 5 } } },
  error: { message: "late" },
};

const system = { id: "m0", role: "system", content: "Be brief." };
const user = {
  id: "m1",
  role: "user",
  source: "input",
  content: [
    { type: "text", text: "attachment://q" },
    { type: "image", image: "data:image/png;base64,AAAA" },
    { type: "data", data: { a: 1 } },
  ],
};
const asks = {
  id: "m2",
  role: "assistant",
  source: "generate",
  content: [
    { type: "reasoning", reasoning: "hmm", summary: "h" },
    { type: "reasoning", reasoning: "Zm9v", redacted: true },
    {
      type: "tool_use",
      tool_type: "web_search",
      id: "w1",
      name: "web_search",
      arguments: '{"query":"x"}',
      result: "found",
      error: null,
    },
    { type: "text", text: "Let me see.", refusal: false },
  ],
  tool_calls: [{ id: "c1", function: "bash", arguments: { cmd: "attachment://q" }, parse_error: null }],
};
const got = { id: "m3", role: "tool", tool_call_id: "c1", function: "bash", content: "apples…", error: null };
const says = { id: "m4", role: "assistant", reasoning: "so", content: "Apples." };

const event = (kind: string, second: number, more: object) => ({
  event: kind,
  timestamp: at(second),
  span_id: "main",
  ...more,
});
const model = (second: number, message: unknown, more: object) =>
  event("model", second, {
    completed: at(second),
    model: "acme/m-1",
    role: "main",
    tools: [{ name: "bash" }],
    config: { top_p: 0.9 },
    output: {
      model: "m-1-0301",
      choices: [{ message, stop_reason: "max_tokens" }],
      usage: { input_tokens: 5, output_tokens: 2 },
    },
    ...more,
  });

const sample = {
  id: "s1",
  epoch: 1,
  uuid: "u1",
  input: "What is in a.txt?",
  target: ["apples"],
  messages: [system, user, asks, got, says],
  output: { completion: "apples", choices: [{ message: says }] },
  scores: { match: { value: "C" } },
  metadata: { hard: true },
  limit: { type: "token", limit: 5 },
  model_usage: { "acme/m-1": { input_tokens: 10, output_tokens: 4, total_cost: 0.25 } },
  completed_at: at(9),
  attachments: { q: "A long question" },
};

const events = [
  event("span_begin", 0, { id: "main", type: "agent", name: "react" }),
  event("step", 0, { action: "begin", type: "solver", name: "x" }),
  model(1, asks, { input: [system, user], cache: "read" }),
  event("approval", 2, { decision: "reject", explanation: "no", approver: "human", call: { id: "c1" } }),
  event("span_begin", 2, { id: "t", parent_id: "main", type: "tool", name: "bash" }),
  event("tool", 2, {
    id: "c1",
    function: "bash",
    arguments: { cmd: "ls" },
    result: "apples",
    truncated: [6, 3],
    error: { type: "timeout", message: "slow" },
    completed: at(3),
    working_time: 1,
    agent: "helper",
    events: [event("sandbox", 2, { action: "exec", result: 0 })],
  }),
  event("sandbox", 3, { span_id: "t", action: "exec", cmd: "bash", result: 3 }),
  event("compaction", 3, { tokens_before: 9, tokens_after: 1 }),
  event("sample_limit", 4, { type: "token", message: "too many", limit: 5 }),
  event("info", 4, { source: "me", data: { a: 1 } }),
  event("error", 4, { error: { message: "boom" } }),
  model(5, says, { input: [system, user, asks, got], error: "overloaded" }),
];

const prefix = "samples/s2_epoch_1";

export const inspectSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify({ ...head, samples: [{ ...sample, events }] }),
  archiveOf({
    "_journal/start.json": { version: 2, eval: head.eval, plan: head.plan },
    "samples/s1_epoch_1.json": {
      ...sample,
      messages: [],
      events: [model(1, says, { input_refs: [[0, 2]] })],
      events_data: { messages: [system, user], calls: [] },
    },
    [`${prefix}/sample.json`]: { id: "s2", epoch: 1, input: "x", message_refs: [[0, 2]] },
    [`${prefix}/messages/0.json`]: [user, says],
    [`${prefix}/events/0.json`]: [model(1, says, { input_refs: [[0, 1]] })],
    [`${prefix}/attachments/0.json`]: ["zero"],
    "header.json": head,
  }),
  archiveOf(
    {
      "_journal/start.json": { version: 2, eval: head.eval, plan: head.plan },
      "samples/1_epoch_1.json": sample,
    },
    0,
  ),
];
