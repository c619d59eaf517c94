// `ctx init`: creates a store, private or to be committed.
import { CtxError } from "../base/errors.js";
import type { InitResult } from "../results/results.js";
import { noteAccepted } from "../store/accepted.js";
import { isShared } from "../store/config.js";
import { exclude, findGit, include } from "../store/git-exclude.js";
import { initStore } from "../store/init.js";
import { Store } from "../store/store.js";

export interface InitOptions {
  /** Create a store that a team commits: as readable as the umask allows, and visible to git. */
  shared?: boolean;
  /** Environment for GIT_DIR and the like; the process environment is not read. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The folder that a relative GIT_DIR is resolved against. */
  from?: string;
  /**
   * The user's state folder, which records that the new store accepts the user's sessions. Without it, hooks
   * do not use the store.
   */
  state?: string;
}

export function init(folder: string, options: InitOptions = {}): InitResult {
  const { shared = false, env = {}, from = folder, state } = options;
  const notices: string[] = [];
  const onCreated = (made: string): void => {
    if (state !== undefined) accept(made, { state, shared, notices });
  };
  const { root, created } = initStore(folder, { shared, onCreated });
  const isOpen = created ? shared : isShared(Store.open(root));
  const result: InitResult = { store: root, created, shared: isOpen, notices };
  const git = findGit(root, from, env);
  if (git === undefined || (!created && !(shared && isOpen))) return result;
  try {
    // A private store that was here before, or at this path in another work tree, may have left its line.
    if (shared) include(git, root);
    else {
      exclude(git, root);
      result.excluded = git.exclude;
    }
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    // A private store's own .gitignore is enough for git; the line in info/exclude is a second safeguard.
    result.notices.push(
      shared
        ? `git may ignore the store: ${error.message}; \`ctx doctor\` says whether it does`
        : `the store is not in git's info/exclude: ${error.message}; only its own .gitignore keeps it out of commits`,
    );
  }
  return result;
}

/**
 * Records that the new store accepts sessions. If that fails, the store is created all the same, and hooks
 * will report that it is not accepted.
 */
function accept(
  root: string,
  { state, shared, notices }: { state: string; shared: boolean; notices: string[] },
): void {
  try {
    noteAccepted(root, state, shared ? "open" : "private");
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    notices.push(`hooks will not use this store: ${error.message}`);
  }
}
