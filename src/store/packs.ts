// Packs by hash. A pack exists exactly when its file in packs/ does; what it says is read from its object.
import * as fs from "node:fs";
import { hexOf, isHash, toReference } from "../base/digest.js";
import { CtxError, errnoOf, toIoError } from "../base/errors.js";
import { usingRegular } from "../base/files.js";
import { readGoManifest } from "../model/go-manifest.js";
import { type Manifest, seal } from "../model/manifest.js";
import { readManifest } from "../model/read-manifest.js";
import { packPath } from "./layout.js";
import { readObject } from "./objects.js";

export interface Pack {
  hex: string;
  /** As it is hashed: without its own name in it. */
  manifest: Manifest;
  /** Whether the Go implementation wrote it. */
  fromGo: boolean;
  /** Paths of fields that this version does not know. */
  unknown: string[];
}

/** The hashes of all packs, in no particular order. Other files in packs/ are not packs. */
export function listPacks(root: string): string[] {
  const folder = `${root}/packs`;
  try {
    return fs.readdirSync(folder).filter(isHash);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toIoError(error, folder, "list");
  }
}

export function hasPack(root: string, hex: string): boolean {
  return fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false }) !== undefined;
}

/** Reads a pack that is known to exist; throws when its manifest is damaged or missing. */
export function readPack(root: string, hex: string): Pack {
  const bytes = readObject(root, hex);
  if (isGoEntry(root, hex))
    return { hex, manifest: readGoManifest(bytes, `ctx://${hex}`), fromGo: true, unknown: [] };
  return { hex, fromGo: false, ...readManifest(bytes, `ctx://${hex}`) };
}

/** The manifest as `ctx show --json` gives it. */
export function sealedManifest(pack: Pack): Manifest {
  return seal(pack.manifest, pack.hex);
}

/** The parent's hash, or undefined. */
export function parentOf(pack: Pack): string | undefined {
  return pack.manifest.parent === undefined ? undefined : hexOf(pack.manifest.parent);
}

/** The Go implementation's entries hold just their own reference. */
function isGoEntry(root: string, hex: string): boolean {
  const path = packPath(root, hex);
  const expected = toReference(hex);
  try {
    return usingRegular(path, ({ descriptor }) => {
      const head = Buffer.alloc(expected.length + 2);
      const length = fs.readSync(descriptor, head, 0, head.length, 0);
      return head.toString("latin1", 0, length).replace(/\n$/, "") === expected;
    });
  } catch (error) {
    if (error instanceof CtxError) throw new CtxError("damaged", `${path} is not a regular file`);
    throw toIoError(error, path, "read");
  }
}
