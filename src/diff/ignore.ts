// Rules for what never matters in a comparison: tools whose steps are left out, and values that are removed
// before anything is compared. Everything that a rule removes is counted, so that nothing happens silently.
import { CtxError } from "../base/errors.js";
import { ExactInteger, type JsonObject, type JsonValue, setOwn } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";

type PathSegment = { key: string } | { any: true } | { deep: string };

/** A rule: all steps of a tool, or a path in the manifest, or a path in the steps of one tool. */
export interface IgnoreRule {
  text: string;
  tool?: string;
  path?: PathSegment[];
}

/** Parses a rule: `bash`, `$.steps[*].parameters.seed`, `$..timestamp`, `bash:$.output`. */
export function parseRule(text: string): IgnoreRule {
  const at = text.startsWith("$") ? 0 : text.indexOf(":$");
  if (at < 0) {
    if (text === "") throw badRule(text, "it is empty");
    return { text, tool: text };
  }
  const path = parsePath(text, text.slice(at === 0 ? 0 : at + 1));
  if (at > 0) return { text, tool: text.slice(0, at), path: stepPath(text, withAlias(path), 0) };
  const [first, second] = path;
  if (first !== undefined && "key" in first && first.key === "steps")
    return { text, path: stepPath(text, [first, second ?? { any: true }, ...withAlias(path.slice(2))]) };
  return { text, path };
}

/**
 * Rejects a path that would remove the identity of a step, or the step itself: a rule with the tool's name
 * does that.
 */
function stepPath(text: string, path: PathSegment[], from = 2): PathSegment[] {
  const part = path[from];
  const isKept = part !== undefined && "key" in part && kept.has(part.key) && path.length === from + 1;
  if (part === undefined || isKept) throw badRule(text, "to ignore a step, name its tool");
  return path;
}

/** Maps `output`, the word in reports, to `output_ref`, the field of the manifest. */
function withAlias(path: PathSegment[]): PathSegment[] {
  const [first] = path;
  return first !== undefined && "key" in first && first.key === "output" ? [{ key: "output_ref" }] : path;
}

function parsePath(rule: string, text: string): PathSegment[] {
  const segments: PathSegment[] = [];
  const piece = /\.\.([A-Za-z_][\w-]*)|\.([A-Za-z_][\w-]*|\*)|\[(\d+|\*)\]|\[("(?:[^"\\]|\\.)*"|'[^']*')\]/y;
  piece.lastIndex = 1;
  while (piece.lastIndex < text.length) {
    const start = piece.lastIndex;
    const match = piece.exec(text);
    if (match === null) throw badRule(rule, `it cannot be parsed from "${text.slice(start)}" on`);
    const [, deep, plain, index, quoted] = match;
    if (deep !== undefined) segments.push({ deep });
    else if (plain === "*" || index === "*") segments.push({ any: true });
    else segments.push({ key: plain ?? index ?? unquote(rule, quoted as string) });
  }
  if (segments.length === 0) throw badRule(rule, "it would ignore everything");
  return segments;
}

function unquote(rule: string, text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    throw badRule(rule, `${text} is not a JSON string`);
  }
}

function badRule(rule: string, reason: string): CtxError {
  return new CtxError("usage", `--ignore "${rule}" is not a valid rule: ${reason}`, {
    hint: "a rule is the name of a tool, a path such as $.steps[*].parameters.seed, or both: bash:$.output",
  });
}

/** Returns a manifest without ignored values, and how many each rule removed. Steps keep their numbers. */
export function withoutIgnored(
  manifest: Manifest,
  rules: readonly IgnoreRule[],
): { manifest: Manifest; counts: number[] } {
  if (rules.length === 0) return { manifest, counts: [] };
  let result = manifest as unknown as JsonObject;
  const counts = rules.map((rule) => {
    let count = 0;
    const onRemoved = (): void => void count++;
    if (rule.path === undefined) {
      const steps = result["steps"] as unknown as Step[];
      const kept = steps.filter((step) => step.tool !== rule.tool);
      result = { ...result, steps: kept as unknown as JsonValue };
      return steps.length - kept.length;
    }
    if (rule.tool === undefined) result = remove(result, rule.path, onRemoved) as JsonObject;
    else {
      const { tool, path } = rule;
      const steps = (result["steps"] as unknown as Step[]).map((step) =>
        step.tool === tool ? remove(step as unknown as JsonObject, path, onRemoved) : step,
      );
      result = { ...result, steps: steps as JsonValue };
    }
    return count;
  });
  return { manifest: result as unknown as Manifest, counts };
}

/** Fields that a comparison relies on, which no path can remove: to ignore a step, name its tool. */
const kept = new Set(["version", "hash", "index", "type", "tool", "name", "role", "steps"]);

/** Returns a copy of the value without what the path leads to; the value itself if the path leads nowhere. */
function remove(
  value: JsonValue,
  path: readonly PathSegment[],
  onRemoved: () => void,
  isOpen = false,
): JsonValue {
  const [segment, ...rest] = path as [PathSegment, ...PathSegment[]];
  if (typeof value !== "object" || value === null || value instanceof ExactInteger) return value;
  const isLast = rest.length === 0;
  if (Array.isArray(value)) {
    let changed = false;
    const copy = value.flatMap((item, at) => {
      if ("deep" in segment) {
        const next = remove(item, path, onRemoved, isOpen);
        changed ||= next !== item;
        return [next];
      }
      if ("key" in segment && segment.key !== String(at) && segment.key !== itemName(item)) return [item];
      if (isLast && !isOpen && typeof item === "object" && item !== null && "index" in item) return [item];
      if (isLast) onRemoved();
      const next = isLast ? [] : [remove(item, rest, onRemoved, isOpen)];
      changed ||= next[0] !== item;
      return next;
    });
    return changed ? copy : value;
  }
  let copy: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    // Inside parameters every key is the user's; outside, the comparison needs some of them.
    const opens = isOpen || key === "parameters" || key === "tool_versions";
    const hit = "any" in segment || ("deep" in segment ? segment.deep === key : segment.key === key);
    let next: JsonValue | undefined = member;
    if (hit && isLast) {
      if (isOpen || !kept.has(key)) {
        next = emptyValue(key, isOpen);
        onRemoved();
      }
    } else if ("deep" in segment) {
      const inside = hit ? remove(member, rest, onRemoved, opens) : member;
      next = remove(inside, path, onRemoved, opens);
    } else if (hit) next = remove(member, rest, onRemoved, opens);
    if (next === member) continue;
    copy ??= { ...value };
    if (next === undefined) delete copy[key];
    else setOwn(copy, key, next);
  }
  return copy ?? value;
}

/** Returns the empty value of a removed field that a manifest must have. */
function emptyValue(key: string, isOpen: boolean): JsonValue | undefined {
  if (isOpen) return undefined;
  if (key === "parameters" || key === "tool_versions") return {};
  if (key === "prompts" || key === "inputs" || key === "outputs") return [];
  if (key === "environment") return { os: "", runtime: "", tool_versions: {} };
  if (key === "model") return { identifier: "", parameters: {} };
  return ["identifier", "os", "runtime", "system_prompt", "content_ref"].includes(key) ? "" : undefined;
}

function itemName(item: JsonValue): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  const name = (item as JsonObject)["name"];
  return typeof name === "string" ? name : undefined;
}
