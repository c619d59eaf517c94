// Yields the JSON objects of a log that is no clean list of lines: one document over many lines, a list of
// objects, or the output of a console exporter, which is object after object with other output between them.
import { constants } from "node:buffer";
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { parseValue } from "../../parse.js";
import { linesOf, type LogSource } from "../../log-source.js";

const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d];

const begin = Buffer.from("{");

/** Yields the outermost objects, one at a time; anything between them is skipped. */
export function* objectsOf(source: LogSource, coverage: Coverage): Generator<JsonObject> {
  let held: Buffer[] = [];
  let size = 0;
  let depth = 0;
  let lastCharacter = "";
  for (const { number, bytes } of linesOf(source)) {
    if (bytes === undefined) {
      coverage.damage(number, "is too long");
      continue;
    }
    if (depth > 0 && bytes.equals(begin) && !"[,:".includes(lastCharacter)) {
      coverage.damage(number, "begins an object before the last one has ended");
      [held, size, depth] = [[], 0, 0];
    }
    lastCharacter = String.fromCharCode(bytes.at(-1) ?? 0);
    let from = 0;
    let isQuoted = false;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isQuoted) {
        if (byte === backslash) at++;
        else if (byte === quote) isQuoted = false;
      } else if (byte === quote) isQuoted = depth > 0;
      else if (byte === open && depth++ === 0) {
        if (isOtherText(bytes.subarray(from, at))) coverage.skip("text between the spans");
        from = at;
      } else if (byte === close && depth > 0 && --depth === 0) {
        held.push(bytes.subarray(from, at + 1));
        const value = parseValue(Buffer.concat(held), coverage);
        if (value instanceof Error || !isObject(value))
          coverage.damage(number, "ends an object that is not valid JSON");
        else yield value;
        [held, size, from] = [[], 0, at + 1];
      }
    }
    const rest = bytes.subarray(from);
    if (depth === 0) {
      if (isOtherText(rest)) coverage.skip("text between the spans");
      continue;
    }
    size += rest.length;
    if (size > constants.MAX_STRING_LENGTH)
      throw new CtxError(
        "too-large",
        `${source.name} has an object of more than ${constants.MAX_STRING_LENGTH} bytes`,
      );
    // The line is valid only until the next one.
    held.push(Buffer.from(rest));
  }
  if (depth > 0) coverage.endsPartly();
}

/** Returns whether there is more than the punctuation of a list. */
function isOtherText(bytes: Buffer): boolean {
  return bytes.length > 0 && /[^\s,[\]]/.test(bytes.toString("latin1"));
}
