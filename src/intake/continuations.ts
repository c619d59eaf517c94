// Finds out which of many exchanges with a model go on with one another: each sends all that was said before again, so that the
// beginning of a later one is the whole of an earlier one.
import { canonicalText } from "../base/json/canonical.js";
import { sha256 } from "../base/digest.js";
import { isObject, type JsonValue } from "../base/json/value.js";

/** Fields that clients move from one message to another. */
const moving = new Set(["cache_control"]);

export class Continued<Run> {
  /** Runs by all messages that they hold, as sent. */
  readonly #ends = new Map<string, { run: Run; count: number }>();

  /** The run that these messages go on with, and how many of them it was sent already. */
  find(messages: readonly JsonValue[]): { run: Run; count: number } | undefined {
    const names = namesOf(messages);
    // What was sent last time is less than what is sent now.
    for (let count = names.length - 1; count > 0; count--) {
      const found = this.#ends.get(names[count - 1] as string);
      if (found === undefined) continue;
      this.#ends.delete(names[count - 1] as string);
      return found;
    }
    return undefined;
  }

  note(messages: readonly JsonValue[], run: Run): void {
    const end = namesOf(messages).at(-1);
    if (end !== undefined) this.#ends.set(end, { run, count: messages.length });
  }
}

/** For each message a name for it and all before it. */
function namesOf(messages: readonly JsonValue[]): string[] {
  let last = "";
  return messages.map((message) => {
    last = sha256(Buffer.from(`${last}\n${canonicalText(still(message))}`));
    return last;
  });
}

function still(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(still);
  if (value === null || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (moving.has(key) ? [] : [[key, still(item)]])),
  );
}
