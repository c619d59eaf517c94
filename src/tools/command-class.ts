// Classifies a recorded command before anything runs: `pure` if it works on the files of the workspace alone,
// `world` if it certainly reads the user's home, another folder, the network, processes or the clock, `tool`
// for everything else. What the scanner cannot read is `tool`, never `pure`.
// Over 300 lines: every check of a stage changes the same verdict.
import { posix } from "node:path";
import { words as wordSet } from "../base/lists.js";
import {
  builtins,
  plainBuiltins,
  pureReaders,
  pureWriters,
  spoken,
  worldReason,
  wrapperReason,
} from "./program-kinds.js";
import { findKind, gitKind, namesFiles, pathsOf, textWords } from "./text-words.js";
import { parseShellLine, type Stage } from "./shell-line.js";
import { isShell, nameOf, scriptOf, stageOf } from "./shell-stage.js";

export interface CommandClass {
  class: "pure" | "tool" | "world";
  /** What of the world a command needs: `home`, `network`. */
  why?: string;
  /** The programs that it needs, without builtins of the shell and files of the workspace. */
  programs: string[];
  /** Whether it may change files of the workspace. */
  mayWrite: boolean;
  /** Whether its result may depend on files. */
  needsFiles: boolean;
}

export interface CommandPlace {
  /** The absolute folder of the run. */
  workdir: string;
  /** The absolute folder in which the command starts. */
  folder: string;
  /** Files below /tmp that earlier commands made; those of this command are added. */
  made: Set<string>;
}

/** Longer lines are not classified, and neither are more substitutions within each other. */
const maxLine = 1 << 17;
const deepest = 5;
const maxFolders = 16;
/** More commands of one find are not read. */
const maxCommands = 8;

export function classifyCommand(command: string | readonly string[], place: CommandPlace): CommandClass {
  const scan = new CommandScan(place);
  if (typeof command === "string") scan.line(command, 0);
  else scan.stage(plainStage(command), undefined, 0);
  return scan.result();
}

