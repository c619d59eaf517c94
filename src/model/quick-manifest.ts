// A short cut for manifests of ordinary size: the engine's own parser, and proof that nothing was lost on the way. It says
// yes only where the strict reader would; whatever it is not sure of is left to that one, which also says what is wrong.
import { isReference } from "../base/digest.js";
import { formatVersion, type Manifest } from "./manifest.js";
import { isUtcTime } from "./times.js";

/** Past this a document is better read value by value. */
const largest = 64 << 20;
const deepest = 900;

/** The manifest in these canonical bytes, or undefined when only the strict reader can tell. */
export function quickManifest(bytes: Buffer): Manifest | undefined {
  if (bytes.length > largest) return undefined;
  const text = bytes.toString("utf8");
  // An escaped surrogate is never canonical, and the engine would let it through.
  if (text.includes("\\ud")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Written again it is the same: no digit, key, space or escape was lost; and bytes that are not UTF-8 would have become
  // other characters.
  if (
    !isPlainlyWritten(value, 0) ||
    JSON.stringify(value) !== text ||
    Buffer.byteLength(text) !== bytes.length
  )
    return undefined;
  return !text.includes("\ufffd") && isManifest(value) ? value : undefined;
}

/** Keys in order, not too deep, and no number that the strict reader would keep as an exact integer. */
function isPlainlyWritten(value: unknown, depth: number): boolean {
  if (typeof value === "number")
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
  if (typeof value !== "object" || value === null) return true;
  if (depth > deepest) return false;
  if (Array.isArray(value)) return value.every((item) => isPlainlyWritten(item, depth + 1));
  let previous: string | undefined;
  for (const key of Object.keys(value)) {
    if (previous !== undefined && previous >= key) return false;
    previous = key;
    if (!isPlainlyWritten((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

type Check = (value: unknown, position: number) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isSize: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isPlain: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isRef: Check = (value) => typeof value === "string" && isReference(value);
const isTextMap: Check = (value) =>
  isPlain(value, 0) && Object.values(value as object).every((item) => isText(item, 0));
const isTime: Check = (value) => typeof value === "string" && isUtcTime(value);
const isLevel: Check = (value) => value === "high" || value === "medium" || value === "low";

/** Exactly these fields; a name with `?` may be missing. */
function fields(description: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(description).map(([name, check]) => [name.replace("?", ""), check]));
  const needed = Object.keys(description).filter((name) => !name.endsWith("?"));
  return (value, position) => {
    if (!isPlain(value, position)) return false;
    const object = value as Record<string, unknown>;
    for (const key of Object.keys(object))
      if (checks.get(key)?.(object[key], position) !== true) return false;
    return needed.every((name) => Object.hasOwn(object, name));
  };
}

function list(item: Check): Check {
  return (value) => Array.isArray(value) && value.every((each, position) => item(each, position));
}

const isShaped = fields({
  version: (value) => value === formatVersion,
  hash: (value) => value === "",
  created: isTime,
  model: fields({ identifier: (value) => typeof value === "string" && value !== "", parameters: isPlain }),
  system_prompt: isRef,
  prompts: list(fields({ role: isText, content_ref: isRef })),
  inputs: list(fields({ name: isText, content_ref: isRef, size: isSize })),
  steps: list(
    fields({
      index: (value, position) => value === position,
      type: isText,
      "tool?": isText,
      parameters: isPlain,
      "output_ref?": isRef,
      "seen_ref?": isRef,
      deterministic: isFlag,
      "timestamp?": isTime,
      "pack?": isRef,
      "metadata?": isPlain,
    }),
  ),
  outputs: list(fields({ name: isText, content_ref: isRef, "confidence?": isLevel, "notes?": isText })),
  environment: fields({ os: isText, runtime: isText, tool_versions: isTextMap }),
  "parent?": isRef,
  "metadata?": isPlain,
});

function isManifest(value: unknown): value is Manifest {
  return isShaped(value, 0);
}
