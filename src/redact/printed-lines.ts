// Lines that consist of a value, among others or as the whole output.
import { isNameLike, isRandom } from "./printed-judge.js";
import { isSecretLikeName, type Prints } from "./printing-judges.js";

/** Shorter texts are never taken for secrets. */
export const minValueLength = 6;

/** Text around a value that is alone in its line: a colour, a line number, a label, a quote, a tag. */
const before =
  /^(?:\s|[-*>\u2022] |\d{1,6}(?:\u2192|\t|: )|(?:output|stdout|result):\s*|<(?:stdout|output|result)>|[{[]{1,2}"(?:type":\s*"text",\s*")?(?:output|stdout|text|content|result|aggregated_output)":\s*(?=")|\[(?=["'])|["'`])*/i;
const behind = /^(?:\s|<\/(?:stdout|output|result)>|\\[nr]|"(?:,\s*"[^]*|[}\]]{1,3})?|['`,;%])*$/;

/** Text that agents write before a value that is the whole output, and quotes around it. */
const soleBefore = /^(?:\s|\d{1,6}(?:\u2192|\t)|(?:output|stdout|result):\s+|<(?:stdout|output|result)>)*/i;

/**
 * Returns the value of a line, whatever its characters; undefined if the line has several words, or a name
 * before its value.
 */
export function soleIn(line: string, prints: Prints): { at: number; text: string } | undefined {
  const at = soleBefore.exec(line)?.[0].length ?? 0;
  const text = line
    .slice(at)
    .replace(/<\/(?:stdout|output|result)>\s*$/i, "")
    .trimEnd();
  const quoted = /^(["'`])(.*)\1,?$/.exec(text)?.[2];
  const value = quoted ?? text;
  if (value.length < minValueLength || /\s/.test(value) || /^[[{]["'{[]/.test(value)) return undefined;
  const name = /^([A-Za-z_][\w.-]{0,60})[=:](?!=*$)/.exec(value)?.[1];
  if (name !== undefined && isFieldName(name, prints)) return undefined;
  return { at: quoted === undefined ? at : at + 1, text: value };
}

/** Returns whether the text before `=` or `:` is a name, not the beginning of a random value. */
function isFieldName(name: string, prints: Prints): boolean {
  if (isSecretLikeName(name)) return true;
  return (
    isNameLike(name) && (prints === "fields" || /^[A-Z][A-Z0-9_]{2,}$|^[a-z_][a-z0-9_.-]{3,}$/.test(name))
  );
}

/** Returns whether a line is a table row without blanks around its columns: `1|bob|value`. */
export function isRowOf(line: string): boolean {
  const cells = line.trim().split("|");
  return cells.length > 1 && cells.every((cell) => cell === "" || isNameLike(cell) || isRandom(cell));
}

export function loneIn(line: string): { at: number; text: string } | undefined {
  const at = before.exec(line)?.[0].length ?? 0;
  const rest = line.slice(at);
  const value = /^[^\s"'`<>\\]+/.exec(rest)?.[0] ?? "";
  if (value.length < minValueLength || !behind.test(rest.slice(value.length))) return undefined;
  // `name=value` and `name:value` are handled with the fields.
  if (/^[A-Za-z_][\w.-]{0,60}[=:](?!=*$)/.test(value)) return undefined;
  return { at, text: value };
}

/** Tags, times, and servers with their ports, beside which a random word may stand. */
export const notWords =
  /<\/?[a-z_-]{2,30}>|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?|(?<=^|\s)\[?(?:[\w-]{1,63}\.){1,6}[a-z]{2,12}\]?:\d{2,5}(?=\s|$)/g;

/** Returns the address of a user before a password, with its colon: `ana@mail.example:`. */
export function userBefore(word: string): string | undefined {
  return /^([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,6}[a-z]{2,12}:)[^\s:]{6,200}$/i.exec(word)?.[1];
}

/** Returns the password of a line of a `.pgpass`: only its last field is one. */
export function passwordOfLine(line: string): string | undefined {
  return /^\s{0,8}[^\s:#]{1,200}:(?:\d{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(\S{6,200})\s*$/.exec(line)?.[1];
}
