// Describes documents as data and reads them from bytes by that description: log, manifest, sidecar and config. Written by
// hand because validators want a parsed value first; here every problem is found, with its path, while the bytes are read
// once, and large contents are never made into strings. Each shape also says itself as a JSON Schema, for docs/schema.
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
  /** Reads one value, or reports a problem and gives undefined. It always steps over the value. */
  read(at: JsonReader): T | undefined;
  /** What `read` takes, as far as a schema can say it; docs/schema/README.md lists the rest. */
  readonly schema: JsonSchema;
}

export interface Field<T, Required extends boolean> {
  shape: Shape<T> | "content";
  required: Required;
}

type Fields = Record<string, Field<unknown, boolean>>;
type Value<F> = F extends Field<infer T, boolean> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]["required"] extends true ? K : never }[keyof F];

/** The type of the object that `fields` describe. */
export type Described<F extends Fields> = { [K in RequiredKeys<F>]: Value<F[K]> } & {
  [K in Exclude<keyof F, RequiredKeys<F>>]?: Value<F[K]>;
};

export function required<T>(shape: Shape<T>): Field<T, true> {
  return { shape, required: true };
}

export function optional<T>(shape: Shape<T>): Field<T, false> {
  return { shape, required: false };
}

/** Content is written as `stem`, `stem_base64` or `stem_file`; the field is named by its stem. */
export const requiredContent: Field<Content, true> = { shape: "content", required: true };
export const optionalContent: Field<Content, false> = { shape: "content", required: false };

export interface ObjectOptions<T> {
  /** Rules across fields; `position` is the index in the list around it. */
  check?: (value: Partial<T>, at: JsonReader, position: number) => void;
  /** What of `check` a schema can say. */
  checkSchema?: JsonSchema;
  /** Keep fields that are not described. Without it such a field is a problem. */
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
      if (!is(at, "object", "an object")) return undefined;
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
      options.check?.(result as Partial<Described<F>>, at, position);
      return result as Described<F>;
    },
    get schema() {
      return { ...objectSchema(fields, options.open === true), ...options.checkSchema };
    },
  };
}

function objectSchema(fields: Fields, isOpen: boolean): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const needed: string[] = [];
  const ways: JsonSchema[] = [];
  for (const [stem, field] of Object.entries(fields)) {
    if (field.shape !== "content") {
      properties[stem] = field.shape.schema;
      if (field.required) needed.push(stem);
      continue;
    }
    const keys = spellings(stem, field).map(([key]) => key);
    for (const key of keys) properties[key] = contentSchemas[key.slice(stem.length)] as JsonSchema;
    ways.push(field.required ? exactlyOne(keys) : { not: { anyOf: pairs(keys) } });
  }
  return {
    type: "object",
    properties,
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(ways.length === 0 ? {} : { allOf: ways }),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
}

/** Says that an object has one of these keys, and no two of them. */
export function exactlyOne(keys: readonly string[]): JsonSchema {
  return { oneOf: keys.map((key) => ({ required: [key] })) };
}

function pairs(keys: readonly string[]): JsonSchema[] {
  return keys.flatMap((key, at) => keys.slice(at + 1).map((other) => ({ required: [key, other] })));
}

interface Spelling {
  stem: string;
  shape: Shape<unknown> | "content";
}

function spellings(stem: string, field: Field<unknown, boolean>): [string, Spelling][] {
  const spelling = { stem, shape: field.shape };
  if (field.shape !== "content") return [[stem, spelling]];
  return [stem, `${stem}_base64`, `${stem}_file`].map((key) => [key, spelling]);
}

function readField(field: Spelling, key: string, result: Record<string, unknown>, at: JsonReader): void {
  if (field.shape !== "content") {
    const value = field.shape.read(at);
    // What could not be read still counts as given: its own problem is reported, not a missing field as well.
    result[field.stem] = value;
    return;
  }
  if (Object.hasOwn(result, field.stem)) at.problem(`${field.stem} is given in two ways; one is enough`);
  result[field.stem] = is(at, "string", "a text") ? readContent(at, key.slice(field.stem.length)) : undefined;
}

function suggestion(key: string, known: ReadonlyMap<string, unknown>): string {
  const words = key.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  const near = nearest(words, [...known.keys()]);
  return near === undefined ? "; free-form data goes under metadata" : ` (is it "${near}"?)`;
}

/** `unique`: no two items may have the same there. */
export function list<T>(item: Shape<T>, options: { unique?: keyof T & string } = {}): Shape<T[]> {
  const { unique } = options;
  return {
    read(at) {
      if (!is(at, "array", "an array")) return undefined;
      const result: T[] = [];
      const seen = new Map<unknown, string>();
      at.array(() => {
        const value = item.read(at) as T;
        result.push(value);
        const mark = unique === undefined ? undefined : value?.[unique];
        if (unique === undefined || mark === undefined) return;
        const first = seen.get(mark);
        if (first === undefined) seen.set(mark, at.path());
        else at.problem(`is the same as that of ${first}`, unique);
      });
      return result;
    },
    get schema() {
      return { type: "array", items: item.schema };
    },
  };
}

/** A JSON object whose inside is the user's own. */
export const anyObject: Shape<JsonObject> = {
  read: (at) => (is(at, "object", "an object") ? (at.value() as JsonObject) : undefined),
  schema: { type: "object" },
};

/** An object whose members are all alike. */
export function mapOf<T>(member: Shape<T>): Shape<Record<string, T>> {
  return {
    read(at) {
      if (!is(at, "object", "an object")) return undefined;
      const result: Record<string, T> = {};
      at.object((key) => setOwn(result, key, member.read(at) as T));
      return result;
    },
    get schema() {
      return { type: "object", additionalProperties: member.schema };
    },
  };
}

/** A string; `check` says what is wrong with it, if anything, and `schema` the same as far as it can. */
export function text<T extends string>(
  check?: (value: string) => string | undefined,
  schema?: JsonSchema,
): Shape<T> {
  return {
    read(at) {
      if (!is(at, "string", "a text")) return undefined;
      const value = at.string();
      const problem = check?.(value);
      if (problem !== undefined) at.problem(problem);
      return value as T;
    },
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
    if (!is(at, "string", "a text")) return undefined;
    const given = at.string();
    if (isUtcTime(given)) return given;
    const parsed = parseTime(given);
    if (typeof parsed !== "string") return parsed.text;
    at.problem(parsed);
    return undefined;
  },
  schema: { type: "string", pattern: timePattern },
};

/** A time that is in its normalised form already. */
export const utcTime: Shape<string> = text(
  (value) => {
    const parsed = parseTime(value);
    return typeof parsed === "string"
      ? parsed
      : parsed.text === value
        ? undefined
        : "must be in UTC, with T and Z";
  },
  { pattern: utcTimePattern },
);

export const boolean: Shape<boolean> = {
  read: (at) => (is(at, "boolean", "true or false") ? (at.value() as boolean) : undefined),
  schema: { type: "boolean" },
};

/** An integer that is not negative. */
export const count: Shape<number> = {
  read(at) {
    if (!is(at, "number", "a whole number")) return undefined;
    const value = at.value();
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    at.problem("must be a whole number");
    return undefined;
  },
  schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

/** Whether the next value has the kind; if not, that is reported and the value skipped. */
function is(at: JsonReader, kind: JsonKind, called: string): boolean {
  const found = at.kind();
  if (found === kind) return true;
  at.problem(found === "null" ? `must be ${called}, not null` : `must be ${called}, not ${articles[found]}`);
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
