// Renders where two runs diverged, for people: the step of either run there, what differed before, and other
// changes, which are not drift.
import { canonicalText } from "../base/json/canonical.js";
import { cutAround } from "../base/cut.js";
import type { JsonValue } from "../base/json/value.js";
import { maxOf } from "../base/lists.js";
import { printable } from "../base/printable.js";
import type { Divergence, DriftEntry, DriftReport, TakenStep } from "../results/drift.js";
import { countText, fit, padEnd, type Paint, shortHash, widthOf } from "./layout.js";
import { parametersText } from "./parameters.js";

/** How many causes are named, and how many other changes. */
const maxCauses = 6;
const maxChanges = 50;

export function divergenceLines(report: DriftReport, paint: Paint, width: number): string[] {
  const first = report.first_divergence;
  if (first === null) {
    return report.entries.length === 0 ? [] : [noDivergenceText(report)];
  }
  const lines = [paint("bold", fit(`${divergedText(report)}:`, width)), ...placeLines(report, paint, width)];
  const causes = [
    ...first.causes.other,
    ...first.causes.entries.map((at) => (report.entries[at] as DriftEntry).description),
    ...first.causes.context.map((at) => contextText(report.context[at] as DriftReport["context"][number])),
  ];
  if (causes.length === 0) lines.push(`  ${noCauseText(report)}`);
  else {
    const shown = causes.slice(0, maxCauses);
    lines.push("  These differed before that:");
    for (const cause of shown) lines.push(`    ${fit(cause, width - 4)}`);
    if (causes.length > shown.length)
      lines.push(
        paint(
          "dim",
          `    … and ${countText(causes.length - shown.length, "more")}`.replace(/mores$/, "more"),
        ),
      );
  }
  lines.push(`  ${fit(resyncText(report), width - 2)}`);
  return lines;
}

/** Returns at which step of either run the runs diverged. */
export function divergedText({ first_divergence: first, pack_hash_a, pack_hash_b }: DriftReport): string {
  const [a, b] = [first?.index_a ?? null, first?.index_b ?? null];
  if (a === null) return `The runs diverged at the end of ${shortHash(pack_hash_a)}`;
  if (b === null) return `The runs diverged at step ${a}, at the end of ${shortHash(pack_hash_b)}`;
  return `The runs diverged at step ${a}${a === b ? "" : ` (step ${b} in ${shortHash(pack_hash_b)})`}`;
}

/** Returns where the runs have an equal step again. */
export function resyncText({ resync, pack_hash_b }: DriftReport): string {
  if (resync === null) return "They did not reconverge.";
  const { index_a, index_b } = resync;
  const other = index_a === index_b ? "" : ` (step ${index_b} in ${shortHash(pack_hash_b)})`;
  return `They reconverged at step ${index_a}${other}.`;
}

/** Returns a line for the first step of either run, and another for its first call if that step is prose. */
function placeLines(report: DriftReport, paint: Paint, width: number): string[] {
  const first = report.first_divergence as Divergence;
  const steps = [first.step_a, first.step_b];
  const calls = [first.call_a, first.call_b];
  const hashes = [report.pack_hash_a, report.pack_hash_b].map(shortHash);
  const shown = [...steps, ...calls].flatMap((step) => step ?? []);
  const column = Math.max(
    maxOf(shown, ({ index }) => `step ${index}`.length),
    "end".length,
  );
  const nameColumn = Math.min(
    Math.max(8, Math.floor(width / 4)),
    maxOf(shown, (step) => widthOf(nameOf(step))),
  );
  const texts = steps.map((step) => (step === null ? "" : textOf(step)));
  const line = (head: string, step: TakenStep, other: string | undefined): string => {
    const number = paint("dim", `step ${step.index}`.padEnd(column));
    const name = paint("cyan", padEnd(fit(nameOf(step), nameColumn), nameColumn));
    const room = Math.max(width - 20 - column - nameColumn, 4);
    // Of two long texts, shows the part that differs.
    return `  ${head}  ${number}  ${name}  ${fit(cutAround(textOf(step), other, room), room)}`.trimEnd();
  };
  const lines = steps.flatMap((step, side) => {
    const hash = hashes[side] as string;
    const head = paint("yellow", hash);
    if (step === null) return [`  ${head}  ${paint("dim", `${"end".padEnd(column)}  no further steps`)}`];
    const call = calls[side];
    return [
      line(head, step, texts[1 - side]),
      ...(call === undefined
        ? []
        : [line(paint("dim", "first call".padStart(hash.length)), call, undefined)]),
    ];
  });
  const [a, b] = steps;
  if (a != null && b != null && nameOf(a) === nameOf(b) && texts[0] === texts[1])
    lines.push(`  ${fit(first.description, width - 2)}`);
  return lines;
}

function nameOf(step: TakenStep): string {
  return printable(step.tool ?? step.type);
}

function textOf(step: TakenStep): string {
  return step.text ?? parametersText(step.parameters);
}

/** Returns the text for runs that did not diverge. */
export function noDivergenceText({ entries }: DriftReport): string {
  return entries.some(isDecision)
    ? "The runs made the same decisions, except for differences that also occur between baselines."
    : "The runs made the same decisions.";
}

function isDecision({ type, change, step_index }: DriftEntry): boolean {
  return (type === "tool_drift" || type === "param_drift") && change !== "retried" && step_index !== null;
}

/** Returns the text for a divergence before which nothing that counts differed. */
export function noCauseText({ entries, first_divergence, ignored }: DriftReport): string {
  const before = entries.slice(0, first_divergence?.entry ?? 0);
  const excepted = [
    ...(before.length > 0 ? ["differences that also occur between baselines"] : []),
    ...(ignored.differences > 0 ? ["ignored values"] : []),
  ];
  return excepted.length === 0
    ? "No recorded difference came before that."
    : `No recorded difference came before that, except ${excepted.join(" and ")}.`;
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

/** Returns the other changes: those that are not drift, and no possible cause of the divergence. */
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
    lines.push(paint("bold", entries.length === 0 ? "No drift. Other changes:" : "Other changes:"));
    for (const change of changes.slice(0, maxChanges)) lines.push(`  ${fit(contextText(change), width - 2)}`);
    if (changes.length > maxChanges) lines.push(paint("dim", `  … and ${changes.length - maxChanges} more`));
  }
  if (reordered.length > 0)
    lines.push(
      paint(
        "dim",
        fit(
          `${countText(reordered.length, "parallel step")} finished in another order, which is not drift.`,
          width,
        ),
      ),
    );
  return lines;
}
