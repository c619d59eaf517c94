// Random documents for the tests of the schemas: valid ones, almost valid ones, and damaged bytes.
import * as fc from "fast-check";
import { type JsonObject, setOwn } from "../src/base/json/value.js";
import { nameProblem } from "../src/model/names.js";

export const reference = `sha256:${"ab".repeat(32)}`;

// Parts of documents: mostly valid, sometimes almost.

export function mostly<T>(good: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 24, arbitrary: good }, { weight: 1, arbitrary: odd });
}

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const surrogate = fc.constantFrom("\ud800", "a\udfff", "\udc00\ud800");
export const anyText = mostly(text, surrogate);

const nameLike = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "/", "\\", ".", ":", "C", "\0", "é", "💥", " "), maxLength: 6 }),
  fc
    .tuple(
      fc.constantFrom("", "a/", "é\\"),
      fc.constantFrom("a", "é", "💥"),
      fc.integer({ min: 60, max: 260 }),
    )
    .map(([before, unit, length]) => before + unit.repeat(length)),
  fc
    .tuple(fc.constantFrom("a", "é"), fc.integer({ min: 2045, max: 2049 }))
    .map(([unit, length]) => Array.from({ length }, () => unit).join("/")),
);
const name = mostly(
  fc.oneof(text, nameLike).filter((value) => nameProblem(value) === undefined),
  nameLike,
);

const digits = (choices: number[], length = 2) =>
  fc.constantFrom(...choices).map((value) => String(value).padStart(length, "0"));
const timeLike = fc
  .tuple(
    digits([0, 1, 1900, 2000, 2023, 2024, 9999, 20260], 4),
    digits([0, 1, 2, 2, 2, 4, 12, 13]),
    digits([0, 1, 28, 29, 30, 31, 32]),
    fc.constantFrom("T", "T", "t", " "),
    digits([0, 12, 23, 24]),
    digits([0, 59, 60]),
    digits([0, 59, 60, 61]),
    fc.constantFrom("", "", ".5", ".250", ".", ",5"),
    fc.constantFrom("Z", "z", "+00:00", "-00:00", "+14:00", "-23:59", "+24:00", "+01:60", "", "+0100", "Z "),
  )
  .map(([year, month, day, t, hour, minute, second, fraction, zone]) =>
    [`${year}-${month}-${day}`, t, `${hour}:${minute}:${second}`, fraction, zone].join(""),
  );
const goodTime = fc
  .tuple(
    fc.date({
      min: new Date("0001-01-02T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true,
    }),
    fc.constantFrom("T", "t"),
    fc.constantFrom("Z", "z", "+00:00", "-07:30"),
  )
  .map(([date, t, zone]) => date.toISOString().replace("T", t).replace("Z", zone));
const time = mostly(goodTime, timeLike);

const referenceLike = fc.constantFrom(
  reference.toUpperCase(),
  reference.slice(1),
  `${reference}0`,
  `${reference}\n`,
  "",
);
export const ref = mostly(fc.constant(reference), referenceLike);
const base64 = mostly(
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  fc.constantFrom("A", "AA", "AAA", "AB==", "AAB=", "A===", "-_8=", "AA==\n", "AA==AA==", "=", "===="),
);
/** Becomes 1e400, which JSON.stringify cannot write. */
const hugeNumber = "@1e400@";
export const free = fc.dictionary(
  mostly(text, fc.constantFrom("__proto__", "constructor", "\ud800")),
  mostly(
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
    fc.constantFrom(hugeNumber, deep(998), deep(1001)),
  ),
  { maxKeys: 3 },
) as fc.Arbitrary<JsonObject>;

function deep(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function content(stem: string, isRequired: boolean): fc.Arbitrary<object> {
  const ways = [
    fc.record({ [stem]: anyText }),
    fc.record({ [`${stem}_base64`]: base64 }),
    fc.record({
      [`${stem}_file`]: mostly(fc.constant("there"), fc.constantFrom("gone", "", "/there", "a/../there")),
    }),
  ];
  return fc.oneof(...ways, ...(isRequired ? [] : [fc.constant({})]));
}

function merged(...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> {
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values) as object);
}

export function some(
  fields: Record<string, fc.Arbitrary<unknown>>,
  ...requiredKeys: string[]
): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys });
}

function listOf(item: fc.Arbitrary<object>): fc.Arbitrary<object[]> {
  return fc.array(item, { maxLength: 3 });
}

/** Names are rarely repeated. */
function named(item: fc.Arbitrary<object>): fc.Arbitrary<object[]> {
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.uniqueArray(item, { maxLength: 3, selector: (each) => (each as { name: string }).name }),
    },
    { weight: 1, arbitrary: listOf(item).map((items) => [...items, ...items.slice(0, 1)]) },
  );
}

const step = merged(
  some(
    {
      type: mostly(
        text.filter((word) => word !== ""),
        fc.constantFrom("", "tool_call"),
      ),
      parameters: free,
      deterministic: fc.boolean(),
      timestamp: time,
      pack: ref,
      metadata: free,
    },
    "type",
  ),
  fc.oneof(
    fc.record({
      type: fc.constant("tool_call"),
      tool: mostly(
        text.filter((tool) => tool !== ""),
        fc.constant(""),
      ),
    }),
    some({ tool: text }),
  ),
  content("output", false),
  content("seen", false),
);
export const confidence = mostly(fc.constantFrom("high", "medium", "low"), fc.constantFrom("High", ""));
const steps = fc
  .tuple(listOf(step), fc.constantFrom("absent", "absent", "right", "right", "wrong"))
  .map(([items, index]) =>
    index === "absent"
      ? items
      : items.map((item, at) => ({ ...item, index: index === "right" ? at : at + 1 })),
  );

