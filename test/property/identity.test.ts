// Identity under anything that fast-check can think of: what goes in comes out, alike logs hash alike, and
// any manifest that was written reads back as canonical.
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalBytes, canonicalText } from "../../src/base/json/canonical.js";
import { sha256 } from "../../src/base/digest.js";
import { ExactInteger, type JsonValue } from "../../src/base/json/value.js";
import { JsonReader } from "../../src/base/json/reader.js";
import { nameProblem } from "../../src/model/names.js";
import { quickManifest, readManifest, readStrictly } from "../../src/model/read-manifest.js";
import { pack } from "../../src/ops/pack.js";
import { show, showPart } from "../../src/ops/show.js";
import { tempStore } from "../../dev/folders.js";

function read(text: string): JsonValue {
  const reader = new JsonReader(Buffer.from(text));
  const value = reader.value();
  reader.end();
  expect(reader.problems).toEqual([]);
  return value;
}

const text = fc.string({ unit: "binary" });
const key = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toJSON", "1", ""));
const integer = fc
  .bigInt()
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : new ExactInteger(String(value))));
const { value: jsonValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      integer,
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 4 })
      .map((pairs) => Object.fromEntries(pairs) as JsonValue),
  ),
}));
const jsonObject = fc.dictionary(key, jsonValue, { maxKeys: 4 });

function textOrBase64(bytes: Buffer): object {
  return isUtf8(bytes) ? { text: bytes.toString("utf8") } : { base64: bytes.toString("base64") };
}

/** Returns whether the reader takes a text for canonical. */
function isCanonical(text: string): boolean {
  const reader = new JsonReader(Buffer.from(text));
  reader.value();
  reader.end();
  return reader.isCanonical();
}

