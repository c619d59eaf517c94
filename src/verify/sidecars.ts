// Writes a sidecar beside every output of a pack that is on disk with the recorded content. Artifacts are the
// user's files: no link is followed to reach one, and nothing that is not a sidecar is ever replaced.
import * as fs from "node:fs";
import { dirname, join, relative } from "node:path";
import { hexOf, type Reference, startSha256, toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { replaceFile, sweepLeftovers } from "../base/fs/atomic.js";
import { below, piecesOf, readIfThere, usingRegular } from "../base/fs/files.js";
import type { Manifest, Output } from "../model/manifest.js";
import { buildSidecar, readSidecar, type Sidecar, sidecarBytes, sidecarPath } from "../model/sidecar.js";
import type { Batch } from "../store/batch-lock.js";
import { storeName } from "../store/layout.js";
import { hasPack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { provenOutputs } from "./origin.js";

export interface SidecarReport {
  /** Paths of sidecars, relative to the folder that holds the store. */
  written: string[];
  absent: string[];
  notices: string[];
}

/** Writes the sidecars. `files` maps an output to the path of the file that its content came from, if any. */
export function writeSidecars(
  store: Store,
  batch: Batch,
  pack: { hex: string; manifest: Manifest; files: ReadonlyMap<string, string> },
): SidecarReport {
  const report: SidecarReport = { written: [], absent: [], notices: [] };
  const writing: SidecarWriting = { store, batch, swept: new Set() };
  for (const output of pack.manifest.outputs) {
    const artifact = findArtifact(store, output, pack.files.get(output.name));
    if (artifact === undefined) report.absent.push(output.name);
    else
      placeSidecar(
        writing,
        buildSidecar(toReference(pack.hex), pack.manifest, output),
        artifact,
        output,
        report,
      );
  }
  return report;
}

/** Returns the path, relative to the store's folder, of a regular file that holds the output's content. */
function findArtifact(store: Store, output: Output, source: string | undefined): string | undefined {
  const paths = [output.name, ...(source === undefined ? [] : [relative(store.folder, source)])];
  return paths.find((path) => {
    const first = path.split("/")[0] as string;
    if (first === ".." || first === "" || first.toLowerCase() === storeName) return false;
    return hasContent(store.folder, path, output.content_ref);
  });
}

function hasContent(folder: string, path: string, reference: Reference): boolean {
  try {
    return below(folder, path, (file) =>
      usingRegular(file, ({ descriptor }) => {
        const hash = startSha256();
        for (const piece of piecesOf(descriptor)) hash.add(piece);
        return hash.hex() === hexOf(reference);
      }),
    );
  } catch (error) {
    // Missing, a link, a folder, unreadable: not an artifact that a sidecar could vouch for.
    if (error instanceof CtxError || errnoOf(error) !== undefined) return false;
    throw error;
  }
}

function placeSidecar(
  writing: SidecarWriting,
  sidecar: Sidecar,
  artifact: string,
  output: Output,
  report: SidecarReport,
): void {
  const { store } = writing;
  const path = sidecarPath(artifact);
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (Buffer.byteLength(name) > 255) {
    report.notices.push(`no sidecar for ${artifact}: the name of the sidecar would be too long`);
    return;
  }
  try {
    below(store.folder, path, (file) => {
      const existing = existingSidecar(store, file, output);
      if (existing === "other") {
        report.notices.push(`no sidecar for ${artifact}: ${path} is another file, so it was not replaced`);
        return;
      }
      if (existing === "backed") sweepBeside(writing, { file, path });
      else {
        commitSidecar(writing, sidecar, { file, path });
        if (existing === "unbacked")
          report.notices.push(`${path} named a pack that does not prove this file, so it was replaced`);
      }
      report.written.push(path);
    });
  } catch (error) {
    // The pack is durable by now; a sidecar that could not be written does not undo that.
    const failure = toIoError(error, join(store.folder, path), "write");
    if (!(failure instanceof CtxError)) throw failure;
    report.notices.push(`no sidecar for ${artifact}: ${failure.message}`);
  }
}

/** Writes one sidecar beside an artifact below the store's folder, replacing an existing one. */
export function replaceSidecar(store: Store, batch: Batch, sidecar: Sidecar, artifact: string): void {
  const path = sidecarPath(artifact);
  try {
    below(store.folder, path, (file) =>
      commitSidecar({ store, batch, swept: new Set() }, sidecar, { file, path }),
    );
  } catch (error) {
    throw toIoError(error, join(store.folder, path), "write");
  }
}

interface SidecarWriting {
  store: Store;
  batch: Batch;
  /** Folders that have been swept: many artifacts may be in one. */
  swept: Set<string>;
}

/**
 * Writes a sidecar, as readable as the umask says, even if the store is private. `file` is a path that no
 * link can redirect, `path` the same path from the store's folder.
 */
function commitSidecar(
  { store, batch, swept }: SidecarWriting,
  sidecar: Sidecar,
  { file, path }: { file: string; path: string },
): void {
  batch.check();
  const shown = join(store.folder, path);
  const isSwept = swept.has(dirname(shown));
  swept.add(dirname(shown));
  replaceFile(file, sidecarBytes(sidecar), { durable: true, mode: 0o644, shown, isSwept });
}

/** Removes what a killed process left beside the sidecar of an artifact, which stays as it is. */
export function sweepBesideSidecar(store: Store, artifact: string): void {
  below(store.folder, sidecarPath(artifact), (file) => sweepLeftovers(dirname(file)));
}

/** Does the same once for each folder. */
function sweepBeside({ store, swept }: SidecarWriting, { file, path }: { file: string; path: string }): void {
  const folder = dirname(join(store.folder, path));
  if (swept.has(folder)) return;
  swept.add(folder);
  sweepLeftovers(dirname(file));
}

/** Returns what exists where the sidecar would go. */
function existingSidecar(
  store: Store,
  file: string,
  output: Output,
): "nothing" | "backed" | "unbacked" | "other" {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  if (!stat.isFile() || stat.size > 1 << 24) return "other";
  const found = readSidecar(readIfThere(file) ?? Buffer.alloc(0));
  if (found === undefined) return "other";
  return isBackedBy(store, hexOf(found.context_pack), output.content_ref) ? "backed" : "unbacked";
}

function isBackedBy(store: Store, hex: string, content: Reference): boolean {
  if (!hasPack(store.root, hex)) return false;
  try {
    const { manifest } = readPack(store.root, hex);
    return provenOutputs(store, manifest).some((output) => output.content_ref === content);
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
