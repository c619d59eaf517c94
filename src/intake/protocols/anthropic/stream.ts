// Assembles a streamed answer of Anthropic's: blocks begin, grow and end, and a message is done when the
// stream says so, or was cut off.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import { argumentsOf } from "../openai-chat/calls.js";
import type { Coverage } from "../../coverage.js";
import { numberAt, objectAt, textAt, valueAt } from "../../json-access.js";

/** The result of a stream: messages, and errors that ended one. */
export type Streamed = { message: JsonObject } | { error: string };

interface GrowingBlock {
  message: JsonObject;
  usage: JsonObject;
  blocks: Map<number, Block>;
}

interface Block {
  start: JsonObject;
  /** Added chunks, by the field that they belong to. */
  added: Map<string, string[]>;
}

/** The field of a block that a delta extends, and the delta's own name for it. */
const pieces: Readonly<Record<string, readonly [string, string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  input_json_delta: ["input", "partial_json"],
  compaction_delta: ["content", "content"],
};

/** Deltas whose content is not kept. */
const leftOut = new Set(["signature_delta", "citations_delta"]);

/** The event types that identify such a stream. */
export const streamTypes: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

export class MessageStream {
  readonly #coverage: Coverage;
  #open: GrowingBlock | undefined;

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** Reads an event, and returns what it completes. */
  take(event: JsonObject): Streamed[] {
    const type = textAt(event, "type") ?? "unknown";
    switch (type) {
      case "message_start": {
        const earlier = this.finish();
        this.#begin(objectAt(event, "message") ?? {});
        return earlier;
      }
      case "content_block_start":
        this.#blocks().set(indexOf(event), {
          start: objectAt(event, "content_block") ?? {},
          added: new Map(),
        });
        return [];
      case "content_block_delta":
        this.#grow(event);
        return [];
      case "content_block_stop":
        return [];
      case "message_delta":
        this.#amend(event);
        return [];
      case "message_stop":
        return this.#done();
      case "error": {
        const error = textAt(event, "error", "message") ?? textAt(event, "error", "type") ?? "unknown";
        return [...this.finish(), { error }];
      }
      case "ping":
        this.#coverage.leaveOut(type);
        return [];
      default:
        this.#coverage.skip(type);
        return [];
    }
  }

  /** Returns what there is of a message that did not end. */
  finish(): Streamed[] {
    if (this.#open === undefined) return [];
    this.#coverage.addUnknown("the end of an answer (the stream was cut off)");
    return this.#done();
  }

  #begin(message: JsonObject): void {
    this.#open = { message, usage: { ...objectAt(message, "usage") }, blocks: new Map() };
  }

  #blocks(): Map<number, Block> {
    if (this.#open === undefined) {
      this.#coverage.addUnknown("the beginning of an answer (the stream does not hold it)");
      this.#begin({});
    }
    return (this.#open as unknown as GrowingBlock).blocks;
  }

  #grow(event: JsonObject): void {
    const kind = textAt(event, "delta", "type") ?? "unknown";
    const target = Object.hasOwn(pieces, kind) ? pieces[kind] : undefined;
    if (target === undefined) {
      if (leftOut.has(kind)) this.#coverage.leaveOut(kind);
      else this.#coverage.skip(`piece ${kind}`);
      return;
    }
    const [field, name] = target;
    const index = indexOf(event);
    const blocks = this.#blocks();
    const block = blocks.get(index) ?? { start: startOf(kind), added: new Map<string, string[]>() };
    blocks.set(index, block);
    const added = block.added.get(field) ?? [];
    block.added.set(field, added);
    added.push(textAt(event, "delta", name) ?? "");
  }

  #amend(event: JsonObject): void {
    this.#blocks();
    const open = this.#open as GrowingBlock;
    open.usage = { ...open.usage, ...objectAt(event, "usage") };
    const delta = objectAt(event, "delta");
    if (delta !== undefined) open.message = { ...open.message, ...delta };
  }

  #done(): Streamed[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const content = [...open.blocks].sort(([a], [b]) => a - b).map(([, block]) => this.#whole(block));
    return [{ message: { role: "assistant", ...open.message, content, usage: open.usage } }];
  }

  #whole({ start, added }: Block): JsonObject {
    const whole: JsonObject = { ...start };
    for (const [field, texts] of added) {
      const text = texts.join("");
      if (field === "input") {
        if (text !== "") setOwn<JsonValue>(whole, field, argumentsOf(text, this.#coverage));
      } else setOwn<JsonValue>(whole, field, `${textAt(start, field) ?? ""}${text}`);
    }
    return whole;
  }
}

function indexOf(event: JsonObject): number {
  return numberAt(event, "index") ?? 0;
}

/** Returns a block whose beginning is missing, by the type of its delta. */
function startOf(piece: string): JsonObject {
  if (piece === "thinking_delta") return { type: "thinking" };
  return piece === "input_json_delta" ? { type: "tool_use" } : { type: "text" };
}

/** Returns whether a value may be a message as the API returns it. */
export function isAnswer(value: JsonValue | undefined): value is JsonObject {
  return (
    value !== undefined &&
    isObject(value) &&
    value["type"] === "message" &&
    value["role"] === "assistant" &&
    Array.isArray(valueAt(value, "content"))
  );
}
