// Whether a log has one record a line, or is one document that spans several lines.
import { headOf } from "./head.js";
import type { LogSource } from "./log-source.js";

/** Whether a source can be read line by line. That includes a document in one line, if it is an object. */
export function isByLine(source: LogSource): boolean {
  const { text, records, otherLines } = headOf(source.head, source.isWhole);
  if (!text.trimStart().startsWith("{")) return false;
  return records.length > 0 ? records.length >= otherLines : !text.trim().includes("\n");
}
