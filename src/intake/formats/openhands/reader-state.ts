// What the readers of both generations of events share: the run under construction, its calls by the events
// that made them, and the folder of its shell.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { type Attach, attachTo, chatContent, linked } from "../../protocols/openai-chat/content.js";
import { listAt, textAt, valueAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At, CallEntry } from "../../run-entries.js";
import { timeOf } from "../../times.js";

export class ReaderState {
  readonly builder: RunBuilder;
  readonly attach: Attach;
  cwd: string | undefined;
  readonly #seen = new Set<string>();
  /** The names of calls, by the ids of the events that made them. */
  readonly #byEvent = new Map<string, string>();
  /** The names of calls, by the ids that the model chose, the latest last. */
  readonly #byCall = new Map<string, string[]>();
  readonly #answered = new Set<string>();
  readonly #names = new Set<string>();

  constructor(builder: RunBuilder) {
    this.builder = builder;
    this.attach = attachTo(builder);
  }

  /** Returns whether an event was read before. */
  isRepeated(event: JsonObject): boolean {
    const id = idOf(valueAt(event, "id"));
    if (id === undefined) return false;
    const what = ["kind", "action", "observation", "timestamp"].map((key) => textAt(event, key) ?? "");
    const key = [id, ...what].join("\0");
    if (this.#seen.has(key)) {
      this.builder.coverage.duplicates++;
      return true;
    }
    this.#seen.add(key);
    return false;
  }

  at(event: JsonObject, model?: string): At {
    return { time: timeOf(valueAt(event, "timestamp"), this.builder.coverage), cwd: this.cwd, model };
  }

  /** Adds a call for an event, and returns its name. */
  call(event: JsonValue | undefined, callId: string | undefined, entry: Omit<CallEntry, "id">): string {
    const id = idOf(event);
    let name = id ?? `call-${this.#names.size + 1}`;
    while (this.#names.has(name)) name = `${name}-${this.#names.size + 1}`;
    this.#names.add(name);
    if (id !== undefined) this.#byEvent.set(id, name);
    if (callId !== undefined) {
      const same = this.#byCall.get(callId) ?? [];
      this.#byCall.set(callId, same);
      same.push(name);
    }
    const metadata = callId === undefined ? entry.metadata : { ...entry.metadata, call_id: callId };
    this.builder.call({ ...entry, id: name, ...(metadata === undefined ? {} : { metadata }) });
    return name;
  }

  /**
   * Returns the call that an observation answers: the event that caused it is certain, the model's id may be
   * an older call's.
   */
  answered(event: JsonValue | undefined, callId: string | undefined): string | undefined {
    const id = idOf(event);
    const same = callId === undefined ? [] : (this.#byCall.get(callId) ?? []);
    while (this.#answered.has(same.at(-1) ?? "")) same.pop();
    const name = (id === undefined ? undefined : this.#byEvent.get(id)) ?? same.at(-1);
    if (name !== undefined) this.#answered.add(name);
    return name;
  }

  /** Returns the text of a content; images become attachments. */
  text(content: JsonValue | undefined): string {
    if (!Array.isArray(content)) return chatContent(content, this.attach, this.builder.coverage).text;
    const parts = content.map((part): JsonValue => {
      if (textAt(part, "type") !== "image") return part;
      return this.pictures(listAt(part, "image_urls")).join("\n");
    });
    return chatContent(parts, this.attach, this.builder.coverage).text;
  }

  pictures(addresses: readonly JsonValue[]): string[] {
    return addresses.flatMap((address) => (typeof address === "string" ? linked(address, this.attach) : []));
  }
}

/** Returns the id of an event: a number, or a string. */
export function idOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return value < 0 ? undefined : `event-${value}`;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns an object without some of its members. */
export function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(value).filter(([name, item]) => !names.has(name) && item !== null);
  return Object.fromEntries(kept);
}
