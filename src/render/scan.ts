// Renders the findings of `ctx scan` for people: which files and packs, which parts of them, and what to do.
import { appendAll, maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import { type ScanFind, type ScannedTarget, type ScanResult, unsearchedText } from "../results/scan.js";
import {
  countText,
  fit,
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  timeText,
  wrap,
} from "./layout.js";

const maxLocations = 20;

export function renderScan({ targets, mode, version }: ScanResult, screen: Screen): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const reported = targets.filter(({ result, notes }) => result !== "clean" || notes.length > 0);
  const parts = reported.map((target) => targetLines(target, paint, width).join("\n"));
  const clean = targets.length - reported.length;
  const rules = `rules version ${version}${mode === "strict" ? ", strict" : ""}`;
  if (targets.length === 0) parts.push("Nothing to scan: there are no packs here yet.");
  else if (clean > 0) parts.push(paint("dim", `${countText(clean, "target")} without secrets (${rules})`));
  const unsearched = targets.reduce(
    (sum, { kind, unsearched: own = 0 }) => sum + (kind === "pack" ? own : 0),
    0,
  );
  if (unsearched > 0)
    parts.push(
      indented(unsearchedText(unsearched), width + 2)
        .map((line) => line.slice(2))
        .join("\n"),
    );
  const isFound = targets.some(({ result }) => result === "found");
  if (isFound) parts.push(adviceLines(targets, paint, width).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

function targetLines(target: ScannedTarget, paint: Paint, width: number): string[] {
  const { finds, notes } = target;
  const name = target.pack === undefined ? target.target : `ctx://${shortHash(target.pack)}`;
  const when = target.created === undefined ? "" : `  ${paint("dim", timeText(target.created))}`;
  const total = finds.reduce((sum, { rules }) => sum + matchCount(rules), 0);
  const verdict = finds.length > 0 ? paint("red", `${total} found`) : paint("yellow", "could not be scanned");
  const lines = [`${paint("bold", fit(name, width - 20))}  ${verdict}${when}`];
  const shown = finds.slice(0, maxLocations);
  const column = Math.min(
    maxOf(shown, ({ place }) => place.length),
    40,
  );
  for (const find of shown)
    lines.push(`  ${padEnd(fit(find.place, column), column)}  ${fit(rulesText(find), width - column - 4)}`);
  if (finds.length > maxLocations)
    lines.push(`  … and ${countText(finds.length - maxLocations, "more place")}; --json shows all`);
  if (target.masked_by_pack !== undefined && !agrees(finds, target.masked_by_pack))
    appendAll(lines, indented(maskedByPackText(target.masked_by_pack), width));
  for (const note of notes.slice(0, maxLocations)) appendAll(lines, indented(note, width));
  return lines;
}

/** Returns whether these findings have the same counts as what `ctx pack` masks. */
function agrees(finds: readonly ScanFind[], masked: Readonly<Record<string, number>>): boolean {
  const counts = new Map<string, number>();
  for (const { rules } of finds)
    for (const [rule, count] of Object.entries(rules)) counts.set(rule, (counts.get(rule) ?? 0) + count);
  const all = Object.entries(masked);
  return all.length === counts.size && all.every(([rule, count]) => counts.get(rule) === count);
}

/** Says what `ctx pack` prints about the same log: its numbers differ from those of the lines above. */
function maskedByPackText(rules: Readonly<Record<string, number>>): string {
  const counts = Object.entries(rules).map(([rule, count]) => `${rule} ${count}`);
  return `\`ctx pack\` would mask ${matchCount(rules)}: ${counts.join(", ")}. It counts the secrets of each field, and of files that the log refers to, and a repeated secret under the rule that found it first; the list above counts them by line.`;
}

function rulesText({ rules }: ScanFind): string {
  return Object.entries(rules)
    .map(([rule, count]) => (count === 1 ? rule : `${rule} \u00d7${count}`))
    .join(", ");
}

function matchCount(rules: Readonly<Record<string, number>>): number {
  return Object.values(rules).reduce((sum, count) => sum + count, 0);
}

/**
 * Returns advice: first against people who have read the secret already, then to keep others from reading it.
 */
function adviceLines(targets: readonly ScannedTarget[], paint: Paint, width: number): string[] {
  const packs = targets.flatMap(({ result, pack }) =>
    result === "found" && pack !== undefined ? [pack] : [],
  );
  const lines = indented(
    "Rotate first: revoke each of these where it was issued. Removing it here does not help if someone has already read it.",
    width,
  ).map((line) => paint("bold", line.slice(2)));
  if (packs.length === 0) return lines;
  const name = shortHash(packs[0] as string);
  return [
    ...lines,
    "Then, for each pack:",
    `  ctx fork ${name} --seal   make a copy with the secrets masked`,
    `  ctx rm ${name} --force    remove the old one and its tags`,
    "  ctx gc --grace 0d              remove its bytes from the disk",
  ];
}

function indented(text: string, width: number): string[] {
  return wrap(printable(text), width - 4).map((line) => `  ${line}`);
}
