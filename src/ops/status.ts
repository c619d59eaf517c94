// `ctx status`: the drafts of a store, how each differs from its parent, and what is unfinished.
import * as fs from "node:fs";
import { join } from "node:path";
import { canonicalText } from "../base/json/canonical.js";
import { hexOf, toReference } from "../base/digest.js";
import { CtxError, type Problem } from "../base/errors.js";
import { listIfThere, readIfThere } from "../base/fs/files.js";
import { compareRuns } from "../diff/compare-runs.js";
import { isUnedited } from "../tools/edited-paths.js";
import { readLog } from "../model/log.js";
import { buildManifest, createdOf, type Manifest, manifestHash } from "../model/manifest.js";
import { authorsMetadata, withoutOrigin } from "../model/origin.js";
import type { DraftStatus, StatusResult } from "../results/results.js";
import { redactionsOf } from "../model/redactions.js";
import type { Scanner } from "../redact/scanner.js";
import { readManifest } from "../model/read-manifest.js";
import { readParent } from "../verify/origin.js";
import { logName } from "../drafts/draft.js";
import { isDraftFolder, isDraftPlace } from "../drafts/draft-folder.js";
import { namesOnly, withFilesBelow } from "../store/log-files.js";
import { hasObject, readObject } from "../store/objects.js";
import { hasPack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { packTitle } from "../store/titles.js";
import { RedactingSink } from "../redact/redacting-sink.js";
import { type RedactionOptions, redactionOf, withMaskedErrors } from "../redact/settings.js";
import { settleOrigin } from "../seal/own-log.js";

/** Returns the state of the drafts in the store, or of these folders. */
export function status(
  store: Store,
  folders?: readonly string[],
  options: RedactionOptions = {},
): StatusResult {
  for (const folder of folders ?? []) checkDraft(folder);
  const drafts = folders ?? ownDrafts(store);
  if (drafts.length === 0) return { drafts: [] };
  // The hash of a draft is that of the pack it would become, so secrets are masked here too.
  const { search } = redactionOf(store, options);
  return { drafts: drafts.map((folder) => draftStatus(store, folder, search)) };
}

/** Throws if a folder that the caller named does not exist or is not a draft. */
function checkDraft(folder: string): void {
  const isFolder = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) throw new CtxError("not-found", `there is no folder ${folder}`);
  if (!isDraftFolder(folder) && fs.lstatSync(join(folder, logName), { throwIfNoEntry: false }) === undefined)
    throw new CtxError("not-found", `${folder} is not a draft`, { hint: "`ctx fork <pack>` makes one" });
}

function ownDrafts(store: Store): string[] {
  const drafts = join(store.root, "drafts");
  return listIfThere(drafts)
    .map((name) => join(drafts, name))
    .filter((path) => fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

function draftStatus(store: Store, folder: string, search: Scanner | undefined): DraftStatus {
  const none = {
    draft: folder,
    parent: null,
    parent_present: false,
    created: null,
    hash: null,
    title: null,
    changes: [],
  };
  let manifest: Manifest;
  try {
    manifest = withMaskedErrors({ search, notices: [] }, () => readDraft(store.root, folder, search));
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { ...none, state: "unfinished", problems: problemsOf(error), ...asFarAsKnown(store, folder) };
  }
  // Sealing adds the origin, which is part of the hash.
  const hex = manifestHash(
    settleOrigin(manifest, readParent(store, manifest), { isDraft: isDraftPlace(store, folder) }).manifest,
  );
  const { parent = null, created } = manifest;
  const title = parent === null ? null : (packTitle(store.root, hexOf(parent)) ?? null);
  const known = { ...none, parent, title, created, hash: toReference(hex), problems: [] };
  if (parent === null) return { ...known, state: hasPack(store.root, hex) ? "sealed" : "edited" };
  const origin = readOrigin(store, hexOf(parent));
  const isSame = origin !== undefined && isUnedited(manifest, origin);
  const state = origin === undefined ? "unknown" : isSame ? "unedited" : "edited";
  return {
    ...known,
    state: hasPack(store.root, hex) ? "sealed" : state,
    parent_present: hasPack(store.root, hexOf(parent)),
    changes: origin === undefined ? [] : changesOf(origin, manifest, hexOf(parent)),
  };
}

/** Returns the manifest that the draft would be sealed with. Nothing is stored. */
function readDraft(root: string, folder: string, search: Scanner | undefined): Manifest {
  const bytes = readIfThere(join(folder, logName));
  if (bytes === undefined)
    throw new CtxError(
      "log-unreadable",
      `it has no ${logName}: \`ctx fork\` was interrupted, or the draft has been sealed`,
    );
  return withFilesBelow(folder, (files) => {
    const log = readLog(bytes, { source: logName, fileProblem: (path) => files.problem(path) });
    const masking = new RedactingSink({ root, sink: namesOnly, search, before: redactionsOf(log) });
    const manifest = buildManifest(log, createdOf(log) ?? new Date().toISOString(), (content, origin) => {
      const sink = masking.from(origin);
      return "file" in content ? files.add(content.file, sink) : sink.addBytes(content.bytes);
    });
    masking.finish(manifest);
    return manifest;
  });
}

function problemsOf(error: CtxError): Problem[] {
  return error.problems ?? [{ path: "", message: error.message }];
}

/** Returns the parent of a draft whose log cannot be read, if its text shows one. */
function asFarAsKnown(store: Store, folder: string): Partial<DraftStatus> {
  try {
    const text = readIfThere(join(folder, logName))?.toString("latin1", 0, 1 << 16) ?? "";
    const hex = /"parent"\s*:\s*"sha256:([0-9a-f]{64})"/.exec(text)?.[1];
    if (hex === undefined) return {};
    const title = packTitle(store.root, hex) ?? null;
    return { parent: toReference(hex), title, parent_present: hasPack(store.root, hex) };
  } catch (error) {
    if (error instanceof CtxError) return {};
    throw error;
  }
}

/**
 * Returns the manifest of a draft's parent. It may still exist when the pack is gone: gc keeps it for the
 * draft.
 */
function readOrigin(store: Store, hex: string): Manifest | undefined {
  try {
    if (hasPack(store.root, hex)) return readPack(store.root, hex).manifest;
    return hasObject(store.root, hex) ? readManifest(readObject(store.root, hex), hex).manifest : undefined;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Returns how the draft differs, one line each: drift as in `ctx diff`, and changes that are not drift. */
function changesOf(origin: Manifest, manifest: Manifest, hex: string): string[] {
  const { entries, context } = compareRuns({ hex, manifest: origin }, { hex: "", manifest });
  const changes = [
    ...entries.map(({ description }) => description),
    ...context.map(({ kind, name, pack_a, pack_b }) => {
      const how = pack_a === null ? "added" : pack_b === null ? "dropped" : "changed";
      return `${kind} ${name} ${how}`;
    }),
  ];
  if (canonicalText(withoutOrigin(origin) ?? null) !== canonicalText(authorsMetadata(manifest) ?? null))
    changes.push("metadata changed");
  const isOther = changes.length === 0 && !isUnedited(manifest, origin);
  return isOther ? ["order, times or metadata of some parts changed"] : changes;
}
