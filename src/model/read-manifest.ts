// Reads a manifest back from its object. The bytes were hashed already; here they must also be canonical, so
// that one run has one name, and of a known version. Most manifests go through the engine's own parser, and
// only what that one might misread goes through the strict reader.
import { CtxError, type Problem } from "../base/errors.js";
import { JsonReader } from "../base/json/reader.js";
import { confidence, environmentFields, modelFields } from "./log.js";
import { formatVersion, type Manifest, type Step } from "./manifest.js";
import {
  anyObject,
  boolean,
  count,
  type JsonSchema,
  list,
  object,
  oneOf,
  optional,
  reference,
  required,
  type Shape,
  text,
  textMap,
  utcTime,
} from "./shape.js";

const open = { open: true };
const item = { name: required(text()), content_ref: required(reference) };

export const stepShape: Shape<Step> = object(
  {
    index: required(count),
    type: required(text()),
    tool: optional(text()),
    parameters: required(anyObject),
    output_ref: optional(reference),
    seen_ref: optional(reference),
    deterministic: required(boolean),
    timestamp: optional(utcTime),
    pack: optional(reference),
    metadata: optional(anyObject),
  },
  {
    open: true,
    check(step, report, position) {
      if (step.index !== position) report(`must be ${position}`, "index");
    },
  },
);

const outputFields = { ...item, confidence: optional(confidence), notes: optional(text()) };

/** A later version throws at once; any other text is no version of the format. */
const version: Shape<typeof formatVersion> = {
  schema: oneOf(formatVersion).schema,
  read(at) {
    const found = text().read(at);
    if (found === undefined || found === formatVersion) return found;
    if (isNewer(found)) throw newerVersion("this manifest", found);
    at.problem(`must be "${formatVersion}"`);
    return undefined;
  },
  test: (value) => value === formatVersion,
};

const manifestFields = {
  version: required(version),
  hash: required(text<"">((hash) => (hash === "" ? undefined : "must be empty in the object"))),
  created: required(utcTime),
  model: required(object({ ...modelFields, parameters: required(anyObject) }, open)),
  system_prompt: required(reference),
  prompts: required(list(object({ role: required(text()), content_ref: required(reference) }, open))),
  inputs: required(list(object({ ...item, size: required(count) }, open))),
  steps: required(list(stepShape)),
  outputs: required(list(object(outputFields, open))),
  environment: required(object({ ...environmentFields, tool_versions: required(textMap) }, open)),
  parent: optional(reference),
  metadata: optional(anyObject),
};

const manifestShape: Shape<Manifest> = object(manifestFields, open);

/**
 * Returns the schema of a sealed manifest, which also has the pack's own hash. Packs are read unsealed, so
 * only scripts/schemas.mjs calls this.
 *
 * @public
 */
export function sealedSchema(): JsonSchema {
  const output = object({ ...outputFields, context_pack: required(reference) }, open);
  return object({ ...manifestFields, hash: required(reference), outputs: required(list(output)) }, open)
    .schema;
}

export interface ReadManifest {
  manifest: Manifest;
  /** Paths of fields that are unknown in this version of the format. */
  unknown: string[];
}

/** Reads the canonical bytes of a manifest, and consumes them. */
export function readManifest(bytes: Buffer, name: string): ReadManifest {
  const quick = quickManifest(bytes);
  return quick === undefined ? readStrictly(bytes, name) : { manifest: quick, unknown: [] };
}

/** A larger document is better read value by value. */
const largest = 64 << 20;
const deepest = 900;

/**
 * Returns the manifest in these bytes, read with JSON.parse; undefined for everything that the strict reader
 * would refuse, or might read differently. Measured: a `ctx log` that reads 5,000 packs takes 28 % less CPU
 * time.
 */
export function quickManifest(bytes: Buffer): Manifest | undefined {
  if (bytes.length > largest) return undefined;
  const text = bytes.toString("utf8");
  // JSON.parse accepts an escaped surrogate, which is never canonical.
  if (text.includes("\\ud")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Serialised again it is the same: no digit, key, space or escape was lost. Bytes that are not UTF-8 have
  // become replacement characters.
  if (
    !isPlainlyWritten(value, 0) ||
    JSON.stringify(value) !== text ||
    Buffer.byteLength(text) !== bytes.length ||
    text.includes("\ufffd")
  )
    return undefined;
  return manifestShape.test?.(value, 0) === true ? (value as Manifest) : undefined;
}

/**
 * Returns whether keys are sorted, nothing nests too deeply, and no number is one that the strict reader
 * keeps exactly.
 */
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

/** Reads value by value: large manifests, and those with something wrong. */
export function readStrictly(bytes: Buffer, name: string): ReadManifest {
  const { manifest, reader } = parseWith(bytes, name, (at) => manifestShape.read(at));
  const { problems } = reader;
  if (manifest === undefined || problems.length > 0) throw notAManifest(name, problems);
  if (!reader.isCanonical())
    throw notAManifest(name, [{ path: "", message: "the bytes are not in canonical form" }]);
  return { manifest, unknown: reader.kept };
}

/** Reads a whole document with `read`; a syntax error becomes the error that it is not a manifest. */
export function parseWith<T>(
  bytes: Buffer,
  name: string,
  read: (at: JsonReader) => T,
): { manifest: T; reader: JsonReader } {
  try {
    const reader = new JsonReader(bytes);
    const manifest = read(reader);
    reader.end();
    return { manifest, reader };
  } catch (error) {
    if (error instanceof CtxError && error.code === "not-json")
      throw notAManifest(name, error.problems ?? []);
    if (error instanceof CtxError && error.code === "unknown-version")
      throw newerVersion(name, String(error.data?.["version"]));
    throw error;
  }
}

/** Returns whether this is the number of a later version of the format. */
function isNewer(found: string): boolean {
  if (!/^\d{1,6}(?:\.\d{1,6}){1,3}$/.test(found)) return false;
  const [theirs, ours] = [found, formatVersion].map((each) => each.split(".").map(Number)) as [
    number[],
    number[],
  ];
  const at = theirs.findIndex((part, index) => part !== (ours[index] ?? 0));
  return at >= 0 && (theirs[at] as number) > (ours[at] ?? 0);
}

/** Returns the error for a document of a later version, which is not damaged. */
export function newerVersion(name: string, found: string): CtxError {
  const message = `${name} was written by a newer ctx: its format version is "${found}", this ctx reads "${formatVersion}"`;
  return new CtxError("unknown-version", message, {
    hint: "update ctx to read it",
    data: { version: found },
  });
}

export function notAManifest(name: string, problems: Problem[]): CtxError {
  return new CtxError("damaged", `${name} is not a manifest`, {
    problems,
    hint: "restore the store from a copy, or pack the run's log again",
  });
}
