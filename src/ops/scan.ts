// `ctx scan run.json`: the secrets in a log as `ctx pack` reads it. There a step's output is judged together
// with its command, and files that the log names are scanned too.
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { CtxError } from "../base/errors.js";
import type { RuleCounts } from "../model/redactions.js";
import type { PackResult } from "../results/results.js";
import type { ScanFind, ScanResult } from "../results/scan.js";
import { makeScratch, removeScratch } from "../store/scratch-store.js";
import type { Store } from "../store/store.js";
import { packAll } from "./pack.js";
import type { Redaction } from "../redact/settings.js";
import { type ScannableLog, scan, type ScanOptions } from "../redact/scan-targets.js";

export { needsStore, type ScanOptions } from "../redact/scan-targets.js";

/** Scans files, logs and packs for secrets; without targets, every pack of the store. */
export function scanAll(
  store: Store | undefined,
  targets: readonly string[],
  options: ScanOptions = {},
): ScanResult {
  return scan(store, targets, options, findsInLog);
}

/** Returns the secrets in a log, by location; undefined if `ctx pack` cannot read the file as a log. */
function findsInLog(log: ScannableLog, redaction: Redaction): ScanFind[] | undefined {
  const folder = "file" in log ? dirname(resolve(log.file)) : log.folder;
  // The runs are sealed, with their secrets masked, into a temporary store: no secret is written anywhere.
  const scratch = makeScratch(tmpdir(), { folder });
  try {
    const options = { redaction, sidecars: false, allowEmpty: true, isFirstMasking: true };
    const runs = packAll(scratch, log, options);
    return runs.flatMap((run, at) => findsInRun(run, runs.length === 1 ? "" : `run ${at + 1}, `));
  } catch (error) {
    if (error instanceof CtxError && error.code !== "io") return undefined;
    throw error;
  } finally {
    removeScratch(scratch);
  }
}

function findsInRun({ redactions, packs = [] }: PackResult, run: string): ScanFind[] {
  const all = [{ places: redactions?.places, of: run }].concat(
    packs.map((sub) => ({ places: sub.redactions?.places, of: `${run}agent ${sub.agent}, ` })),
  );
  return all.flatMap(({ places = {}, of }) =>
    Object.entries(places).map(([place, rules]: [string, RuleCounts]) => ({ place: `${of}${place}`, rules })),
  );
}
