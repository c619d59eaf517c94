// Opens a log, and recognises what it is: one in ctx's own format or a draft, whose bytes are read at once,
// or the log of another agent, which is read as a stream.
import * as fs from "node:fs";
import { constants } from "node:buffer";
import { dirname, join, relative, resolve } from "node:path";
import { CtxError, errnoOf } from "../base/errors.js";
import { piecesOf, readIfThere, readWhole, statIfKnown, usingDescriptor } from "../base/fs/files.js";
import { logName } from "../drafts/draft.js";
import type { Format } from "../intake/format.js";
import { formatNamed, isSurelyNative, logIn, recognise } from "../intake/recognise.js";
import { gather, type LogSource, sourceOf } from "../intake/log-source.js";
import { unpacked } from "../intake/unpack.js";
import { type Redaction, withWorkerScan } from "../redact/settings.js";
import type { AgentLog } from "./agent-log.js";
import type { OwnLog } from "./log-or-draft.js";

/** A log in a file, the folder of a draft, or a log in memory with the folder of its `…_file` paths. */
export type LogInput = { file: string; source?: string } | { bytes: Buffer; folder: string; source?: string };

/** The same, or a stream. */
export type AnyLog = LogInput | { pieces: Iterable<Buffer>; folder: string; source?: string };

export interface OpenOptions {
  redaction: Redaction;
  /** The format. Without it, the format is recognised by the log's content. */
  from?: string | undefined;
  /** Whether it must be a log in ctx's own format, or a draft. */
  isOwn?: boolean | undefined;
  /** The prompt of a run whose log does not hold it. */
  prompt?: string | undefined;
  /** Opens a discovered log, whose path could lead elsewhere by now. */
  open?: (() => number) | undefined;
  /** Called now and then with the number of bytes read and the size of the file. */
  progress?: ((done: number, of: number) => void) | undefined;
}

/** Those options, with the format looked up: undefined within is ctx's own. */
interface Opening extends OpenOptions {
  named: { format: Format | undefined } | undefined;
}

export type OpenLog = OwnLog | AgentLog;

/** How many bytes are needed to recognise ctx's own log format. */
const firstLook = 4096;

/** Returns whether a log is a stream: another program may still be writing it. */
export function isStream(input: AnyLog): boolean {
  return "pieces" in input || ("file" in input && statIfKnown(input.file)?.isFIFO() === true);
}

/** Calls `use` with a log, which is closed afterwards. */
export function withOpenLog(input: AnyLog, options: OpenOptions, use: (log: OpenLog) => void): void {
  const { from, isOwn = false } = options;
  const opening = { ...options, named: from === undefined ? undefined : { format: formatNamed(from) } };
  if ("file" in input) {
    withFile(input, opening, use);
    return;
  }
  const { folder, source: name = "-" } = input;
  // Copy the caller's bytes, because reading a log consumes them.
  if ("bytes" in input && isOwn)
    use({ bytes: Buffer.from(input.bytes), folder, source: name, isFile: false });
  else {
    const pieces = "bytes" in input ? [input.bytes] : input.pieces;
    const source = sourceOf(pieces, { name: name === "-" ? "standard input" : name });
    use(recognised(source, { name, folder, isFile: false }, opening));
  }
}

function withFile(
  { file, source: name = file }: { file: string; source?: string },
  options: Opening,
  use: (log: OpenLog) => void,
): void {
  const { isOwn = false, named, open } = options;
  if (open === undefined && fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    const log = isOwn || isDraft(file) ? undefined : logIn(file);
    if (log === undefined) use(draftIn(file, name));
    else withFile({ file: log, source: join(name, relative(file, log)) }, options, use);
    return;
  }
  const folder = dirname(resolve(file));
  const read = (descriptor: number): void => {
    const stat = fs.fstatSync(descriptor);
    if (isOwn || (named === undefined && stat.isFile() && startsNatively(descriptor))) {
      refusePrompt(options);
      withWorkerScan(options.redaction, stat.size, (ahead) => {
        const bytes = readBytes(descriptor, name, ahead !== undefined);
        use({ bytes, folder, source: name, isFile: true, ahead });
      });
    } else {
      let done = 0;
      const onRead = (bytes: number): void => options.progress?.((done += bytes), stat.size);
      const source = sourceOf(piecesOf(descriptor, { onRead }), { name, path: resolve(file) });
      use(recognised(source, { name, folder, isFile: true }, options));
    }
  };
  withLog(file, name, read, open);
}

