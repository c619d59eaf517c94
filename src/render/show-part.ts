// One part of a run, in full: a line or two that say what it is, then its content.
import { isUtf8 } from "node:buffer";
import { canonicalText } from "../base/canonical.js";
import { printable, printableLines } from "../base/printable.js";
import type { ShowPartResult } from "../model/results.js";
import { type Paint, painter, type Screen, shortHash, sizeText, timeText } from "./layout.js";

export function renderShowPart(result: ShowPartResult, screen: Screen): string {
  const paint = painter(screen);
  const blocks = [heading(result, paint).join("\n")];
  for (const { label, content, bytes } of result.contents) {
    const name = result.part === "step" ? label : result.part;
    const about = paint("dim", `${sizeText(content.size)}  ${shortHash(content.ref)}`);
    const body = isUtf8(bytes)
      ? printableLines(bytes.toString("utf8")).replace(/\n$/, "")
      : paint("dim", `(binary; \`ctx cat ${shortHash(content.ref)}\` writes it to a file or pipe)`);
    blocks.push(`${paint("bold", name)}  ${about}\n${body}`);
  }
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function heading(result: ShowPartResult, paint: Paint): string[] {
  const pack = paint("dim", `of ctx://${shortHash(result.pack)}`);
  const { step } = result;
  if (step === undefined) {
    const which = [result.index, result.role, result.name].filter((part) => part !== undefined).join(" ");
    return [
      `${paint("bold", result.part === "system" ? "system prompt" : result.part)} ${paint("cyan", printable(which))} ${pack}`,
    ];
  }
  const lines = [
    `${paint("bold", `step ${step.index}`)} ${paint("cyan", printable(step.tool ?? step.type))} ${pack}`,
  ];
  const fact = (label: string, text: string): void =>
    void lines.push(`${paint("dim", label.padEnd(13))} ${printable(text)}`);
  fact("type", step.type);
  fact("deterministic", step.deterministic ? "yes" : "no");
  if (step.timestamp !== undefined) fact("time", timeText(step.timestamp));
  if (step.pack !== undefined) fact("sub-run", `ctx://${step.pack.slice("sha256:".length)}`);
  for (const [key, value] of Object.entries(step.parameters))
    lines.push(
      `${paint("dim", "parameter")}     ${paint("cyan", printable(key))} ${block(typeof value === "string" ? value : canonicalText(value))}`,
    );
  if (step.metadata !== undefined) fact("metadata", canonicalText(step.metadata));
  if (step.output_ref === undefined) fact("output", "none was recorded");
  return lines;
}

/** A value of one line stands on it; one of several stands below, indented. */
function block(text: string): string {
  if (!text.trimEnd().includes("\n")) return printable(text);
  return `\n${printableLines(text.trimEnd()).replaceAll(/^/gm, "    ")}`;
}
