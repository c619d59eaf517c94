// What a run saw of the files of its repository before it changed them: whole inputs, and parts that were
// read. Each is a witness for the commits whose tree holds it. All of it comes from hashed contents of the
// pack.
import { posix } from "node:path";
import type { Reference } from "../base/digest.js";
import type { Manifest, Step } from "../model/manifest.js";
import { workdirOf } from "../model/manifest.js";
import { failureOf } from "../model/failed-calls.js";
import { outsideName } from "../model/names.js";
import { filesUsed } from "../tools/files-used.js";
import { toolUse, unansweredAs } from "../tools/table.js";
import { gitEffects } from "./git-commands.js";
import { agentOf } from "./plan.js";
import { type FilePart, printedPart } from "./shell-reads.js";

/** A file of the run, or a part of one; `path` is relative to the folder of the run. */
export type Witness = { kind: "file"; path: string; bytes: Buffer } | PartWitness;

export interface PartWitness {
  kind: "part";
  path: string;
  part: Omit<FilePart, "path">;
  text: string;
}

const maxWitnesses = 500;
/** A longer input is not compared: git stores it, but reading thousands of them takes too long. */
const maxInput = 1 << 24;
/** Larger ones in all are not compared: a pack can have one content under many names. */
const maxBytes = 1 << 27;
/** Shorter texts, such as a lone brace, are in many files. */
const shortestPart = 16;

/** Collects the witnesses of a run. `read` returns a content of the pack, or undefined if it is missing. */
export function witnessesOf(
  manifest: Manifest,
  read: (reference: Reference) => Buffer | undefined,
): { witnesses: Witness[]; isCut: boolean } {
  const touched = new Map<string, number>();
  const changed = new Map<string, number>();
  const root = rootOf(manifest);
  const end = firstCheckout(manifest);
  for (const step of manifest.steps) {
    const used = filesUsed(step, manifest);
    const changes = [...used.written, ...used.deleted].map((path) => inside(path, root));
    for (const path of [...[...used.read].map((name) => inside(name, root)), ...changes])
      if (path !== undefined && !touched.has(path)) touched.set(path, step.index);
    for (const path of changes) if (path !== undefined && !changed.has(path)) changed.set(path, step.index);
  }
  const found = new Map<string, Witness>();
  const whole = new Set<string>();
  let left = maxBytes;
  let isCut = manifest.inputs.length > maxWitnesses;
  for (const { name, content_ref, size } of manifest.inputs) {
    if (found.size >= maxWitnesses) break;
    if (!isFileName(name) || size > maxInput || (touched.get(name) ?? -1) >= end) continue;
    if (size > left) {
      isCut = true;
      continue;
    }
    const bytes = read(content_ref);
    if (bytes === undefined || isMasked(bytes)) continue;
    left -= bytes.length;
    found.set(`file ${name}`, { kind: "file", path: name, bytes });
    whole.add(name);
  }
  for (const step of manifest.steps.slice(0, end)) {
    const part = partRead(step, manifest, root);
    if (part === undefined || whole.has(part.path) || step.output_ref === undefined) continue;
    if ((changed.get(part.path) ?? step.index) < step.index) continue;
    const bytes = read(step.output_ref);
    if (bytes === undefined || isMasked(bytes) || bytes.length > maxInput) continue;
    const witness = partWitness(part, bytes.toString("utf8"));
    if (witness === undefined) continue;
    const key = `part ${part.path} ${witness.part.from} ${witness.text}`;
    if (found.has(key)) continue;
    if (found.size >= maxWitnesses || bytes.length > left) {
      isCut = true;
      break;
    }
    left -= bytes.length;
    found.set(key, witness);
  }
  return { witnesses: [...found.values()], isCut };
}

/** Returns the index of the first step that may put files of another commit in place. */
function firstCheckout(manifest: Manifest): number {
  const { steps } = manifest;
  const agent = agentOf(manifest);
  const step = steps.find((candidate) => gitEffects(lineOf(candidate, agent) ?? "").changesFiles);
  return step?.index ?? steps.length;
}

/**
 * Returns the folder of the run; where none is recorded, one that no path of its steps can be in by accident.
 */
function rootOf(manifest: Manifest): string {
  return fromWindows(workdirOf(manifest) ?? "/workspace");
}

