// Inserts a few marked lines into a shell script that ctx does not own.
import { CtxError } from "../base/errors.js";
import type { Cut, Insertion } from "./text-edits.js";

const begin = "# >>> ctx:";
const end = "# <<< ctx";

/**
 * Returns the insertions after which the script starts with `command`. The block comes first because a script
 * may exit anywhere.
 */
export function insertBlock(
  text: string,
  { command, about, name }: { command: string; about: string; name: string },
): Insertion[] {
  const block = `${begin} ${about}\n${command}\n${end}\n`;
  if (text === "") return [{ at: 0, text: `#!/bin/sh\n${block}` }];
  const first = /^#![^\n]*\n/.exec(text)?.[0];
  if (first === undefined || !/[/ ](?:sh|bash|dash|zsh|ksh)\b/.test(first))
    throw new CtxError("exists", `${name} exists and is not a shell script that ctx can add to`, {
      hint: `nothing was changed; make it run \`${command}\``,
    });
  return [{ at: first.length, text: block }];
}

/** Finds our block; returns an empty list if there is none. */
export function blockIn(text: string): Cut[] {
  const from = text.startsWith(begin) ? 0 : text.indexOf(`\n${begin}`) + 1;
  if (from === 0 && !text.startsWith(begin)) return [];
  const last = text.indexOf(`\n${end}`, from);
  if (last === -1) return [];
  const line = text.indexOf("\n", last + 1);
  return [{ from, to: line === -1 ? text.length : line + 1 }];
}
