// Helpers of `ctx scan`: input that can be read once, findings of two readings of a file, and outputs that
// may be secrets.
import type { Reference } from "../base/digest.js";
import type { ContentOrigin, Manifest } from "../model/manifest.js";
import type { ScanFind, ScannedTarget } from "../results/scan.js";
import type { Printing } from "./printing.js";
import { StepPrintings } from "./step-printings.js";

/** How much of standard input is held to be read as a log. */
const maxInputSize = 1 << 28;

/** Keeps pieces that can be read only once, unless they are too large in total. */
export class HeldInput {
  readonly #pieces: Iterable<Buffer>;
  readonly all: Buffer[] = [];
  isWhole = true;

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces;
  }

  *pieces(): Generator<Buffer> {
    let size = 0;
    for (const piece of this.#pieces) {
      this.isWhole = (size += piece.length) <= maxInputSize;
      if (this.isWhole) this.all.push(Buffer.from(piece));
      else this.all.length = 0;
      yield piece;
    }
  }
}

function countOf(finds: readonly ScanFind[], rule: string): number {
  return finds.reduce((total, { rules }) => total + (rules[rule] ?? 0), 0);
}

/**
 * Adds findings that only reading the file as a log reveals: the locations of rules that found nothing in its
 * text, and of secrets that commands printed. A secret that is redacted at several locations of a log often
 * occurs once in its text, and is listed once; `masked_by_pack` has the counts of the log.
 */
export function addLogFinds(target: ScannedTarget, inLog: readonly ScanFind[] = []): void {
  if (inLog.length === 0) return;
  const { finds } = target;
  const names = new Set(inLog.flatMap(({ rules }) => Object.keys(rules)));
  const isNew = (rule: string): boolean =>
    rule === "printed-secret" ? countOf(inLog, rule) > countOf(finds, rule) : countOf(finds, rule) === 0;
  const more = new Set([...names].filter(isNew));
  for (const { place: location, rules } of inLog) {
    const left = Object.entries(rules).filter(([rule]) => more.has(rule));
    if (left.length > 0) finds.push({ place: location, rules: Object.fromEntries(left) });
  }
  target.masked_by_pack = Object.fromEntries([...names].map((rule) => [rule, countOf(inLog, rule)]));
}

/**
 * Returns the contents that are output of a command that prints secrets. `read` returns the bytes of a
 * content unless it is too large.
 */
export function printedIn(
  manifest: Manifest,
  read: (reference: Reference) => Buffer | undefined,
): Map<Reference, Printing> {
  const printed = new Map<Reference, Printing>();
  const printings = new StepPrintings();
  const note = (reference: Reference | undefined, origin: ContentOrigin): void => {
    if (reference === undefined) return;
    const printing = printings.of(origin);
    if (printing === undefined) return;
    if (!printed.has(reference)) printed.set(reference, printing);
    const bytes = origin.parameters === undefined ? undefined : read(reference);
    if (bytes !== undefined) printings.printed(origin, bytes);
  };
  const noteReport = (reference: Reference): void => {
    const bytes = read(reference);
    const printing = bytes === undefined ? undefined : printings.reported(bytes);
    if (printing !== undefined && !printed.has(reference)) printed.set(reference, printing);
  };
  for (const { content_ref } of manifest.prompts) noteReport(content_ref);
  for (const step of manifest.steps) {
    if (step.type === "context" && step.output_ref !== undefined) noteReport(step.output_ref);
    note(step.output_ref, step);
    note(step.seen_ref, step);
  }
  for (const { name, content_ref } of [...manifest.inputs, ...manifest.outputs])
    note(content_ref, { path: name });
  return printed;
}
