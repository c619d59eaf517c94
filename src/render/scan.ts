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
  const rules = `rules ${version}${mode === "strict" ? ", strict" : ""}`;
  if (targets.length === 0) parts.push("Nothing to look through: there is no pack here yet.");
  else if (clean > 0) parts.push(paint("dim", `${countText(clean, "target")} without a finding (${rules})`));
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
  const verdict =
    finds.length > 0 ? paint("red", `${total} found`) : paint("yellow", "could not be looked through");
  const lines = [`${paint("bold", fit(name, width - 20))}  ${verdict}${when}`];
  const shown = finds.slice(0, maxLocations);
  const column = Math.min(
    maxOf(shown, ({ place }) => place.length),
    40,
  );
  for (const find of shown)
    lines.push(`  ${padEnd(fit(find.place, column), column)}  ${fit(rulesText(find), width - column - 4)}`);
  if (finds.length > maxLocations)
    lines.push(`  … and ${countText(finds.length - maxLocations, "more place")}; --json has all of them`);
  for (const note of notes.slice(0, maxLocations)) appendAll(lines, indented(note, width));
  return lines;
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
    "Rotate first: revoke each of these where it was issued. Nothing that is done here takes back what somebody has read.",
    width,
  ).map((line) => paint("bold", line.slice(2)));
  if (packs.length === 0) return lines;
  const name = shortHash(packs[0] as string);
  return [
    ...lines,
    "Then, for each pack:",
    `  ctx fork ${name} --seal   a copy with the secrets masked`,
    `  ctx rm ${name} --force    takes the old one out, and its tags`,
    "  ctx gc --grace 0d              takes its bytes off the disk",
  ];
}

function indented(text: string, width: number): string[] {
  return wrap(printable(text), width - 4).map((line) => `  ${line}`);
}
