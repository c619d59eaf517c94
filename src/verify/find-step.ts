// Finds the recorded step that wrote some bytes: one whose parameters contain them whole.
import { hexOf, type Reference, sha256 } from "../base/digest.js";
import { ExactInteger, type JsonValue } from "../base/json/value.js";
import { basename } from "node:path";
import type { Manifest, Step } from "../model/manifest.js";
import type { Claim } from "../results/verify.js";

export function stepThatWrote(manifest: Manifest, hash: Reference, size: number, path: string): Claim {
  const wrote = manifest.steps.filter(
    (step) => step.tool !== undefined && holds(step.parameters, hash, size),
  );
  // Of several the last one counts, and one that names the file before one that does not.
  const step = wrote.findLast((each) => names(each, path)) ?? wrote.at(-1);
  if (step === undefined)
    return {
      claim: "step",
      answer: "not_checked",
      detail: "no single step contains all these bytes; ctx does not reconstruct files from edits",
    };
  const remark = names(step, path) ? "" : ", which does not name this file";
  return {
    claim: "step",
    answer: "yes",
    detail: `step ${step.index} (${step.tool}) received these bytes${remark}`,
  };
}

/** Returns whether a text somewhere in the value is these bytes. Only one of the right length is hashed. */
function holds(value: JsonValue, hash: Reference, size: number): boolean {
  if (typeof value === "string")
    return (
      value.length <= size &&
      value.length * 3 >= size &&
      Buffer.byteLength(value) === size &&
      sha256(Buffer.from(value)) === hexOf(hash)
    );
  if (typeof value !== "object" || value === null || value instanceof ExactInteger) return false;
  return Object.values(value).some((item) => holds(item, hash, size));
}

function names(step: Step, path: string): boolean {
  return Object.values(step.parameters).some(
    (value) => typeof value === "string" && value.length < 4096 && basename(value) === basename(path),
  );
}
