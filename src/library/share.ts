// Library functions that export, import, push and pull runs, with the checks of their arguments.
import { callback, flag, members, oneOf, path, required, text } from "./checks.js";
import { guarded, guardedAsync, storeParameter as store } from "./guard.js";
import type { Remote } from "../results/share.js";
import type { RemoteOptions } from "../ops/push.js";
import * as exportLogOps from "../ops/export-as.js";
import * as exportOps from "../ops/export.js";
import * as importOps from "../ops/import.js";
import * as lsOps from "../ops/remote-ls.js";
import * as pullOps from "../ops/pull.js";
import * as pushOps from "../ops/push.js";
import * as remoteOps from "../ops/remote.js";
import { optionalStore, outgoing, name, names, options, parameter, remote, userPlace } from "./parameters.js";

/** Converts a run to a log of another format. */
export const exportLog = guarded("exportLog", exportLogOps.exportLog, [
  store,
  name,
  parameter("to", oneOf("atif", "otlp", "openai")),
]);

/** Writes packs into one bundle. */
export const exportPacks = guarded("exportPacks", exportOps.exportPacks, [
  store,
  names,
  options(
    members<exportOps.ExportOptions>({
      ...outgoing,
      file: path,
      force: flag,
      write: callback,
      dryRun: flag,
      progress: callback,
    }),
  ),
]);

/** Imports the packs of a bundle. */
export const importPacks = guarded("importPacks", importOps.importPacks, [
  store,
  parameter("file", path),
  options(
    members<importOps.ImportOptions>({ name: text, input: callback, flushes: flag, progress: callback }),
  ),
]);

/** Lists the packs in a repository of a registry. */
export const ls = guardedAsync("ls", lsOps.ls, [
  optionalStore,
  parameter("at", text),
  options(members<RemoteOptions>(remote), false),
]);

/** Fetches packs from a registry. */
export const pull = guardedAsync("pull", pullOps.pull, [
  store,
  parameter("from", text),
  options(members<pullOps.PullOptions>({ ...remote, withParents: flag, all: flag }), false),
]);

/** Sends packs to a registry. */
export const push = guardedAsync("push", pushOps.push, [
  store,
  names,
  parameter("to", text),
  options(members<pushOps.PushOptions>({ ...outgoing, ...remote, force: flag, dryRun: flag }), false),
]);

/** Lists the user's remotes. */
export const listRemotes = guarded("listRemotes", remoteOps.listRemotes, [parameter("user", userPlace)]);

/** Adds a remote. */
export const addRemote = guarded("addRemote", remoteOps.addRemote, [
  parameter("user", userPlace),
  parameter("remote", members<Remote>({ name: required(text), url: required(text), plain_http: flag })),
]);

/** Removes a remote. */
export const removeRemote = guarded("removeRemote", remoteOps.removeRemote, [
  parameter("user", userPlace),
  name,
]);
