// Library functions that create stores, seal runs and show them, with the checks of their arguments.
import {
  type ArgumentCheck,
  bytes,
  callback,
  count,
  eitherOf,
  environment,
  flag,
  listOf,
  members,
  milliseconds,
  oneOf,
  path,
  pieces,
  required,
  signal,
  text,
} from "./checks.js";
import { guarded, guardedAsync, storeParameter as store } from "./guard.js";
import * as catOps from "../ops/cat.js";
import * as discoverOps from "../ops/discover.js";
import * as doctorOps from "../ops/doctor.js";
import * as grepOps from "../ops/grep.js";
import * as initOps from "../ops/init.js";
import * as logOps from "../ops/log.js";
import * as packDiscoveredOps from "../ops/pack-discovered.js";
import * as packOps from "../ops/pack.js";
import type { AnyLog, PackAllOptions, PackManyInput, PackManyOptions } from "../ops/pack.js";
import * as showOps from "../ops/show.js";
import * as statsOps from "../ops/stats.js";
import * as tagOps from "../ops/tag.js";
import * as watchOps from "../ops/watch.js";
import type { PackResult } from "../results/results.js";
import type { Store } from "../store/store.js";
import {
  byFacts,
  optionalStore,
  discovering,
  filtering,
  name,
  options,
  packing,
  packingAll,
  parameter,
  redaction,
  where,
} from "./parameters.js";

/** Creates a store in a folder. */
export const init = guarded("init", initOps.init, [
  parameter("folder", path),
  options(members<initOps.InitOptions>({ shared: flag, env: environment, from: path, state: path })),
]);

/** Reports what this machine and a store have and what is missing. */
export const doctor = guarded("doctor", doctorOps.doctor, [
  parameter("folder", path),
  options(
    members<doctorOps.DoctorOptions>({
      path: required(text),
      program: path,
      state: path,
      env: environment,
      fix: flag,
      kind: oneOf("private", "shared"),
      undecided: callback,
    }),
    false,
  ),
]);

const inFile = { file: required(path), source: text };
const inMemory = { bytes: required(bytes), folder: required(path), source: text };
const streamed = { pieces: required(pieces), folder: required(path), source: text };

/** Seals one log in ctx's own format, or a draft. */
export const pack = guarded("pack", packOps.pack, [
  store,
  parameter("input", eitherOf({ file: members(inFile), bytes: members(inMemory) })),
  options(members<packOps.PackOptions>(packing)),
]);

const anyLog = eitherOf({
  file: members(inFile),
  bytes: members(inMemory),
  pieces: members(streamed),
});
/** Seals every run that a log of any known format holds. */
export const packAll = guarded<[Store, AnyLog, PackAllOptions?], PackResult[]>("packAll", packOps.packAll, [
  store,
  parameter("input", anyLog),
  options(members<PackAllOptions>(packingAll)),
]);

const { created, from, prompt, at, remove } = packingAll;
const own = members<Required<PackManyInput>["options"]>({ created, from, prompt, at, remove });
const manyLogs = listOf(
  eitherOf({
    file: members({ ...inFile, options: own }),
    bytes: members({ ...inMemory, options: own }),
    pieces: members({ ...streamed, options: own }),
  }),
);
/** Seals every run that several logs hold, and commits them in groups. */
export const packMany = guarded<[Store, readonly PackManyInput[], PackManyOptions?], void>(
  "packMany",
  packOps.packMany,
  [
    store,
    parameter("inputs", manyLogs),
    options(members<PackManyOptions>({ ...packingAll, onResult: callback, onError: callback })),
  ],
);

/** Returns the formats that `packAll` can read. */
export const listFormats = guarded("listFormats", packOps.listFormats, []);

/** Seals the logs that are in a folder and those that appear there, until the signal is aborted. */
export const watch = guardedAsync("watch", watchOps.watch, [
  store,
  parameter("folder", path),
  options(
    members<watchOps.WatchOptions>({
      ...packingAll,
      signal: required(signal),
      packed: required(callback),
      failed: required(callback),
      quiet: milliseconds,
    }),
    false,
  ),
]);

