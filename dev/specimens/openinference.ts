// Small logs of OpenInference, which between them have every kind of span and every form that the reader
// looks at.

const trace = "4bf92f35";

function span(
  id: number,
  parent: number | undefined,
  kind: string,
  attributes: Record<string, unknown>,
): unknown {
  const held = Object.entries({ "openinference.span.kind": kind, ...attributes });
  return {
    traceId: trace,
    spanId: `a${id}`,
    ...(parent === undefined ? {} : { parentSpanId: `a${parent}` }),
    name: `${kind} ${id}`,
    startTimeUnixNano: `${1750000000 + id}000000000`,
    endTimeUnixNano: `${1750000000 + id}500000000`,
    attributes: held.map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
    })),
    status: { code: id === 6 ? 2 : 1, ...(id === 6 ? { message: "no such city" } : {}) },
  };
}

const [input, output] = ["llm.input_messages", "llm.output_messages"];

/** An agent that asks a tool twice, as OTLP. */
export const openInferenceOtlp = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "app" } }] },
      scopeSpans: [
        {
          spans: [
            span(1, undefined, "AGENT", { "agent.name": "flow" }),
            span(2, 1, "AGENT", {
              "agent.name": "guide",
              "input.value": "What is it like?",
              "session.id": "s-1",
            }),
            span(3, 2, "LLM", {
              "llm.model_name": "model-x",
              "llm.invocation_parameters": '{"model":"model-x","temperature":0.5,"tools":[]}',
              "llm.tools.0.tool.json_schema": '{"type":"function","function":{"name":"weather"}}',
              [`${input}.0.message.role`]: "system",
              [`${input}.0.message.content`]: "Be brief.",
              [`${input}.1.message.role`]: "user",
              [`${input}.1.message.contents.0.message_content.type`]: "text",
              [`${input}.1.message.contents.0.message_content.text`]: "What is it like?",
              [`${input}.1.message.contents.1.message_content.type`]: "image",
              [`${input}.1.message.contents.1.message_content.image.image.url`]: "data:image/png;base64,aGk=",
              [`${output}.0.message.role`]: "assistant",
              [`${output}.0.message.contents.0.message_content.type`]: "reasoning",
              [`${output}.0.message.contents.0.message_content.text`]: "Look it up.",
              [`${output}.0.message.tool_calls.0.tool_call.id`]: "c1",
              [`${output}.0.message.tool_calls.0.tool_call.function.name`]: "weather",
              [`${output}.0.message.tool_calls.0.tool_call.function.arguments`]: '{"in":"Rome"}',
              [`${output}.0.message.tool_calls.1.tool_call.function.name`]: "weather",
              [`${output}.0.message.tool_calls.1.tool_call.function.arguments`]: '{"in":"Atlantis"}',
              "llm.token_count.prompt": 20,
              "llm.token_count.completion": 7,
              "llm.token_count.prompt_details.cache_read": 5,
              "llm.token_count.prompt_details.cache_write": 1,
              "llm.token_count.completion_details.reasoning": 3,
              "llm.cost.total": "0.25",
            }),
            span(4, 2, "CHAIN", { "input.value": "x" }),
            span(5, 4, "TOOL", {
              "tool.name": "weather",
              "input.value": "{'in': 'Rome'}",
              "output.value": '{"output":{"content":"sunny","type":"tool","tool_call_id":"c1"}}',
            }),
            span(6, 4, "TOOL", {
              "tool.name": "weather",
              "input.value": '{"in":"Atlantis"}',
              "tool.id": "c2",
            }),
            span(7, 2, "LLM", {
              "llm.model_name": "model-x",
              [`${input}.0.message.role`]: "user",
              [`${input}.0.message.content`]: "What is it like?",
              [`${input}.1.message.role`]: "tool",
              [`${input}.1.message.tool_call_id`]: "c1",
              [`${input}.1.message.content`]: "sunny",
              [`${output}.0.message.role`]: "assistant",
              [`${output}.0.message.content`]: "Sunny in Rome.",
            }),
            span(8, 2, "RETRIEVER", {}),
            span(9, 2, "NOVELTY", {}),
          ],
        },
      ],
    },
  ],
});

/** Rows of a table that Phoenix exports: columns for the attributes, or one with all of them. */
export const phoenixRows = JSON.stringify([
  {
    name: "run",
    span_kind: "CHAIN",
    parent_id: null,
    start_time: 1750000000000,
    end_time: 1750000009000,
    status_code: "OK",
    status_message: "",
    events: [],
    "context.span_id": "aaaa000000000001",
    "context.trace_id": trace,
    "attributes.input.value": "Say hello",
  },
  {
    name: "ChatCompletion",
    span_kind: "LLM",
    parent_id: "aaaa000000000001",
    start_time: "2025-06-15T15:06:41.000000+00:00",
    end_time: "2025-06-15T15:06:42.000000+00:00",
    status_code: "OK",
    "context.span_id": "aaaa000000000002",
    "context.trace_id": trace,
    "attributes.openinference.span.kind": "LLM",
    "attributes.llm.model_name": "model-y",
    "attributes.llm.token_count.prompt": 3.0,
    "attributes.llm.invocation_parameters": '{"top_p": 1}',
    "attributes.llm.input_messages": [{ "message.role": "user", "message.content": "Say hello" }],
    "attributes.llm.output_messages": [
      {
        "message.role": "assistant",
        "message.content": "Hello.",
        "message.function_call_name": "note",
        "message.function_call_arguments_json": "{}",
      },
    ],
    "attributes.metadata": null,
  },
  {
    id: "U3Bhbjoz",
    name: "note",
    context: { trace_id: trace, span_id: "aaaa000000000003" },
    span_kind: "TOOL",
    parent_id: "aaaa000000000001",
    start_time: "2025-06-15T15:06:43Z",
    end_time: "2025-06-15T15:06:44Z",
    status_code: "ERROR",
    status_message: "disk full",
    attributes: { openinference: { span: { kind: "TOOL" } }, tool: { name: "note" }, input: { value: "hi" } },
    events: [
      {
        name: "exception",
        timestamp: "2025-06-15T15:06:44Z",
        attributes: { "exception.message": "disk full" },
      },
    ],
  },
]);

export const openinferenceSpecimens: readonly string[] = [openInferenceOtlp, phoenixRows];
