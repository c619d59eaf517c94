// Converts spans that follow OpenInference, the conventions of Arize and Phoenix, to the GenAI conventions.
import { isObject, type JsonObject, type JsonValue } from "../../../../base/json/value.js";
import { parsedText } from "../../openai-chat/calls.js";
import { toolInput, toolOutput } from "../tool-values.js";
import type { Coverage } from "../../../coverage.js";
import { defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../../json-access.js";
import { below, flat } from "../flat.js";
import type { SpanKind, Span } from "../span.js";
import { firstOf, wordIn } from "../values.js";

const kinds = new Map<string, SpanKind>([
  ["LLM", "chat"],
  ["TOOL", "tool"],
  ["AGENT", "agent"],
  ["CHAIN", "idle"],
  ["RETRIEVER", "idle"],
  ["RERANKER", "idle"],
  ["EMBEDDING", "idle"],
  ["GUARDRAIL", "idle"],
  ["EVALUATOR", "idle"],
  ["PROMPT", "idle"],
]);

/** Attributes that only spans of OpenInference have. */
export const openInferenceSigns =
  /"(?:attributes\.)?openinference(?:\.span\.kind)?"|"span_kind"\s*:\s*"(?:LLM|TOOL|AGENT|CHAIN|RETRIEVER|RERANKER|EMBEDDING|GUARDRAIL|EVALUATOR|PROMPT)"/;

const kindName = "openinference.span.kind";

export function isOpenInferenceKind(word: string | undefined): boolean {
  return word !== undefined && kinds.has(word.toUpperCase());
}

/** Returns whether attributes are OpenInference's, flat or nested. */
export function isOpenInference(attributes: JsonObject): boolean {
  if (kindName in attributes || wordAt(attributes, "openinference", "span", "kind") !== undefined)
    return true;
  return (
    guessedKind(attributes) !== undefined && !Object.keys(attributes).some((key) => key.startsWith("gen_ai."))
  );
}

/** Guesses the kind of a span that uses these attributes without stating its kind. */
function guessedKind(attributes: JsonObject): string | undefined {
  if (wordIn(attributes, "llm.model_name") !== undefined) return "LLM";
  return wordIn(attributes, "tool.name") === undefined ? undefined : "TOOL";
}

/** Converts a span to the conventions' words; attributes that already use them stay. */
export function fromOpenInference(span: Span, coverage: Coverage): Span {
  const attributes = flat(span.attributes);
  const word = (wordIn(attributes, kindName) ?? guessedKind(attributes) ?? "").toUpperCase();
  const kind = kinds.get(word) ?? "unknown";
  const label = wordIn(attributes, "gen_ai.operation.name") ?? word;
  const translated = { ...span, kind, label };
  switch (kind) {
    case "chat":
      return { ...translated, attributes: { ...chatOf(attributes, coverage), ...attributes } };
    case "tool":
      return toolOf(translated, attributes, coverage);
    case "agent":
      return {
        ...translated,
        attributes: {
          "gen_ai.agent.name": wordIn(attributes, "agent.name", "graph.node.id") ?? span.name,
          ...said(attributes, coverage),
          ...attributes,
        },
      };
    default:
      return { ...translated, attributes };
  }
}

function chatOf(attributes: JsonObject, coverage: Coverage): JsonObject {
  const held = attributes["llm.invocation_parameters"];
  const options =
    typeof held === "string" ? parsedText(held, coverage) : below(attributes, "llm.invocation_parameters");
  const tools = listOf(below(attributes, "llm.tools")).map((tool) => {
    const schema = valueAt(tool, "tool", "json_schema");
    return typeof schema === "string" ? (parsedText(schema, coverage) ?? null) : (schema ?? null);
  });
  const count = (name: string): JsonValue | undefined => attributes[`llm.token_count.${name}`];
  return defined({
    ...said(attributes, coverage),
    "gen_ai.response.model": firstOf(
      attributes,
      "llm.model_name",
      "llm.response.model_name",
      "llm.request.model_name",
    ),
    "gen_ai.usage.input_tokens": count("prompt"),
    "gen_ai.usage.output_tokens": count("completion"),
    "gen_ai.usage.cache_read.input_tokens": count("prompt_details.cache_read"),
    "gen_ai.usage.cache_creation.input_tokens": count("prompt_details.cache_write"),
    "gen_ai.usage.reasoning.output_tokens": count("completion_details.reasoning"),
    "gen_ai.usage.cost": attributes["llm.cost.total"],
    "gen_ai.tool.definitions": tools.length === 0 ? undefined : tools,
    ...requestOf(options),
  });
}

/** Returns the parameters of a request, without those that are read elsewhere. */
function requestOf(options: JsonValue | undefined): JsonObject {
  if (options === undefined || options === null || !isObject(options)) return {};
  const kept = Object.entries(options).filter(
    ([name, value]) =>
      value !== null && !/^(?:model|model_name|messages|tools|functions|system|input|_type)$/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [`gen_ai.request.${name}`, value]));
}

