// Detects which requests to a model continue earlier ones. Each request repeats the whole conversation, so
// the beginning of a later request equals all of an earlier one.
import { canonicalText } from "../base/json/canonical.js";
import { sha256 } from "../base/digest.js";
import { isObject, type JsonValue } from "../base/json/value.js";

/** Fields that clients move from one message to another. */
const moving = new Set(["cache_control"]);

export class Continued<Run> {
  /** Runs, keyed by the digest of all messages they were sent. */
  readonly #ends = new Map<string, { run: Run; count: number }>();

  /** Returns the run that these messages continue, and how many of them it already holds. */
  find(messages: readonly JsonValue[]): { run: Run; count: number } | undefined {
    const names = namesOf(messages);
    // A continuation sends at least one message more than the request before it.
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

/** Returns, for each message, a digest of it and of all messages before it. */
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
