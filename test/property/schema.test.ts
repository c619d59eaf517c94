// The schemas against the program, in both directions: what the program takes, the schema takes; what only
// the schema takes is refused for a rule that docs/schema/README.md lists.
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/base/json/canonical.js";
import { CtxError } from "../../src/base/errors.js";
import { JsonReader } from "../../src/base/json/reader.js";
import { readLog } from "../../src/model/log.js";
import { buildManifest } from "../../src/model/manifest.js";
import { readManifest } from "../../src/model/read-manifest.js";
import { readSidecar, sidecarShape } from "../../src/model/sidecar.js";
import { pack } from "../../src/ops/pack.js";
import { Store } from "../../src/store/store.js";
import {
  anyText,
  bytesOf,
  confidence,
  damage,
  free,
  log,
  mostly,
  mutants,
  ref,
  reference,
  some,
  write,
} from "../../dev/documents.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, json, runLog, smallLog } from "../../dev/logs.js";
import { compile, readSchema, schemaFolder } from "../../dev/schemas.js";

/** What the program says about a document that breaks each rule. */
const rules: Record<string, RegExp> = {
  "utf-8": /^the document is (?:not valid UTF-8|UTF-16)/,
  json: /\(byte \d+, line \d+, column \d+\)$/,
  "duplicate-key": /^the key occurs twice$/,
  surrogate: /^contains a lone surrogate/,
  number: /is too large for a double$/,
  nesting: /^nested more than 1,000 levels deep/,
  date: /^is a date that does not exist$/,
  year: /^is outside the years 0001 to 9999/,
  index: /^is \d+, but the step's position is \d+$|^must be \d+$/,
  base64: /^must be base64/,
  "name-bytes": /^is longer than 4,096 bytes$|^has a component longer than 255 bytes$/,
  "unique-name": /^is the same as in (?:inputs|outputs)\[\d+\]$/,
  file: /^there is no file "|^".*" is (?:not a regular file|not below the log|reached through a link)/s,
  canonical: /^the bytes are not in canonical form$/,
  hash: /^must be empty in the object$/,
};

/** The rules that a message may stand for. Broken syntax is no excuse where a parser found none. */
function ruleOf(message: string, isJson: boolean): string | undefined {
  return Object.keys(rules).find((id) => (id !== "json" || !isJson) && rules[id]?.test(message));
}

interface Kind {
  /** What the program has against the bytes; empty when it takes them. */
  problems(bytes: Buffer): string[];
  schema(value: unknown): boolean;
}

function messagesOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const messages = (error.problems ?? []).map(({ message }) => message);
    return messages.length === 0 ? [error.message] : messages;
  }
}

const logKind: Kind = {
  problems: (bytes) =>
    messagesOf(() =>
      readLog(Buffer.from(bytes), {
        source: "log",
        fileProblem: (path) => (path === "there" ? undefined : `there is no file "${path}"`),
      }),
    ),
  schema: compile(readSchema("log")),
};

const isSealed = compile(readSchema("manifest"));
const manifestKind: Kind = {
  problems: (bytes) => messagesOf(() => readManifest(Buffer.from(bytes), "ctx://")),
  schema: (value) => isSealed(sealed(value)),
};

