// A replay for a pull request: the verdict, the steps that did not match, the environment. What comes out of a pack stands in
// code only, written so that it means nothing to Markdown.
import { originText } from "../model/origin.js";
import type { ReplayedStep, ReplayReport } from "../model/replay.js";
import { countText, shortHash } from "./layout.js";
import { markdownCode, markdownFence } from "./markdown.js";
import { environmentText, verdictText } from "./replay.js";

/** A comment may have 65,536 characters. */
const most = 60_000;

export function renderReplayMarkdown(report: ReplayReport): string {
  const { outputs, sandbox, environment } = report;
  const made = outputs.filter(({ reproduced }) => reproduced).length;
  const head = [
    `### ctx replay: \`${shortHash(report.pack_hash)}\``,
    "",
    `**${verdictText(report)}**`,
    "",
    ...(report.origin === undefined ? [] : [`- the pack ${markdownCode(originText(report.origin), 300)}`]),
    ...(outputs.length === 0 ? [] : [`- outputs: ${made} of ${outputs.length} reproduced byte for byte`]),
    `- environment: ${markdownCode(environmentText(environment), 300)}`,
    ...(sandbox.kind === "off" ? ["- **no sandbox**: programs ran with the user's rights"] : []),
    "",
  ].join("\n");
  const odd = report.steps.filter(({ status }) => status === "diverged" || status === "failed");
  let text = `${head}\n`;
  let shown = 0;
  for (const step of odd) {
    const block = stepBlock(step);
    if (Buffer.byteLength(text) + Buffer.byteLength(block) > most) break;
    text += block;
    shown++;
  }
  const rest = odd.length - shown;
  return rest === 0
    ? text
    : `${text}… and ${countText(rest, "more step")}; \`ctx replay --json\` has all of them.\n`;
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
