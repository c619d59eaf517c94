// Handles what masking does to proof: a recorded output in which secrets were masked is not what the run
// wrote, so it cannot prove any file. Whether a file is the same except for its secrets can still be
// determined.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { placeholders, redactionsOf } from "../model/redactions.js";
import type { VerifiedTarget } from "../results/verify.js";
import type { ReadFile } from "./file.js";
import { printingOf } from "../redact/printing.js";
import { Redactor } from "../redact/redactor.js";
import { type Mode, createScanner } from "../redact/scanner.js";
import { readObject } from "../store/objects.js";
import { readIfPossible } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { redactionOf, type RedactionOptions } from "../redact/settings.js";

/**
 * Changes the result if the output that it is about was masked, and returns the file's bytes as they may be
 * shown.
 */
export function judgeMasked(
  store: Store,
  target: VerifiedTarget,
  read: ReadFile,
  options: RedactionOptions,
): Buffer | undefined {
  // A file that nothing proves is not proven less by a mask.
  if (target.was === undefined && target.result === "unproven") return read.bytes;
  const hex = target.was === undefined ? target.packs[0] : target.was.pack;
  const manifest = hex === undefined ? undefined : readIfPossible(store.root, hexOf(hex));
  const redactions = manifest === undefined ? undefined : redactionsOf(manifest);
  if (manifest === undefined || redactions === undefined) return read.bytes;
  const reference = target.was?.reference ?? read.hash;
  const index = manifest.outputs.findIndex(
    ({ name, content_ref }) =>
      content_ref === reference && (target.was === undefined || name === target.was.name),
  );
  const masked = index === -1 ? undefined : redactions.places[`outputs[${index}].content`];
  const content = recorded(store, reference);
  // What a stranger's log claims does not matter: the record itself must contain a placeholder.
  if (masked === undefined || content === undefined || content.toString("latin1").search(placeholders) === -1)
    return read.bytes;
  const rules = Object.keys(masked).join(", ");
  if (target.was === undefined) {
    if (target.result === "verified") target.result = "masked";
    claim(
      target,
      `these are the recorded bytes, in which secrets are masked (${rules}): the run itself wrote other bytes`,
    );
    return read.bytes;
  }
  const shown = maskedAs(store, read, { mode: redactions.mode, path: target.was.name }, options);
  if (shown === undefined || !isSame(shown, content)) {
    const why = shown === undefined ? "the file is too large to compare" : "the file also differs elsewhere";
    target.notes.push(`secrets are masked in that output (${rules}); ${why}`);
    return shown;
  }
  target.result = "masked";
  claim(
    target,
    `with its secrets masked (${rules}), the file matches the recorded output; the secrets themselves were not recorded, so this proves nothing`,
  );
  return shown;
}

function claim(target: VerifiedTarget, detail: string): void {
  const claims = target.claims.filter(({ claim: name }) => name !== "content");
  target.claims = [{ claim: "content", answer: "not_checked", detail }, ...claims];
}

function maskedAs(
  store: Store,
  { bytes }: ReadFile,
  { mode, path }: { mode: Exclude<Mode, "off">; path: string },
  options: RedactionOptions,
): Buffer | undefined {
  if (bytes === undefined) return undefined;
  const search = redactionOf(store, { ...options, redact: mode }).search ?? createScanner({ mode });
  return new Redactor(search).bytes(bytes, { scan: { printing: printingOf({ path }) } }).value;
}

function recorded(store: Store, reference: string): Buffer | undefined {
  try {
    return readObject(store.root, hexOf(reference as `sha256:${string}`));
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Compares a file with an output, ignoring the numbers of placeholders, which count over the whole run. */
function isSame(file: Buffer, output: Buffer): boolean {
  return unnumbered(file) === unnumbered(output);
}

function unnumbered(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll(placeholders, "[REDACTED]");
}
