// Packs written into a store by hand, as anyone can write them: with any number of parts.
import * as fs from "node:fs";
import { join } from "node:path";
import { canonicalBytes } from "../src/base/json/canonical.js";
import { type AnyLog } from "./logs.js";
import { putObject, sha256 } from "./provenance.js";

/** Returns a reference to a blob that no store has. */
export function absentBlob(name: string | number): string {
  return `sha256:${sha256(`absent ${name}`)}`;
}

/** A step with a tool, and the members that a test adds. */
export function madeStep(index: number, fields: AnyLog = {}): AnyLog {
  return { deterministic: false, index, parameters: {}, tool: "x", type: "tool_call", ...fields };
}

/** Writes a pack with these fields into a store, makes it the latest, and returns its hash. */
export function putPack(root: string, fields: AnyLog = {}): string {
  const manifest: AnyLog = {
    version: "0.1",
    hash: "",
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "m", parameters: {} },
    system_prompt: `sha256:${putObject(root, "system")}`,
    prompts: [],
    inputs: [],
    steps: [],
    outputs: [],
    environment: { os: "linux", runtime: "node", tool_versions: {} },
    ...fields,
  };
  const hex = putObject(root, canonicalBytes(manifest));
  const outputs = (manifest["outputs"] as AnyLog[]).map((output) => ({
    ...output,
    context_pack: `sha256:${hex}`,
  }));
  const sealed = { ...manifest, hash: `sha256:${hex}`, outputs };
  fs.writeFileSync(join(root, "packs", hex), canonicalBytes(sealed), { mode: 0o444 });
  fs.writeFileSync(join(root, "refs/latest"), `sha256:${hex}\n`);
  return hex;
}
