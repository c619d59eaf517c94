// Recognises command lines that may print the content of files. Such content does not vary by itself: a date
// or a number that differs is a real difference, so no normaliser may hide it. When in doubt, the result is
// yes: without normalisers the comparison is only stricter.
import { words } from "../base/lists.js";
import { parseShellLine, type Stage } from "../tools/shell-line.js";
import { isShell, nameOf, scriptOf, stageOf } from "../tools/shell-stage.js";
import { isPipeFilter } from "./pipe-filters.js";

/** Programs that print the content of their files, or of the stage before them. */
const printers = words(
  "cat tac head tail sed grep egrep fgrep rg ag ack nl wc sort uniq shuf cut tr rev fold fmt pr expand unexpand column paste join comm awk gawk mawk jq yq perl tee dd strings less more bat batcat xxd od hexdump base32 base64 diff cmp sdiff zcat bzcat xzcat zstdcat zgrep split iconv envsubst pygmentize xmllint type get-content gc select-string xargs",
);
const printingGit = /^(?:show|diff|cat-file|grep|blame|annotate|archive|-p|--patch)$/;

/** Commands that print nothing, or only names. */
const silent = words(
  "cd pushd popd true false : test [ [[ set shopt export unset exit return local declare wait sleep mkdir rmdir touch rm ls pwd for case",
);
const spoken = new Set(["echo", "printf"]);
/** Commands after which a variable, or another command, may hold or print anything. */
const unclear = words("read mapfile readarray select coproc alias trap function enable vared");
/** Commands that may set variables to anything. */
const setting = new Set(["source", ".", "eval"]);

const interpreters = /^(?:python[\d.]*|node|nodejs|deno|bun|ruby|php|lua|rscript|tsx|ts-node)$/;
/** Options that are followed by code, and words by which code reads a file or runs a program. */
const codeOption = /^(?:-\w*[cepr]|--eval|--print|eval)$/;
const readingCode = /open|read|file|load|exec|system|spawn|run|import\(|require|cat\b|`/i;

const deepest = 5;

/**
 * Returns whether a command may print the content of files: whether a stage of it reads a file to print it or
 * to pass it on, or the shell decides at run time what is printed.
 */
export function mayPrintFiles(argv: readonly string[]): boolean {
  const words = argv.map((text) => ({ text, inner: [], isExpanded: false }));
  return mayStagePrint(stageOf({ words, isPiped: false }), { hasSet: false, depth: 0 });
}

function mayLinePrint(line: string, depth: number): boolean {
  if (depth > deepest) return true;
  const { pipelines, isComplete } = parseShellLine(line);
  if (!isComplete) return true;
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  const hasSet = stages.some(({ program }) => setting.has(program));
  return stages.some((stage) => mayStagePrint(stage, { hasSet, depth }));
}

interface LineContext {
  /** Whether a command of the line may have set any variable. */
  hasSet: boolean;
  depth: number;
}

function mayStagePrint(stage: Stage, context: LineContext): boolean {
  const { program, words, input, target } = stage;
  if (stage.isProgramExpanded || unclear.has(program)) return true;
  // `xargs -a file` reads it, too.
  if (input !== undefined && input !== "/dev/null") return true;
  if (stage.wrappers.some((word) => /^(?:-a|--arg-?file)/.test(word))) return true;
  if (linesOf(stage).some((line) => mayLinePrint(line, context.depth + 1))) return true;
  if (words.some((word) => /^(?:\/dev\/(?!null$)|\/proc\/|file:)/.test(word))) return true;
  // Output that is redirected to a file is not printed.
  if (target !== undefined && /^(?!\d+$|\/dev\/(?!null$)|\/proc\/)[^$`]+$/.test(target)) return false;
  if (hasPrintingDocument(stage, context)) return true;
  if (spoken.has(program)) return context.hasSet && stage.hasExpansion && hasVariable(words);
  if (silent.has(program)) return false;
  // A shell that reads its script from a pipe.
  if (isShell(program))
    return stage.isPiped && (words.some((word) => /^-\w*s$/.test(word)) || words.every(isOption));
  if (interpreters.test(program)) return hasReadingCode(words);
  if (program === "git") return words.some((word) => printingGit.test(word));
  if (program === "cat" && stage.document !== undefined && words.length === 0) return false;
  if (isPipeFilter(stage)) return false;
  return printers.has(program) || mayRunPrinter(stage);
}

/** Returns the lines that the stage runs: substitutions, and those it passes to a shell. */
function linesOf(stage: Stage): string[] {
  const { program, words } = stage;
  const script = scriptOf(stage);
  const scripts = words.filter(
    (_, at) => at > 1 && /^-\w*c$/.test(words[at - 1] ?? "") && isShell(nameOf(words[at - 2] ?? "")),
  );
  return [
    ...stage.inner,
    ...stage.sets.flatMap(({ inner }) => inner),
    ...(script === undefined ? [] : [script]),
    ...(program === "" ? [] : scripts),
  ];
}

/**
 * Returns whether words contain a variable, other than the exit statuses, process ids and counts that the
 * shell itself sets.
 */
function hasVariable(words: readonly string[]): boolean {
  return words.some((word) => word.replaceAll(/\$(?:[?#$!]|\{PIPESTATUS\b[^}$]*\})/g, "").includes("$"));
}

/**
 * Returns whether a here-document may print files. It is part of the line, unless something in it is
 * replaced, or it is code.
 */
function hasPrintingDocument({ program, document }: Stage, { hasSet }: LineContext): boolean {
  if (document === undefined) return false;
  if (/\$\(|`/.test(document) || (hasSet && document.includes("$"))) return true;
  return interpreters.test(program) && readingCode.test(document);
}

/**
 * Returns whether code on the command line may read a file. After a module or a script's path come only its
 * own arguments.
 */
function hasReadingCode(words: readonly string[]): boolean {
  const end = words.findIndex((word) => word === "-m" || /^[^-].*[./]/.test(word));
  const at = words.findIndex((word) => codeOption.test(word));
  return at !== -1 && (end === -1 || at < end) && readingCode.test(words[at + 1] ?? "");
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}

/** Names of printers that are often words of another kind: `gh pr list`. */
const ambiguous = words("pr join split more type comm column paste fold expand select-string gc");

/** Returns whether a program that runs others may run a printer: `find . -exec cat {} +`, `watch 'cat f'`. */
function mayRunPrinter({ program, words }: Stage): boolean {
  return [program, ...words].some((word, at) => {
    if (/\s/.test(word)) return hasPrinter(word);
    const name = word.replace(/^(?:\/usr)?\/bin\//, "");
    return printers.has(name) && (!ambiguous.has(name) || /^-+(?:exec|ok|x)/.test(words[at - 2] ?? ""));
  });
}

/** Returns whether a word is a command line that runs a printer. */
function hasPrinter(line: string): boolean {
  const { pipelines } = parseShellLine(line);
  return pipelines.some(({ stages }) => stages.some(({ program }) => printers.has(program)));
}
