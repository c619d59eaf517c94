// A step as reports show it: its name, its call, and long texts cut.
import { cutAround } from "../base/cut.js";
import { ExactInteger, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import type { TakenStep } from "../results/drift.js";
import type { Step } from "../model/manifest.js";

/** Returns a step as it was called. */
export function takenStep({ index, type, tool, parameters, output_ref }: Step): TakenStep {
  return {
    index,
    type,
    ...(tool === undefined ? {} : { tool }),
    parameters: cutTexts(parameters) as JsonObject,
    ...(output_ref === undefined ? {} : { output_ref }),
  };
}

/** Maximum length of a text where a step is only shown; the manifest has the full text. */
const maxText = 1000;

function cutTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.length > maxText ? cutAround(value, undefined, maxText) : value;
  if (typeof value !== "object" || value === null || value instanceof ExactInteger) return value;
  if (Array.isArray(value)) return value.slice(0, maxText).map(cutTexts);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cutTexts(value[key] as JsonValue));
  return copy;
}

/** Returns the tool, or else the type. */
export function stepName(step: Step): string {
  return step.tool ?? step.type;
}
