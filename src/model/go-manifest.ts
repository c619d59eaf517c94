// Manifests written by the first implementation, in Go. They are not canonical and say "nothing" in other ways (null, an
// empty reference, the year 1); here they become ordinary manifests for reading. They are never rewritten.
import { canonicalText } from "../base/canonical.js";
import { isReference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import { formatVersion, type Manifest, type Output, type Step } from "./manifest.js";
import { notAManifest, otherVersion, parseWith } from "./read-manifest.js";
import { parseTime } from "./times.js";

const noTime = "0001-01-01T00:00:00Z";

/** Reads a manifest of the Go implementation; throws when it is not one. */
export function readGoManifest(bytes: Buffer, name: string): Manifest {
  const { manifest: value, reader } = parseWith(bytes, name, (at) => at.value());
  if (reader.problems.length > 0) throw notAManifest(name, reader.problems);
  const root = objectOf(value);
  if (root["version"] !== formatVersion) throw otherVersion(name);
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
