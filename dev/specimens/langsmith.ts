// Small exports of LangSmith, which between them have every kind of run and message that the reader looks at.

const trace = "0a000000-0000-4000-8000-000000000001";

function lc(name: string, kwargs: Record<string, unknown>): unknown {
  return { lc: 1, type: "constructor", id: ["langchain", "schema", "messages", name], kwargs };
}

const question = lc("HumanMessage", { content: "What is it like?" });
const asks = lc("AIMessage", {
  content: [
    { type: "text", text: "I look." },
    { type: "tool_use", id: "c1", name: "weather", input: { in: "Rome" } },
  ],
  tool_calls: [
    { id: "c1", name: "weather", args: { in: "Rome" }, type: "tool_call" },
    { id: "c2", name: "weather", args: { in: "Atlantis" }, type: "tool_call" },
  ],
  additional_kwargs: { reasoning_content: "Look it up." },
  usage_metadata: {
    input_tokens: 20,
    output_tokens: 7,
    input_token_details: { cache_read: 5, cache_creation: 1 },
  },
});

function run(
  number: number,
  parent: number | undefined,
  type: string,
  more: Record<string, unknown>,
): unknown {
  const id = `0a000000-0000-4000-8000-00000000000${number}`;
  return {
    id,
    trace_id: trace,
    parent_run_id: parent === undefined ? null : `0a000000-0000-4000-8000-00000000000${parent}`,
    name: `${type}-${number}`,
    run_type: type,
    start_time: `2026-05-01T10:00:0${number}.000000`,
    end_time: `2026-05-01T10:00:0${number}.500000`,
    dotted_order: `20260501T10000${number}000000Z${id}`,
    error: null,
    status: "success",
    ...more,
  };
}

/** A trace in which an agent asks a tool twice, one run a line. */
export const langsmithLines = [
  run(1, undefined, "chain", {
    inputs: { messages: [question] },
    outputs: { messages: [question, lc("AIMessage", { content: "Sunny in Rome." })] },
    prompt_tokens: 50,
    completion_tokens: 9,
    total_cost: "0.5",
    session_name: "project",
    tags: ["a"],
    extra: {
      metadata: { thread_id: "th-1", revision_id: "abc" },
      runtime: {
        sdk: "langsmith-py",
        sdk_version: "0.4",
        platform: "Linux-6",
        runtime: "python",
        runtime_version: "3.12",
        langchain_version: "1.0",
      },
    },
  }),
  run(2, 1, "llm", {
    inputs: { messages: [[lc("SystemMessage", { content: "Be brief." }), question]] },
    outputs: { generations: [[{ text: "I look.", message: asks }]], llm_output: null },
    prompt_tokens: 20,
    completion_tokens: 7,
    total_cost: "0.25",
    prompt_token_details: { cache_read: 5 },
    completion_token_details: { reasoning: 3 },
    extra: {
      invocation_params: {
        model: "model-x",
        temperature: 0.5,
        tools: [{ type: "function", function: { name: "weather" } }],
      },
      metadata: { ls_model_name: "model-x", ls_max_tokens: 100 },
    },
  }),
  run(4, 1, "tool", {
    name: "weather",
    inputs: { input: "{'in': 'Atlantis'}" },
    outputs: null,
    error: "ValueError('no such city')",
    status: "error",
  }),
  run(3, 1, "tool", {
    name: "weather",
    inputs: { input: "{'in': 'Rome'}" },
    outputs: {
      output: { content: "sunny", type: "tool", name: "weather", tool_call_id: "c1", status: "success" },
    },
  }),
  run(5, 1, "llm", {
    inputs: {
      messages: [
        [
          question,
          asks,
          lc("ToolMessage", { content: "sunny", tool_call_id: "c1" }),
          lc("ToolMessage", { content: "no such city", tool_call_id: "c2", status: "error" }),
        ],
      ],
    },
    outputs: {
      generations: [[{ text: "Sunny in Rome." }]],
      llm_output: { token_usage: { prompt_tokens: 30, completion_tokens: 2 }, model_name: "model-x" },
    },
  }),
  run(6, 1, "parser", {}),
  run(7, 1, "novelty", {}),
]
  .map((each) => `${JSON.stringify(each)}\n`)
  .join("");

/** Nested runs, and messages of the provider's kind, in a list; two traces. */
export const langsmithNested = JSON.stringify([
  {
    id: "r1",
    name: "agent",
    run_type: "chain",
    start_time: 1777629600000,
    inputs: { input: "Say hello" },
    outputs: { output: "Hello." },
    child_runs: [
      {
        id: "r2",
        name: "model",
        run_type: "llm",
        start_time: 1777629601000,
        inputs: { model: "model-y", messages: [{ role: "user", content: "Say hello" }] },
        outputs: {
          choices: [
            {
              message: {
                role: "assistant",
                content: "Hello.",
                tool_calls: [
                  { id: "k", type: "function", function: { name: "delegate", arguments: '{"task":"x"}' } },
                ],
              },
            },
          ],
          usage: { prompt_tokens: 3, completion_tokens: 1 },
        },
      },
      {
        id: "r3",
        name: "delegate",
        run_type: "tool",
        inputs: { task: "x" },
        outputs: { output: "content='done' name='delegate' tool_call_id='k'" },
        child_runs: [
          {
            id: "r4",
            name: "helper",
            run_type: "chain",
            child_runs: [
              {
                id: "r5",
                name: "model",
                run_type: "llm",
                inputs: { prompts: ["Do x"] },
                outputs: {
                  message: {
                    type: "ai",
                    data: {
                      content: "done",
                      additional_kwargs: { function_call: { name: "f", arguments: "{}" } },
                    },
                  },
                },
              },
            ],
          },
        ],
      },
    ],
  },
  {
    id: "q1",
    name: "alone",
    run_type: "llm",
    trace_id: "q",
    inputs: { messages: [["human", "Hi"], { type: "human", content: "There?" }] },
    outputs: { role: "assistant", content: "Ho" },
    inputs_s3_urls: { ROOT: { presigned_url: "https://example.com" } },
  },
]);

export const langsmithSpecimens: readonly string[] = [langsmithLines, langsmithNested];
