// Decides which stores may receive sessions that the user does not name one by one: those that hooks and `ctx
// pack --discover` seal. Sessions are private, and a store can come with a clone or an archive, with any
// modes. A store receives them if it is in the home folder, if ctx made it for this user and it is still
// private, or if the user accepted it as it is; a store that belongs to another user never does.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { readIfThere } from "../base/fs/files.js";
import { makeDurableFolders } from "../base/fs/make-folders.js";
import { isShared } from "./config.js";
import { flushFolder } from "../base/fs/flush.js";
import { gitRefusal } from "./in-git.js";
import { ignoreLines, ignoresAll } from "./own-ignore.js";
import { isPrivate } from "./modes.js";
import { userName } from "./owner.js";
import type { Store } from "./store.js";

export interface SessionFolders {
  /** The folder for the user's own state, where accepted stores are recorded. */
  state: string;
  /** The user's home. A store directly in it receives every session. */
  home: string;
  /** The environment for git, which may track the store, or not ignore it. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Returns why a store does not receive sessions by itself; undefined if it does. */
export function sessionRefusal(store: Store, folders: SessionFolders): CtxError | undefined {
  if (store.foreign) return foreignRefusal(store);
  const objection = objectionTo(store, folders);
  if (objection === undefined)
    return receivesAll(store, folders) ? undefined : gitRefusal(store, folders.env);
  return new CtxError(
    "store-unusable",
    `the store ${store.root} ${objection}, and you have not accepted it`,
    {
      hint: "run `ctx trust` there to accept it for your sessions, or `ctx doctor --fix --private` to make it readable by you only",
      data: { path: store.root },
    },
  );
}

/** Returns the objection to putting sessions into a store that the user owns; undefined if there is none. */
export function objectionTo(store: Store, folders: Omit<SessionFolders, "env">): string | undefined {
  if (receivesAll(store, folders)) return undefined;
  // A store that was private when it was accepted may be shared by now: `git pull` replaces its config.json
  // and .gitignore.
  return (
    readersOf(store) ??
    (acceptedAs(store, folders.state) === "private" ? undefined : "was not made by you with `ctx init` here")
  );
}

/** Returns whether a store receives sessions no matter who else can read it. */
function receivesAll(store: Store, { state, home }: Omit<SessionFolders, "env">): boolean {
  return acceptedAs(store, state) === "open" || isIn(store, home);
}

/** Returns the reason why another user's store receives no sessions, whatever the user has accepted. */
export function foreignRefusal(store: Store): CtxError {
  const owner = userName(fs.lstatSync(store.root).uid);
  return new CtxError(
    "store-unusable",
    `the store ${store.root} belongs to ${owner}, who could read the sessions that you put there`,
    {
      hint: "make your own store: `ctx init` in your project, or `ctx -C ~ init` for all your sessions",
      data: { path: store.root },
    },
  );
}

/** Describes who else can read a store; undefined if only its owner can. */
export function readersOf(store: Store): string | undefined {
  if (isShared(store)) return "is shared: anyone who gets a copy of it can read the sessions in it";
  if (process.platform !== "win32" && !isPrivate(fs.lstatSync(store.root)))
    return "can be read by other users of this machine";
  return ignoresAll(ignoreLines(store.root))
    ? undefined
    : "is not ignored by git: its own .gitignore does not say so";
}

/** Records that the user allows sessions in this store, as it is now. */
export function acceptStore(store: Store, state: string): void {
  noteAccepted(store.root, state, readersOf(store) === undefined ? "private" : "open");
}

/**
 * Records that a store under construction receives sessions. Called before the store is complete, so that a
 * crash leaves no store without the note.
 */
export function noteAccepted(root: string, state: string, kind: Acceptance): void {
  const path = notePath(root, state);
  makeDurableFolders(dirname(path), { mode: 0o700, reliesOnOld: true });
  replaceFile(path, Buffer.from(`${kind}\n${root}\n`), { durable: true, mode: 0o600 });
}

/** Deletes the record that the user accepted this store. */
export function forgetAccepted(store: Store, state: string): void {
  const path = notePath(store.root, state);
  withPath(path, "remove", () => {
    if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    fs.rmSync(path, { force: true });
    // The note must not come back after a power cut.
    flushFolder(dirname(path));
  });
}

/** `private`: accepted as long as it is private. `open`: accepted no matter who else can read it. */
export type Acceptance = "private" | "open";

/** Returns how the user accepted a store, if at all. */
export function acceptedAs(store: Store, state: string): Acceptance | undefined {
  try {
    const kind = readIfThere(notePath(store.root, state))?.toString("utf8").split("\n")[0];
    return kind === "private" || kind === "open" ? kind : undefined;
  } catch (error) {
    // If the state cannot be read, nothing is accepted.
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/**
 * Returns the path of a store's note. Its name distinguishes this store from another one at the same path by
 * the folder's inode number and birth time, which no clone or archive can reproduce. On a file system without
 * birth times, Node reports another time that changes, and acceptance ends early.
 */
function notePath(root: string, state: string): string {
  const { ino, birthtimeNs } = fs.lstatSync(root, { bigint: true });
  const name = sha256(Buffer.from(`${fs.realpathSync(root)}\0${ino}\0${birthtimeNs}`));
  return join(state, "stores", name);
}

function isIn(store: Store, home: string): boolean {
  try {
    return fs.realpathSync(home) === fs.realpathSync(dirname(store.root));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
