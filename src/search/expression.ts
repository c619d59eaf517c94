// Walks over a regular expression in RE2 syntax: which texts every match must contain, so that most contents
// need not be searched at all, and the same expression for either case of ASCII letters. RE2 itself ignores the
// case of all letters of Unicode, which no index of bytes can follow.

import { appendAll, maxOf } from "../base/lists.js";
import { oppositeClass, otherCase, otherRanges, quote, specials } from "./pattern-characters.js";

/** What a match must contain: all texts of at least one alternative. An alternative without texts may match anything. */
export type Needs = readonly (readonly string[])[];

export interface Expression {
  needs: Needs;
  /** The expression for either case of ASCII letters. */
  folded: string;
}

/** Any text may match. */
export const noNeeds: Needs = [[]];

/** More alternatives than this are not worth a look at the index. */
const maxAlternatives = 16;

/** Analyses an expression that RE2 accepts; undefined for syntax that is not known here. */
export function analyse(source: string): Expression | undefined {
  const walk = new Walk(source);
  try {
    const needs = walk.alternatives();
    return walk.isAtEnd ? { needs, folded: walk.folded } : undefined;
  } catch (error) {
    if (error instanceof UnknownSyntax) return undefined;
    throw error;
  }
}

class UnknownSyntax extends Error {}

/** One element of a sequence: a character that stands for itself, or anything else, with what it needs. */
type Element = { character: string } | { needs: Needs };

