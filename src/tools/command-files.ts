// Finds the files that a shell command names as read, written or deleted, for simple commands only: `cat`,
// `sed -n`, `> file`. A command that it does not know may use any file.
import { posix } from "node:path";
import { words as wordSet } from "../base/lists.js";
import { parseShellLine } from "./shell-line.js";
import { isShell, scriptOf, type Stage, stageOf } from "./shell-stage.js";

/** Paths of files that a call used. */
export interface FilePaths {
  read: Set<string>;
  written: Set<string>;
  deleted: Set<string>;
}

/** Programs whose operands are files that they read. */
const readers = wordSet("cat tac nl head tail less more bat batcat wc");
/** Programs that neither read nor write a file by name. */
const silent = wordSet("cd pwd echo printf true false : test [ ls date sleep exit");
/** Options of the readers that are followed by a value. */
const valued = /^-[nc]$/;

/** Adds the files that a command names to `uses`. Returns whether these are certainly all. */
export function addCommandFiles(uses: FilePaths, command: string | readonly string[], folder = ""): boolean {
  if (typeof command === "string") return addLine(uses, command, folder);
  const stage = stageOf({
    words: command.map((text) => ({ text, inner: [], isExpanded: false })),
    isPiped: false,
  });
  const script = isShell(stage.program) ? scriptOf(stage) : undefined;
  return script === undefined ? addStage(uses, stage, folder) : addLine(uses, script, folder);
}

function addLine(uses: FilePaths, line: string, folder: string): boolean {
  const { pipelines, isComplete } = parseShellLine(line);
  if (!isComplete) return false;
  let isAll = true;
  let current: string | undefined = folder;
  for (const stage of pipelines.flatMap(({ stages }) => stages)) {
    if (current === undefined || !addStage(uses, stage, current)) isAll = false;
    if (stage.program !== "cd" || current === undefined) continue;
    const [to] = stage.words;
    current =
      to === undefined || stage.hasExpansion || to === "-" ? undefined : posix.normalize(rooted(current, to));
  }
  return isAll;
}

function addStage(uses: FilePaths, stage: Stage, folder: string): boolean {
  const at = (path: string): string => rooted(folder, path);
  const { program, words, target, input } = stage;
  if (stage.isProgramExpanded || stage.inner.length > 0) return false;
  let isAll = true;
  if (isFile(target)) uses.written.add(at(target));
  if (stage.hasExpansion) return silent.has(program);
  if (input !== undefined && input !== "/dev/null") uses.read.add(at(input));
  const named = words.filter((word) => word !== input);
  if (readers.has(program)) for (const path of operands(named)) uses.read.add(at(path));
  else if (program === "sed") {
    const isInPlace = named.some((word) => /^(?:-i|--in-place)/.test(word));
    const hasScript = named.some((word) => /^(?:-\w*[ef]|--expression|--file)/.test(word));
    const files = named.filter((word) => !word.startsWith("-")).slice(hasScript ? 0 : 1);
    // The script of -e is an operand here; what is no path for certain is not reported.
    if (hasScript) isAll = false;
    else for (const path of files) (isInPlace ? uses.written : uses.read).add(at(path));
  } else if (program === "rm" && !named.some((word) => /^-\w*[rR]|^--recursive/.test(word)))
    for (const path of operands(named)) uses.deleted.add(at(path));
  else if (program === "tee" || program === "touch")
    for (const path of operands(named)) uses.written.add(at(path));
  else isAll = silent.has(program);
  return isAll;
}

function isFile(target: string | undefined): target is string {
  return target !== undefined && target !== "" && !/^(?:&|\d+$|\/dev\/)/.test(target);
}

function operands(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (valued.test(word)) index++;
    else if (!word.startsWith("-")) found.push(word);
  }
  return found;
}

function rooted(folder: string, path: string): string {
  return folder === "" || posix.isAbsolute(path) || path.startsWith("~") ? path : posix.join(folder, path);
}
