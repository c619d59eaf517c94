// The sidecar: a small file beside an artifact that names the pack it came from. It is a claim, and no proof
// by itself.
import type { Reference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { JsonReader } from "../base/json/reader.js";
import { confidence } from "./log.js";
import type { Manifest, Output } from "./manifest.js";
import { list, object, optional, reference, required, type Shape, text } from "./shape.js";

export interface Sidecar {
  context_pack: Reference;
  inputs: Reference[];
  tools: string[];
  confidence?: "high" | "medium" | "low";
  notes?: string;
}

export const sidecarShape: Shape<Sidecar> = object(
  {
    context_pack: required(reference),
    inputs: required(list(reference)),
    tools: required(list(text())),
    confidence: optional(confidence),
    notes: optional(text()),
  },
  { open: true },
);

export function sidecarPath(artifact: string): string {
  return `${artifact}.ctx.json`;
}

/** Returns the sidecar of an output of a pack. */
export function buildSidecar(pack: Reference, manifest: Manifest, output: Output): Sidecar {
  const sidecar: Sidecar = {
    context_pack: pack,
    inputs: [...new Set(manifest.inputs.map((input) => input.content_ref))],
    tools: [...new Set(manifest.steps.flatMap((step) => step.tool ?? []))],
  };
  if (output.confidence !== undefined) sidecar.confidence = output.confidence;
  if (output.notes !== undefined) sidecar.notes = output.notes;
  return sidecar;
}

/** Returns the bytes of a sidecar file. */
export function sidecarBytes(sidecar: Sidecar): Buffer {
  return Buffer.from(`${JSON.stringify(sidecar, null, 2)}\n`);
}

/** Reads a sidecar file; returns undefined if it is not one. */
export function readSidecar(bytes: Buffer): Sidecar | undefined {
  try {
    const reader = new JsonReader(bytes);
    const sidecar = sidecarShape.read(reader);
    reader.end();
    return reader.problems.length === 0 ? sidecar : undefined;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
