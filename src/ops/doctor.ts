// `ctx doctor`: what this machine and this store have, what is missing for ctx, and what to do about it.
import { CtxError } from "../base/errors.js";
import { findProgram } from "../base/find-program.js";
import { appendAll } from "../base/lists.js";
import type { DoctorResult, StoreKind } from "../results/results.js";
import { noteAccepted } from "../store/accepted.js";
import { Store } from "../store/store.js";
import { fixStore } from "../doctor/fix-store.js";
import { healthChecks } from "../doctor/health-checks.js";
import { lockChecks } from "../doctor/lock-checks.js";
import { fileSystemCheck, machineChecks } from "../doctor/machine-checks.js";
import { isUndecided, storeChecks } from "../doctor/store-checks.js";

export interface DoctorOptions {
  /** The folders to search for programs, in the syntax of PATH. */
  path: string;
  /** The file of this program, to tell it from others of that name on the PATH. */
  program?: string;
  /** The user's state folder, whose locks are listed too. */
  state?: string;
  /** Environment for git: GIT_DIR and the like. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Repair what can be repaired. */
  fix?: boolean;
  /** The kind that the store should have. Without it, `undecided` is called if a fix needs to know. */
  kind?: StoreKind;
  /**
   * Returns the kind that the store should have, if its modes leave it open; undefined leaves it unchanged.
   */
  undecided?: () => StoreKind | undefined;
}

export function doctor(folder: string, options: DoctorOptions): DoctorResult {
  const fixed = options.fix === true ? fix(folder, options) : undefined;
  const checks = machineChecks(options.path, options.program);
  try {
    const store = Store.find(folder);
    const { env = {}, state } = options;
    const around = { program: findProgram("git", options.path), env, from: folder, state };
    appendAll(checks, [
      fileSystemCheck(store),
      ...healthChecks(store),
      ...storeChecks(store, around),
      ...lockChecks([store.root]),
    ]);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const advice = error.hint === undefined ? {} : { advice: error.hint };
    checks.push({
      name: "store",
      status: error.code === "no-store" ? "lacks" : "bad",
      found: error.message,
      ...advice,
    });
  }
  appendAll(checks, lockChecks(options.state === undefined ? [] : [options.state]));
  const healthy = checks.every(({ status }) => status !== "bad");
  return fixed === undefined ? { healthy, checks } : { healthy, checks, fixed };
}

function fix(folder: string, { env = {}, kind, undecided, state }: DoctorOptions): string[] {
  const store = Store.find(folder);
  const chosen = kind ?? (!store.foreign && isUndecided(store) ? undecided?.() : undefined);
  const done = fixStore(store, chosen, { env, from: folder, state });
  // A user who chooses the kind of a store knows who can read it, so the store counts as accepted.
  if (chosen === undefined || state === undefined || store.foreign) return done;
  try {
    noteAccepted(store.root, state, chosen === "private" ? "private" : "open");
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    done.push(`hooks will not use this store: ${error.message}`);
  }
  return done;
}
