// How results leave: JSON on one line with nothing in it that could steer a terminal, or text on the right stream.
import { canonicalText } from "../base/canonical.js";
import { printable, printableJson } from "../base/printable.js";
import { painter } from "../render/layout.js";
import type { Terminal } from "./terminal.js";

/** Writes a result as one line of JSON. Keys are in canonical order. */
export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.out.write(`${printableJson(canonicalText(value))}\n`);
}

/** Says something beside the result, on standard error. */
export function notice(terminal: Terminal, text: string): void {
  const paint = painter(terminal.error.screen);
  terminal.error.write(`${paint("yellow", "note:")} ${printable(text)}\n`);
}
