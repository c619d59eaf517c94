// Reads messages of Anthropic's API, one after the other, into a run. formats/claude-code/messages.ts reads
// user messages and tool results here, too: captured requests may be Claude Code's, with the texts that it
// injects and the results of its tools. These are not the API's, so that code is not in protocols/.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { contentText } from "../../protocols/anthropic/text-and-media.js";
import { anthropicUsage, takeBlock } from "../../protocols/anthropic/message.js";
import { objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { takeToolResult, takeUserContent } from "../claude-code/messages.js";

/** Reads the messages of a run; `at` is what is known about one from elsewhere. */
export interface MessageReader {
  take(message: JsonValue, at?: At): void;
}

export class AnthropicMessagesReader implements MessageReader {
  readonly #run: RunBuilder;
  readonly #calls = callBook();
  #count = 0;
  #hasSystem = false;

  constructor(run: RunBuilder) {
    this.#run = run;
  }

  take(message: JsonValue, at: At = {}): void {
    const { coverage } = this.#run;
    this.#count++;
    const role = textAt(message, "role");
    if (!isObject(message)) coverage.skip("message that is no object");
    else if (role === "assistant") this.#takeAssistant(message, at);
    else if (role === "user") this.#takeUser(message, at);
    else if (role === "system") this.#takeSystem(message, at);
    else coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  }

  #takeAssistant(message: JsonObject, at: At): void {
    const id = wordAt(message, "id");
    const usage = objectAt(message, "usage");
    const spoken: At = { ...at, model: wordAt(message, "model") ?? at.model };
    const together = id ?? `message-${this.#count}`;
    if (usage !== undefined) this.#run.use(together, anthropicUsage(usage));
    for (const block of blocksOf(valueAt(message, "content")))
      takeBlock(this.#run, block, { at: spoken, together, name: this.#nameOf(block) });
  }

  /** Returns the name of the call that a block issues or answers; undefined for any other block. */
  #nameOf(block: JsonValue): string | undefined {
    const kind = textAt(block, "type") ?? "";
    if (kind.endsWith("_tool_result"))
      return this.#calls.answered({ id: wordAt(block, "tool_use_id"), tool: undefined });
    if (!kind.endsWith("tool_use")) return undefined;
    const tool = wordAt(block, "name") ?? "unknown";
    return this.#calls.add({ id: wordAt(block, "id"), tool, message: this.#count });
  }

  #takeUser(message: JsonObject, at: At): void {
    const rest: JsonValue[] = [];
    for (const block of blocksOf(valueAt(message, "content"))) {
      if (isObject(block) && textAt(block, "type") === "tool_result") {
        const id = wordAt(block, "tool_use_id");
        const name = id === undefined ? undefined : this.#calls.answered({ id, tool: undefined });
        takeToolResult(this.#run, block, { structured: undefined, at, name });
      } else rest.push(block);
    }
    if (rest.length > 0) takeUserContent(this.#run, rest, { at, kind: undefined });
  }

  #takeSystem(message: JsonObject, at: At): void {
    const text = contentText(valueAt(message, "content"));
    if (this.#hasSystem) this.#run.context("system", text, at);
    else this.#run.systemPrompt(text);
    this.#hasSystem = true;
  }
}

export function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}
