// Which stores' settings the user trusts. Remembered outside of any store, by the hash of the store's path and of the very
// bytes of its config.json: when one byte changes, it is asked for again.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/digest.js";
import { withPath } from "../base/errors.js";
import { readIfThere } from "../base/files.js";
import type { Store } from "./store.js";

/** The name under which this content of this store is remembered. */
export function trustName(store: Store): string {
  const config = readIfThere(join(store.root, "config.json")) ?? Buffer.alloc(0);
  return sha256(Buffer.concat([Buffer.from(`${fs.realpathSync(store.root)}\0`), config]));
}

export function isTrusted(store: Store, state: string): boolean {
  return fs.lstatSync(join(state, "trust", trustName(store)), { throwIfNoEntry: false })?.isFile() === true;
}

/** Remembers just this content. */
export function rememberTrust(store: Store, state: string): string {
  const folder = join(state, "trust");
  withPath(folder, "create", () => fs.mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const name = trustName(store);
  const path = join(folder, name);
  withPath(path, "write", () => fs.writeFileSync(path, `${store.root}\n`, { mode: 0o600 }));
  return name;
}

/** True when it was remembered. */
export function forgetTrust(store: Store, state: string): boolean {
  const wasThere = isTrusted(store, state);
  const path = join(state, "trust", trustName(store));
  withPath(path, "remove", () => fs.rmSync(path, { force: true }));
  return wasThere;
}
