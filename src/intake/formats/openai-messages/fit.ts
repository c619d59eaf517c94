// Distinguishes OpenAI-style chat messages from the many other lists with roles and contents.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { isClineHistory } from "../cline/recognise.js";
import { isAnswer } from "../../protocols/anthropic/stream.js";
import { listAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit } from "../../format.js";
import type { Head } from "../../head.js";
import { fenceOf } from "../mini-swe-agent/fenced.js";
import { isMade } from "../mini-swe-agent/made.js";
import { messagesOf, responseOf } from "./run.js";

const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Block types of Anthropic's messages, which never occur here. */
const anthropicBlocks = new Set(
  (
    "tool_use tool_result thinking redacted_thinking image document search_result server_tool_use " +
    "mcp_tool_use mcp_tool_result web_search_tool_result container_upload"
  ).split(" "),
);

/** Message fields that only other formats have, and whose they are. */
const othersFields: readonly [string, string][] = [
  ["parts", "messages with parts (Vercel AI SDK, OpenCode or Gemini)"],
  ["modelInfo", "messages of Cline"],
  ["ts", "messages of Cline"],
  ["message_type", "messages of SWE-agent or Letta"],
  ["action", "events of OpenHands"],
  ["observation", "events of OpenHands"],
  ["type", "records with a type"],
  ["kind", "events with a kind"],
];

/** Fields around messages that identify another format. */
const othersWrappers: readonly [string, string][] = [
  ["projectHash", "a session of Gemini CLI"],
  ["trajectory_format", "a trajectory of mini-swe-agent"],
  ["trajectory", "a trajectory of SWE-agent"],
  ["history", "a trajectory of SWE-agent or OpenHands"],
  ["schema_version", "a trajectory in ATIF"],
  ["run_type", "a run of LangSmith"],
  ["anthropic_version", "a request to Anthropic"],
  ["system", "a request to Anthropic"],
  ["steps", "an object with steps"],
  ["prompts", "an object with prompts"],
  ["eval", "a log of Inspect"],
  ["blocks", "an agent of Letta"],
];

export function openaiFit(head: Head): Fit {
  const { document, isWhole } = head;
  if (document === undefined) return { near: 0, missing: "it does not start with JSON" };
  if (Array.isArray(document)) {
    const [first] = document;
    if (first === undefined) return { near: 0.1, missing: "it contains no message" };
    if (isObject(first) && !("role" in first)) return wrapperFit(first, head);
    return messagesFit(document, { isWhole });
  }
  if (!isObject(document)) return { near: 0, missing: "it is neither a list nor an object" };
  return wrapperFit(document, head);
}

function wrapperFit(record: JsonObject, head: Head): Fit {
  const other = othersWrappers.find(([field]) => field in record);
  if (other !== undefined) return { near: 0.2, missing: `it has "${other[0]}": ${other[1]}` };
  if (isMade(objectAt(record, "info")))
    return { near: 0.2, missing: "its info is that of a mini-swe-agent trajectory" };
  if (textAt(record, "id")?.startsWith("T-") === true) return { near: 0.2, missing: "it is a thread of Amp" };
  if (listAt(record, "tools").some((tool) => objectAt(tool, "input_schema") !== undefined))
    return { near: 0.5, missing: "its tools are Anthropic's" };
  if (isAnswer(valueAt(record, "response")) || isAnswer(valueAt(record, "response", "body")))
    return { near: 0.5, missing: "its response is Anthropic's" };
  const messages = messagesOf(record);
  if (messages.length > 0) return messagesFit(messages, head);
  const answer = responseOf(record);
  if (answer !== undefined) return true;
  if (record["object"] === "chat.completion.chunk")
    return { near: 0.6, missing: "it is a stream of pieces, not of whole messages" };
  return { near: "messages" in record ? 0.3 : 0, missing: "it has no list of messages" };
}

function messagesFit(messages: readonly JsonValue[], { isWhole }: { isWhole: boolean }): Fit {
  // The last one may be incomplete.
  const looked = isWhole || messages.length === 1 ? messages : messages.slice(0, -1);
  for (const message of looked) {
    const problem = messageProblem(message, isWhole);
    if (problem !== undefined) return problem;
  }
  if (isClineHistory(looked)) return { near: 0.5, missing: "it is the history of a Cline task" };
  if (fenceOf(looked) !== undefined)
    return { near: 0.7, missing: "its calls are written as text, as mini-swe-agent does" };
  return true;
}

function messageProblem(message: JsonValue, isWhole: boolean): Exclude<Fit, true> | undefined {
  if (!isObject(message)) return { near: 0.1, missing: "its elements are not messages" };
  const other = othersFields.find(([field]) => field in message);
  if (other !== undefined) return { near: 0.3, missing: `it has ${other[1]}` };
  const role = textAt(message, "role");
  if (role === undefined) return { near: 0.1, missing: "its elements have no role" };
  if (!roles.has(role)) return { near: 0.4, missing: `no chat message has the role "${role}"` };
  const contentKeys = ["content", "tool_calls", "function_call", "refusal", "reasoning_content"];
  if (isWhole && !contentKeys.some((field) => field in message))
    return { near: 0.4, missing: "its messages have no content" };
  const block = listAt(message, "content").find((part) => anthropicBlocks.has(textAt(part, "type") ?? ""));
  if (block !== undefined)
    return { near: 0.6, missing: `it has Anthropic's "${textAt(block, "type") ?? ""}" blocks` };
  const isAiSdk = listAt(message, "content").some((part) => textAt(part, "toolCallId") !== undefined);
  if (isAiSdk || "toolInvocations" in message)
    return { near: 0.6, missing: "its calls have the form of Vercel's AI SDK" };
  return undefined;
}
