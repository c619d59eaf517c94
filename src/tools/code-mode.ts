// Codex's code mode: the model writes a script that calls tools. A script that calls one tool with literal
// values and prints what it returned is that call.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";

const start = /^\s*(?:(?:const|let|var)\s+(\w+)\s*=\s*|text\(\s*\(?\s*)?await\s+tools\.(\w+)\(/;

/** Returns the only call of a script; undefined for any other script. */
export function callIn(script: string): { tool: string; parameters: JsonObject } | undefined {
  const begin = start.exec(script);
  if (begin === null) return undefined;
  const [whole, name, tool = ""] = begin;
  const literal = objectAt(script.slice(whole.length));
  if (literal === undefined) return undefined;
  const rest = script.slice(whole.length + literal.length);
  const printing =
    name === undefined
      ? /^\s*\)\s*\)?\s*\.output\s*\)\s*;?\s*$/
      : new RegExp(`^\\s*\\)\\s*;?\\s*text\\(\\s*${name}\\.output\\s*\\)\\s*;?\\s*$`);
  return printing.test(rest) ? { tool, parameters: literal.value } : undefined;
}

const token = /\s+|"(?:[^"\\\n]|\\.)*"|([A-Za-z_]\w*)(?=\s*:)|-?\d+(?:\.\d+)?|true|false|null|[{}[\],:]/y;

/** Reads an object whose keys may have no quotes, and whose values are JSON; `length` is that of its text. */
function objectAt(text: string): { value: JsonObject; length: number } | undefined {
  let json = "";
  let depth = 0;
  token.lastIndex = 0;
  for (;;) {
    const found = token.exec(text);
    if (found === null) return undefined;
    const [word, key] = found;
    json += key === undefined ? word : `"${key}"`;
    if (word === "{" || word === "[") depth++;
    if (word === "}" || word === "]") depth--;
    if (depth === 0 && word.trim() !== "") break;
  }
  const length = token.lastIndex;
  try {
    const value = JSON.parse(json) as JsonValue;
    return isObject(value) ? { value, length } : undefined;
  } catch {
    return undefined;
  }
}
