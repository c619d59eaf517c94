// Renders a replay for a pull request: the verdict, the outputs and steps that did not match, the
// environment. Text from a pack appears in code only, escaped so that it means nothing to Markdown.
import { originText } from "../model/origin.js";
import type { ReplayedOutput, ReplayedStep, ReplayReport } from "../results/replay.js";
import { numberText, shortHash } from "./layout.js";
import { markdownCode, markdownFence } from "./markdown.js";
import { environmentText, verdictText } from "./replay.js";
import { shownDiffs } from "./replay-outputs.js";

/** A comment may have 65,536 characters. */
const maxBytes = 60_000;

export function renderReplayMarkdown(report: ReplayReport): string {
  const { outputs, sandbox, environment } = report;
  const reproducedCount = outputs.filter(({ reproduced }) => reproduced === true).length;
  const files = outputs.filter(({ said }) => said !== true).length;
  const head = [
    `### ctx replay: \`${shortHash(report.pack_hash)}\``,
    "",
    `**${verdictText(report)}**`,
    "",
    `- ${coverageText(report)}`,
    ...(report.origin === undefined ? [] : [`- the pack ${markdownCode(originText(report.origin), 300)}`]),
    ...(files === 0 ? [] : [`- outputs: ${reproducedCount} of ${files} reproduced byte for byte`]),
    `- environment: ${markdownCode(environmentText(environment), 300)}`,
    ...(sandbox.kind === "off" ? ["- **no sandbox**: programs ran with the user's rights"] : []),
    "",
  ].join("\n");
  const inSteps = shownDiffs(report);
  const mismatches: (ReplayedOutput | ReplayedStep)[] = [
    ...outputs.filter(({ reproduced }) => reproduced !== true),
    ...report.steps.filter(({ status }) => status === "diverged" || status === "failed"),
  ];
  let text = `${head}\n`;
  let shown = 0;
  for (const each of mismatches) {
    const block = "reproduced" in each ? outputBlock(each, inSteps) : stepBlock(each);
    if (Buffer.byteLength(text) + Buffer.byteLength(block) > maxBytes) break;
    text += block;
    shown++;
  }
  const rest = mismatches.length - shown;
  return rest === 0
    ? text
    : `${text}… and ${numberText(rest)} more; \`ctx replay --json\` has all of them.\n`;
}

function coverageText({ selected, coverage: { calls, checkable, checked, needs } }: ReplayReport): string {
  const needed = needs
    .slice(0, 5)
    .map(({ what, calls: count }) => `${count} need ${markdownCode(what, 100)}`);
  const counted =
    selected === undefined
      ? `${numberText(calls)} calls: ${checkable} can be checked, ${checked} were`
      : `step ${selected}, the only one selected of a run with ${numberText(calls)} calls: ${checked === 1 ? "checked" : "not checked"}`;
  return [counted, ...needed].join("; ");
}

function outputBlock(
  { name, reproduced, message, diff, actual_hash }: ReplayedOutput,
  shown: ReadonlySet<string | undefined>,
): string {
  const how = reproduced === false ? "not reproduced" : "not checked";
  const why = message === undefined ? "" : `: ${markdownCode(message, 200)}`;
  const fence = diff === undefined || shown.has(actual_hash) ? "" : markdownFence(diff);
  return `- output ${markdownCode(name, 200)} ${how}${why}\n${fence}`;
}

function stepBlock({ index, tool, type, status, expected, reason, message, diff }: ReplayedStep): string {
  const how =
    status === "failed"
      ? `failed (${reason ?? "error"})`
      : expected === true
        ? "diverged (expected)"
        : "diverged";
  const why = message === undefined ? "" : `: ${markdownCode(message, 200)}`;
  const fence = diff === undefined ? "" : markdownFence(diff);
  return `- step ${index} ${markdownCode(tool ?? type)} ${how}${why}\n${fence}`;
}
