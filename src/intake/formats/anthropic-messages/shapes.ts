// Recognises requests, responses and messages of Anthropic's API.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { isAnswer } from "../../protocols/anthropic/stream.js";
import type { Coverage } from "../../coverage.js";
import { type Exchange, exchangeIn } from "../../request-pairs.js";
import { objectAt, textAt } from "../../json-access.js";
import { isEventText } from "../../sse.js";

export function exchangeOf(record: JsonObject, coverage?: Coverage): Exchange | undefined {
  return exchangeIn(record, { isRequest, isResponse: isAnswer, isStream: isAnthropicStream }, coverage);
}

function isRequest(value: JsonObject): boolean {
  return Array.isArray(value["messages"]);
}

function isAnthropicStream(text: string): boolean {
  return (
    isEventText(text) &&
    /^(?:event: ?message_start|data: ?\{.{0,200}"message_start")/m.test(text.slice(0, 1 << 16))
  );
}

/**
 * Block types that only messages of Anthropic's have, by which a log is recognised. They are not the ones
 * that `takeBlock` (protocols/anthropic/message.ts) reads: it also reads `text`, `compaction` and any
 * `*_tool_result`, and skips some of these. A new type of block goes there; added here, it changes which logs
 * are recognised.
 */
const ownBlocks = new Set(
  (
    "tool_use tool_result thinking redacted_thinking server_tool_use mcp_tool_use mcp_tool_result " +
    "web_search_tool_result web_fetch_tool_result code_execution_tool_result " +
    "bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result " +
    "advisor_tool_result container_upload search_result"
  ).split(" "),
);

export function isOwnBlock(block: JsonValue): boolean {
  const kind = textAt(block, "type") ?? "";
  if (kind === "image" || kind === "document") return objectAt(block, "source") !== undefined;
  return ownBlocks.has(kind);
}
