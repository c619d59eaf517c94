// Renders one part of a run, in full: a few lines that describe it, then its content.
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import { appendAll, maxOf } from "../base/lists.js";
import { printable, printableLines } from "../base/printable.js";
import type { PartContent, ShowPartResult } from "../results/show.js";
import {
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  sizeText,
  timeText,
  widthOf,
} from "./layout.js";
import { informativeFirst } from "./parameters.js";

export function renderShowPart(result: ShowPartResult, screen: Screen): string {
  const paint = painter(screen);
  const [what, which] = titleOf(result);
  const head = [
    paint("bold", what),
    ...(which === undefined ? [] : [paint("cyan", printable(which))]),
    paint("dim", `of ctx://${shortHash(result.pack)}`),
  ].join("  ");
  const facts = result.part === "step" ? stepFacts(result, paint) : [];
  const contents = contentsOf(result).map(([label, content]) => {
    const about = paint("dim", `${sizeText(content.size)}  ${shortHash(content.ref)}`);
    return `${paint("bold", label)}  ${about}\n${contentText(content, paint)}`;
  });
  return `${[[head, ...facts].join("\n"), ...contents].join("\n\n")}\n`;
}

/** Returns what the part is, and its name, if it has one. */
function titleOf(result: ShowPartResult): [what: string, which?: string] {
  switch (result.part) {
    case "system":
      return ["system prompt"];
    case "prompt":
      return [`prompt ${result.index}`, result.role];
    case "step":
      return [`step ${result.index}`, result.step.tool ?? result.step.type];
    case "input":
    case "output":
      return [result.part, result.name];
  }
}

/** Returns the contents of a part, each with its label. */
function contentsOf(result: ShowPartResult): [label: string, PartContent][] {
  if (result.part !== "step") return [["content", result.content]];
  const { output, seen } = result;
  return [
    ...(output === undefined ? [] : [["output", output] satisfies [string, PartContent]]),
    ...(seen === undefined ? [] : [["seen by the model", seen] satisfies [string, PartContent]]),
  ];
}

/** Returns a content as lines that are safe to print. */
export function contentText({ text, ref }: PartContent, paint: Paint): string {
  if (text !== undefined) return printableLines(text).replace(/\n$/, "");
  return paint("dim", `(binary; \`ctx cat ${shortHash(ref)}\` writes it to a file or pipe)`);
}

function stepFacts(
  { step, exit_unknown }: Extract<ShowPartResult, { part: "step" }>,
  paint: Paint,
): string[] {
  const fact = (label: string, text: string): string =>
    `${paint("dim", label.padEnd(10))} ${printable(text)}`;
  const lines = [fact("type", `${step.type}, ${step.deterministic ? "deterministic" : "not deterministic"}`)];
  if (step.timestamp !== undefined) lines.push(fact("time", timeText(step.timestamp)));
  if (step.pack !== undefined) lines.push(fact("sub-run", `ctx://${step.pack.slice("sha256:".length)}`));
  appendAll(lines, values("parameters", step.parameters, paint));
  if (step.metadata !== undefined) {
    // The log says `ok` of the whole line, which is how the last command of its pipe ended.
    const unknown =
      exit_unknown === true ? { status: "ok, exit status unknown: the line ends in a pipe" } : {};
    appendAll(lines, values("metadata", { ...step.metadata, ...unknown }, paint));
  }
  if (step.output_ref === undefined) lines.push(fact("output", "not recorded"));
  return lines;
}

function values(title: string, object: JsonObject, paint: Paint): string[] {
  const lines = memberLines(object, paint);
  return lines.length === 0 ? [] : [paint("dim", title), ...lines];
}

/** Returns the members of an object in full, the most informative first. */
export function memberLines(object: JsonObject, paint: Paint): string[] {
  const members = informativeFirst(object).flatMap((key) => textsOf(key, object[key] as JsonValue, 0));
  const column = Math.min(
    20,
    maxOf(members, ([name]) => widthOf(printable(name))),
  );
  return members.map(([name, text]) =>
    `  ${paint("cyan", padEnd(printable(name), column))}  ${block(text)}`.trimEnd(),
  );
}

/** How deep texts of several lines are looked for in a value. */
const maxDepth = 4;

/** Returns a value as text; one that holds texts of several lines part by part: `edits[0].old_string`. */
function textsOf(name: string, value: JsonValue, depth: number): [name: string, text: string][] {
  if (typeof value === "string") return [[name, value]];
  if (!hasLines(value, depth)) return [[name, canonicalText(value)]];
  if (Array.isArray(value))
    return value.flatMap((item, index) => textsOf(`${name}[${index}]`, item, depth + 1));
  const object = value as JsonObject;
  // What was there before comes first: an edit reads like a diff then.
  const keys = Object.keys(object).sort((a, b) => Number(b.startsWith("old")) - Number(a.startsWith("old")));
  return keys.flatMap((key) => textsOf(`${name}.${key}`, object[key] as JsonValue, depth + 1));
}

function hasLines(value: JsonValue, depth: number): boolean {
  if (typeof value === "string") return value.includes("\n");
  if (typeof value !== "object" || value === null || depth > maxDepth) return false;
  return Object.values(value).some((each) => hasLines(each, depth + 1));
}

/** Puts a value of one line beside its name, and one of several lines below, indented. */
function block(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length === 1) return printable(text);
  return `${lines.length} lines\n${printableLines(lines.join("\n")).replaceAll(/^(?=.)/gm, "      ")}`;
}
