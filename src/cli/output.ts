// How results leave: JSON on one line with nothing in it that could steer a terminal, or text on the right stream.
import { isAbsolute, relative, sep } from "node:path";
import { canonicalPieces } from "../base/json/canonical.js";
import type { CtxError } from "../base/errors.js";
import { printable, printableJson } from "../base/printable.js";
import type { NoticeLine } from "../results/messages.js";
import type { LostTag } from "../results/results.js";
import { errorJson, renderError } from "../render/error.js";
import { numberText, painter } from "../render/layout.js";
import type { Call } from "./command.js";
import { ClosedPipe, type Stream, type Terminal } from "./terminal.js";

/** Writes a result as one line of JSON. Keys are in canonical order. */
export function writeJson(terminal: Pick<Terminal, "out">, value: unknown): void {
  const pieces: string[] = [];
  canonicalPieces(value, (text) => pieces.push(printableJson(text)));
  for (const piece of joined([...pieces, "\n"])) terminal.out.write(piece);
}

/** Writes what nobody may be reading any more; the answer stands all the same, and so does the exit status. */
export async function unread(write: () => void | Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ClosedPipe)) throw error;
  }
}

/** A stream for results that are printed while the work goes on: when its reader has gone away, the rest of the work is still done. */
export function whileRead(stream: Stream): Stream {
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

/** A path as a person would type it: from the folder that they are in, where it is below that. */
export function shownPath({ terminal }: Call, path: string): string {
  const inside = relative(terminal.folder, path);
  if (inside === "") return ".";
  return isAbsolute(inside) || inside.split(sep)[0] === ".." ? path : inside;
}

/** A few large pieces instead of many small ones. */
function* joined(pieces: readonly string[]): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < 1 << 24) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** Says something beside the result, on standard error. Under --json that stream is JSON too, an object a line. */
export function notice({ terminal: { error }, json }: Call, text: string): void {
  if (json) error.write(`${printableJson(JSON.stringify({ notice: text } satisfies NoticeLine))}\n`);
  else error.write(`${painter(error.screen)("yellow", "note:")} ${printable(text)}\n`);
}

/** The note about a tag that names no pack. */
export function lostTagNotice({ name, message }: LostTag): string {
  return `the tag ${name} leads nowhere: ${message}`;
}

/** The note about an object that a writer repaired on its way. */
export function repairNotice(reference: string): string {
  return `${reference} was damaged in the store, and is repaired`;
}

/** The most notes about one matter. */
const mostNotices = 20;

/** Prints these notes. Of very many it prints the first, and how many more `things` there are. */
export function noticeEach(call: Call, texts: readonly string[], things: string): void {
  for (const text of texts.slice(0, mostNotices)) notice(call, text);
  if (texts.length > mostNotices)
    notice(call, `and ${numberText(texts.length - mostNotices)} more ${things}`);
}

/** Reports an error, in the same way. */
export function writeError({ error: stream }: Terminal, json: boolean, error: CtxError): void {
  stream.write(
    json ? `${printableJson(JSON.stringify(errorJson(error)))}\n` : renderError(error, stream.screen),
  );
}

export interface Progress {
  show(done: number, of: number): void;
  clear(): void;
}

/** A line on the terminal that says how far long work is; nothing in a pipe, or where there is less than `least` to do. */
export function progressOn(call: Call, text: (done: number, of: number) => string, least: number): Progress {
  const { error } = call.terminal;
  let shown = 0;
  return {
    show(done, of) {
      const now = Date.now();
      if (call.json || of < least || now - shown < 100 || !error.isTerminal) return;
      shown = now;
      error.write(`\r\u001b[K${text(done, of)}`);
    },
    clear() {
      if (shown > 0) error.write("\r\u001b[K");
      shown = 0;
    },
  };
}
