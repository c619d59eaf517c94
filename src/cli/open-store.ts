// Finds the store that a command works on, and warns if others own it or can write to it.
import { lstatSync } from "node:fs";
import { CtxError } from "../base/errors.js";
import { Store, userName, type WaitNotice } from "../store/store.js";
import { vanishedHint, vanishedStore } from "../store/vanished.js";
import type { Call } from "./command.js";
import { userPaths } from "./environment.js";
import { notice } from "./output.js";

/**
 * Opens the store. `adding`: the command writes data of the user into it, which the owner of the store can
 * then read.
 */
export function openStore(call: Call, { adding = false } = {}): Store {
  const store = find(call);
  if (store.foreign) {
    const reader = adding
      ? `${userName(lstatSync(store.root).uid)}, who can read what you put into it`
      : "another user";
    notice(
      call,
      `the store ${store.root} belongs to ${reader}; its settings have no effect until you trust them`,
    );
  }
  if (isExposed(store.root))
    notice(
      call,
      `every user can write to the store ${store.root}; ${store.foreign ? "its owner can run" : "run"} \`ctx doctor --fix\` to fix that`,
    );
  return store;
}

/**
 * Finds the store. If a store that the user had made here is gone, says so in place of "no store", and warns
 * before the store of the home is used instead.
 */
function find(call: Call): Store {
  const { env } = call.terminal;
  let found: Store;
  try {
    found = Store.find(call.folder, { onWait: onWait(call) });
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "no-store") throw error;
    const vanished = vanishedStore(call.folder, userPaths(env).state);
    if (vanished === undefined) throw error;
    throw new CtxError("no-store", `the store ${vanished}, which was yours, is gone`, {
      hint: vanishedHint,
      data: { path: vanished },
      cause: error,
    });
  }
  if (found.folder === env["HOME"] && call.folder !== found.folder) {
    const vanished = vanishedStore(call.folder, userPaths(env).state);
    if (vanished !== undefined)
      notice(
        call,
        `the store ${vanished}, which was yours, is gone; using ${found.root} instead (${vanishedHint})`,
      );
  }
  return found;
}

/** Reports that the command waits for another process, and how to end the wait. */
export function onWait(call: Call): (notice: WaitNotice) => void {
  return ({ message, hint }) => notice(call, `${message}; ${hint}`);
}

function isExposed(root: string): boolean {
  return process.platform !== "win32" && (lstatSync(root).mode & 0o002) !== 0;
}

/** Opens the store if there is one; for commands that also work without. */
export function openStoreIfAny(call: Call): Store | undefined {
  try {
    return openStore(call);
  } catch (error) {
    if (error instanceof CtxError && error.code === "no-store") return undefined;
    throw error;
  }
}
