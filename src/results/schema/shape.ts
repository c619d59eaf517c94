// How what a command answers is described: as shapes whose fields the compiler holds to the type. Only schemas are made of
// them, so the program itself never loads this file.
import type { JsonValue } from "../../base/json/value.js";
import { type Field, type JsonSchema, object, type Shape } from "../../model/shape.js";

/** A field for each one of T, none forgotten and none invented, required where T requires it. */
type FieldsOf<T> = {
  [K in keyof T]-?: Field<Exclude<T[K], undefined>, object extends Pick<T, K> ? false : true>;
};

/** What a command answers. Open, since fields are only ever added. */
export function result<T>(fields: FieldsOf<T>, checkSchema: JsonSchema = {}): Shape<T> {
  return object(fields as Record<string, Field<unknown, boolean>>, {
    open: true,
    checkSchema,
  }) as Shape<T>;
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const { enum: words } = shape.schema as { enum?: unknown[] };
  return {
    read: (at) => (at.kind() === "null" ? (at.value() as null) : shape.read(at)),
    schema: {
      ...shape.schema,
      type: [shape.schema["type"], "null"],
      ...(words === undefined ? {} : { enum: [...words, null] }),
    },
  };
}

/** An exit status that the answer has, too. */
export const exit: Shape<0 | 1 | 2> = {
  read: (at) => at.value() as 0 | 1 | 2,
  schema: { enum: [0, 1, 2] },
};

/** Any JSON value at all. */
export const any: Shape<JsonValue> = { read: (at) => at.value(), schema: {} };

export const onlyTrue: Shape<true> = { read: (at) => at.value() as true, schema: { const: true } };
