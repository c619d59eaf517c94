// Renders where two runs diverged, for people: the step of either run there, what differed before, and what
// changed around the runs.
import { canonicalText } from "../base/json/canonical.js";
import { cutAround } from "../base/cut.js";
import type { JsonValue } from "../base/json/value.js";
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { DriftEntry, DriftReport, TakenStep } from "../results/drift.js";
import { countText, fit, padEnd, type Paint, shortHash, widthOf } from "./layout.js";
import { parametersText } from "./parameters.js";

/** How many causes are named, and how many changes around the runs. */
const maxCauses = 6;
const maxChanges = 50;

export function divergenceLines(report: DriftReport, paint: Paint, width: number): string[] {
  const first = report.first_divergence;
  if (first === null) {
    return report.entries.length === 0 ? [] : [noDivergenceText(report)];
  }
  const sides = [
    ["a", shortHash(report.pack_hash_a), first.step_a],
    ["b", shortHash(report.pack_hash_b), first.step_b],
  ] as const;
  const stepIndex = first.index_a ?? first.index_b ?? 0;
  const steps = sides.map(([, , step]) => (step === null ? "end" : `step ${step.index}`));
  const column = maxOf(steps, (text) => text.length);
  const names = sides.map(([, , step]) => (step === null ? "" : printable(step.tool ?? step.type)));
  const nameColumn = Math.min(Math.max(8, Math.floor(width / 4)), maxOf(names, widthOf));
  const lines = [paint("bold", `The runs parted at step ${stepIndex}:`)];
  const texts = sides.map(([, , step]) =>
    step === null ? "" : (step.text ?? parametersText(step.parameters)),
  );
  sides.forEach(([, hash, step], at) => {
    const head = `  ${paint("yellow", hash)}  ${paint("dim", (steps[at] as string).padEnd(column))}  `;
    lines.push(head + stepText(step, texts, at, nameColumn, paint, width - 18 - column));
  });
  if (names[0] === names[1] && texts[0] === texts[1]) lines.push(`  ${fit(first.description, width - 2)}`);
  const causes = [
    ...first.causes.other,
    ...first.causes.entries.map((at) => (report.entries[at] as DriftEntry).description),
    ...first.causes.context.map((at) => contextText(report.context[at] as DriftReport["context"][number])),
  ];
  if (causes.length === 0) lines.push(`  ${noCauseText(report)}`);
  else {
    const shown = causes.slice(0, maxCauses);
    lines.push("  Before that, these differed already:");
    for (const cause of shown) lines.push(`    ${fit(cause, width - 4)}`);
    if (causes.length > shown.length)
      lines.push(
        paint(
          "dim",
          `    … and ${countText(causes.length - shown.length, "more")}`.replace(/mores$/, "more"),
        ),
      );
  }
  const { resync } = report;
  if (resync === null) lines.push("  They did not come together again.");
  else {
    const other =
      resync.index_a === resync.index_b
        ? ""
        : ` (step ${resync.index_b} in ${shortHash(report.pack_hash_b)})`;
    lines.push(`  ${fit(`They came together again at step ${resync.index_a}${other}.`, width - 2)}`);
  }
  return lines;
}

/** Returns the text for runs that did not diverge. */
export function noDivergenceText({ entries }: DriftReport): string {
  return entries.some(isDecision)
    ? "The runs took the same decisions, apart from what is usual."
    : "The runs took the same decisions.";
}

function isDecision({ type, change, step_index }: DriftEntry): boolean {
  return (type === "tool_drift" || type === "param_drift") && change !== "retried" && step_index !== null;
}

/** Returns the text for a divergence before which nothing that counts differed. */
export function noCauseText({ entries, first_divergence, ignored }: DriftReport): string {
  const before = entries.slice(0, first_divergence?.entry ?? 0);
  return before.length > 0 || ignored.differences > 0
    ? "Nothing differed before, apart from what is usual or ignored."
    : "Nothing that was recorded differed before.";
}

function stepText(
  step: TakenStep | null,
  texts: readonly string[],
  at: number,
  column: number,
  paint: Paint,
  width: number,
): string {
  if (step === null) return paint("dim", "nothing more");
  const name = fit(step.tool ?? step.type, column);
  const room = Math.max(width - column - 2, 4);
  // Of two long texts, shows the part that differs.
  const rest = fit(cutAround(texts[at] as string, texts[1 - at], room), room);
  return `${paint("cyan", padEnd(name, column))}  ${rest}`.trimEnd();
}

function contextText({ kind, name, pack_a, pack_b }: DriftReport["context"][number]): string {
  const values =
    kind === "input" ? inputText(pack_a, pack_b) : `: ${valueText(pack_a)} vs ${valueText(pack_b)}`;
  const label = kind === "environment" ? name.replace(/^tool_versions\./, "") : name;
  return `${kind === "environment" ? "" : `${kind} `}${label}${values}`;
}

function inputText(a: JsonValue, b: JsonValue): string {
  if (a === null) return " added";
  return b === null ? " removed" : " differs";
}

export function valueText(value: JsonValue): string {
  return value === null ? "none" : typeof value === "string" ? value : canonicalText(value);
}

/** Returns what changed around the runs, if nothing else did. */
export function contextLines(
  { entries, context, reordered, first_divergence }: DriftReport,
  paint: Paint,
  width: number,
): string[] {
  const lines: string[] = [];
  // Possible causes of the divergence are listed there.
  const causes = new Set(first_divergence?.causes.context);
  const changes = context.filter((_, at) => !causes.has(at));
  if (changes.length > 0) {
    lines.push(
      paint(
        "bold",
        entries.length === 0
          ? "No drift, but something changed around the runs:"
          : "Changed around the runs:",
      ),
    );
    for (const change of changes.slice(0, maxChanges)) lines.push(`  ${fit(contextText(change), width - 2)}`);
    if (changes.length > maxChanges) lines.push(paint("dim", `  … and ${changes.length - maxChanges} more`));
  }
  if (reordered.length > 0)
    lines.push(
      paint(
        "dim",
        fit(`${countText(reordered.length, "parallel step")} came back in another order: no drift.`, width),
      ),
    );
  return lines;
}
