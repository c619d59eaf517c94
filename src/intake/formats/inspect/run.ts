// Builds one run from one sample of an evaluation.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { Queue } from "../../../base/lists.js";
import type { ExecutionLog } from "../../../model/log.js";
import { attachTo } from "../../protocols/openai-chat/content.js";
import type { Coverage } from "../../coverage.js";
import { listAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { Attachments } from "./attachments.js";
import { plainText, type Reading } from "./content.js";
import { describeSample, type SampleOf } from "./describe.js";
import { InspectReader } from "./reader.js";
import { Pool } from "./pool.js";
import { InspectMessageReader } from "./message-reader.js";

export function inspectRun(
  { header, sample: original, isAlone }: SampleOf,
  into: Into,
  coverage: Coverage,
): ExecutionLog {
  const sample = renewed(original);
  const builder = new RunBuilder({
    format: "inspect",
    agent: "inspect",
    keeper: () => into.keeper(),
    coverage,
  });
  const attachments = new Attachments(sample["attachments"], coverage);
  const reading: Reading = { attachments, attach: attachTo(builder), coverage };
  const { countsUsage } = describeSample(builder, { header, sample, isAlone }, reading);
  const pool = new Pool(sample);
  const events = objectsAt(sample, "events");
  const messages = listAt(sample, "messages");
  const calls = new Set(eventCalls(events));
  const messageReader = new InspectMessageReader(builder, reading, {
    hasSources: [messages, pool.messages, listAt(sample, "input")].some(hasSource),
    isEvent: (call) => calls.has(call),
  });
  if (events.length > 0) {
    const toolMessages = resultsIn([
      pool.messages,
      ...events.map((event) => listAt(event, "input")),
      messages,
    ]);
    const reader = new InspectReader({ builder, reading, messageReader, pool, toolMessages, countsUsage });
    for (const event of events) reader.take(event);
    for (const other of listAt(sample, "events"))
      if (!isEvent(other)) coverage.skip("event that is no object");
    messageReader.list(messages);
    reader.finish();
  } else {
    coverage.addUnknown("times of the steps (the log has no events)");
    if (messages.length === 0) messageReader.list(listAt(sample, "input"));
    messageReader.list(messages);
  }
  coverage.records += messages.length;
  const input = wordAt(sample, "input");
  if (builder.promptCount === 0 && input !== undefined) builder.prompt(attachments.text(input));
  takeCompletion(builder, sample, reading);
  addPromptOption(builder, into);
  return builder.finish();
}

/** Converts early logs, which have the events, and the texts that are stored separately, one level deeper. */
function renewed(sample: JsonObject): JsonObject {
  const { transcript, ...rest } = sample;
  const events = listAt(transcript, "events");
  if (events.length === 0 || sample["events"] !== undefined) return sample;
  return { ...rest, events: [...events], attachments: valueAt(transcript, "content") ?? {} };
}

function isEvent(value: JsonValue): boolean {
  return isObject(value);
}

/** Reads the answer that counts, which need not be the model's last message. */
function takeCompletion(builder: RunBuilder, sample: JsonObject, reading: Reading): void {
  const [choice] = listAt(sample, "output", "choices");
  const own = textAt(sample, "output", "completion");
  const text =
    own === undefined
      ? plainText(valueAt(choice, "message", "content"), reading)
      : reading.attachments.text(own);
  if (text.trim() !== "" && text !== builder.answer)
    builder.message(text, { metadata: { completion: true } });
}

/** Returns whether any of these messages says that it was part of the sample's input. */
function hasSource(messages: readonly JsonValue[]): boolean {
  return messages.some(
    (message) => textAt(message, "role") === "user" && wordAt(message, "source") !== undefined,
  );
}

/** Yields the calls whose results are events, including nested ones. */
function* eventCalls(events: readonly JsonObject[]): Generator<string> {
  for (const event of events) {
    const id = wordAt(event, "id");
    if (textAt(event, "event") === "tool" && id !== undefined && event["pending"] !== true) yield id;
    yield* eventCalls(objectsAt(event, "events"));
  }
}

/**
 * Returns the messages that brought results, by call. Each is listed once, however many requests repeat it.
 */
function resultsIn(lists: readonly (readonly JsonValue[])[]): Map<string, Queue<JsonObject>> {
  const found = new Map<string, Queue<JsonObject>>();
  const seen = new Set<string>();
  for (const message of lists.flat()) {
    const call = wordAt(message, "tool_call_id");
    if (call === undefined || !isObject(message) || textAt(message, "role") !== "tool") continue;
    const id = wordAt(message, "id") ?? `of ${call}`;
    if (seen.has(id)) continue;
    seen.add(id);
    const queue = found.get(call) ?? new Queue();
    found.set(call, queue);
    queue.add(message);
  }
  return found;
}
