// Distinguishes requests, responses and items of the Responses API from other lists of records with a type.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Fit } from "../../format.js";
import type { Head } from "../../head.js";
import { eventTypes } from "../../sse.js";
import { exchangeOf, isItem, isOwnItem, isResponse } from "./shapes.js";

export function responsesFit(head: Head): Fit {
  const types = eventTypes(head);
  if (
    types.length > 0 &&
    types.every((type) => /^(?:response\.|error$|keepalive$)/.test(type)) &&
    types.some(isStart)
  )
    return true;
  const { document, isWhole, records, otherLines } = head;
  if (document === undefined) return { near: 0, missing: "it does not start with JSON" };
  if (Array.isArray(document)) return listFit(document, isWhole);
  if (!isObject(document)) return { near: 0, missing: "it is neither a list nor an object" };
  // One item a line.
  if (records.length > otherLines && records.length > 1 && isItem(records[0] as JsonObject))
    return listFit(records, true);
  return recordFit(document);
}

function isStart(type: string): boolean {
  return type.startsWith("response.");
}

function listFit(list: readonly JsonValue[], isWhole: boolean): Fit {
  // The last one may be incomplete.
  const looked = isWhole || list.length === 1 ? list : list.slice(0, -1);
  const [first] = looked;
  if (first === undefined || !isObject(first)) return { near: 0, missing: "its elements are not items" };
  if (isItem(first)) {
    const own = looked.filter(isOwnItem).length;
    if (looked.every(isItem) && own > 0) return true;
    return { near: own > 0 ? 0.5 : 0.1, missing: "not all of its elements are items of the Responses API" };
  }
  return recordFit(first);
}

function recordFit(record: JsonObject): Fit {
  if (isResponse(record)) return true;
  const exchange = exchangeOf(record);
  if (exchange !== undefined) return true;
  return { near: 0, missing: 'it has neither an input nor a response (`"object": "response"`)' };
}
