// Manifests written by the first implementation, in Go. They are not canonical and say "nothing" in other ways (null, an
// empty reference, the year 1); here they become ordinary manifests for reading. They are never rewritten. This reader is lenient
// and drops what it does not know, so it reads only objects whose every key is one that the Go program writes.
import { canonicalText } from "../base/json/canonical.js";
import { isReference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import { formatVersion, type Manifest, type Output, type Step } from "./manifest.js";
import { notAManifest, parseWith } from "./read-manifest.js";
import { parseTime } from "./times.js";

const noTime = "0001-01-01T00:00:00Z";

/** Reads a manifest of the Go implementation; throws when it is not one. */
export function readGoManifest(bytes: Buffer, name: string): Manifest {
  const { manifest: value, reader } = parseWith(bytes, name, (at) => at.value());
  if (reader.problems.length > 0) throw notAManifest(name, reader.problems);
  const root = objectOf(value);
  const problems = foreignKeys(root).map((path) => ({
    path,
    message: "the Go implementation, which its entry in packs/ names, never writes this",
  }));
  if (root["version"] !== formatVersion)
    problems.push({ path: "version", message: `must be "${formatVersion}"` });
  if (problems.length > 0) throw notAManifest(name, problems);
  const model = objectOf(root["model"]);
  const environment = objectOf(root["environment"]);
  const manifest: Manifest = {
    version: formatVersion,
    hash: "",
    created: timeOf(root["created"], name),
    model: { identifier: identifierOf(model["identifier"], name), parameters: objectOf(model["parameters"]) },
    system_prompt: referenceOf(root["system_prompt"], name),
    prompts: items(root["prompts"]).map((prompt) => ({
      role: textOf(prompt["role"]),
      content_ref: referenceOf(prompt["content_ref"], name),
    })),
    inputs: items(root["inputs"]).map((input) => ({
      name: textOf(input["name"]),
      content_ref: referenceOf(input["content_ref"], name),
      size: sizeOf(input["size"], name),
    })),
    steps: items(root["steps"]).map((step, position) => stepOf(step, position, name)),
    outputs: items(root["outputs"]).map((output) => outputOf(output, name)),
    environment: {
      os: textOf(environment["os"]),
      runtime: textOf(environment["runtime"]),
      tool_versions: Object.fromEntries(
        Object.entries(objectOf(environment["tool_versions"])).map(([tool, version]) => [
          tool,
          textOf(version),
        ]),
      ),
    },
  };
  const parent = root["parent"];
  if (typeof parent === "string" && parent !== "") manifest.parent = referenceOf(parent, name);
  return manifest;
}

/** Every key that the Go program writes, by the part of the manifest; below `parameters` and `tool_versions` any key is data. */
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

/** How many are named. */
const mostForeign = 20;

/** Paths of keys that the Go program never writes, the first of them; none where it could have written this manifest. */
export function foreignKeys(manifest: object): string[] {
  const found: string[] = [];
  const look = (value: unknown, known: ReadonlySet<string>, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value))
      if (!known.has(key) && found.length < mostForeign) found.push(`${path}${key}`);
  };
  const { root, model, environment, ...lists } = goKeys;
  const held = manifest as Readonly<Record<string, unknown>>;
  look(held, root, "");
  look(held["model"], model, "model.");
  look(held["environment"], environment, "environment.");
  for (const [name, known] of Object.entries(lists)) {
    const items: unknown = held[name];
    if (Array.isArray(items)) items.forEach((item, at) => look(item, known, `${name}[${at}].`));
  }
  return found;
}

function stepOf(step: JsonObject, position: number, name: string): Step {
  const result: Step = {
    index: position,
    type: textOf(step["type"]),
    parameters: objectOf(step["parameters"]),
    deterministic: step["deterministic"] === true,
  };
  if (textOf(step["tool"]) !== "") result.tool = textOf(step["tool"]);
  if (textOf(step["output_ref"]) !== "") result.output_ref = referenceOf(step["output_ref"], name);
  const timestamp = textOf(step["timestamp"]);
  if (timestamp !== "" && timestamp !== noTime) result.timestamp = timeOf(timestamp, name);
  return result;
}

function outputOf(output: JsonObject, name: string): Output {
  return { name: textOf(output["name"]), content_ref: referenceOf(output["content_ref"], name) };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

function items(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function identifierOf(value: JsonValue | undefined, name: string): string {
  if (textOf(value) !== "") return textOf(value);
  throw notAManifest(name, [{ path: "model.identifier", message: "must not be empty" }]);
}

function sizeOf(value: JsonValue | undefined, name: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw notAManifest(name, [{ path: "inputs", message: `${canonicalText(value ?? null)} is not a size` }]);
}

function timeOf(value: JsonValue | undefined, name: string): string {
  const time = parseTime(textOf(value));
  if (typeof time !== "string") return time.text;
  throw notAManifest(name, [{ path: "", message: `${canonicalText(value ?? null)} ${time}` }]);
}

function referenceOf(value: JsonValue | undefined, name: string): `sha256:${string}` {
  if (typeof value === "string" && isReference(value)) return value;
  throw notAManifest(name, [{ path: "", message: `${canonicalText(value ?? null)} is not a reference` }]);
}
