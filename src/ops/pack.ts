// `ctx pack`: seals an execution log, or a draft, into a pack.
import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hexOf, type Reference, sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { readIfThere, readWhole, usingDescriptor } from "../base/fs/files.js";
import type { ExecutionLog } from "../model/log.js";
import { reached } from "../model/manifest.js";
import type { PackResult } from "../results/results.js";
import type { WorkerScan } from "../redact/worker-scan.js";
import { parseTime } from "../model/times.js";
import { hasDraftForm, logName } from "../drafts/draft.js";
import { isDraftFolder, isDraftPlace } from "../drafts/draft-folder.js";
import { removeDraft } from "../drafts/remove-draft.js";
import { alone, type Group, type Later } from "../store/commit-group.js";
import { withFilesBelow } from "../store/log-files.js";
import { hasPack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { type Redaction, type RedactionOptions, redactionOf, withMaskedErrors } from "../redact/settings.js";
import { sealLater } from "../seal/seal-log.js";

export type { RedactionOptions } from "../redact/settings.js";

/** A log in a file, a draft's folder, or a log already in memory with the folder that its `…_file` paths start from. */
export type LogInput = { file: string; source?: string } | { bytes: Buffer; folder: string; source?: string };

/** The bytes of a log. */
export interface ReadInput {
  /** Used up. */
  bytes: Buffer;
  /** What its `…_file` paths start from. */
  folder: string;
  /** As the result names it. */
  source: string;
  /** Whether it was read from a file there. */
  isFile: boolean;
  /** Looks through it for secrets meanwhile. */
  ahead?: WorkerScan | undefined;
}

export interface PackOptions extends RedactionOptions {
  /** Overrides the time of the run. */
  created?: string;
  /** Write sidecars beside outputs that are on disk; true unless said otherwise. */
  sidecars?: boolean;
  /** Seal also a draft that nobody has edited, so that it equals its parent. */
  allowEmpty?: boolean;
  /** Remove the draft that was sealed, once the pack is durable; `content`: but not the folder, where somebody is. */
  remove?: boolean | "content";
}

/** Seals one execution log of ctx's own, or a draft. Everything that is wrong with it is reported at once, and then nothing is written. */
export function pack(store: Store, input: LogInput, options: PackOptions = {}): PackResult {
  const redaction = redactionOf(store, options);
  return alone(store, (group) => packLater(store, readInput(input), { ...options, redaction, group }));
}

/** The same of bytes that were read, in a group of them. */
export function packLater(store: Store, input: ReadInput, options: Sealing): Later<PackResult> {
  return withMaskedErrors(options.redaction, () => sealInput(store, input, options));
}

export interface Sealing extends PackOptions {
  redaction: Redaction;
  /** The runs that it becomes durable with. */
  group: Group;
  /** Counts only what is masked now, also in a log that says what was masked in it before. */
  isFirstMasking?: boolean;
}

function sealInput(store: Store, input: ReadInput, options: Sealing): Later<PackResult> {
  const { redaction } = options;
  const created = options.created === undefined ? undefined : timeOption(options.created);
  const { bytes, folder, source } = input;
  const isDraft = isDraftPlace(store, folder);
  const isDraftLog = isDraft && input.isFile && basename(source) === logName;
  const { remove = false } = options;
  if (remove !== false && !(isDraftLog && isDraftFolder(folder)))
    throw new CtxError("usage", `${source} is not a draft of \`ctx fork\`, and will not be removed`, {
      hint: "leave --rm out; the README.md of a draft is what it is known by",
    });
  const hash = remove === false ? "" : sha256(bytes);
  return withFilesBelow(folder, (files) => {
    const artifacts = (log: ExecutionLog): Map<string, string> =>
      isDraft ? new Map() : outputFiles(log, folder);
    // What lies on disk did not come from a run that was only thought of.
    const sidecars = !isDraft && options.sidecars !== false;
    const { allowEmpty = false, isFirstMasking = false } = options;
    const later = sealLater(
      store,
      {
        bytes,
        source,
        files,
        artifacts,
        // Another log in the folder of a draft may be that of a real run; not one that names a parent.
        isDraft: (log) => isDraftLog || (isDraft && log.parent !== undefined),
        // A draft whose README.md is gone.
        hasDraftForm: (log) => input.isFile && basename(source) === logName && hasDraftForm(log),
        ahead: input.ahead,
      },
      { redaction, created, sidecars, allowEmpty, isFirstMasking, group: options.group },
    );
    if (remove === false) return () => later().result;
    const { result, files: sealed } = later();
    const left = removeDraft(folder, {
      sealed: new Map([...sealed, [logName, hash]]),
      held: new Set([...sealed.values(), ...contentsOf(store, result.parent)]),
      keepFolder: remove === "content",
    });
    return () => ({ ...result, notices: [...result.notices, ...left] });
  });
}

/** What the parent holds, as far as that is known. */
function contentsOf(store: Store, parent: Reference | undefined): string[] {
  if (parent === undefined || !hasPack(store.root, hexOf(parent))) return [];
  try {
    return [...reached(readPack(store.root, hexOf(parent)).manifest)].map(hexOf);
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

function readInput(input: LogInput): ReadInput {
  // A caller keeps its own bytes: reading a log uses them up.
  if ("bytes" in input)
    return {
      bytes: Buffer.from(input.bytes),
      folder: input.folder,
      source: input.source ?? "-",
      isFile: false,
    };
  const source = input.source ?? input.file;
  const isFolder = fs.statSync(input.file, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(input.file, logName) : input.file;
  const name = isFolder ? join(source, logName) : source;
  return {
    bytes: isFolder ? readDraftLog(file, name) : readLogFile(file, name),
    folder: dirname(resolve(file)),
    source: name,
    isFile: true,
  };
}

export function timeOption(text: string): string {
  const time = parseTime(text);
  if (typeof time !== "string") return time.text;
  throw new CtxError("usage", `--created ${text}: ${time}`);
}

/** A draft's log is a file of its own: a link or a pipe in its place is not. */
function readDraftLog(file: string, source: string): Buffer {
  const bytes = readIfThere(file);
  if (bytes !== undefined) return bytes;
  throw new CtxError("log-unreadable", `there is no ${source}`, {
    hint: "a folder can be packed if it is a draft of `ctx fork`, or holds a conversation of OpenHands",
  });
}

function readLogFile(file: string, source: string): Buffer {
  return withLog(file, source, (descriptor) => readOwnLog(descriptor, source));
}

/** All bytes of one of our own logs, which is one document. `isShared`: in memory that other threads see. */
export function readOwnLog(descriptor: number, source: string, isShared = false): Buffer {
  try {
    return isShared
      ? readWhole(descriptor, undefined, (size) => Buffer.from(new SharedArrayBuffer(size)))
      : readWhole(descriptor);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "too-large") throw error;
    throw new CtxError("log-unreadable", `cannot read the log ${source}: ${error.message}`, {
      hint: "put large contents into files beside the log, and refer to them with …_file",
    });
  }
}

/** Opens a log for `work`, and says clearly why that cannot be done. */
export function withLog<T>(
  file: string,
  source: string,
  work: (descriptor: number) => T,
  // Not only regular files: a log may come through a named pipe or a process substitution.
  open = (): number => fs.openSync(file, "r"),
): T {
  try {
    return usingDescriptor(open(), work);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const why = errno === "ENOENT" ? "there is no such file" : errno === "EISDIR" ? "it is a folder" : errno;
    throw new CtxError("log-unreadable", `cannot read the log ${source}: ${why}`, { cause: error });
  }
}

/** Where the contents of outputs came from, for those that came from files. */
function outputFiles(log: ExecutionLog, folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, content } of log.outputs ?? [])
    if ("file" in content) files.set(name, resolve(folder, content.file));
  return files;
}
