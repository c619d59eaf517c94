// Recognises command lines that print nothing but the content of files. What they print does not vary by itself: a date or
// a number that differs is another content, so no normaliser may hide it.
import { type Stage, stagesOf } from "./shell-stages.js";

/** Programs that print only what their files, or the stage before them, hold. */
const printers = new Set(
  "cat tac head tail sed grep egrep fgrep rg nl wc sort uniq cut tr rev fold fmt pr expand unexpand column paste join comm awk gawk mawk jq yq perl tee dd strings less more bat xxd od hexdump base64 diff cmp zcat split".split(
    " ",
  ),
);

/** Commands that print nothing, or what the line itself says; `echo` and `printf` only without expansions. */
const silent = new Set(
  "cd pushd popd true false : test [ [[ set shopt export unset read exit return local declare wait sleep mkdir touch".split(
    " ",
  ),
);
const spoken = new Set(["echo", "printf"]);

/** Words that stand before a command without changing what it prints. */
const wrappers = new Set(
  "command builtin exec env sudo busybox nohup timeout nice ionice stdbuf xargs eval setsid unbuffer".split(
    " ",
  ),
);

const deepest = 5;

/**
 * Whether a command prints only the content of files. A program that is not in the lists above may print anything, so one
 * such stage makes the answer no. Where a listed program's arguments are in doubt, the answer is yes: without normalisers the
 * comparison is only stricter.
 */
export function printsFiles(argv: readonly string[]): boolean {
  return isPrinting([{ words: argv.map((text) => ({ text, isExpanded: false })) }], 0);
}

function isPrinting(stages: readonly Stage[], depth: number): boolean {
  let isAny = false;
  for (const stage of stages) {
    const kind = kindOf(stage, depth);
    if (kind === "other") return false;
    isAny ||= kind === "printer";
  }
  return isAny;
}

type Kind = "printer" | "silent" | "other";

function kindOf({ words }: Stage, depth: number): Kind {
  const at = words.findIndex(({ text }) => !isAssignment(text));
  // Assignments alone print nothing.
  if (at === -1) return "silent";
  const [first, ...rest] = words.slice(at);
  if (first === undefined || first.isExpanded) return "other";
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  if (wrappers.has(name)) return wrapped(name, rest, depth);
  if (silent.has(name)) return "silent";
  if (spoken.has(name)) return rest.some(({ isExpanded }) => isExpanded) ? "other" : "silent";
  if (printers.has(name)) return "printer";
  if (!/^(?:ba|da|z|k)?sh$/.test(name) || depth >= deepest) return "other";
  const script = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const line = script === -1 ? undefined : rest[script + 1];
  if (line === undefined || line.isExpanded) return "other";
  return isPrinting(stagesOf(line.text), depth + 1) ? "printer" : "other";
}

/** So many words of a wrapper are looked at for its program. */
const mostWords = 20;

/**
 * What a wrapper runs: the first of its words that is a known program, after options and their values. Wrappers in wrappers past a
 * few count as printers, which is only stricter.
 */
function wrapped(name: string, words: Stage["words"], depth: number): Kind {
  if (words.length === 0) return "other";
  if (depth >= deepest) return "printer";
  if (name === "eval") {
    const line = words.map(({ text }) => text).join(" ");
    return isPrinting(stagesOf(line), depth + 1) ? "printer" : "other";
  }
  const first = words.findIndex(
    ({ text }) => !/^(?:-.*|\d+(?:\.\d+)?[a-z]?)$/.test(text) && !isAssignment(text),
  );
  const kind = first === -1 ? "other" : kindOf({ words: words.slice(first) }, depth + 1);
  if (name !== "xargs") return kind;
  // What xargs appends comes from a file or from the stage before it. Values of its options may stand before its program.
  const isKnown = words
    .slice(0, mostWords)
    .some(({ text }) => printers.has(text) || spoken.has(text) || wrappers.has(text));
  return kind === "other" && !isKnown ? "other" : "printer";
}

function isAssignment(text: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(text);
}
