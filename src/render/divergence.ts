// Where two runs parted, for people: what either took there, what differed already, and what changed around the runs.
import { canonicalText } from "../base/canonical.js";
import type { JsonValue } from "../base/json.js";
import { printable } from "../base/printable.js";
import type { DriftEntry, DriftReport, TakenStep } from "../model/drift.js";
import { countText, fit, padEnd, type Paint, shortHash, widthOf } from "./layout.js";
import { parametersText } from "./parameters.js";

/** How many causes are named, and how many changes around the runs. */
const mostCauses = 6;
const mostChanges = 50;

export function divergence(report: DriftReport, paint: Paint, width: number): string[] {
  const first = report.first_divergence;
  if (first === null) {
    return report.entries.length === 0 ? [] : [sameDecisions(report)];
  }
  const taken = [
    ["a", shortHash(report.pack_hash_a), first.step_a],
    ["b", shortHash(report.pack_hash_b), first.step_b],
  ] as const;
  const place = first.index_a ?? first.index_b ?? 0;
  const steps = taken.map(([, , step]) => (step === null ? "the end" : `step ${step.index}`));
  const column = Math.max(...steps.map((text) => text.length));
  const names = taken.map(([, , step]) => (step === null ? "" : printable(step.tool ?? step.type)));
  const nameColumn = Math.min(Math.max(8, Math.floor(width / 4)), Math.max(...names.map(widthOf)));
  const lines = [paint("bold", `The runs parted at step ${place}:`)];
  taken.forEach(([, hash, step], at) => {
    const head = `  ${paint("yellow", hash)}  ${paint("dim", (steps[at] as string).padEnd(column))}  `;
    lines.push(head + takenText(step, nameColumn, paint, width - 18 - column));
  });
  const causes = [
    ...first.causes.other,
    ...first.causes.entries.map((at) => (report.entries[at] as DriftEntry).description),
    ...first.causes.context.map((at) => contextText(report.context[at] as DriftReport["context"][number])),
  ];
  if (causes.length === 0) lines.push("  Nothing that was recorded differed before.");
  else {
    const shown = causes.slice(0, mostCauses);
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
    lines.push(`  They came together again at step ${resync.index_a}${other}.`);
  }
  return lines;
}

/** What is to be said where the runs did not part. */
export function sameDecisions({ entries }: DriftReport): string {
  return entries.some(isDecision)
    ? "The runs took the same decisions, apart from what is usual."
    : "The runs took the same decisions.";
}

function isDecision({ type, change, step_index }: DriftEntry): boolean {
  return (type === "tool_drift" || type === "param_drift") && change !== "retried" && step_index !== null;
}

function takenText(step: TakenStep | null, column: number, paint: Paint, width: number): string {
  if (step === null) return paint("dim", "had come to its end");
  const name = fit(step.tool ?? step.type, column);
  const rest = fit(parametersText(step.parameters), Math.max(width - column - 2, 4));
  return `${paint("cyan", padEnd(name, column))}  ${rest}`.trimEnd();
}

function contextText({ kind, name, pack_a, pack_b }: DriftReport["context"][number]): string {
  const values =
    kind === "input" ? inputText(pack_a, pack_b) : `: ${valueText(pack_a)} vs ${valueText(pack_b)}`;
  const what = kind === "environment" ? name.replace(/^tool_versions\./, "") : name;
  return `${kind === "environment" ? "" : `${kind} `}${what}${values}`;
}

function inputText(a: JsonValue, b: JsonValue): string {
  if (a === null) return " added";
  return b === null ? " removed" : " differs";
}

export function valueText(value: JsonValue): string {
  return value === null ? "none" : typeof value === "string" ? value : canonicalText(value);
}

/** What changed around the runs, where that is all there is. */
export function around(
  { entries, context, reordered, first_divergence }: DriftReport,
  paint: Paint,
  width: number,
): string[] {
  const lines: string[] = [];
  // What may be a cause of the divergence stands there.
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
      ...changes.slice(0, mostChanges).map((change) => `  ${fit(contextText(change), width - 2)}`),
    );
    if (changes.length > mostChanges)
      lines.push(paint("dim", `  … and ${changes.length - mostChanges} more`));
  }
  if (reordered.length > 0)
    lines.push(
      paint(
        "dim",
        `${countText(reordered.length, "parallel step")} came back in another order, which is no drift.`,
      ),
    );
  return lines;
}
