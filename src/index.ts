// The library's public face: the verbs of the command line, typed, never printing and never exiting.
export { CtxError, type ErrorCode, type Problem } from "./base/errors.js";
export { ExactInteger, type JsonObject, type JsonValue } from "./base/json.js";
export type { Reference } from "./base/digest.js";
export type { Manifest, Output, Step } from "./model/manifest.js";
export type {
  InitResult,
  LogEntry,
  LogResult,
  PackResult,
  PartContent,
  Preview,
  ShowPartResult,
  ShowResult,
} from "./model/results.js";
export { type Cat, cat } from "./ops/cat.js";
export { init } from "./ops/init.js";
export { type LogOptions, log } from "./ops/log.js";
export { type LogInput, type PackOptions, pack } from "./ops/pack.js";
export { type Part, show, showManifest, showPart } from "./ops/show.js";
export { Store } from "./store/store.js";
