// Packs by hash. A pack exists exactly when its file in packs/ does; its manifest is read from its object.
import * as fs from "node:fs";
import { hexOf, isHash, toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError, withPath } from "../base/errors.js";
import { entriesIn, readWhole, usingRegular } from "../base/fs/files.js";
import { foreignKeys, readGoManifest } from "../model/go-manifest.js";
import { type Manifest, seal } from "../model/manifest.js";
import { readManifest } from "../model/read-manifest.js";
import { packPath } from "./layout.js";
import { readObject, readSigned } from "./objects.js";

export interface Pack {
  hex: string;
  /** Changes whenever the manifest's file does. */
  signature: string;
  /** As it is hashed: without its own name in it. */
  manifest: Manifest;
  /** Whether it could be read only in the form of the Go implementation. */
  fromGo: boolean;
  /** Paths of fields that this version does not know. */
  unknown: string[];
}

/** Returns the hashes of all packs, sorted. Other files in packs/ are not packs. */
export function listPacks(root: string): string[] {
  return listEntries(root).map(({ hex }) => hex);
}

/** Returns the same, and whether each entry is a plain file, as it should be. */
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

/** Returns whether there are packs besides these; reads no more of the folder than that takes. */
export function hasOthers(root: string, packs: ReadonlySet<string>): boolean {
  for (const { name } of eachEntry(root)) if (isHash(name) && !packs.has(name)) return true;
  return false;
}

/** Yields everything in packs/, in the order of the file system, which is quicker than sorting it. */
export function* eachEntry(root: string): Generator<fs.Dirent> {
  const path = `${root}/packs`;
  try {
    const folder = fs.opendirSync(path);
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry;
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw toIoError(error, path, "list");
  }
}

export function hasPack(root: string, hex: string): boolean {
  return fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Reads a pack that is known to exist; throws if its manifest is damaged or missing. The object decides how
 * it is read, because no hash covers the entry in packs/: only an object that the strict reader refuses may
 * be a manifest of the Go implementation.
 */
export function readPack(root: string, hex: string): Pack {
  checkEntry(root, hex);
  const { bytes, signature } = readSigned(root, hex);
  const name = `ctx://${hex}`;
  try {
    return { hex, signature, fromGo: false, ...readManifest(bytes, name) };
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "damaged" || !isOneLine(root, hex)) throw error;
    // The strict reader has consumed its bytes.
    const manifest = readGoManifest(readObject(root, hex), name);
    return { hex, signature, fromGo: true, manifest, unknown: [] };
  }
}

/** Returns the manifest of a pack; undefined if it is damaged or missing. */
export function readIfPossible(root: string, hex: string): Manifest | undefined {
  try {
    return readPack(root, hex).manifest;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Returns the manifest as `ctx show --json` prints it. */
export function sealedManifest(pack: Pack): Manifest {
  return seal(pack.manifest, pack.hex);
}

/** Returns the parent's hash, or undefined. */
export function parentOf(pack: Pack): string | undefined {
  return pack.manifest.parent === undefined ? undefined : hexOf(pack.manifest.parent);
}

function checkEntry(root: string, hex: string): void {
  const path = packPath(root, hex);
  const stat = withPath(path, "read", () => fs.lstatSync(path));
  if (!stat.isFile()) throw new CtxError("damaged", `${path} is not a regular file`);
}

/**
 * Returns whether the entry is just the pack's own reference, as the Go implementation writes it. Its size
 * shows that.
 */
export function isOneLine(root: string, hex: string): boolean {
  const path = packPath(root, hex);
  const expected = toReference(hex);
  return withPath(path, "read", () => {
    const { size } = fs.lstatSync(path);
    if (size < expected.length || size > expected.length + 1) return false;
    return usingRegular(
      path,
      ({ descriptor }) => readWhole(descriptor).toString("latin1").trimEnd() === expected,
    );
  });
}

/**
 * Returns whether a one-line entry may represent this manifest, which the strict reader accepts: the Go
 * program may have written it, and both readers read the same in it.
 */
export function mayBeOneLine(manifest: Manifest): boolean {
  return foreignKeys(manifest).length === 0;
}

/**
 * Returns whether the entry in packs/ is as it should be: the sealed manifest, or the one line of the Go
 * implementation.
 */
export function isSoundEntry(
  root: string,
  hex: string,
  { sealed, manifest }: { sealed: Buffer | readonly Buffer[]; manifest: Manifest },
): boolean {
  const path = packPath(root, hex);
  return withPath(path, "read", () => {
    if (!fs.lstatSync(path).isFile()) return false;
    if (isOneLine(root, hex)) return mayBeOneLine(manifest);
    return fs.readFileSync(path).equals(Buffer.isBuffer(sealed) ? sealed : Buffer.concat(sealed));
  });
}
