// Inserts an item into a list inside a JSON text and cuts it out again. All other bytes stay the same.
import { CtxError } from "../base/errors.js";
import type { JsonValue } from "../base/json/value.js";
import { appendAll } from "../base/lists.js";
import type { Cut, Insertion } from "./text-edits.js";
import { afterSpace, type JsonNode, memberOf, parseJsonText } from "./json-text.js";

/** Returns the insertions after which the list at `path` ends with `item`. */
export function insertItem(
  text: string,
  path: readonly string[],
  { item, name }: { item: JsonValue; name: string },
): Insertion[] {
  const root = parseJsonText(text, name);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (root === undefined) {
    const made = JSON.stringify(nested(path, item), null, 2).replaceAll("\n", eol);
    // The last line may be a comment without a line feed: start a new line.
    const isOpen = text.trim() !== "" && !text.endsWith("\n");
    return [{ at: text.length, text: `${isOpen ? eol : ""}${made}${eol}` }];
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

/** An item's list of parts, and those of them that are ours and should be cut. */
export interface OwnParts {
  list: JsonNode | undefined;
  own: JsonNode[];
}

/**
 * Returns the cuts that remove our parts from the list at `path`. An item whose parts are all ours goes as a
 * whole, and so does each container that would be empty without it.
 */
export function cutItem(
  text: string,
  path: readonly string[],
  { parts, name }: { parts: (text: string, item: JsonNode) => OwnParts; name: string },
): Cut[] {
  const chain: JsonNode[] = [];
  let node = parseJsonText(text, name);
  for (const key of path) {
    if (node === undefined) return [];
    chain.push(node);
    node = memberOf(node, key);
  }
  if (node === undefined) return [];
  const gone: JsonNode[] = [];
  const cuts: Cut[] = [];
  for (const item of node.items) {
    const { list, own } = parts(text, item);
    if (list === undefined || own.length === 0) continue;
    if (own.length === list.items.length) gone.push(item);
    else appendAll(cuts, cutAll(text, list, own));
  }
  if (!isBare(text, node, gone))
    return [...cuts, ...cutAll(text, node, gone)].sort((a, b) => a.from - b.from);
  // The list would be empty: cut it too, and every parent below the root that would then be empty.
  let child: JsonNode = node;
  let parent = chain.at(-1) as JsonNode;
  for (const above of chain.toReversed()) {
    parent = above;
    if (above === chain[0] || !isBare(text, above, [child])) break;
    child = above;
  }
  return cutAll(text, parent, [child]);
}

/** Returns whether a list or object holds only these nodes, without any comment. */
function isBare(text: string, node: JsonNode, gone: readonly JsonNode[]): boolean {
  if (gone.length === 0 || gone.length < allOf(node).length) return false;
  let rest = "";
  let at = node.start + 1;
  for (const each of gone) {
    rest += text.slice(at, startOf(node, each));
    at = each.end;
  }
  return /^[\s,]*$/.test(rest + text.slice(at, node.end - 1));
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
  const end = node.start + 1 + inside.trimEnd().length;
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

/** Returns the cuts that remove items or members; neighbours are cut together. */
function cutAll(text: string, node: JsonNode, gone: readonly JsonNode[]): Cut[] {
  if (isBare(text, node, gone)) return [{ from: node.start + 1, to: node.end - 1 }];
  const all = allOf(node);
  const positions = new Map(all.map((each, at) => [each, at]));
  return gone.flatMap((first, index) => {
    const position = positions.get(first) ?? -1;
    const before = all[position - 1];
    if (index > 0 && before === gone[index - 1]) return [];
    let count = 1;
    while (index + count < gone.length && all[position + count] === gone[index + count]) count++;
    const last = gone[index + count - 1] as JsonNode;
    const isLast = all[position + count] === undefined && !node.hasLastComma;
    // Cut the comma after it as well, or the one before it if none follows.
    const comma = isLast ? before && afterSpace(text, before.end) : afterSpace(text, last.end);
    const after = before === undefined ? node.start + 1 : afterSpace(text, before.end) + 1;
    const whole = {
      from: spaceBefore(text, after, { start: startOf(node, first), end: last.end }),
      to: last.end,
    };
    if (comma === undefined) return [whole];
    const one = { from: comma, to: comma + 1 };
    return isLast ? [one, whole] : [whole, one];
  });
}

/** Returns where the space before a node begins, or where it ends if the space is needed to end a comment. */
function spaceBefore(text: string, after: number, { start, end }: { start: number; end: number }): number {
  const gap = text.slice(after, start);
  const filled = gap.trimEnd();
  const isAfterComment =
    filled.slice(filled.lastIndexOf("\n") + 1).includes("//") && gap.includes("\n", filled.length);
  return isAfterComment && !endsLine(text, end) ? start : after + filled.length;
}

/** Returns whether a line ends here, possibly after space and a comma. */
function endsLine(text: string, at: number): boolean {
  const space = /\s*/y;
  space.lastIndex = at;
  const [lead = ""] = space.exec(text) ?? [];
  if (lead.includes("\n")) return true;
  const comma = /,[ \t]*\r?\n/y;
  comma.lastIndex = at + lead.length;
  return comma.test(text);
}

function allOf(node: JsonNode): JsonNode[] {
  return node.kind === "array" ? node.items : node.members.map((member) => member.value);
}

function lastOf(node: JsonNode): JsonNode | undefined {
  return allOf(node).at(-1);
}

function startOf(node: JsonNode, value: JsonNode): number {
  return node.members.find((member) => member.value === value)?.start ?? value.start;
}

/** Returns the indentation of the line that holds a position. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Returns the text's unit of indentation; two spaces if it has none. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function unexpected(name: string, why: string): CtxError {
  return new CtxError("exists", `${name} has an unexpected form: ${why}`, {
    hint: "nothing was changed; fix it, or add the hook by hand",
  });
}
