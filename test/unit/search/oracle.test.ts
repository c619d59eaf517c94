// Hundreds of random texts and expressions from and near the contents of a store: `ctx grep` with its index finds what it
// finds without, and both find what a search finds that was written apart from them.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempStore } from "../../../dev/folders.js";
import { inOneUnit, type PlainHit, PlainStore, type PlainTest } from "../../../dev/plain-search.js";
import { packHardRuns, seeded } from "../../../dev/search-store.js";
import { grep, type GrepOptions } from "../../../src/ops/grep.js";
import { buildIndex } from "../../../src/search/build-index.js";
import type { SearchHit } from "../../../src/results/search.js";
import type { Store } from "../../../src/store/store.js";

interface Case {
  pattern: string;
  options: GrepOptions;
  test: PlainTest;
}

type Random = (below: number) => number;
const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T;

/** A node of an expression: the same for RE2, and for JavaScript with the flags `s` and `u`. */
interface Node {
  re2: string;
  js: string;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}/]/g, "\\$&");
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns a literal; under `-i` JavaScript has both cases of ASCII letters. */
function literal(text: string, ignoreCase: boolean): Node {
  const js = Array.from(text).map((each) => {
    const isLetter = /^[A-Za-z]$/.test(each);
    return ignoreCase && isLetter ? `[${each.toLowerCase()}${each.toUpperCase()}]` : escaped(each);
  });
  return { re2: escaped(text), js: js.join("") };
}

function expression(random: Random, words: readonly string[], ignoreCase: boolean, depth = 0): Node {
  const sequence = Array.from({ length: 1 + random(3) }, () => element(random, words, ignoreCase, depth));
  const joined = { re2: sequence.map((e) => e.re2).join(""), js: sequence.map((e) => e.js).join("") };
  if (random(5) > 0 || depth > 2) return joined;
  const other = expression(random, words, ignoreCase, depth + 1);
  return { re2: `${joined.re2}|${other.re2}`, js: `${joined.js}|${other.js}` };
}

const classes: readonly Node[] = [
  { re2: "[0-9]", js: "[0-9]" },
  { re2: "\\d", js: "[0-9]" },
  { re2: "\\s", js: "[\\t\\n\\f\\r ]" },
  { re2: "\\S", js: "[^\\t\\n\\f\\r ]" },
  { re2: "\\w", js: "[0-9A-Za-z_]" },
  { re2: "\\W", js: "[^0-9A-Za-z_]" },
  { re2: "[[:upper:][:digit:]]", js: "[A-Z0-9]" },
  { re2: "[]x-z.]", js: "[\\]x-z.]" },
  { re2: "[^a-f\\-]", js: "[^a-f\\-]" },
  { re2: ".", js: "[^\\n]" },
];
const bothCases: readonly (Node | undefined)[] = classes.map(({ re2 }) =>
  re2 === "[[:upper:][:digit:]]"
    ? { re2, js: "[A-Za-z0-9]" }
    : re2 === "[]x-z.]"
      ? { re2, js: "[\\]x-zX-Z.]" }
      : re2 === "[^a-f\\-]"
        ? { re2, js: "[^a-fA-F\\-]" }
        : undefined,
);

function element(random: Random, words: readonly string[], ignoreCase: boolean, depth: number): Node {
  const node = unrepeated(random, words, ignoreCase, depth);
  if (random(4) > 0 || node.re2 === "^" || node.re2 === "$" || node.re2 === "\\b") return node;
  const times = pick(random, ["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{0}"]);
  // A repetition binds to the last character, in both.
  return { re2: `(?:${node.re2})${times}`, js: `(?:${node.js})${times}` };
}

const jsBoundary = "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))";

function unrepeated(random: Random, words: readonly string[], ignoreCase: boolean, depth: number): Node {
  switch (random(9)) {
    case 0:
      return { re2: "^", js: "^" };
    case 1:
      return { re2: "$", js: "$" };
    case 2:
      return { re2: "\\b", js: jsBoundary };
    case 3:
    case 4: {
      const at = random(classes.length);
      return (ignoreCase ? bothCases[at] : undefined) ?? (classes[at] as Node);
    }
    case 5:
      if (depth < 3) {
        const inner = expression(random, words, ignoreCase, depth + 1);
        const open = pick(random, ["(", "(?:", "(?P<n>", "(?s:", "(?m:"]);
        return {
          re2: `${depth > 0 && open === "(?P<n>" ? "(?:" : open}${inner.re2})`,
          js: `(?:${inner.js})`,
        };
      }
      return literal(pick(random, words), ignoreCase);
    case 6: {
      const [first = "a", ...rest] = Array.from(pick(random, words));
      const last = rest.at(-1) ?? first;
      const tail = literal(last, ignoreCase);
      const times = pick(random, ["+", "*", "{2,3}", ""]);
      // `ab+`, without a group.
      return {
        re2: literal(first, ignoreCase).re2 + tail.re2 + times,
        js: literal(first, ignoreCase).js + tail.js + times,
      };
    }
    case 7: {
      const word = pick(random, words);
      return word.includes("\\E")
        ? literal(word, ignoreCase)
        : { ...literal(word, ignoreCase), re2: `\\Q${word}\\E` };
    }
    default:
      return literal(pick(random, words), ignoreCase);
  }
}

