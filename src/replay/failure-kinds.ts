// Compares how a call failed then and now, where the wording of the agent is known: the text of an error is
// the agent's own, but its kind is a fact about the files.
import type { StepVerdict } from "./effects.js";
import type { FailureKind, Outcome } from "./outcome.js";
import type { PlannedStep } from "./plan.js";
import { recordedText } from "./recorded-text.js";

const wordings: readonly (readonly [pattern: RegExp, kind: FailureKind])[] = [
  [
    /^String to replace not found in file|^No (?:exact )?match(?:es)? found for|^Failed to edit, (?:could not find the string|0 occurrences)|did not appear verbatim/,
    "no_match",
  ],
  [
    /^Found \d+ matches of the string to replace|^Failed to edit, [Ee]xpected \d+ occurrences? but found|Multiple occurrences of old_str/,
    "several_matches",
  ],
  [
    /^File does not exist|^(?:Error: )?File not found|^ENOENT\b|No such file or directory|^Path does not exist/,
    "no_file",
  ],
  [/^File already exists|^Cannot create (?:new )?file(?:\.|:)|already exists at/, "file_exists"],
  [
    /^(?:apply_patch verification failed: )?Failed to find (?:expected lines|context)|verification failed: Failed to find/,
    "no_match",
  ],
  [/^(?:apply_patch verification failed: )?Failed to read file to update/, "no_file"],
];

/** Returns how a call failed, by the recorded text; undefined if the wording is not known. */
function recordedKind(text: string): FailureKind | undefined {
  const plain = text
    .trimStart()
    .replace(/^<tool_use_error>|^Error: /, "")
    .slice(0, 2000);
  return wordings.find(([pattern]) => pattern.test(plain))?.[1];
}

/** Returns how a call failed now. */
function kindOf(outcome: Outcome): FailureKind | undefined {
  if (outcome.kind === "effect" && !outcome.applied) return outcome.failure;
  return outcome.kind === "failed" && outcome.reason === "missing_input" ? "no_file" : undefined;
}

/**
 * Judges a call that failed then and now: by how it failed, where the wording of the agent is known. Without
 * a checkout, a file that is not there says nothing.
 */
export function failureVerdict(
  run: { store: { root: string }; hasBase: boolean },
  { step, isImported }: PlannedStep,
  outcome: Outcome,
): StepVerdict {
  const now = kindOf(outcome);
  const before = isImported ? recordedKind(recordedText(run.store.root, step)) : undefined;
  const message = "message" in outcome ? outcome.message : "";
  const isUnknown = before === undefined || now === undefined || (now === "no_file" && !run.hasBase);
  if (isUnknown)
    return { status: "recorded", message: `failed then and now; texts were not compared: ${message}` };
  if (before === now) return { status: "matched", compared: "failure" };
  return { status: "diverged", compared: "failure", message: `it failed in another way: ${message}` };
}
