// Renders a step's parameters in a few words, the most informative first.
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import { fit } from "./layout.js";
import { tellingLine } from "./telling-line.js";

/** Names that say what a call is about, the most telling first. */
const informativeNames = [
  "command",
  "cmd",
  "pattern",
  "query",
  "path",
  "file_path",
  "filePath",
  "absolute_path",
  "filename",
  "file",
  "url",
  "prompt",
  "code",
  "input",
  "patch",
  "name",
];
/** Names of limits and the like, which hardly ever distinguish one call from another. */
const tellNothing: ReadonlySet<string> = new Set([
  "max_output_tokens",
  "yield_time_ms",
  "timeout",
  "timeout_ms",
]);
const maxLength = 200;
/** How much of a value is searched for a telling line. */
const maxHead = 4096;

/**
 * `src/main.ts offset=10`: the most telling value stands without its name, and paths without the run's
 * folder.
 */
export function parametersText(parameters: JsonObject, folder?: string): string {
  let text = "";
  for (const key of withoutEmpty(parameters, informativeFirst(parameters))) {
    if (text.length > maxLength) break;
    // The folder of the run is where everything takes place.
    if (text !== "" && parameters[key] === folder) continue;
    const value = valueText(relativePath(parameters[key] as JsonValue, folder));
    if (text === "") text = weight(key) < informativeNames.length ? value : `${key}=${value}`;
    else text += ` ${key}=${value}`;
  }
  return text;
}

/** Returns the keys whose values are neither null nor an empty text; all keys if there is no such value. */
function withoutEmpty(parameters: JsonObject, keys: string[]): string[] {
  const filled = keys.filter((key) => parameters[key] !== null && parameters[key] !== "");
  return filled.length === 0 ? keys : filled;
}

/** The same in so many columns: of a path that comes first the end is kept, which says most. */
export function fitParameters(text: string, width: number): string {
  const [path = ""] = /^\S*\/\S+/.exec(text) ?? [];
  if (path.length <= width || width < 8) return fit(text, width);
  return fit(`…${path.slice(-(width - 1))}`, width);
}

/** Returns the names of parameters, the most informative first. */
export function informativeFirst(parameters: JsonObject): string[] {
  return Object.keys(parameters).sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1));
}

function weight(key: string): number {
  const index = informativeNames.indexOf(key);
  if (index !== -1) return index;
  return informativeNames.length + (tellNothing.has(key) ? 1 : 0);
}

/** Returns a path below the folder relative to it. */
function relativePath(value: JsonValue, folder: string | undefined): JsonValue {
  if (typeof value !== "string" || folder === undefined || !value.startsWith(folder)) return value;
  return value[folder.length] === "/" ? value.slice(folder.length + 1) : value;
}

function valueText(value: JsonValue): string {
  if (typeof value !== "string") return cut(canonicalText(value));
  const text = (value.length > maxHead ? value.slice(0, maxHead) : value).trim();
  return text.includes("\n") ? `${cut(tellingLine(text))}⏎` : cut(text.replaceAll("\t", " "));
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
