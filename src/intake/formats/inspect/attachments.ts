// Long texts and pictures that Inspect keeps once for each sample, and names where they are meant.
import { isObject, type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";

const sign = /^(?:attachment|tc):\/\//;
/** One text may be named again and again: what comes of it must not grow past all bounds. */
const mostPutIn = 1 << 29;

export class Attachments {
  readonly #texts = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #coverage: Coverage;
  #putIn = 0;

  /** A list has them by their number. */
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

  /** The text that is meant. */
  text(text: string): string {
    if (!sign.test(text)) return text;
    const found = this.#texts.get(text.replace(sign, ""));
    if (found !== undefined) this.#putIn += found.length;
    if (found !== undefined && this.#putIn <= mostPutIn) return found;
    this.#coverage.lacks("some of the texts that the log keeps apart (attachments)");
    return text;
  }

  /** A value with every text in it as it is meant. */
  value(value: JsonValue): JsonValue {
    return mapTexts(value, (text) => this.text(text));
  }

  object(value: JsonObject): JsonObject {
    return this.value(value) as JsonObject;
  }

  /** A value by which two can be compared, whether their long texts are kept apart or not. */
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