class Walk {
  readonly #source: string;
  #at = 0;
  folded = "";

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): Needs {
    const all: (readonly string[])[] = [...this.#sequence()];
    while (this.#take("|")) {
      this.folded += "|";
      appendAll(all, this.#sequence());
    }
    return all.length > maxAlternatives ? noNeeds : all;
  }

  #sequence(): Needs {
    let needs: Needs = [[]];
    let run = "";
    const endRun = (): void => {
      if (run !== "") needs = both(needs, [[run]]);
      run = "";
    };
    while (!this.isAtEnd && !this.#sees("|") && !this.#sees(")")) {
      const element = this.#element();
      const { least, isOnce } = this.#repetition();
      if ("character" in element) {
        if (isOnce) {
          run += element.character;
          continue;
        }
        if (least > 0) run += element.character;
        endRun();
        // `ab+c`: what follows the repetition begins with the last repeated character.
        if (least > 0) run = element.character;
        continue;
      }
      endRun();
      if (least > 0) needs = both(needs, element.needs);
    }
    endRun();
    return needs;
  }

  #element(): Element {
    const character = this.#next();
    switch (character) {
      case "(":
        return { needs: this.#group() };
      case "[":
        this.#characterClass();
        return { needs: noNeeds };
      case ".":
      case "^":
      case "$":
        this.folded += character;
        return { needs: noNeeds };
      case "\\":
        return this.#escape();
      default:
        return this.#literal(character);
    }
  }

  /** A character that stands for itself. */
  #literal(character: string): Element {
    const other = otherCase(character);
    this.folded += other === undefined ? quote(character) : `[${character}${other}]`;
    return { character };
  }

  #group(): Needs {
    const [, name] = this.#match(/\?P?<(\w+)>/y) ?? [];
    if (name !== undefined) this.folded += `(?P<${name}>`;
    else {
      const flags = this.#match(/\?([imsU-]*)([:)])/y);
      if (flags === undefined && this.#sees("?")) throw new UnknownSyntax();
      // From here on, RE2 ignores the case of all letters.
      if (flags?.[1]?.includes("i") === true) throw new UnknownSyntax();
      this.folded += `(${flags?.[0] ?? ""}`;
      if (flags?.[2] === ")") return noNeeds;
    }
    const needs = this.alternatives();
    if (!this.#take(")")) throw new UnknownSyntax();
    this.folded += ")";
    return needs;
  }

  #escape(): Element {
    const character = this.#next();
    const octal = this.#octal(character);
    if (octal !== undefined) return this.#literal(octal);
    const special = specials[character];
    if (special !== undefined) {
      this.folded += `\\${character}`;
      return { character: special };
    }
    if (character === "x") return this.#literal(this.#codePoint());
    if (/[dDsSwWbBAz]/.test(character)) {
      this.folded += `\\${character}`;
      return { needs: noNeeds };
    }
    if (character === "p" || character === "P") {
      const name = this.#match(/\{\^?\w+\}|\w/y)?.[0];
      if (name === undefined) throw new UnknownSyntax();
      const all = `\\${character}${name}`;
      this.folded += `[${all}${oppositeClass[all] ?? ""}]`;
      return { needs: noNeeds };
    }
    if (/[^\W_]/.test(character)) throw new UnknownSyntax();
    return this.#literal(character);
  }

  /** Returns the character of an octal escape, which begins with this digit: \0, \12 or \012. */
  #octal(first: string): string | undefined {
    if (!/[0-7]/.test(first)) return undefined;
    const rest = this.#match(/[0-7]{1,2}/y)?.[0] ?? "";
    if (first !== "0" && rest === "") throw new UnknownSyntax();
    return String.fromCodePoint(Number.parseInt(first + rest, 8));
  }

  #codePoint(): string {
    const hex = this.#match(/\{0*([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2})/y);
    const value = Number.parseInt(hex?.[1] ?? hex?.[2] ?? "", 16);
    if (!(value <= 0x10ffff)) throw new UnknownSyntax();
    return String.fromCodePoint(value);
  }

  /** Copies a class, with the other case of the ASCII letters in it. */
  #characterClass(): void {
    let text = this.#take("^") ? "^" : "";
    let others = "";
    for (let isFirst = true; isFirst || !this.#sees("]"); isFirst = false) {
      if (this.isAtEnd) throw new UnknownSyntax();
      const named = this.#match(/\[:\^?\w+:\]|\\[dDsSwW]|\\[pP](?:\{\^?\w+\}|\w)/y)?.[0];
      if (named !== undefined) {
        text += named;
        others += oppositeClass[named] ?? "";
        continue;
      }
      const from = this.#classCharacter();
      const isRange = this.#source.startsWith("-", this.#at) && this.#source[this.#at + 1] !== "]";
      if (!isRange) {
        text += quote(from);
        others += quote(otherCase(from) ?? "");
        continue;
      }
      this.#at++;
      const to = this.#classCharacter();
      text += `${quote(from)}-${quote(to)}`;
      others += otherRanges(from, to);
    }
    this.#take("]");
    this.folded += `[${text}${others}]`;
  }

  #classCharacter(): string {
    const character = this.#next();
    if (character !== "\\") return character;
    const escaped = this.#next();
    if (escaped === "x") return this.#codePoint();
    const special = specials[escaped];
    if (special !== undefined) return special;
    const octal = this.#octal(escaped);
    if (octal !== undefined) return octal;
    if (/[^\W_]/.test(escaped)) throw new UnknownSyntax();
    return escaped;
  }

  /** Reads what repeats an element, and returns how often it occurs at least, and whether exactly once. */
  #repetition(): { least: number; isOnce: boolean } {
    const found = this.#match(/(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y);
    if (found === undefined) return { least: 1, isOnce: true };
    const [all, count] = found;
    this.folded += all;
    const least = count === undefined ? (all.startsWith("+") ? 1 : 0) : Number(count);
    return { least, isOnce: false };
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at = pattern.lastIndex;
    return found ?? undefined;
  }

  #sees(character: string): boolean {
    return this.#source[this.#at] === character;
  }

  #take(character: string): boolean {
    const isThere = this.#sees(character);
    if (isThere) this.#at++;
    return isThere;
  }

  /** Returns the next character, whole even if it takes two code units. */
  #next(): string {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) throw new UnknownSyntax();
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }
}

/** Returns what is needed where both are needed. */
function both(a: Needs, b: Needs): Needs {
  if (a.length * b.length > maxAlternatives) return strength(a) >= strength(b) ? a : b;
  return a.flatMap((first) => b.map((second) => [...first, ...second]));
}

/** Returns the length of the longest text of the weakest alternative. */
function strength(needs: Needs): number {
  let weakest = Number.POSITIVE_INFINITY;
  for (const texts of needs)
    weakest = Math.min(
      weakest,
      maxOf(texts, (text) => text.length),
    );
  return weakest;
}
