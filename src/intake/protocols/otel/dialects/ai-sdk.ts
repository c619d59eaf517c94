// Converts spans of Vercel's AI SDK, as its telemetry had them before it adopted the GenAI conventions.
import type { JsonObject, JsonValue } from "../../../../base/json/value.js";
import { conventional } from "../../ai-sdk/messages.js";
import { parsedText } from "../../openai-chat/calls.js";
import type { Coverage } from "../../../coverage.js";
import { defined, listAt, textAt, valueAt } from "../../../json-access.js";
import type { SpanKind, Span } from "../span.js";
import { firstOf, wordIn } from "../values.js";

export function isAiSdk(attributes: JsonObject): boolean {
  return operationOf(attributes) !== undefined && wordIn(attributes, "gen_ai.operation.name") === undefined;
}

function operationOf(attributes: JsonObject): string | undefined {
  const named = wordIn(attributes, "ai.operationId") ?? wordIn(attributes, "operation.name")?.split(" ")[0];
  return named?.startsWith("ai.") === true ? named : undefined;
}

/** Converts a span to the conventions' words; attributes that already use them stay. */
export function fromAiSdk(span: Span, coverage: Coverage): Span {
  const { attributes } = span;
  const label = operationOf(attributes) ?? "";
  const kind = operationKind(label);
  const name = wordIn(attributes, "ai.telemetry.functionId", "resource.name");
  const more =
    kind === "chat"
      ? chatOf(attributes, coverage)
      : kind === "tool"
        ? toolOf(attributes)
        : kind === "agent"
          ? defined({ "gen_ai.agent.name": name, ...wholeOf(attributes, coverage) })
          : {};
  const turn = kind === "agent" ? { isTurn: true as const } : {};
  return { ...span, kind, label, ...turn, attributes: { ...more, ...attributes } };
}

function operationKind(operation: string): SpanKind {
  if (/\.do(?:Generate|Stream)$/.test(operation)) return "chat";
  if (operation === "ai.toolCall") return "tool";
  return /^ai\.(?:generate|stream)(?:Text|Object)$/.test(operation) ? "agent" : "idle";
}

function jsonIn(attributes: JsonObject, name: string, coverage: Coverage): JsonValue | undefined {
  const held = attributes[name];
  return typeof held === "string" ? parsedText(held, coverage) : held;
}

function chatOf(attributes: JsonObject, coverage: Coverage): JsonObject {
  const messages = jsonIn(attributes, "ai.prompt.messages", coverage);
  const tools = listAt(attributes, "ai.prompt.tools").map((tool) =>
    typeof tool === "string" ? (parsedText(tool, coverage) ?? tool) : tool,
  );
  const settings = Object.entries(attributes).flatMap(([key, value]) => {
    const [, name] = /^ai\.settings\.(\w+)$/.exec(key) ?? [];
    return name === undefined ? [] : [[`gen_ai.request.${name}`, value] as const];
  });
  return defined({
    ...Object.fromEntries(settings),
    "gen_ai.input.messages": Array.isArray(messages)
      ? messages.map((message) => conventional(message, coverage))
      : undefined,
    "gen_ai.output.messages": answerOf(attributes, coverage),
    "gen_ai.response.model": firstOf(attributes, "ai.response.model", "ai.model.id"),
    "gen_ai.tool.definitions": tools.length === 0 ? undefined : tools,
    ...aiSdkUsage(attributes),
  });
}

/** Returns the model's answer, of any kind. */
function answerOf(attributes: JsonObject, coverage: Coverage): JsonValue | undefined {
  const thought = wordIn(attributes, "ai.response.reasoning");
  const text = wordIn(
    attributes,
    "ai.response.text",
    "ai.response.object",
    "ai.result.text",
    "ai.result.object",
  );
  const calls =
    jsonIn(attributes, "ai.response.toolCalls", coverage) ??
    jsonIn(attributes, "ai.result.toolCalls", coverage);
  const content = [
    ...(thought === undefined ? [] : [{ type: "reasoning", text: thought }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...(Array.isArray(calls) ? calls : []).map((call) => ({
      type: "tool-call",
      toolCallId: textAt(call, "toolCallId") ?? "",
      toolName: textAt(call, "toolName") ?? "",
      input: valueAt(call, "input") ?? valueAt(call, "args") ?? {},
    })),
  ];
  return content.length === 0 ? undefined : [conventional({ role: "assistant", content }, coverage)];
}

/** Returns input and output of a call of the SDK as a whole. */
function wholeOf(attributes: JsonObject, coverage: Coverage): JsonObject {
  const prompt = jsonIn(attributes, "ai.prompt", coverage);
  const messages = listAt(prompt, "messages").map((message) => conventional(message, coverage));
  const text = valueAt(prompt, "prompt");
  const input = [...messages, ...(typeof text === "string" ? [{ role: "user", content: text }] : [])];
  return defined({
    "gen_ai.system_instructions": textAt(prompt, "system"),
    "gen_ai.input.messages": input.length === 0 ? undefined : input,
    "gen_ai.output.messages": answerOf(attributes, coverage),
    ...aiSdkUsage(attributes),
  });
}

function toolOf(attributes: JsonObject): JsonObject {
  return defined({
    "gen_ai.tool.name": attributes["ai.toolCall.name"],
    "gen_ai.tool.call.id": attributes["ai.toolCall.id"],
    "gen_ai.tool.call.arguments": firstOf(attributes, "ai.toolCall.args", "ai.toolCall.input"),
    "gen_ai.tool.call.result": firstOf(attributes, "ai.toolCall.result", "ai.toolCall.output"),
  });
}

function aiSdkUsage(attributes: JsonObject): JsonObject {
  return defined({
    "gen_ai.usage.input_tokens": firstOf(attributes, "ai.usage.inputTokens", "ai.usage.promptTokens"),
    "gen_ai.usage.output_tokens": firstOf(attributes, "ai.usage.outputTokens", "ai.usage.completionTokens"),
    "gen_ai.usage.cache_read.input_tokens": attributes["ai.usage.cachedInputTokens"],
    "gen_ai.usage.reasoning.output_tokens": attributes["ai.usage.reasoningTokens"],
  });
}
