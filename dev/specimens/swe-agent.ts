// Small trajectories of SWE-agent that between them have every field that is read.
const system = { role: "system", content: "You use a shell.", agent: "main", message_type: "system_prompt" };
const demo = { role: "user", content: "Here is a demonstration.", agent: "main", is_demo: true };
const task = {
  role: "user",
  content: "Fix the issue: it fails.",
  agent: "main",
  message_type: "observation",
};

function call(id: string, name: string, args: string): unknown {
  return { id, type: "function", function: { name, arguments: args } };
}

const oldest = {
  environment: "swe_main",
  trajectory: [
    {
      action: "open a.py\n",
      observation: "[File: /repo/a.py (1 lines total)]\n1:x = 1\n",
      response: "I look.\n```\nopen a.py\n```",
      state: '{"open_file": "n/a", "working_dir": "/repo"}\n',
      thought: "I look.\n",
    },
    { action: "python a.py\n", observation: "", response: "```\npython a.py\n```", state: "{", thought: "" },
    { action: "", observation: "Exit due to format error", response: "I am lost.", thought: "I am lost." },
  ],
  history: [
    { role: "system", content: "You use a shell.", agent: "primary" },
    demo,
    { role: "user", content: "Fix it.", agent: "primary" },
    {
      role: "assistant",
      content: "I look.\n```\nopen a.py\n```",
      thought: "I look.\n",
      action: "open a.py\n",
      agent: "primary",
    },
    { role: "user", content: "Old output omitted (2 lines)", agent: "primary" },
  ],
  info: {
    exit_status: "submitted (exit_format)",
    submission: "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    model_stats: { instance_cost: 0.5, tokens_sent: 100, tokens_received: 20, api_calls: 3 },
    edited_files30: "",
  },
};

const newest = {
  trajectory: [
    {
      action: "ls",
      observation: "a.py\r\n",
      response: "I list the files.",
      thought: "I list the files.",
      execution_time: 0.25,
      state: { open_file: "n/a", working_dir: "/testbed" },
      query: [system],
      extra_info: {},
    },
    {
      action: "submit",
      observation: "the flag",
      response: "Done.",
      thought: "Done.",
      execution_time: 1,
      state: { working_dir: "/testbed/src" },
    },
  ],
  history: [
    system,
    {
      role: "user",
      content: [{ type: "text", text: "In /testbed: it fails." }],
      agent: "main",
      message_type: "observation",
    },
    {
      role: "assistant",
      content: "I list the files.",
      thought: "I list the files.",
      action: "ls",
      agent: "main",
      tool_calls: [call("c1", "bash", '{"command":"ls"}')],
      message_type: "action",
      thinking_blocks: [{ type: "thinking", thinking: "Which files are there?" }],
    },
    {
      role: "tool",
      content: "a.py\r\n\nbash-$",
      agent: "main",
      message_type: "observation",
      tool_call_ids: ["c1"],
    },
    {
      role: "assistant",
      content: "Done.",
      thought: "Done.",
      action: "submit",
      agent: "main",
      tool_calls: [call("c1", "submit", "{}")],
      message_type: "action",
      reasoning_content: "That is all.",
    },
  ],
  info: {
    exit_status: "submitted",
    submission: "the flag",
    swe_agent_version: "1.1.0",
    swe_agent_hash: "abc",
  },
  replay_config: JSON.stringify({
    env: { deployment: { image: "image:1" }, repo: { repo_name: "testbed", base_commit: "abc" } },
    agent: { model: { name: "gpt-4o", temperature: 0, top_p: 1, completion_kwargs: { seed: 1 } } },
    problem_statement: { text: "It fails.", id: "case-1", github_url: "https://github.com/a/b/issues/1" },
  }),
  environment: "main",
};

const demonstration = {
  history: [
    system,
    task,
    {
      role: "assistant",
      content: "I look.",
      thought: "I look.",
      action: "open a.py",
      agent: "main",
      tool_calls: [call("c1", "open", '{"path":"a.py"}'), call("c2", "bash", "ls")],
      message_type: "action",
    },
    { role: "tool", content: "1:x = 1", agent: "main", message_type: "observation", tool_call_ids: ["c1"] },
    {
      role: "tool",
      content: "Old environment output: (2 lines omitted)",
      agent: "main",
      tool_call_ids: ["c2"],
    },
    { role: "user", content: "And now?", agent: "main" },
    { role: "system", content: "Go on.", agent: "main" },
  ],
  attempts: [oldest, { trajectory: [], history: [] }],
};

export const sweAgentSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify(oldest, null, 2),
  JSON.stringify(newest),
  JSON.stringify(demonstration),
];
