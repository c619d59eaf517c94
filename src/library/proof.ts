// Library functions that compare, prove, repeat and remove runs, with the checks of their arguments.
import {
  callback,
  count,
  environment,
  flag,
  listOf,
  members,
  milliseconds,
  oneOf,
  path,
  required,
  fraction,
  signal,
  text,
} from "./checks.js";
import { guarded, guardedAsync, storeParameter as store } from "./guard.js";
import { driftTypes } from "../results/drift.js";
import * as diffOps from "../ops/diff.js";
import * as forkOps from "../ops/fork.js";
import * as gcOps from "../ops/gc.js";
import type { RedactionOptions } from "../ops/pack.js";
import * as replayOps from "../ops/replay.js";
import * as rmOps from "../ops/rm.js";
import { scanAll, type ScanOptions } from "../ops/scan.js";
import * as sidecarOps from "../ops/write-sidecar.js";
import * as statusOps from "../ops/status.js";
import * as trustOps from "../ops/trust.js";
import * as verifyOps from "../ops/verify.js";
import {
  optionalStore,
  forking,
  name,
  names,
  options,
  parameter,
  planning,
  redaction,
  userPlace,
} from "./parameters.js";

/** Compares two packs; without the second, the first with its parent. */
export const diff = guarded("diff", diffOps.diff, [
  store,
  parameter("a", text),
  { name: "b", check: text, isOptional: true },
  options(
    members<diffOps.DiffOptions>({
      align: oneOf("index"),
      baselines: listOf(text),
      ignore: listOf(text),
      // oxlint-disable-next-line ctx/no-spread-call -- five words
      only: listOf(oneOf(...driftTypes)),
      user: userPlace,
      unified: count,
      content: oneOf("none", "some", "all"),
    }),
  ),
]);

/** Returns the verdict of a comparison. */
export const verdictOf = guarded("verdictOf", diffOps.verdictOf, [
  parameter("report", (value) =>
    Array.isArray((value as { unreadable?: unknown } | undefined | null)?.unreadable)
      ? undefined
      : "must be a report, as diff returns it",
  ),
]);

/** Verifies files and packs; without targets, the whole store. */
export const verify = guarded("verify", verifyOps.verify, [
  store,
  parameter("targets", listOf(path)),
  options(
    members<verifyOps.VerifyOptions>({
      ...redaction,
      as: oneOf("file", "pack"),
      folder: path,
      lines: flag,
      sample: fraction,
      progress: callback,
    }),
  ),
]);

/** Scans files and packs for secrets; without targets, every pack of the store. */
export const scan = guarded("scan", scanAll, [
  optionalStore,
  parameter("targets", listOf(path)),
  options(
    members<ScanOptions>({
      ...redaction,
      as: oneOf("file", "pack"),
      folder: path,
      input: callback,
      progress: callback,
      held: callback,
      looked: callback,
    }),
  ),
]);

/** Writes the sidecar of a file, if a pack backs it. */
export const sidecar = guarded("sidecar", sidecarOps.sidecar, [
  store,
  parameter("file", path),
  options(
    members<sidecarOps.SidecarOptions>({
      ...redaction,
      pack: text,
      confidence: oneOf("high", "medium", "low"),
      notes: text,
      folder: path,
    }),
  ),
]);

/** Creates a draft from a pack. */
export const fork = guarded("fork", forkOps.fork, [
  store,
  name,
  options(members<forkOps.ForkOptions>({ ...forking, folder: path })),
]);

/** Creates a draft and seals it at once. */
export const forkAndSeal = guarded("forkAndSeal", forkOps.forkAndSeal, [
  store,
  name,
  options(members<Omit<forkOps.ForkOptions, "folder"> & RedactionOptions>({ ...forking, ...redaction })),
]);

/** Returns the differences between drafts and their parents. */
export const status = guarded("status", statusOps.status, [
  store,
  { name: "folders", check: listOf(path), isOptional: true },
  options(members<RedactionOptions>(redaction)),
]);

/** Returns what a replay would run. */
export const planReplay = guarded("planReplay", replayOps.planReplay, [
  store,
  name,
  options(members<replayOps.PlanOptions>(planning), false),
]);

/** Executes the recorded tool calls again. */
export const replay = guardedAsync("replay", replayOps.replay, [
  store,
  name,
  options(
    members<replayOps.ReplayOptions>({
      ...planning,
      allow: listOf(oneOf("exec", "adapters", "mcp", "net", "mcp-writes", "together")),
      ask: callback,
      workspace: path,
      git: text,
      repo: path,
      auto: flag,
      deps: path,
      tools: listOf(text),
      yes: flag,
      askGuess: callback,
      keep: flag,
      sandbox: flag,
      to: count,
      step: count,
      stopOnDivergence: flag,
      seal: flag,
      require: count,
      resync: flag,
      onStart: callback,
      onStep: callback,
      signal,
      machine: required(
        members<replayOps.ReplayOptions["machine"]>({
          temp: required(path),
          path: required(text),
          home: required(path),
          env: required(environment),
        }),
      ),
    }),
    false,
  ),
]);

/** Returns the exit status of a replay. */
export const replayStatus = guarded("replayStatus", replayOps.replayStatus, [
  parameter("report", (value) =>
    typeof (value as { fidelity?: unknown } | undefined | null)?.fidelity === "string"
      ? undefined
      : "must be a report, as replay returns it",
  ),
]);

/** Trusts the current settings of a store, or revokes that trust. */
export const trust = guarded("trust", trustOps.trust, [
  store,
  options(
    members<trustOps.TrustOptions>({ user: required(userPlace), action: oneOf("trust", "forget", "look") }),
    false,
  ),
]);

/** Removes everything that no pack, tag or draft reaches. */
export const gc = guarded("gc", gcOps.gc, [
  store,
  options(members<gcOps.GcOptions>({ grace: milliseconds, dryRun: flag })),
]);

/** Removes packs from the listing. */
export const rm = guarded("rm", rmOps.rm, [
  store,
  names,
  options(members<{ force?: boolean }>({ force: flag })),
]);
