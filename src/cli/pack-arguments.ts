// Resolves the names of packs on a command line: packs in the store, bundles, logs, and sessions of agents.
import * as fs from "node:fs";
import { resolve } from "node:path";
import { CtxError } from "../base/errors.js";
import { usingDescriptor } from "../base/fs/files.js";
import { lazy } from "../base/lazy.js";
import type { BundleName, BundleOptions, LogName } from "../bundle/open-bundles.js";
import { parsePackName } from "../model/pack-name.js";
import type { MatchedSession } from "../ops/find-session.js";
import { isDamagedTag, listTags, readTag } from "../store/refs.js";
import { minSession } from "../store/packed-sessions.js";
import { packsByPrefix } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import type { Call } from "./command.js";
import { userEnvironment, userPaths } from "./environment.js";
import { openStore, openStoreIfAny } from "./open-store.js";
import { notice, progressOn, shownPath } from "./output.js";

/** The help on an argument that takes any name of a pack. */
export const packNames =
  "a hash or its first digits, ctx://<hash>, latest, a tag, ~N for its Nth parent; a bundle (run.ctx, run.ctx#<hash>) or an agent's log; a session's id, or 6 or more characters of it";

/** What a name means: a name of a pack in the store, a bundle, or a log. */
type RunName = string | BundleName | LogName;

/** Parses `run.ctx` or `run.ctx#<prefix>` if there is such a file; returns undefined for every other name. */
export function bundleName(call: Call, name: string): BundleName | undefined {
  const path = pathName(call, name);
  if (path !== undefined) return path;
  return name.endsWith(".ctx") && isBundlePath(call, name) && !isScheme(name)
    ? { file: resolve(call.folder, name) }
    : undefined;
}

/** Parses a path: a name with a slash, or with a # and a hash. */
function pathName(call: Call, name: string): BundleName | undefined {
  if (isScheme(name)) return undefined;
  const [, before = "", after] = /^(.+?)(?:#([^#/]*))?$/.exec(name) ?? [];
  // A file whose whole name contains the # comes first.
  const [path, pack] =
    after !== undefined && isFile(call, name) === true ? [name, undefined] : [before, after];
  return path.includes("/") || pack !== undefined ? { file: resolve(call.folder, path), pack } : undefined;
}

function isScheme(name: string): boolean {
  return /^(?:ctx:\/\/|sha256:)/i.test(name);
}

/** Returns undefined if nothing has that path. */
function isFile(call: Call, path: string): boolean | undefined {
  return fs.statSync(resolve(call.folder, path), { throwIfNoEntry: false })?.isFile();
}

/** Returns whether the name means a file: one that exists, or a missing one if no tag has the name either. */
function isBundlePath(call: Call, path: string): boolean {
  const found = isFile(call, path);
  if (found !== undefined) return found;
  const store = openStoreIfAny(call);
  return store === undefined || !listTags(store.root).includes(path);
}

/**
 * Returns what a name means: a pack in the store, else an existing file, else a session. `prefersLog`: a
 * session means its log even if it is packed.
 */
export async function runNameOf(
  call: Call,
  name: string,
  store: Store | undefined,
  { prefersLog = false }: { prefersLog?: boolean } = {},
): Promise<RunName> {
  if (isScheme(name)) return name;
  if (name.startsWith("session:")) {
    const id = name.slice("session:".length);
    const found = await sessionRun(call, id, store, { isWhole: id.length < minSession, prefersLog });
    if (found !== undefined) return found;
    throw new CtxError("not-found", `no session on this machine or in the store has the id "${id}"`, {
      hint: "`ctx discover` lists the sessions",
    });
  }
  const path = pathName(call, name);
  if (path !== undefined) return fileRun(path);
  if (await isInStore(call, name, store)) return name;
  const file = { file: resolve(call.folder, name) };
  if (isFile(call, name) === true) return fileRun(file);
  if (isSessionName(name)) {
    const found = await sessionRun(call, name, store, { prefersLog });
    if (found !== undefined) return found;
  }
  return name.endsWith(".ctx") && isFile(call, name) === undefined ? file : name;
}

/** Returns whether the store has a pack with that name; throws if a session could be meant as well. */
async function isInStore(call: Call, name: string, store: Store | undefined): Promise<boolean> {
  const [, word = name, up] = /^(.*?)(~\d*|\^)?$/.exec(name) ?? [];
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(word)) return false;
  const { target } = parsePackName(word);
  if (target.kind === "latest" || target.kind === "hash") return true;
  if (store === undefined) return false;
  if (target.kind === "tag")
    return readTag(store.root, target.tag) !== undefined || isDamagedTag(store.root, target.tag);
  const packs = packsByPrefix(store, target.hex);
  if (packs.length === 0 || up !== undefined || word.length < minSession) return packs.length > 0;
  const { sessionsOnDisk } = await import("../ops/find-session.js");
  const sessions = sessionsOnDisk(userEnvironment(call), word);
  if (sessions.length === 0) return true;
  throw new CtxError("ambiguous", `${name} is ambiguous: it matches a pack and a session`, {
    problems: [...packs.map((hex) => ({ path: "", message: `ctx://${hex}` })), ...listed(call, sessions)],
    hint: `write ctx://${word} for the pack, or session:${word} for the session`,
  });
}

