// Builds one run from a conversation that a program with the AI SDK stored: every message is in it once.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { aiMessage, aiUsage } from "../../protocols/ai-sdk/messages.js";
import type { Coverage } from "../../coverage.js";
import { defined, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { RunBuilder } from "../../run-builder.js";
import { counted, spanRun } from "../../protocols/otel/run.js";
import type { Span } from "../../protocols/otel/span.js";
import { timeOf } from "../../times.js";

export function conversationRun(
  record: JsonObject,
  messages: readonly JsonValue[],
  { into, coverage }: { into: Into; coverage: Coverage },
): ExecutionLog {
  const system = wordAt(record, "system") ?? wordAt(record, "instructions");
  const spans = [
    ...(system === undefined
      ? []
      : [spanAt("system", undefined, { role: "system", parts: [{ type: "text", content: system }] })]),
    ...messages.flatMap((message, index) => {
      coverage.records++;
      if (textAt(message, "role") !== undefined) return spansOf(message, index, coverage);
      coverage.skip("message without a role");
      return [];
    }),
  ];
  return spanRun(
    { session: wordAt(record, "id") ?? wordAt(record, "chatId"), spans },
    { into, coverage },
    {
      format: "vercel-ai",
      isOnce: true,
      counts: { name: "messages", of: counted(messages.map((message) => textAt(message, "role"))) },
      about: (builder) => describeConversation(builder, record),
    },
  );
}

/** Converts a message to one span for each step of the model's. */
function spansOf(message: JsonValue, index: number, coverage: Coverage): Span[] {
  const { role, steps } = aiMessage(message, coverage);
  const metadata = objectAt(message, "metadata");
  const time = [
    valueAt(message, "createdAt"),
    valueAt(message, "created_at"),
    valueAt(metadata, "createdAt"),
    valueAt(metadata, "timestamp"),
  ].find((each) => each !== undefined && each !== null);
  const model = wordAt(metadata, "model") ?? wordAt(metadata, "modelId") ?? wordAt(message, "model");
  const usage = aiUsage(
    valueAt(metadata, "usage") ?? valueAt(metadata, "totalUsage") ?? valueAt(message, "usage"),
  );
  return steps.map((parts, step) => {
    const span = spanAt(`message-${index + 1}-${step + 1}`, timeOf(time, coverage), { role, parts });
    Object.assign(span.attributes, defined({ "gen_ai.response.model": model }), step === 0 ? usage : {});
    return span;
  });
}

function spanAt(id: string, time: string | undefined, message: JsonObject): Span {
  return {
    id,
    trace: "",
    parent: undefined,
    name: id,
    start: time,
    end: time,
    hasFailed: false,
    failure: undefined,
    attributes: { "gen_ai.output.messages": [message] },
    events: [],
    resource: {},
    kind: "chat",
    label: "message",
  };
}

const parameterNames = ["temperature", "topP", "topK", "maxOutputTokens", "maxTokens", "seed", "toolChoice"];

function describeConversation(builder: RunBuilder, record: JsonObject): void {
  const model = wordAt(record, "model") ?? wordAt(record, "modelId");
  if (model !== undefined) builder.identifier = model;
  for (const name of parameterNames) {
    const value = valueAt(record, name);
    if (value !== undefined && value !== null) builder.parameters[name] = value;
  }
  const title = wordAt(record, "title");
  if (title !== undefined) builder.metadata["title"] = title;
  for (const name of ["updatedAt", "updated_at", "createdAt", "created_at"]) {
    const time = valueAt(record, name);
    if (time !== undefined && time !== null) builder.see({ time: timeOf(time, builder.coverage) });
  }
}
