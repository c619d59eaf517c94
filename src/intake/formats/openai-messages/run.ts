// Builds one run from wrappers of chat messages: a request, its response, a line of a batch, a task of a benchmark; or
// several requests, each of which repeats the messages of the one before.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import type { Into } from "../../format.js";
import { type ExecutionLog, originKey } from "../../../model/log.js";
import { markedOrigin } from "../../../model/origin.js";
import { listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { timeOf } from "../../times.js";
import { toolNames } from "../../protocols/openai-chat/content.js";
import { chatUsage } from "../../protocols/openai-chat/usage.js";
import { words } from "../../../base/lists.js";
import { ClineChatReader, isClineChat } from "./cline.js";
import { OpenaiMessagesReader } from "./reader.js";
import { hasWrittenCalls } from "./written.js";

const parameterNames = words(
  "temperature top_p top_k min_p max_tokens max_completion_tokens n seed stop stream",
  "frequency_penalty presence_penalty repetition_penalty logit_bias logprobs top_logprobs",
  "tool_choice function_call parallel_tool_calls response_format reasoning reasoning_effort",
  "thinking verbosity modalities service_tier",
);

/** Fields of a wrapper that are read elsewhere, or that repeat others. */
const readElsewhere = words(
  "messages traj model tools functions kwargs response usage choices body request created timestamp id object",
  "cost response_cost task_id reward trial custom_id latency_sec",
);

/** Metadata that a wrapper has under the same names. */
const keptFields = ["task_id", "trial", "reward", "custom_id", "latency_sec"];

/** A wrapper, and how many of its messages the wrapper that it continues had sent. */
export interface ChainedWrapper {
  record: JsonObject;
  sent: number;
}

/**
 * Builds the run of wrappers that continue one another, each with all earlier messages; a bare list of messages counts
 * as a wrapper's messages.
 */
export function openaiRun(chain: readonly ChainedWrapper[], into: Into, coverage: Coverage): ExecutionLog {
  const last = chain.at(-1)?.record ?? {};
  const messages = [...messagesOf(last), ...answersOf(last)];
  const isCline = isClineChat(messages);
  const builder = new RunBuilder({
    format: "openai-messages",
    agent: isCline ? "cline" : "openai-messages",
    keeper: () => into.keeper(),
    coverage,
  });
  const reader = isCline
    ? new ClineChatReader(builder)
    : new OpenaiMessagesReader(builder, { isWritten: hasWrittenCalls(messages) });
  let told = 0;
  for (const { record, sent } of chain) {
    // The answer to the request before may be among the messages sent now.
    const isAnswered = textAt(messagesOf(record)[sent], "role") === "assistant";
    told = takeWrapper(builder, reader, { record, known: isAnswered ? told : sent });
  }
  addPromptOption(builder, into);
  return builder.finish();
}

/** Reads a wrapper without its first `known` messages, and returns the number of messages so far. */
function takeWrapper(
  builder: RunBuilder,
  reader: Pick<OpenaiMessagesReader, "take">,
  { record, known }: { record: JsonObject; known: number },
): number {
  const { coverage } = builder;
  const request = requestOf(record);
  const response = responseOf(record);
  const time = timeOf(valueAt(record, "timestamp"), coverage) ?? timeOf(response?.["created"], coverage);
  describeWrapper(builder, { record, request, response });
  const messages = messagesOf(record);
  for (const _ of messages.slice(0, known)) coverage.leaveOut("messages that were sent again");
  for (const message of messages.slice(known)) {
    coverage.records++;
    reader.take(message);
  }
  const answers = answersOf(record);
  for (const answer of answers) {
    coverage.records++;
    reader.take(answer, { time });
  }
  for (const _ of listAt(response, "choices").slice(1))
    coverage.leaveOut("another choice of the same answer");
  builder.see({ time });
  return Math.max(known, messages.length) + answers.length;
}

/** Returns the answer of a wrapper as a message, in a list; none if it has no answer. */
function answersOf(record: JsonObject): JsonObject[] {
  const response = responseOf(record);
  const answer = response === undefined ? undefined : objectAt(listAt(response, "choices")[0], "message");
  return answer === undefined ? [] : [{ role: "assistant", ...answer }];
}

/** Returns the messages of a wrapper, whatever it calls them. */
export function messagesOf(record: JsonObject): readonly JsonValue[] {
  const request = requestOf(record);
  const messages = valueAt(request, "messages") ?? valueAt(record, "traj");
  return Array.isArray(messages) ? messages : [];
}

/** Returns the completion that a wrapper holds or is. */
export function responseOf(record: JsonObject): JsonObject | undefined {
  if (record["object"] === "chat.completion") return record;
  const response = objectAt(record, "response");
  const inner = objectAt(response, "body") ?? response;
  return inner !== undefined && Array.isArray(inner["choices"]) ? inner : undefined;
}

function requestOf(record: JsonObject): JsonObject {
  if (Array.isArray(record["messages"])) return record;
  return objectAt(record, "body") ?? objectAt(record, "request") ?? record;
}

interface MessageWrapper {
  record: JsonObject;
  request: JsonObject;
  response: JsonObject | undefined;
}

function describeWrapper(builder: RunBuilder, { record, request, response }: MessageWrapper): void {
  const options = objectAt(record, "kwargs") ?? {};
  const model = wordAt(response, "model") ?? wordAt(request, "model") ?? wordAt(options, "model");
  if (model !== undefined) builder.identifier = model;
  for (const object of [options, request])
    for (const [name, value] of Object.entries(object))
      if (parameterNames.has(name) && value !== null && object !== response) builder.parameters[name] = value;
  const tools = [request["tools"], options["tools"], request["functions"]].map(toolNames);
  const offered = tools.find((names) => names.length > 0);
  for (const name of keptFields) {
    const value = record[name];
    if (value !== undefined && value !== null) builder.metadata[name] = value;
  }
  const origin = markedOrigin(objectAt(request, "metadata"));
  if (origin !== undefined) builder.metadata[originKey] = { ...origin };
  const cost = numberAt(record, "cost") ?? numberAt(record, "response_cost");
  const before = numberAt(builder.metadata, "cost_usd") ?? 0;
  if (cost !== undefined) builder.metadata["cost_usd"] = before + cost;
  if (offered !== undefined) builder.metadata["tools"] = offered;
  const usage = objectAt(response, "usage") ?? objectAt(record, "usage");
  const id = wordAt(response, "id");
  if (usage !== undefined) builder.use(`response ${id ?? builder.stepCount}`, chatUsage(usage));
  leaveOut(builder.coverage, record, request === record ? {} : request, options);
}

/** Counts the fields of a wrapper that were not read. */
function leaveOut(coverage: Coverage, ...records: readonly JsonObject[]): void {
  for (const object of records)
    for (const [name, value] of Object.entries(object))
      if (value !== null && !parameterNames.has(name) && !readElsewhere.has(name))
        coverage.leaveOut(`field ${name}`);
}

/** Returns whether an element is a run of its own, and not a message. */
export function isWrapper(value: JsonValue | undefined): value is JsonObject {
  return (
    value !== undefined &&
    isObject(value) &&
    (messagesOf(value).length > 0 || responseOf(value) !== undefined)
  );
}