/** Returns some texts of a store: words, pieces of lines, and the same with an error in them. */
function textsOf(store: Store, random: Random): string[] {
  const texts: string[] = [];
  for (const folder of fs.readdirSync(join(store.root, "objects")))
    for (const name of fs.readdirSync(join(store.root, "objects", folder)))
      for (const line of fs
        .readFileSync(join(store.root, "objects", folder, name), "utf8")
        .split(/[\r\n]+/)) {
        const all = Array.from(line);
        const from = random(all.length + 1);
        const text = all.slice(from, from + 1 + random(12)).join("");
        if (text === "" || text.includes("\ufffd") || text.includes("\0")) continue;
        texts.push(text);
        if (random(6) === 0)
          texts.push(pick(random, [text.toUpperCase(), `${text}q`, `q${text}`, text.slice(1)]) || "q");
      }
  return texts;
}

const isWordByte = (byte: string | undefined): boolean => byte !== undefined && /[0-9A-Za-z_]/.test(byte);

/** Returns where a text is in a line, for literals. */
function literalTest(texts: readonly string[], { ignoreCase, word }: GrepOptions): PlainTest {
  const wanted = texts.map((text) => Buffer.from(text).toString("latin1"));
  return ({ bytes }) => {
    const line = ignoreCase === true ? lower(bytes) : bytes;
    for (let at = 0; at < line.length; at++)
      for (const text of wanted.map((each) => (ignoreCase === true ? lower(each) : each)))
        if (
          line.startsWith(text, at) &&
          !(word === true && (isWordByte(bytes[at - 1]) || isWordByte(bytes[at + text.length])))
        )
          return { at, length: text.length, isBytes: true };
    return undefined;
  };
}

function expressionTest(js: string, { word }: GrepOptions): PlainTest {
  const source = word === true ? `(?<![0-9A-Za-z_])(?:${js})(?![0-9A-Za-z_])` : js;
  const pattern = new RegExp(inOneUnit(source), "u");
  return ({ text }) => {
    const found = pattern.exec(text);
    return found === null ? undefined : { at: found.index, length: found[0].length, isBytes: false };
  };
}

function makeCase(random: Random, words: readonly string[]): Case {
  const options: GrepOptions = {
    fixed: false,
    ignoreCase: random(3) === 0,
    word: random(4) === 0,
    in: ["prompt", "system", "param", "output", "seen", "reasoning", "file"],
    echoes: true,
  };
  if (random(2) === 0) {
    const texts = Array.from({ length: random(4) === 0 ? 2 : 1 }, () => pick(random, words));
    const [pattern = "", ...or] = texts;
    return { pattern, options: { ...options, fixed: true, or }, test: literalTest(texts, options) };
  }
  const made = Array.from({ length: random(5) === 0 ? 2 : 1 }, () =>
    expression(random, words, options.ignoreCase === true),
  );
  const [pattern = "", ...or] = made.map(({ re2 }) => re2);
  const js = made.map((each) => `(?:${each.js})`).join("|");
  return { pattern, options: { ...options, or }, test: expressionTest(js, options) };
}

/** Returns the hits as the plain search does, in an order of their own. */
function found(store: Store, { pattern, options }: Case, noIndex: boolean): PlainHit[] {
  const hits: SearchHit[] = [];
  const summary = grep(store, pattern, { ...options, noIndex, onRun: (run) => void hits.push(...run.hits) });
  expect(summary.incomplete).toEqual([]);
  expect(summary.hits).toBe(hits.length);
  return sorted(hits);
}

function keyOf({ pack, part, step, prompt, name, role, line }: PlainHit): string {
  return JSON.stringify([pack, part, step, prompt, name, role, line]);
}

function sorted(hits: readonly PlainHit[]): PlainHit[] {
  return hits
    .map((hit) => [keyOf(hit), hit] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, hit]) => hit);
}

/** A line for each hit: long lists of objects are slow to compare. */
function asText(hits: readonly PlainHit[]): string {
  return hits
    .map(({ pack, part, step, prompt, name, role, line, column }) =>
      JSON.stringify([pack, part, step, prompt, name, role, line, column]),
    )
    .join("\n");
}

describe("ctx grep against a plain search", () => {
  it("grep: 500 random patterns have the same hits with the index, without it, and in a plain search", () => {
    const store = tempStore();
    packHardRuns(store, 1, 0, 16);
    expect(buildIndex(store)).toBe(16);
    const plain = new PlainStore(store.root);
    const random = seeded(Number(process.env["CTX_SEED"] ?? 7));
    const words = textsOf(store, random);
    let hits = 0;
    let without = 0;
    const count = Number(process.env["CTX_CASES"] ?? 500);
    for (let at = 0; at < count; at++) {
      const each = makeCase(random, words);
      let indexed: PlainHit[];
      try {
        indexed = found(store, each, false);
      } catch (error) {
        // Two groups of one name, a repetition of too many: RE2 refuses it, and so would any search.
        if (error instanceof Error && /RE2 accepts|is empty|line break/.test(error.message)) continue;
        throw error;
      }
      const about = JSON.stringify({ pattern: each.pattern, ...each.options });
      expect(asText(found(store, each, true)), about).toBe(asText(indexed));
      expect(asText(indexed), about).toBe(asText(sorted(plain.search(each.test))));
      hits += indexed.length;
      if (indexed.length === 0) without++;
    }
    // Neither all nor nothing.
    expect(hits).toBeGreaterThan(count * 2);
    expect(without).toBeGreaterThan(count / 20);
  }, 300_000);
});
