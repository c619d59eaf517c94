// Reads Inspect's messages into a run. Each is added once, however many requests repeat it, and results that
// a tool's own event describes better are left to that event.
import { canonicalText } from "../../../base/json/canonical.js";
import { sha256 } from "../../../base/digest.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { argumentsOf, callBook } from "../../protocols/openai-chat/calls.js";
import { defined, listAt, objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { type InspectPiece, piecesOf, plainText, type Reading } from "./content.js";
import { outcomeOf } from "./outcome.js";
import { type EventPosition, top } from "./spans.js";

export interface MessageReaderOptions {
  /** Whether messages state their source: then only those of the sample's input are prompts. */
  hasSources: boolean;
  /** Calls whose results are events. */
  isEvent: (call: string) => boolean;
}

export class InspectMessageReader {
  readonly #builder: RunBuilder;
  readonly #reading: Reading;
  readonly #options: MessageReaderOptions;
  readonly #calls = callBook();
  readonly #seen = new Set<string>();
  #hasSystem = false;
  #messages = 0;

  constructor(builder: RunBuilder, reading: Reading, options: MessageReaderOptions) {
    this.#builder = builder;
    this.#reading = reading;
    this.#options = options;
  }

  /**
   * Reads the messages of one request, or of the whole sample, and adds those that are new. Returns a
   * function that names the answer to them.
   */
  list(
    messages: readonly JsonValue[],
    at: At = {},
    position: EventPosition = top,
  ): (answer: JsonObject) => boolean {
    const counts = new Map<string, number>();
    for (const message of messages) {
      const own = objectAt(message);
      if (own === undefined) this.#builder.coverage.skip("message that is no object");
      else if (this.#isNew(own, counts)) this.message(own, at, position);
    }
    return (answer) => this.#isNew(answer, counts);
  }

  message(message: JsonObject, at: At, position: EventPosition): void {
    const role = textAt(message, "role");
    if (role === "assistant") this.#fromInput(message, at, position);
    else if (role === "user") this.#user(message, at, position);
    else if (role === "system") this.#system(plainText(message["content"], this.#reading), at, position);
    else if (role === "tool") this.#result(message, at);
    else
      this.#builder.coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  }

  /** Reads what the model said, with the calls that it requested. */
  answer(message: JsonObject, at: At): void {
    const number = ++this.#messages;
    const old = wordAt(message, "reasoning");
    if (old !== undefined) this.#builder.reasoning(this.#reading.attachments.text(old), at);
    for (const piece of merged(piecesOf(message["content"], this.#reading))) this.#piece(piece, at);
    for (const call of objectsAt(message, "tool_calls")) this.#ask(call, number, at);
  }

  /** Returns the call of a tool's event; adds it if no message requested it. */
  callOf(event: JsonObject, at: At): string {
    const id = wordAt(event, "id");
    const tool = wordAt(event, "function");
    const known = this.#calls.answered({ id, tool });
    if (known !== undefined) return known;
    this.#ask(event, ++this.#messages, at);
    return this.#calls.answered({ id, tool: tool ?? "unknown" }) as string;
  }

  #piece(piece: InspectPiece, at: At): void {
    if (piece.kind === "thought") this.#builder.reasoning(piece.text, at);
    else if (piece.kind === "tool") this.#serverTool(piece.use, at);
    else if (piece.text.trim() !== "") {
      const metadata = defined({ ...at.metadata, refusal: piece.isRefusal ? true : undefined });
      this.#builder.message(piece.text, { ...at, metadata });
    }
  }

  #ask(call: JsonObject, message: number, at: At): void {
    const { coverage } = this.#builder;
    const tool = wordAt(call, "function");
    if (tool === undefined) coverage.addUnknown("the names of some tools");
    const id = wordAt(call, "id");
    const name = this.#calls.add({ id, tool: tool ?? "unknown", message });
    const parameters = argumentsOf(valueAt(call, "arguments"), coverage);
    this.#builder.call({
      ...at,
      id: name,
      tool: tool ?? "unknown",
      parameters: this.#reading.attachments.object(parameters),
      together: `message-${message}`,
      metadata: defined({ ...at.metadata, call_id: id, parse_error: wordAt(call, "parse_error") }),
    });
  }

  #serverTool(use: JsonObject, at: At): void {
    const { attachments } = this.#reading;
    const tool = wordAt(use, "name") ?? wordAt(use, "tool_type") ?? "unknown";
    const id = this.#calls.add({ id: wordAt(use, "id"), tool, message: ++this.#messages });
    const parameters = argumentsOf(valueAt(use, "arguments"), this.#builder.coverage);
    this.#builder.call({ ...at, id, tool, parameters: attachments.object(parameters), isServer: true });
    const error = wordAt(use, "error");
    this.#calls.answered({ id: wordAt(use, "id"), tool });
    if (valueAt(use, "result") === undefined && error === undefined) return;
    const output = plainText(valueAt(use, "result"), this.#reading);
    this.#builder.result(id, {
      output: output === "" && error !== undefined ? error : output,
      status: error === undefined ? "ok" : "error",
      time: at.time,
    });
  }

  /**
   * Reads a model message from the input: the answer to a request that is not in the log, or a prefilled one.
   */
  #fromInput(message: JsonObject, at: At, position: EventPosition): void {
    if (textAt(message, "source") !== "input") {
      this.answer(message, { ...at, metadata: defined({ ...at.metadata, agent: position.agent }) });
      return;
    }
    this.#builder.context("example", plainText(message["content"], this.#reading), at);
    for (const _ of listAt(message, "tool_calls")) this.#builder.coverage.leaveOut("tool call of an example");
  }

  #user(message: JsonObject, at: At, position: EventPosition): void {
    const text = plainText(message["content"], this.#reading);
    const isPrompt = !this.#options.hasSources || wordAt(message, "source") !== undefined;
    if (isPrompt && !position.isSub) this.#builder.prompt(text, { time: at.time });
    else {
      const metadata = defined({ ...at.metadata, agent: position.agent });
      this.#builder.context(position.isSub ? "agent_input" : "scaffold", text, { ...at, metadata });
    }
  }

  #system(text: string, at: At, position: EventPosition): void {
    if (this.#hasSystem || position.isSub) this.#builder.context("system", text, at);
    else this.#builder.systemPrompt(text);
    this.#hasSystem ||= !position.isSub;
  }

  #result(message: JsonObject, at: At): void {
    const id = wordAt(message, "tool_call_id");
    if (id !== undefined && this.#options.isEvent(id)) return;
    const tool = wordAt(message, "function");
    const name = this.#calls.answered({ id, tool });
    const outcome = outcomeOf({ message }, this.#reading);
    const known = name === undefined ? defined({ call_id: id, tool }) : defined({ call_id: id });
    this.#builder.result(name, { ...outcome, time: at.time, metadata: { ...outcome.metadata, ...known } });
  }

  /**
   * Returns whether a message is new. Older messages have no ids: they are compared by content, and by how
   * often a request has it.
   */
  #isNew(message: JsonObject, counts: Map<string, number>): boolean {
    const key = wordAt(message, "id") ?? this.#keyOf(message);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const name = wordAt(message, "id") === undefined ? `${key} ${count}` : key;
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }

  #keyOf({ role, content, tool_calls, tool_call_id }: JsonObject): string {
    const compared = defined({ role, content, tool_calls, tool_call_id });
    return sha256(Buffer.from(canonicalText(this.#reading.attachments.key(compared))));
  }
}

/** Joins adjacent texts. */
function merged(pieces: readonly InspectPiece[]): InspectPiece[] {
  const list: InspectPiece[] = [];
  for (const piece of pieces) {
    const last = list.at(-1);
    if (piece.kind === "text" && last?.kind === "text" && last.isRefusal === piece.isRefusal)
      last.text = last.text === "" ? piece.text : `${last.text}\n${piece.text}`;
    else list.push({ ...piece });
  }
  return list;
}
