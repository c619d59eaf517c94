// Renders a step's parameters in a few words, the most informative first.
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import { fit } from "./layout.js";

/** Names that say what a call is about, the most telling first. */
const informativeNames = [
  "command",
  "cmd",
  "path",
  "file_path",
  "filename",
  "file",
  "pattern",
  "query",
  "url",
  "prompt",
  "name",
];
const maxLength = 200;

/**
 * `src/main.ts offset=10`: the most telling value stands without its name, and paths without the run's
 * folder.
 */
export function parametersText(parameters: JsonObject, folder?: string): string {
  let text = "";
  for (const key of informativeFirst(parameters)) {
    if (text.length > maxLength) break;
    const value = valueText(relativePath(parameters[key] as JsonValue, folder));
    if (text === "") text = weight(key) < informativeNames.length ? value : `${key}=${value}`;
    else text += ` ${key}=${value}`;
  }
  return text;
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
  return index === -1 ? informativeNames.length : index;
}

/** Returns a path below the folder relative to it. */
function relativePath(value: JsonValue, folder: string | undefined): JsonValue {
  if (typeof value !== "string" || folder === undefined || !value.startsWith(folder)) return value;
  return value[folder.length] === "/" ? value.slice(folder.length + 1) : value;
}

function valueText(value: JsonValue): string {
  if (typeof value !== "string") return cut(canonicalText(value));
  const line = value.trimEnd();
  const end = line.indexOf("\n");
  return end === -1 ? cut(line) : `${cut(line.slice(0, end))}⏎`;
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
