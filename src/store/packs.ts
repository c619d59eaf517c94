// Packs by hash. A pack exists exactly when its file in packs/ does; what it says is read from its object.
import * as fs from "node:fs";
import { hexOf, isHash, toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { entriesIn, readWhole, usingRegular } from "../base/files.js";
import { readGoManifest } from "../model/go-manifest.js";
import { type Manifest, seal } from "../model/manifest.js";
import { readManifest } from "../model/read-manifest.js";
import { packPath } from "./layout.js";
import { readSigned } from "./objects.js";

export interface Pack {
  hex: string;
  /** What changes when the manifest's file does. */
  signature: string;
  /** As it is hashed: without its own name in it. */
  manifest: Manifest;
  /** Whether the Go implementation wrote it. */
  fromGo: boolean;
  /** Paths of fields that this version does not know. */
  unknown: string[];
}

/** The hashes of all packs, sorted. Other files in packs/ are not packs. */
export function listPacks(root: string): string[] {
  return listEntries(root).map(({ hex }) => hex);
}

/** The same, with whether the entry is a plain file, as it should be. */
export function listEntries(root: string): { hex: string; isPlain: boolean }[] {
  const folder = `${root}/packs`;
  try {
    return entriesIn(folder)
      .filter(({ name }) => isHash(name))
      .map((entry) => ({ hex: entry.name, isPlain: entry.isFile() }));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, folder, "list");
  }
}

/** Whether there are packs besides these; no more of the folder is read than that takes. */
export function hasOthers(root: string, packs: ReadonlySet<string>): boolean {
  const path = `${root}/packs`;
  try {
    const folder = fs.opendirSync(path);
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
        if (isHash(entry.name) && !packs.has(entry.name)) return true;
      return false;
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw toIoError(error, path, "list");
  }
}

export function hasPack(root: string, hex: string): boolean {
  return fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false }) !== undefined;
}

/** Reads a pack that is known to exist; throws when its manifest is damaged or missing. */
export function readPack(root: string, hex: string): Pack {
  const fromGo = isFromGo(root, hex);
  const { bytes, signature } = readSigned(root, hex);
  const name = `ctx://${hex}`;
  const found = { hex, signature, fromGo };
  if (fromGo) return { ...found, manifest: readGoManifest(bytes, name), unknown: [] };
  return { ...found, ...readManifest(bytes, name) };
}

/** The manifest as `ctx show --json` gives it. */
export function sealedManifest(pack: Pack): Manifest {
  return seal(pack.manifest, pack.hex);
}

/** The parent's hash, or undefined. */
export function parentOf(pack: Pack): string | undefined {
  return pack.manifest.parent === undefined ? undefined : hexOf(pack.manifest.parent);
}

/** The Go implementation's files in packs/ hold just their own reference, which shows in their size. */
function isFromGo(root: string, hex: string): boolean {
  const path = packPath(root, hex);
  const expected = toReference(hex);
  try {
    const stat = fs.lstatSync(path);
    if (!stat.isFile()) throw new CtxError("damaged", `${path} is not a regular file`);
    if (stat.size < expected.length || stat.size > expected.length + 1) return false;
    return usingRegular(
      path,
      ({ descriptor }) => readWhole(descriptor).toString("latin1").trimEnd() === expected,
    );
  } catch (error) {
    throw toIoError(error, path, "read");
  }
}

/** Whether the entry in packs/ is what it should be: the sealed manifest, or the one line of the Go implementation. */
export function isSoundEntry(root: string, hex: string, sealed: Buffer | readonly Buffer[]): boolean {
  const path = packPath(root, hex);
  return withPath(path, "read", () => {
    if (!fs.lstatSync(path).isFile()) return false;
    const bytes = fs.readFileSync(path);
    return (
      bytes.equals(Buffer.isBuffer(sealed) ? sealed : Buffer.concat(sealed)) ||
      bytes.toString("latin1").trimEnd() === toReference(hex)
    );
  });
}
