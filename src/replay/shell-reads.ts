// Which part of which file a shell line prints, for the few forms by which agents read files: `cat f`,
// `sed -n '1,80p' f`, `head -n 20 f`, `nl -ba f | sed -n '1,80p'`. Any other line prints something else.
import { posix } from "node:path";
import { parseShellLine, type Stage } from "../tools/shell-line.js";

/** Consecutive lines of a file. */
export interface FilePart {
  path: string;
  /** The first line, from 1. */
  from: number;
  /** How many lines; undefined: up to the end. */
  lines?: number;
  /** The lines are the last ones, and `from` means nothing. */
  isEnd?: true;
}

/** Returns the only part of a file that a line prints; paths are relative to `folder`. */
export function printedPart(line: string, folder: string): FilePart | undefined {
  const { pipelines, isComplete } = parseShellLine(line.trim());
  if (!isComplete) return undefined;
  const isEntered = pipelines.length === 2 && isCd(pipelines[0]?.stages);
  if (pipelines.length !== (isEntered ? 2 : 1)) return undefined;
  const pipeline = pipelines.at(-1);
  if (pipeline === undefined || pipeline.isRedirected || !pipeline.stages.every(isPlain)) return undefined;
  const [first, ...filters] = pipeline.stages as [Stage, ...Stage[]];
  const whole = partOf(first);
  const part = filters.reduce<FilePart | undefined>(narrowed, whole);
  if (part === undefined) return undefined;
  const into = isEntered ? posix.resolve("/", folder, pipelines[0]?.stages[0]?.words[0] ?? "") : folder;
  return { ...part, path: part.path.startsWith("/") ? part.path : posix.join(into, part.path) };
}

function isCd(stages: readonly Stage[] | undefined): boolean {
  const [stage] = stages ?? [];
  return (
    stages?.length === 1 &&
    stage?.program === "cd" &&
    isPlain(stage) &&
    stage.words.length === 1 &&
    !/^[-~]/.test(stage.words[0] ?? "")
  );
}

function isPlain({
  wrappers,
  sets,
  inner,
  hasExpansion,
  isProgramExpanded,
  input,
  document,
}: Stage): boolean {
  return (
    wrappers.length === 0 &&
    sets.length === 0 &&
    inner.length === 0 &&
    !hasExpansion &&
    !isProgramExpanded &&
    input === undefined &&
    document === undefined
  );
}

/** Returns what the first stage of a pipeline prints. */
function partOf({ program, words }: Stage): FilePart | undefined {
  const path = words.at(-1);
  if (path === undefined || path.startsWith("-") || path.startsWith("~")) return undefined;
  const options = words.slice(0, -1);
  if (program === "cat") return options.every((word) => word === "-n") ? { path, from: 1 } : undefined;
  if (program === "nl") return options.join(" ") === "-ba" ? { path, from: 1 } : undefined;
  const range = rangeOf(program, options);
  return range === undefined ? undefined : { path, ...range };
}

/** Returns the lines that a filter leaves of a part. */
function narrowed(part: FilePart | undefined, { program, words }: Stage): FilePart | undefined {
  const range = rangeOf(program, words);
  if (part === undefined || range === undefined || part.isEnd === true) return undefined;
  // Only of what begins at the beginning, or else counts would have to be added up.
  if (part.from !== 1 || part.lines !== undefined) return undefined;
  return { path: part.path, ...range };
}

function rangeOf(program: string, words: readonly string[]): Omit<FilePart, "path"> | undefined {
  const line = words.join(" ");
  if (program === "sed") {
    const [, from, to] = /^-n (\d{1,7})(?:,(\d{1,7}|\$))?p$/.exec(line) ?? [];
    if (from === undefined) return undefined;
    const start = Number(from);
    if (to === "$") return { from: start };
    const lines = to === undefined ? 1 : Number(to) - start + 1;
    return start < 1 || lines < 1 ? undefined : { from: start, lines };
  }
  const [, count] = /^(?:-n ?|--lines=|-)(\d{1,7})$/.exec(line) ?? [];
  const lines = line === "" ? 10 : Number(count);
  if (!Number.isSafeInteger(lines) || lines < 1) return undefined;
  if (program === "head") return { from: 1, lines };
  return program === "tail" ? { from: 1, lines, isEnd: true } : undefined;
}
