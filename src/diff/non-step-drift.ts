// Compares everything but the steps of two runs: prompts, model and artifacts, which are drift; inputs,
// environment and remarks, which are not, but may be its causes.
import type { Reference } from "../base/digest.js";
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import type { DriftChange, ContextChange, DriftEntry, DriftType } from "../results/drift.js";
import type { Manifest } from "../model/manifest.js";

interface EntryDetails {
  name?: string;
  prompt_index?: number;
  prompt_index_a?: number | null;
  prompt_index_b?: number | null;
}

function entry(
  type: DriftType,
  change: DriftChange,
  description: string,
  fields: string[],
  values: { a?: JsonValue | undefined; b?: JsonValue | undefined },
  details: EntryDetails = {},
): DriftEntry {
  return {
    type,
    change,
    description,
    step_index: null,
    index_a: null,
    index_b: null,
    count: 1,
    fields,
    extra_a: [],
    extra_b: [],
    pack_a: values.a ?? null,
    pack_b: values.b ?? null,
    relation: null,
    ...details,
  };
}

/** Returns how a value changed that may exist on one side only. */
function changeOf(a: unknown, b: unknown): DriftChange {
  if (a === undefined) return "added";
  return b === undefined ? "removed" : "changed";
}

export function promptEntries(a: Manifest, b: Manifest, pairs: readonly [number, number][]): DriftEntry[] {
  const entries: DriftEntry[] = [];
  if (a.system_prompt !== b.system_prompt)
    entries.push(
      entry("prompt_drift", "changed", "System prompts differ", ["content"], {
        a: a.system_prompt,
        b: b.system_prompt,
      }),
    );
  let row: DriftEntry | undefined;
  for (const [i, j] of pairs) {
    const [x, y] = [a.prompts[i], b.prompts[j]];
    const above = row;
    row = undefined;
    const fields: string[] = [];
    if (x?.role !== y?.role) fields.push("role");
    if (x?.content_ref !== y?.content_ref) fields.push("content");
    if (fields.length === 0) continue;
    const change = changeOf(x, y);
    const details = {
      prompt_index: i >= 0 ? i : j,
      prompt_index_a: i >= 0 ? i : null,
      prompt_index_b: j >= 0 ? j : null,
    };
    const outcome = change === "changed" ? "differs" : change;
    const role = x?.role ?? y?.role ?? "";
    if (change !== "changed" && above?.change === change) {
      addToRow(above, role, x?.content_ref ?? (y?.content_ref as Reference));
      row = above;
      continue;
    }
    const values =
      fields.length === 1 && fields[0] === "role"
        ? { a: x?.role, b: y?.role }
        : { a: x?.content_ref, b: y?.content_ref };
    const found = entry(
      "prompt_drift",
      change,
      `Prompt ${details.prompt_index} (${role}) ${outcome}`,
      change === "changed" ? fields : [],
      values,
      details,
    );
    entries.push(found);
    if (change !== "changed") row = found;
  }
  return entries;
}

/** Adds one more prompt to an entry for prompts that were added or removed in a row. */
function addToRow(row: DriftEntry, role: string, content: Reference): void {
  const first = row.prompt_index ?? 0;
  const [, before] = / \((.*)\) (?:added|removed)$/s.exec(row.description) ?? [];
  row.count++;
  row.prompts = [...(row.prompts ?? [(row.pack_a ?? row.pack_b) as Reference]), content];
  row.description = `Prompts ${first} to ${first + row.count - 1}${before === role ? ` (${role})` : ""} ${row.change}`;
}

