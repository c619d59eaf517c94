// Checks the arguments that callers of the library pass. TypeScript checks the same, but not for programs in
// JavaScript, and not for computed values: NaN, a negative number, a path that contains a NUL.

/** Returns what is wrong with a value, or undefined. */
export type ArgumentCheck = (value: unknown) => string | undefined;

export interface CheckedMember {
  check: ArgumentCheck;
  isRequired: boolean;
}

export const flag: ArgumentCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

export const text: ArgumentCheck = (value) => (typeof value === "string" ? undefined : "must be a string");

export const path: ArgumentCheck = (value) =>
  typeof value !== "string"
    ? "must be a path"
    : value === ""
      ? "must not be empty"
      : value.includes("\0")
        ? "must not contain a NUL character"
        : undefined;

export const callback: ArgumentCheck = (value) =>
  typeof value === "function" ? undefined : "must be a function";

export const bytes: ArgumentCheck = (value) => (Buffer.isBuffer(value) ? undefined : "must be a Buffer");

export const pieces: ArgumentCheck = (value) =>
  typeof value === "object" && value !== null && Symbol.iterator in value && !Buffer.isBuffer(value)
    ? undefined
    : "must be an iterable of Buffers";

export const signal: ArgumentCheck = (value) =>
  value instanceof AbortSignal ? undefined : "must be an AbortSignal";

/** Checks a duration. Infinity is allowed and means never. */
export const milliseconds: ArgumentCheck = (value) =>
  typeof value === "number" && value >= 0 ? undefined : "must be a number of milliseconds, 0 or more";

export const count: ArgumentCheck = (value) =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 0)
    ? undefined
    : "must be a whole number, 0 or more";

export const fraction: ArgumentCheck = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? undefined : "must be a number from 0 to 1";

export function oneOf(...words: readonly (string | boolean)[]): ArgumentCheck {
  return (value) =>
    words.includes(value as string)
      ? undefined
      : `must be ${words.map((word) => JSON.stringify(word)).join(" or ")}`;
}

export function listOf(check: ArgumentCheck): ArgumentCheck {
  return (value) => {
    if (!Array.isArray(value)) return "must be an array";
    for (const [at, item] of value.entries()) {
      const problem = check(item);
      if (problem !== undefined) return `has an invalid item ${at}: it ${problem}`;
    }
    return undefined;
  };
}

/** Checks an environment: any object; its values are not checked. */
export const environment: ArgumentCheck = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "must be an object";

export function required(check: ArgumentCheck): CheckedMember {
  return { check, isRequired: true };
}

/**
 * Checks an object that may have only these members. The type parameter lists them, so none can be forgotten.
 */
export function members<T>(
  fields: { readonly [Name in keyof Required<T>]: ArgumentCheck | CheckedMember },
): ArgumentCheck {
  const known = new Map<string, CheckedMember>(
    Object.entries<ArgumentCheck | CheckedMember>(fields).map(([name, field]) => [
      name,
      typeof field === "function" ? { check: field, isRequired: false } : field,
    ]),
  );
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be an object";
    const present = new Map(Object.entries(value).filter(([, member]) => member !== undefined));
    const unknown = [...present.keys()].find((name) => !known.has(name));
    if (unknown !== undefined)
      return `has an unknown member "${unknown.slice(0, 50)}"; known are ${[...known.keys()].join(", ")}`;
    for (const [name, { check, isRequired }] of known) {
      const problem = present.has(name) ? check(present.get(name)) : isRequired ? "is missing" : undefined;
      if (problem !== undefined) return `has an invalid member "${name}": it ${problem}`;
    }
    return undefined;
  };
}

/** Checks one of several shapes; the problem reported is that of the shape whose key member is present. */
export function eitherOf(choices: Readonly<Record<string, ArgumentCheck>>): ArgumentCheck {
  return (value) => {
    if (typeof value !== "object" || value === null) return "must be an object";
    const key = Object.keys(choices).find((name) => name in value);
    if (key === undefined) return `must have one of the members ${Object.keys(choices).join(", ")}`;
    return (choices[key] as ArgumentCheck)(value);
  };
}
