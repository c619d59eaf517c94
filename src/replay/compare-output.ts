// Compares the output of a replayed step with the recorded one.
import { hexOf, type Reference, sha256, toReference } from "../base/digest.js";
import type { Compared, ReplayedStep } from "../results/replay.js";
import { equalAfter, type Normaliser } from "./normalise.js";

export interface Given {
  bytes: Buffer;
  compared: Compared;
}

export interface Record {
  reference: Reference;
  /** Reads the recorded bytes; called only if hashes differ. */
  read(): Buffer;
}

export interface JudgeOptions {
  /** How the call's end contradicts the log, if it does: then equal bytes are not a match. */
  contradicted: string | undefined;
  normalisers: readonly Normaliser[];
  /** Removed from lines before they are compared. */
  workdir: string;
  /** Returns a few lines that show how two outputs differ. */
  difference: (expected: Buffer, actual: Buffer) => string | undefined;
}

type Verdict = Pick<
  ReplayedStep,
  "status" | "compared" | "expected_hash" | "actual_hash" | "normalised" | "message" | "diff"
>;

/** Returns whether an output matches the record. */
export function judgeOutput(given: Given, record: Record, options: JudgeOptions): Verdict {
  const hashes = { expected_hash: record.reference, actual_hash: toReference(sha256(given.bytes)) };
  const end = options.contradicted;
  if (hexOf(hashes.actual_hash) === hexOf(record.reference))
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: given.compared,
      ...hashes,
      ...message(end),
    };
  const expected = record.read();
  if (given.compared === "lines" && linesOf(expected, options) === linesOf(given.bytes, options))
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: "lines",
      ...hashes,
      ...message(end),
    };
  const normalised = equalAfter(expected, given.bytes, options.normalisers);
  if (normalised !== undefined)
    return {
      status: end === undefined ? "matched" : "diverged",
      compared: "normalised",
      ...hashes,
      normalised,
      ...message(end),
    };
  const diff = options.difference(expected, given.bytes);
  return {
    status: "diverged",
    compared: given.compared,
    ...hashes,
    ...message(end),
    ...(diff === undefined ? {} : { diff }),
  };
}

function message(text: string | undefined): { message?: string } {
  return text === undefined ? {} : { message: text };
}

/** Returns the sorted lines, without the run's own folder in them. */
function linesOf(bytes: Buffer, { workdir }: JudgeOptions): string {
  const lines = bytes
    .toString("latin1")
    .split("\n")
    .map((line) => (line.startsWith(`${workdir}/`) ? line.slice(workdir.length + 1) : line).trimEnd())
    .filter((line) => line !== "");
  return [...new Set(lines)].sort().join("\n");
}
