// Reads the content of Inspect's messages: a string, or parts of many kinds.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { type Attach, joined, linked, valueText } from "../../protocols/openai-chat/content.js";
import type { Coverage } from "../../coverage.js";
import { flagAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Attachments } from "./attachments.js";

export interface Reading {
  attachments: Attachments;
  attach: Attach;
  coverage: Coverage;
}

export type InspectPiece =
  | { kind: "text"; text: string; isRefusal: boolean }
  /** Without a text where only the provider can read it. */
  | { kind: "thought"; text: string | undefined }
  /** A tool that the provider ran. */
  | { kind: "tool"; use: JsonObject };

/** Returns the pieces of a content. */
export function piecesOf(content: JsonValue | undefined, reading: Reading): InspectPiece[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [textPiece(reading.attachments.text(content))];
  if (!Array.isArray(content)) return [textPiece(valueText(reading.attachments.value(content)))];
  return content.flatMap((part) => pieceOf(part, reading));
}

/** Returns all text of a content. */
export function plainText(content: JsonValue | undefined, reading: Reading): string {
  return joined(piecesOf(content, reading).flatMap((piece) => (piece.kind === "text" ? piece.text : [])));
}

function textPiece(text: string, isRefusal = false): InspectPiece {
  return { kind: "text", text, isRefusal };
}

/** Kinds of parts that refer to a file. */
const fileKinds = new Set(["image", "audio", "video", "document"]);

function pieceOf(part: JsonValue, { attachments, attach, coverage }: Reading): InspectPiece[] {
  if (typeof part === "string") return [textPiece(attachments.text(part))];
  const kind = textAt(part, "type") ?? "unknown";
  const text = textAt(part, "text");
  if (kind === "text" && text !== undefined)
    return [textPiece(attachments.text(text), flagAt(part, "refusal"))];
  if (kind === "reasoning") return [{ kind: "thought", text: thoughtOf(part, attachments) }];
  if (fileKinds.has(kind)) {
    const address = textAt(part, kind);
    if (address !== undefined) return [textPiece(linked(attachments.text(address), attach))];
  }
  const data = valueAt(part, "data");
  if (kind === "data" && data !== undefined) return [textPiece(canonicalText(attachments.value(data)))];
  const use = objectAt(part);
  if (kind === "tool_use" && use !== undefined) return [{ kind: "tool", use }];
  coverage.skip(`content of type ${kind}`);
  return [];
}

function thoughtOf(part: JsonValue, attachments: Attachments): string | undefined {
  const isHidden = flagAt(part, "redacted");
  const thought = isHidden ? undefined : textAt(part, "reasoning");
  const text = attachments.text(
    thought === undefined || thought === "" ? (textAt(part, "summary") ?? "") : thought,
  );
  return text.trim() === "" ? undefined : text;
}
