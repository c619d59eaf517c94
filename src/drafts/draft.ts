// A pack taken apart: its log with every content in a separate file, under names that a person would look
// for.
import { type Reference, toReference } from "../base/digest.js";
import type { JsonObject } from "../base/json/value.js";
import type { Content } from "../model/content.js";
import { filePart, filePaths } from "../model/file-names.js";
import type { ExecutionLog } from "../model/log.js";
import { formatVersion, type Manifest, type Step } from "../model/manifest.js";
import { legalName } from "../model/names.js";
import { originKey } from "../model/log.js";
import { originOf, withoutOrigin } from "../model/origin.js";

/** The name of a draft's log. */
export const logName = "execution.json";

export interface Draft {
  /** An execution log whose contents are all files. */
  log: JsonObject;
  /** What each file holds: a blob of the store, or other bytes. */
  files: Map<string, Reference | Buffer>;
  /** Notices for the user, one line each. */
  notices: string[];
}

export interface DraftOptions {
  /** The time of forking. */
  created: string;
  /** Keep only the steps before this one. */
  at?: number | undefined;
}

export function draftOf(hex: string, manifest: Manifest, { created, at }: DraftOptions): Draft {
  const files: Draft["files"] = new Map();
  const notices: string[] = [];
  const addFile = (path: string, reference: Reference): string => {
    files.set(path, reference);
    return path;
  };
  const inputs = withFiles("inputs", manifest.inputs, notices);
  const outputs = withFiles("outputs", manifest.outputs, notices);
  const steps = manifest.steps.slice(0, at);
  // The origin of the pack is not the origin of the draft.
  const metadata = withoutOrigin(manifest);
  if (manifest.metadata?.[originKey] !== undefined && originOf(manifest) === undefined)
    notices.push("metadata.origin is left out: that name is reserved for ctx");
  const log: JsonObject = {
    version: formatVersion,
    created,
    parent: toReference(hex),
    model: { identifier: manifest.model.identifier, parameters: manifest.model.parameters },
    system_prompt_file: addFile("system_prompt.md", manifest.system_prompt),
    prompts: manifest.prompts.map(({ role, content_ref }, index, all) => ({
      role,
      content_file: addFile(`prompts/${numbered(index, all, 3, role)}.md`, content_ref),
    })),
    inputs: inputs.map(({ name, path, item }) => ({ name, content_file: addFile(path, item.content_ref) })),
    steps: steps.map((step, index) =>
      stepOf(step, `steps/${numbered(index, steps, 4, step.tool ?? step.type)}`, addFile),
    ),
    outputs: outputs.map(({ name, path, item }) => ({
      name,
      content_file: addFile(path, item.content_ref),
      ...(item.confidence === undefined ? {} : { confidence: item.confidence }),
      ...(item.notes === undefined ? {} : { notes: item.notes }),
    })),
    environment: { ...manifest.environment },
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { log, files, notices };
}

/**
 * Returns whether a log has the form that `ctx fork` writes: a parent, and every content in a file with the
 * name that a draft has for it.
 */
export function hasDraftForm({ parent, system_prompt, steps = [] }: ExecutionLog): boolean {
  return (
    parent !== undefined &&
    isFile(system_prompt, /^system_prompt\.md$/) &&
    steps.every(({ output }) => output === undefined || isFile(output, /^steps\/\d{4,}/))
  );
}

function isFile(content: Content, name: RegExp): boolean {
  return "file" in content && name.test(content.file);
}

function stepOf(
  step: Step,
  path: string,
  addFile: (path: string, reference: Reference) => string,
): JsonObject {
  const { type, tool, parameters, output_ref, seen_ref, deterministic, timestamp, pack, metadata } = step;
  return {
    type,
    ...(tool === undefined ? {} : { tool }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(output_ref === undefined ? {} : { output_file: addFile(`${path}.out`, output_ref) }),
    ...(seen_ref === undefined ? {} : { seen_file: addFile(`${path}.seen`, seen_ref) }),
    ...(deterministic ? { deterministic } : {}),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(pack === undefined ? {} : { pack }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Returns names such as `0003-read_file`: in order wherever files are listed by name. */
function numbered(index: number, all: readonly unknown[], digits: number, word: string): string {
  const width = Math.max(digits, String(all.length - 1).length);
  const part = filePart(word);
  return `${String(index).padStart(width, "0")}${part === "" ? "" : `-${part}`}`;
}

/**
 * Returns inputs or outputs with their names and files. A pack from elsewhere may have names that no log can
 * have.
 */
function withFiles<T extends { name: string }>(
  folder: string,
  items: readonly T[],
  notices: string[],
): { name: string; path: string; item: T }[] {
  const takenNames = new Set(items.map(({ name }) => name));
  const seen = new Set<string>();
  // Where counting continues for each name: a name that is taken stays taken.
  const counts = new Map<string, number>();
  const names = items.map(({ name }) => {
    const legal = legalName(name);
    const isFree = (candidate: string): boolean =>
      !seen.has(candidate) && (candidate === name || !takenNames.has(candidate));
    let candidate = legal;
    const stem = legal.slice(0, 100).replace(/[\ud800-\udbff]$/, "");
    let count = counts.get(stem) ?? 2;
    for (; !isFree(candidate); count++) candidate = `${stem}~${count}`;
    if (candidate !== legal) counts.set(stem, count);
    seen.add(candidate);
    return candidate;
  });
  const paths = filePaths(names);
  return items.map((item, index) => {
    const name = names[index] as string;
    if (name !== item.name)
      notices.push(
        `${folder.slice(0, -1)} "${item.name.slice(0, 80)}" is called "${name.slice(0, 80)}" here: a log cannot have that name, or not twice`,
      );
    return { name, path: `${folder}/${paths[index] as string}`, item };
  });
}
