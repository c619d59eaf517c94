// Describes documents as data and reads them from bytes by that description: log, manifest, sidecar and
// config. Written by hand because validators need a parsed value first; here every problem is found, with its
// path, while the bytes are read once, and large contents never become strings. Each shape also returns its
// JSON Schema, for docs/schema.
// Over 300 lines: each kind of shape reads, tests and describes in one place.
import { type Reference, isReference } from "../base/digest.js";
import type { JsonKind, JsonObject } from "../base/json/value.js";
import { setOwn } from "../base/json/value.js";
import { nearest } from "../base/nearest.js";
import type { JsonReader } from "../base/json/reader.js";
import { type Content, contentSchemas, readContent } from "./content.js";
import { isUtcTime, parseTime, timePattern, utcTimePattern } from "./times.js";

/** A part of a JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Shape<T> {
  /** Reads one value, or reports a problem and returns undefined. It always steps over the value. */
  read(at: JsonReader): T | undefined;
  /**
   * Returns whether `read` would return this parsed value as it is, without a problem or an unknown field;
   * `position` is the index in the list around it. Missing in shapes that are only read from bytes, which
   * accept nothing here.
   */
  test?: (value: unknown, position: number) => boolean;
  /**
   * The values that `read` accepts, as far as a schema can describe them; docs/schema/README.md lists the
   * rest.
   */
  readonly schema: JsonSchema;
}

export interface ShapeField<T, Required extends boolean> {
  shape: Shape<T> | "content";
  required: Required;
}

type Fields = Record<string, ShapeField<unknown, boolean>>;
type Value<F> = F extends ShapeField<infer T, boolean> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]["required"] extends true ? K : never }[keyof F];

/** The type of the object that `fields` describe. */
export type Described<F extends Fields> = { [K in RequiredKeys<F>]: Value<F[K]> } & {
  [K in Exclude<keyof F, RequiredKeys<F>>]?: Value<F[K]>;
};

export function required<T>(shape: Shape<T>): ShapeField<T, true> {
  return { shape, required: true };
}

export function optional<T>(shape: Shape<T>): ShapeField<T, false> {
  return { shape, required: false };
}

/** Content is a field `stem`, `stem_base64` or `stem_file`; in the result it is named by its stem. */
export const requiredContent: ShapeField<Content, true> = { shape: "content", required: true };
export const optionalContent: ShapeField<Content, false> = { shape: "content", required: false };

/** Reports a problem of a value, or of a field or item of it. */
export type Report = (message: string, ...below: (string | number)[]) => void;

export interface ObjectOptions<T> {
  /** Rules across fields; `position` is the index in the list around it. */
  check?: (value: Partial<T>, report: Report, position: number) => void;
  /** What of `check` a schema can say. */
  checkSchema?: JsonSchema;
  /** Keeps unknown fields, which are a problem otherwise. */
  open?: boolean;
}

export function object<F extends Fields>(
  fields: F,
  options: ObjectOptions<Described<F>> = {},
): Shape<Described<F>> {
  const known = new Map(Object.entries(fields).flatMap(([stem, field]) => spellings(stem, field)));
  const needed = Object.keys(fields).filter((key) => fields[key]?.required);
  return {
    read(at) {
      const position = at.position();
      if (!hasKind(at, "object", "an object")) return undefined;
      const result: Record<string, unknown> = {};
      at.object((key) => {
        const field = known.get(key);
        if (field !== undefined) readField(field, key, result, at);
        else if (options.open === true) setOwn(result, key, at.keep());
        else {
          at.problem(`unknown field${suggestion(key, known)}`);
          at.value();
        }
      });
      for (const key of needed) if (!Object.hasOwn(result, key)) at.problem("required", key);
      options.check?.(
        result as Partial<Described<F>>,
        (message, ...below) => at.problem(message, ...below),
        position,
      );
      return result as Described<F>;
    },
    test(value, position) {
      if (!isPlain(value)) return false;
      for (const key of Object.keys(value)) if (known.get(key)?.test?.(value[key], 0) !== true) return false;
      for (const key of needed) if (!Object.hasOwn(value, key)) return false;
      if (options.check === undefined) return true;
      let isGood = true;
      options.check(value as Partial<Described<F>>, () => (isGood = false), position);
      return isGood;
    },
    get schema() {
      return { ...objectSchema(fields, options.open === true), ...options.checkSchema };
    },
  };
}

function objectSchema(fields: Fields, isOpen: boolean): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const needed: string[] = [];
  const contentRules: JsonSchema[] = [];
  for (const [stem, field] of Object.entries(fields)) {
    if (field.shape !== "content") {
      properties[stem] = field.shape.schema;
      if (field.required) needed.push(stem);
      continue;
    }
    const keys = spellings(stem, field).map(([key]) => key);
    for (const key of keys) properties[key] = contentSchemas[key.slice(stem.length)] as JsonSchema;
    contentRules.push(field.required ? exactlyOne(keys) : { not: { anyOf: pairs(keys) } });
  }
  return {
    type: "object",
    properties,
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(contentRules.length === 0 ? {} : { allOf: contentRules }),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
}

/** Returns the schema of an object that has exactly one of these keys. */
export function exactlyOne(keys: readonly string[]): JsonSchema {
  return { oneOf: keys.map((key) => ({ required: [key] })) };
}

function pairs(keys: readonly string[]): JsonSchema[] {
  return keys.flatMap((key, at) => keys.slice(at + 1).map((other) => ({ required: [key, other] })));
}

interface Spelling {
  stem: string;
  shape: Shape<unknown> | "content";
  test: Shape<unknown>["test"];
}

