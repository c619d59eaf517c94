// Reads contents as Gemini's API has them: a string, or parts that are texts, thoughts, calls, responses, or
// data.
import { canonicalText } from "../../../base/json/canonical.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { Attach } from "../openai-chat/content.js";
import type { Coverage } from "../../coverage.js";
import { flagAt, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";

/** A piece of a content; adjacent texts are one piece. */
export type GeminiPiece =
  | { kind: "text"; text: string }
  | { kind: "thought"; text: string }
  | { kind: "call"; call: JsonObject }
  | { kind: "response"; response: JsonObject };

export function piecesOf(content: JsonValue | undefined, attach: Attach, coverage: Coverage): GeminiPiece[] {
  const pieces: GeminiPiece[] = [];
  const addText = (kind: "text" | "thought", text: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  for (const part of partsOf(content)) {
    if (valueAt(part, "thoughtSignature") !== undefined) coverage.leaveOut("signature of a thought");
    const call = objectAt(part, "functionCall");
    const response = objectAt(part, "functionResponse");
    const text = typeof part === "string" ? part : (textAt(part, "text") ?? dataText(part, attach));
    if (call !== undefined) pieces.push({ kind: "call", call });
    else if (response !== undefined) pieces.push({ kind: "response", response });
    else if (text !== undefined) addText(flagAt(part, "thought") ? "thought" : "text", text);
    else if (textAt(part, "thoughtSignature") === undefined) coverage.skip(`part ${partKind(part)}`);
  }
  return pieces;
}

export function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content : [content];
}

/** Returns the texts of a content and nothing else. */
export function plainText(content: JsonValue | undefined): string {
  return partsOf(content)
    .map((part) => (typeof part === "string" ? part : (textAt(part, "text") ?? "")))
    .join("");
}

/** Returns the response of a function: its text, and whether it is an error. */
export function responseOf(
  response: JsonObject,
  attach: Attach,
): { text: string | undefined; isError: boolean } {
  const value = valueAt(response, "response");
  const added = listAt(response, "parts").flatMap((part) => dataText(part, attach) ?? []);
  const [output, error] = [valueAt(value, "output"), valueAt(value, "error")];
  const isError = error !== undefined && error !== null && output === undefined;
  const said = isError ? error : (output ?? value);
  if (said === undefined || said === null)
    return { text: added.length > 0 ? added.join("\n") : undefined, isError };
  const text = typeof said === "string" ? said : (wordAt(said, "message") ?? canonicalText(said));
  return { text: [text, ...added].join("\n"), isError };
}

/** Returns the name of attached data, or its address. */
function dataText(part: JsonValue, attach: Attach): string | undefined {
  const data = textAt(part, "inlineData", "data");
  if (data !== undefined) {
    const kind = textAt(part, "inlineData", "mimeType") ?? "";
    return `[${attach(Buffer.from(data, "base64"), kind)}]`;
  }
  const address = wordAt(part, "fileData", "fileUri");
  return address === undefined ? undefined : `[${address}]`;
}

function partKind(part: JsonValue): string {
  return isObject(part) ? (Object.keys(part)[0] ?? "without a field") : "that is no object";
}
