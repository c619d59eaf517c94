// Writes a sidecar beside every output of a pack that is on disk with the recorded content. Artifacts are the
// user's files: no link is followed to reach one, and nothing that is not a sidecar is ever replaced.
import * as fs from "node:fs";
import { dirname, join, relative } from "node:path";
import { hexOf, type Reference, startSha256, toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { below, readIfThere, readPieces, usingDescriptor, usingRegular, writeNew } from "../base/fs/files.js";
import type { Manifest, Output } from "../model/manifest.js";
import { buildSidecar, readSidecar, type Sidecar, sidecarBytes, sidecarPath } from "../model/sidecar.js";
import type { Batch } from "../store/batch.js";
import { flush, flushFolder } from "../store/flush.js";
import { storeName } from "../store/layout.js";
import { isOwnerRunning } from "../store/lock.js";
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
  for (const output of pack.manifest.outputs) {
    const artifact = findArtifact(store, output, pack.files.get(output.name));
    if (artifact === undefined) report.absent.push(output.name);
    else
      placeSidecar(
        store,
        batch,
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
  const places = [output.name, ...(source === undefined ? [] : [relative(store.folder, source)])];
  return places.find((place) => {
    const first = place.split("/")[0] as string;
    if (first === ".." || first === "" || first.toLowerCase() === storeName) return false;
    return holds(store.folder, place, output.content_ref);
  });
}

function holds(folder: string, place: string, reference: Reference): boolean {
  try {
    return below(folder, place, (file) =>
      usingRegular(file, ({ descriptor }) => {
        const hash = startSha256();
        readPieces(descriptor, (piece) => hash.add(piece));
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
  store: Store,
  batch: Batch,
  sidecar: Sidecar,
  artifact: string,
  output: Output,
  report: SidecarReport,
): void {
  const place = sidecarPath(artifact);
  const name = place.slice(place.lastIndexOf("/") + 1);
  if (Buffer.byteLength(name) > 255) {
    report.notices.push(`no sidecar for ${artifact}: its name would be too long`);
    return;
  }
  try {
    below(store.folder, place, (file) => {
      const existing = lookAt(store, file, output);
      if (existing === "other") {
        report.notices.push(`no sidecar for ${artifact}: ${place} is something else, and was left alone`);
        return;
      }
      if (existing !== "backed") {
        const staged = `sidecar-${report.written.length + report.notices.length}`;
        publish(store, batch, { sidecar, staged, place }, file);
        if (existing === "unbacked")
          report.notices.push(`${place} named a pack that does not back this file, and was replaced`);
      }
      report.written.push(place);
    });
  } catch (error) {
    // The pack is durable by now; a sidecar that could not be written does not undo that.
    const failure = toIoError(error, join(store.folder, place), "write");
    if (!(failure instanceof CtxError)) throw failure;
    report.notices.push(`no sidecar for ${artifact}: ${failure.message}`);
  }
}

/** Writes one sidecar beside an artifact below the store's folder, replacing an existing one. */
export function putSidecar(store: Store, batch: Batch, sidecar: Sidecar, artifact: string): void {
  const place = sidecarPath(artifact);
  try {
    below(store.folder, place, (file) => publish(store, batch, { sidecar, staged: "sidecar", place }, file));
  } catch (error) {
    throw toIoError(error, join(store.folder, place), "write");
  }
}

interface Placing {
  sidecar: Sidecar;
  /** Its name while it is staged. */
  staged: string;
  /** Its final path, relative to the store's folder. */
  place: string;
}

/** Moves a sidecar into place. `file` is a path that no link can redirect. */
function publish(store: Store, batch: Batch, { sidecar, staged, place }: Placing, file: string): void {
  // Not staged as a file of the store: beside the artifact it is as readable as the umask says, even if the
  // store is private.
  batch.refresh();
  const aside = join(batch.aside, staged);
  writeNew(aside, sidecarBytes(sidecar), 0o644);
  flush(store.root, { files: [aside], folders: [] });
  moveInto(aside, file, batch.id);
  flushFolder(dirname(file), dirname(join(store.folder, place)));
}

/** Returns what exists where the sidecar would go. */
function lookAt(store: Store, file: string, output: Output): "nothing" | "backed" | "unbacked" | "other" {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  if (!stat.isFile() || stat.size > 1 << 24) return "other";
  const found = readSidecar(readIfThere(file) ?? Buffer.alloc(0));
  if (found === undefined) return "other";
  return backs(store, hexOf(found.context_pack), output.content_ref) ? "backed" : "unbacked";
}

function backs(store: Store, hex: string, content: Reference): boolean {
  if (!hasPack(store.root, hex)) return false;
  try {
    const { manifest } = readPack(store.root, hex);
    return provenOutputs(store, manifest).some((output) => output.content_ref === content);
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}

function moveInto(staged: string, file: string, id: string): void {
  try {
    fs.renameSync(staged, file);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    copyInto(staged, file, id);
  }
}

/** Copies the sidecar before the rename: the artifact is on another file system than the store. */
function copyInto(staged: string, file: string, id: string): void {
  const folder = dirname(file);
  for (const name of fs.readdirSync(folder)) {
    const owner = /^\.ctx-sidecar-(.+)\.tmp$/.exec(name)?.[1];
    // Remove the leftovers of a crash.
    if (owner !== undefined && isOwnerRunning(owner) === false)
      fs.rmSync(join(folder, name), { force: true });
  }
  const near = join(folder, `.ctx-sidecar-${id}.tmp`);
  try {
    fs.copyFileSync(staged, near, fs.constants.COPYFILE_EXCL);
    usingDescriptor(fs.openSync(near, "r"), fs.fsyncSync);
    fs.renameSync(near, file);
  } catch (error) {
    fs.rmSync(near, { force: true });
    throw error;
  }
  fs.unlinkSync(staged);
}
