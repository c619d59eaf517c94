// Renders one part of a run, in full: a few lines that describe it, then its content.
import { isUtf8 } from "node:buffer";
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject } from "../base/json/value.js";
import { appendAll, maxOf } from "../base/lists.js";
import { printable, printableLines } from "../base/printable.js";
import type { Step } from "../model/manifest.js";
import type { ShowPartResult } from "../results/show.js";
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
import { tellingFirst } from "./parameters.js";

/** Labels for people, where the short word for scripts says too little. */
const labels: Readonly<Record<string, string>> = { seen: "seen by the model" };

export function renderShowPart(result: ShowPartResult, screen: Screen): string {
  const paint = painter(screen);
  const what = [result.part === "system" ? "system prompt" : result.part, result.index];
  const which =
    result.step === undefined ? (result.role ?? result.name) : (result.step.tool ?? result.step.type);
  const head = [
    paint("bold", what.filter((word) => word !== undefined).join(" ")),
    ...(which === undefined ? [] : [paint("cyan", printable(which))]),
    paint("dim", `of ctx://${shortHash(result.pack)}`),
  ].join("  ");
  const facts = result.step === undefined ? [] : stepFacts(result.step, paint);
  const contents = result.contents.map(({ label, content, bytes }) => {
    const about = paint("dim", `${sizeText(content.size)}  ${shortHash(content.ref)}`);
    return `${paint("bold", labels[label] ?? label)}  ${about}\n${contentText(bytes, content.ref, paint)}`;
  });
  return `${[[head, ...facts].join("\n"), ...contents].join("\n\n")}\n`;
}

function contentText(bytes: Buffer, reference: string, paint: Paint): string {
  if (isUtf8(bytes)) return printableLines(bytes.toString("utf8")).replace(/\n$/, "");
  return paint("dim", `(binary; \`ctx cat ${shortHash(reference)}\` writes it to a file or pipe)`);
}

function stepFacts(step: Step, paint: Paint): string[] {
  const fact = (label: string, text: string): string =>
    `${paint("dim", label.padEnd(10))} ${printable(text)}`;
  const lines = [fact("type", `${step.type}, ${step.deterministic ? "deterministic" : "not deterministic"}`)];
  if (step.timestamp !== undefined) lines.push(fact("time", timeText(step.timestamp)));
  if (step.pack !== undefined) lines.push(fact("sub-run", `ctx://${step.pack.slice("sha256:".length)}`));
  appendAll(lines, values("parameters", step.parameters, paint));
  if (step.metadata !== undefined) appendAll(lines, values("metadata", step.metadata, paint));
  if (step.output_ref === undefined) lines.push(fact("output", "none was recorded"));
  return lines;
}

function values(title: string, object: JsonObject, paint: Paint): string[] {
  const keys = tellingFirst(object);
  if (keys.length === 0) return [];
  const column = Math.min(
    20,
    maxOf(keys, (key) => widthOf(printable(key))),
  );
  return [
    paint("dim", title),
    ...keys.map((key) => {
      const value = object[key];
      const shown = block(typeof value === "string" ? value : canonicalText(value));
      return `  ${paint("cyan", padEnd(printable(key), column))}  ${shown}`;
    }),
  ];
}

/** Puts a value of one line beside its name, and one of several lines below, indented. */
function block(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length === 1) return printable(text);
  return `${lines.length} lines\n${printableLines(lines.join("\n")).replaceAll(/^(?=.)/gm, "      ")}`;
}