export const log = merged(
  some(
    {
      version: fc.constant("0.1"),
      created: time,
      model: some({ identifier: text.filter((id) => id !== ""), parameters: free }, "identifier"),
      prompts: listOf(merged(fc.record({ role: anyText }), content("content", true))),
      inputs: named(merged(fc.record({ name }), content("content", true))),
      steps,
      outputs: named(
        merged(fc.record({ name }), content("content", true), some({ confidence, notes: anyText })),
      ),
      environment: some(
        { os: anyText, runtime: text, tool_versions: fc.dictionary(text, text) },
        "os",
        "runtime",
      ),
      parent: ref,
      metadata: free,
    },
    "model",
    "environment",
  ),
  content("system_prompt", true),
);

// Mutations: of a value at any location, and of the bytes.

const stems = ["system_prompt", "content", "output", "seen"];
const key = fc.constantFrom(
  ...stems.flatMap((stem) => [stem, `${stem}_base64`, `${stem}_file`, `${stem}_ref`]),
  "version",
  "created",
  "model",
  "identifier",
  "name",
  "role",
  "type",
  "tool",
  "index",
  "hash",
  "size",
  "metadata",
  "notes",
  "confidence",
  "context_pack",
  "Type",
  "",
  "__proto__",
  "constructor",
  "toString",
  "$schema",
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, "", "x", true, 0, 1, -1, 0.5, 2 ** 53, 1e300, [], {}, [null], { a: null }),
  fc.constantFrom<unknown>(hugeNumber, "0.1", "high", "tool_call", deep(3), deep(1001)),
  nameLike,
  timeLike,
  goodTime,
  referenceLike,
  surrogate,
  fc.jsonValue({ maxDepth: 2 }),
);
const mutation = fc.record({
  at: fc.nat(),
  what: fc.constantFrom("drop", "rename", "replace", "null", "add", "wrap", "repeat", "second way"),
  key,
  value: oddValue,
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(original: unknown, { at, what, key, value }: Mutation): unknown {
  const root: JsonObject = { root: structuredClone(original) as JsonObject };
  const members: { holder: JsonObject; key: string }[] = [];
  const walk = (holder: JsonObject, own: string, depth: number): void => {
    members.push({ holder, key: own });
    const inside = holder[own];
    if (depth < 4 && typeof inside === "object" && inside !== null)
      for (const each of Object.keys(inside)) walk(inside as JsonObject, each, depth + 1);
  };
  walk(root, "root", 0);
  const fit = what === "second way" ? members.filter((each) => stems.includes(each.key)) : members;
  const member = fit[at % fit.length];
  if (member === undefined) return original;
  const { holder } = member;
  const old = holder[member.key] as JsonObject;
  const odd = value as JsonObject;
  const remove = (): void => {
    if (Array.isArray(holder)) holder.splice(Number(member.key), 1);
    else if (holder !== root) delete holder[member.key];
  };
  if (what === "drop") remove();
  else if (what === "replace") setOwn(holder, member.key, odd);
  else if (what === "null") setOwn(holder, member.key, null);
  else if (what === "second way") holder[`${member.key}${at % 2 === 0 ? "_base64" : "_file"}`] = "there";
  else if (what === "wrap") setOwn(holder, member.key, [old]);
  else if (what === "rename" && holder !== root && !Array.isArray(holder)) {
    remove();
    setOwn(holder, key, old);
  } else if (what === "repeat" && Array.isArray(holder)) holder.push(structuredClone(old));
  else if (Array.isArray(old)) old.push(odd);
  else if (typeof old === "object" && old !== null) setOwn(old, key, odd);
  return root["root"];
}

export function mutants(documents: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(documents, fc.oneof(fc.constant([]), fc.array(mutation, { minLength: 1, maxLength: 3 })))
    .map(([value, mutations]) => mutations.reduce(mutate, value));
}

export function write(value: unknown, layout: (value: unknown) => string): string {
  return layout(value).replaceAll(`"${hugeNumber}"`, "1e400");
}

export const damage = fc.record({
  at: fc.nat(),
  what: mostly(
    fc.constant("none"),
    fc.constantFrom("mark", "byte", "cut", "tail", "utf-16", "double key", "comma"),
  ),
});

/** Writes a document, now and then with damage. */
export function bytesOf(value: unknown, { at, what }: { at: number; what: string }): Buffer {
  const text = write(value, (each) => JSON.stringify(each));
  const whole = Buffer.from(text);
  const cut = at % (whole.length + 1);
  switch (what) {
    case "mark":
      return Buffer.from(`\ufeff${text}`);
    case "byte":
      return Buffer.concat([whole.subarray(0, cut), Buffer.from([0xff]), whole.subarray(cut)]);
    case "cut":
      return whole.subarray(0, cut);
    case "tail":
      return Buffer.from(`${text} {}`);
    case "utf-16":
      return Buffer.from(`\ufeff${text}`, "utf16le");
    case "comma":
      return Buffer.from(text.replace(/[}\]]$/, ",$&"));
    case "double key": {
      const objects = [...text.matchAll(/\{("\w*":)/g)];
      const found = objects[at % (objects.length || 1)];
      return Buffer.from(
        found === undefined
          ? text
          : `${text.slice(0, found.index + 1)}${found[1]}null,${text.slice(found.index + 1)}`,
      );
    }
    default:
      return whole;
  }
}