/** Returns the manifest with a name filled in where a manifest has one; the rest stays as it is. */
function sealed(value: unknown): unknown {
  if (!isPlain(value)) return value;
  const copy = { ...value };
  if (typeof copy["hash"] === "string") copy["hash"] = reference;
  if (Array.isArray(copy["outputs"]))
    copy["outputs"] = copy["outputs"].map((output: unknown) =>
      isPlain(output) ? { ...output, context_pack: reference } : output,
    );
  return copy;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const sidecarKind: Kind = {
  problems(bytes) {
    const messages: string[] = [];
    const failures = messagesOf(() => {
      const reader = new JsonReader(Buffer.from(bytes));
      try {
        sidecarShape.read(reader);
        reader.end();
      } finally {
        messages.push(...reader.problems.map(({ message }) => message));
      }
    });
    messages.push(...failures);
    expect(readSidecar(Buffer.from(bytes)) === undefined).toBe(messages.length > 0);
    return messages;
  },
  schema: compile(readSchema("sidecar")),
};

const nothing = Symbol("no JSON");

/** Returns the value as any other program would see it. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return nothing;
  }
}

type Outcome = "both take it" | "both refuse it" | "only the schema takes it";

function judge(kind: Kind, bytes: Buffer): { outcome: Outcome; broken: string[] } {
  const problems = kind.problems(bytes);
  const value = parse(bytes);
  const isJson = value !== nothing;
  const fits = isJson && kind.schema(value);
  if (problems.length === 0) {
    expect(fits, "the schema refuses what the program takes").toBe(true);
    return { outcome: "both take it", broken: [] };
  }
  const found = problems.map((message) => ruleOf(message, isJson) ?? message);
  if (!isJson) expect(found.some((rule) => rule === "json" || rule === "utf-8")).toBe(true);
  if (!fits) return { outcome: "both refuse it", broken: found };
  // Of a repeated key the program reads the first value and JSON.parse the last, and what it has against the
  // first one says nothing.
  const broken = found.includes("duplicate-key") ? ["duplicate-key"] : found;
  expect(Object.keys(rules)).toEqual(expect.arrayContaining(broken));
  return { outcome: "only the schema takes it", broken };
}

/** Tries documents, and returns the outcomes that more than one in a hundred had. */
function outcomes(kind: Kind, documents: fc.Arbitrary<Buffer>, numRuns: number): Set<Outcome> {
  const seen = new Map<Outcome, number>();
  fc.assert(
    fc.property(documents, (bytes) => {
      const { outcome } = judge(kind, bytes);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }),
    { numRuns },
  );
  return new Set([...seen].flatMap(([outcome, count]) => (count > numRuns / 100 ? outcome : [])));
}

const everyOutcome = new Set<Outcome>(["both take it", "both refuse it", "only the schema takes it"]);

function logWith(fields: AnyLog): Buffer {
  return json(smallLog(fields));
}

describe("a schema and the program", () => {
  it("the schema and the program agree on logs", () => {
    expect(
      outcomes(
        logKind,
        fc.tuple(mutants(log), damage).map(([value, accident]) => bytesOf(value, accident)),
        4000,
      ),
    ).toEqual(everyOutcome);
  });

  it("the schema and the program agree on manifests", () => {
    const valid = log
      .filter((value) => logKind.problems(json(value)).length === 0)
      .map((value) => {
        const read = readLog(json(value), { source: "log", fileProblem: () => undefined });
        const manifest = buildManifest(read, "2026-02-10T12:00:00Z", () => ({
          hex: "cd".repeat(32),
          size: 3,
        }));
        return JSON.parse(canonicalText(manifest)) as unknown;
      });
    const layout = mostly<(value: unknown) => string>(
      fc.constant(canonicalText),
      fc.constantFrom(JSON.stringify, (value: unknown) => JSON.stringify(value, null, 1)),
    );
    expect(
      outcomes(
        manifestKind,
        fc.tuple(mutants(valid), layout).map(([value, form]) => Buffer.from(write(value, form))),
        1000,
      ),
    ).toEqual(everyOutcome);
  });

  it("the schema and the program agree on sidecars", () => {
    const sidecar = some(
      {
        context_pack: ref,
        inputs: fc.array(ref, { maxLength: 3 }),
        tools: fc.array(anyText, { maxLength: 3 }),
        confidence,
        notes: anyText,
      },
      "context_pack",
      "inputs",
      "tools",
    );
    expect(
      outcomes(
        sidecarKind,
        fc.tuple(mutants(sidecar), damage).map(([value, accident]) => bytesOf(value, accident)),
        1000,
      ),
    ).toEqual(everyOutcome);
  });

  it("the schema and the program agree on the configuration of a store", () => {
    const { root } = tempStore();
    const kind: Kind = {
      problems(bytes) {
        fs.writeFileSync(join(root, "config.json"), bytes);
        try {
          Store.open(root);
          return [];
        } catch (error) {
          const found = error instanceof CtxError ? (error.problems ?? []) : [];
          return found.length === 0 ? [String(error)] : found.map(({ message }) => message);
        }
      },
      schema: compile(readSchema("config")),
    };
    const config = some({ version: fc.constant("0.1"), more: free }, "version");
    // Only nesting is a rule here, and that is rare.
    expect(
      outcomes(
        kind,
        mutants(config).map((value) => Buffer.from(write(value, JSON.stringify))),
        400,
      ),
    ).toSatisfy((seen: Set<Outcome>) => seen.has("both take it") && seen.has("both refuse it"));
  });

  it("the schema and the program agree on paths of files next to the log", () => {
    const store = tempStore();
    fs.mkdirSync(join(store.folder, "sub"));
    for (const file of ["there", "sub/there"]) fs.writeFileSync(join(store.folder, file), "x");
    fs.symlinkSync("there", join(store.folder, "link"));
    const part = fc.constantFrom("there", "sub", "/", "/", ".", "..", "link", "\0", "\\", "é");
    const path = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom("there", "./there", "sub/there", "sub//there") },
      { weight: 9, arbitrary: fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")) },
    );
    const kind: Kind = {
      problems: (bytes) =>
        messagesOf(() => pack(store, { bytes, folder: store.folder }, { sidecars: false })),
      schema: (value) => logKind.schema(value),
    };
    expect(
      outcomes(
        kind,
        path.map((content_file) => json(smallLog({ prompts: [{ role: "user", content_file }] }))),
        400,
      ),
    ).toEqual(everyOutcome);
  });
});

