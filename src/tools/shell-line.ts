// Parses a shell command line: which programs it runs, in which pipelines, what they read and where their
// output goes. Not a shell: it knows enough of the syntax to distinguish what a command prints from what it
// passes on, assigns or writes to a file.
import { type RawStage, type Stage, stageOf, type Word } from "./shell-stage.js";

export type { Stage };

export interface Pipeline {
  stages: readonly Stage[];
  /** Whether the output goes to a file. */
  isRedirected: boolean;
}

export interface ShellLine {
  pipelines: readonly Pipeline[];
  /** Whether every quote, substitution and here-document ends within the line. */
  isComplete: boolean;
}

export function parseShellLine(line: string): ShellLine {
  const lexer = new Lexer(line);
  const pipelines = lexer.pipelines().map((stages) => ({
    stages: stages.map(stageOf),
    isRedirected: stages.at(-1)?.target !== undefined,
  }));
  return { pipelines, isComplete: lexer.isComplete };
}

const maxDocuments = 8;
/** Matches a line for a Windows shell, or one with a Windows path. */
const windows =
  /\b[A-Za-z]:\\|(?:^|[\s;|&("'])(?:type|get-content|gc|get-item|gi|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)\s|\$env:|\benv:\\/i;

/**
 * The role of the next word: a file that is read or written, the file of another descriptor, a here-string,
 * or the end of a here-document.
 */
type WordRole = "input" | "output" | "other" | "document" | "end";

/** Splits a line as a shell does. */
class Lexer {
  isComplete = true;
  readonly #line: string;
  #at = 0;
  #word: Word | undefined;
  #role: WordRole | undefined;
  #stage: RawStage = { words: [], isPiped: false };
  #pipeline: RawStage[] = [];
  readonly #pipelines: RawStage[][] = [];
  /** Here-documents that begin in the next line, and the words that end them. */
  #documents: { stage: RawStage; end: string }[] = [];
  /** Whether backslashes separate folders. */
  readonly #isWindows: boolean;

  constructor(line: string) {
    this.#line = line;
    this.#isWindows = windows.test(line);
  }

  pipelines(): RawStage[][] {
    while (this.#at < this.#line.length) this.#next();
    this.#endPipeline();
    return this.#pipelines;
  }

  #next(): void {
    const rest = this.#line.slice(this.#at, this.#at + 2);
    const character = rest[0] as string;
    if (character === "\\") this.#backslash(rest);
    else if (rest === "$'") this.#escapedQuote();
    else if (character === "'") this.#single();
    else if (character === '"') this.#double();
    else if (character === "$" || character === "`") this.#expansion(rest);
    else if (character === "<" && rest !== "<(") this.#input();
    else if (character === ">") this.#output();
    else if (rest === "&&" || rest === "||") this.#endPipeline(2);
    else if (rest === "&>") this.#endWord(1);
    else if (character === "|") this.#pipe(rest === "|&" ? 2 : 1);
    else if (character === "\n") this.#endLine();
    else if (character === ";" || character === "&" || character === "(" || character === ")")
      this.#endPipeline(1);
    else if (/\s/.test(character)) this.#endWord(1);
    else if (character === "#" && this.#word === undefined) this.#skipTo("\n");
    else this.#plain(character);
  }

  #take(text: string, length: number): Word {
    this.#word ??= { text: "", inner: [], isExpanded: false };
    this.#word.text += text;
    this.#at += length;
    return this.#word;
  }

  #plain(character: string): void {
    const word = this.#take(character, 1);
    if ("*?[{".includes(character)) word.isExpanded = true;
  }

  #backslash(rest: string): void {
    if (rest === "\\\n") this.#at += 2;
    else if (rest === "\\\r") this.#at += 3;
    else if (this.#isWindows && /[\w.*-]/.test(rest[1] ?? "")) this.#take("\\", 1);
    else this.#take(rest[1] ?? "", 2);
  }

  #single(): void {
    const end = this.#line.indexOf("'", this.#at + 1);
    const to = end === -1 ? this.#line.length : end;
    if (end === -1) this.isComplete = false;
    this.#take(this.#line.slice(this.#at + 1, to), to + 1 - this.#at);
  }

  /** `$'…'`, in which a backslash escapes a quote. */
  #escapedQuote(): void {
    this.#take("", 2);
    while (this.#at < this.#line.length && this.#line[this.#at] !== "'") {
      const isEscape = this.#line[this.#at] === "\\";
      this.#take(this.#line.slice(this.#at, this.#at + (isEscape ? 2 : 1)), isEscape ? 2 : 1);
    }
    this.#close();
  }

  #double(): void {
    this.#take("", 1);
    while (this.#at < this.#line.length && this.#line[this.#at] !== '"') {
      const rest = this.#line.slice(this.#at, this.#at + 2);
      if (rest[0] === "$" || rest[0] === "`") this.#expansion(rest);
      else if (rest[0] === "\\" && '"\\$`\n'.includes(rest[1] ?? " ")) this.#take(rest[1] ?? "", 2);
      else this.#take(rest[0] as string, 1);
    }
    this.#close();
  }

  /** Moves past the closing quote. */
  #close(): void {
    if (this.#at >= this.#line.length) this.isComplete = false;
    this.#at++;
  }

  #expansion(rest: string): void {
    if (rest === "$(") this.#substitution(")", 2);
    else if (rest[0] === "`") this.#substitution("`", 1);
    else this.#take("$", 1).isExpanded = true;
  }

  /** Reads up to the closing mark, and skips quotes and parentheses on the way. */
  #substitution(close: ")" | "`", length: number): void {
    const from = this.#at + length;
    let open = 0;
    let quote = "";
    let to = from;
    for (; to < this.#line.length; to++) {
      const character = this.#line[to] as string;
      if (character === "\\") to++;
      else if (quote !== "") quote = character === quote ? "" : quote;
      else if (character === close && open === 0) break;
      else if (character === "'" || character === '"') quote = character;
      else if (character === "(") open++;
      else if (character === ")") open--;
    }
    if (to >= this.#line.length) this.isComplete = false;
    const word = this.#take("$()", 0);
    word.inner.push(this.#line.slice(from, to));
    word.isExpanded = true;
    this.#at = to + 1;
  }

  /** `< file`, `<<END`, `<<< text`. */
  #input(): void {
    const sign = /^<(?:<<|<-?|[>&])?/.exec(this.#line.slice(this.#at, this.#at + 3))?.[0] ?? "<";
    this.#redirect(sign, sign === "<<<" ? "document" : sign.startsWith("<<") ? "end" : "input");
  }

  #output(): void {
    const sign = /^>{1,2}[|&]?/.exec(this.#line.slice(this.#at, this.#at + 3))?.[0] ?? ">";
    const isOther = /^\d+$/.test(this.#word?.text ?? "") && this.#word?.text !== "1";
    this.#redirect(sign, isOther ? "other" : "output");
  }

  #redirect(sign: string, role: WordRole): void {
    // The descriptor before the operator is not a word of its own.
    if (/^\d+$/.test(this.#word?.text ?? "")) this.#word = undefined;
    this.#endWord(sign.length);
    this.#role = role;
  }

  #pipe(length: number): void {
    this.#endStage(length);
    this.#stage.isPiped = true;
  }

  #endLine(): void {
    this.#endPipeline(1);
    const documents = this.#documents;
    this.#documents = [];
    if (documents.length > maxDocuments) this.isComplete = false;
    for (const { stage, end } of documents.slice(0, maxDocuments)) {
      const mark = end.replaceAll(/[^\w\s]/g, "\\$&");
      const close = new RegExp(`^[\\t ]*${mark}[\\t ]*\\r?$`, "m").exec(this.#line.slice(this.#at));
      const to = close === null ? this.#line.length : this.#at + close.index;
      if (close === null) this.isComplete = false;
      stage.document = this.#line.slice(this.#at, to);
      this.#at = to + (close === null ? 0 : close[0].length + 1);
    }
  }

  #skipTo(mark: string): void {
    const at = this.#line.indexOf(mark, this.#at);
    this.#at = at === -1 ? this.#line.length : at;
  }

  #endWord(length: number): void {
    const word = this.#word;
    this.#word = undefined;
    this.#at += length;
    if (word === undefined) return;
    const role = this.#role;
    this.#role = undefined;
    if (role === "document") this.#stage.document = word.text;
    else if (role === "end") this.#documents.push({ stage: this.#stage, end: word.text });
    else if (role === "output") this.#stage.target = isShown(word.text) ? undefined : word.text;
    if (role === undefined || role === "input" || word.inner.length > 0)
      this.#stage.words.push(role === "input" ? { ...word, isInput: true } : word);
  }

  #endStage(length: number): void {
    this.#endWord(length);
    this.#role = undefined;
    if (this.#stage.words.length > 0) this.#pipeline.push(this.#stage);
    this.#stage = { words: [], isPiped: false };
  }

  #endPipeline(length = 0): void {
    this.#endStage(length);
    if (this.#pipeline.length > 0) this.#pipelines.push(this.#pipeline);
    this.#pipeline = [];
  }
}

/** Returns whether output to this target still reaches the terminal. */
function isShown(target: string): boolean {
  return /^(?:[12]|\/dev\/(?:stdout|stderr|tty))$/.test(target);
}
