// A pack as the exporters see it: its parts in the order in which they happened, with their texts.
import { isUtf8 } from "node:buffer";
import type { Reference } from "../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { Losses } from "./losses.js";

export interface ExportedRun {
  hash: Reference;
  manifest: Manifest;
  read(reference: Reference): Buffer;
  /** Returns the run of a sub-agent, if the store has it. */
  sub(reference: Reference): ExportedRun | undefined;
}

/** One element of the run, in the order in which it happened. */
export type RunElement =
  | { kind: "system"; text: string }
  | { kind: "prompt"; text: string; role: string; index: number }
  | { kind: "context" | "message" | "reasoning"; text: string | undefined; step: Step }
  | { kind: "call"; call: ExportedCall; step: Step }
  /** A result whose call is missing. */
  | { kind: "result"; call: ExportedCall; step: Step };

export interface ExportedCall {
  id: string;
  tool: string;
  parameters: JsonObject;
  /** Undefined if the call was never answered. */
  output: string | undefined;
  /** The text that the model saw, if it differs from the output. */
  seen: string | undefined;
  /** The output itself, if it is not text. */
  bytes: Buffer | undefined;
}

/** Yields the entries of a run. Prompts come before the steps that answer them. */
export function* runElements(run: ExportedRun, losses: Losses): Generator<RunElement> {
  const { manifest } = run;
  const system = blobText(run, manifest.system_prompt);
  if (system === undefined) losses.add("a system prompt that is not text");
  if (system !== undefined && system !== "") yield { kind: "system", text: system };
  let nextPrompt = 0;
  const prompts = function* (until: number): Generator<RunElement> {
    for (; nextPrompt < Math.min(until, manifest.prompts.length); nextPrompt++) {
      const { role, content_ref } = manifest.prompts[nextPrompt] as Manifest["prompts"][number];
      const text = blobText(run, content_ref);
      if (text === undefined) losses.add("prompts that are not text");
      yield { kind: "prompt", role, text: text ?? "", index: nextPrompt };
    }
  };
  for (const step of manifest.steps) {
    const turn = step.metadata?.["turn"];
    yield* prompts(typeof turn === "number" ? turn + 1 : manifest.prompts.length);
    yield stepElement(run, step, losses);
  }
  yield* prompts(manifest.prompts.length);
}

function stepElement(run: ExportedRun, step: Step, losses: Losses): RunElement {
  const { type } = step;
  const output = optionalText(run, step.output_ref);
  if (type === "message" || type === "reasoning" || type === "context") {
    if (type === "reasoning" && isBinary(step, output)) losses.add("reasoning that is not text");
    return { kind: type, text: output, step };
  }
  const isAlone = type === "tool_result" && step.tool === undefined;
  const seen = optionalText(run, step.seen_ref);
  if (step.seen_ref !== undefined && seen === undefined)
    losses.add("what the model was shown, where it is not text");
  const call: ExportedCall = {
    id: callId(step),
    tool: step.tool ?? (isAlone ? "unknown" : type),
    parameters: step.parameters,
    output: step.output_ref === undefined ? undefined : (output ?? ""),
    seen,
    bytes: step.output_ref !== undefined && output === undefined ? run.read(step.output_ref) : undefined,
  };
  return { kind: isAlone ? "result" : "call", call, step };
}

/** Returns whether a step has an output that is not text. */
function isBinary({ output_ref }: Step, text: string | undefined): boolean {
  return output_ref !== undefined && text === undefined;
}

/**
 * Returns the text of an entry, for a format that holds texts only; output that is not text counts as lost.
 */
export function textIn(
  { kind, text, step }: { kind: string; text: string | undefined; step: Step },
  losses: Losses,
): string {
  if (isBinary(step, text)) losses.add(`${kind}s that are not text`);
  return text ?? "";
}

/**
 * Returns whether an entry is reasoning that was left out of the log, or recorded in a form that only the
 * provider can read.
 */
export function isHidden(entry: RunElement): boolean {
  return entry.kind === "reasoning" && entry.text === undefined && entry.step.output_ref === undefined;
}

/** Records as lost what neither a chat nor spans can express. */
export function recordLosses({ manifest }: ExportedRun, losses: Losses): void {
  const { steps, prompts, inputs, outputs, parent } = manifest;
  losses.add(
    "roles of prompts, which became the user's",
    prompts.filter(({ role }) => role !== "user").length,
  );
  losses.add("contexts, which became system messages", steps.filter(({ type }) => type === "context").length);
  losses.add("runs of sub-agents", steps.filter(({ pack }) => pack !== undefined).length);
  losses.add(
    "metadata of steps (turns, folders, exit statuses)",
    steps.filter(({ metadata }) => metadata !== undefined).length,
  );
  losses.add("files before the run (inputs)", inputs.length);
  losses.add("files after the run (outputs)", outputs.filter(({ name }) => name !== ".answer.md").length);
  if (parent !== undefined) losses.add("the parent pack");
}

function callId(step: Step): string {
  const id = step.metadata?.["call_id"];
  return typeof id === "string" && id !== "" ? id : `step-${step.index}`;
}

function optionalText(run: ExportedRun, reference: Reference | undefined): string | undefined {
  return reference === undefined ? undefined : blobText(run, reference);
}

/** Returns a blob as text; undefined if it is not text. */
function blobText(run: ExportedRun, reference: Reference): string | undefined {
  const bytes = run.read(reference);
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** Returns the value at a path of the run's metadata. */
export function metadataAt({ metadata }: Manifest, ...path: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = metadata;
  for (const key of path) {
    if (value === undefined || !isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function metadataText(manifest: Manifest, ...path: string[]): string | undefined {
  const value = metadataAt(manifest, ...path);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function metadataNumber(manifest: Manifest, ...path: string[]): number | undefined {
  const value = metadataAt(manifest, ...path);
  return typeof value === "number" ? value : undefined;
}
