// Compares the output of a replayed step with the recorded one.
import { hexOf, type Reference, sha256, toReference } from "../base/digest.js";
import type { ComparedPart, ReplayedStep } from "../results/replay.js";
import { equalAfter, type Normaliser } from "./normalise.js";

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
  normalisers: readonly Normaliser[];
  /** Removed from lines before they are compared. */
  workdir: string;
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
  if (actual.compared === "lines" && sortedLines(expected, options) === sortedLines(actual.bytes, options))
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: "lines",
      ...hashes,
      ...message(end),
    };
  const normalised = equalAfter(expected, actual.bytes, options.normalisers);
  if (normalised !== undefined)
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: "normalised",
      ...hashes,
      normalised,
      ...message(end),
    };
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

/** Returns the sorted lines, without the run's own folder in them. */
function sortedLines(bytes: Buffer, { workdir }: CompareOutputOptions): string {
  const lines = bytes
    .toString("latin1")
    .split("\n")
    .map((line) => (line.startsWith(`${workdir}/`) ? line.slice(workdir.length + 1) : line).trimEnd())
    .filter((line) => line !== "");
  return [...new Set(lines)].sort().join("\n");
}