/** Returns whether a folder holds a log in ctx's own format, as drafts of `ctx fork` do. */
function isDraft(folder: string): boolean {
  return fs.lstatSync(join(folder, logName), { throwIfNoEntry: false }) !== undefined;
}

/** Reads the log of a draft, which must be a regular file: a link or a pipe is refused. */
function draftIn(path: string, name: string): OwnLog {
  const file = join(path, logName);
  const source = join(name, logName);
  const bytes = readIfThere(file);
  if (bytes === undefined)
    throw new CtxError("log-unreadable", `${name} is a folder without ${logName}, so it is not a draft`, {
      hint: `to pack the logs in it, name them: \`ctx pack ${join(name, "*")}\``,
    });
  return { bytes, folder: dirname(resolve(file)), source, isFile: true };
}

function startsNatively(descriptor: number): boolean {
  const bytes = Buffer.allocUnsafe(firstLook);
  const length = fs.readSync(descriptor, bytes, 0, firstLook, 0);
  return isSurelyNative(bytes.toString("utf8", 0, length));
}

function recognised(
  packed: LogSource,
  { name, folder, isFile }: { name: string; folder: string; isFile: boolean },
  options: Opening,
): OpenLog {
  const { named } = options;
  const source = unpacked(packed);
  const isPlain = named === undefined && isSurelyNative(source.head.toString("utf8", 0, firstLook));
  const format = named === undefined ? (isPlain ? undefined : recognise(source)) : named.format;
  if (format === undefined) {
    refusePrompt(options);
    return { bytes: gather(source, constants.MAX_LENGTH), folder, source: name, isFile };
  }
  if (format.isTimeless !== true || isFile) return { source, format, name };
  // Only one process at a time may pack a log without times, lest it be packed twice: read a stream to its
  // end before others have to wait for it.
  const whole = gather(source, constants.MAX_LENGTH);
  return { source: sourceOf([whole], { name: source.name }), format, name };
}

function refusePrompt({ prompt }: OpenOptions): void {
  if (prompt === undefined) return;
  throw new CtxError("usage", "--prompt is only for logs of agents that do not record the prompt", {
    hint: 'in an execution log, the prompts go under "prompts"',
  });
}

/**
 * Reads all bytes of a log in ctx's own format, which is one document. `isShared`: into memory that other
 * threads can see.
 */
function readBytes(descriptor: number, source: string, isShared: boolean): Buffer {
  try {
    return isShared
      ? readWhole(descriptor, undefined, (size) => Buffer.from(new SharedArrayBuffer(size)))
      : readWhole(descriptor);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "too-large") throw error;
    throw new CtxError("log-unreadable", `cannot read the log ${source}: ${error.message}`, {
      hint: "put large contents in files next to the log, and refer to them with …_file",
    });
  }
}

/** Opens a file for `work`; throws a clear error if that fails. */
function withLog(
  file: string,
  source: string,
  work: (descriptor: number) => void,
  // Not only regular files: a log may come through a named pipe or a process substitution.
  open = (): number => fs.openSync(file, "r"),
): void {
  try {
    usingDescriptor(open(), work);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const why = errno === "ENOENT" ? "no such file" : errno === "EISDIR" ? "it is a folder" : errno;
    throw new CtxError("log-unreadable", `cannot read the log ${source}: ${why}`, { cause: error });
  }
}
