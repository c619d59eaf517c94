// Reads the result of a call that the provider executed. It is in the model message that requested the call.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonValue } from "../../../base/json/value.js";
import { defined, numberAt, objectsAt, textAt, valueAt } from "../../json-access.js";
import type { ResultEntry } from "../../run-entries.js";
import { contentText } from "./text-and-media.js";

export function serverResultOf(block: JsonValue, time: string | undefined): ResultEntry {
  const content = valueAt(block, "content");
  const isError = (textAt(content, "type") ?? "").endsWith("_error") || valueAt(block, "is_error") === true;
  if (textAt(content, "stdout") !== undefined) return { ...codeResult(content), time };
  return {
    output: content === undefined ? undefined : outputOf(content),
    status: isError ? "error" : "ok",
    time,
  };
}

function outputOf(content: JsonValue): string {
  return Array.isArray(content)
    ? contentText(content)
    : typeof content === "string"
      ? content
      : canonicalText(content);
}

/** Returns the output of a program, how it ended, and the ids of the files that it made. */
function codeResult(content: JsonValue | undefined): ResultEntry {
  const streams = [textAt(content, "stdout"), textAt(content, "stderr")];
  const exit = numberAt(content, "return_code");
  const made = objectsAt(content, "content").flatMap((file) => textAt(file, "file_id") ?? []);
  return {
    output: streams.filter((text) => text !== undefined && text !== "").join("\n"),
    status: (exit ?? 0) === 0 ? "ok" : "error",
    metadata: defined({ exit_code: exit, files: made.length > 0 ? made : undefined }),
  };
}
