// The library's public face: the verbs of the command line, typed, never printing and never exiting.
export { CtxError, type ErrorCode, type Problem } from "./base/errors.js";
export type { ExportAsResult, HookResult, HookRun } from "./results/intake.js";
export type { Reference } from "./base/digest.js";
export { ExactInteger, type JsonObject, type JsonValue } from "./base/json/value.js";
export type { Manifest, Output, Step } from "./model/manifest.js";
export type {
  DriftChange,
  ContentChange,
  ContextChange,
  Divergence,
  DriftEntry,
  DriftReport,
  DriftType,
  ValueChange,
} from "./results/drift.js";
export type {
  DoctorCheck,
  DoctorResult,
  DraftStatus,
  ForkResult,
  GcResult,
  InitResult,
  PackResult,
  RmResult,
  SidecarResult,
  StatusResult,
  TrustResult,
} from "./results/results.js";
export type { LogEntry, LogResult, TagResult } from "./results/log.js";
export type { FoundRun, SearchGap, SearchHit, SearchSummary } from "./results/search.js";
export type {
  CatResult,
  FileUse,
  PartContent,
  Preview,
  RunOverview,
  ShowFilesResult,
  ShowPartResult,
  StepsOverview,
} from "./results/show.js";
export type {
  DiscoverResult,
  FormatResult,
  FoundSession,
  PackDiscoveredResult,
} from "./results/intake.js";
export type {
  EnvironmentFact,
  Fidelity,
  ReplayedOutput,
  ReplayedStep,
  ReplayPlan,
  ReplayReport,
} from "./results/replay.js";
export type { KnownOrigin, Origin } from "./model/origin.js";
export type { UserPaths } from "./store/config.js";
export type {
  Claim,
  Fault,
  LineRange,
  VerifiedTarget,
  VerifyResult,
} from "./results/verify.js";
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
} from "./results/share.js";
export type {
  StatsCost,
  StatsCounts,
  StatsGroup,
  StatsResult,
  StatsRow,
  StatsTokens,
} from "./results/stats.js";
export type { ScanFind, ScannedTarget, ScanResult } from "./results/scan.js";
export type { GcOptions } from "./ops/gc.js";
export type { SidecarOptions } from "./ops/write-sidecar.js";
export type { VerifyOptions } from "./ops/verify.js";
export type { DoctorOptions } from "./ops/doctor.js";
export type { DiffOptions } from "./ops/diff.js";
export type { ForkOptions } from "./ops/fork.js";
export type { ScanOptions } from "./ops/scan.js";
export type { PlanOptions } from "./ops/replay.js";
export type { Allowed, ReplayOptions } from "./ops/replay.js";
export type { TrustOptions } from "./ops/trust.js";
export { knownAgents, type DiscoverOptions, type AgentPaths } from "./ops/discover.js";
export type { PackDiscoveredOptions } from "./ops/pack-discovered.js";
export type { ExportFormat } from "./ops/export-as.js";
export type { ExportOptions } from "./ops/export.js";
export type { ImportOptions } from "./ops/import.js";
export type { RemoteOptions } from "./ops/push.js";
export type { InitOptions } from "./ops/init.js";
export type { PullOptions } from "./ops/pull.js";
export type { PushOptions } from "./ops/push.js";
export type { GrepOptions } from "./ops/grep.js";
export type { StatsOptions } from "./ops/stats.js";
export type { LogOptions } from "./ops/log.js";
export type {
  AnyLog,
  LogInput,
  PackAllOptions,
  PackManyInput,
  PackManyOptions,
  PackOptions,
} from "./ops/pack.js";
export type { WatchOptions } from "./ops/watch.js";
export type { RunPart, StepSelection } from "./ops/show.js";
export { type LockInfo, Store, type StoreOptions, type WaitNotice } from "./store/store.js";
export {
  cat,
  catPieces,
  deleteTag,
  discover,
  doctor,
  grep,
  init,
  listFormats,
  listTags,
  log,
  pack,
  packAll,
  packDiscovered,
  packMany,
  setTag,
  show,
  showFiles,
  showOverview,
  showPart,
  showSteps,
  stats,
  watch,
} from "./library/runs.js";
export {
  diff,
  fork,
  forkAndSeal,
  gc,
  planReplay,
  replay,
  replayStatus,
  rm,
  scan,
  sidecar,
  status,
  trust,
  verdictOf,
  verify,
} from "./library/proof.js";
export {
  addRemote,
  exportLog,
  exportPacks,
  importPacks,
  listRemotes,
  ls,
  pull,
  push,
  removeRemote,
} from "./library/share.js";
