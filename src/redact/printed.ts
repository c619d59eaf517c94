// Finds secrets in the output of a command that prints secrets: values alone in a line, and values beside
// their names. Other messages of such a program (that there is no secret, how to use it) contain spaces or
// are plain words.
// Over 300 lines: one finder, and how it reads a line.
import type { Match } from "./matches.js";
import {
  isFieldSecret,
  isPlainName,
  isRandom,
  isRandomWord,
  isSecret,
  isSpreading,
} from "./printed-judge.js";
import { isLikelyPassword } from "./secret-heuristics.js";
import {
  documentIn,
  type Leaf,
  leavesOf,
  part,
  positionIn,
  type PrintedView,
  withoutSequences,
} from "./printed-views.js";
import {
  isRowOf,
  loneIn,
  minValueLength,
  notWords,
  passwordOfLine,
  soleIn,
  userBefore,
} from "./printed-lines.js";
import { isSecretLikeName } from "./printing-judges.js";
import type { Printing } from "./printing.js";
import { type UserCommand, userCommandIn } from "./user-commands.js";

/**
 * Longer lines are searched for random words only: the longest tokens that programs print, those of
 * registries, have some 3,000 characters.
 */
const maxLineLength = 1 << 14;
const maxDepth = 3;

/** Finds secrets in printed text. `isWhole`: the text is the whole output. */
export function findPrinted(
  text: string,
  printing: Printing,
  { isWhole, isAllowed }: { isWhole: boolean; isAllowed: (secret: string) => boolean },
): Match[] {
  const finder = new PrintedSecretFinder(text, printing, isAllowed);
  const view = withoutSequences(text);
  const reported = userCommandIn(view.text);
  const isOnly = isWhole && printing.isAlone;
  if (reported === undefined) finder.output(view, isOnly);
  else finder.report(view, reported, isOnly);
  return finder.found;
}

class PrintedSecretFinder {
  readonly found: Match[] = [];
  readonly #text: string;
  readonly #printing: Printing;
  readonly #isAllowed: (secret: string) => boolean;

  constructor(text: string, printing: Printing, isAllowed: (secret: string) => boolean) {
    this.#text = text;
    this.#printing = printing;
    this.#isAllowed = isAllowed;
  }

  /**
   * Scans a text that reports a command of the user's: what it printed, and what is around, not the command.
   */
  report(view: PrintedView, { command, printed }: UserCommand, isOnly: boolean): void {
    const outputs = printed.filter(({ from, to }) => view.text.slice(from, to).trim() !== "");
    const known = command === undefined ? outputs : [command, ...outputs];
    let at = 0;
    for (const range of known.sort((a, b) => a.from - b.from)) {
      if (range.from < at) continue;
      this.#lines(part(view, at, range.from), false);
      if (range !== command) this.output(part(view, range.from, range.to), isOnly && outputs.length === 1);
      at = range.to;
    }
    this.#lines(part(view, at, view.text.length), false);
  }

  /** Scans a view of the output. `isOnly`: there is no other output. */
  output(view: PrintedView, isOnly: boolean, depth = 0): void {
    const document = depth < maxDepth ? documentIn(view.text) : undefined;
    if (document === undefined) return this.#lines(view, isOnly);
    const { from, to, isJson } = document;
    const around = [part(view, 0, from), part(view, to, view.text.length)];
    for (const rest of around) this.#lines(rest, false);
    const leaves = leavesOf(part(view, from, to), isJson);
    const isBare = around.every(({ text }) => linesOf(text).every((line) => wrapping.test(line.text)));
    const outputs = leaves.filter((leaf) => isOutput(leaf) && leaf.view.text.trim() !== "");
    for (const leaf of leaves)
      if (isOutput(leaf)) this.output(leaf.view, isOnly && isBare && outputs.length === 1, depth + 1);
      else this.#member(leaf, depth);
  }

