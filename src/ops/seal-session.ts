// The background work of a hook: seals the session that has ended or, after a commit, those of the
// repository. No process waits for it and its output is not shown, so it never throws, and records the
// outcome.
import * as fs from "node:fs";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { toReference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { gitPaths } from "../hooks/git-paths.js";
import { type HookAgent, type HookName, targets } from "../hooks/targets.js";
import { findLogs, glance, logAt } from "../intake/discover/find-logs.js";
import type { PackResult } from "../results/results.js";
import type { HookRun } from "../results/intake.js";
import { Redactor } from "../redact/redactor.js";
import { sessionRefusal } from "../store/accepted.js";
import { storeName } from "../store/layout.js";
import { Store } from "../store/store.js";
import { TakenLogs } from "../store/packed-logs.js";
import type { Whereabouts } from "./discover.js";
import { aloneFor, noteRun } from "../hooks/runs.js";
import { packAll } from "./pack-all.js";
import { packDiscovered } from "./pack-discovered.js";
import { type RedactionOptions, redactionOrBuiltIn, searchNotices } from "../redact/settings.js";

export interface SealOptions extends RedactionOptions {
  where: Whereabouts;
  /** The user's state folder. */
  state: string;
}

/** Seals for a hook and returns the recorded outcome. `said` is the input from the agent. */
export async function sealForHook(name: HookName, said: string, options: SealOptions): Promise<HookRun> {
  const run: HookRun = { time: new Date().toISOString(), hook: name, packs: [] };
  try {
    if (name === "git") sealRepository(run, options);
    else await sealSession(name, said, run, options);
  } catch (thrown) {
    const error = asIoError(thrown);
    const isEmpty = error instanceof CtxError && error.code === "no-run";
    if (!isEmpty) run.problem = error instanceof Error ? error.message : String(error);
  }
  const masked = maskedRun(run, options);
  noteRun(options.state, masked);
  return masked;
}

/** Returns the record of a session without the secrets that folder names and messages may hold. */
function maskedRun(run: HookRun, options: SealOptions): HookRun {
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

async function sealSession(name: HookAgent, said: string, run: HookRun, options: SealOptions): Promise<void> {
  const { where, user, redact } = options;
  const { log, session, folder } = payloadOf(said);
  const path = log ?? findLog(name, session, where);
  if (path === undefined) throw new Error("the agent did not say which session has ended");
  run.log = path;
  await settled(path);
  const store = storeFor(folder ?? where.folder, options, run);
  // Taken before the log is read: `ctx discover` finds what is written meanwhile.
  const signature = logAt(path, targets[name].agent)?.signature;
  const seal = (into: Store): void => {
    const { redaction, problem } = redactionOrBuiltIn(into, { redact, user });
    if (problem !== undefined) addNotice(run, problem);
    const results = packAll(into, { file: path }, { redaction, sidecars: false });
    run.packs = results.map(({ hash }) => hash);
    noteUntrusted(run, results);
    if (signature !== undefined) note(into, path, { signature, results });
  };
  withHomeStore(store, options, { run, seal });
}

/**
 * Seals into the store of the home if this one fails: it may be on a disk that is full or read-only. `seal`
 * throws an error about the store if there is something left to seal.
 */
function withHomeStore(
  store: Store,
  options: SealOptions,
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
function isUnwritable({ code }: CtxError): boolean {
  return code === "io" || code === "store-unusable";
}

function homeStore(options: SealOptions): Store | undefined {
  try {
    return sessionStore(options.where.home, options);
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/**
 * Notes what was masked by rules of a store that the user does not trust: a clone may bring rules that mask
 * everything.
 */
function noteUntrusted(run: HookRun, results: readonly PackResult[]): void {
  for (const { untrusted_rules } of results)
    for (const text of searchNotices(untrusted_rules, 0)) addNotice(run, text);
}

/** Parses the input that all three agents send; each field is a string. */
function payloadOf(said: string): { log?: string; session?: string; folder?: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(said) as JsonValue;
  } catch {
    throw new Error("what the agent handed over is not JSON");
  }
  if (!isObject(value)) return {};
  const { transcript_path: log, session_id: session, cwd: folder } = value;
  return {
    ...(typeof log === "string" && isAbsolute(log) ? { log } : {}),
    ...(typeof session === "string" && session !== "" ? { session } : {}),
    ...(typeof folder === "string" && isAbsolute(folder) ? { folder } : {}),
  };
}

function findLog(name: HookAgent, session: string | undefined, where: Whereabouts): string | undefined {
  if (session === undefined) return undefined;
  const { agent } = targets[name];
  const { logs } = findLogs(where, (each) => each === agent);
  return logs.find((log) => glance(log).session === session)?.path;
}

/**
 * Waits until the agent has stopped writing the log, for about 3 seconds at most. Refuses a path that is not
 * a regular file, which could block this unseen process for ever.
 */
async function settled(path: string): Promise<void> {
  const sizeNow = (): number => {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === false) throw new Error(`cannot read the log ${path}: it is not a regular file`);
    return stat?.size ?? -1;
  };
  let size = sizeNow();
  for (let tries = 0; tries < 20; tries++) {
    await sleep(150);
    const now = sizeNow();
    if (now === size) return;
    size = now;
  }
}

/**
 * Returns the store for the session's folder. If there is none, or it cannot be used or does not accept
 * sessions without consent (see accepted.ts), returns the store in the user's home.
 */
function storeFor(folder: string, options: SealOptions, run: HookRun): Store {
  const { home } = options.where;
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
function sessionStore(folder: string, { where: { home }, state }: SealOptions): Store {
  const store = Store.find(folder);
  const refusal = sessionRefusal(store, { state, home });
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
  if (stat?.isDirectory() === false) addNotice(run, `${path} is not a folder, so it is no store`);
}

function addNotice(run: HookRun, text: string): void {
  run.notice = run.notice === undefined ? text : `${run.notice}; ${text}`;
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

function sealRepository(run: HookRun, options: SealOptions): void {
  const { where, state, user, redact } = options;
  const paths = gitPaths(where.folder, where.env);
  if (paths === undefined) throw new Error("there is no git repository here");
  if (paths.rebasing.some((path) => fs.existsSync(path))) {
    run.problem = "a rebase is going on: the sessions are sealed after the next commit";
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
    const isDone = aloneFor(state, into.root, (refresh) => {
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
            noteUntrusted(run, results);
          },
          failed: (error, { log }) => {
            if (isUnwritable(error)) unwritten.set(log.path, error);
            else problems.add(error.message);
          },
          unreadable: (path, why) => problems.add(`cannot look at ${path}: ${why}`),
        },
      );
    });
    if (!isDone) problems.add("another commit's hook was still at work");
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
