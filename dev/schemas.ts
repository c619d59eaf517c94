// The schemas in docs/schema, ready to validate with.
import * as fs from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { repository } from "./built.js";

export const schemaFolder = join(repository, "docs/schema");

interface Schema {
  [keyword: string]: unknown;
}

export function readSchema(name: string): Schema {
  return JSON.parse(fs.readFileSync(join(schemaFolder, `${name}.schema.json`), "utf8")) as Schema;
}

/** Compiles a schema; one that is no valid JSON Schema, or has an unknown keyword, is an error. */
export function compile(schema: Schema): ValidateFunction {
  const strict = { strictSchema: true, strictTypes: false, allowUnionTypes: true };
  return new Ajv2020(strict).compile(schema);
}

/** Returns the same schema without fields that it does not name, so that none is forgotten in it. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return inside["type"] === "object" && "properties" in inside
    ? { additionalProperties: false, ...inside }
    : inside;
}
