// What the catalog says of a run so that a person recognises it: its title, how much it did, and what failed.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { isUnknown } from "../model/coverage-codes.js";
import { failureOf } from "../model/failed-calls.js";
import type { Manifest, Step } from "../model/manifest.js";
import { knownTime, sortKey } from "../model/times.js";
import { cutTitle, titleOf } from "../model/title.js";
import { countsCacheAsInput, freshInput } from "../model/usage.js";
import { glimpseObject } from "./objects.js";

export interface RunFacts {
  /**
   * What the first prompt that a person wrote says first; else the first tool and its file; else the answer.
   */
  title?: string;
  prompts: number;
  /** Calls whose log says that they failed; those that were denied, and so never ran, are counted apart. */
  failed: number;
  denied?: number;
  /** Input and output tokens together, if the log counts them. */
  tokens?: number;
  /** Milliseconds from the first step to the last. */
  duration?: number;
  /** The runs of sub-agents that it started. */
  subruns: number;
  /** Set if the log has no time at all: `created` is when it was packed. */
  untimed?: true;
}

/** Returns the facts of a run, with the title that its prompts give it. */
export function runFacts(root: string, manifest: Manifest): RunFacts {
  const { prompts, steps } = manifest;
  const failures = steps.flatMap((step) => failureOf(step) ?? []);
  const denied = failures.filter((failure) => failure === "denied").length;
  const facts: RunFacts = {
    prompts: prompts.length,
    failed: failures.length - denied,
    subruns: new Set(steps.flatMap(({ pack }) => pack ?? [])).size,
  };
  if (denied > 0) facts.denied = denied;
  const tokens = tokensOf(manifest);
  if (tokens !== undefined) facts.tokens = tokens;
  const duration = durationOf(steps);
  if (duration !== undefined) facts.duration = duration;
  if (isUnknown(manifest, "times")) facts.untimed = true;
  const title = runTitle(root, manifest);
  return title === undefined ? facts : withTitle(facts, title);
}

/** Returns the title that a run's prompts give it. */
export function runTitle(root: string, { prompts, steps }: Manifest): string | undefined {
  const title = promptTitle(root, prompts) ?? firstCall(steps) ?? firstMessage(root, steps);
  return title === undefined ? undefined : cutTitle(title, maxTitle);
}

/** The most bytes of all facts in the catalog, which has them for every pack; and of the title among them. */
const maxFacts = 216;
const maxTitle = 150;

/** Adds as much of a title as there is room for. */
function withTitle(facts: RunFacts, title: string): RunFacts {
  for (let most = maxTitle; ; ) {
    const all = { title: cutTitle(title, most), ...facts };
    // Quotation marks take two bytes in the catalog.
    const excess = Buffer.byteLength(JSON.stringify(all)) - maxFacts;
    if (excess <= 0) return all;
    most = Math.min(most, Buffer.byteLength(all.title)) - Math.ceil(excess / 2);
  }
}

/** A person's words are among the first prompts, and at the beginning of a prompt. */
const maxPrompts = 8;
const headSize = 1 << 14;

function promptTitle(root: string, prompts: Manifest["prompts"]): string | undefined {
  const users = prompts.filter(({ role }) => role === "user").slice(0, maxPrompts);
  for (const { content_ref } of users) {
    const title = titleOf(headOf(root, hexOf(content_ref)));
    if (title !== undefined) return title;
  }
  return undefined;
}

/** Returns the beginning of a text; empty if it is missing or damaged, which other commands report. */
function headOf(root: string, hex: string): string {
  try {
    // A character that is cut at the end becomes a replacement character, far behind any title.
    return glimpseObject(root, hex, headSize).head.toString("utf8");
  } catch (error) {
    if (error instanceof CtxError) return "";
    throw error;
  }
}

/** Parameters that name the object of a call, the most telling first. */
const telling = ["file_path", "path", "filename", "file", "command", "cmd", "query", "pattern", "url"];

function firstCall(steps: readonly Step[]): string | undefined {
  const step = steps.find(({ tool }) => tool !== undefined);
  if (step?.tool === undefined) return undefined;
  const texts = textsIn(step.parameters, 0);
  const named = telling.flatMap((name) => texts.filter((text) => text.name === name));
  const [value] = [...named, ...texts].flatMap(({ text }) => titleOf(text) ?? []);
  return titleOf(value === undefined ? step.tool : `${step.tool} ${value}`);
}

/**
 * Yields the texts in parameters with the names of their members; of a list, all have the name of the list.
 */
function textsIn(value: JsonValue, depth: number, name = ""): { name: string; text: string }[] {
  if (typeof value === "string") return [{ name, text: value.slice(0, headSize) }];
  if (typeof value !== "object" || value === null || depth > 3) return [];
  const members: [string, JsonValue][] = Array.isArray(value)
    ? value.slice(0, maxMembers).map((each) => [name, each])
    : Object.entries(value).slice(0, maxMembers);
  return members.flatMap(([key, each]) => textsIn(each, depth + 1, key));
}

/** How many members of an object or list are searched for a telling text. */
const maxMembers = 20;

/** Returns the first line of what a run without prompt and call said first. */
function firstMessage(root: string, steps: readonly Step[]): string | undefined {
  const output = steps.find(
    ({ type, output_ref }) => type === "message" && output_ref !== undefined,
  )?.output_ref;
  const text = output === undefined ? undefined : titleOf(headOf(root, hexOf(output)));
  return text === undefined ? undefined : `answer: ${text}`;
}

function tokensOf(manifest: Manifest): number | undefined {
  const usage = manifest.metadata?.["usage"];
  if (usage === undefined || !isObject(usage)) return undefined;
  const [input, output, cached] = ["input_tokens", "output_tokens", "cache_read_input_tokens"].map((name) =>
    countOf(usage[name]),
  );
  if (input === undefined && output === undefined) return undefined;
  const fresh = freshInput(input ?? 0, cached ?? 0, countsCacheAsInput(manifest));
  const sum = fresh + (output ?? 0);
  return !Number.isSafeInteger(sum) || sum < 0 ? undefined : sum;
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function durationOf(steps: readonly Step[]): number | undefined {
  let [first, last] = ["", ""];
  let [firstKey, lastKey] = ["", ""];
  for (const { timestamp } of steps) {
    if (timestamp === undefined) continue;
    const key = sortKey(timestamp);
    if (first === "" || key < firstKey) [first, firstKey] = [timestamp, key];
    if (last === "" || key > lastKey) [last, lastKey] = [timestamp, key];
  }
  return first === "" || firstKey === lastKey ? undefined : milliseconds(last) - milliseconds(first);
}

function milliseconds(time: string): number {
  const { seconds, fraction } = knownTime(time);
  return seconds * 1000 + Math.floor(Number(`0.${fraction === "" ? "0" : fraction}`) * 1000);
}
