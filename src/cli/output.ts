// Writes JSON, notices, errors and progress. JSON is one line without characters that could control a
// terminal.
import { isAbsolute, relative, sep } from "node:path";
import { canonicalPieces } from "../base/json/canonical.js";
import type { CtxError } from "../base/errors.js";
import { printable, printableJson } from "../base/printable.js";
import type { NoticeLine } from "../results/messages.js";
import type { LostTag } from "../results/log.js";
import { errorJson, renderError } from "../render/error.js";
import { numberText, painter } from "../render/layout.js";
import type { Call } from "./command.js";
import { ClosedPipe, type OutputStream, type Terminal } from "./terminal.js";

/** Writes a result as one line of JSON. Keys are in canonical order. */
export function writeJson(terminal: Pick<Terminal, "out">, value: unknown): void {
  const pieces: string[] = [];
  canonicalPieces(value, (text) => pieces.push(printableJson(text)));
  for (const piece of joinPieces([...pieces, "\n"])) terminal.out.write(piece);
}

/** Writes many results, a line each. */
export function writeJsonLines(terminal: Pick<Terminal, "out">, values: Iterable<object>): void {
  let text = "";
  for (const value of values) {
    if (isCanonicalAsItIs(value)) text += `${printableJson(JSON.stringify(value))}\n`;
    else {
      terminal.out.write(text);
      text = "";
      writeJson(terminal, value);
    }
    if (text.length < linesAtOnce) continue;
    terminal.out.write(text);
    text = "";
  }
  if (text !== "") terminal.out.write(text);
}

const linesAtOnce = 1 << 16;

/** Returns whether JSON.stringify writes the canonical form of a value, several times as fast. */
function isCanonicalAsItIs(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === "boolean" || value === null) return true;
  if (Array.isArray(value)) return value.every(isCanonicalAsItIs);
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  let previous = "";
  for (const key of Object.keys(value)) {
    const each = (value as Record<string, unknown>)[key];
    if (key < previous || each === undefined || !isCanonicalAsItIs(each)) return false;
    previous = key;
  }
  return true;
}

/** Writes, and ignores a closed pipe: the work is done, and its exit status stands. */
export async function ignoringClosedPipe(write: () => void | Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ClosedPipe)) throw error;
  }
}

/**
 * Wraps a stream for results that are printed during the work: once the pipe is closed it drops them, and the
 * work goes on.
 */
export function whileRead(stream: OutputStream): OutputStream {
  let isRead = true;
  return {
    ...stream,
    write(text) {
      if (!isRead) return;
      try {
        stream.write(text);
      } catch (error) {
        if (!(error instanceof ClosedPipe)) throw error;
        isRead = false;
      }
    },
  };
}

/** Returns a path as a person would type it: relative if it is below the current folder. */
export function shownPath({ terminal }: Call, path: string): string {
  const inside = relative(terminal.folder, path);
  if (inside === "") return ".";
  return isAbsolute(inside) || inside.split(sep)[0] === ".." ? path : inside;
}

/** Joins many small pieces into a few large ones. */
function* joinPieces(pieces: readonly string[]): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < 1 << 24) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** Prints a notice on standard error. Under --json that stream is JSON too, one object per line. */
export function notice({ terminal: { error }, json }: Call, text: string): void {
  if (json) error.write(`${printableJson(JSON.stringify({ notice: text } satisfies NoticeLine))}\n`);
  else error.write(`${painter(error.screen)("yellow", "note:")} ${printable(text)}\n`);
}

/** Returns the notice about a tag that names no pack. */
export function lostTagNotice({ name, message }: LostTag): string {
  return `the tag "${name}" cannot be followed: ${message}`;
}

/** Returns the notice about an object that was damaged, and that a writer repaired. */
export function repairNotice(reference: string): string {
  return `${reference} was damaged in the store; it is repaired now`;
}

/** The most notices of one kind. */
const maxNotices = 20;

/** Prints these notices; of very many only the first, and how many more `things` there are. */
export function noticeEach(call: Call, texts: readonly string[], noun: string): void {
  for (const text of texts.slice(0, maxNotices)) notice(call, text);
  if (texts.length > maxNotices) notice(call, `and ${numberText(texts.length - maxNotices)} more ${noun}`);
}

/** Prints an error on standard error, as text or JSON. */
export function writeError({ error: stream }: Terminal, json: boolean, error: CtxError): void {
  stream.write(
    json ? `${printableJson(JSON.stringify(errorJson(error)))}\n` : renderError(error, stream.screen),
  );
}

export interface Progress {
  show(done: number, total: number): void;
  clear(): void;
}

/**
 * Shows the progress of long work in one terminal line; nothing in a pipe, or if the total is less than
 * `least`.
 */
export function progressOn(
  call: Call,
  text: (done: number, total: number) => string,
  minTotal: number,
): Progress {
  const { error } = call.terminal;
  let shown = 0;
  return {
    show(done, total) {
      const now = Date.now();
      if (call.json || total < minTotal || now - shown < 100 || !error.isTerminal) return;
      shown = now;
      error.write(`\r\u001b[K${text(done, total)}`);
    },
    clear() {
      if (shown > 0) error.write("\r\u001b[K");
      shown = 0;
    },
  };
}
