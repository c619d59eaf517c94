// Parses a JSON text into nodes with positions, so that a line can be inserted without touching any other.
// Comments and trailing commas are accepted, because some agents allow them in their settings.
import { CtxError } from "../base/errors.js";

export interface JsonNode {
  kind: "object" | "array" | "scalar";
  start: number;
  end: number;
  /** Members of an object, in order. */
  members: { key: string; start: number; value: JsonNode }[];
  /** Items of an array. */
  items: JsonNode[];
  /** Whether a comma follows the last member or item. */
  hasLastComma: boolean;
}

/** Maximum nesting depth; no real settings are deeper. */
const deepest = 200;

/** Parses the value of a text; returns undefined if it holds none. Throws if the text is not JSON. */
export function parseJsonText(text: string, name: string): JsonNode | undefined {
  const scan = new Scan(text, name);
  scan.space();
  if (scan.at >= text.length) return undefined;
  const node = scan.value(0);
  scan.space();
  if (scan.at < text.length) scan.fail();
  return node;
}

/** Returns the value of a string, number, boolean or null; undefined for objects and arrays. */
export function scalarOf(text: string, { kind, start, end }: JsonNode): unknown {
  return kind === "scalar" ? (JSON.parse(text.slice(start, end)) as unknown) : undefined;
}

export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  // If a key occurs twice, every JSON parser uses the last one.
  return node?.members.findLast((member) => member.key === key)?.value;
}

/** Returns the position after any space and comments. */
export function afterSpace(text: string, at: number): number {
  const gap = /(?:\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y;
  gap.lastIndex = at;
  return at + (gap.exec(text)?.[0].length ?? 0);
}

class Scan {
  readonly #text: string;
  readonly #name: string;
  at = 0;

  constructor(text: string, name: string) {
    this.#text = text;
    this.#name = name;
    if (text.startsWith("\ufeff")) this.at = 1;
  }

  fail(): never {
    const line = this.#text.slice(0, this.at).split("\n").length;
    throw new CtxError("not-json", `${this.#name} is not JSON: line ${line}`, {
      hint: "nothing was changed; fix it first",
    });
  }

  space(): void {
    this.at = afterSpace(this.#text, this.at);
  }

  value(depth: number): JsonNode {
    if (depth > deepest) this.fail();
    const first = this.#text[this.at];
    if (first === "{" || first === "[") return this.#container(first, depth);
    const start = this.at;
    const scalar = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
    scalar.lastIndex = start;
    const found = scalar.exec(this.#text)?.[0];
    if (found === undefined) this.fail();
    try {
      JSON.parse(found);
    } catch {
      this.fail();
    }
    this.at += found.length;
    return { kind: "scalar", start, end: this.at, members: [], items: [], hasLastComma: false };
  }

  #container(open: "{" | "[", depth: number): JsonNode {
    const close = open === "{" ? "}" : "]";
    const node: JsonNode = {
      kind: open === "{" ? "object" : "array",
      start: this.at++,
      end: 0,
      members: [],
      items: [],
      hasLastComma: false,
    };
    for (let isFirst = true; ; isFirst = false) {
      this.space();
      if (this.#text[this.at] === close) break;
      if (!isFirst && !node.hasLastComma) this.fail();
      if (open === "[") node.items.push(this.value(depth + 1));
      else this.#member(node, depth);
      this.space();
      node.hasLastComma = this.#text[this.at] === ",";
      if (node.hasLastComma) this.at++;
    }
    node.end = ++this.at;
    return node;
  }

  #member(node: JsonNode, depth: number): void {
    const { start, end, kind } = this.value(depth + 1);
    if (kind !== "scalar" || this.#text[start] !== '"') this.fail();
    this.space();
    if (this.#text[this.at++] !== ":") this.fail();
    this.space();
    const key = JSON.parse(this.#text.slice(start, end)) as string;
    node.members.push({ key, start, value: this.value(depth + 1) });
  }
}
