// What the words of well-known programs mean for the scanner of commands: which are text and not files, which
// may be paths, and which options read other files, start programs or depend on the clock. Where that is not
// certain, the command is unreadable.
import { gitWords, localGit } from "./program-kinds.js";
import type { Stage } from "./shell-line.js";

/** Options that are followed by a value that is no file. */
const valued: Readonly<Record<string, RegExp>> = {
  head: /^-[nc]$/,
  tail: /^-[nc]$/,
  sort: /^-[ktS]$/,
  uniq: /^-[fsw]$/,
  cut: /^-[dfcb]$/,
  fold: /^-w$/,
  nl: /^-[bsvwil]$/,
  paste: /^-d$/,
  join: /^-[12tjaeo]$/,
  column: /^-[sco]$/,
  od: /^-[AtjNw]$/,
  xxd: /^-[lsc]$/,
  tree: /^-[LIP]$/,
  diff: /^-[UCI]$/,
  grep: /^-[ABCm]$|^--(?:include|exclude|exclude-dir|color|max-count|after-context|before-context|context)$/,
  rg: /^-[ABCmgtTjrM]$|^--(?:glob|iglob|type|type-not|max-count|max-depth|replace|sort|sortr|color|max-columns|threads|after-context|before-context|context)$/,
  jq: /^--indent$/,
  awk: /^-[Fv]$/,
  sed: /^-l$/,
};

/** Programs whose first operand is text, with the options that take its place, and what it may be. */
const scripts: Readonly<Record<string, { option: RegExp; isSafe: (script: string) => boolean }>> = {
  grep: { option: /^(?:-\w*e|--regexp)$/, isSafe: () => true },
  rg: { option: /^(?:-\w*e|--regexp)$/, isSafe: () => true },
  sed: { option: /^(?:-\w*e|--expression)$/, isSafe: isPlainSed },
  awk: {
    option: /^$/,
    isSafe: (script) =>
      !/getline|system|close|fflush|printf?\s[^}]*[|>]|[|@]|ENVIRON|srand|rand|systime|strftime|ARGV|"\s*\/(?!\/)/.test(
        script,
      ),
  },
  jq: {
    option: /^$/,
    isSafe: (script) =>
      !/\b(?:import|include|env|input_filename|now|localtime|input_line_number|modulemeta)\b|\$ENV|\$__/.test(
        script,
      ),
  },
  tr: { option: /^$/, isSafe: () => true },
  seq: { option: /^$/, isSafe: () => true },
};
const same: Readonly<Record<string, string>> = { egrep: "grep", fgrep: "grep", gawk: "awk", mawk: "awk" };

/** Options that read a file of scripts or patterns, or start a program. */
const unreadable =
  /^(?:-\w*f$|--file(?:$|=)|--from-file|--pre(?:$|=)|--hostname-bin|--search-zip|-z$|--ignore-file|--compress-program|--files0-from|--rawfile|--slurpfile|--argfile|-L$|--random-source)/;

/** Longer scripts are not read. */
const maxScript = 10_000;

/**
 * Returns the words of a filter that are text; undefined if it may read files, or run programs, that its
 * words do not name.
 */
export function textWords(program: string, words: readonly string[]): Set<string> | undefined {
  const name = same[program] ?? program;
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  const takesValue = Object.hasOwn(valued, name) ? valued[name] : undefined;
  const text = new Set<string>();
  const operands: string[] = [];
  let hasScript = false;
  let isEnded = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (isEnded || !word.startsWith("-") || word === "-") operands.push(word);
    else if (word === "--") isEnded = true;
    else if (script?.option.test(word) === true) {
      const value = words[++at] ?? "";
      if (value.length > maxScript || !script.isSafe(value)) return undefined;
      text.add(value);
      hasScript = true;
    } else if (takesValue?.test(word) === true) text.add(words[++at] ?? "");
    else if (script !== undefined && unreadable.test(word)) return undefined;
  }
  if (script === undefined || hasScript) return text;
  // `rg --files dir` has no pattern.
  if (name === "rg" && words.includes("--files")) return text;
  const all = name === "tr" || name === "seq" ? operands : operands.slice(0, 1);
  for (const operand of all) {
    if (operand.length > maxScript || !script.isSafe(operand)) return undefined;
    text.add(operand);
  }
  return text;
}

