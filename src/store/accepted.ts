// Which stores may take sessions that the user does not name one by one: those that hooks and `ctx pack --discover` seal. Sessions are private, and
// a store can come with a clone. A store that only its owner can enter takes them as it is; one that others can read takes them once the
// user has accepted it; one that belongs to another user never does.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { makeFolders } from "../base/make-folders.js";
import { isShared, readStoreFile } from "./config.js";
import { isPrivate } from "./modes.js";
import { userName } from "./owner.js";
import type { Store } from "./store.js";
import { isTrusted } from "./trust.js";

export interface SessionPlace {
  /** The folder for the user's own state, where accepted stores are remembered. */
  state: string;
  /** The user's home. A store right in it takes every session. */
  home: string;
}

/** Why a store does not take sessions by itself; undefined when it does. */
export function sessionRefusal(store: Store, { state, home }: SessionPlace): CtxError | undefined {
  if (store.foreign) return foreignRefusal(store);
  const readers = readersOf(store);
  if (readers === undefined || isIn(store, home) || isAccepted(store, state)) return undefined;
  return new CtxError("store-unusable", `the store ${store.root} ${readers}, and you have not accepted it`, {
    hint: "`ctx trust` there accepts it for your sessions; `ctx doctor --fix --private` makes it yours alone",
    data: { path: store.root },
  });
}

/** Why another user's store takes no sessions, whatever the user has accepted. */
export function foreignRefusal(store: Store): CtxError {
  const owner = userName(fs.lstatSync(store.root).uid);
  return new CtxError(
    "store-unusable",
    `the store ${store.root} belongs to ${owner}, who could read your sessions there`,
    {
      hint: "`ctx init` makes a store of your own in your project, `ctx -C ~ init` one for all your sessions",
      data: { path: store.root },
    },
  );
}

/** Who else gets what is in a store; undefined when it is its owner's alone. */
export function readersOf(store: Store): string | undefined {
  if (isShared(store)) return "is shared: whoever gets it gets the sessions in it";
  if (process.platform === "win32" || isPrivate(fs.lstatSync(store.root))) return undefined;
  return "can be read by others on this machine";
}

/** Remembers that the user lets sessions go into this store. Another store at the same path has to be accepted anew. */
export function acceptStore(store: Store, state: string): void {
  makeFolders(join(state, "stores"), 0o700);
  const path = markPath(store, state);
  withPath(path, "write", () => fs.writeFileSync(path, `${store.root}\n`, { mode: 0o600 }));
}

/** Forgets that the user accepted this store. */
export function forgetAccepted(store: Store, state: string): void {
  const path = markPath(store, state);
  withPath(path, "remove", () => fs.rmSync(path, { force: true }));
}

function isAccepted(store: Store, state: string): boolean {
  try {
    if (fs.lstatSync(markPath(store, state), { throwIfNoEntry: false })?.isFile() === true) return true;
  } catch (error) {
    if (errnoOf(error) !== "EACCES" && errnoOf(error) !== "ENOTDIR") throw error;
  }
  return isTrusted(store, readStoreFile(store).bytes, state);
}

function isIn(store: Store, home: string): boolean {
  try {
    return fs.realpathSync(home) === fs.realpathSync(dirname(store.root));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

function markPath({ root }: Store, state: string): string {
  const { ino } = fs.lstatSync(root);
  return join(state, "stores", sha256(Buffer.from(`${fs.realpathSync(root)}\0${ino}`)));
}
