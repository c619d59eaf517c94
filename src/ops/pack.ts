// `ctx pack`: seals an execution log, or a draft, into a pack.
import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { readWhole, usingDescriptor } from "../base/files.js";
import type { ExecutionLog } from "../model/log.js";
import type { PackResult } from "../model/results.js";
import { parseTime } from "../model/times.js";
import { logName } from "../share/draft.js";
import { isDraftFolder, removeDraft } from "../share/draft-folder.js";
import { withFilesBelow } from "../store/log-files.js";
import type { Store } from "../store/store.js";
import { sealLog } from "./seal-log.js";

/** A log in a file, a draft's folder, or a log already in memory with the folder that its `…_file` paths start from. */
export type LogInput = { file: string; source?: string } | { bytes: Buffer; folder: string; source?: string };

export interface PackOptions {
  /** Overrides the time of the run. */
  created?: string;
  /** Write sidecars beside outputs that are on disk; true unless said otherwise. */
  sidecars?: boolean;
  /** Seal also a draft that nobody has edited, so that it equals its parent. */
  allowEmpty?: boolean;
  /** Remove the draft that was sealed, once the pack is durable. */
  remove?: boolean;
}

/** Seals one log. Everything that is wrong with it is reported at once, and then nothing is written. */
export function pack(store: Store, input: LogInput, options: PackOptions = {}): PackResult {
  const created = options.created === undefined ? undefined : timeOption(options.created);
  const { bytes, folder, source } = readInput(input);
  const isDraft = "file" in input && isDraftFolder(folder);
  if (options.remove === true && !isDraft)
    throw new CtxError("usage", `${source} is not a draft of \`ctx fork\`, and will not be removed`, {
      hint: "leave --rm out",
    });
  const hash = options.remove === true ? sha256(bytes) : "";
  return withFilesBelow(folder, (files) => {
    const artifacts = (log: ExecutionLog): Map<string, string> =>
      isDraft ? new Map() : outputFiles(log, folder);
    const { sidecars = true, allowEmpty = false } = options;
    const sealed = sealLog(store, { bytes, source, files, artifacts }, { created, sidecars, allowEmpty });
    // The outputs of a draft lie in it, and need not lie anywhere else.
    const result = isDraft ? { ...sealed.result, outputs_absent: [] } : sealed.result;
    if (options.remove !== true) return result;
    const left = removeDraft(folder, new Map([...sealed.files, [logName, hash]]));
    const notices = left.map((path) => `${path} is not in the pack, and was left in the draft`);
    return { ...result, notices: [...result.notices, ...notices] };
  });
}

interface ReadInput {
  bytes: Buffer;
  folder: string;
  source: string;
}

function readInput(input: LogInput): ReadInput {
  // A caller keeps its own bytes: reading a log uses them up.
  if ("bytes" in input)
    return { bytes: Buffer.from(input.bytes), folder: input.folder, source: input.source ?? "-" };
  const source = input.source ?? input.file;
  const isFolder = fs.statSync(input.file, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(input.file, logName) : input.file;
  const name = isFolder ? join(source, logName) : source;
  return { bytes: readLogFile(file, name, isFolder), folder: dirname(resolve(file)), source: name };
}

function timeOption(text: string): string {
  const time = parseTime(text);
  if (typeof time !== "string") return time.text;
  throw new CtxError("usage", `--created ${text}: ${time}`);
}

function readLogFile(file: string, source: string, isDraft: boolean): Buffer {
  try {
    // Not only regular files: a log may come through a named pipe or a process substitution.
    return usingDescriptor(fs.openSync(file, "r"), (descriptor) => readWhole(descriptor));
  } catch (error) {
    if (error instanceof CtxError && error.code === "too-large")
      throw new CtxError("log-unreadable", `cannot read the log ${source}: ${error.message}`, {
        hint: "put large contents into files beside the log, and refer to them with …_file",
      });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const missing = isDraft ? "the folder is no draft, and has no log of that name" : "there is no such file";
    const why = errno === "ENOENT" ? missing : errno === "EISDIR" ? "it is a folder" : errno;
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
