// Logs of programs that use Vercel's AI SDK: conversations as messages for models or for user interfaces, and
// the records of its DevTools.
import { wholeDocument } from "../../document.js";
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { isAiMessage } from "../../protocols/ai-sdk/messages.js";
import { Coverage } from "../../coverage.js";
import { listAt, textAt, valueAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import { isByLine } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { inTimeOrder } from "../../protocols/otel/order.js";
import { spanRun } from "../../protocols/otel/run.js";
import { conversationRun } from "./conversation.js";
import { devtoolsSpans, isDevtools, rootRuns } from "./devtools.js";

export const vercelAi: Format = {
  name: "vercel-ai",
  title: "Vercel AI SDK messages",
  from: "programs with Vercel's AI SDK: saved chats (UIMessage, ModelMessage), .devtools/generations.json",
  sniff,
  read(source, into) {
    const runs = isByLine(source) ? readLines(source, into) : readDocument(source, into);
    if (runs.length > 0) return runs;
    throw new CtxError("log-unreadable", `${source.name} contains no messages of the AI SDK`);
  },
};

function sniff({ document, records, isWhole }: Head): Fit {
  if (document === undefined) return { near: 0, missing: "it does not start with JSON" };
  const first = Array.isArray(document) ? document[0] : document;
  if (isDevtools(first)) return true;
  const keys = [
    ...(Array.isArray(document) ? [document] : []),
    ...(records.length > 1 ? [records] : []),
    messagesIn(first ?? null),
  ];
  for (const messages of keys) {
    // The last one may be incomplete.
    const looked = isWhole || messages.length < 2 ? messages : messages.slice(0, -1);
    const isAll = looked.every((message) => textAt(message, "role") !== undefined);
    if (isAll && looked.some((message) => isAiMessage(message)) && !looked.some(isOthers)) return true;
  }
  const isNear = keys.some((messages) => listAt(messages[0], "parts").length > 0);
  return { near: isNear ? 0.3 : 0, missing: "it has no messages with parts, or calls, of the AI SDK" };
}

/**
 * Returns whether a message is one that the SDK would reject: one with other calls, or parts without a type.
 */
function isOthers(message: JsonValue): boolean {
  return (
    listAt(message, "tool_calls").length > 0 ||
    listAt(message, "parts").some((part) => textAt(part, "type") === undefined)
  );
}

/** Returns the messages of a record, of any shape. */
function messagesIn(value: JsonValue): readonly JsonValue[] {
  const messages = ["messages", "chat"].map((key) => valueAt(value, key)).find((held) => held !== undefined);
  return Array.isArray(messages) ? messages : listAt(messages, "messages");
}

function readLines(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const messages: JsonObject[] = [];
  const runs: ExecutionLog[] = [];
  for (const { value } of recordsOf(source, coverage, { maxLength: maxDocument })) {
    if (isDevtools(value)) {
      coverage.records--;
      for (const run of devtools(value, into)) runs.push(run);
    } else if (messagesIn(value).length > 0)
      runs.push(conversationRun(value, messagesIn(value), { into, coverage: new Coverage() }));
    else if (textAt(value, "role") !== undefined) messages.push(value);
    else coverage.skip("line without messages");
  }
  // Lines that are messages form one conversation.
  if (messages.length > 0) {
    coverage.records -= messages.length;
    runs.push(conversationRun({}, messages, { into, coverage }));
  }
  return runs;
}

function readDocument(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const document = wholeDocument(
    source,
    coverage,
    "messages of the AI SDK are one JSON document; perhaps it is incomplete",
  );
  if (isDevtools(document)) return devtools(document, into);
  const items = Array.isArray(document) ? document : [document];
  const chats = items.filter((item) => messagesIn(item).length > 0);
  if (chats.length === 0) {
    const isConversation = items.some((item) => textAt(item, "role") !== undefined);
    return isConversation ? [conversationRun({}, items, { into, coverage })] : [];
  }
  for (const item of items) if (messagesIn(item).length === 0) coverage.skip("record without messages");
  return chats.map((chat) => {
    const own = chats.length === 1 ? coverage : new Coverage();
    return conversationRun(isObject(chat) ? chat : {}, messagesIn(chat), { into, coverage: own });
  });
}

function devtools(document: JsonObject, into: Into): ExecutionLog[] {
  const roots = rootRuns(document);
  for (const _ of listAt(document, "steps")) into.coverage.records++;
  const without = new Set(roots.flatMap(({ runs }) => runs));
  for (const run of listAt(document, "runs"))
    if (!isObject(run) || !without.has(run)) into.coverage.leaveOut("run without steps");
  return roots.map((root) => {
    const coverage = roots.length === 1 ? into.coverage : new Coverage();
    if (roots.length > 1) coverage.records = root.steps.length;
    const spans = inTimeOrder(devtoolsSpans(root, coverage), ({ start }) => start);
    return spanRun({ session: root.id, spans }, { into, coverage }, { format: "vercel-ai" });
  });
}
