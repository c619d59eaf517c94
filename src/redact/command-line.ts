// Takes a line for a shell apart: which programs it runs, in which pipelines, and what reaches the output. Not a shell: it reads enough
// of the syntax to tell what a command prints from what it passes on, assigns or writes to a file.
import { scriptOf, stageOf } from "./command-stage.js";

export interface Stage {
  /** The program without its folder, in lower case; empty where only variables are set. */
  program: string;
  /** Its arguments without their quotes. */
  words: readonly string[];
  /** Lines within `$(…)` and backquotes. */
  inner: readonly string[];
  /** Variables that are set before the program, with the lines whose output they hold. */
  sets: readonly { name: string; inner: readonly string[]; text: string }[];
  /** The file that it reads instead of what is typed. */
  input: string | undefined;
  /** The file that its output goes to. */
  target: string | undefined;
  /** The text of a here-document. */
  document: string | undefined;
}

export interface Pipeline {
  stages: readonly Stage[];
  /** Its output goes to a file. */
  isRedirected: boolean;
}

/** A longer line is taken apart piece by piece. */
export const longest = 1 << 14;
const deepest = 4;
const mostDocuments = 8;
/** A line for a shell of Windows, or one with a path of it. */
const windows =
  /\b[A-Za-z]:\\|(?:^|[\s;|&("'])(?:type|get-content|gc|get-item|gi|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)\s|\$env:|\benv:\\/i;

export function pipelinesOf(line: string, depth = 0): Pipeline[] {
  if (depth > deepest) return [];
  return new Lexer(line.slice(0, longest)).pipelines().flatMap((words) => {
    const stages = words.map((stage) => stageOf(stage));
    const isRedirected = words.at(-1)?.isRedirected === true;
    const [only] = stages;
    const script = stages.length === 1 && only !== undefined ? scriptOf(only) : undefined;
    return script === undefined ? [{ stages, isRedirected }] : pipelinesOf(script, depth + 1);
  });
}

export interface Word {
  text: string;
  inner: string[];
  /** What the program reads: `< file`. */
  isInput?: boolean;
}

export interface RawStage {
  words: Word[];
  isRedirected: boolean;
  /** The file that the output goes to. */
  target?: string;
  /** The text of a here-document or here-string. */
  document?: string;
}

/** Splits a line at what a shell splits it at. */
class Lexer {
  readonly #line: string;
  #at = 0;
  #word: Word | undefined;
  #stage: RawStage = { words: [], isRedirected: false };
  #pipeline: RawStage[] = [];
  readonly #pipelines: RawStage[][] = [];
  /** Here-documents that begin in the next line, and the words that end them. */
  #documents: { stage: RawStage; end: string }[] = [];
  /** What the next word is to the program. */
  #role: "input" | "document" | undefined;
  /** Backslashes separate folders. */
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
    else if (character === "'") this.#single();
    else if (character === '"') this.#double();
    else if (rest === "$(") this.#substitution(")", 2);
    else if (character === "`") this.#substitution("`", 1);
    else if (rest === "<<") this.#document();
    else if (character === "<" && rest !== "<(") this.#input();
    else if (character === ">") this.#redirect();
    else if (rest === "&&" || rest === "||") this.#endPipeline(2);
    else if (rest === "&>" || rest === "|&") this.#separate(rest);
    else if (character === "|") this.#endStage(1);
    else if (character === "\n") this.#endLine();
    else if (character === ";" || character === "&" || character === "(" || character === ")")
      this.#endPipeline(1);
    else if (/\s/.test(character)) this.#endWord(1);
    else if (character === "#" && this.#word === undefined) this.#skipTo("\n");
    else this.#take(character, 1);
  }

  #take(text: string, length: number): void {
    this.#word ??= { text: "", inner: [] };
    this.#word.text += text;
    this.#at += length;
  }

  #backslash(rest: string): void {
    if (rest === "\\\n") this.#at += 2;
    else if (rest === "\\\r") this.#at += 3;
    else if (this.#isWindows && /[\w.*-]/.test(rest[1] ?? "")) this.#take("\\", 1);
    else this.#take(rest[1] ?? "", 2);
  }

  #input(): void {
    this.#endWord(1);
    this.#role = "input";
  }

  #single(): void {
    const end = this.#line.indexOf("'", this.#at + 1);
    const to = end === -1 ? this.#line.length : end;
    this.#take(this.#line.slice(this.#at + 1, to), to + 1 - this.#at);
  }

  #double(): void {
    this.#take("", 1);
    while (this.#at < this.#line.length && this.#line[this.#at] !== '"') {
      const rest = this.#line.slice(this.#at, this.#at + 2);
      if (rest === "$(") this.#substitution(")", 2);
      else if (rest[0] === "`") this.#substitution("`", 1);
      else if (rest[0] === "\\" && '"\\$`\n'.includes(rest[1] ?? " ")) this.#take(rest[1] ?? "", 2);
      else this.#take(rest[0] as string, 1);
    }
    this.#at++;
  }

  /** Up to the mark that closes it; quotes and parentheses within are passed over. */
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
    this.#word ??= { text: "", inner: [] };
    this.#word.inner.push(this.#line.slice(from, to));
    this.#word.text += "$()";
    this.#at = to + 1;
  }

  /** `<<END`; of `<<<text` the text is a word like any other. */
  #document(): void {
    const [all, name] =
      /^<<-?\s*(?!<)["'\\]?([A-Za-z_]\w*)["']?/.exec(this.#line.slice(this.#at, this.#at + 80)) ?? [];
    this.#endWord(all?.length ?? 3);
    if (name === undefined) this.#role = "document";
    else this.#documents.push({ stage: this.#stage, end: name });
  }

  #redirect(): void {
    const descriptor = this.#word?.text ?? "";
    const [all = ">", target = ""] =
      /^>{1,2}[|&]?\s*([^\s;|&<>()]*)/.exec(this.#line.slice(this.#at, this.#at + 600)) ?? [];
    const isOutput = !/^\d$/.test(descriptor) || descriptor === "1";
    if (/^\d$/.test(descriptor)) this.#word = undefined;
    const isShown = /^(?:[&12]?[12]|["']?\/dev\/(?:stdout|stderr|tty)["']?)$/.test(target);
    if (isOutput && !isShown) {
      this.#stage.isRedirected = true;
      this.#stage.target = target.replaceAll(/["']/g, "");
    }
    this.#endWord(all.length);
  }

  #separate(sign: string): void {
    if (sign === "|&") this.#endStage(2);
    else this.#endWord(1);
  }

  #endLine(): void {
    const documents = this.#documents;
    this.#endPipeline(1);
    this.#documents = [];
    for (const { stage, end } of documents.slice(0, mostDocuments)) {
      const close = new RegExp(`^[\\t ]*${end}[\\t ]*\\r?$`, "m").exec(this.#line.slice(this.#at));
      const to = close === null ? this.#line.length : this.#at + close.index;
      stage.document = this.#line.slice(this.#at, to);
      this.#at = to + (close?.[0].length ?? 0);
    }
  }

  #skipTo(mark: string): void {
    const at = this.#line.indexOf(mark, this.#at);
    this.#at = at === -1 ? this.#line.length : at;
  }

  #endWord(length: number): void {
    const word = this.#word;
    this.#word = undefined;
    if (word !== undefined) {
      if (this.#role === "document") this.#stage.document = word.text;
      if (this.#role !== "document" || word.inner.length > 0)
        this.#stage.words.push(this.#role === "input" ? { ...word, isInput: true } : word);
      this.#role = undefined;
    }
    this.#at += length;
  }

  #endStage(length: number): void {
    this.#endWord(length);
    if (this.#stage.words.length > 0) this.#pipeline.push(this.#stage);
    this.#stage = { words: [], isRedirected: false };
  }

  #endPipeline(length = 0): void {
    this.#endStage(length);
    if (this.#pipeline.length > 0) this.#pipelines.push(this.#pipeline);
    this.#pipeline = [];
  }
}
