// `ctx init`: makes a store, for its owner alone or to be committed.
import { CtxError } from "../base/errors.js";
import type { InitResult } from "../model/results.js";
import { acceptStore } from "../store/accepted.js";
import { isShared } from "../store/config.js";
import { exclude, findGit } from "../store/git-exclude.js";
import { initStore } from "../store/init.js";
import { Store } from "../store/store.js";

export interface InitOptions {
  /** Make a store that a team commits: as readable as the umask says, and seen by git. */
  shared?: boolean;
  /** Where GIT_DIR and the like are looked up; nothing is read from the environment otherwise. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The folder that a relative GIT_DIR starts from. */
  from?: string;
  /** The folder for the user's own state. A shared store that is made here takes the user's sessions; that is noted there. */
  state?: string;
}

export function init(folder: string, options: InitOptions = {}): InitResult {
  const { shared = false, env = {}, from = folder } = options;
  const { root, created } = initStore(folder, { shared });
  if (!created) return { store: root, created, shared: isShared(Store.open(root)), notices: [] };
  const result: InitResult = { store: root, created, shared, notices: [] };
  const git = findGit(root, from, env);
  if (shared && options.state !== undefined) accept(Store.open(root), options.state, result);
  if (git === undefined || shared) return result;
  try {
    exclude(git, root);
    result.excluded = git.exclude;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    // The store is made; that git would commit it is for its owner to know.
    result.notices.push(`git would commit this store: ${error.message}; add it there yourself`);
  }
  return result;
}

/** The store is made either way: hooks will say that it is not accepted. */
function accept(store: Store, state: string, { notices }: InitResult): void {
  try {
    acceptStore(store, state);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    notices.push(`hooks will not use this store: ${error.message}`);
  }
}
