// A pack as the exporters see it: its parts in the order in which they happened, with their texts.
import { isUtf8 } from "node:buffer";
import type { Reference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { Losses } from "./losses.js";

export interface ExportedRun {
  hash: Reference;
  manifest: Manifest;
  read(reference: Reference): Buffer;
  /** The run of a sub-agent, if the store has it. */
  sub(reference: Reference): ExportedRun | undefined;
}

/** What happened, one thing after the other. */
export type Entry =
  | { kind: "system"; text: string }
  | { kind: "prompt"; text: string; role: string; index: number }
  | { kind: "context" | "message" | "reasoning"; text: string | undefined; step: Step }
  | { kind: "call"; call: Call; step: Step }
  /** A result whose call is not there. */
  | { kind: "result"; call: Call; step: Step };

export interface Call {
  id: string;
  tool: string;
  parameters: JsonObject;
  /** Undefined when it was never answered. */
  output: string | undefined;
  /** What the model was shown, if that is another thing. */
  seen: string | undefined;
  /** The output itself, where it is no text. */
  bytes: Buffer | undefined;
}

/** Prompts stand before the steps that answer them. */
export function* entriesOf(run: ExportedRun, losses: Losses): Generator<Entry> {
  const { manifest } = run;
  const system = textOf(run, manifest.system_prompt);
  if (system !== undefined && system !== "") yield { kind: "system", text: system };
  let asked = 0;
  const prompts = function* (until: number): Generator<Entry> {
    for (; asked < Math.min(until, manifest.prompts.length); asked++) {
      const { role, content_ref } = manifest.prompts[asked] as Manifest["prompts"][number];
      const text = textOf(run, content_ref);
      if (text === undefined) losses.lose("prompts that are no text");
      yield { kind: "prompt", role, text: text ?? "", index: asked };
    }
  };
  for (const step of manifest.steps) {
    const turn = step.metadata?.["turn"];
    yield* prompts(typeof turn === "number" ? turn + 1 : manifest.prompts.length);
    yield entryOf(run, step);
  }
  yield* prompts(manifest.prompts.length);
}

function entryOf(run: ExportedRun, step: Step): Entry {
  const { type } = step;
  if (type === "message" || type === "reasoning" || type === "context")
    return { kind: type, text: optionalText(run, step.output_ref), step };
  const isAlone = type === "tool_result" && step.tool === undefined;
  const output = optionalText(run, step.output_ref);
  const call: Call = {
    id: callId(step),
    tool: step.tool ?? (isAlone ? "unknown" : type),
    parameters: step.parameters,
    output: step.output_ref === undefined ? undefined : (output ?? ""),
    seen: optionalText(run, step.seen_ref),
    bytes: step.output_ref !== undefined && output === undefined ? run.read(step.output_ref) : undefined,
  };
  return { kind: isAlone ? "result" : "call", call, step };
}

function callId(step: Step): string {
  const id = step.metadata?.["call_id"];
  return typeof id === "string" && id !== "" ? id : `step-${step.index}`;
}

function optionalText(run: ExportedRun, reference: Reference | undefined): string | undefined {
  return reference === undefined ? undefined : textOf(run, reference);
}

/** A blob as text; undefined when it is none. */
function textOf(run: ExportedRun, reference: Reference): string | undefined {
  const bytes = run.read(reference);
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** What a run says of itself under a name. */
export function about({ metadata }: Manifest, ...path: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = metadata;
  for (const key of path) {
    if (value === undefined || !isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function aboutText(manifest: Manifest, ...path: string[]): string | undefined {
  const value = about(manifest, ...path);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function aboutNumber(manifest: Manifest, ...path: string[]): number | undefined {
  const value = about(manifest, ...path);
  return typeof value === "number" ? value : undefined;
}
