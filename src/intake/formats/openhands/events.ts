// Distinguishes events of OpenHands from other records: those of the first generation have an action or an
// observation, those of the newer SDK a kind.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { listAt, objectAt, textAt, wordAt } from "../../json-access.js";

const sources = new Set(["user", "agent", "environment", "hook"]);

/** Kinds of the SDK whose names do not say that they are events. */
const otherKinds = new Set(["Condensation", "CondensationRequest", "UserRejectObservation"]);

/** Returns whether a value is an event of the first generation. */
export function isOldEvent(value: JsonValue | undefined): value is JsonObject {
  return (
    isRecord(value) &&
    isSource(value) &&
    !Object.hasOwn(value, "kind") &&
    ((textAt(value, "action") !== undefined && objectAt(value, "args") !== undefined) ||
      (textAt(value, "observation") !== undefined && textAt(value, "content") !== undefined))
  );
}

/** Returns whether a value is an event of the SDK. */
export function isSdkEvent(value: JsonValue | undefined): value is JsonObject {
  const kind = textAt(value, "kind") ?? "";
  return isRecord(value) && isSource(value) && (kind.endsWith("Event") || otherKinds.has(kind));
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isObject(value);
}

function isSource(value: JsonObject): boolean {
  return sources.has(textAt(value, "source") ?? "");
}

/** Returns whether a value is the outcome of one task of an evaluation, or of the issue resolver. */
export function isEvaluation(value: JsonValue | undefined): value is JsonObject {
  if (!isRecord(value)) return false;
  const [first] = listAt(value, "history");
  const isRun = ["instance_id", "git_patch", "test_result", "instruction"].some((key) =>
    Object.hasOwn(value, key),
  );
  return isRun && first !== undefined && isHistoric(Array.isArray(first) ? first[0] : first);
}

/**
 * Returns whether a value is an event of an evaluation: those may have no source, with all fields at the top.
 */
function isHistoric(value: JsonValue | undefined): boolean {
  if (isSdkEvent(value) || isOldEvent(value)) return true;
  const isNamed = textAt(value, "action") !== undefined || textAt(value, "observation") !== undefined;
  const kind = textAt(value, "kind") ?? "";
  return textAt(value, "role") === undefined && (isNamed || kind.endsWith("Event"));
}

/** Returns whether a value is the state of a conversation: a file beside those of its events. */
export function isState(value: JsonValue | undefined): value is JsonObject {
  return (
    isRecord(value) &&
    wordAt(value, "id") !== undefined &&
    objectAt(value, "agent") !== undefined &&
    ["persistence_dir", "execution_status", "confirmation_policy"].filter((key) => Object.hasOwn(value, key))
      .length >= 2
  );
}

/** The names under which programs hold lists of events. */
const wrappers = ["trajectory", "events", "items"];

/** Returns the events that a document holds; undefined when it holds none. */
export function eventsIn(document: JsonValue | undefined): readonly JsonValue[] | undefined {
  const lists = Array.isArray(document) ? [document] : wrappers.map((key) => listAt(document, key));
  return lists.find((list) => isOldEvent(list[0]) || isSdkEvent(list[0]));
}
