// Distinguishes messages of Anthropic's API from the many other lists with roles and contents.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { isClineHistory, sideFile } from "../cline/recognise.js";
import { streamTypes } from "../../protocols/anthropic/stream.js";
import type { Exchange } from "../../request-pairs.js";
import { listAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit } from "../../format.js";
import type { Head } from "../../head.js";
import { eventTypes } from "../../sse.js";
import { exchangeOf, isOwnBlock } from "./shapes.js";

/** Message fields that only other formats have. */
const othersFields = [
  "parts",
  "tool_calls",
  "tool_call_id",
  "function_call",
  "message_type",
  "action",
  "kind",
  "uuid",
];

/** Block types that only other formats have. */
const othersBlocks = new Set(
  (
    "toolRequest toolResponse toolCall toolResult tool-call tool-result image_url input_text output_text " +
    "input_image input_audio refusal functionCall"
  ).split(" "),
);

/** Fields around messages that identify another format. */
const othersWrappers = [
  "projectHash",
  "trajectory_format",
  "trajectory",
  "history",
  "schema_version",
  "run_type",
  "steps",
  "eval",
  "blocks",
  "choices",
];

type Misfit = Exclude<Fit, true>;

export function anthropicFit(head: Head): Fit {
  const types = eventTypes(head);
  if (types.includes("message_start") || (types.length > 0 && types.every((type) => streamTypes.has(type))))
    return true;
  const { document, records, otherLines, isWhole } = head;
  if (document === undefined) return { near: 0, missing: "it does not start with JSON" };
  const side = sideFile(Array.isArray(document) ? document[0] : document);
  if (side !== undefined) return { near: 0.95, missing: side };
  if (Array.isArray(document)) return listFit(document, isWhole);
  if (!isObject(document)) return { near: 0, missing: "it is neither a list nor an object" };
  // One message a line.
  if (records.length > otherLines && records.some((record) => isMessage(record)))
    return listFit(records.length > 1 || document === undefined ? records : [document], true);
  return recordFit(document);
}

function listFit(list: readonly JsonValue[], isWhole: boolean): Fit {
  // The last one may be incomplete.
  const looked = isWhole || list.length === 1 ? list : list.slice(0, -1);
  const [first] = looked;
  if (first === undefined) return { near: 0.1, missing: "it contains no message" };
  if (!isObject(first)) return { near: 0.1, missing: "its elements are not messages" };
  if (!isMessage(first)) return recordFit(first);
  if (exchangeOf(first) !== undefined) return recordFit(first);
  const problem = messagesProblem(looked);
  if (problem !== undefined) return problem;
  if (looked.some(hasMark) || isClineHistory(looked)) return true;
  return { near: 0.5, missing: "no message has a block that is specific to Anthropic" };
}

function isMessage(value: JsonValue): boolean {
  return isObject(value) && textAt(value, "role") !== undefined && Object.hasOwn(value, "content");
}

function messagesProblem(messages: readonly JsonValue[]): Misfit | undefined {
  for (const message of messages) {
    if (!isObject(message)) return { near: 0.1, missing: "its elements are not messages" };
    const role = textAt(message, "role");
    if (role === undefined) return { near: 0.1, missing: "its elements have no role" };
    if (role !== "user" && role !== "assistant" && role !== "system")
      return { near: 0.2, missing: `Anthropic's messages do not have the role "${role.slice(0, 40)}"` };
    const other = othersFields.find((field) => Object.hasOwn(message, field));
    if (other !== undefined) return { near: 0.2, missing: `its messages have "${other}"` };
    const type = textAt(message, "type");
    if (type !== undefined && type !== "message" && type !== "reasoning")
      return { near: 0.2, missing: "its messages have a type" };
    const block = listAt(message, "content").find((part) => othersBlocks.has(textAt(part, "type") ?? ""));
    if (block !== undefined)
      return {
        near: 0.2,
        missing: `it has "${textAt(block, "type") ?? ""}" blocks, which Anthropic's messages do not have`,
      };
  }
  return undefined;
}

function hasMark(message: JsonValue): boolean {
  return listAt(message, "content").some(isOwnBlock);
}

function recordFit(record: JsonObject): Fit {
  const other = othersWrappers.find((field) => Object.hasOwn(record, field));
  if (other !== undefined) return { near: 0, missing: `it has "${other}"` };
  if (textAt(record, "id")?.startsWith("T-") === true) return { near: 0.2, missing: "it is a thread of Amp" };
  const exchange = exchangeOf(record);
  if (exchange === undefined)
    return { near: 0, missing: "it has neither a list of messages nor a message of the model" };
  if (exchange.response !== undefined) return answerFit(exchange.response);
  if (exchange.streamed !== undefined) return true;
  return requestFit(exchange);
}

function answerFit(answer: JsonObject): Fit {
  const problem = messagesProblem([answer]);
  if (problem !== undefined) return problem;
  const signs = ["stop_reason", "usage", "model", "stop_sequence"];
  const isOwn = signs.some((name) => Object.hasOwn(answer, name)) || hasMark(answer);
  return isOwn ? true : { near: 0.4, missing: "its message has neither a model nor a stop reason" };
}

function requestFit({ request, record }: Exchange): Fit {
  const messages = listAt(request, "messages");
  const problem = messagesProblem(messages.length > 1 ? messages.slice(0, -1) : messages);
  if (problem !== undefined) return problem;
  const system = valueAt(request, "system");
  const isOwn =
    typeof system === "string" ||
    Array.isArray(system) ||
    textAt(request, "anthropic_version") !== undefined ||
    listAt(request, "tools").some((tool) => objectAt(tool, "input_schema") !== undefined) ||
    objectAt(record, "params") !== undefined ||
    isClineHistory(messages) ||
    messages.some(hasMark);
  if (isOwn) return true;
  return {
    near: 0.4,
    missing: "neither its request nor its messages have anything specific to Anthropic",
  };
}
