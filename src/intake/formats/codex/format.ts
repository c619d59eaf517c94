// Codex rollouts in all their layouts: records with a payload, the bare items of the first Rust versions, and
// the one document of the TypeScript version. The items are the backbone; events only add to them.
import type { JsonObject } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import { wholeDocument } from "../../document.js";
import type { Fit, Format } from "../../format.js";
import { type Head, headOf } from "../../head.js";
import { objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { recordsOf } from "../../parse.js";
import { CodexReader, isBareMeta, recordTypes } from "./reader.js";

export const codex: Format = {
  name: "codex",
  title: "Codex rollouts",
  from: "~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl",
  sniff,
  read(source, into) {
    const reader = new CodexReader(into);
    if (isDocument(headOf(source.head, source.isWhole)))
      reader.takeDocument(wholeDocument(source, into.coverage));
    else for (const { value } of recordsOf(source, into.coverage)) reader.take(value);
    return [reader.finish()];
  },
};

const itemTypes = words(
  "message reasoning function_call function_call_output local_shell_call local_shell_call_output custom_tool_call custom_tool_call_output web_search_call",
);

function sniff(head: Head): Fit {
  if (isDocument(head)) return true;
  const { records } = head;
  const wrapped = records.filter(isWrapped);
  if (wrapped.some((record) => record["type"] === "session_meta")) return true;
  if (wrapped.length > records.length * 0.8) return true;
  const [first, ...rest] = records;
  // Other formats have an id, a time and instructions as well, but no null where these are missing.
  const isAlone = rest.length === 0 && first?.["instructions"] === null;
  if (first !== undefined && isBareMeta(first) && (isAlone || (rest.length > 0 && rest.every(isBareItem))))
    return true;
  const near = records.length === 0 ? 0 : wrapped.length / records.length;
  return { near, missing: "it has no `session_meta` record, and few of its records have a `payload`" };
}

function isDocument({ document }: Head): boolean {
  const session = objectAt(document, "session");
  return (
    wordAt(session, "id") !== undefined &&
    valueAt(session, "timestamp") !== undefined &&
    Array.isArray(valueAt(document, "items")) &&
    (valueAt(session, "instructions") !== undefined || objectsAt(document, "items").some(isBareItem))
  );
}

function isWrapped(record: JsonObject): boolean {
  const [type = "", payload] = [textAt(record, "type"), objectAt(record, "payload")];
  const isNamed = !/^(?:response_item|event_msg)$/.test(type) || textAt(payload, "type") !== undefined;
  return recordTypes.has(type) && payload !== undefined && isNamed;
}

function isBareItem(record: JsonObject): boolean {
  return Object.hasOwn(record, "record_type") || itemTypes.has(textAt(record, "type") ?? "");
}
