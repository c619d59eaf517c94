// Text from packs in Markdown: in code only, with every character that means something to Markdown or HTML
// written as a number, and with addresses taken apart, so that it can neither close its fence nor mention a
// user nor become a link.
import { counterparts, cutAround } from "../base/cut.js";
import { maxOf } from "../base/lists.js";
import { printable, printableLines } from "../base/printable.js";

/** A character may become 22, and some get 13 more: these are few enough for a heading to fit. */
const maxNameLength = 60;
const maxLineLength = 200;
const maxLines = 60;

/**
 * Where text is taken apart by an element that shows nothing and is not copied. Some programs (remark-gfm)
 * make links of what the numbers stand for: `http://…`, any other scheme, `www.…` and `name@host`.
 */
const linkParts = /(?<=:)(?=\/)|(?<=www)(?=\.)|(?=@)/i;

/** Returns text within a line. */
export function markdownCode(text: string, length = maxNameLength): string {
  const safe = printable(cutAround(text, undefined, length))
    .split(linkParts)
    .map((part) => part.replaceAll(/[^A-Za-z0-9 ,\u2026]/gu, (character) => `&#${character.codePointAt(0)};`))
    .join("<span></span>");
  return `<code>${safe === "" ? "&#32;" : safe}</code>`;
}

/** Returns a diff, in a fence that is longer than any in the text. */
export function markdownFence(text: string): string {
  const lines = printableLines(text).replace(/\n$/, "").split("\n");
  const others = counterparts(lines);
  const shown = lines
    .slice(0, maxLines)
    .map((line, at) => line.slice(0, 1) + cutAround(line.slice(1), others[at], maxLineLength));
  if (lines.length > maxLines) shown.push(`… ${lines.length - maxLines} more lines`);
  const runs = shown.join("\n").match(/`+/g) ?? [];
  const fence = "`".repeat(
    Math.max(
      3,
      maxOf(runs, (run) => run.length + 1),
    ),
  );
  return `${fence}diff\n${shown.join("\n")}\n${fence}\n`;
}
