// Which stores' settings the user trusts. Remembered outside of any store, by the hash of the store's path and of the very
// bytes of its config.json: when one byte changes, it is asked for again. The bytes are handed in, so that what is trusted is
// what was looked at.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../base/digest.js";
import { errnoOf, withPath } from "../base/errors.js";
import { makeFolders } from "../base/make-folders.js";
import { flushFolder } from "./flush.js";
import type { Store } from "./store.js";

/** The name under which this content of this store is remembered. */
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
    // Nothing is trusted where another user's state may not be read, or where there is no folder for it.
    if (errnoOf(error) === "EACCES" || errnoOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** Remembers just this content. */
export function rememberTrust(store: Store, config: Buffer, state: string): void {
  const folder = join(state, "trust");
  makeFolders(folder, 0o700);
  const path = join(folder, trustName(store, config));
  withPath(path, "write", () => fs.writeFileSync(path, `${store.root}\n`, { mode: 0o600 }));
}

export function forgetTrust(store: Store, config: Buffer, state: string): void {
  const path = join(state, "trust", trustName(store, config));
  withPath(path, "remove", () => {
    if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    fs.rmSync(path, { force: true });
    // It must not come back.
    flushFolder(dirname(path));
  });
}
