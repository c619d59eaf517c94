// The library's public face: the verbs of the command line, typed, never printing and never exiting.
export { CtxError, type ErrorCode, type Problem } from "./base/errors.js";
export type { ExportLogResult, HookResult, HookRun } from "./model/intake-results.js";
export type { Reference } from "./base/digest.js";
export { ExactInteger, type JsonObject, type JsonValue } from "./base/json.js";
export type { Manifest, Output, Step } from "./model/manifest.js";
export type {
  Change,
  ContentChange,
  ContextChange,
  Divergence,
  DriftEntry,
  DriftReport,
  DriftType,
  ValueChange,
} from "./model/drift.js";
export type {
  DoctorCheck,
  DoctorResult,
  DraftStatus,
  ForkResult,
  GcResult,
  InitResult,
  LogEntry,
  LogResult,
  PackResult,
  PartContent,
  Preview,
  RmResult,
  ShowPartResult,
  ShowResult,
  SidecarResult,
  StatusResult,
  TagResult,
  TrustResult,
} from "./model/results.js";
export type {
  DiscoverResult,
  FormatResult,
  FoundSession,
  PackDiscoveredResult,
} from "./model/intake-results.js";
export type {
  EnvironmentFact,
  Fidelity,
  ReplayedStep,
  ReplayPlan,
  ReplayReport,
} from "./model/replay.js";
export type { KnownOrigin, Origin } from "./model/origin.js";
export type { UserPlace } from "./store/config.js";
export type {
  Claim,
  Fault,
  LineRange,
  VerifiedTarget,
  VerifyResult,
} from "./model/verification.js";
export type { Redactions } from "./model/redactions.js";
export type {
  AbsentPack,
  ArrivedPack,
  ExportResult,
  ImportResult,
  LeavingPack,
  LsResult,
  PullResult,
  PushResult,
  Remote,
  RemotePack,
  RemoteResult,
} from "./model/share-results.js";
export type { ScanFind, ScannedTarget, ScanResult } from "./model/scan.js";
export { type Cat, cat } from "./ops/cat.js";
export { type GcOptions, gc } from "./ops/gc.js";
export { rm } from "./ops/rm.js";
export { type SidecarOptions, sidecar } from "./ops/sidecar.js";
export { type VerifyOptions, verify } from "./ops/verify.js";
export { type DoctorOptions, doctor } from "./ops/doctor.js";
export { type DiffOptions, diff, verdictOf } from "./ops/diff.js";
export { type ForkOptions, fork, forkAndSeal } from "./ops/fork.js";
export { type ScanOptions, scan } from "./ops/scan.js";
export { type PlanOptions, planReplay } from "./ops/plan-replay.js";
export { type Allowed, type ReplayOptions, replay, replayStatus } from "./ops/replay.js";
export { type TrustOptions, trust } from "./ops/trust.js";
export { type DiscoverOptions, discover, knownAgents, type Whereabouts } from "./ops/discover.js";
export { type PackDiscoveredOptions, packDiscovered } from "./ops/pack-discovered.js";
export { type ExportFormat, exportLog } from "./ops/export-log.js";
export { type ExportOptions, exportPacks } from "./ops/export.js";
export { type ImportOptions, importPacks } from "./ops/import.js";
export type { RemoteOptions } from "./ops/connect.js";
export { ls } from "./ops/ls.js";
export { type PullOptions, pull } from "./ops/pull.js";
export { type PushOptions, push } from "./ops/push.js";
export { addRemote, listRemotes, removeRemote } from "./ops/remote.js";
export { init } from "./ops/init.js";
export { type LogOptions, log } from "./ops/log.js";
export { type LogInput, type PackOptions, pack } from "./ops/pack.js";
export { type WatchOptions, watch } from "./ops/watch.js";
export { type AnyLog, listFormats, type PackAllOptions, packAll } from "./ops/pack-all.js";
export { type Part, show, showManifest, showPart } from "./ops/show.js";
export { status } from "./ops/status.js";
export { deleteTag, listTags, setTag } from "./ops/tag.js";
export { Store } from "./store/store.js";
