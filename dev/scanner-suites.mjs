// Reads the cases of two scanners' own tests from checkouts of their sources, which are Go: the texts that a
// scanner must find a secret in, and those that it must not. Nothing of them is part of this project.
import * as fs from "node:fs";
import { join } from "node:path";

/** Splits Go source into strings, names, numbers and marks. Comments are dropped. */
function tokensOf(source) {
  const tokens = [];
  const token =
    /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|`([^`]*)`|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\]|\\.[^']*)'|([A-Za-z_]\w*)|(\d[\w.]*)|(:=|\.\.\.|[^])/gy;
  for (const [, raw, quoted, name, number, mark] of source.matchAll(token)) {
    if (raw !== undefined) tokens.push({ kind: "text", value: raw });
    else if (quoted !== undefined) tokens.push({ kind: "text", value: unquoted(quoted) });
    else if (name !== undefined) tokens.push({ kind: "name", value: name });
    else if (number !== undefined) tokens.push({ kind: "number", value: number });
    else if (mark !== undefined) tokens.push({ kind: "mark", value: mark });
  }
  return tokens;
}

const escapes = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

function unquoted(text) {
  return text.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/g,
    (_, x, u, U, octal, other) => {
      if (other !== undefined) return escapes[other] ?? other;
      return String.fromCodePoint(Number.parseInt(x ?? u ?? U ?? octal, octal === undefined ? 16 : 8));
    },
  );
}

/** Evaluates the expressions that tests are written in: texts, lists, `+`, `fmt.Sprintf` and names of those. */
class Reader {
  constructor(tokens, at, names) {
    this.tokens = tokens;
    this.at = at;
    this.names = names;
  }

  is(...values) {
    return values.every((value, index) => {
      const token = this.tokens[this.at + index];
      return token !== undefined && token.kind !== "text" && token.value === value;
    });
  }

  take(value) {
    if (!this.is(value)) return false;
    this.at++;
    return true;
  }

  /** Returns a text, a number, a list, `null` for nil, or undefined for anything else. */
  expression() {
    let value = this.term();
    while (this.is("+") && value !== undefined) {
      this.at++;
      const next = this.term();
      value = typeof value === "string" && typeof next === "string" ? value + next : undefined;
    }
    return value;
  }

  term() {
    const token = this.tokens[this.at];
    if (token === undefined) return undefined;
    if (token.kind === "text") {
      this.at++;
      return token.value;
    }
    if (token.kind === "number") {
      this.at++;
      return Number(token.value);
    }
    if (this.take("(")) {
      const value = this.expression();
      return this.take(")") ? value : undefined;
    }
    if (this.take("[")) {
      if (!this.take("]")) return undefined;
      const type = this.tokens[this.at++]?.value;
      if (type === "byte" && this.take("(")) {
        const value = this.expression();
        return this.take(")") ? value : undefined;
      }
      return type === "string" && this.take("{") ? this.list("}") : undefined;
    }
    if (token.kind !== "name") return undefined;
    if (this.is("fmt", ".", "Sprintf", "(")) {
      this.at += 4;
      const [format, ...values] = this.list(")") ?? [];
      return typeof format === "string" ? formatted(format, values) : undefined;
    }
    if (this.is("strings", ".", "Repeat", "(")) {
      this.at += 4;
      const [text, count] = this.list(")") ?? [];
      return typeof text === "string" && typeof count === "number" ? text.repeat(count) : undefined;
    }
    this.at++;
    if (token.value === "string" && this.take("(")) {
      const value = this.expression();
      return this.take(")") ? value : undefined;
    }
    if (this.is(".") || this.is("(") || this.is("[") || this.is("{")) return undefined;
    return token.value === "nil" ? null : this.names.get(token.value);
  }

  /** Returns the members of a list; a member that is no such expression is undefined. */
  list(end) {
    const values = [];
    while (this.at < this.tokens.length && !this.take(end)) {
      const value = this.expression();
      values.push(this.is(",") || this.is(end) ? value : undefined);
      this.skipTo(end);
      this.take(",");
    }
    return values;
  }

  /** Goes to the next comma or to the end of the list. */
  skipTo(end) {
    for (let depth = 0; this.at < this.tokens.length; this.at++) {
      const { kind, value } = this.tokens[this.at];
      if (kind !== "mark") continue;
      if (depth === 0 && (value === "," || value === end)) return;
      if ("([{".includes(value)) depth++;
      if (")]}".includes(value)) depth--;
    }
  }
}

function formatted(format, values) {
  if (values.includes(undefined)) return undefined;
  let at = 0;
  return format.replaceAll(/%(?:\[\d\])?([svdq%])/g, (_, verb) => {
    if (verb === "%") return "%";
    const value = String(values[at++]);
    return verb === "q" ? JSON.stringify(value) : value;
  });
}

/** Returns the names of a file that are texts: `var`, `const` and `:=`. */
function namesOf(tokens, known = new Map()) {
  const names = new Map(known);
  for (let at = 0; at + 2 < tokens.length; at++) {
    if (tokens[at].kind !== "name") continue;
    const typed = tokens[at + 1].value === "string" || tokens[at + 1].value === "[" ? 1 : 0;
    const mark = tokens[at + 1 + typed];
    if (mark?.kind !== "mark" || (mark.value !== "=" && mark.value !== ":=")) continue;
    const value = new Reader(tokens, at + 2 + typed, names).expression();
    if (value !== undefined && value !== null) names.set(tokens[at].value, value);
  }
  return names;
}

function filesBelow(folder, ending) {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => ({ name, source: fs.readFileSync(join(folder, name), "utf8") }));
}

/**
 * Returns the cases of TruffleHog's detectors in which something must be found: the text, and what must be
 * found in it. The tests that talk to services have no texts of their own.
 */
export function truffleHogCases(checkout) {
  const cases = [];
  for (const { name, source } of filesBelow(join(checkout, "pkg/detectors"), "_test.go")) {
    if (name.includes("_integration_test")) continue;
    const tokens = tokensOf(source);
    const names = namesOf(tokens);
    let text;
    for (let at = 0; at + 1 < tokens.length; at++) {
      const field = fieldAt(tokens, at);
      if (field === undefined) continue;
      const value = new Reader(tokens, at + 2, names).expression();
      if (field === "name") text = undefined;
      else if (inputs.has(field)) text = typeof value === "string" ? value : undefined;
      else if (text !== undefined && wants.has(field)) {
        const wanted = (Array.isArray(value) ? value : [value]).filter(
          (one) => typeof one === "string" && one !== "",
        );
        if (wanted.length > 0) cases.push({ id: name.replace(/_test\.go$/, ""), text, wanted });
        text = undefined;
      }
    }
  }
  return cases;
}

const inputs = new Set(["input", "data", "text", "chunk"]);
const wants = new Set(["want", "wants", "wanted", "expected"]);

/** Returns the name of the field of a struct that begins here. */
function fieldAt(tokens, at) {
  const { kind, value } = tokens[at];
  return kind === "name" && tokens[at + 1].kind === "mark" && tokens[at + 1].value === ":"
    ? value
    : undefined;
}

/**
 * Returns the cases of gitleaks' rules that are written out: those in which something must be found, and
 * those in which nothing must be. Those that it makes at random are left out.
 */
export function gitleaksCases(checkout) {
  const cases = [];
  for (const { name, source } of filesBelow(join(checkout, "cmd/generate/config/rules"), ".go")) {
    const tokens = tokensOf(source);
    const names = namesOf(tokens);
    const id = name.replace(/\.go$/, "");
    for (let at = 0; at + 2 < tokens.length; at++) {
      const list = tokens[at].value;
      if (tokens[at].kind !== "name" || (list !== "tps" && list !== "fps")) continue;
      if (!["=", ":="].includes(tokens[at + 1].value)) continue;
      const reader = new Reader(tokens, at + 2, names);
      let texts = reader.expression();
      if (texts === undefined && tokens[at + 2].value === "append" && tokens[at + 3].value === "(") {
        const after = new Reader(tokens, at + 4, names);
        texts = after.list(")").flat();
      }
      for (const text of Array.isArray(texts) ? texts : [])
        if (typeof text === "string") cases.push({ id, text, isFalse: list === "fps" });
    }
  }
  return cases;
}
