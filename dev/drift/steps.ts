// What the contract says about two steps: whether they are equal, which fields differ, and what a pair of
// them costs.
import type { JsonValue } from "../../src/base/json/value.js";
import { costs } from "../../src/diff/costs.js";
import type { StepField } from "../../src/results/drift.js";
import type { Step } from "../../src/model/manifest.js";

type Body = Pick<Step, "type" | "tool" | "parameters" | "output_ref">;

/** Returns a value as text, the same for the same value whatever the order of its keys. */
export function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${textOf(value[key] as JsonValue)}`).join(",")}}`;
}

function isPlainObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
}

/** The two runs of a case share most of their parameters, and are judged several times. */
const knownTexts = new WeakMap<object, string>();
const knownRuns = new WeakMap<object, Keyed>();

function parametersText(parameters: Step["parameters"]): string {
  let text = knownTexts.get(parameters);
  if (text === undefined) knownTexts.set(parameters, (text = textOf(parameters)));
  return text;
}

export function callOf(step: Body): string {
  return `${JSON.stringify([step.type, step.tool ?? null])}${parametersText(step.parameters)}`;
}

export function keyOf(step: Body): string {
  return `${callOf(step)}${step.output_ref ?? "-"}`;
}

/** The steps of a run with their calls and keys, made once. */
export interface Keyed {
  steps: readonly Step[];
  calls: string[];
  keys: string[];
}

export function keyed(steps: readonly Step[]): Keyed {
  const known = knownRuns.get(steps);
  if (known !== undefined) return known;
  const calls = steps.map(callOf);
  const keys = steps.map((step, index) => `${calls[index]}${step.output_ref ?? "-"}`);
  const result = { steps, calls, keys };
  knownRuns.set(steps, result);
  return result;
}

export function isTool(step: Body | undefined): boolean {
  return step?.tool !== undefined;
}

/** Returns the fields in which a pair differs, in the contract's order. */
export function fieldsOf(a: Body, b: Body): StepField[] {
  const fields: StepField[] = [];
  if (a.type !== b.type) fields.push("type");
  if (a.tool !== b.tool) fields.push("tool");
  if (parametersText(a.parameters) !== parametersText(b.parameters)) fields.push("parameters");
  if (a.output_ref !== b.output_ref) fields.push("output");
  return fields;
}

/** Returns the distinct words of parameters, each with its position. */
export function tokensOf(parameters: Step["parameters"]): Set<string> {
  const tokens = new Set<string>();
  const visit = (value: JsonValue, path: string, top: boolean): void => {
    if (Array.isArray(value)) {
      for (const element of value) visit(element, `${path}[]`, false);
      if (value.length === 0) tokens.add(`${path}=`);
    } else if (isPlainObject(value)) {
      const keys = Object.keys(value);
      for (const key of keys) visit(value[key] as JsonValue, top ? key : `${path}.${key}`, false);
      if (keys.length === 0 && !top) tokens.add(`${path}=`);
    } else {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const words = text.match(/[\p{L}\p{N}_]+/gu);
      for (const word of words ?? [""]) tokens.add(`${path}=${word}`);
    }
  };
  visit(parameters, "", true);
  return tokens;
}

/** At least half of the words in common: twice the common ones against all. */
export function closeWords(a: Step["parameters"], b: Step["parameters"]): boolean {
  const one = tokensOf(a);
  const other = tokensOf(b);
  let common = 0;
  for (const token of one) if (other.has(token)) common++;
  return 4 * common >= one.size + other.size;
}

export function pairCost(a: Body, b: Body): number {
  const fields = fieldsOf(a, b);
  const sameOutput = !fields.includes("output");
  if (fields.includes("type") || fields.includes("tool"))
    return sameOutput || !fields.includes("parameters") ? costs.closeTool : costs.otherTool;
  if (fields.includes("parameters"))
    return sameOutput || closeWords(a.parameters, b.parameters)
      ? costs.closeParameters
      : costs.otherParameters;
  return sameOutput ? costs.equal : costs.otherOutput;
}

/** Returns how many steps of a run are in each parallel group that is one: 2 to 64 members. */
export function groupsOf(steps: readonly Step[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [index, step] of steps.entries()) {
    const name = step.metadata?.["parallel"];
    if (typeof name !== "string" || name === "") continue;
    groups.set(name, [...(groups.get(name) ?? []), index]);
  }
  for (const [name, members] of groups) if (members.length < 2 || members.length > 64) groups.delete(name);
  return groups;
}

/** Each step's parallel group, or undefined. */
export function groupNames(steps: readonly Step[]): (string | undefined)[] {
  const names: (string | undefined)[] = steps.map(() => undefined);
  for (const [name, members] of groupsOf(steps)) for (const member of members) names[member] = name;
  return names;
}

/** Returns the position of the tool step before this one; -1 where there is none. */
export function toolBefore(steps: readonly Step[], index: number): number {
  let before = index - 1;
  while (before >= 0 && !isTool(steps[before])) before--;
  return before;
}
