// One stage of a shell command line: the program that it runs, without the words before it that only say how,
// and the line that it passes to a shell.
import { words } from "../base/lists.js";

/** A simple command, without the words that only say how it is run. */
export interface Stage {
  /** The program without its folder, in lower case; empty if the stage only sets variables. */
  program: string;
  /** The program as it was written, with its folder. */
  written: string;
  /** Whether the shell replaces a part of the program's name: a variable, a substitution, a pattern. */
  isProgramExpanded: boolean;
  /** The arguments without their quotes. */
  words: readonly string[];
  /** Whether the shell replaces a part of the arguments. */
  hasExpansion: boolean;
  /** The arguments of which the shell replaces a part. */
  expanded: readonly string[];
  /**
   * Words before the program that say how it is run, with their options: `sudo -u root`, `xargs -n 1`,
   * `then`.
   */
  wrappers: readonly string[];
  /** Lines within `$(…)` and backquotes. */
  inner: readonly string[];
  /** Variables that are set before the program, with the lines whose output they hold. */
  sets: readonly { name: string; inner: readonly string[]; text: string }[];
  /** Whether standard input is a pipe. */
  isPiped: boolean;
  /** The file that standard input is redirected from. */
  input: string | undefined;
  /** The file or descriptor that the output goes to. */
  target: string | undefined;
  /** The text of a here-document or here-string. */
  document: string | undefined;
}

export interface Word {
  text: string;
  inner: string[];
  /** Whether the shell replaces a part of the word. */
  isExpanded: boolean;
  /** Whether the word is the file that the program reads: `< file`. */
  isInput?: boolean;
}

export interface RawStage {
  words: Word[];
  isPiped: boolean;
  target?: string | undefined;
  document?: string;
}

const assignment = /^(?:export\s+)?([A-Za-z_]\w*)\+?=/;

/** How many words are searched for the end of a wrapper, so that a line of wrappers takes linear time. */
const maxWords = 256;

