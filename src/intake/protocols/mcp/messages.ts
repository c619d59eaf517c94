// The messages of the Model Context Protocol, a dialect of JSON-RPC 2.0.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { objectAt, textAt, valueAt, wordAt } from "../../json-access.js";

/** Returns whether a value is a message of JSON-RPC. */
export function isJsonRpc(value: JsonValue | undefined): value is JsonObject {
  return (
    value !== undefined &&
    isObject(value) &&
    value["jsonrpc"] === "2.0" &&
    ["method", "result", "error"].some((name) => Object.hasOwn(value, name))
  );
}

const ownMethods =
  /^(?:tools|resources|prompts|sampling|elicitation|roots|logging|completion|notifications)\//;

/** Returns whether a message calls a method that only other protocols have. */
export function isOthers(message: JsonObject): boolean {
  const method = textAt(message, "method");
  return method !== undefined && method !== "ping" && !isMcp(message);
}

/** Returns whether a message is MCP's: other protocols use JSON-RPC as well. */
export function isMcp(message: JsonObject): boolean {
  const method = textAt(message, "method");
  if (method === "initialize") return wordAt(message, "params", "protocolVersion") !== undefined;
  if (method !== undefined) return ownMethods.test(method);
  const result = objectAt(message, "result");
  return (
    (objectAt(result, "serverInfo") !== undefined && wordAt(result, "protocolVersion") !== undefined) ||
    ["content", "tools"].some((name) => Array.isArray(valueAt(result, name)))
  );
}
