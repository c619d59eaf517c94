// Finds the format of a log from its beginning. Every format decides whether a log is its own; a log that
// none claims is one of ctx's own, or unknown, and then the error names the nearest formats.
import { CtxError } from "../base/errors.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { someOf, words } from "../base/lists.js";
import { nearest } from "../base/nearest.js";
import type { Format } from "./format.js";
import { allFormats } from "./formats.js"; // Lazy in bundles.
import { conversationIn } from "./formats/openhands/folder.js"; // Lazy in bundles.
import { type Head, headOf, parsed, partialJson } from "./head.js";
import type { LogSource } from "./log-source.js";
import { unreadFormat } from "./unread-formats.js"; // Lazy in bundles.

/** The name of ctx's own logs for `--from`. */
export const nativeName = "native";

const nativeFields = [
  "version",
  "created",
  "model",
  "system_prompt",
  "prompts",
  "inputs",
  "steps",
  "outputs",
  "environment",
  "parent",
  "metadata",
];

/** Fields that few other documents have: one of them makes a document resemble a log of ctx's own. */
const telling: ReadonlySet<string> = words("system_prompt prompts inputs steps outputs environment");

/**
 * Returns whether a text begins like one of ctx's own logs and like nothing else, so that no format need be
 * tried.
 */
export function isSurelyNative(text: string): boolean {
  // Most small logs are complete, and the engine's parser is faster.
  const whole = /\}\s*$/.test(text.slice(-8)) ? parsed(text) : undefined;
  const value = whole ?? partialJson(text);
  if (value === undefined || !isObject(value)) return false;
  const { model, environment } = value;
  const signs = [
    isObjectWith(model, "identifier"),
    isObjectWith(environment, "os") || isObjectWith(environment, "runtime"),
    Object.keys(value).some((key) => /^system_prompt(?:_base64|_file)?$/.test(key)),
  ];
  return signs.filter(Boolean).length >= 2;
}

function isObjectWith(value: JsonValue | undefined, key: string): boolean {
  return value !== undefined && isObject(value) && Object.hasOwn(value, key);
}

/** A format that comes this near says what to do, for example which file to pack instead. */
const sure = 0.9;

/** Returns the format of a log; undefined when it is one of ctx's own. Throws when the format is unknown. */
export function recognise(source: LogSource): Format | undefined {
  const head = headOf(source.head, source.isWhole);
  const answers = allFormats().map((format) => ({ format, fit: format.sniff(head, source.path) }));
  const found = answers.find(({ fit }) => fit === true);
  if (found !== undefined) return found.format;
  const fields = nativeFieldsOf(head);
  if (fields.length >= 2) return undefined;
  const known = unreadFormat(head);
  // Only a format with something in common is near. What others miss would not help, and a log whose format is known
  // resembles others by chance.
  const near =
    known === undefined || answers.some(({ fit }) => fit !== true && fit.near >= sure)
      ? answers
          .flatMap(({ format, fit }) => (fit === true ? [] : [{ name: format.name, ...fit }]))
          .concat({
            name: nativeName,
            near: telling.has(fields[0] ?? "") ? 0.25 : 0,
            missing: missing(fields),
          })
          .filter((format) => format.near > 0)
          .sort((a, b) => b.near - a.near)
          .slice(0, 3)
      : [];
  throw new CtxError(
    "unknown-format",
    `${source.name} is not in a format that ctx recognises${describeHead(head, known, near.length > 0)}`,
    {
      problems: near.map(({ name, missing }) => ({ path: name, message: missing })),
      hint: "`ctx pack --from list` lists the formats; `--from <format>` reads the log in one of them",
    },
  );
}

/** Returns the format with that name; undefined for ctx's own. */
export function formatNamed(name: string): Format | undefined {
  if (name === nativeName) return undefined;
  const found = allFormats().find((format) => format.name === name);
  if (found !== undefined) return found;
  const close = nearest(name, [nativeName, ...allFormats().map((format) => format.name)]);
  throw new CtxError(
    "usage",
    `there is no format "${name}"${close === undefined ? "" : ` (is it "${close}"?)`}`,
    {
      hint: "`ctx pack --from list` lists them",
    },
  );
}

function nativeFieldsOf({ document }: Head): string[] {
  if (document === undefined || !isObject(document)) return [];
  const keys = Object.keys(document).map((key) => key.replace(/^(system_prompt)_(?:base64|file)$/, "$1"));
  return nativeFields.filter((field) => keys.includes(field));
}

function missing(fields: readonly string[]): string {
  const needed = ["model", "system_prompt", "environment"].filter((field) => !fields.includes(field));
  return `an execution log has ${needed.join(", ")}`;
}

/** An error lists at most this many names of fields. */
const maxFields = 6;

function describeHead(
  { bytes, document, records, otherLines }: Head,
  known: string | undefined,
  isNear: boolean,
): string {
  if (bytes.length === 0) return ": it is empty";
  if (known !== undefined) return `: it is ${known}, which ctx does not read`;
  if (document === undefined)
    return bytes.includes(0) ? ": it contains binary data" : ": it does not start with JSON";
  if (isNear) return "";
  const [first = document] = records.length > otherLines ? records : [];
  const names = isObject(first) ? Object.keys(first).map((name) => name.slice(0, 40)) : [];
  if (names.length === 0) return ": it is JSON, but no object with fields";
  return `: it is JSON with the fields ${someOf(names, maxFields)}`;
}

/**
 * Returns the file that stands for the run in a folder, or undefined if the folder holds none. Some agents
 * keep one run in many files.
 */
export function logIn(folder: string): string | undefined {
  return conversationIn(folder);
}
