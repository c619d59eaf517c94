// Renders a drift report for people: a list of differences, where the runs diverged, then each difference
// with an excerpt.
import type { JsonValue } from "../base/json/value.js";
import { counterparts, cutAround } from "../base/cut.js";
import { maxOf } from "../base/lists.js";
import { printable, printableLines } from "../base/printable.js";
import {
  type ContentChange,
  type DriftEntry,
  type DriftReport,
  type DriftType,
  driftTypes,
  type TakenStep,
  type ValueChange,
} from "../results/drift.js";
import { editedText } from "../model/origin.js";
import {
  countText,
  fit,
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  sizeText,
  wrap,
} from "./layout.js";
import { contextLines, divergenceLines, valueText } from "./divergence.js";
import { neverExecuted } from "./never-executed.js";
import { parametersText } from "./parameters.js";

/** How many differences are listed, how many are shown in detail, and how many lines of each. */
const maxListed = 20;
const maxDetailed = 40;
const maxLines = 12;
const maxValues = 6;

export function renderDiff(report: DriftReport, screen: Screen): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const parts = [
    [`Comparing ${shortHash(report.pack_hash_a)} vs ${shortHash(report.pack_hash_b)}`],
    summaryLines(report, paint, width),
    // The contract fixes the text of the two parts above. More about the two runs goes here.
    titleLines(report, paint, width),
    neverExecutedLines(report).flatMap((line) => wrap(line, width).map((part) => paint("yellow", part))),
    divergenceLines(report, paint, width),
    contextLines(report, paint, width),
    ...detailBlocks(report, paint, width),
    remarkLines(report, paint),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`;
}

/** Returns a line for each run: its hash and its title. */
function titleLines(
  { pack_hash_a, pack_hash_b, title_a, title_b }: DriftReport,
  paint: Paint,
  width: number,
): string[] {
  if (title_a === null && title_b === null) return [];
  const line = (hash: string, title: string | null): string =>
    `${paint("yellow", shortHash(hash))}  ${title === null ? paint("dim", "(no title)") : fit(title, width - 14)}`;
  return [line(pack_hash_a, title_a), line(pack_hash_b, title_b)];
}

function neverExecutedLines(report: DriftReport): string[] {
  return neverExecuted(report).map(({ text, edited }) => printable(`${text}${editedText(edited)}`));
}

/** `2 difference(s) found:`, in the words of the first ctx, which scripts know, and the list. */
function summaryLines({ entries, context, ignored }: DriftReport, paint: Paint, width: number): string[] {
  const usual = entries.filter((entry) => entry.usual !== undefined).length;
  const counted = entries.length - usual;
  const usualPart = usual === 0 ? "" : `, and ${usual} that also occur between baselines`;
  if (entries.length === 0) {
    if (ignored.filtered > 0) return [paint("green", "No differences of these types.")];
    // Other changes, if there are any, are printed instead.
    return context.length > 0 ? [] : [paint("green", "No differences.")];
  }
  const lines = entries.slice(0, maxListed).map((entry, at) => {
    const number = `${at + 1}.`.padStart(`${Math.min(entries.length, maxListed)}.`.length + 2);
    const tail = usualText(entry);
    const room = Math.max(width - number.length - 1 - tail.length, 20);
    const safe = fit(`[${entry.type}] ${entry.description}`, room) + tail;
    const type = `[${entry.type}]`;
    return `${number} ${entry.usual === undefined ? paint(colours[entry.type], type) : paint("dim", type)}${safe.slice(type.length)}`;
  });
  const more = entries.length - maxListed;
  if (more > 0) lines.push(paint("dim", `  … and ${countText(more, "more difference")}; --json shows all`));
  return [`${counted} difference(s) found${usualPart}:`, "", ...lines];
}

/**
 * Types differ in colour, and none is better than another: green and red stand for lines added and removed.
 */
const colours: Record<DriftType, Parameters<Paint>[0]> = {
  prompt_drift: "magenta",
  tool_drift: "cyan",
  param_drift: "yellow",
  reasoning_drift: "blue",
  output_drift: "bold",
};

/** `(usual: in 2 of 3 baselines)` */
export function usualText({ usual }: DriftEntry): string {
  return usual === undefined ? "" : ` (usual: in ${usual.seen} of ${countText(usual.of, "baseline")})`;
}

function detailBlocks(report: DriftReport, paint: Paint, width: number): string[][] {
  const shown = report.entries
    .map((entry, at) => ({ entry, at }))
    .filter(({ entry }) => entry.usual === undefined)
    .slice(0, maxDetailed);
  const blocks = shown.map(({ entry, at }) => {
    const relation = relationText(entry, report, at);
    const otherStep = otherStepText(entry, report);
    const room = width - `${at + 1}. `.length - otherStep.length;
    const head = `${paint("bold", `${at + 1}. ${fit(entry.description, room)}`)}${paint("dim", otherStep)}${relation === "" ? "" : `\n   ${paint("dim", fit(relation, width - 3))}`}`;
    return [head, ...entryLines(entry, paint, width), ...morePrompts(entry, paint)];
  });
  const left = report.entries.filter(({ usual }) => usual === undefined).length - shown.length;
  if (left > 0)
    blocks.push([
      paint("dim", `… and ${countText(left, "more difference")} not shown here; --json shows all`),
    ]);
  return blocks;
}

/** Returns how many prompts of a row the excerpt, which is of its first, does not show. */
function morePrompts({ type, count }: DriftEntry, paint: Paint): string[] {
  if (type !== "prompt_drift" || count === 1) return [];
  return [paint("dim", `   … and ${countText(count - 1, "more prompt")}`)];
}

/** Returns the step in the second run, if its number differs. */
function otherStepText({ index_a, index_b, change }: DriftEntry, { pack_hash_b }: DriftReport): string {
  if (index_a === null || index_b === null || index_a === index_b || change === "moved") return "";
  return ` (step ${index_b} in ${shortHash(pack_hash_b)})`;
}

function relationText(entry: DriftEntry, { first_divergence }: DriftReport, at: number): string {
  if (first_divergence?.entry === at) return "the runs diverged here";
  const entryAt = first_divergence?.entry ?? null;
  // If --only left the divergence out, it has no number.
  const divergence = entryAt === null ? "the divergence" : `difference ${entryAt + 1}`;
  const from = entry.leans_on === undefined ? " the divergence" : ` difference ${entry.leans_on + 1}`;
  switch (entry.relation) {
    case "before":
      return "before the runs diverged";
    case "follows":
      if (entry.because === "value")
        return `follows from${from}: it uses "${entry.word ?? ""}", which first appears there`;
      if (entry.because === "same_resource") return `follows from${from}: both name ${entry.word ?? ""}`;
      return `follows from${from}: the runs share no step in between`;
    case "independent":
      return `not traced to ${divergence}`;
    case "unknown":
      if (entry.because === "unreadable")
        return `cannot be traced to ${divergence}: a content that may connect them is unreadable`;
      return `not traced to ${divergence}: too much to examine`;
    case null:
      return "";
  }
}

function entryLines(entry: DriftEntry, paint: Paint, width: number): string[] {
  if (entry.changes !== undefined) return valueLines(entry.changes, entry.changes_omitted ?? 0, paint, width);
  if (entry.content !== undefined) return contentLines(entry.content, entry, paint, width);
  if (entry.type === "prompt_drift" && entry.fields[0] === "role")
    return valueLines([{ path: "role", pack_a: entry.pack_a, pack_b: entry.pack_b }], 0, paint, width);
  return [
    ...(entry.change === "moved" ? [] : stepLines("-", "red", entry.steps_a, entry, paint, width)),
    ...stepLines(entry.change === "moved" ? " " : "+", "green", entry.steps_b, entry, paint, width),
  ];
}

/** Returns the steps that one run took and the other did not, or not there. */
function stepLines(
  sign: string,
  colour: "red" | "green",
  steps: readonly TakenStep[] | undefined,
  { count }: DriftEntry,
  paint: Paint,
  width: number,
): string[] {
  if (steps === undefined) return [];
  const column = maxOf(steps, ({ index }) => `${index}`.length);
  const lines = steps.map(({ index, tool, type, parameters, text: stepText }) => {
    const number = `${index}`.padStart(column);
    const text = `${number} ${tool ?? type}  ${stepText ?? parametersText(parameters)}`.trimEnd();
    const line = `     ${sign} ${fit(text, width - 7)}`;
    return sign === " " ? line : paint(colour, line);
  });
  const more = count - steps.length;
  return more > 0 ? [...lines, paint("dim", `       … and ${countText(more, "more step")}`)] : lines;
}

function valueLines(changes: readonly ValueChange[], omitted: number, paint: Paint, width: number): string[] {
  const lines = changes.slice(0, maxValues).flatMap(({ path, pack_a, pack_b, absent, diff }) => {
    const head = `   ${paint("cyan", fit(path, width - 3))}`;
    if (diff !== undefined) return [head, ...diffLines(diff, paint, width)];
    const texts = [valueText(pack_a), valueText(pack_b)].map((text) => text.replaceAll("\n", "\u23ce"));
    const side = (sign: "-" | "+", at: 0 | 1): string => {
      const cut = cutAround(texts[at] as string, texts[1 - at], Math.max(width - 7, 20));
      return paint(sign === "-" ? "red" : "green", `     ${sign} ${fit(cut, width - 7)}`);
    };
    return [head, ...(absent === "a" ? [] : [side("-", 0)]), ...(absent === "b" ? [] : [side("+", 1)])];
  });
  const more = changes.length - maxValues + omitted;
  if (more > 0) lines.push(paint("dim", `   … and ${countText(more, "more value")}`));
  return lines;
}

function contentLines(content: ContentChange, entry: DriftEntry, paint: Paint, width: number): string[] {
  if (content.damage !== undefined)
    return [paint("red", `   cannot be compared: ${fit(content.damage, width - 24)}`)];
  const reason = content.reason === undefined ? [] : [paint("dim", `   (${content.reason})`)];
  if (content.diff !== undefined) return [...diffLines(content.diff, paint, width), ...reason];
  const sizes = `${blobText(content.size_a, entry.pack_a)} vs ${blobText(content.size_b, entry.pack_b)}`;
  return [`   ${content.kind === "binary" ? "binary: " : ""}${sizes}`, ...reason];
}

/** `4.1 kB 0123456789ab` */
export function blobText(size: number | null, reference: JsonValue): string {
  return size === null || typeof reference !== "string"
    ? "none"
    : `${sizeText(size)} ${shortHash(reference)}`;
}

function diffLines(diff: string, paint: Paint, width: number): string[] {
  const all = diff.replace(/\n$/, "").split("\n");
  // If both sides end without a line feed, that is no difference.
  const endDiffers = all.filter((line) => line.startsWith("\\")).length === 1;
  const lines = endDiffers ? all : all.filter((line) => !line.startsWith("\\"));
  const others = counterparts(lines);
  const shown = lines.slice(0, maxLines).map((line, at) => {
    const cut = line.slice(0, 1) + cutAround(line.slice(1), others[at], Math.max(width - 6, 20));
    const text = `     ${fit(printableLines(cut).replaceAll("\t", "  "), width - 5)}`;
    if (line.startsWith("@@")) return paint("cyan", text);
    if (line.startsWith("-")) return paint("red", text);
    return line.startsWith("+") ? paint("green", text) : text;
  });
  const more = lines.length - maxLines;
  return more > 0 ? [...shown, paint("dim", `     … ${countText(more, "more line")}`)] : shown;
}

/** Returns everything that was left out, and why. */
function remarkLines(report: DriftReport, paint: Paint): string[] {
  const lines: string[] = [];
  const { rules, differences, filtered } = report.ignored;
  for (const { rule, count_a, count_b } of rules)
    lines.push(`ignored by ${printable(rule)}: ${count_a} in the first run, ${count_b} in the second`);
  if (differences > 0)
    lines.push(`${countText(differences, "pair")} of steps differ only in what was ignored`);
  if (filtered > 0) lines.push(`${countText(filtered, "difference")} of other types hidden by --only`);
  if (report.baselines.length > 0)
    lines.push(`usual differences determined with ${countText(report.baselines.length, "further baseline")}`);
  if (report.alignment === "coarse") lines.push(`the alignment is coarse: ${report.alignment_reason ?? ""}`);
  return lines.map((line) => paint("dim", line));
}

/** Renders one line for each type of drift, and the sum. */
export function renderStat(report: DriftReport, screen: Screen): string {
  const paint = painter(screen);
  const column = maxOf(driftTypes, (type) => type.length);
  const lines = driftTypes.flatMap((type) => {
    const all = report.entries.filter((entry) => entry.type === type);
    if (all.length === 0) return [];
    const changes = new Map<string, number>();
    for (const entry of all) changes.set(entry.change, (changes.get(entry.change) ?? 0) + 1);
    const changesText = [...changes].map(([change, count]) => `${count} ${change}`).join(", ");
    const usual = all.filter((entry) => entry.usual !== undefined).length;
    return [
      `${paint(colours[type], padEnd(type, column))}  ${String(all.length).padStart(5)}  ${changesText}${usual > 0 ? `; ${usual} usual` : ""}`,
    ];
  });
  const usual = report.entries.filter((entry) => entry.usual !== undefined).length;
  const counted = countText(report.entries.length - usual, "difference");
  const sum = usual === 0 ? counted : `${counted}, and ${usual} usual`;
  return [...lines, sum, ...neverExecutedLines(report), ...remarkLines(report, paint)]
    .map((line) => `${line}\n`)
    .join("");
}
