// Compares the output of a replayed step with the recorded one.
import { hexOf, type Reference, sha256, toReference } from "../base/digest.js";
import type { ComparedPart, ReplayedStep } from "../results/replay.js";
import { type MatchRules, matchBy } from "./rules/rule.js";

export interface StepOutput {
  bytes: Buffer;
  compared: ComparedPart;
}

export interface RecordedOutput {
  reference: Reference;
  /** Reads the recorded bytes; called only if hashes differ. */
  read(): Buffer;
}

export interface CompareOutputOptions {
  /** How the call's end contradicts the log, if it does: then equal bytes are not a match. */
  contradiction: string | undefined;
  rules: MatchRules;
  /** Returns a few lines that show how two outputs differ. */
  difference: (expected: Buffer, actual: Buffer) => string | undefined;
}

type OutputVerdict = Pick<
  ReplayedStep,
  "status" | "compared" | "expected_hash" | "actual_hash" | "normalised" | "message" | "diff"
>;

/** Returns whether an output matches the record. */
export function compareOutput(
  actual: StepOutput,
  recorded: RecordedOutput,
  options: CompareOutputOptions,
): OutputVerdict {
  const hashes = { expected_hash: recorded.reference, actual_hash: toReference(sha256(actual.bytes)) };
  const end = options.contradiction;
  if (hexOf(hashes.actual_hash) === hexOf(recorded.reference))
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: actual.compared,
      ...hashes,
      ...message(end),
    };
  const expected = recorded.read();
  const match = matchBy(options.rules, expected, actual.bytes);
  if (match !== undefined) {
    if (end === undefined) match.accept();
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: match.compared,
      ...hashes,
      ...(match.used.length === 0 ? {} : { normalised: match.used }),
      ...message(end),
    };
  }
  const diff = options.difference(expected, actual.bytes);
  return {
    status: "diverged",
    compared: actual.compared,
    ...hashes,
    ...message(end),
    ...(diff === undefined ? {} : { diff }),
  };
}

function message(text: string | undefined): { message?: string } {
  return text === undefined ? {} : { message: text };
}
