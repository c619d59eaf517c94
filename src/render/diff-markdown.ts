// Renders a drift report for a pull request. All text from a pack is untrusted, and appears in code only.
import { canonicalText } from "../base/json/canonical.js";
import { appendAll } from "../base/lists.js";
import { printable } from "../base/printable.js";
import { type DriftEntry, type DriftReport, driftTypes, type TakenStep } from "../results/drift.js";
import { editedText } from "../model/origin.js";
import { blobText, usualText } from "./diff.js";
import { divergedText, noCauseText, noDivergenceText, resyncText } from "./divergence.js";
import { countText, shortHash } from "./layout.js";
import { markdownCode, markdownFence } from "./markdown.js";
import { neverExecuted } from "./never-executed.js";
import { parametersText } from "./parameters.js";

/** A comment may have 65,536 characters. */
const maxBytes = 60_000;
const maxNames = 8;

export function renderMarkdown(report: DriftReport): string {
  const head = heading(report);
  const blocks: string[] = [];
  const tail = remarks(report);
  let left = maxBytes - byteLength(head) - byteLength(tail) - 200;
  let shown = 0;
  for (const [at, entry] of report.entries.entries()) {
    const block = entryText(entry, at);
    left -= byteLength(block);
    if (left < 0) break;
    blocks.push(block);
    shown++;
  }
  const more = report.entries.length - shown;
  const rest =
    more === 0 ? "" : `\n… and ${countText(more, "more difference")}; \`ctx diff --json\` shows all.\n`;
  return head + blocks.join("") + rest + tail;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function heading(report: DriftReport): string {
  const counted = report.entries.filter(({ usual }) => usual === undefined);
  const [a, b] = [report.pack_hash_a, report.pack_hash_b].map(shortHash);
  const lines = [
    `### ctx diff: \`${a}\` vs \`${b}\``,
    "",
    counted.length === 0 ? "**No drift.**" : `**${countText(counted.length, "difference")}.**`,
    "",
  ];
  for (const { text, edited } of neverExecuted(report))
    lines.push(`${text}${edited.length === 0 ? "" : markdownCode(editedText(edited), 200)}`, "");
  const first = report.first_divergence;
  if (first !== null) {
    lines.push(`${divergedText(report)}:`, "");
    for (const [hash, step, call] of [
      [a, first.step_a, first.call_a],
      [b, first.step_b, first.call_b],
    ] as const)
      lines.push(
        step === null
          ? `- \`${hash}\` has no further steps`
          : `- \`${hash}\` ${stepText(step)}${call === undefined ? "" : `; its first call there is ${stepText(call)}`}`,
      );
    const described = first.causes.entries.map((at) => (report.entries[at] as DriftEntry).description);
    const causes = [...first.causes.other, ...described].slice(0, maxNames).map((text) => markdownCode(text));
    lines.push(
      "",
      causes.length === 0 ? noCauseText(report) : `These differed before that: ${causes.join(", ")}`,
      "",
      resyncText(report),
      "",
    );
  } else if (report.entries.length > 0) lines.push(noDivergenceText(report), "");
  if (report.context.length > 0) {
    const names = report.context.slice(0, maxNames).map(({ kind, name }) => markdownCode(`${kind} ${name}`));
    const rest = report.context.length > maxNames ? `, and ${report.context.length - maxNames} more` : "";
    lines.push(`Other changes: ${names.join(", ")}${rest}`, "");
  }
  const rows = driftTypes.flatMap((type) => {
    const all = report.entries.filter((entry) => entry.type === type);
    const usual = all.filter((entry) => entry.usual !== undefined).length;
    return all.length === 0 ? [] : [`| ${type} | ${all.length - usual} | ${usual} |`];
  });
  if (rows.length > 0) appendAll(lines, ["| type | count | usual |", "| --- | ---: | ---: |", ...rows, ""]);
  return `${lines.join("\n")}\n`;
}

function stepText(step: TakenStep): string {
  const text = `${step.tool ?? step.type} ${step.text ?? parametersText(step.parameters)}`.trim();
  return `step ${step.index}: ${markdownCode(text, 120)}`;
}

function entryText(entry: DriftEntry, at: number): string {
  const head = `${at + 1}. [${entry.type}] ${markdownCode(entry.description)}${usualText(entry)}`;
  const text = entryBody(entry);
  if (text === undefined) return `${head.replace(/^(\d+)\./, "- $1.")}\n`;
  return `\n<details><summary>${head}</summary>\n\n${markdownFence(text)}\n</details>\n\n`;
}

function entryBody({ changes, content, pack_a, pack_b, steps_a, steps_b }: DriftEntry): string | undefined {
  if (changes !== undefined)
    return changes
      .map(({ path, pack_a: a, pack_b: b, absent, diff }) => {
        if (diff !== undefined) return `${path}\n${diff}`;
        const lines = [
          absent === "a" ? [] : [`- ${canonicalText(a)}`],
          absent === "b" ? [] : [`+ ${canonicalText(b)}`],
        ];
        return [path, ...lines.flat()].join("\n");
      })
      .join("\n");
  if (content === undefined) {
    const lines = [...stepLines("-", steps_a), ...stepLines("+", steps_b)];
    return lines.length === 0 ? undefined : lines.join("\n");
  }
  if (content.damage !== undefined) return `cannot be compared: ${content.damage}`;
  if (content.diff !== undefined) return content.diff;
  return `${content.kind}: ${blobText(content.size_a, pack_a)} vs ${blobText(content.size_b, pack_b)}${content.reason === undefined ? "" : ` (${content.reason})`}`;
}

function stepLines(sign: "-" | "+", steps: DriftEntry["steps_a"]): string[] {
  return (steps ?? []).map(
    ({ index, tool, type, parameters }) =>
      `${sign} ${index} ${printable(`${tool ?? type} ${parametersText(parameters)}`)}`,
  );
}

function remarks({ ignored, alignment, baselines }: DriftReport): string {
  const lines: string[] = [];
  for (const { rule, count_a, count_b } of ignored.rules.slice(0, maxNames))
    lines.push(`- ignored by ${markdownCode(rule)}: ${count_a} and ${count_b}`);
  if (ignored.differences > 0)
    lines.push(`- ${countText(ignored.differences, "pair")} of steps differ only in what was ignored`);
  if (ignored.filtered > 0) lines.push(`- ${countText(ignored.filtered, "difference")} hidden by --only`);
  if (baselines.length > 0)
    lines.push(`- usual differences determined with ${countText(baselines.length, "further baseline")}`);
  if (alignment === "coarse") lines.push("- the alignment is coarse");
  return lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
}