function spellings(stem: string, field: ShapeField<unknown, boolean>): [string, Spelling][] {
  if (field.shape !== "content") return [[stem, { stem, shape: field.shape, test: field.shape.test }]];
  const spelling = { stem, shape: field.shape, test: undefined };
  return [stem, `${stem}_base64`, `${stem}_file`].map((key) => [key, spelling]);
}

function readField(field: Spelling, key: string, result: Record<string, unknown>, at: JsonReader): void {
  if (field.shape !== "content") {
    const value = field.shape.read(at);
    // Set even if the value could not be read: that is reported once, not as a missing field as well.
    result[field.stem] = value;
    return;
  }
  if (Object.hasOwn(result, field.stem))
    at.problem(`${field.stem} is given twice, in two forms: use one of them`);
  result[field.stem] = hasKind(at, "string", "a text")
    ? readContent(at, key.slice(field.stem.length))
    : undefined;
}

function suggestion(key: string, known: ReadonlyMap<string, unknown>): string {
  const words = key.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  const near = nearest(words, [...known.keys()]);
  return near === undefined ? "; free-form data goes under metadata" : ` (is it "${near}"?)`;
}

/** A list. `unique` names a field in which no two items may be equal. */
export function list<T>(item: Shape<T>, options: { unique?: keyof T & string } = {}): Shape<T[]> {
  const { unique } = options;
  return {
    read(at) {
      if (!hasKind(at, "array", "an array")) return undefined;
      const result: T[] = [];
      const seen = new Map<unknown, string>();
      at.array(() => {
        const value = item.read(at) as T;
        result.push(value);
        const key = unique === undefined ? undefined : value?.[unique];
        if (unique === undefined || key === undefined) return;
        const first = seen.get(key);
        if (first === undefined) seen.set(key, at.path());
        else at.problem(`is the same as in ${first}`, unique);
      });
      return result;
    },
    test: (value) =>
      unique === undefined &&
      Array.isArray(value) &&
      value.every((each, position) => item.test?.(each, position) === true),
    get schema() {
      return { type: "array", items: item.schema };
    },
  };
}

/** Any JSON object. */
export const anyObject: Shape<JsonObject> = {
  read: (at) => (hasKind(at, "object", "an object") ? (at.value() as JsonObject) : undefined),
  test: isPlain,
  schema: { type: "object" },
};

/** An object whose members all have the same shape. */
export function mapOf<T>(member: Shape<T>): Shape<Record<string, T>> {
  return {
    read(at) {
      if (!hasKind(at, "object", "an object")) return undefined;
      const result: Record<string, T> = {};
      at.object((key) => setOwn(result, key, member.read(at) as T));
      return result;
    },
    test: (value) => isPlain(value) && Object.values(value).every((each) => member.test?.(each, 0) === true),
    get schema() {
      return { type: "object", additionalProperties: member.schema };
    },
  };
}

/**
 * A string; `check` returns what is wrong with it, if anything, and `schema` expresses the same as far as it
 * can.
 */
export function text<T extends string>(
  check?: (value: string) => string | undefined,
  schema?: JsonSchema,
): Shape<T> {
  return {
    read(at) {
      if (!hasKind(at, "string", "a text")) return undefined;
      const value = at.string();
      const problem = check?.(value);
      if (problem !== undefined) at.problem(problem);
      return value as T;
    },
    test: (value) => typeof value === "string" && check?.(value) === undefined,
    schema: { type: "string", ...schema },
  };
}

export const textMap: Shape<Record<string, string>> = mapOf(text());

export const nonEmpty = text((value) => (value === "" ? "must not be empty" : undefined), { minLength: 1 });

export function oneOf<T extends string>(...words: T[]): Shape<T> {
  const choice = words.map((word) => `"${word}"`).join(" or ");
  return text<T>((value) => ((words as string[]).includes(value) ? undefined : `must be ${choice}`), {
    enum: words,
  });
}

export const reference: Shape<Reference> = text<Reference>(
  (value) =>
    isReference(value) ? undefined : "must be a full reference: sha256: and 64 lower-case hex digits",
  { pattern: "^sha256:[0-9a-f]{64}$" },
);

/** A time, in its normalised form. */
export const time: Shape<string> = {
  read(at) {
    if (!hasKind(at, "string", "a text")) return undefined;
    const written = at.string();
    if (isUtcTime(written)) return written;
    const parsed = parseTime(written);
    if (typeof parsed !== "string") return parsed.text;
    at.problem(parsed);
    return undefined;
  },
  schema: { type: "string", pattern: timePattern },
};

/** A time that is in its normalised form already. */
export const utcTime: Shape<string> = text(
  (value) => {
    if (isUtcTime(value)) return undefined;
    const parsed = parseTime(value);
    return typeof parsed === "string" ? parsed : "must be in UTC, with T and Z";
  },
  { pattern: utcTimePattern },
);

export const boolean: Shape<boolean> = {
  read: (at) => (hasKind(at, "boolean", "true or false") ? (at.value() as boolean) : undefined),
  test: (value) => typeof value === "boolean",
  schema: { type: "boolean" },
};

/** A non-negative integer. */
export const count: Shape<number> = {
  read(at) {
    if (!hasKind(at, "number", "a whole number")) return undefined;
    const value = at.value();
    if (isCount(value)) return value;
    at.problem("must be a whole number");
    return undefined;
  },
  test: isCount,
  schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether the next value has the kind; if not, reports that and skips the value. */
function hasKind(at: JsonReader, kind: JsonKind, expected: string): boolean {
  const found = at.kind();
  if (found === kind) return true;
  at.problem(
    found === "null" ? `must be ${expected}, not null` : `must be ${expected}, not ${articles[found]}`,
  );
  at.value();
  return false;
}

const articles: Record<JsonKind, string> = {
  object: "an object",
  array: "an array",
  string: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
};
