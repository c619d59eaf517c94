// Small trajectories of mini-swe-agent that between them have every field that is read.
const system = { role: "system", content: "You use a shell." };
const task = { role: "user", content: "Fix it." };

const response = {
  id: "r1",
  model: "m-1",
  usage: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
};

function call(id: string, command: string): unknown {
  return { id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } };
}

function result(id: string, code: number, extra: object = {}): unknown {
  return {
    role: "tool",
    tool_call_id: id,
    content: `<returncode>${code}</returncode>\n<output>\nx\n</output>`,
    extra: { raw_output: "x\n", returncode: code, timestamp: 1_780_680_350.5, ...extra },
  };
}

const second = {
  info: {
    model_stats: { instance_cost: 0.04, api_calls: 3 },
    config: {
      agent: { step_limit: 250 },
      agent_type: "minisweagent.agents.default.DefaultAgent",
      model: { model_name: "openai/m", model_kwargs: { temperature: 0, drop_params: true } },
      model_type: "minisweagent.models.litellm_model.LitellmModel",
      environment: { image: "image:1", cwd: "/testbed" },
      environment_type: "minisweagent.environments.docker.DockerEnvironment",
    },
    mini_version: "2.3.0",
    exit_status: "Submitted",
    submission: "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n",
    patch_repair: {},
  },
  messages: [
    system,
    task,
    {
      role: "assistant",
      content: "I look at both.",
      reasoning_content: "Two files.",
      tool_calls: [call("c1", "cat a.py"), call("c2", "cat b.py")],
      extra: {
        actions: [{ command: "cat a.py", tool_call_id: "c1" }],
        response,
        cost: 0.01,
        timestamp: 1_780_680_349.25,
      },
    },
    result("c2", 1),
    result("c1", -1, { exception_info: "action was not executed" }),
    { role: "user", content: "Commands not executed.", extra: { interrupt_type: "UserRejection" } },
    { role: "user", content: "Interrupted by user: stop", extra: { interrupt_type: "UserInterruption" } },
    { role: "user", content: "The user added a new task: more", extra: { interrupt_type: "UserNewTask" } },
    { role: "user", content: "Tool call error", extra: { interrupt_type: "FormatError" } },
    { role: "user", content: "User command: \n```bash\nls\n```", extra: { actions: [{ command: "ls" }] } },
    {
      role: "user",
      content: "<returncode>0</returncode>\n<output>\n</output>",
      extra: { raw_output: "", returncode: 0 },
    },
    {
      object: "response",
      id: "r2",
      model: "m-2",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "I think." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I end it." }] },
        { type: "function_call", call_id: "c3", name: "bash", arguments: '{"command":"ls"}' },
      ],
      usage: { input_tokens: 3, output_tokens: 2 },
      extra: { actions: [{ command: "ls", tool_call_id: "c3" }], timestamp: 1_780_680_360 },
    },
    {
      type: "function_call_output",
      call_id: "c3",
      output: "<returncode>0</returncode>",
      extra: { returncode: 0 },
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [call("c4", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")],
    },
    { role: "exit", content: "--- a", extra: { exit_status: "Submitted", submission: "--- a" } },
  ],
  trajectory_format: "mini-swe-agent-1.1",
  instance_id: "case-1",
};

const first = [
  system,
  task,
  { role: "assistant", content: "THOUGHT: I look.\n\n```bash\nls -la\n```" },
  { role: "user", content: "<returncode>0</returncode>\n<output>\na.py\n</output>" },
  { role: "assistant", content: "```bash\nsleep 99\n```\n" },
  { role: "user", content: "The last command <command>sleep 99</command> timed out and has been killed." },
  { role: "assistant", content: "```bash\nls\n```\n```bash\npwd\n```" },
  { role: "user", content: "Please always provide EXACTLY ONE action." },
  { role: "assistant", content: "```bash\ncat big\n```" },
  {
    role: "user",
    content:
      "<returncode>0</returncode>\n<warning>\n</warning><output_head>\na\n</output_head>\n<output_tail>\nb\n</output_tail>",
  },
  { role: "assistant", content: "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```" },
  { role: "user", content: "done" },
];

export const miniSweAgentSpecimens: readonly (string | Buffer)[] = [
  JSON.stringify(second, null, 1),
  JSON.stringify(first),
];
