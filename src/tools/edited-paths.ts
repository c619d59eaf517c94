// Finds how a manifest differs from its parent's: which paths of the log were edited, and whether any step
// was executed at all.
import { canonicalText } from "../base/json/canonical.js";
import { formatPath } from "../base/json/path.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import { authorsMetadata, withoutOrigin } from "../model/origin.js";
import { compareTimes, parseTime } from "../model/times.js";

/** Returns whether a manifest equals its parent's in all but hash, created, parent and origin. */
export function isUnedited(manifest: Manifest, parent: Manifest): boolean {
  // Small parts are compared first: most drafts differ there.
  return (
    ["system_prompt", "model", "prompts", "inputs", "outputs", "environment", "metadata", "steps"] as const
  ).every((key) =>
    key === "metadata"
      ? isSame(authorsMetadata(manifest), withoutOrigin(parent))
      : isSame(manifest[key], parent[key]),
  );
}

/**
 * Returns whether a pack certainly never ran: it has steps, all of them are its parent's, and something else
 * differs. A step with another time than its counterpart was executed at that time, whatever it returned.
 */
export function isNeverRun(manifest: Manifest, parent: Manifest): boolean {
  return hasStepsOf(manifest, parent) && !isUnedited(manifest, parent);
}

function hasStepsOf({ steps }: Manifest, { steps: others }: Manifest): boolean {
  if (steps.length === 0 || steps.length !== others.length) return false;
  return steps.every((step, index) => {
    const other = others[index] as Step;
    return (
      isSameMoment(step.timestamp, other.timestamp) &&
      step.output_ref === other.output_ref &&
      step.type === other.type &&
      step.tool === other.tool &&
      isSame(step.parameters, other.parameters)
    );
  });
}

/**
 * Returns whether two times are the same moment, however they are written; a step without a time proves
 * nothing.
 */
function isSameMoment(a: string | undefined, b: string | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return true;
  const [first, second] = [parseTime(a), parseTime(b)];
  return typeof first !== "string" && typeof second !== "string" && compareTimes(first, second) === 0;
}

/**
 * Returns the paths of a log at which a manifest differs from its parent's, sorted, as errors write them.
 * They become part of the pack, so they contain no name or key that only the parent has: it may be a secret
 * that is redacted by now. If something was removed, its list or object is named.
 */
export function editedPaths(manifest: Manifest, parent: Manifest): string[] {
  const paths = new Set<string>();
  if (manifest.system_prompt !== parent.system_prompt) paths.add("system_prompt");
  addMembers(paths, ["model"], manifest.model, parent.model, ["parameters"]);
  addMembers(paths, ["environment"], manifest.environment, parent.environment, ["tool_versions"]);
  addItems(paths, "prompts", manifest.prompts, parent.prompts);
  addItems(paths, "steps", manifest.steps, parent.steps);
  addNamed(paths, "inputs", manifest.inputs, parent.inputs);
  addNamed(paths, "outputs", manifest.outputs, parent.outputs);
  // Not an edit: ctx itself counts here what it redacted.
  addMembers(
    paths,
    ["metadata"],
    authorsMetadata(manifest) ?? {},
    withoutOrigin(parent) ?? {},
    [],
    "redactions",
  );
  return [...paths].sort();
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || canonicalText(a ?? null) === canonicalText(b ?? null);
}

/** Adds the members that differ; for those in `opened`, which are objects, their members. */
function addMembers(
  paths: Set<string>,
  at: readonly string[],
  a: object,
  b: object,
  opened: readonly string[],
  skipped?: string,
): void {
  const [own, other] = [a, b].map((each) => each as Record<string, JsonValue>) as [
    Record<string, JsonValue>,
    Record<string, JsonValue>,
  ];
  if (Object.keys(other).some((key) => key !== skipped && !Object.hasOwn(own, key)))
    paths.add(formatPath(at));
  for (const [key, value] of Object.entries(own)) {
    const before = memberOf(other, key);
    if (key === skipped || isSame(value, before)) continue;
    if (
      opened.includes(key) &&
      value !== undefined &&
      before !== undefined &&
      isObject(value) &&
      isObject(before)
    )
      addMembers(paths, [...at, key], value, before, []);
    else paths.add(formatPath([...at, key]));
  }
}

function memberOf(object: Record<string, JsonValue>, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The names of fields in a log, by those in a manifest, where they differ. */
const fieldNames: Readonly<Record<string, string>> = {
  content_ref: "content",
  output_ref: "output",
  seen_ref: "seen",
};

/** Fields that ctx fills in. */
const filledIn: ReadonlySet<string> = new Set(["index", "size", "context_pack"]);

function addFields(paths: Set<string>, at: string, a: object, b: object): void {
  const [own, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key of new Set([...Object.keys(own), ...Object.keys(other)]))
    if (!filledIn.has(key) && !isSame(own[key], other[key])) paths.add(`${at}.${fieldNames[key] ?? key}`);
}

/**
 * Adds the items that differ. If their number differs, adds the list itself: which of them moved is unknown.
 */
function addItems(paths: Set<string>, list: string, a: readonly object[], b: readonly object[]): void {
  if (a.length !== b.length) paths.add(list);
  else
    for (const [index, item] of a.entries()) addFields(paths, `${list}[${index}]`, item, b[index] as object);
}

function addNamed(
  paths: Set<string>,
  list: string,
  a: readonly { name: string }[],
  b: readonly { name: string }[],
): void {
  const [own, other] = [a, b].map((items) => new Map(items.map((item) => [item.name, item])));
  if (own === undefined || other === undefined || own.size !== a.length || other.size !== b.length) {
    // Duplicate names, which only a pack from elsewhere has, do not identify an item.
    addItems(paths, list, a, b);
    return;
  }
  for (const [name, item] of own) {
    const before = other.get(name);
    if (before === undefined) paths.add(namePath(list, name));
    else addFields(paths, namePath(list, name), item, before);
  }
  if ([...other.keys()].some((name) => !own.has(name))) paths.add(list);
  const kept = [...own.keys()].filter((name) => other.has(name));
  const isInOrder = [...other.keys()].filter((name) => own.has(name)).every((name, at) => name === kept[at]);
  if (!isInOrder) paths.add(list);
}

/** Returns a path such as `outputs[report.md]`, in the form that `ctx fork --set` accepts. */
function namePath(list: string, name: string): string {
  const isPlain = /^[^\]["]+$/.test(name) && !/^\d+$/.test(name);
  return `${list}[${isPlain ? name : JSON.stringify(name)}]`;
}