/** Text that may reach the world in a way that the words do not show. */
const suspicious =
  /(?<![\w)}^~\]@])~(?=[\w/+\-'"]|$)|\$\{?HOME|\$'|\/dev\/(?:tcp|udp)|\/proc\b|\$\{[^}\w]|\$\{\w+[^}\w]|\beval\b|\bXDG_/;
const oddWords = /\bcase\b|\w\+?=\(|=~|\(\(|\[\[/;
/** Variables that the shell sets itself, and that name nothing outside. */
const knownVariables = wordSet("PWD ? # PIPESTATUS BASH_REMATCH");
const homeVariables = /^(?:HOME|XDG_\w+|OLDPWD|CDPATH|HISTFILE)$/;
const clockVariables = wordSet("RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME");

class CommandScan {
  readonly #place: CommandPlace;
  readonly #programs = new Set<string>();
  #isPure = true;
  #why: string | undefined;
  #mayWrite = false;
  #needsFiles = false;
  /** Whether words that are no programs may stand where one is expected: patterns, arrays, arithmetic. */
  #hasOddWords = false;
  readonly #functions = new Set<string>();
  /** The folders in which the next command may run: a `cd` may have failed, or ended with its subshell. */
  #folders: Set<string>;
  /** Variables that the line sets, with their values; undefined where a value is not known. */
  readonly #variables = new Map<string, string[] | undefined>();

  constructor(place: CommandPlace) {
    this.#place = place;
    this.#folders = new Set([place.folder]);
  }

  result(): CommandClass {
    return {
      class: this.#why !== undefined ? "world" : this.#isPure ? "pure" : "tool",
      ...(this.#why === undefined ? {} : { why: this.#why }),
      programs: this.#hasOddWords ? [] : [...this.#programs].filter((name) => !this.#functions.has(name)),
      mayWrite: this.#mayWrite || !this.#isPure,
      needsFiles: this.#needsFiles || !this.#isPure,
    };
  }

  line(line: string, depth: number): void {
    if (line.length > maxLine || depth > deepest || line.includes("\0")) return this.#unclear();
    if (suspicious.test(line)) this.#unclear();
    if (oddWords.test(line)) this.#hasOddWords = true;
    for (const [, name = ""] of line.matchAll(/(?<![\w-])([\w-]{1,100})\s{0,9}\(\s{0,9}\)/g))
      this.#functions.add(name);
    const { pipelines, isComplete } = parseShellLine(line);
    if (!isComplete) return this.#unclear();
    for (const { stages } of pipelines)
      for (const [at, stage] of stages.entries()) this.stage(stage, stages[at - 1], depth);
  }

  stage(stage: Stage, before: Stage | undefined, depth: number): void {
    const { program, sets, wrappers, inner, isProgramExpanded } = stage;
    for (const set of sets) this.#setVariable(set.name, set);
    for (const line of [...inner, ...sets.flatMap((set) => set.inner)]) this.line(line, depth + 1);
    this.#checkWrappers(wrappers, before);
    if (isProgramExpanded || (inner.length > 0 && !spoken.has(program) && !isTest(program))) this.#unclear();
    if (program === "for" || program === "select") this.#setLoop(stage);
    if (program === "read" || program === "mapfile" || program === "readarray")
      for (const word of stage.words) this.#variables.set(word, undefined);
    const script = scriptOf(stage);
    if (script !== undefined) {
      this.line(script, depth + 1);
      if (program === "eval" && stage.hasExpansion) this.#unclear();
      if (!isShell(program) && program !== "eval") this.#unclear();
    } else this.#checkProgram(stage);
    this.#checkFiles(stage);
    if (program === "cd") this.#enter(stage);
  }

  #unclear(): void {
    this.#isPure = false;
  }

  #world(why: string): void {
    this.#why ??= why;
  }

  #setVariable(name: string, { text, inner }: { text: string; inner: readonly string[] }): void {
    this.#checkPaths([text], true);
    const isKnown = inner.length === 0 && !text.includes("$");
    const values = this.#variables.has(name) ? this.#variables.get(name) : [];
    this.#variables.set(name, isKnown && values !== undefined ? [...values, text] : undefined);
    // Variables such as PATH, IFS and GIT_DIR change what the next programs do.
    if (/^(?:PATH|IFS|HOME|LD_\w+|GIT_\w+|BASH_ENV|ENV|CDPATH)$/.test(name)) this.#unclear();
  }

  #setLoop({ words, inner }: Stage): void {
    const [name = "", mark, ...values] = words;
    this.#variables.set(
      name,
      mark === "in" && inner.length === 0 && !values.some((value) => value.includes("$"))
        ? values
        : undefined,
    );
  }

  #checkWrappers(wrappers: readonly string[], before: Stage | undefined): void {
    for (const [at, word] of wrappers.entries()) {
      const why = wrapperReason(word);
      if (why !== undefined) this.#world(why);
      if (runnerWrappers.has(word) && !(at > 0 && wrappers[at - 1]?.startsWith("-") === true)) {
        this.#programs.add(word);
        if (!/^(?:timeout|xargs|nohup|nice|stdbuf)$/.test(word)) this.#unclear();
      }
      // Words from a pipe may be any paths, unless they are names that a search of the workspace found.
      if (word === "xargs" && (before === undefined || !namesFiles(before))) this.#unclear();
      if (/^(?:sudo|doas|env|watch|strace|parallel|script)$/.test(word)) this.#unclear();
    }
    this.#checkPaths(wrappers, false);
  }

  #checkProgram(stage: Stage): void {
    const { program, written, words } = stage;
    if (program === "") return;
    if (!spoken.has(program) || stage.hasExpansion) this.#needsFiles = true;
    const why = worldReason(program, words);
    if (why !== undefined) return this.#world(why);
    if (written.includes("/") && !/^(?:\/usr)?\/s?bin\/[^/]+$/.test(written)) {
      this.#checkPaths([written], true);
      return this.#unclear();
    }
    if (!stage.isProgramExpanded && !builtins.has(program) && !isShell(program))
      this.#programs.add(nameOf(written));
    if (program === "cd" || plainBuiltins.has(program)) return;
    if (pureWriters.has(program)) {
      this.#mayWrite = true;
      if (program === "install" || program === "patch" || (program === "ln" && words.some(leadsUp)))
        this.#unclear();
      return;
    }
    if (!pureReaders.has(program)) return this.#unclear();
    if (program === "git") return this.#checkGit(words);
    if (program === "find") return this.#checkFind(words);
    if (textWords(program, words) === undefined) this.#unclear();
    if (program === "sed" && words.some((word) => /^(?:-\w*i|--in-place)/.test(word))) this.#mayWrite = true;
    if (program === "ls" && words.some((word) => /^-\w*[tucU]/.test(word))) this.#unclear();
  }

  #checkGit(words: readonly string[]): void {
    this.#mayWrite = true;
    const kind = gitKind(words);
    if (kind === "clock") this.#world("clock");
    else if (kind === "tool") this.#unclear();
  }

  #checkFind(words: readonly string[]): void {
    const { kind, mayWrite, commands } = findKind(words);
    if (kind === "clock") return this.#world("clock");
    if (kind === "tool") this.#unclear();
    this.#mayWrite ||= mayWrite;
    for (const command of commands.slice(0, maxCommands)) {
      const stage = plainStage(command);
      // A find within a find would be read again for each level.
      if (stage.program === "find" || isShell(stage.program)) this.#unclear();
      else this.stage(stage, undefined, deepest);
    }
    if (commands.length > maxCommands) this.#unclear();
  }

  /** Checks the files that a stage names: its words, where its input comes from and its output goes. */
  #checkFiles(stage: Stage): void {
    const { program, words, expanded, target, input, document } = stage;
    const text = pureReaders.has(program)
      ? (textWords(program, words) ?? new Set<string>())
      : new Set<string>();
    const isText = (word: string): boolean => spoken.has(program) || text.has(word);
    const isMaker = !pureReaders.has(program) && !isTest(program) && program !== "cd";
    this.#checkPaths(
      words.filter((word) => !isText(word) || expanded.includes(word)),
      isMaker,
    );
    if (target !== undefined && !/^\d$/.test(target)) {
      this.#mayWrite ||= !target.startsWith("/dev/");
      this.#checkPaths([target], true);
    }
    if (input !== undefined || target !== undefined) this.#needsFiles = true;
    if (input !== undefined) this.#checkPaths([input], false);
    for (const word of expanded) this.#checkVariables(word, spoken.has(program) || isTest(program));
    if (document !== undefined && /[$`]/.test(document)) this.#unclear();
    for (const set of stage.sets) if (set.text.includes("$")) this.#checkVariables(set.text, true);
  }

  #checkVariables(word: string, isShown: boolean): void {
    const names = [...word.matchAll(/\$(?:\{(\w+)\}|(\w+)|([?#]))/g)].map(
      ([, braced, plain, sign]) => braced ?? plain ?? sign ?? "",
    );
    const count = word.split("$").length - 1 - (word.match(/\$\(\)/g)?.length ?? 0);
    if (names.length < count) this.#unclear();
    for (const name of names) {
      if (homeVariables.test(name)) this.#world("home");
      else if (clockVariables.has(name)) this.#world("clock");
      else if (this.#variables.has(name)) {
        const values = this.#variables.get(name);
        if (
          !isShown &&
          (values === undefined ||
            values.some((value) => /^\/|^~|^-|\.\.|^\.$/.test(value)) ||
            word.startsWith("/") ||
            leadsUp(word))
        )
          this.#unclear();
      } else if (!knownVariables.has(name)) this.#unclear();
    }
  }

  /** `isMaker`: the words may name files that the command makes. */
  #checkPaths(words: readonly string[], isMaker: boolean): void {
    for (const word of words) {
      for (const path of pathsOf(word)) this.#checkPath(path, isMaker);
      // A path that begins within a word, in a way that only the program knows.
      if (/[{,=:(;|&<>@](?:\/(?!\/)|~|\.\.(?:\/|$))/.test(word)) this.#unclear();
    }
  }

  #checkPath(path: string, isMaker: boolean): void {
    if (path.startsWith("~")) return this.#world("home");
    if (/^\/dev\/(?:tcp|udp)\//.test(path)) return this.#world("network");
    if (/^\/dev\/(?:null|stdin|stdout|stderr|fd\/[012])$/.test(path)) return;
    if (/^\/dev\/u?random$/.test(path)) return this.#world("clock");
    const places = [...this.#folders].map((folder) => this.#isInside(posix.resolve(folder, path)));
    if (places.every((isInside) => isInside)) return;
    if (places.some((isInside) => isInside)) return this.#unclear();
    const absolute = posix.resolve([...this.#folders][0] ?? "/", path);
    if (/^\/(?:var\/)?tmp(?:\/|$)/.test(absolute)) return this.#checkTemporary(absolute, isMaker);
    if (/^\/(?:Users|home)\/[^/]+(?:\/|$)|^\/root(?:\/|$)/.test(absolute)) return this.#world("home");
    this.#world(/^\/(?:proc|sys)(?:\/|$)/.test(absolute) ? "machine" : "outside");
  }

  /** A file below /tmp is there if a command of the run made it. */
  #checkTemporary(path: string, isMaker: boolean): void {
    const { made } = this.#place;
    if (isMaker) return void made.add(path);
    for (let at: string = path; at !== "/"; at = posix.dirname(at)) if (made.has(at) && at !== "/tmp") return;
    this.#world("outside");
  }

  #isInside(path: string): boolean {
    const { workdir } = this.#place;
    return path === workdir || workdir === "/" || path.startsWith(`${workdir}/`);
  }

  #enter({ words, expanded }: Stage): void {
    const [to] = words.filter((word) => word !== "--" && word !== "-P" && word !== "-L");
    if (to === undefined) return this.#world("home");
    if (to === "-" || expanded.includes(to)) return this.#unclear();
    const folders = [...this.#folders].map((folder) => posix.resolve(folder, to));
    for (const folder of folders) this.#folders.add(folder);
    if (this.#folders.size > maxFolders) {
      this.#folders = new Set([this.#place.folder]);
      this.#unclear();
    }
  }
}

const runnerWrappers = wordSet(
  "npx bunx uvx uv poetry bundle pnpm yarn mise pipx direnv sudo timeout xargs nohup nice stdbuf parallel",
);

function isTest(program: string): boolean {
  return program === "test" || program === "[" || program === "[[";
}

function leadsUp(word: string): boolean {
  return word.split("/").includes("..");
}

function plainStage(command: readonly string[]): Stage {
  return stageOf({ words: command.map((text) => ({ text, inner: [], isExpanded: false })), isPiped: false });
}
