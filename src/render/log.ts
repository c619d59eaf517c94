// The list of packs, as `git log` would have it.
import type { LogEntry, LogResult } from "../model/results.js";
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

export function renderLog(result: LogResult, screen: Screen): string {
  const paint = painter(screen);
  return result.entries.map((entry) => full(entry, paint, screen.width)).join("\n");
}

/** One line a pack. */
export function renderOneline(result: LogResult, screen: Screen): string {
  const paint = painter(screen);
  const models = result.entries.map((entry) => fit(entry.model ?? "", 28));
  const column = models.reduce((most, model) => Math.max(most, widthOf(model)), 0);
  return result.entries
    .map((entry, index) => {
      const hash = paint("yellow", shortHash(entry.hash));
      if (entry.damaged) return `${hash}  ${paint("red", "damaged")}${tags(entry, paint)}\n`;
      const time = paint("dim", timeText(entry.created as string).slice(0, 16));
      const steps = countText(entry.steps as number, "step");
      return `${hash}  ${time}  ${padEnd(models[index] as string, column)}  ${steps}${tags(entry, paint)}\n`;
    })
    .join("");
}

function full(entry: LogEntry, paint: Paint, width: number): string {
  const hash = entry.hash.slice("sha256:".length);
  const head = `${paint("yellow", `pack ctx://${hash.slice(0, 12)}`)}${paint("dim", hash.slice(12))}${tags(entry, paint)}`;
  if (entry.damaged) return `${head}\n    ${paint("red", "damaged: its manifest cannot be read")}\n`;
  const facts = [
    timeText(entry.created as string),
    entry.model as string,
    countText(entry.steps as number, "step"),
  ];
  if (entry.parent !== undefined) facts.push(`from ${shortHash(entry.parent)}`);
  return `${head}\n    ${fit(facts.join("  "), width - 4)}\n`;
}

function tags(entry: LogEntry, paint: Paint): string {
  return entry.tags.length === 0 ? "" : ` ${paint("green", `(${entry.tags.join(", ")})`)}`;
}
