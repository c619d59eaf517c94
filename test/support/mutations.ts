// Makes broken logs of good ones: values of other types, keys that are gone or there twice, bytes that are wrong, ends that are missing.
import type { Random } from "../drift/random.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const strange: readonly Json[] = [
  null,
  true,
  -1,
  1e308,
  2 ** 53,
  "",
  "x",
  "\u0000\ud800\u001b[2J",
  [],
  {},
  [[[[]]]],
  [null, 1, "a", {}],
  { type: "text", text: 5 },
  { constructor: 1, toString: 2 },
  "2026-02-11T14:20:00Z",
  "../../../etc/passwd",
];

/** A log that is almost the one given. */
export function mutated(log: string | Buffer, random: Random): Buffer {
  const bytes = Buffer.from(log);
  const way = random.between(0, 9);
  if (way === 0) return bytes.subarray(0, random.between(0, bytes.length));
  if (way === 1) return flipped(bytes, random);
  const text = bytes.toString("utf8");
  const isLines =
    text.trimEnd().includes("\n") && text.split("\n").some((line) => parsed(line) !== undefined);
  if (!isLines) {
    const document = parsed(text);
    return document === undefined
      ? flipped(bytes, random)
      : Buffer.from(JSON.stringify(changed(document, random)));
  }
  const lines = text.split("\n").filter((line) => line !== "");
  if (way === 2) lines.splice(random.between(0, lines.length), 0, random.pick(lines));
  else if (way === 3) lines.splice(random.between(0, lines.length - 1), 1);
  else {
    const at = random.between(0, lines.length - 1);
    const value = parsed(lines[at] as string);
    if (value === undefined) return flipped(bytes, random);
    lines[at] = JSON.stringify(changed(value, random));
  }
  return Buffer.from(`${lines.join("\n")}\n`);
}

function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let count = random.between(1, 4); count > 0 && copy.length > 0; count--)
    copy[random.between(0, copy.length - 1)] = random.between(0, 255);
  return copy;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The value with one or two places in it changed. */
function changed(value: Json, random: Random): Json {
  const holders = [...containers(value)];
  if (holders.length === 0) return random.pick(strange);
  for (let count = random.between(1, 2); count > 0; count--) {
    const holder = random.pick(holders);
    const keys = Object.keys(holder);
    const key = keys.length === 0 ? "x" : random.pick(keys);
    const target = holder as Record<string, Json>;
    const way = random.between(0, 4);
    if (way === 0 && Array.isArray(holder)) holder.splice(Number(key) || 0, 1);
    else if (way === 0) delete target[key];
    else if (way === 1 && Array.isArray(holder)) holder.push(structuredClone(holder[0] ?? null));
    else if (way === 1) target[`${key}2`] = target[key] ?? null;
    else if (way === 2 && !Array.isArray(holder))
      Object.defineProperty(holder, "__proto__", {
        value: { a: 1 },
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else target[key] = random.pick(strange);
  }
  return value;
}

function* containers(value: Json): Generator<Json[] | { [key: string]: Json }> {
  if (typeof value !== "object" || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* containers(inner);
}