  /** Scans a string of a document that is not itself the output of a command. */
  #member({ name, path, view }: Leaf, depth: number): void {
    const { prints, isAlone } = this.#printing;
    if (/^\s*[[{]/.test(view.text)) return this.output(view, false, depth + 1);
    const own = name === "value" ? (path.at(-1) ?? "") : name;
    const isAbout = path.some((one) => /^(?:metadata|labels|annotations)$/.test(one));
    if (prints === "maybe" || (isAbout && !isSecretLikeName(name))) return;
    if (!/\s/.test(view.text)) {
      if (view.text.length >= minValueLength && isFieldSecret(own, view.text, isAlone))
        this.#add(view, 0, view.text, isSecretLikeName(own));
      return;
    }
    if (isPlainName(own) && !isSecretLikeName(own)) return;
    for (const { 0: word, index } of view.text.matchAll(/[^\s"'`]+/g))
      if (isRandom(word)) this.#add(view, index, word, isSecretLikeName(own));
  }

  #lines(view: PrintedView, isOnly: boolean): void {
    const { prints, isAlone } = this.#printing;
    const lines = linesOf(view.text).filter(({ text: line }) => !wrapping.test(line));
    const isSole = isOnly && prints !== "maybe" && lines.length === 1;
    // Kubernetes: everything below `metadata:` is about the secret.
    let metadataIndent = -1;
    let columns: readonly string[] = [];
    for (const { from, text: line } of lines) {
      const indent = line.search(/\S/);
      if (metadataIndent !== -1 && indent > metadataIndent && !line.includes('{"')) continue;
      metadataIndent = /^\s*metadata:\s*$/.test(line) ? indent : -1;
      if (line.length > maxLineLength) {
        if (prints !== "maybe") this.#words(view, from, line);
        continue;
      }
      const lone = isSole ? (soleIn(line, prints) ?? loneIn(line)) : loneIn(line);
      const isRow =
        prints === "fields" && lone?.text.includes("|") === true && (!isSole || isRowOf(lone.text));
      if (lone !== undefined && !isRow) {
        if (isSecret(lone.text, { prints, isSole, isAlone }))
          this.#add(view, from + lone.at, lone.text, true);
        else if (prints !== "maybe") this.#words(view, from, line);
        continue;
      }
      if (prints === "maybe") continue;
      if (isDocumentLine(line)) {
        for (const leaf of leavesOf(part(view, from, from + line.length), true)) this.#member(leaf, 1);
        continue;
      }
      const before = this.found.length;
      // A password hash as crypt(3) writes it.
      const hash = /^[\w.-]{1,64}:(\$\w{1,10}\$[^:\s]{8,400}):/.exec(line)?.[1];
      if (hash !== undefined) this.#add(view, from + line.indexOf(hash), hash, true);
      const fields = hash === undefined ? [...fieldsIn(line, prints === "fields")] : [];
      for (const { at, name, value } of fields)
        if (isFieldSecret(name, value, isAlone)) this.#add(view, from + at, value, isSecretLikeName(name));
      const cells = prints === "fields" ? cellsOf(line) : [];
      for (const [index, { at, text }] of cells.entries())
        if (fields.every((field) => field.at !== at) && isCellSecret(text, columns[index]))
          this.#add(view, from + at, text, isSecretLikeName(columns[index] ?? ""));
      if (columns.length === 0 && line.includes("|")) columns = cells.map(({ text }) => text);
      if (this.found.length === before && !isAboutPlain(line, columns.length > 0))
        this.#words(view, from, line);
    }
  }

  /** Adds the random words of a line, whatever label or sentence is around them. */
  #words(view: PrintedView, from: number, line: string): void {
    const { isAlone } = this.#printing;
    const plain = line.replaceAll(notWords, (one) => " ".repeat(one.length));
    for (const { 0: word, index } of plain.matchAll(/[^\s\u2502]+/g)) {
      if (word.length < minWordLength) continue;
      const opening = /^["'`(<[{]*/.exec(word)?.[0].length ?? 0;
      const bare = word.slice(opening).replace(/["'`)>\]},;:.]+$/, "");
      const parts = [{ at: opening, text: bare }];
      const user = userBefore(bare);
      if (user !== undefined && isAlone) {
        const text = bare.slice(user.length);
        if (isLikelyPassword(text, "password") || isRandom(text))
          this.#add(view, from + index + opening + user.length, text, true);
        continue;
      }
      if (!/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(bare) && !isRandomWord(bare, isAlone)) {
        parts.length = 0;
        for (const { 0: text, index: at } of word.matchAll(/[^=:,|"'`<>()[\]{};]+/g))
          parts.push({ at, text });
      }
      for (const { at, text } of parts)
        if (isRandomWord(text, isAlone)) this.#add(view, from + index + at, text, false);
    }
  }

  /** Adds a match. `isNamed`: it stands alone or beside a secret-like name. */
  #add(view: PrintedView, at: number, secret: string, isNamed: boolean): void {
    if (this.#isAllowed(secret)) return;
    const from = positionIn(view, at);
    const last = positionIn(view, at + secret.length - 1);
    // An escape is longer than the character that it stands for.
    const escape = /^\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^])/.exec(this.#text.slice(last, last + 6))?.[0];
    const isEscaped = escape !== undefined && secret.at(-1) !== "\\";
    const to = last + (isEscaped ? escape.length : 1);
    this.found.push({
      rule: "printed-secret",
      secret,
      pieces: [{ from, to }],
      ...(isSpreading(secret, isNamed) ? {} : { isWeak: true }),
    });
  }
}

/**
 * Returns whether a line is about a secret (`id: Ab3dE6gH9jK2mN5p`), or is a table row, whose columns were
 * judged by their names.
 */
function isAboutPlain(line: string, isTable: boolean): boolean {
  const name =
    /^[\s"'|\u2502*-]{0,80}([A-Za-z_][\w.@/-]{0,60}(?: [\w-]{1,30}){0,3}?)["']?(?:\s{0,20}[:=|\u2502]|\t|\s{2})/.exec(
      line,
    )?.[1];
  return (
    (isTable && line.includes("|")) || (name !== undefined && isPlainName(name) && !isSecretLikeName(name))
  );
}

/** Returns whether a member holds the output of a command, or a part of it. */
function isOutput({ name, path }: Leaf): boolean {
  return (
    name === "" ||
    (/^(?:stdout|stderr|output|text|content|contents|results?|aggregated_?output|formatted_?output|body|response|observation|tool_?result)$/i.test(
      name,
    ) &&
      !path.some((one) => /^(?:data|fields)$/i.test(one)))
  );
}

function isDocumentLine(line: string): boolean {
  if (!/^\s*(?:[{[]|"[^"]*"\s*:\s*[{["])/.test(line)) return false;
  const found = documentIn(line);
  return found?.isJson === true && found.to >= line.trimEnd().length;
}

interface PrintedLine {
  from: number;
  text: string;
}

function linesOf(text: string): PrintedLine[] {
  const lines: PrintedLine[] = [];
  for (const { 0: line, index } of text.matchAll(/[^\n\r\0]+/g))
    if (line.length >= minValueLength && line.trim() !== "") lines.push({ from: index, text: line });
  return lines;
}

const minWordLength = 10;

/** Lines that agents write around the output of a command. */
const wrapping =
  /^\s*(?:exit[ _]code|wall time|chunk id|original token count|process exited|process running|total output lines|output:\s*$|command:|directory:|error: ?\(none\)|stderr:|signal:|background pids|process group|\[[A-Za-z][^\]]* |<\/?(?:returncode|exit_code|stderr|system|output|stdout)>?\s*$|observation:\s*$)/i;

interface PrintedField {
  at: number;
  name: string;
  value: string;
}

/**
 * Yields `name: value`, `name=value`, `name | value`, columns, and members of JSON, also of JSON within a
 * string.
 */
function* fieldsIn(line: string, hasNames: boolean): Generator<PrintedField> {
  let isJson = false;
  for (const match of line.matchAll(member)) {
    isJson = true;
    const { name = "", value = "" } = match.groups ?? {};
    yield { at: match.index + match[0].lastIndexOf(value), name, value };
  }
  if (isJson) return;
  const named = /^\s*([A-Za-z][\w-]{2,40}) (\S{10,})\s*$/.exec(line);
  if (named !== null && isSecretLikeName(named[1] as string) && isRandom(named[2] as string)) {
    yield { at: line.lastIndexOf(named[2] as string), name: named[1] as string, value: named[2] as string };
    return;
  }
  const pass = passwordOfLine(line);
  if (pass !== undefined) {
    yield { at: line.trimEnd().length - pass.length, name: "password", value: pass };
    return;
  }
  const [start = "", name = ""] = nameInLine.exec(line) ?? [];
  if (name === "" || (!hasNames && !isSecretLikeName(name))) return;
  let at = start.length;
  while (between.has(line.charAt(at))) at++;
  const value = /^[^\s"'|\u2502]{6,8000}/.exec(line.slice(at))?.[0];
  if (value !== undefined && /^["']?;?\s*(?:$|[,|\u2502]|\s{2}|#)/.test(line.slice(at + value.length)))
    yield { at, name, value };
}

/** Characters between a name and its value. */
const between = new Set(" \t\"'|\u2502:=");
const nameInLine =
  /^[\s"'|\u2502*-]{0,80}([A-Za-z_][\w.@/-]{0,60}(?: [\w-]{1,30}){0,3}?)["']?(?=\s{0,1}[:=|\u2502]|\t|\s{2})/;
const member =
  /\\{0,3}"(?<name>[\w.$@/ -]{1,80})\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"(?<value>[^"\\\s]{6,8000})\\{0,3}"/g;

/** Splits a line into columns at tabs and bars. */
function cellsOf(line: string): { at: number; text: string }[] {
  if (!/[\t|\u2502]/.test(line)) return [];
  return [...line.matchAll(/[^\t|\u2502]+/g)].map(({ 0: cell, index }) => ({
    at: index + (cell.length - cell.trimStart().length),
    text: cell.trim(),
  }));
}

function isCellSecret(text: string, column: string | undefined): boolean {
  if (column !== undefined && isPlainName(column) && !isSecretLikeName(column)) return false;
  return !/\s/.test(text) && isRandom(text);
}
