// What every screen needs: colour, widths, sizes, times. Widths are those of a terminal, where some
// characters take two columns and some none.
import measure from "fast-string-truncated-width";
import { printable } from "../base/printable.js";
import type { Time } from "../model/times.js";
import { durationText } from "./when.js";

/** What a renderer knows about the destination of its text. */
export interface Screen {
  width: number;
  colour: boolean;
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Paint = (style: keyof typeof codes, text: string) => string;

/** Returns a function that colours text, or leaves it unchanged without colour. */
export function painter(screen: Screen): Paint {
  if (!screen.colour) return (_style, text) => text;
  return (style, text) => (text === "" ? "" : `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m`);
}

// ASCII, and the ellipsis that we put in ourselves.
const ascii = /^[\x20-\x7e\u2026]*$/;

/** Returns how many columns a text takes. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : measure(text).width;
}

/** Escapes a text for one line, and cuts it to a width with an ellipsis. */
export function fit(text: string, width: number): string {
  // No more than this can be visible, and escaping a megabyte to show a line of it would be a waste.
  const safe = printable(text.length > width * 4 + 64 ? text.slice(0, width * 4 + 64) : text);
  if (widthOf(safe) <= width) return safe;
  if (width <= 0) return "";
  if (ascii.test(safe)) return `${safe.slice(0, width - 1)}…`;
  let kept = safe.slice(0, measure(safe, { limit: width, ellipsis: "…", ellipsisWidth: 1 }).index);
  // The library sometimes cuts one character too late.
  while (widthOf(kept) > width - 1) kept = Array.from(kept).slice(0, -1).join("");
  return `${kept}…`;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Breaks a line at spaces. A word that is too long stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/**
 * Returns commands to copy after a label: on one line if that fits, else each on a line of its own. A command
 * is never cut, because half of one does something else.
 */
export function commandLines(label: string, commands: readonly string[], width: number): string[] {
  const line = `${label} ${commands.join("   ")}`;
  return widthOf(line) <= width ? [line] : [label, ...commands.map((command) => `  ${command}`)];
}

/** `13 B`, `4.1 kB`, `120 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  for (const unit of ["kB", "MB", "GB", "TB"]) {
    value /= 1000;
    if (value < 999.5) return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
  }
  return `${Math.round(value)} PB`;
}

/** `1 step`, `2 steps`. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `1,234,567`. */
export function numberText(value: number): string {
  return Number.isSafeInteger(value) ? String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ",") : String(value);
}

/** Returns a time as a person reads it: `2026-02-10 12:00:00 UTC`. */
export function timeText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

/** Returns the time from one moment to another: `+0.4s`, `+12s`, `+3m05s`, `+2h10m`, `+3d04h`. */
export function sinceText(start: Time, end: Time): string {
  const seconds =
    end.seconds - start.seconds + Number(`0.${end.fraction || "0"}`) - Number(`0.${start.fraction || "0"}`);
  const text = durationText(Math.abs(seconds) * 1000);
  // Less than can be shown is no time, in either direction.
  return `${seconds < 0 && text !== "0.0s" ? "-" : "+"}${text}`;
}

/** Quotes a word for a shell, so that a command can be copied. */
export function shellWord(text: string): string {
  const word = printable(text).replace(/^-/, "./-");
  return /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith("~")
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Shortens a hash for people. */
export function shortHash(reference: string): string {
  return reference.replace(/^sha256:/, "").slice(0, 12);
}
