// The texts of a run that a search looks at: what was said, called, returned and shown, and the files before and
// after, each with the place that `ctx show` knows it by.
import type { Reference } from "../base/digest.js";
import { isObject, ExactInteger, type JsonValue } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";

/** The parts of a run that can be searched apart from the others. */
export const runParts = ["prompt", "system", "param", "output", "seen", "reasoning", "file"] as const;
export type SearchedPart = (typeof runParts)[number];

/** Where a text stands in a run. */
export interface TextPlace {
  part: SearchedPart;
  /** The step, by its index. */
  step?: number;
  /** The prompt, by its index. */
  prompt?: number;
  /** The file, or the path of the parameter. */
  name?: string;
  /** Of a file: whether the run began with it or left it. */
  role?: "input" | "output";
}

/** A text of a run: a content of the store, or a parameter, which is in the manifest. */
export type RunText = { place: TextPlace } & ({ content: Reference } | { text: string });

/** Yields the texts of a run, in the order in which a person would read them. */
export function* textsOf(manifest: Manifest, fits: (step: Step) => boolean): Generator<RunText> {
  yield { place: { part: "system" }, content: manifest.system_prompt };
  for (const [prompt, { content_ref }] of manifest.prompts.entries())
    yield { place: { part: "prompt", prompt }, content: content_ref };
  for (const { name, content_ref } of manifest.inputs)
    yield { place: { part: "file", name, role: "input" }, content: content_ref };
  for (const step of manifest.steps) if (fits(step)) yield* stepTexts(step);
  for (const { name, content_ref } of manifest.outputs)
    yield { place: { part: "file", name, role: "output" }, content: content_ref };
}

function* stepTexts(step: Step): Generator<RunText> {
  const { index, parameters, output_ref, seen_ref, tool } = step;
  for (const { name, text } of parameterTexts(parameters))
    yield { place: { part: "param", step: index, name }, text };
  if (output_ref !== undefined)
    yield { place: { part: tool === undefined ? "reasoning" : "output", step: index }, content: output_ref };
  if (seen_ref !== undefined) yield { place: { part: "seen", step: index }, content: seen_ref };
}

/** Yields the values in parameters with their paths; numbers and booleans as JSON writes them. */
export function* parameterTexts(value: JsonValue, name = ""): Generator<{ name: string; text: string }> {
  if (typeof value === "string") yield { name, text: value };
  else if (typeof value === "number" || typeof value === "boolean") yield { name, text: String(value) };
  else if (value instanceof ExactInteger) yield { name, text: value.digits };
  else if (Array.isArray(value))
    for (const [at, each] of value.entries()) yield* parameterTexts(each, `${name}[${at}]`);
  else if (value !== null && isObject(value))
    for (const [key, each] of Object.entries(value))
      yield* parameterTexts(each, name === "" ? key : `${name}.${key}`);
}
