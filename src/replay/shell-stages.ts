// Splits a shell command line into its stages: the simple commands between pipes, `&&`, `;`, line feeds and the words of
// loops and conditions. It reads no more of the shell's grammar than is needed to name the program of each stage.

export interface Word {
  /** Without quotes and backslashes. */
  text: string;
  /** Whether the shell replaces a part of it: a variable, a substitution. */
  isExpanded: boolean;
}

/** A simple command, without its redirections. */
export interface Stage {
  words: Word[];
}

/** Reserved words that stand before a command. */
const openers = new Set(["if", "then", "else", "elif", "while", "until", "do", "{", "!"]);
/** Reserved words that begin a stage which runs no program. */
const bare = new Set(["fi", "done", "}", "for", "esac"]);

export function stagesOf(line: string): Stage[] {
  return new Reader(line).read();
}

class Reader {
  readonly #line: string;
  #at = 0;
  readonly #stages: Stage[] = [];
  #words: Word[] = [];
  /** The word that is being read; undefined between words. */
  #word: Word | undefined;
  /** The next word is the target of a redirection, or the end of a here-document. */
  #target: "file" | "document" | undefined;
  readonly #documents: string[] = [];

  constructor(line: string) {
    this.#line = line;
  }

  read(): Stage[] {
    while (this.#at < this.#line.length) this.#step();
    this.#endStage();
    return this.#stages;
  }

  #step(): void {
    const character = this.#line[this.#at] as string;
    if (character === "\\") this.#escaped();
    else if (character === "'") this.#add(this.#until("'"));
    else if (character === '"') this.#quoted();
    else if (character === "$") this.#expansion();
    else if (character === "`") {
      this.#until("`");
      this.#expand();
    } else if (character === "#" && this.#word === undefined) this.#comment();
    else if (character === "<" || character === ">") this.#redirection();
    else if (character === "&" && this.#line[this.#at + 1] === ">") this.#at++;
    else if ("|&;()\n".includes(character)) this.#separator(character);
    else if (/\s/.test(character)) {
      this.#endWord();
      this.#at++;
    } else {
      this.#add(character);
      this.#at++;
    }
  }

  #add(text: string): void {
    this.#word ??= { text: "", isExpanded: false };
    this.#word.text += text;
  }

  #expand(): void {
    this.#add("");
    if (this.#word !== undefined) this.#word.isExpanded = true;
  }

  #escaped(): void {
    const next = this.#line[this.#at + 1];
    if (next !== undefined && next !== "\n") this.#add(next);
    this.#at += 2;
  }

  /** What stands between the character here and the next one of its kind; the place is then after it. */
  #until(end: string): string {
    const close = this.#line.indexOf(end, this.#at + 1);
    const stop = close === -1 ? this.#line.length : close;
    const text = this.#line.slice(this.#at + 1, stop);
    this.#at = stop + 1;
    return text;
  }

  #quoted(): void {
    this.#add("");
    this.#at++;
    while (this.#at < this.#line.length && this.#line[this.#at] !== '"') {
      const character = this.#line[this.#at] as string;
      if (character === "\\") this.#escaped();
      else if (character === "$") this.#expansion();
      else if (character === "`") {
        this.#until("`");
        this.#expand();
      } else {
        this.#add(character);
        this.#at++;
      }
    }
    this.#at++;
  }

  /** `$name`, `${…}`, `$(…)`: its text does not matter, only that it is one. A substitution's own commands print nothing. */
  #expansion(): void {
    const next = this.#line[this.#at + 1];
    if (next === "'" || next === '"') {
      // `$'…'` is a kind of quoting.
      this.#at++;
      return;
    }
    this.#expand();
    if (next !== "(" && next !== "{") {
      this.#at++;
      return;
    }
    const close = next === "(" ? ")" : "}";
    let depth = 0;
    for (this.#at++; this.#at < this.#line.length; this.#at++) {
      const character = this.#line[this.#at];
      if (character === "\\") this.#at++;
      else if (character === "'") {
        this.#until("'");
        this.#at--;
      } else if (character === next) depth++;
      else if (character === close && --depth === 0) break;
    }
    this.#at++;
  }

  #comment(): void {
    const end = this.#line.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#line.length : end;
  }

  #redirection(): void {
    // The descriptor before it is no word of its own.
    if (this.#word !== undefined && /^\d+$/.test(this.#word.text)) this.#word = undefined;
    this.#endWord();
    const [sign = ""] =
      /^(?:<<<|<<-?|<>|<&|>>|>&|>\||[<>])/.exec(this.#line.slice(this.#at, this.#at + 3)) ?? [];
    this.#at += Math.max(sign.length, 1);
    this.#target = sign === "<<" || sign === "<<-" ? "document" : "file";
    // `<(…)` and `>(…)`: the stages inside are read like any other.
    if (this.#line[this.#at] === "(") this.#target = undefined;
  }

  #separator(character: string): void {
    this.#endStage();
    this.#at++;
    if (character === "\n") for (const end of this.#documents.splice(0)) this.#skipDocument(end);
  }

  #skipDocument(end: string): void {
    while (this.#at < this.#line.length) {
      const stop = this.#line.indexOf("\n", this.#at);
      const text = this.#line.slice(this.#at, stop === -1 ? this.#line.length : stop);
      this.#at = stop === -1 ? this.#line.length : stop + 1;
      if (text.replace(/^\t+/, "") === end) return;
    }
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (word === undefined) return;
    if (this.#target === "document") this.#documents.push(word.text);
    else if (this.#target === undefined) this.#words.push(word);
    this.#target = undefined;
  }

  #endStage(): void {
    this.#endWord();
    this.#target = undefined;
    const first = this.#words.findIndex(({ text }) => !openers.has(text));
    const words = first === -1 ? [] : this.#words.slice(first);
    this.#words = [];
    if (words[0] !== undefined && !bare.has(words[0].text)) this.#stages.push({ words });
  }
}