/** Lists the agent sessions on this machine. */
export const discover = guarded("discover", discoverOps.discover, [
  optionalStore,
  where,
  options(members<discoverOps.DiscoverOptions>(discovering)),
]);

/** Packs the sessions that are not packed in their current state. */
export const packDiscovered = guarded("packDiscovered", packDiscoveredOps.packDiscovered, [
  store,
  where,
  options(
    members<packDiscoveredOps.PackDiscoveredOptions>({
      ...discovering,
      ...redaction,
      progress: callback,
      packed: required(callback),
      failed: required(callback),
      unreadable: required(callback),
    }),
    false,
  ),
]);

/** Lists packs, newest first. */
export const log = guarded("log", logOps.log, [
  store,
  options(
    members<logOps.LogOptions>({
      ...filtering,
      ...byFacts,
      limit: count,
      foldSubagents: flag,
      byLineage: flag,
      progress: callback,
    }),
  ),
]);

/** Counts runs, and what they did and cost. */
export const stats = guarded("stats", statsOps.stats, [
  store,
  options(
    members<statsOps.StatsOptions>({
      ...filtering,
      ...byFacts,
      by: oneOf("day", "week", "model", "agent", "tool", "project"),
      subagents: flag,
      utc: flag,
      progress: callback,
    }),
  ),
]);

const stepRange = members<{ from: number; to?: number }>({ from: required(count), to: count });

/** Searches runs, newest first, and calls `options.onRun` for each run with hits. */
export const grep = guarded("grep", grepOps.grep, [
  store,
  parameter("pattern", text),
  options(
    members<Parameters<typeof grepOps.grep>[2]>({
      ...filtering,
      or: listOf(text),
      fixed: flag,
      ignoreCase: flag,
      word: flag,
      packs: listOf(text),
      in: listOf(text),
      stepTool: text,
      steps: listOf(stepRange),
      path: text,
      context: count,
      maxHits: count,
      maxRuns: count,
      first: flag,
      subagents: oneOf("fold", "list", "skip"),
      echoes: flag,
      noIndex: flag,
      onIndexed: callback,
      progress: callback,
      onRun: required(callback),
    }),
    false,
  ),
]);

/** Returns the sealed manifest of a run, without reading any blob. */
export const show = guarded("show", showOps.show, [store, name]);

/** Returns a run with a preview of every blob, its tags and its relatives. */
export const showOverview = guarded("showOverview", showOps.showOverview, [store, name]);

const part: ArgumentCheck = (value) => {
  const { kind } = (value ?? {}) as { kind?: unknown };
  if (kind === "system") return members<{ kind: string }>({ kind: text })(value);
  if (kind === "step" || kind === "prompt")
    return members<{ kind: string; index: number }>({ kind: text, index: required(count) })(value);
  return members<{ kind: string; name: string }>({
    kind: required(oneOf("system", "step", "prompt", "input", "output")),
    name: required(text),
  })(value);
};
/** Returns one part of a run, in full. */
export const showPart = guarded("showPart", showOps.showPart, [store, name, parameter("part", part)]);

const selection = options(
  members<showOps.StepSelection>({
    ranges: listOf(stepRange),
    failed: flag,
  }),
);

/** Returns selected steps of a run with a preview of their outputs. */
export const showSteps = guarded("showSteps", showOps.showSteps, [store, name, selection]);

/** Returns the files that a run, or selected steps of it, read, wrote and deleted. */
export const showFiles = guarded("showFiles", showOps.showFiles, [store, name, selection]);

/** Returns a blob as text, or as base64 if it is not UTF-8. */
export const cat = guarded("cat", catOps.cat, [store, name]);

/** Passes the bytes of a blob to a function in pieces, once the whole blob is verified. */
export const catPieces = guarded("catPieces", catOps.catPieces, [store, name, parameter("take", callback)]);

/** Lists all tags, by name. */
export const listTags = guarded("listTags", tagOps.listTags, [store]);

/** Tags a pack. */
export const setTag = guarded("setTag", tagOps.setTag, [
  store,
  name,
  options(members<{ pack?: string; force?: boolean }>({ pack: text, force: flag })),
]);

/** Deletes a tag; the pack stays. */
export const deleteTag = guarded("deleteTag", tagOps.deleteTag, [store, name]);
