// `ctx export --as`: converts a pack to a log of another format, and reports what was lost.
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { JsonObject } from "../base/json/value.js";
import { collectOutgoing, type OutgoingOptions } from "../bundle/outgoing.js";
import { toAtif } from "../export/atif.js";
import { Losses } from "../export/losses.js";
import { toOpenai } from "../export/openai.js";
import { toOtlp } from "../export/otlp.js";
import type { ExportedRun } from "../export/run.js";
import type { Manifest } from "../model/manifest.js";
import { unknownEdits, withOrigin } from "../model/origin.js";
import type { ExportAsResult } from "../results/intake.js";
import { knownDraft } from "../verify/origin.js";
import { readObject } from "../store/objects.js";
import { hasPack, readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";

export type ExportFormat = "atif" | "otlp" | "openai";

const writers: Readonly<Record<ExportFormat, (run: ExportedRun, losses: Losses) => JsonObject>> = {
  atif: toAtif,
  otlp: toOtlp,
  openai: toOpenai,
};

/** Limits for sub-agents, which no real agent reaches: nesting depth, and number of runs. */
const deepest = 20;
const maxRuns = 10_000;

export function exportLog(
  store: Store,
  name: string,
  to: ExportFormat,
): ExportAsResult & { log: JsonObject } {
  const hex = resolvePack(store, name);
  const losses = new Losses();
  const log = withinText(name, () =>
    writers[to](runOf(store, hex, { depth: 0, count: { runs: 0 } }), losses),
  );
  const draft = knownDraft(store, readPack(store.root, hex).manifest);
  if (draft?.replay?.why === "of-draft") losses.add("the note that it replays a draft edited by hand");
  else if (draft !== undefined && draft.replay === undefined && to !== "atif")
    losses.add("the list of parts edited by hand");
  return { pack: toReference(hex), as: to, lost: losses.list(), log };
}

/** Throws if the run, or one of its sub-agents, holds a secret. */
export function checkOutgoing(store: Store, name: string, options: OutgoingOptions): void {
  if (options.allowSecrets !== true) collectOutgoing(store, [name], options);
}

/**
 * Runs `work`, which builds texts from a pack. Engines limit the length of a string; reaching that limit is
 * reported as `too-large`, not as a bug.
 */
export function withinText<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const isTooLong = error instanceof RangeError && tooLong.has(error.message);
    if (code !== "ERR_STRING_TOO_LONG" && !isTooLong) throw error;
    throw new CtxError("too-large", `${name} contains more text than fits into such a log`, { cause: error });
  }
}

/** Messages of engines for a string that is too long. */
const tooLong = new Set(["Invalid string length", "Out of memory"]);

/** Returns a manifest that states that it is a draft, if it proves no file: no export turns it into a run. */
function asDraft(store: Store, manifest: Manifest): Manifest {
  const draft = knownDraft(store, manifest);
  if (draft === undefined) return manifest;
  return withOrigin(manifest, {
    kind: "draft",
    edited: draft.replay === undefined ? draft.edited : [...unknownEdits],
  });
}

/**
 * Returns a run for export. `count` covers all runs in the log: a run that several others started is written
 * once for each of them.
 */
function runOf(
  store: Store,
  hex: string,
  { depth, count }: { depth: number; count: { runs: number } },
): ExportedRun {
  const manifest = asDraft(store, readPack(store.root, hex).manifest);
  return {
    hash: toReference(hex),
    manifest,
    read: (reference) => readObject(store.root, hexOf(reference)),
    sub: (reference: Reference) => {
      const inner = hexOf(reference);
      if (!hasPack(store.root, inner)) return undefined;
      if (depth >= deepest)
        throw new CtxError(
          "too-large",
          `the sub-agents of ${toReference(hex)} are nested deeper than ${deepest}`,
        );
      if (++count.runs > maxRuns)
        throw new CtxError("too-large", `the log would contain more than ${maxRuns} runs of sub-agents`);
      return runOf(store, inner, { depth: depth + 1, count });
    },
  };
}
