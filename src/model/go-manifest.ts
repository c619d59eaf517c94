// Reads manifests written by the first implementation, in Go. They are not canonical and express missing
// values in other ways (null, an empty reference, the year 1); this reader converts them to ordinary
// manifests in memory. They are never rewritten. The reader is lenient and drops unknown keys, so it accepts
// only objects whose every key is one that the Go program writes.
import { canonicalText } from "../base/json/canonical.js";
import { isReference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { formatVersion, type Manifest, type Output, type Step } from "./manifest.js";
import { notAManifest, parseWith } from "./read-manifest.js";
import { parseTime } from "./times.js";

const noTime = "0001-01-01T00:00:00Z";

/** Reads a manifest of the Go implementation; throws if it is not one. */
export function readGoManifest(bytes: Buffer, name: string): Manifest {
  const { manifest: value, reader } = parseWith(bytes, name, (at) => at.value());
  if (reader.problems.length > 0) throw notAManifest(name, reader.problems);
  const root = objectOrEmpty(value);
  const problems = foreignKeys(root).map((path) => ({
    path,
    message: "the Go implementation, which its entry in packs/ names, never writes this",
  }));
  if (root["version"] !== formatVersion)
    problems.push({ path: "version", message: `must be "${formatVersion}"` });
  if (problems.length > 0) throw notAManifest(name, problems);
  const model = objectOrEmpty(root["model"]);
  const environment = objectOrEmpty(root["environment"]);
  const manifest: Manifest = {
    version: formatVersion,
    hash: "",
    created: readTime(root["created"], name),
    model: {
      identifier: readIdentifier(model["identifier"], name),
      parameters: objectOrEmpty(model["parameters"]),
    },
    system_prompt: readReference(root["system_prompt"], name),
    prompts: objectItems(root["prompts"]).map((prompt) => ({
      role: textOrEmpty(prompt["role"]),
      content_ref: readReference(prompt["content_ref"], name),
    })),
    inputs: objectItems(root["inputs"]).map((input) => ({
      name: textOrEmpty(input["name"]),
      content_ref: readReference(input["content_ref"], name),
      size: readSize(input["size"], name),
    })),
    steps: objectItems(root["steps"]).map((step, position) => readStep(step, position, name)),
    outputs: objectItems(root["outputs"]).map((output) => readOutput(output, name)),
    environment: {
      os: textOrEmpty(environment["os"]),
      runtime: textOrEmpty(environment["runtime"]),
      tool_versions: Object.fromEntries(
        Object.entries(objectOrEmpty(environment["tool_versions"])).map(([tool, version]) => [
          tool,
          textOrEmpty(version),
        ]),
      ),
    },
  };
  const parent = root["parent"];
  if (typeof parent === "string" && parent !== "") manifest.parent = readReference(parent, name);
  return manifest;
}

/**
 * The keys that the Go program writes, by part of the manifest. Below `parameters` and `tool_versions`, any
 * key is data.
 */
const goKeys = {
  root: keys("version hash created model system_prompt prompts inputs steps outputs environment parent"),
  model: keys("identifier parameters"),
  environment: keys("os runtime tool_versions"),
  prompts: keys("role content_ref"),
  inputs: keys("name content_ref size"),
  steps: keys("index type tool parameters output_ref deterministic timestamp"),
  outputs: keys("name content_ref context_pack"),
};

function keys(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

/** The most unknown keys that an error lists. */
const maxForeignKeys = 20;

/**
 * Returns the paths of the first keys that the Go program never writes; empty if it could have written them
 * all.
 */
export function foreignKeys(manifest: object): string[] {
  const found: string[] = [];
  const collectUnknown = (value: unknown, known: ReadonlySet<string>, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value))
      if (!known.has(key) && found.length < maxForeignKeys) found.push(`${path}${key}`);
  };
  const { root, model, environment, ...lists } = goKeys;
  const members = manifest as Readonly<Record<string, unknown>>;
  collectUnknown(members, root, "");
  collectUnknown(members["model"], model, "model.");
  collectUnknown(members["environment"], environment, "environment.");
  for (const [name, known] of Object.entries(lists)) {
    const items: unknown = members[name];
    if (Array.isArray(items)) items.forEach((item, at) => collectUnknown(item, known, `${name}[${at}].`));
  }
  return found;
}

function readStep(step: JsonObject, position: number, name: string): Step {
  const result: Step = {
    index: position,
    type: textOrEmpty(step["type"]),
    parameters: objectOrEmpty(step["parameters"]),
    deterministic: step["deterministic"] === true,
  };
  if (textOrEmpty(step["tool"]) !== "") result.tool = textOrEmpty(step["tool"]);
  if (textOrEmpty(step["output_ref"]) !== "") result.output_ref = readReference(step["output_ref"], name);
  const timestamp = textOrEmpty(step["timestamp"]);
  if (timestamp !== "" && timestamp !== noTime) result.timestamp = readTime(timestamp, name);
  return result;
}

function readOutput(output: JsonObject, name: string): Output {
  return { name: textOrEmpty(output["name"]), content_ref: readReference(output["content_ref"], name) };
}

function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

function objectItems(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOrEmpty) : [];
}

function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function readIdentifier(value: JsonValue | undefined, name: string): string {
  if (textOrEmpty(value) !== "") return textOrEmpty(value);
  throw notAManifest(name, [{ path: "model.identifier", message: "must not be empty" }]);
}

function readSize(value: JsonValue | undefined, name: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw notAManifest(name, [{ path: "inputs", message: `${canonicalText(value ?? null)} is not a size` }]);
}

function readTime(value: JsonValue | undefined, name: string): string {
  const time = parseTime(textOrEmpty(value));
  if (typeof time !== "string") return time.text;
  throw notAManifest(name, [{ path: "", message: `${canonicalText(value ?? null)} ${time}` }]);
}

function readReference(value: JsonValue | undefined, name: string): `sha256:${string}` {
  if (typeof value === "string" && isReference(value)) return value;
  throw notAManifest(name, [{ path: "", message: `${canonicalText(value ?? null)} is not a reference` }]);
}
