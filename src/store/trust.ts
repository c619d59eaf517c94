// Which stores' settings the user trusts. Recorded outside of any store, by the hash of the store's path and
// of the very bytes of its config.json: when one byte changes, trust is needed again. Callers pass the bytes,
// so that the trusted bytes are those that were inspected. Programs are trusted as the command lines that
// they were resolved to, together with the files of the repository that those name.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { readIfThere } from "../base/fs/files.js";
import { makeDurableFolders } from "../base/fs/make-folders.js";
import type { ReplayConfig } from "../model/config.js";
import { flushFolder } from "../base/fs/flush.js";
import type { Store } from "./store.js";
import { type Bounds, changedFile, type NamedFiles, namedFiles } from "./trusted-files.js";

/** Returns the name under which this content of this store is recorded. */
export function trustName(store: Store, config: Buffer): string {
  return sha256(Buffer.concat([Buffer.from(`${fs.realpathSync(store.root)}\0`), config]));
}

export function isTrusted(store: Store, config: Buffer, state: string): boolean {
  try {
    return (
      fs.lstatSync(join(state, "trust", trustName(store, config)), { throwIfNoEntry: false })?.isFile() ===
      true
    );
  } catch (error) {
    // Nothing is trusted if another user's state may not be read, or if there is no folder for it.
    if (errnoOf(error) === "EACCES" || errnoOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** The command lines of a config as they were trusted; or why they are not trusted, or no longer. */
export type TrustedPrograms = { replay: ReplayConfig; files: NamedFiles; bounds: Bounds } | { why: string };

interface Remembered {
  store: string;
  /** With the command lines as they were resolved. */
  replay: ReplayConfig;
  files: [path: string, hash: `sha256:${string}` | null][];
}

/**
 * Returns the programs that may run from a trusted config. The command lines are those of that time: a word
 * that named no file then names none now.
 */
export function trustedPrograms(store: Store, config: Buffer, state: string): TrustedPrograms {
  if (!isTrusted(store, config, state)) return { why: "it is not trusted" };
  const remembered = recall(join(state, "trust", trustName(store, config)));
  if (remembered === undefined)
    return { why: "it was trusted with an earlier ctx, which did not check the files that it names" };
  const { replay } = remembered;
  try {
    const { files, ...bounds } = namedFiles(replay, store.root);
    const changed = changedFile(new Map(remembered.files), files);
    return changed === undefined ? { replay, files, bounds } : { why: `${changed} since it was trusted` };
  } catch (error) {
    if (error instanceof CtxError) return { why: error.message };
    throw error;
  }
}

/**
 * Reads the record of a trusted config; undefined for those of earlier versions, which hold the store's path
 * alone.
 */
function recall(path: string): Remembered | undefined {
  try {
    return JSON.parse(readIfThere(path)?.toString("utf8") ?? "") as Remembered;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Records exactly this content, and the command lines that it resolves to. */
export function rememberTrust(
  store: Store,
  config: Buffer,
  { state, replay }: { state: string; replay: ReplayConfig },
): NamedFiles {
  const { files } = namedFiles(replay, store.root);
  const remembered: Remembered = { store: store.root, replay, files: [...files] };
  const path = join(state, "trust", trustName(store, config));
  makeDurableFolders(dirname(path), { mode: 0o700, reliesOnOld: true });
  replaceFile(path, Buffer.from(`${JSON.stringify(remembered)}\n`), { durable: true, mode: 0o600 });
  return files;
}

export function forgetTrust(store: Store, config: Buffer, state: string): void {
  const path = join(state, "trust", trustName(store, config));
  withPath(path, "remove", () => {
    if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    fs.rmSync(path, { force: true });
    // A power cut must not restore the file.
    flushFolder(dirname(path));
  });
}
