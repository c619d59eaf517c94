// Finds the store that a command works on, and warns if others own it or can write to it.
import { lstatSync } from "node:fs";
import { CtxError } from "../base/errors.js";
import type { WaitNotice } from "../store/lock-text.js";
import { userName } from "../store/owner.js";
import { Store } from "../store/store.js";
import type { Call } from "./command.js";
import { notice } from "./output.js";

/**
 * Opens the store. `adding`: the command writes data of the user into it, which the owner of the store can
 * then read.
 */
export function openStore(call: Call, { adding = false } = {}): Store {
  const store = Store.find(call.folder, { onWait: onWait(call) });
  if (store.foreign) {
    const reader = adding
      ? `${userName(lstatSync(store.root).uid)}, who can read what you put into it`
      : "another user";
    notice(
      call,
      `the store ${store.root} belongs to ${reader}; its settings have no effect unless you trust them`,
    );
  }
  if (isExposed(store.root))
    notice(
      call,
      `everybody can write to the store ${store.root}; ${store.foreign ? "its owner can run" : "run"} \`ctx doctor --fix\` to end that`,
    );
  return store;
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