/** Returns whether a script of sed only prints, deletes, inserts text and replaces. */
function isPlainSed(script: string): boolean {
  const address = String.raw`(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/)`;
  const replacement = String.raw`s([/|#,@!])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi\d]*`;
  const one = new RegExp(
    String.raw`^\s*(?:${address}(?:,[+~]?${address})?)?\s*!?\s*(?:[pdqQ=nNDPgGhHx]|${replacement}|\{|\})?\s*$`,
  );
  return pieces(script).every((piece) => one.test(piece));
}

/** Splits at semicolons and line ends that are not within a pattern. */
function pieces(script: string): string[] {
  return script.includes(";") && /[s/|#]/.test(script) && !/^(?:\s*\d*,?\d*[pdq=]\s*;?)+$/.test(script)
    ? splitOutside(script)
    : script.split(/[;\n]/);
}

function splitOutside(script: string): string[] {
  const found: string[] = [];
  let from = 0;
  let mark = "";
  let left = 0;
  for (let at = 0; at < script.length; at++) {
    const character = script[at] as string;
    if (character === "\\") at++;
    else if (left > 0) {
      if (character === mark) left--;
    } else if (character === ";" || character === "\n") {
      found.push(script.slice(from, at));
      from = at + 1;
    } else if (character === "s" && /[/|#,@!]/.test(script[at + 1] ?? "")) {
      mark = script[at + 1] as string;
      left = 2;
      at++;
    } else if (character === "/") {
      mark = "/";
      left = 1;
    }
  }
  return [...found, script.slice(from)];
}

type Kind = "pure" | "tool" | "clock";

/** Returns what a call of git depends on besides the repository. */
export function gitKind(words: readonly string[]): Kind {
  const [command = "", ...rest] = gitWords(words);
  if (command === "remote") return rest.every((word) => /^(?:-v|get-url|\w+)$/.test(word)) ? "pure" : "tool";
  if (!localGit.has(command) || /^(?:-c|--exec-path)/.test(words[0] ?? "")) return "tool";
  const isDated = rest.some((word) => /^--(?:since|until|after|before)(?:=|$)/.test(word));
  if (isDated && /\b(?:ago|now|yesterday|today|noon|midnight|last)\b/.test(rest.join(" "))) return "clock";
  const isUnclear = rest.some((word) =>
    /^-O|^--(?:no-index|global|system|exec|ext-diff|upload-pack|open-files-in-pager|ignore-revs-file|template)/.test(
      word,
    ),
  );
  return isUnclear ? "tool" : "pure";
}

/** Returns what a call of find depends on besides the files, and the commands that it runs. */
export function findKind(words: readonly string[]): { kind: Kind; mayWrite: boolean; commands: string[][] } {
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
  const commands = words.flatMap((word, at) => {
    if (!/^-exec(?:dir)?$/.test(word)) return [];
    const end = words.findIndex((each, index) => index > at && (each === ";" || each === "+"));
    return [words.slice(at + 1, end === -1 ? undefined : end)];
  });
  const isUnclear = has(/^-(?:printf|ls|uid|gid|user|group|inum|files0-from|fstype|ok|okdir)$/);
  return {
    kind: has(/^-(?:[amc](?:min|time)|newer\w*|used)$/) ? "clock" : isUnclear ? "tool" : "pure",
    mayWrite: has(/^-(?:delete|fprint\w*|fls)$/),
    commands,
  };
}

/** Returns whether a stage prints names of files that are in the workspace. */
export function namesFiles({ program, words }: Stage): boolean {
  if (program === "find" || program === "ls") return true;
  if (program === "git") return /^(?:ls-files|grep)$/.test(gitWords(words)[0] ?? "");
  return (
    /^(?:rg|grep|egrep|fgrep)$/.test(program) &&
    words.some((word) => /^(?:-\w*l\w*|--files(?:-with-matches)?)$/.test(word))
  );
}

/** Returns the parts of a word that may be paths: itself, and the value of an option or a setting. */
export function pathsOf(word: string): string[] {
  if (/^[a-z][\w+.-]*:\/\//i.test(word)) return [];
  if (word.startsWith("-")) {
    const value = /^--?[\w-]+=(.*)$/s.exec(word)?.[1];
    if (value !== undefined) return [value];
    const attached = /^-[A-Za-z]+((?:\/|~|\.\.(?:\/|$)).*)$/s.exec(word)?.[1];
    return attached === undefined ? [] : [attached];
  }
  const setting = /^\w+=(.*)$/s.exec(word)?.[1];
  return setting === undefined ? [word] : [setting];
}
