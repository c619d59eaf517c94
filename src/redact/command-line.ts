// Takes a line for a shell apart: which programs it runs, in which pipelines, and what reaches the output. Not a shell: it reads enough
// of the syntax to tell what a command prints from what it passes on, assigns or writes to a file.

export interface Stage {
  /** The program without its folder, in lower case; empty where only variables are set. */
  program: string;
  /** Its arguments without their quotes. */
  words: readonly string[];
  /** Lines within `$(…)` and backquotes. */
  inner: readonly string[];
  /** Variables that are set before the program, with the lines whose output they hold. */
  sets: readonly { name: string; inner: readonly string[] }[];
}

export interface Pipeline {
  stages: readonly Stage[];
  /** Its output goes to a file. */
  isRedirected: boolean;
}

/** A longer line is a script with data in it; what counts stands in its beginning. */
export const longest = 1 << 14;
const deepest = 4;

export function pipelinesOf(line: string, depth = 0): Pipeline[] {
  if (depth > deepest) return [];
  return new Lexer(line.slice(0, longest)).pipelines().flatMap((words) => {
    const stages = words.map(({ words: some }) => stageOf(some));
    const isRedirected = words.at(-1)?.isRedirected === true;
    const [only] = stages;
    const script = stages.length === 1 && only !== undefined ? scriptOf(only) : undefined;
    return script === undefined ? [{ stages, isRedirected }] : pipelinesOf(script, depth + 1);
  });
}

interface Word {
  text: string;
  inner: string[];
}

interface RawStage {
  words: Word[];
  isRedirected: boolean;
}

/** Splits a line at what a shell splits it at. */
class Lexer {
  readonly #line: string;
  #at = 0;
  #word: Word | undefined;
  #stage: RawStage = { words: [], isRedirected: false };
  #pipeline: RawStage[] = [];
  readonly #pipelines: RawStage[][] = [];
  /** The word that ends a here-document that begins in the next line. */
  #end: string | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  pipelines(): RawStage[][] {
    while (this.#at < this.#line.length) this.#next();
    this.#endPipeline();
    return this.#pipelines;
  }