describe("docs/schema/README.md", () => {
  const page = fs.readFileSync(join(schemaFolder, "README.md"), "utf8");
  const small = JSON.stringify(smallLog());
  const withMetadata = (text: string): Buffer => Buffer.from(small.replace(/\}$/, `,"metadata":${text}}`));
  const manifest = buildManifest(
    readLog(json(runLog()), { source: "log", fileProblem: () => undefined }),
    "2026-02-10T12:00:00Z",
    () => ({ hex: "cd".repeat(32), size: 3 }),
  );

  /** For each rule a document that breaks it and nothing else. */
  const examples: Record<keyof typeof rules, [Kind, Buffer][]> = {
    "utf-8": [[logKind, Buffer.from(small.replace("terse", "t\xe9rse"), "latin1")]],
    json: [
      [logKind, Buffer.from(`${small}{}`)],
      [sidecarKind, Buffer.from("{,}")],
    ],
    "duplicate-key": [
      [logKind, withMetadata('{"a":1,"a":1}')],
      [sidecarKind, Buffer.from(`{"context_pack":"${reference}","inputs":[],"tools":[],"x":{"a":1,"a":2}}`)],
    ],
    surrogate: [[logKind, withMetadata('{"\\udc00":1}')]],
    number: [[logKind, withMetadata('{"a":-1e400}')]],
    nesting: [[logKind, withMetadata(`{"a":${"[".repeat(999)}${"]".repeat(999)}}`)]],
    date: [
      [logKind, logWith({ created: "2023-02-29T00:00:00Z" })],
      [manifestKind, Buffer.from(canonicalText({ ...manifest, created: "2026-04-31T00:00:00Z" }))],
    ],
    year: [[logKind, logWith({ created: "9999-12-31T23:59:59-00:01" })]],
    index: [
      [logKind, logWith({ steps: [{ type: "x", index: 1 }] })],
      [manifestKind, Buffer.from(canonicalText({ ...manifest, steps: manifest.steps.slice(1) }))],
    ],
    base64: [
      [logKind, logWith({ prompts: [{ role: "user", content_base64: "AB==" }] })],
      [logKind, logWith({ prompts: [{ role: "user", content_base64: "AAA" }] })],
    ],
    "name-bytes": [
      [logKind, logWith({ inputs: [{ name: "é".repeat(128), content: "" }] })],
      [
        logKind,
        logWith({ inputs: [{ name: Array.from({ length: 1366 }, () => "é").join("/"), content: "" }] }),
      ],
    ],
    "unique-name": [
      [logKind, logWith({ outputs: [1, 2].map((each) => ({ name: "a", content: `${each}` })) })],
    ],
    file: [[logKind, logWith({ prompts: [{ role: "user", content_file: "gone" }] })]],
    canonical: [[manifestKind, Buffer.from(JSON.stringify(manifest, null, 2))]],
    hash: [[manifestKind, Buffer.from(canonicalText({ ...manifest, hash: reference }))]],
  };

  it("docs/schema/README.md lists exactly the rules that the program has beyond the schemas", () => {
    const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` +\|/gm)].map(([, id]) => id);
    expect(listed).toEqual(Object.keys(rules));
    expect(Object.keys(examples)).toEqual(listed);
  });

  it.each(Object.keys(rules))("docs/schema/README.md: %s is a rule that no schema expresses", (id) => {
    for (const [kind, bytes] of examples[id] ?? []) {
      const outcome = id === "json" ? "both refuse it" : "only the schema takes it";
      expect(judge(kind, bytes)).toEqual({ outcome, broken: [id] });
    }
  });

  it("docs/schema/README.md has every schema in its table", () => {
    const files = fs.readdirSync(schemaFolder).filter((file) => file.endsWith(".json"));
    const linked = [...page.matchAll(/^\| \[([^\]]+)\]\(\1\)/gm)].map(([, file = ""]) => file);
    expect(linked.sort()).toEqual(files.sort());
  });
});