export function modelEntries(a: Manifest["model"], b: Manifest["model"]): DriftEntry[] {
  const entries: DriftEntry[] = [];
  if (a.identifier !== b.identifier)
    entries.push(
      entry("param_drift", "changed", `Models differ: ${a.identifier} vs ${b.identifier}`, ["identifier"], {
        a: a.identifier,
        b: b.identifier,
      }),
    );
  for (const name of namesOf(a.parameters, b.parameters)) {
    const [x, y] = [own(a.parameters, name), own(b.parameters, name)];
    if (comparable(x) === comparable(y)) continue;
    const change = changeOf(x, y);
    const outcome =
      change === "changed"
        ? `differs: ${shortText(x)} vs ${shortText(y)}`
        : `${change}: ${shortText(x ?? y)}`;
    entries.push(
      entry(
        "param_drift",
        change,
        `Model parameter ${name} ${outcome}`,
        ["parameters"],
        { a: x, b: y },
        { name },
      ),
    );
  }
  return entries;
}

export function outputEntries(a: Manifest["outputs"], b: Manifest["outputs"]): DriftEntry[] {
  return byName(a, b).flatMap(([name, x, y]) => {
    if (x?.content_ref === y?.content_ref) return [];
    const change = changeOf(x, y);
    return [
      entry(
        "output_drift",
        change,
        `Output ${name} ${change === "changed" ? "differs" : change}`,
        change === "changed" ? ["content"] : [],
        { a: x?.content_ref, b: y?.content_ref },
        { name },
      ),
    ];
  });
}

/** Returns what changed around the runs. `pairs` are the paired steps. */
export function contextChanges(
  a: Manifest,
  b: Manifest,
  pairs: Iterable<readonly [number, number]>,
): ContextChange[] {
  const found: ContextChange[] = [];
  const addIfChanged = (kind: ContextChange["kind"], name: string, x?: JsonValue, y?: JsonValue): void => {
    if (comparable(x) !== comparable(y)) found.push({ kind, name, pack_a: x ?? null, pack_b: y ?? null });
  };
  for (const [name, x, y] of byName(a.inputs, b.inputs))
    addIfChanged("input", name, x?.content_ref, y?.content_ref);
  addIfChanged("environment", "os", a.environment.os, b.environment.os);
  addIfChanged("environment", "runtime", a.environment.runtime, b.environment.runtime);
  const [toolsA, toolsB] = [a.environment.tool_versions, b.environment.tool_versions];
  for (const name of namesOf(toolsA, toolsB))
    addIfChanged("environment", `tool_versions.${name}`, own(toolsA, name), own(toolsB, name));
  for (const [i, j] of pairs) {
    const [x, y] = [a.steps[i], b.steps[j]];
    if (x !== undefined && y !== undefined && x.deterministic !== y.deterministic)
      addIfChanged("deterministic", `step ${x.index}`, x.deterministic, y.deterministic);
    if (x?.seen_ref !== y?.seen_ref) addIfChanged("seen", `step ${x?.index}`, x?.seen_ref, y?.seen_ref);
  }
  for (const [name, x, y] of byName(a.outputs, b.outputs)) {
    if (x === undefined || y === undefined) continue;
    addIfChanged("confidence", name, x.confidence, y.confidence);
    addIfChanged("notes", name, x.notes, y.notes);
  }
  return found;
}

/** Pairs the items of both runs by name, in order; repeated names pair off one by one. */
function byName<T extends { name: string }>(
  a: readonly T[],
  b: readonly T[],
): [name: string, a: T | undefined, b: T | undefined][] {
  const found = new Map<string, [T[], T[]]>();
  [a, b].forEach((list, side) => {
    for (const item of list) {
      let both = found.get(item.name);
      if (both === undefined) found.set(item.name, (both = [[], []]));
      (both[side] as T[]).push(item);
    }
  });
  return [...found.keys()].sort().flatMap((name) => {
    const [inA, inB] = found.get(name) as [T[], T[]];
    return Array.from(
      { length: Math.max(inA.length, inB.length) },
      (_, k): [string, T | undefined, T | undefined] => [name, inA[k], inB[k]],
    );
  });
}

function namesOf(a: object, b: object): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

function own<T>(object: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function comparable(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : canonicalText(value);
}

function shortText(value: JsonValue | JsonObject | undefined): string {
  const text = comparable(value) ?? "";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
