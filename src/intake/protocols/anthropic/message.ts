// Reads one message of the model, block by block: several records of a log may form one message, each with
// one of its blocks.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { defined, numberAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { serverResultOf } from "./server-results.js";

export function anthropicUsage(usage: JsonObject): Record<string, number | undefined> {
  return {
    input_tokens: numberAt(usage, "input_tokens"),
    output_tokens: numberAt(usage, "output_tokens"),
    cache_read_input_tokens: numberAt(usage, "cache_read_input_tokens"),
    cache_creation_input_tokens: numberAt(usage, "cache_creation_input_tokens"),
  };
}

export interface BlockOptions {
  at: At;
  /** Equal for the calls of one message. */
  together: string | undefined;
  /** The name of a call, where its id is not unique. */
  name?: string | undefined;
}

/**
 * Reads one block of a model message. The types by which a log is recognised are another list: `ownBlocks` in
 * formats/anthropic-messages/shapes.ts.
 */
export function takeBlock(run: RunBuilder, block: JsonValue, { at, together, name }: BlockOptions): void {
  const kind = textAt(block, "type") ?? "unknown";
  switch (kind) {
    case "text":
      if (wordAt(block, "text") !== undefined) run.message(textAt(block, "text") as string, at);
      return;
    case "thinking":
      return run.reasoning(wordAt(block, "thinking"), at);
    case "redacted_thinking":
      return run.reasoning(undefined, at);
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return takeCall(run, block, { at, together, name });
    case "compaction":
      return run.context("compaction", textAt(block, "content") ?? "", at);
    default:
      // The provider's own tools answer within the message.
      if (kind.endsWith("_tool_result"))
        run.result(name ?? textAt(block, "tool_use_id"), serverResultOf(block, at.time));
      else run.coverage.skip(`block ${kind}`);
  }
}

function parametersOf(input: JsonValue | undefined): JsonObject {
  if (input === undefined || input === null) return {};
  return isObject(input) ? input : { input };
}

function takeCall(run: RunBuilder, block: JsonValue, { at, together, name }: BlockOptions): void {
  const id = textAt(block, "id");
  // A script that the provider runs may call the client's tools.
  const within = wordAt(block, "caller", "tool_id");
  const isRenamed = name !== undefined && name !== id;
  run.call({
    ...at,
    id: name ?? id,
    tool: wordAt(block, "name") ?? "unknown",
    parameters: parametersOf(valueAt(block, "input")),
    isServer: textAt(block, "type") !== "tool_use",
    together: within === undefined ? together : undefined,
    metadata: defined({
      ...at.metadata,
      call_id: isRenamed ? id : undefined,
      server: wordAt(block, "server_name"),
      within,
    }),
  });
}