export function stageOf({ words: everything, isPiped, target, document }: RawStage): Stage {
  const sets: { name: string; inner: string[]; text: string }[] = [];
  const wrappers: string[] = [];
  const read = everything.filter(({ isInput }) => isInput === true);
  const all = [
    // `$(< file)` prints the file.
    ...(everything.length > 0 && read.length === everything.length
      ? [{ text: "cat", inner: [], isExpanded: false }]
      : []),
    ...everything.filter(({ isInput }) => isInput !== true),
    ...read,
  ];
  let at = 0;
  for (let previous = -1; previous !== at; ) {
    previous = at;
    for (let name; (name = assignment.exec(all[at]?.text ?? "")?.[1]) !== undefined; at++)
      sets.push({ name, inner: all[at]?.inner ?? [], text: all[at]?.text.replace(assignment, "") ?? "" });
    const count = wrapperAt(all.slice(at, at + maxWords).map(({ text }) => text));
    for (const end = at + count; at < end; at++) wrappers.push(all[at]?.text ?? "");
  }
  const rest = all.slice(at);
  const [program = "", ...words] = rest.map(({ text }) => text);
  return {
    program: nameOf(program).toLowerCase(),
    written: program,
    isProgramExpanded: rest[0]?.isExpanded === true && !/^[[{]{1,2}$/.test(program),
    words,
    hasExpansion: rest.slice(1).some(({ isExpanded }) => isExpanded),
    expanded: rest.slice(1).flatMap(({ isExpanded, text }) => (isExpanded ? [text] : [])),
    wrappers,
    inner: rest.flatMap(({ inner }) => inner),
    sets,
    isPiped,
    input: read[0]?.text,
    target,
    document,
  };
}

/** Returns a program's name without its folder. */
export function nameOf(program: string): string {
  return (/[^/\\]*$/.exec(program)?.[0] ?? "").replace(/\.exe$/i, "");
}

/** Words that only say how the next one is run. */
const plainWrappers = words(
  "time command builtin nohup exec nice ionice stdbuf chronic then do else elif if while until ! { export declare typeset local readonly sudo doas env npx bunx uvx timeout xargs watch setsid unbuffer busybox toybox unshare nsenter chroot runuser gosu su-exec pkexec strace wsl parallel",
);
/** Wrappers with one operand before the program. */
const withOperand = new Set(["timeout", "chroot", "gosu", "su-exec"]);
/** Programs that run another one with a subcommand. */
const runners: Readonly<Record<string, RegExp>> = {
  uv: /^run$/,
  poetry: /^run$/,
  bundle: /^exec$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  mise: /^(?:exec|x)$/,
  pipx: /^run$/,
  crictl: /^exec$/,
  direnv: /^exec$/,
  lxc: /^exec$/,
};
/** Options that take a value. */
const valued = {
  wrapper: /^(?:-[ugpChnks]|--user|--group|--signal|--kill-after|--chdir)$/,
  xargs: /^-[nPILdaEs]$/,
  nsenter: /^(?:-[tSG]|--target|--setuid|--setgid)$/,
  wsl: /^(?:-[du]|--distribution|--user|--cd)$/,
  parallel: /^(?:-[jSna]|--jobs)$/,
  container: /^(?:-[euw]|--env|--user|--workdir|--index)$/,
  ssh: /^-[iopljFJLRDWbcmeES]$/i,
};

/** Returns how many words at the beginning belong to a wrapper. */
function wrapperAt(words: readonly string[]): number {
  const [first = "", second = ""] = words;
  const name = /[^/]*$/.exec(first)?.[0] ?? "";
  // `declare -p NAME` prints the variable; `su -c line`, `script -c line` are lines of their own.
  if (/^(?:declare|typeset|export|readonly)$/.test(name) && /^-\w*p/.test(second)) return 0;
  if (name === "runuser" && words.some((word) => /^(?:-c|--command)$/.test(word))) return 0;
  if (
    name === "parallel" &&
    words.includes(":::") &&
    words.indexOf(":::") <= optionsAt(words, 1, valued.parallel)
  )
    return 0;
  if (plainWrappers.has(name)) {
    const takesValue = (valued as Readonly<Record<string, RegExp>>)[name] ?? valued.wrapper;
    const options = optionsAt(words, 1, takesValue);
    if (name === "xargs" && options >= words.length) return 0;
    return withOperand.has(name) && words.length > options + 1 ? options + 1 : options;
  }
  if (runners[name]?.test(second) === true) {
    const options = optionsAt(words, 2, valued.wrapper);
    const hasOperand = /^(?:crictl|direnv|lxc)$/.test(name) && words.length > options + 1;
    return hasOperand ? optionsAt(words, options + 1, valued.wrapper) : options;
  }
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

/** Returns the line that a stage passes to a shell, here or on another machine. */
export function scriptOf({ program, words, document }: Stage): string | undefined {
  if (isShell(program)) {
    const at = words.findIndex((word) => /^-\w*c(?:ommand)?$/i.test(word));
    if (at !== -1) return words[at + 1];
    return words.every((word) => word.startsWith("-")) ? document : undefined;
  }
  if (/^(?:script|runuser|vagrant|nix-shell|nix|gcloud|flyctl|fly)$/.test(program)) {
    const at = words.findIndex((word) => /^(?:-\w{0,3}c|-C|--command|--run)$/.test(word));
    const attached = words.find((word) => /^--(?:command|run)=/.test(word))?.replace(/^[^=]*=/, "");
    return at === -1 ? attached : words[at + 1];
  }
  if (program === "eval") return words.join(" ");
  if (program === "cmd") return /^\/[ck]$/i.test(words[0] ?? "") ? words.slice(1).join(" ") : undefined;
  if (program === "parallel") {
    const at = words.indexOf(":::");
    return at === -1 ? undefined : words.slice(at + 1).join("\n");
  }
  if (program !== "ssh") return undefined;
  const host = optionsAt(words, 0, valued.ssh);
  const line = words.slice(host + 1).join(" ");
  const isRemoteShell = line === "" || /^(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|a|k)?sh(?:\s+-\w+)*$/.test(line);
  return isRemoteShell ? document : line;
}

export function isShell(program: string): boolean {
  return /^(?:ba|z|da|a|k|fi)?sh$|^su$|^pwsh$|^powershell$/.test(program);
}
