// Collects the messages of a session from its journal. A message is rewritten whenever it changes, the list
// may be replaced, and the user may go back: abandoned messages are kept, and marked.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { listAt, objectAt, objectsAt, textAt, wordAt } from "../../json-access.js";
import { plainText } from "../../protocols/gemini/parts.js";

export interface JournalMessage {
  message: JsonObject;
  /** Whether the user went back to before it. */
  isAbandoned: boolean;
  /** Whether the client inserted it when it rewrote the history; `boundary` is set on the first of these. */
  isInjected: boolean;
  isBoundary: boolean;
}

export class Journal {
  /** All messages, in the order in which they first came. */
  readonly entries: JournalMessage[] = [];
  /** What the journal says about the session. */
  readonly about: JsonObject = {};
  readonly #coverage: Coverage;
  /** The entries that still count, and the position of each id among them. */
  #live: JournalMessage[] = [];
  readonly #positions = new Map<string, number>();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  take(record: JsonObject): void {
    const rewind = textAt(record, "$rewindTo");
    const patch = objectAt(record, "$set");
    const change = objectAt(record, "$patch");
    if (rewind !== undefined) this.#rewind(rewind);
    else if (change !== undefined) this.#change(change);
    else if (patch !== undefined) this.#describe(patch);
    else if (textAt(record, "id") !== undefined && textAt(record, "type") !== undefined) this.#put(record);
    else if (textAt(record, "sessionId") !== undefined) this.#describe(record);
    else this.#coverage.skip("record");
  }

  #describe(members: JsonObject): void {
    for (const [name, value] of Object.entries(members))
      if (name !== "messages") setOwn(this.about, name, value);
    if (Array.isArray(members["messages"])) this.#replace(members["messages"]);
  }

  /** Adds or replaces a message: its last record counts. */
  #put(message: JsonObject): void {
    const known = this.#known(message);
    if (known === undefined) this.#add(message, false);
    else known.message = message;
  }

  #known(message: JsonObject): JournalMessage | undefined {
    const position = this.#positions.get(textAt(message, "id") ?? "");
    return position === undefined ? undefined : this.#live[position];
  }

  #add(message: JsonObject, isInjected: boolean): void {
    const entry = { message, isAbandoned: false, isInjected, isBoundary: false };
    this.entries.push(entry);
    const id = textAt(message, "id");
    if (id !== undefined) this.#positions.set(id, this.#live.length);
    this.#live.push(entry);
  }

  #rewind(id: string): void {
    // If the id is unknown, the client forgets everything.
    const from = this.#positions.get(id) ?? 0;
    for (const entry of this.#live.splice(from)) {
      entry.isAbandoned = true;
      const own = textAt(entry.message, "id");
      if (own !== undefined) this.#positions.delete(own);
    }
  }

  /** Replaces the history: the client summarised it, or removed outputs. */
  #replace(messages: readonly JsonValue[]): void {
    const isFirst = this.#live.length === 0;
    const texts = new Set(this.#live.map(({ message }) => messageText(message)));
    const before = this.entries.length;
    const next: JournalMessage[] = [];
    for (const message of messages) {
      if (!isObject(message)) {
        this.#coverage.skip("message that is no object");
        continue;
      }
      const known = this.#known(message);
      if (known !== undefined) {
        keepWhole(known, message, this.#coverage);
        next.push(known);
      } else if (!isFirst && texts.has(messageText(message))) this.#coverage.duplicates++;
      else {
        this.#add(message, !isFirst);
        next.push(this.entries.at(-1) as JournalMessage);
      }
    }
    const first = this.entries[before];
    if (!isFirst && first !== undefined) first.isBoundary = true;
    this.#live = [];
    this.#positions.clear();
    for (const entry of new Set(next)) {
      const id = textAt(entry.message, "id");
      if (id !== undefined) this.#positions.set(id, this.#live.length);
      this.#live.push(entry);
    }
  }

  /** Changes fields of one message, by its id. */
  #change(change: JsonObject): void {
    const known = this.#known(change);
    if (known === undefined) return this.#coverage.skip("change of an unknown message");
    keepWhole(known, { ...known.message, ...change }, this.#coverage);
  }
}

/** Merges a rewritten message into the recorded one: only calls and results that were missing are new. */
function keepWhole(entry: JournalMessage, next: JsonObject, coverage: Coverage): void {
  const old = entry.message;
  const calls = new Map(objectsAt(old, "toolCalls").map((call) => [wordAt(call, "id"), call]));
  let isNews = false;
  for (const call of objectsAt(next, "toolCalls")) {
    const id = wordAt(call, "id");
    const known = calls.get(id);
    if (known !== undefined && (listAt(known, "result").length > 0 || !Array.isArray(call["result"])))
      continue;
    calls.set(id, { ...known, ...call });
    isNews = true;
  }
  if (isNews) entry.message = { ...old, toolCalls: [...calls.values()] };
  else if (messageText(old) !== messageText(next))
    coverage.leaveOut("message as it was rewritten in the history");
}

function messageText(message: JsonObject): string {
  return `${textAt(message, "type") ?? ""}:${plainText(message["content"])}`;
}