/** Returns `/C:/x` for `C:\\x`, and any other path as it is. */
function fromWindows(path: string): string {
  return /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll("\\", "/")}` : path;
}

/** Returns the shell line that a step executed; undefined if it did not execute one. */
export function lineOf(step: Step, agent: string | undefined): string | undefined {
  if (step.tool === undefined || step.type !== "tool_call" || unansweredAs(step) !== undefined)
    return undefined;
  const use = toolUse(step.tool, step.parameters, agent);
  if (use?.action !== "command") return undefined;
  if (typeof use.command === "string") return use.command;
  const [shell = "", option = "", script] = use.command;
  const isScript = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(option);
  return isScript ? script : use.command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

/** Returns the part of a file that a call printed; its path is below the folder of the run. */
function partRead(step: Step, manifest: Manifest, root: string): FilePart | undefined {
  const { tool, metadata = {} } = step;
  if (tool === undefined || step.type !== "tool_call" || failureOf(step) !== undefined) return undefined;
  if (metadata["truncated"] === true || unansweredAs(step) !== undefined) return undefined;
  const cwd = typeof metadata["cwd"] === "string" ? fromWindows(metadata["cwd"]) : root;
  const use = toolUse(tool, step.parameters, agentOf(manifest));
  let part: FilePart | undefined;
  if (use?.action === "read") {
    const path = posix.resolve("/", cwd, fromWindows(use.path));
    part = { path, from: use.from ?? 1, ...(use.lines === undefined ? {} : { lines: use.lines }) };
    const shown = metadata["lines"];
    if (typeof shown === "object" && shown !== null && "from" in shown && "count" in shown)
      part = { path, from: Number(shown["from"]), lines: Number(shown["count"]) };
  } else if (use?.action === "command") {
    const line = lineOf(step, agentOf(manifest));
    part =
      line === undefined
        ? undefined
        : printedPart(line, posix.resolve("/", cwd, fromWindows(use.folder ?? "")));
  }
  if (part === undefined) return undefined;
  const path = inside(part.path, root);
  return path === undefined || !isFileName(path) ? undefined : { ...part, path };
}

/** Returns a part with its text, without the line numbers that the tool added. */
function partWitness({ path, ...part }: FilePart, printed: string): PartWitness | undefined {
  const text = withoutLastLineEnds(printed.replaceAll("\r\n", "\n"));
  if (/tokens truncated|lines? truncated|characters? truncated|\[\.\.\. ?omitted/i.test(text))
    return undefined;
  const lines = text.split("\n");
  const numbered = lines.map((line) => /^\s*(\d{1,7})(?:\t|\u2192|\| ?)(.*)$/s.exec(line));
  const first = Number(numbered[0]?.[1]);
  const isNumbered = numbered.every((match, at) => match !== null && Number(match[1]) === first + at);
  const shown = isNumbered ? numbered.map((match) => match?.[2] ?? "").join("\n") : text;
  if (shown.trim().length < shortestPart) return undefined;
  // The numbers are those of the file, whatever was requested.
  const from = isNumbered ? { from: first, lines: lines.length } : part;
  return { kind: "part", path, part: from, text: shown };
}

/** A pattern such as `\n+$` would take quadratic time on line ends before another character. */
function withoutLastLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** Returns whether a file has a part. */
export function holdsPart(file: string, { part, text }: PartWitness): boolean {
  const lines = file.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const count = part.lines ?? lines.length;
  const start = part.isEnd === true ? Math.max(0, lines.length - count) : part.from - 1;
  return trimmed(lines.slice(start, start + count).join("\n")) === trimmed(text);
}

/** Agents leave out the space around an output. */
function trimmed(text: string): string {
  return text.replace(/^\n+/, "").trimEnd();
}

/** Returns a path relative to the folder of the run; undefined if it is not below it. */
function inside(path: string, root: string): string | undefined {
  const whole = posix.normalize(fromWindows(path));
  if (!whole.startsWith("/")) return /^(?:\.\.(?:\/|$)|~)/.test(whole) ? undefined : whole;
  const folder = `${posix.normalize(root).replace(/\/+$/, "")}/`;
  return folder !== "/" && whole.startsWith(folder) ? whole.slice(folder.length) : undefined;
}

function isFileName(name: string): boolean {
  const isOwn = !name.startsWith(`${outsideName}/`) && !name.startsWith(".attached/");
  return isOwn && !/[\n\0]/.test(name) && name !== "." && name !== "";
}

function isMasked(bytes: Buffer): boolean {
  return bytes.includes("[REDACTED:");
}
