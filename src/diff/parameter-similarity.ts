// Measures how similar the parameters of two calls are: the words at each path, compared as sets. Every
// comparison costs work, and the work has a limit.
import type { JsonObject, JsonValue } from "../base/json/value.js";
import { ExactInteger } from "../base/json/value.js";

const word = /[\p{L}\p{N}_]+/gu;

/** Returns the words of a text: runs of letters, digits and underscores. */
export function wordsOf(text: string): string[] {
  return text.match(word) ?? [];
}

/** Calls `take` with each leaf below a value and the path that leads there: `a.b[].c`. */
export function eachLeaf(value: JsonValue, path: string, onLeaf: (path: string, text: string) => void): void {
  if (Array.isArray(value)) {
    if (value.length === 0) onLeaf(path, "");
    for (const item of value) eachLeaf(item, `${path}[]`, onLeaf);
  } else if (typeof value === "object" && value !== null && !(value instanceof ExactInteger)) {
    const keys = Object.keys(value);
    if (keys.length === 0 && path !== "") onLeaf(path, "");
    for (const key of keys) eachLeaf(value[key] as JsonValue, path === "" ? key : `${path}.${key}`, onLeaf);
  } else {
    onLeaf(path, String(value));
  }
}

/**
 * Limits on the parameter text that is read for words, and on the words that are compared, per comparison of
 * two runs.
 */
export interface WordBudget {
  characters: number;
  comparisons: number;
}

/** At or above this level, at least half of the words are shared. */
export const closeLevel = 128;

/** The words of every call, as sorted numbers. */
export class Words {
  readonly #ids = new Map<string, number>();
  readonly #sets = new Map<number, Int32Array | null>();
  readonly #parametersOf: (call: number) => JsonObject;
  readonly #budget: WordBudget;
  /** The limit that was reached. */
  exhausted: string | undefined;

  constructor(parametersOf: (call: number) => JsonObject, budget: WordBudget) {
    this.#parametersOf = parametersOf;
    this.#budget = { ...budget };
  }

  /**
   * Returns how similar two calls are, from 0 to 255; `closeLevel` or more if half of the words are shared.
   */
  level(callA: number, callB: number): number {
    const a = this.#setOf(callA);
    const b = this.#setOf(callB);
    if (a === null || b === null || a.length + b.length === 0) return 0;
    this.#budget.comparisons -= a.length + b.length;
    if (this.#budget.comparisons < 0) {
      this.exhausted ??= "too many parameters to compare word by word";
      return 0;
    }
    const shared = countShared(a, b);
    // 2 * shared / all is at least a half exactly if 4 * shared >= all.
    const all = a.length + b.length;
    return 4 * shared >= all
      ? closeLevel + Math.floor(((4 * shared - all) / all / 2) * 127)
      : Math.floor(((4 * shared) / all) * 127);
  }

  #setOf(call: number): Int32Array | null {
    let set = this.#sets.get(call);
    if (set === undefined) {
      set = this.#read(call);
      this.#sets.set(call, set);
    }
    return set;
  }

  #read(call: number): Int32Array | null {
    if (this.#budget.characters < 0) return null;
    const found = new Set<number>();
    eachLeaf(this.#parametersOf(call), "", (path, text) => {
      this.#budget.characters -= text.length;
      if (this.#budget.characters < 0) {
        this.exhausted ??= "too much parameter text to compare word by word";
        return;
      }
      const words = wordsOf(text);
      for (const each of words.length === 0 ? [""] : words) found.add(this.#idOf(`${path}=${each}`));
    });
    return this.#budget.characters < 0 ? null : Int32Array.from(found).sort();
  }

  #idOf(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) this.#ids.set(text, (id = this.#ids.size));
    return id;
  }
}

function countShared(a: Int32Array, b: Int32Array): number {
  let shared = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const difference = (a[i] as number) - (b[j] as number);
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return shared;
}
