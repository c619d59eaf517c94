// The list of packs, as `git log` would have it.
import type { LogEntry, LogResult } from "../model/results.js";
import { drawGraph } from "./graph.js";
import {
  countText,
  fit,
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  timeText,
  widthOf,
} from "./layout.js";

export interface LogLayout {
  /** One line a pack. */
  oneline?: boolean;
  /** Draw the lineage beside it. */
  graph?: boolean;
}

export function renderLog(result: LogResult, screen: Screen, layout: LogLayout = {}): string {
  const paint = painter(screen);
  const { entries } = result;
  const models = entries.map((entry) => fit(entry.model ?? "", 28));
  const column = models.reduce((most, model) => Math.max(most, widthOf(model)), 0);
  const blocks = entries.map((entry, index) =>
    layout.oneline === true
      ? [oneline(entry, padEnd(models[index] as string, column), paint)]
      : full(entry, paint, screen.width - (layout.graph === true ? 8 : 0)),
  );
  if (layout.graph !== true)
    return blocks.map((lines) => `${lines.join("\n")}\n`).join(layout.oneline === true ? "" : "\n");
  return beside(blocks, drawGraph(entries), { paint, spaced: layout.oneline !== true });
}

/** Puts the drawing on the left of the text. */
function beside(
  blocks: readonly string[][],
  rows: ReturnType<typeof drawGraph>,
  { paint, spaced }: { paint: Paint; spaced: boolean },
): string {
  const lines = blocks.flatMap((block, index) => {
    const { node, rest, joins } = rows[index] as (typeof rows)[number];
    const isLast = index === blocks.length - 1;
    const text = block.map((line, number) => `${paint("red", number === 0 ? node : rest)} ${line}`);
    const gap = spaced && !isLast && joins.length === 0 ? [rest] : [];
    return [...text, ...[...gap, ...joins].map((row) => paint("red", row))];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function oneline(entry: LogEntry, model: string, paint: Paint): string {
  const hash = paint("yellow", shortHash(entry.hash));
  if (entry.damaged) return `${hash}  ${paint("red", "damaged")}${tags(entry, paint)}`;
  const time = paint("dim", timeText(entry.created as string).slice(0, 16));
  return `${hash}  ${time}  ${model}  ${countText(entry.steps as number, "step")}${tags(entry, paint)}`;
}

function full(entry: LogEntry, paint: Paint, width: number): string[] {
  const hash = entry.hash.slice("sha256:".length);
  const head = `${paint("yellow", `pack ctx://${hash.slice(0, 12)}`)}${paint("dim", hash.slice(12))}${tags(entry, paint)}`;
  if (entry.damaged) return [head, `    ${paint("red", "damaged: its manifest cannot be read")}`];
  const facts = [
    timeText(entry.created as string),
    entry.model as string,
    countText(entry.steps as number, "step"),
  ];
  if (entry.parent !== undefined) facts.push(`from ${shortHash(entry.parent)}`);
  const absent =
    entry.parent_absent === true ? [`    ${paint("dim", "its parent is not in this store")}`] : [];
  return [head, `    ${fit(facts.join("  "), width - 4)}`, ...absent];
}

function tags(entry: LogEntry, paint: Paint): string {
  return entry.tags.length === 0 ? "" : ` ${paint("green", `(${entry.tags.join(", ")})`)}`;
}
