// Long texts and images that Inspect stores once per sample and refers to.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";

const sign = /^(?:attachment|tc):\/\//;
/** One text may be referenced again and again: the expansion must be bounded. */
const maxInserted = 1 << 29;

export class Attachments {
  readonly #texts = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #coverage: Coverage;
  #inserted = 0;

  /** A list has them by index. */
  constructor(value: JsonValue | undefined, coverage: Coverage) {
    this.#coverage = coverage;
    const pairs =
      value === undefined || value === null || typeof value !== "object" ? [] : Object.entries(value);
    for (const [name, text] of pairs) {
      if (typeof text !== "string") continue;
      this.#texts.set(name, text);
      this.#names.set(text, name);
    }
  }

  /** Resolves a text that may be a reference. */
  text(text: string): string {
    if (!sign.test(text)) return text;
    const found = this.#texts.get(text.replace(sign, ""));
    if (found !== undefined) this.#inserted += found.length;
    if (found !== undefined && this.#inserted <= maxInserted) return found;
    this.#coverage.addUnknown("some of the texts that the log keeps apart (attachments)");
    return text;
  }

  /** Resolves every text in a value. */
  value(value: JsonValue): JsonValue {
    return mapTexts(value, (text) => this.text(text));
  }

  object(value: JsonObject): JsonObject {
    return this.value(value) as JsonObject;
  }

  /** Returns a key for comparison that does not depend on whether long texts are stored separately. */
  key(value: JsonValue): JsonValue {
    return mapTexts(value, (text) => {
      if (sign.test(text)) return text.replace(sign, "attachment://");
      const name = this.#names.get(text);
      return name === undefined ? text : `attachment://${name}`;
    });
  }
}

function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (value === null || !isObject(value)) return value;
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(object, key, mapTexts(item, change));
  return object;
}
