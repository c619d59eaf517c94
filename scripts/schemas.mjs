// Writes docs/schema. A document that ctx reads takes its schema from the shape that reads it; what --json
// prints takes it from its TypeScript type. Part of `npm run docs`, and a program: `node
// scripts/schemas.mjs`, or with `--check` to list the files that are out of date. ADR 17 says why.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";
import { load, root } from "./load.mjs";

const folder = join(root, "docs/schema");

/**
 * The type of each printed result, by the name of its schema. `@title` and the first line of its comment are
 * the schema's.
 */
const results = {
  "pack-format": "FormatResult",
  "found-session": "FoundSession",
  "export-as-result": "ExportAsResult",
  "hook-result": "HookResult",
  "init-result": "InitResult",
  "pack-result": "PackResult",
  "log-entry": "LogEntry",
  "show-part": "ShowPartResult",
  "show-files": "ShowFilesResult",
  "followed-part": "FollowedPart",
  "cat-result": "CatResult",
  "tag-result": "TagResult",
  "title-result": "TitleResult",
  "diff-result": "DriftReport",
  "fork-result": "ForkResult",
  "replay-result": "ReplayReport",
  "replay-plan": "ReplayPlan",
  "trust-result": "TrustResult",
  "status-result": "StatusResult",
  "verify-result": "VerifyResult",
  "scan-result": "ScanResult",
  "rm-result": "RmResult",
  "export-result": "ExportResult",
  "import-result": "ImportResult",
  "push-result": "PushResult",
  "pull-result": "PullResult",
  "remote-ls-result": "LsResult",
  "remote-result": "RemoteResult",
  "gc-result": "GcResult",
  "completion-result": "CompletionResult",
  "doctor-result": "DoctorResult",
  error: "ErrorLine",
  notice: "NoticeLine",
};

/** Rules across fields that a type does not express. */
const rules = {
  // A damaged pack, and one that a newer ctx wrote, has nulls; every other pack has values.
  "log-entry": {
    if: { anyOf: [{ properties: { damaged: { const: true } } }, { required: ["newer"] }] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: typed("null", "null", "null") },
    else: { properties: typed("string", "string", "integer") },
  },
};

function typed(created, model, steps) {
  return { created: { type: created }, model: { type: model }, steps: { type: steps } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "--check") await checkSchemas();
  else await writeSchemas();
}

/** Writes every schema, and removes files that no schema has any more. */
export async function writeSchemas() {
  mkdirSync(folder, { recursive: true });
  for (const { name, text, state } of await compareSchemas()) {
    const path = join(folder, name);
    if (state === "removed") rmSync(path);
    else if (state === "rewritten") writeFileSync(path, text);
    console.log(`${state.padEnd(9)}  docs/schema/${name}`);
  }
}

async function checkSchemas() {
  const stale = (await compareSchemas()).filter(({ state }) => state !== "unchanged");
  for (const { name } of stale) console.log(`docs/schema/${name}`);
  if (stale.length > 0) process.exitCode = 1;
}

/** Compares each schema with its file; state is unchanged, rewritten or removed: what writing it would do. */
async function compareSchemas() {
  const present = readdirSync(folder).filter((name) => name.endsWith(".schema.json"));
  const schemas = await makeSchemas();
  const removed = present.filter((name) => !schemas.has(name)).map((name) => ({ name, state: "removed" }));
  const made = [...schemas].map(([name, text]) => {
    const isCurrent = present.includes(name) && readFileSync(join(folder, name), "utf8") === text;
    return { name, text, state: isCurrent ? "unchanged" : "rewritten" };
  });
  return [...removed, ...made];
}

/** Returns the text of every schema by its file name. */
async function makeSchemas() {
  const { configShape, logShape, reference, sealedSchema, sidecarShape, stepShape, utcTime, count } =
    await load([
      "./src/model/config.ts",
      "./src/model/log.ts",
      "./src/model/read-manifest.ts",
      "./src/model/shape.ts",
      "./src/model/sidecar.ts",
    ]);
  const documents = {
    log: {
      title: "Execution log",
      description: "One finished agent run: what `ctx pack` takes.",
      ...logShape.schema,
    },
    manifest: {
      title: "Sealed manifest",
      description: "One run, pointing at its contents: what `ctx show --json` prints and `packs/` holds.",
      ...sealedSchema(),
    },
    sidecar: {
      title: "Sidecar",
      description: "`<artifact>.ctx.json`: the pack that an artifact came from.",
      ...sidecarShape.schema,
    },
    config: {
      title: "Store configuration",
      description: "`config.json` of a store.",
      ...configShape.schema,
    },
  };
  // Types whose values the program reads with a shape have the schema of that shape: a type does not express
  // a pattern.
  const shaped = {
    Reference: reference.schema,
    UtcTime: utcTime.schema,
    Step: stepShape.schema,
    JsonValue: {},
    JsonObject: { type: "object" },
  };
  const generator = createGenerator({
    path: join(root, "src/results/*.ts"),
    tsconfig: join(root, "tsconfig.json"),
    skipTypeCheck: true,
    topRef: false,
    jsDoc: "extended",
    extraTags: ["contentEncoding"],
    additionalProperties: true,
    sortProps: false,
  });
  const printed = Object.entries(results).map(([name, type]) => {
    const { definitions = {}, ...schema } = generator.createSchema(type);
    const { $schema: _draft, title, description, ...body } = modern(schema, count.schema);
    const $defs = reachable(body, modern({ ...definitions }, count.schema), shaped);
    const isAlone = Object.keys($defs).length === 0;
    return [name, { title, description, ...body, ...rules[name], ...(isAlone ? {} : { $defs }) }];
  });
  return new Map(
    [...Object.entries(documents), ...printed].map(([name, schema]) => {
      const $id = `${name}.schema.json`;
      const $schema = "https://json-schema.org/draft/2020-12/schema";
      return [$id, `${JSON.stringify({ $schema, $id, ...schema }, null, 2)}\n`];
    }),
  );
}

/**
 * Returns a schema of draft 7 as one of draft 2020-12, and adds two facts that types do not express: every
 * number in a result is a count, and no value is of two members of a union.
 */
function modern(schema, count) {
  if (Array.isArray(schema)) return schema.map((item) => modern(item, count));
  if (typeof schema !== "object" || schema === null) return schema;
  const result = {};
  for (const [key, value] of Object.entries(schema))
    if (key === "$ref") result.$ref = value.replace("#/definitions/", "#/$defs/");
    else result[key === "anyOf" ? "oneOf" : key] = modern(value, count);
  const isNumber = result.type === "number" || (Array.isArray(result.type) && result.type.includes("number"));
  if (!isNumber) return result;
  const type =
    result.type === "number"
      ? count.type
      : result.type.map((each) => (each === "number" ? count.type : each));
  const isFixed = "enum" in result || "const" in result;
  return { ...(isFixed ? {} : count), ...result, type };
}

/** Returns the definitions that a schema refers to, directly or through another, in order of first use. */
function reachable(schema, definitions, shaped) {
  const found = {};
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key !== "$ref" || typeof inner !== "string") {
        visit(inner);
        continue;
      }
      const name = decodeURIComponent(inner.slice("#/$defs/".length));
      if (Object.hasOwn(found, name)) continue;
      found[name] = shaped[name] ?? definitions[name];
      visit(found[name]);
    }
  };
  visit(schema);
  return found;
}
