// The background work of a hook: seals the session that has ended or, after a commit, those of the
// repository. No process waits for it and its output is not shown, so it never throws, and records the
// outcome.
import * as fs from "node:fs";
import { toReference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import { gitPaths } from "../hooks/git-paths.js";
import { type HookAgent, type HookName, targets } from "../hooks/targets.js";
import { logAt } from "../intake/discover/find-logs.js";
import type { PackResult } from "../results/results.js";
import type { HookRun } from "../results/intake.js";
import { Redactor } from "../redact/redactor.js";
import type { Store } from "../store/store.js";
import { TakenLogs } from "../store/packed-logs.js";
import { runExclusively, noteRun } from "../hooks/runs.js";
import { findLog, messageOf, waitUntilWritten } from "../hooks/session-log.js";
import {
  addNotice,
  isUnwritable,
  type SessionStoreOptions,
  storeFor,
  withHomeStore,
} from "../hooks/session-store.js";
import { buildIndex } from "../search/build-index.js"; // Lazy in bundles.
import { packAll } from "./pack.js";
import { packDiscovered } from "./pack-discovered.js";
import { type RedactionOptions, redactionOrBuiltIn, searchNotices } from "../redact/settings.js";

export type HookSealOptions = SessionStoreOptions & RedactionOptions;

/** Seals for a hook and returns the recorded outcome. `message` is the input from the agent. */
export async function sealForHook(
  name: HookName,
  message: string,
  options: HookSealOptions,
): Promise<HookRun> {
  const run: HookRun = { time: new Date().toISOString(), hook: name, packs: [] };
  const sealed = new Set<Store>();
  try {
    if (name === "git") sealRepository(run, options, sealed);
    else await sealSession(name, message, { run, sealed }, options);
  } catch (thrown) {
    const error = asIoError(thrown);
    const isEmpty = error instanceof CtxError && error.code === "no-run";
    if (!isEmpty) run.problem = error instanceof Error ? error.message : String(error);
  }
  const masked = maskedRun(run, options);
  noteRun(options.state, masked);
  // When the outcome is recorded: whatever happens to the index, the session is sealed.
  for (const store of sealed) indexQuietly(store);
  return masked;
}

/** Returns the record of a session without the secrets that folder names and messages may hold. */
function maskedRun(run: HookRun, options: HookSealOptions): HookRun {
  const { search } = redactionOrBuiltIn(undefined, options).redaction;
  if (search === undefined) return run;
  const redactor = new Redactor(search);
  const masked = { ...run };
  for (const name of ["log", "problem", "notice"] as const) {
    const text = run[name];
    if (text !== undefined) masked[name] = redactor.text(text).value;
  }
  return masked;
}

/** Adds the new packs to the search index, so that the next search need not read them. */
function indexQuietly(store: Store): void {
  try {
    buildIndex(store);
  } catch (error) {
    if (!(asIoError(error) instanceof CtxError)) throw error;
  }
}

async function sealSession(
  name: HookAgent,
  message: string,
  { run, sealed }: { run: HookRun; sealed: Set<Store> },
  options: HookSealOptions,
): Promise<void> {
  const { where, user, redact } = options;
  const { log, session, folder } = messageOf(message);
  const path = log ?? findLog(targets[name].agent, session, where);
  if (path === undefined) throw new Error("the agent did not say which session ended");
  run.log = path;
  await waitUntilWritten(path);
  const store = storeFor(folder ?? where.folder, options, run);
  // Taken before the log is read: `ctx discover` finds what is written meanwhile.
  const signature = logAt(path, targets[name].agent)?.signature;
  const seal = (into: Store): void => {
    const { redaction, problem } = redactionOrBuiltIn(into, { redact, user });
    if (problem !== undefined) addNotice(run, problem);
    const results = packAll(into, { file: path }, { redaction, sidecars: false });
    run.packs = results.map(({ hash }) => hash);
    sealed.add(into);
    noteUntrusted(run, results);
    if (signature !== undefined) note(into, path, { signature, results });
  };
  withHomeStore(store, options, { run, seal });
}

/**
 * Notes what was masked by rules of a store that the user does not trust: a clone may bring rules that mask
 * everything.
 */
function noteUntrusted(run: HookRun, results: readonly PackResult[]): void {
  for (const { untrusted_rules } of results)
    for (const text of searchNotices(untrusted_rules, 0)) addNotice(run, text);
}

function note(
  store: Store,
  path: string,
  { signature, results }: { signature: string; results: readonly PackResult[] },
): void {
  const taken = TakenLogs.read(store);
  taken.set(path, { signature, packs: results.map(({ uri }) => uri.slice("ctx://".length)) });
  taken.save();
}

function sealRepository(run: HookRun, options: HookSealOptions, sealed: Set<Store>): void {
  const { where, state, user, redact } = options;
  const paths = gitPaths(where.folder, where.env);
  if (paths === undefined) throw new Error("there is no git repository here");
  if (paths.rebasing.some((path) => fs.existsSync(path))) {
    run.problem = "a rebase is in progress: the sessions will be sealed after the next commit";
    return;
  }
  const { top } = paths;
  const store = storeFor(top, options, run);
  const problems = new Set<string>();
  /** Logs of sessions that the first store could not take; undefined until then. */
  let left: ReadonlySet<string> | undefined;
  const seal = (into: Store): void => {
    const { redaction, problem } = redactionOrBuiltIn(into, { redact, user });
    if (problem !== undefined) addNotice(run, problem);
    const unwritten = new Map<string, CtxError>();
    const isDone = runExclusively(state, into.root, (refresh) => {
      packDiscovered(
        into,
        { ...where, folder: top },
        {
          project: top,
          redaction,
          ...(left === undefined ? {} : { logs: left }),
          progress: refresh,
          packed: (results) => {
            for (const { uri } of results) run.packs.push(toReference(uri.slice("ctx://".length)));
            sealed.add(into);
            noteUntrusted(run, results);
          },
          failed: (error, { log }) => {
            if (isUnwritable(error)) unwritten.set(log.path, error);
            else problems.add(error.message);
          },
          unreadable: (path, why) => problems.add(`cannot read ${path}: ${why}`),
        },
      );
    });
    if (!isDone) problems.add("the hook of another commit was still running");
    const [first] = unwritten.values();
    if (first === undefined) return;
    left = new Set(unwritten.keys());
    throw first;
  };
  try {
    withHomeStore(store, options, { run, seal });
  } catch (thrown) {
    const error = asIoError(thrown);
    problems.add(error instanceof Error ? error.message : String(error));
  }
  if (problems.size > 0) run.problem = [...problems].join("; ");
}
