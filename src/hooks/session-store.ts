// Chooses the store that a hook seals a session in: that of the session's folder if it accepts sessions and
// can be written to, or else the one in the user's home.
import * as fs from "node:fs";
import { join } from "node:path";
import { asIoError, CtxError } from "../base/errors.js";
import type { AgentPaths } from "../intake/discover/session-locations.js";
import type { HookRun } from "../results/intake.js";
import { sessionRefusal } from "../store/accepted.js";
import { storeName } from "../store/layout.js";
import { Store } from "../store/store.js";
import { vanishedHint, vanishedStore } from "../store/vanished.js";

export interface SessionStoreOptions {
  where: AgentPaths;
  /** The user's state folder. */
  state: string;
}

/**
 * Returns the store for the session's folder. If there is none, or it cannot be used or does not accept
 * sessions without consent (see accepted.ts), returns the store in the user's home.
 */
export function storeFor(folder: string, options: SessionStoreOptions, run: HookRun): Store {
  const { home } = options.where;
  noteVanished(folder, options, run);
  let refused: CtxError;
  try {
    return sessionStore(folder, options);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    refused = error;
  }
  // There may be no store, or the folder may be gone by now: a worktree for one session, for example.
  if (refused.code === "no-store") noteNoFolder(folder, run);
  if (refused.code === "no-store" || !fs.existsSync(folder)) return sessionStore(home, options);
  try {
    const store = sessionStore(home, options);
    addNotice(run, `${withHint(refused)}; sealed in ${store.root} instead`);
    return store;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    // The problem of the nearer store is more useful than the missing second one.
    throw new CtxError(refused.code, withHint(refused), { cause: refused });
  }
}

/** Returns the store for a folder; throws if it does not accept sessions. */
function sessionStore(folder: string, { where: { home, env }, state }: SessionStoreOptions): Store {
  const store = Store.find(folder);
  const refusal = sessionRefusal(store, { state, home, env });
  if (refusal !== undefined) throw refusal;
  return store;
}

/** Returns message and hint together, because a hook's record has only one line. */
function withHint({ message, hint }: CtxError): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

/** Notes a file or pipe in the place of a store, which `Store.find` walks past. */
function noteNoFolder(folder: string, run: HookRun): void {
  const path = join(folder, storeName);
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === false) addNotice(run, `${path} is not a folder, so it is not a store`);
}

/** Notes a store of the user that is gone: its sessions go elsewhere from now on. */
function noteVanished(folder: string, { state }: SessionStoreOptions, run: HookRun): void {
  const vanished = vanishedStore(folder, state);
  if (vanished !== undefined)
    addNotice(run, `the store ${vanished}, which was yours, is gone (${vanishedHint})`);
}

export function addNotice(run: HookRun, text: string): void {
  run.notice = run.notice === undefined ? text : `${run.notice}; ${text}`;
}

/**
 * Seals into the store of the home if this one fails: it may be on a disk that is full or read-only. `seal`
 * throws an error about the store if there is something left to seal.
 */
export function withHomeStore(
  store: Store,
  options: SessionStoreOptions,
  { run, seal }: { run: HookRun; seal: (into: Store) => void },
): void {
  try {
    seal(store);
  } catch (thrown) {
    const error = asIoError(thrown);
    if (!(error instanceof CtxError) || !isUnwritable(error)) throw error;
    const other = homeStore(options);
    if (other === undefined || other.root === store.root) throw error;
    const before = run.packs.length;
    try {
      seal(other);
    } finally {
      if (run.packs.length > before) addNotice(run, `${error.message}; sealed in ${other.root} instead`);
    }
  }
}

/** Returns whether an error is about the store, and not about the session. */
export function isUnwritable({ code }: CtxError): boolean {
  return code === "io" || code === "store-unusable";
}

function homeStore(options: SessionStoreOptions): Store | undefined {
  try {
    return sessionStore(options.where.home, options);
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
