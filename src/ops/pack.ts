// `ctx pack`: seals a log in ctx's own format, or a draft, into a pack.
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

/**
 * A log in a file, the folder of a draft, or a log in memory with the folder that its `…_file` paths are
 * relative to.
 */
export type LogInput = { file: string; source?: string } | { bytes: Buffer; folder: string; source?: string };

/** The bytes of a log. */
export interface ReadInput {
  /** Consumed: do not use after the call. */
  bytes: Buffer;
  /** The folder that its `…_file` paths are relative to. */
  folder: string;
  /** The log's name in the result. */
  source: string;
  /** Whether it was read from a file in that folder. */
  isFile: boolean;
  /** Scans the bytes for secrets on a worker thread. */
  ahead?: WorkerScan | undefined;
}

export interface PackOptions extends RedactionOptions {
  /** Overrides the time of the run. */
  created?: string;
  /** Write sidecars beside outputs that are on disk. Default: true. */
  sidecars?: boolean;
  /** Also seal an unedited draft, which equals its parent. */
  allowEmpty?: boolean;
  /**
   * Remove the sealed draft once the pack is durable; `content` keeps the folder itself, because a process is
   * in it.
   */
  remove?: boolean | "content";
}

/**
 * Seals one log in ctx's own format, or a draft. All problems with it are reported at once, and then nothing
 * is written.
 */
export function pack(store: Store, input: LogInput, options: PackOptions = {}): PackResult {
  const redaction = redactionOf(store, options);
  return alone(store, (group) => packLater(store, readInput(input), { ...options, redaction, group }));
}

/** Seals bytes that were already read, as part of a group. */
export function packLater(store: Store, input: ReadInput, options: Sealing): Later<PackResult> {
  return withMaskedErrors(options.redaction, () => sealInput(store, input, options));
}

export interface Sealing extends PackOptions {
  redaction: Redaction;
  /** The group of runs that it is committed with. */
  group: Group;
  /** Count only what is masked now, even if the log says what was masked in it before. */
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
    // A draft was not executed, so files on disk did not come from it.
    const sidecars = !isDraft && options.sidecars !== false;
    const { allowEmpty = false, isFirstMasking = false } = options;
    const later = sealLater(
      store,
      {
        bytes,
        source,
        files,
        artifacts,
        // Another log in the folder of a draft may be that of a real run, unless it names a parent.
        isDraft: (log) => isDraftLog || (isDraft && log.parent !== undefined),
        // Recognises a draft whose README.md is gone.
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

/** Returns the contents of the parent; none if it is missing or cannot be read. */
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
  // Copy the caller's bytes, because reading a log consumes them.
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

/** Reads the log of a draft, which must be a regular file: a link or a pipe is refused. */
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

/**
 * Reads all bytes of a log in ctx's own format, which is one document. `isShared`: into memory that other
 * threads can see.
 */
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

/** Opens a log for `work`; throws a clear error if that fails. */
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

/** Returns the path of each output whose content came from a file. */
function outputFiles(log: ExecutionLog, folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, content } of log.outputs ?? [])
    if ("file" in content) files.set(name, resolve(folder, content.file));
  return files;
}