function said(attributes: JsonObject, coverage: Coverage): JsonObject {
  const inputMessages = listOf(below(attributes, "llm.input_messages")).map((item) =>
    messageOf(item, "user"),
  );
  const answer = listOf(below(attributes, "llm.output_messages")).map((item) => messageOf(item, "assistant"));
  const input = inputMessages.length > 0 ? inputMessages : heldIn(attributes["input.value"], coverage);
  const output = answer.length > 0 ? answer : heldIn(attributes["output.value"], coverage);
  return {
    ...(input === undefined ? {} : { "gen_ai.input.messages": input }),
    ...(output === undefined ? {} : { "gen_ai.output.messages": output }),
  };
}

/** Returns messages where only the arguments and the return value of a function are recorded. */
function heldIn(value: JsonValue | undefined, coverage: Coverage): JsonValue | undefined {
  const held = typeof value === "string" && /^\s*\{/.test(value) ? parsedText(value, coverage) : value;
  const message = objectAt(held, "message") ?? objectAt(listAt(held, "choices")[0], "message");
  if (message !== undefined) return [{ ...message, content: message["content"] ?? message["blocks"] ?? "" }];
  return (
    ["prompt", "text", "response"].map((key) => wordAt(held, key)).find((text) => text !== undefined) ?? value
  );
}

/** Returns a message without the wrappers that OpenInference puts around its parts. */
function messageOf(item: JsonValue, role: string): JsonValue {
  const message = objectAt(item, "message") ?? {};
  const contents = listOf(message["contents"]).map((each) =>
    contentOf(objectAt(each, "message_content") ?? {}),
  );
  const calls = listOf(message["tool_calls"]).map((each) => valueAt(each, "tool_call") ?? null);
  const old = wordAt(message, "function_call_name");
  return defined({
    role: textAt(message, "role") ?? role,
    content: contents.length > 0 ? contents : message["content"],
    tool_call_id: message["tool_call_id"],
    name: message["name"],
    tool_calls:
      calls.length > 0
        ? calls
        : old === undefined
          ? undefined
          : [{ function: { name: old, arguments: valueAt(message, "function_call_arguments_json") ?? "" } }],
  });
}

function contentOf(content: JsonObject): JsonObject {
  const type = textAt(content, "type") ?? "text";
  const url = textAt(content, "image", "image", "url");
  if (url !== undefined) return { type: "image_url", image_url: { url } };
  const text = textAt(content, "text");
  if (type === "reasoning" || type === "thinking") return { type: "reasoning", content: text ?? "" };
  return defined({ ...content, type, text });
}

function toolOf(span: Span, attributes: JsonObject, coverage: Coverage): Span {
  const input = attributes["input.value"] ?? attributes["tool.parameters"];
  const value = attributes["output.value"];
  const { output, id, hasFailed } =
    value === undefined
      ? { output: undefined, id: undefined, hasFailed: false }
      : toolOutput(value, coverage);
  return {
    ...span,
    hasFailed: span.hasFailed || hasFailed,
    attributes: {
      ...defined({
        "gen_ai.tool.name": wordIn(attributes, "tool.name", "tool_call.function.name") ?? span.name,
        "gen_ai.tool.call.id": wordIn(attributes, "tool_call.id", "tool.id") ?? id,
        "gen_ai.tool.call.arguments": input === undefined ? undefined : toolInput(input, coverage),
        "gen_ai.tool.call.result": output,
      }),
      ...attributes,
    },
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