describe("the reader and canonical JSON", () => {
  it("the JSON reader agrees with JSON.parse wherever that is exact", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, "\t"), (json, indent) => {
        const spaced = JSON.stringify(JSON.parse(json), null, indent);
        // Compared as canonical text: integers past 2^53 are exact here and doubles there.
        expect(canonicalText(read(spaced))).toBe(canonicalText(JSON.parse(spaced)));
      }),
    );
  });

  it("the JSON reader round-trips every value, and the canonical form is a fixed point", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const once = canonicalText(value);
        expect(canonicalText(read(once))).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it("canonical text is distinguished from any other text", () => {
    const respell = fc.constantFrom<(json: string) => string>(
      (json) => json,
      (json) => ` ${json}`,
      (json) => `${json}\n`,
      (json) => json.replace(",", ", "),
      (json) => json.replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
      (json) => json.replace("/", "\\/"),
      (json) => json.replace("\\n", "\\u000a"),
      (json) => json.replace("\\u001f", "\\u001F"),
      (json) => json.replace(/\d(?![\d.e"])/, (digit) => `${digit}.0`),
      (json) => json.replace("e+", "E+"),
    );
    fc.assert(
      fc.property(jsonValue, respell, (value, spell) => {
        const text = spell(canonicalText(value));
        let read: JsonValue;
        try {
          const reader = new JsonReader(Buffer.from(text));
          read = reader.value();
          reader.end();
        } catch {
          return;
        }
        expect(isCanonical(text)).toBe(canonicalText(read) === text);
      }),
      { numRuns: 2000 },
    );
    for (const text of [
      '{"b":1,"a":2}',
      "[-0]",
      "[1.0]",
      "[1E3]",
      "[10e1]",
      '["\\u0041"]',
      '["\\u001F"]',
      '["\\/"]',
      "\ufeff1",
      '{"a":1,"a":1}',
    ])
      expect(isCanonical(text), text).toBe(false);
  });

  it("canonical JSON is one text for one value, whatever the order of its keys", () => {
    fc.assert(
      fc.property(jsonObject, (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalText(reversed)).toBe(canonicalText(object));
      }),
    );
  });

  it("the JSON reader never crashes on garbage", () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .array(fc.constantFrom(...'{}[]",:\\u0e1-. \n'.split("")), { maxLength: 40 })
        .map((all) => Buffer.from(all.join(""))),
    );
    fc.assert(
      fc.property(garbage, (bytes) => {
        try {
          const reader = new JsonReader(Buffer.from(bytes));
          reader.value();
          reader.end();
        } catch (error) {
          expect(error).toMatchObject({ code: "not-json" });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const content = fc.oneof(
  text.map((value) => ({ content: value, bytes: Buffer.from(value) })),
  fc
    .uint8Array()
    .map((value) => ({ content_base64: Buffer.from(value).toString("base64"), bytes: Buffer.from(value) })),
);
const name = text.filter((value) => nameProblem(value) === undefined);
const time = fc
  .tuple(
    fc.date({ min: new Date("0002-01-01"), max: new Date("9998-01-01"), noInvalidDate: true }),
    fc.stringMatching(/^(?:\.\d{1,12})?$/),
    fc.constantFrom("Z", "z", "+01:00", "-23:59"),
  )
  .map(([date, fraction, zone]) => date.toISOString().slice(0, 19) + fraction + zone);
const step = fc.record(
  {
    type: fc.constantFrom("reasoning", "message", "anything"),
    tool: text,
    parameters: jsonObject,
    deterministic: fc.boolean(),
    timestamp: time,
    metadata: jsonObject,
    out: content,
  },
  { requiredKeys: ["type"] },
);
const log = fc.record(
  {
    created: time,
    identifier: text.filter((value) => value !== ""),
    parameters: jsonObject,
    system: content,
    prompts: fc.array(fc.record({ role: text, it: content }), { maxLength: 3 }),
    inputs: fc.uniqueArray(fc.record({ name, it: content }), {
      maxLength: 3,
      selector: (input) => input.name,
    }),
    steps: fc.array(step, { maxLength: 4 }),
    metadata: jsonObject,
  },
  { requiredKeys: ["created", "identifier", "system"] },
);

/** Content under its stem, in whichever way it is written. */
function under(
  stem: string,
  { bytes: _bytes, ...written }: { bytes: Buffer; content?: string; content_base64?: string },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([field, value]) => [field.replace("content", stem), value]),
  );
}

/** Returns a manifest with something in every place. */
function sample(): ReturnType<typeof readManifest> {
  const store = tempStore();
  const log = {
    created: "2026-01-01T00:00:00Z",
    model: { identifier: "m", parameters: { a: [1, { b: "é" }] } },
    system_prompt: "s",
    prompts: [{ role: "user", content: "p" }],
    inputs: [{ name: "i", content: "i" }],
    steps: [
      {
        type: "tool_call",
        tool: "t",
        parameters: { x: 1 },
        output: "o",
        seen: "s",
        timestamp: "2026-01-01T00:00:00.5Z",
        metadata: {},
      },
    ],
    outputs: [{ name: "o", content: "o", confidence: "high", notes: "n" }],
    environment: { os: "l", runtime: "r", tool_versions: { t: "1" } },
    metadata: { m: null },
  };
  const { hash } = pack(store, { bytes: Buffer.from(JSON.stringify(log)), folder: "/" });
  const bytes = fs.readFileSync(join(store.root, "objects", hash.slice(7, 9), hash.slice(9)));
  return readManifest(bytes, "it");
}

describe("packing", () => {
  it("pack: every content is kept and named by its bytes, and one run has one hash", () => {
    const [first, second] = [tempStore(), tempStore()];
    fc.assert(
      fc.property(log, fc.boolean(), (run, indent) => {
        const document = {
          created: run.created,
          model: { identifier: run.identifier, ...(run.parameters && { parameters: run.parameters }) },
          ...under("system_prompt", run.system),
          prompts: (run.prompts ?? []).map(({ role, it }) => ({ role, ...under("content", it) })),
          inputs: (run.inputs ?? []).map((input) => ({ name: input.name, ...under("content", input.it) })),
          steps: (run.steps ?? []).map(({ out, ...rest }) => ({ ...rest, ...(out && under("output", out)) })),
          environment: { os: "linux", runtime: "node" },
          ...(run.metadata && { metadata: run.metadata }),
        };
        const written = canonicalBytes(document);
        // Another order of keys and other white space are the same run.
        const spaced = Buffer.from(JSON.stringify(JSON.parse(written.toString()), null, indent ? 2 : 0));
        const result = pack(first, { bytes: written, folder: "/" });
        const exact = !/\d{16}/.test(written.toString());
        if (exact) expect(pack(second, { bytes: spaced, folder: "/" }).hash).toBe(result.hash);
        const hex = result.hash.slice(7);
        const object = fs.readFileSync(join(first.root, "objects", hex.slice(0, 2), hex.slice(2)));
        expect(sha256(object)).toBe(hex);
        const strict = readStrictly(Buffer.from(object), "it");
        expect(canonicalText(strict.manifest)).toBe(object.toString());
        // The fast path accepts nearly all of them, with the same result.
        const quick = quickManifest(Buffer.from(object));
        if (quick !== undefined) expect(quick).toEqual(strict.manifest);
        const shown = show(first, result.uri);
        expect(shown.inputs.map((input) => input.size)).toEqual(
          (run.inputs ?? []).map((input) => input.it.bytes.length),
        );
        for (const input of run.inputs ?? [])
          expect(showPart(first, result.uri, { kind: "input", name: input.name })).toMatchObject({
            content: textOrBase64(input.it.bytes),
          });
        expect(canonicalText(shown.model.parameters)).toBe(canonicalText(run.parameters ?? {}));
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  it("the quick manifest reader accepts only what the strict reader accepts, with the same result", () => {
    const { manifest } = sample();
    const text = canonicalText(manifest);
    expect(quickManifest(Buffer.from(text))).toEqual(manifest);
    const spoil = fc.oneof(
      fc
        .nat(text.length - 1)
        .chain((at) =>
          fc
            .constantFrom(...'"{}[],:\\u0dx19-e. '.split(""))
            .map((c) => text.slice(0, at) + c + text.slice(at + 1)),
        ),
      fc.nat(text.length - 1).map((at) => text.slice(0, at) + text.slice(at + 1)),
      fc.nat(text.length - 1).map((at) => text.slice(0, at) + text[at] + text.slice(at)),
      fc
        .constantFrom(...Object.keys(manifest))
        .chain((key) => jsonValue.map((value) => canonicalText({ ...manifest, [key]: value }))),
      jsonValue.map((value) =>
        canonicalText({ ...manifest, steps: [{ ...manifest.steps[0], parameters: { p: value } }] }),
      ),
      fc
        .constantFrom(...Object.keys(manifest.steps[0] as object))
        .chain((key) =>
          jsonValue.map((value) =>
            canonicalText({ ...manifest, steps: [{ ...manifest.steps[0], [key]: value }] }),
          ),
        ),
      key.chain((name) => jsonValue.map((value) => canonicalText({ ...manifest, [name]: value }))),
    );
    let accepted = 0;
    fc.assert(
      fc.property(spoil, (spoiled) => {
        const quick = quickManifest(Buffer.from(spoiled));
        if (quick === undefined) return;
        accepted++;
        const strict = readStrictly(Buffer.from(spoiled), "it");
        expect(strict.unknown).toEqual([]);
        expect(quick).toEqual(strict.manifest);
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(100);
    for (const bad of ["\\ud800", "\\udfff"])
      expect(quickManifest(Buffer.from(text.replace('"role":"user"', `"role":"${bad}"`)))).toBeUndefined();
    expect(quickManifest(Buffer.from(text.replace("user", "\xff"), "latin1"))).toBeUndefined();
    expect(quickManifest(Buffer.from(text.replace('"x":1', '"x":9007199254740992')))).toBeUndefined();
    expect(
      quickManifest(Buffer.from(text.replace('"x":1', `"x":${"[".repeat(1001)}${"]".repeat(1001)}`))),
    ).toBeUndefined();
  });

  it("a stored manifest with any one byte changed is refused", () => {
    const store = tempStore();
    const { hash } = pack(store, {
      bytes: Buffer.from(
        '{"created":"2026-01-01T00:00:00Z","model":{"identifier":"m"},"system_prompt":"","environment":{"os":"l","runtime":"r"}}',
      ),
      folder: "/",
    });
    const path = join(store.root, "objects", hash.slice(7, 9), hash.slice(9));
    const good = fs.readFileSync(path);
    fs.chmodSync(path, 0o644);
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 1;
      fs.writeFileSync(path, bad);
      expect(() => show(store, hash)).toThrow(expect.objectContaining({ code: "damaged" }));
    }
  });
});
