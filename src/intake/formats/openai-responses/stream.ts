// Assembles a streamed response. Items come complete when they are done; an item that was being written when
// the stream was cut off is assembled from its chunks.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { listAt, numberAt, objectAt, textAt } from "../../json-access.js";

interface GrowingItem {
  item: JsonObject;
  isDone: boolean;
  /** The chunks of what is being written, by what they belong to. */
  pieces: Map<string, string[]>;
}

/** Events that carry chunks, and what these belong to. */
const piecesOf: Readonly<Record<string, string>> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "refusal",
  "response.reasoning_summary_text.delta": "summary",
  "response.reasoning_text.delta": "thought",
  "response.function_call_arguments.delta": "arguments",
  "response.mcp_call_arguments.delta": "arguments",
  "response.custom_tool_call_input.delta": "input",
  "response.code_interpreter_call_code.delta": "code",
};

export type StreamedResponse = { response: JsonObject } | { error: string };

export class ResponseStream {
  readonly #coverage: Coverage;
  #response: JsonObject | undefined;
  #items = new Map<number, GrowingItem>();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** Reads an event, and returns the responses that it completes. */
  take(event: JsonObject): StreamedResponse[] {
    const type = textAt(event, "type") ?? "unknown";
    switch (type) {
      case "response.created": {
        const earlier = this.finish();
        this.#response = objectAt(event, "response") ?? {};
        return earlier;
      }
      case "response.in_progress":
      case "response.queued":
        this.#response ??= objectAt(event, "response") ?? {};
        return [];
      case "response.output_item.added":
      case "response.output_item.done":
        this.#take(event, type.endsWith(".done"));
        return [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return this.#done(objectAt(event, "response"));
      case "error":
      case "response.error": {
        const error = textAt(event, "message") ?? textAt(event, "error", "message") ?? "unknown";
        return [...this.finish(), { error }];
      }
      default:
        this.#grow(type, event);
        return [];
    }
  }

  /** Returns what there is of a response that did not end. */
  finish(): StreamedResponse[] {
    if (this.#response === undefined && this.#items.size === 0) return [];
    this.#coverage.addUnknown("the end of an answer (the stream was cut off)");
    return this.#done(undefined);
  }

  #take(event: JsonObject, isDone: boolean): void {
    const index = numberAt(event, "output_index") ?? this.#items.size;
    const known = this.#items.get(index);
    const item = objectAt(event, "item") ?? {};
    if (known?.isDone !== true) this.#items.set(index, { item, isDone, pieces: known?.pieces ?? new Map() });
  }

  #grow(type: string, event: JsonObject): void {
    if (type.startsWith("response.")) this.#coverage.leaveOut(type);
    else this.#coverage.skip(type);
    const what = Object.hasOwn(piecesOf, type) ? piecesOf[type] : undefined;
    const growing = this.#items.get(numberAt(event, "output_index") ?? -1);
    if (what === undefined || growing === undefined) return;
    const pieces = growing.pieces.get(what) ?? [];
    growing.pieces.set(what, pieces);
    pieces.push(textAt(event, "delta") ?? "");
  }

  #done(last: JsonObject | undefined): StreamedResponse[] {
    const response = { ...this.#response, ...last };
    const items = [...this.#items].sort(([a], [b]) => a - b).map(([, growing]) => whole(growing));
    this.#response = undefined;
    this.#items = new Map();
    // The last event holds the whole response, but some servers send it empty.
    const isWhole = listAt(last, "output").length >= items.length && listAt(last, "output").length > 0;
    return [{ response: isWhole ? response : { ...response, output: items } }];
  }
}

/** Returns an item with what was written of it until the stream ended. */
function whole({ item, isDone, pieces }: GrowingItem): JsonValue {
  if (isDone || pieces.size === 0) return item;
  const text = (what: string): string | undefined => pieces.get(what)?.join("");
  const made: JsonObject = { ...item };
  const [said, refused] = [text("text"), text("refusal")];
  if (said !== undefined || refused !== undefined)
    made["content"] = [
      ...(said === undefined ? [] : [{ type: "output_text", text: said }]),
      ...(refused === undefined ? [] : [{ type: "refusal", refusal: refused }]),
    ];
  const thought = text("summary") ?? text("thought");
  if (thought !== undefined) made["summary"] = [{ type: "summary_text", text: thought }];
  for (const name of ["arguments", "input", "code"]) {
    const value = text(name);
    if (value !== undefined) made[name] = value;
  }
  return made;
}
