// Puts an item into a list somewhere in a JSON text, and takes it out again, by inserting and cutting: every other byte stays.
import { CtxError } from "../base/errors.js";
import type { JsonValue } from "../base/json.js";
import type { Cut, Insertion } from "./text-edits.js";
import { afterSpace, type JsonNode, memberOf, parseJsonText } from "./json-text.js";

/** What to insert so that the list at `path` ends with `item`. */
export function insertItem(
  text: string,
  path: readonly string[],
  { item, name }: { item: JsonValue; name: string },
): Insertion[] {
  const root = parseJsonText(text, name);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (root === undefined) {
    const made = JSON.stringify(nested(path, item), null, 2).replaceAll("\n", eol);
    return [{ at: text.length, text: `${made}${eol}` }];
  }
  let node = root;
  for (const [depth, key] of path.entries()) {
    const where = path.slice(0, depth).join(".") || "it";
    if (node.kind !== "object") throw unexpected(name, `${where} is not an object`);
    const next = memberOf(node, key);
    if (next === undefined)
      return append(text, node, { key, value: nested(path.slice(depth + 1), item) }, eol);
    node = next;
  }
  if (node.kind !== "array") throw unexpected(name, `${path.join(".")} is not a list`);
  return append(text, node, { value: item }, eol);
}

/** What to cut so that the lists at `path` have no item that fits, nor what is empty without it. */
export function cutItem(
  text: string,
  path: readonly string[],
  { fits, name }: { fits: (text: string, item: JsonNode) => boolean; name: string },
): Cut[] {
  const chain: JsonNode[] = [];
  let node = parseJsonText(text, name);
  for (const key of path) {
    if (node === undefined) return [];
    chain.push(node);
    node = memberOf(node, key);
  }
  if (node === undefined) return [];
  const list = node;
  const gone = list.items.filter((item) => fits(text, item));
  if (gone.length === 0) return [];
  if (gone.length < node.items.length) return gone.flatMap((item) => cutOne(text, list, item));
  // Nothing would be left in it: it goes as well, as far up as that is so.
  let child: JsonNode = node;
  let parent = chain.at(-1) as JsonNode;
  for (const above of chain.toReversed()) {
    parent = above;
    if (above.members.length > 1) break;
    if (above !== chain[0]) child = above;
  }
  return cutOne(text, parent, child);
}

function nested(path: readonly string[], item: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), [item]);
}

function append(
  text: string,
  node: JsonNode,
  { key, value }: { key?: string; value: JsonValue },
  eol: string,
): Insertion[] {
  const last = lastOf(node);
  const inside = text.slice(node.start + 1, node.end - 1);
  const outer = indentAt(text, node.start);
  if (last === undefined) {
    const inner = outer + unitOf(text);
    const at = node.start + 1;
    const isBlank = inside.trim() === "";
    const made = `${eol}${inner}${rendered(key, value, { indent: inner, unit: unitOf(text), eol })}`;
    return [{ at, text: isBlank && inside.includes("\n") ? made : `${made}${eol}${outer}` }];
  }
  const isOneLine = !inside.includes("\n");
  const indent = isOneLine ? "" : indentAt(text, startOf(node, last));
  const unit =
    indent.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : unitOf(text);
  const made = isOneLine
    ? ` ${key === undefined ? "" : `${JSON.stringify(key)}: `}${JSON.stringify(value)}`
    : `${eol}${indent}${rendered(key, value, { indent, unit, eol })}`;
  const end = node.end - 1 - (/\s*$/.exec(inside)?.[0].length ?? 0);
  if (node.hasLastComma) return [{ at: end, text: made }];
  if (end === last.end) return [{ at: end, text: `,${made}` }];
  return [
    { at: last.end, text: "," },
    { at: end, text: made },
  ];
}

function rendered(
  key: string | undefined,
  value: JsonValue,
  { indent, unit, eol }: { indent: string; unit: string; eol: string },
): string {
  const text = JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
  return key === undefined ? text : `${JSON.stringify(key)}: ${text}`;
}

/** An item or member with the comma that parts it from the one before, or after. */
function cutOne(text: string, node: JsonNode, value: JsonNode): Cut[] {
  const all = node.kind === "array" ? node.items : node.members.map((member) => member.value);
  const index = all.indexOf(value);
  const start = startOf(node, value);
  const before = all[index - 1];
  const after = all[index + 1];
  if (before !== undefined) {
    const comma = afterSpace(text, before.end);
    const from = start - (/\s*$/.exec(text.slice(comma + 1, start))?.[0].length ?? 0);
    const isLast = after === undefined && !node.hasLastComma;
    // The comma before it parts the others, unless it was the last.
    if (!isLast) return [{ from, to: afterSpace(text, value.end) + 1 }];
    return from === comma + 1
      ? [{ from: comma, to: value.end }]
      : [
          { from: comma, to: comma + 1 },
          { from, to: value.end },
        ];
  }
  if (after !== undefined) return [{ from: start, to: startOf(node, after) }];
  return [{ from: node.start + 1, to: node.end - 1 }];
}

function lastOf(node: JsonNode): JsonNode | undefined {
  return node.kind === "array" ? node.items.at(-1) : node.members.at(-1)?.value;
}

function startOf(node: JsonNode, value: JsonNode): number {
  return node.members.find((member) => member.value === value)?.start ?? value.start;
}

/** The space that begins the line of a place. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** By what the text indents. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function unexpected(name: string, why: string): CtxError {
  return new CtxError("exists", `${name} is not as it should be: ${why}`, {
    hint: "nothing was changed; mend it, or put the hook in by hand",
  });
}
