// Lines of nothing but a value, among others or as all that was printed.
import { isNameLike, isRandom } from "./printed-judge.js";
import { isTellingName, type Prints } from "./printing-judges.js";

/** Nothing shorter is taken for a secret. */
export const shortest = 6;

/** What may stand before and behind a value in a line of its own: a colour, a number of the line, a label, a quote, a tag. */
const before =
  /^(?:\s|[-*>\u2022] |\d{1,6}(?:\u2192|\t|: )|(?:output|stdout|result):\s*|<(?:stdout|output|result)>|[{[]{1,2}"(?:type":\s*"text",\s*")?(?:output|stdout|text|content|result|aggregated_output)":\s*(?=")|\[(?=["'])|["'`])*/i;
const behind = /^(?:\s|<\/(?:stdout|output|result)>|\\[nr]|"(?:,\s*"[^]*|[}\]]{1,3})?|['`,;%])*$/;

/** What agents write before a value that is all that was printed, and quotes around it. */
const soleBefore = /^(?:\s|\d{1,6}(?:\u2192|\t)|(?:output|stdout|result):\s+|<(?:stdout|output|result)>)*/i;

/** The whole line, whatever characters it has; undefined where it has several words, or a name before its value. */
export function soleIn(line: string, prints: Prints): { at: number; text: string } | undefined {
  const at = soleBefore.exec(line)?.[0].length ?? 0;
  const text = line
    .slice(at)
    .replace(/<\/(?:stdout|output|result)>\s*$/i, "")
    .trimEnd();
  const quoted = /^(["'`])(.*)\1,?$/.exec(text)?.[2];
  const value = quoted ?? text;
  if (value.length < shortest || /\s/.test(value) || /^[[{]["'{[]/.test(value)) return undefined;
  const name = /^([A-Za-z_][\w.-]{0,60})[=:](?!=*$)/.exec(value)?.[1];
  if (name !== undefined && isFieldName(name, prints)) return undefined;
  return { at: quoted === undefined ? at : at + 1, text: value };
}

/** Whether what stands before `=` or `:` is a name, not the beginning of a random value. */
function isFieldName(name: string, prints: Prints): boolean {
  if (isTellingName(name)) return true;
  return (
    isNameLike(name) && (prints === "fields" || /^[A-Z][A-Z0-9_]{2,}$|^[a-z_][a-z0-9_.-]{3,}$/.test(name))
  );
}

/** Columns of a table without spaces around them: `1|bob|value`. */
export function isRowOf(line: string): boolean {
  const cells = line.trim().split("|");
  return cells.length > 1 && cells.every((cell) => cell === "" || isNameLike(cell) || isRandom(cell));
}

export function loneIn(line: string): { at: number; text: string } | undefined {
  const at = before.exec(line)?.[0].length ?? 0;
  const rest = line.slice(at);
  const value = /^[^\s"'`<>\\]+/.exec(rest)?.[0] ?? "";
  if (value.length < shortest || !behind.test(rest.slice(value.length))) return undefined;
  // `name=value` and `name:value` are for those that know names.
  if (/^[A-Za-z_][\w.-]{0,60}[=:](?!=*$)/.test(value)) return undefined;
  return { at, text: value };
}
