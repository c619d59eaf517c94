// Messages that requests share. Newer logs store each once per sample, and a request refers to ranges of
// them.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { listAt } from "../../json-access.js";

export class Pool {
  readonly messages: readonly JsonValue[];
  #readUpTo = 0;

  constructor(sample: JsonObject) {
    const shared = listAt(sample, "events_data", "messages");
    this.messages = shared.length > 0 ? shared : listAt(sample, "message_pool");
  }

  hasRefs(event: JsonObject): boolean {
    return this.messages.length > 0 && Array.isArray(event["input_refs"]);
  }

  /**
   * Returns the messages in these ranges that no earlier request had, in the order in which they first
   * appeared.
   */
  unseen(ranges: JsonValue | undefined): JsonValue[] {
    const found: JsonValue[] = [];
    for (const range of listAt(ranges)) {
      const [start, end] = listAt(range);
      if (typeof start !== "number" || typeof end !== "number") continue;
      const stop = Math.min(Math.floor(end), this.messages.length);
      for (let at = Math.max(Math.floor(start), this.#readUpTo); at < stop; at++)
        found.push(this.messages[at] as JsonValue);
      this.#readUpTo = Math.max(this.#readUpTo, stop);
    }
    return found;
  }
}