/** Decides by the first bytes whether a file is a bundle or a log. */
function fileRun(name: BundleName): BundleName | LogName {
  const stat = fs.statSync(name.file, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return { log: name.file, pack: name.pack };
  // The first bytes of a pipe can be read only once.
  if (stat?.isFile() !== true) return name;
  const head = Buffer.alloc(512);
  usingDescriptor(fs.openSync(name.file, "r"), (descriptor) => fs.readSync(descriptor, head, 0, 512, 0));
  const isTar = head.toString("latin1", 257, 262) === "ustar";
  const isJson = /^(?:\ufeff)?\s*[{[]/.test(head.toString("utf8"));
  return isTar || (name.file.endsWith(".ctx") && !isJson) ? name : { log: name.file, pack: name.pack };
}

/** Returns the run of the session with that id: its newest version in the store, or its log. */
async function sessionRun(
  call: Call,
  id: string,
  store: Store | undefined,
  { prefersLog, ...options }: { isWhole?: boolean; prefersLog: boolean },
): Promise<string | LogName | undefined> {
  const { findSession, hasGrown } = await import("../ops/find-session.js");
  const where = userEnvironment(call);
  const [found, another] = findSession(store, where, id, options);
  if (found === undefined) return undefined;
  if (another !== undefined)
    throw new CtxError("ambiguous", `${id} is ambiguous: several sessions match, or one has several logs`, {
      problems: listed(call, findSession(store, where, id, options)),
      hint: "type more characters of the id, or the path of a log",
    });
  const { pack, log } = found;
  if (log !== undefined && (prefersLog || pack === undefined)) return { log: log.path, open: log.open };
  if (pack === undefined) return undefined;
  if (log !== undefined && store !== undefined && hasGrown(store, where, log.path))
    notice(call, `the session has grown since it was packed; its log is ${shownPath(call, log.path)}`);
  return `ctx://${pack}`;
}

function listed(call: Call, sessions: readonly MatchedSession[]): { path: string; message: string }[] {
  return sessions.slice(0, 20).map(({ id, pack, log }) => ({
    path: "",
    message: `session:${id}, ${log === undefined ? `ctx://${(pack ?? "").slice(0, 12)}` : shownPath(call, log.path)}`,
  }));
}

/** A run that is not in the store: the name that was typed, and how it gets into the store. */
export interface OutsideRun {
  typed: string;
  taking: string;
}

/** Runs `work` on a store that has these packs: the user's store, unless a name means a bundle or a log. */
export async function withPacks<T>(
  call: Call,
  names: readonly string[],
  work: (store: Store, names: string[], outside: (OutsideRun | undefined)[]) => Promise<T>,
): Promise<T> {
  const own = openStoreIfAny(call);
  const resolved: RunName[] = [];
  for (const name of names) resolved.push(await runNameOf(call, name, own));
  const inStore = resolved.filter((name) => typeof name === "string");
  if (inStore.length === resolved.length) return await work(own ?? storeFor(call, inStore), inStore, []);
  // Throws: there is no store, so a name of no file or session means nothing.
  if (own === undefined && inStore.some((name) => name !== "latest")) storeFor(call, inStore);
  const outside = resolved.map((name, at) =>
    typeof name === "string" ? undefined : { typed: names[at] as string, taking: takingOf(call, name) },
  );
  const { withBundles } = await import("../bundle/open-bundles.js");
  const { readLogInto } = await import("../ops/read-log.js");
  const reading = { settings: own, user: userPaths(call.terminal.env) };
  const options: BundleOptions = {
    ...bundleOptions(call, own),
    readLog: (scratch, log) => readLogInto(scratch, log, reading),
  };
  return await withBundles(resolved, options, (store, hashes) => work(store, hashes, outside));
}

/** Opens the store that has these packs. If there is none, says that they are no sessions or files either. */
function storeFor(call: Call, names: readonly string[]): Store {
  try {
    return openStore(call);
  } catch (error) {
    const name = names.find((each) => /^[\w.-]{4,200}$/.test(each) && each !== "latest");
    if (!(error instanceof CtxError) || error.code !== "no-store" || name === undefined) throw error;
    const { code, message, data } = error;
    const isTried = isSessionName(name);
    throw new CtxError(
      code,
      isTried ? `${message}, and no file or session here has the name "${name}"` : message,
      {
        hint: `${isTried ? "" : `a session's id needs ${minSession} or more characters: `}\`ctx discover\` lists the sessions; \`ctx init\` makes a store here, or name a folder with -C`,
        ...(data === undefined ? {} : { data }),
        cause: error,
      },
    );
  }
}

function isSessionName(name: string): boolean {
  return /^[\w.-]+$/.test(name) && name.length >= minSession && name.length <= 200;
}

function takingOf(call: Call, name: BundleName | LogName): string {
  return "log" in name ? `ctx pack ${shownPath(call, name.log)}` : `ctx import ${shownPath(call, name.file)}`;
}

export function bundleOptions(call: Call, store = openStoreIfAny(call)): BundleOptions {
  const progress = progressOn(call, (done, of) => `reading ${Math.floor((100 * done) / of)} %`, 1 << 24);
  return {
    store,
    folder: call.folder,
    temp: lazy("os").tmpdir(),
    progress: (done, of) => (done < of ? progress.show(done, of) : progress.clear()),
  };
}