  #next(): void {
    const rest = this.#line.slice(this.#at, this.#at + 2);
    const character = rest[0] as string;
    if (character === "\\") this.#take(rest === "\\\n" ? "" : (rest[1] ?? ""), 2);
    else if (character === "'") this.#single();
    else if (character === '"') this.#double();
    else if (rest === "$(") this.#substitution(")", 2);
    else if (character === "`") this.#substitution("`", 1);
    else if (rest === "<<") this.#document();
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
    this.#end = name ?? this.#end;
    this.#endWord(all?.length ?? 3);
  }

  #redirect(): void {
    const descriptor = this.#word?.text ?? "";
    const [all = ">", target = ""] =
      /^>{1,2}[|&]?\s*([^\s;|&<>()]*)/.exec(this.#line.slice(this.#at, this.#at + 600)) ?? [];
    const isOutput = !/^\d$/.test(descriptor) || descriptor === "1";
    if (/^\d$/.test(descriptor)) this.#word = undefined;
    const isShown = /^(?:[&12]?[12]|["']?\/dev\/(?:stdout|stderr|tty)["']?)$/.test(target);
    if (isOutput && !isShown) this.#stage.isRedirected = true;
    this.#endWord(all.length);
  }

  #separate(sign: string): void {
    if (sign === "|&") this.#endStage(2);
    else this.#endWord(1);
  }

  #endLine(): void {
    const end = this.#end;
    this.#endPipeline(1);
    this.#end = undefined;
    if (end === undefined) return;
    const close = new RegExp(`^[\\t ]*${end}[\\t ]*$`, "m").exec(this.#line.slice(this.#at));
    this.#at = close === null ? this.#line.length : this.#at + close.index + close[0].length;
  }

  #skipTo(mark: string): void {
    const at = this.#line.indexOf(mark, this.#at);
    this.#at = at === -1 ? this.#line.length : at;
  }

  #endWord(length: number): void {
    if (this.#word !== undefined) this.#stage.words.push(this.#word);
    this.#word = undefined;
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

const assignment = /^(?:export\s+)?([A-Za-z_]\w*)=/;

function stageOf(all: readonly Word[]): Stage {
  const sets: { name: string; inner: string[] }[] = [];
  let at = 0;
  for (let previous = -1; previous !== at; ) {
    previous = at;
    for (let name; (name = assignment.exec(all[at]?.text ?? "")?.[1]) !== undefined; at++)
      sets.push({ name, inner: all[at]?.inner ?? [] });
    at += wrapperAt(all.slice(at).map(({ text }) => text));
  }
  const rest = all.slice(at);
  const [program = "", ...words] = rest.map(({ text }) => text);
  return {
    program: (/[^/\\]*$/.exec(program)?.[0] ?? "").replace(/\.exe$/i, "").toLowerCase(),
    words,
    inner: rest.flatMap(({ inner }) => inner),
    sets,
  };
}

/** Words that only say how the next one is run. */
const plainWrappers = new Set(
  "time command builtin nohup exec nice ionice stdbuf chronic then do else elif if while until ! { export declare local readonly sudo doas env npx bunx uvx timeout".split(
    " ",
  ),
);
/** Programs that run another one by a word of their own. */
const runners: Readonly<Record<string, RegExp>> = {
  uv: /^run$/,
  poetry: /^run$/,
  bundle: /^exec$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  mise: /^(?:exec|x)$/,
  pipx: /^run$/,
};
/** Options that have a value of their own. */
const valued = {
  wrapper: /^(?:-[ugpChnks]|--user|--group|--signal|--kill-after|--chdir)$/,
  container: /^(?:-[euw]|--env|--user|--workdir|--index)$/,
  ssh: /^-[iopljFJLRDWbcmeES]$/i,
};

/** How many words at the beginning are such. */
function wrapperAt(words: readonly string[]): number {
  const [first = "", second = ""] = words;
  const name = /[^/]*$/.exec(first)?.[0] ?? "";
  if (plainWrappers.has(name)) {
    const options = optionsAt(words, 1, valued.wrapper);
    return name === "timeout" && words.length > options + 1 ? options + 1 : options;
  }
  if (runners[name]?.test(second) === true) return optionsAt(words, 2, valued.wrapper);
  const isContainer = /^(?:docker|podman|nerdctl|docker-compose)$/.test(name);
  const exec = isContainer ? words.findIndex((word, at) => at > 0 && at < 4 && word === "exec") : -1;
  if (exec !== -1) return Math.min(optionsAt(words, exec + 1, valued.container) + 1, words.length);
  const isRunner = words.slice(1, 8).some((word) => word === "exec" || word === "run");
  const end = isRunner ? words.indexOf("--") : -1;
  return end === -1 ? 0 : end + 1;
}

function optionsAt(words: readonly string[], from: number, takesValue: RegExp): number {
  let at = from;
  while (words[at]?.startsWith("-") === true) at += takesValue.test(words[at] as string) ? 2 : 1;
  return Math.min(at, words.length);
}

/** The line that a stage hands to a shell, here or elsewhere. */
function scriptOf({ program, words }: Stage): string | undefined {
  if (/^(?:ba|z|da|a|k|fi)?sh$|^su$|^pwsh$|^powershell$/.test(program)) {
    const at = words.findIndex((word) => /^-\w*c(?:ommand)?$/i.test(word));
    return at === -1 ? undefined : words[at + 1];
  }
  if (program === "eval") return words.join(" ");
  if (program !== "ssh") return undefined;
  const host = optionsAt(words, 0, valued.ssh);
  return words.length > host + 1 ? words.slice(host + 1).join(" ") : undefined;
}
