// Reads chats that Cline, Roo or Kilo had with a model behind an API for chat completions: their own history, with a
// system prompt before it.
import type { JsonValue } from "../../../base/json/value.js";
import { chatContent, attachTo } from "../../protocols/openai-chat/content.js";
import { listAt, textAt, valueAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { ClineReader } from "../cline/reader.js";
import { isClineHistory } from "../cline/recognise.js";

/** Whether a chat is one of theirs, with the calls as text. */
export function isClineChat(messages: readonly JsonValue[]): boolean {
  const said = messages.filter((message) => !isSystem(message));
  const isPlain = said.every(
    (message) =>
      /^(?:user|assistant)$/.test(textAt(message, "role") ?? "") &&
      listAt(message, "tool_calls").length === 0,
  );
  return isPlain && said.length > 0 && isClineHistory(said);
}

function isSystem(message: JsonValue): boolean {
  return /^(?:system|developer)$/.test(textAt(message, "role") ?? "");
}

export class ClineChatReader {
  readonly #run: RunBuilder;
  readonly #cline: ClineReader;
  #hasSystem = false;

  constructor(run: RunBuilder) {
    this.#run = run;
    this.#cline = new ClineReader(run);
  }

  take(message: JsonValue): void {
    if (!isSystem(message)) return this.#cline.take(message);
    const { text } = chatContent(valueAt(message, "content"), attachTo(this.#run), this.#run.coverage);
    if (this.#hasSystem) this.#run.context("system", text);
    else this.#run.systemPrompt(text);
    this.#hasSystem = true;
  }
}
