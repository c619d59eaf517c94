// The streams, environment and working folder of a process, as commands see them.
import * as fs from "node:fs";
import { toIoError, withPath } from "../base/errors.js";
import { piecesOf, readWhole } from "../base/fs/files.js";
import { lazy } from "../base/lazy.js";
import type { Screen } from "../render/layout.js";
import { isExecutable } from "./version.js";

export interface Terminal {
  /** Standard output and standard error: whether they are a terminal, and how wide. */
  out: OutputStream;
  error: OutputStream;
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** All of standard input. */
  readInput(): Buffer;
  /** The same, in pieces that are valid until the next one. */
  input(): Iterable<Buffer>;
  /** What started this program: the runtime and the file that it runs, or the executable that is both. */
  program: readonly string[];
  /** Asks the person at the terminal and returns one line; undefined if no person can answer. */
  ask?: ((question: string) => string) | undefined;
}

export interface OutputStream {
  screen: Screen;
  isTerminal: boolean;
  /** How many lines it shows at once. */
  rows?: number;
  write(text: string | Buffer): void;
}

/** Thrown if the reader of standard output closed it: the end of the output, not an error. */
export class ClosedPipe extends Error {}

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  let error: OutputStream | undefined;
  return {
    out: processStream(1),
    // Created late: most calls write nothing there, and examining the descriptor takes time.
    get error() {
      return (error ??= processStream(2));
    },
    // May fail: a shell can stay in a folder that was removed.
    get folder() {
      return withPath("the current folder", "enter", () => process.cwd());
    },
    env: process.env,
    program: isExecutable ? [process.execPath] : [process.execPath, process.argv[1] ?? ""],
    readInput: () => withPath(standardInput, "read", () => readWhole(0)),
    input: inputPieces,
    get ask() {
      return isTerminalDescriptor(2) && isInputTerminal() ? ask : undefined;
    },
  };
}

/** Checks the descriptor itself: opening Node's stream for it would change how it is read. */
function isInputTerminal(): boolean {
  return lazy("tty").isatty(0);
}

const standardInput = "standard input";

function* inputPieces(): Generator<Buffer> {
  try {
    yield* piecesOf(0);
  } catch (error) {
    throw toIoError(error, standardInput, "read");
  }
}

/** Returns the empty answer, which consents to nothing, where the question cannot be shown. */
function ask(question: string): string {
  if (!writeIfPossible(Buffer.from(question))) return "";
  const answer: number[] = [];
  const byte = Buffer.alloc(1);
  return withPath(standardInput, "read", () => {
    while (fs.readSync(0, byte, 0, 1, null) === 1 && byte[0] !== 0x0a) answer.push(byte[0] as number);
    return Buffer.from(answer).toString("utf8").trim();
  });
}

function processStream(descriptor: 1 | 2): OutputStream {
  const isTerminal = isTerminalDescriptor(descriptor);
  const rows = isTerminal ? (descriptor === 1 ? process.stdout : process.stderr).rows : undefined;
  return {
    isTerminal,
    ...(rows === undefined ? {} : { rows }),
    screen: screenFor(process.env, isTerminal ? terminalColumns(descriptor) : undefined),
    write(text) {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      if (descriptor === 1) writeOutput(bytes);
      else writeIfPossible(bytes);
    },
  };
}

/**
 * Writes to standard output. A closed pipe is a `ClosedPipe`; every other failure is an error that names the
 * stream.
 */
function writeOutput(bytes: Buffer): void {
  try {
    writeAll(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") throw new ClosedPipe();
    throw toIoError(error, "standard output", "write to");
  }
}

/**
 * Writes to standard error, and returns whether that worked. It never throws: a message that cannot be shown
 * changes neither the work nor the exit status, whatever keeps it back (a closed pipe, a full disk, no stream
 * at all).
 */
function writeIfPossible(bytes: Buffer): boolean {
  try {
    writeAll(2, bytes);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns width and colour: a terminal has both; a pipe has 80 columns and no colour unless variables set
 * them.
 */
export function screenFor(env: Terminal["env"], terminalWidth: number | undefined): Screen {
  const requested = Number(env["COLUMNS"]);
  const width = terminalWidth ?? (Number.isInteger(requested) && requested > 0 ? requested : 80);
  if ((env["NO_COLOR"] ?? "") !== "") return { width, colour: false };
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "0" && forced !== "false") return { width, colour: true };
  return { width, colour: terminalWidth !== undefined && forced === undefined && env["TERM"] !== "dumb" };
}

/** Loads Node's terminal code, which takes two milliseconds, only if the descriptor may be a terminal. */
function isTerminalDescriptor(descriptor: 1 | 2): boolean {
  try {
    const stat = fs.fstatSync(descriptor);
    // On Linux character devices with major number 1 are memory devices, such as /dev/null.
    const isMemory = process.platform === "linux" && stat.rdev >> 8 === 1;
    if (!stat.isCharacterDevice() || isMemory) return false;
  } catch {
    return false;
  }
  return (descriptor === 1 ? process.stdout : process.stderr).isTTY;
}

function terminalColumns(descriptor: 1 | 2): number {
  return (descriptor === 1 ? process.stdout : process.stderr).columns || 80;
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += fs.writeSync(descriptor, bytes, written, bytes.length - written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      // A pipe that another program made non-blocking is full: wait until its reader has caught up.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
