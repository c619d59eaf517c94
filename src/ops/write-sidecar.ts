// `ctx verify --write-sidecar`: writes the sidecar of one file, if a pack backs it.
import { resolve } from "node:path";
import { hexOf, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Output } from "../model/manifest.js";
import { buildSidecar, type Sidecar, sidecarPath } from "../model/sidecar.js";
import type { SidecarResult } from "../results/results.js";
import { Checker, packClaims } from "../verify/pack.js";
import { choosePack, doubtOf, type FileFacts, outputOf } from "../verify/content-claim.js";
import { fileName } from "../verify/file-name.js";
import { holdersOf } from "../verify/find-content.js";
import { knownDraft } from "../verify/origin.js";
import { readFile, sidecarOf } from "../verify/file.js";
import { replaceSidecar, sweepBesideSidecar } from "../verify/sidecars.js";
import { withBatch } from "../store/batch-lock.js";
import { storeName } from "../store/layout.js";
import { readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { Redactor } from "../redact/redactor.js";
import { redactionOf, type RedactionOptions } from "../redact/settings.js";

export interface SidecarOptions extends RedactionOptions {
  /**
   * The pack that the sidecar should name. Without it, the newest pack that has these bytes among its
   * outputs.
   */
  pack?: string;
  confidence?: "high" | "medium" | "low";
  notes?: string;
  /** The folder that `file` is relative to. */
  folder?: string;
}

export function sidecar(store: Store, file: string, givenOptions: SidecarOptions = {}): SidecarResult {
  const options = { ...givenOptions, ...maskedNotes(store, givenOptions) };
  const path = resolve(options.folder ?? ".", file);
  const read = readFile(path);
  if (typeof read === "string") throw new CtxError("not-found", `${file}: ${read}`);
  const { name, path: real } = fileName(store, path);
  if (name === undefined || name.split("/")[0]?.toLowerCase() === storeName)
    throw new CtxError("usage", `${file} is outside ${store.folder}, or inside the store`);
  const facts = { hash: read.hash, size: read.size, name, path: real };
  const hex = options.pack === undefined ? packWith(store, facts, file) : resolvePack(store, options.pack);
  const { manifest } = readPack(store.root, hex);
  const output = outputOf(manifest, facts);
  if (output === undefined)
    throw new CtxError("not-backed", `ctx://${hex.slice(0, 12)} has no output with the bytes of ${file}`, {
      hint: "`ctx verify <file>` says where they are recorded",
    });
  const doubt = doubtOf(output, facts, { pack: hex, manifest, draft: knownDraft(store, manifest) });
  if (doubt !== undefined)
    throw new CtxError("not-backed", `${file}: ${doubt}`, {
      hint: "a sidecar is written only for a pack that proves the file; `ctx verify <file>` says what is known",
    });
  const [fault] = packClaims(new Checker(store), hex).faults;
  if (fault !== undefined)
    throw new CtxError("damaged", `ctx://${hex.slice(0, 12)} proves nothing: ${fault.message}`, {
      hint: `\`ctx verify ${hex.slice(0, 12)}\` says what is damaged, and how to repair it`,
    });
  const old = sidecarOf(path);
  if (typeof old === "string")
    throw new CtxError("not-backed", `${sidecarPath(file)} is in the way (${old}): move it away first`);
  const built: Sidecar = {
    ...buildSidecar(toReference(hex), manifest, output),
    // Keep what a user added by hand, if it was about this pack.
    ...remarks(output, old?.context_pack === toReference(hex) ? old : undefined, options),
  };
  const changed = JSON.stringify(built) !== JSON.stringify(old);
  if (changed) withBatch(store, "add", (batch) => replaceSidecar(store, batch, built, name));
  else sweepBesideSidecar(store, name);
  return { sidecar: sidecarPath(name), pack: toReference(hex), output: output.name, changed };
}

/** Masks secrets in the notes, because others will read them too. */
function maskedNotes(store: Store, options: SidecarOptions): { notes?: string } {
  if (options.notes === undefined) return {};
  const { search } = redactionOf(store, options);
  return { notes: search === undefined ? options.notes : new Redactor(search).text(options.notes).value };
}

function packWith(store: Store, facts: FileFacts, file: string): string {
  const { outputs, unreadable } = holdersOf(store, hexOf(facts.hash));
  const chosen = choosePack(store, outputs, facts);
  if (chosen !== undefined) return chosen;
  throw new CtxError("not-backed", `no pack in this store has an output with the bytes of ${file}`, {
    // An unreadable pack may be the one that has the bytes.
    problems: unreadable.map((message) => ({ path: "", message })),
    hint: "`ctx verify <file>` says where they are recorded",
  });
}

/** Returns confidence and notes: from the pack; else from the options; else from the old sidecar. */
function remarks(output: Output, old: Sidecar | undefined, options: SidecarOptions): Partial<Sidecar> {
  const found: Partial<Sidecar> = {};
  for (const field of ["confidence", "notes"] as const) {
    const recorded = output[field];
    const remark = options[field];
    if (recorded !== undefined && remark !== undefined && remark !== recorded)
      throw new CtxError("not-backed", `--${field} does not match the pack: its ${field} is "${recorded}"`, {
        hint: `leave out --${field}: a sidecar repeats what its pack says`,
      });
    const value = recorded ?? remark ?? old?.[field];
    if (value !== undefined) Object.assign(found, { [field]: value });
  }
  return found;
}
