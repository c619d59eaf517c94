// The outputs of a run in the report of its replay: which were reproduced, which were not, and how to look at
// those.
import { printable } from "../base/printable.js";
import type { ReplayedOutput, ReplayReport } from "../results/replay.js";
import { countText, fit, type Paint, shellWord, shortHash } from "./layout.js";

const maxNamed = 10;

/**
 * `2 of 3 outputs reproduced`; empty where all are that a step should make. What the model said is none of
 * those.
 */
export function outputsText(report: ReplayReport): string {
  const files = judgedOutputs(report).filter(({ said }) => said !== true);
  const reproducedCount = files.filter(({ reproduced }) => reproduced === true).length;
  return reproducedCount === files.length
    ? ""
    : `${reproducedCount} of ${countText(files.length, "output")} reproduced`;
}

/** The lines for the table of facts: how many were reproduced, then each one that was not. */
export function outputLines(report: ReplayReport): string[] {
  const outputs = judgedOutputs(report);
  const files = outputs.filter(({ said }) => said !== true).length;
  const others = outputs.filter(({ reproduced }) => reproduced !== true);
  // Those that differ come first.
  others.sort((a, b) => Number(a.reproduced === null) - Number(b.reproduced === null));
  const named = others
    .slice(0, maxNamed)
    .map((output) => `${outcomeText(output)} ${output.name}: ${output.message ?? ""}`);
  const rest = others.length - named.length;
  return [
    ...(files === 0 ? [] : [`${outputs.length - others.length} of ${files} reproduced byte for byte`]),
    ...named,
    ...(rest === 0 ? [] : [`and ${rest} more (--json has them all)`]),
  ];
}

/** Returns the outputs; of a replay that judged one step, only those that this step says something about. */
function judgedOutputs({ outputs, selected }: ReplayReport): ReplayedOutput[] {
  return selected === undefined ? [...outputs] : outputs.filter(({ reproduced }) => reproduced !== null);
}

function outcomeText({ reproduced }: ReplayedOutput): string {
  return reproduced === false ? "differs" : "not checked";
}

/**
 * Each output that differs and that no step has shown already, with its diff; then how to see all of the
 * first one.
 */
export function outputDifferences(
  report: ReplayReport,
  { paint, width, diffLines }: { paint: Paint; width: number; diffLines: (diff: string) => string[] },
): string[] {
  const mismatches = report.outputs.filter(({ reproduced }) => reproduced === false);
  const shown = shownDiffs(report);
  const blocks = mismatches
    .filter(({ actual_hash }) => !shown.has(actual_hash))
    .slice(0, maxNamed)
    .flatMap(({ name, message, expected_hash, actual_hash, diff }) => [
      "",
      paint("bold", fit(`output ${name} was not reproduced`, width)),
      `  ${fit(message ?? "", width - 2)}`,
      ...(actual_hash === undefined
        ? []
        : [paint("dim", `  recorded ${shortHash(expected_hash)}, now ${shortHash(actual_hash)}`)]),
      ...diffLines(diff ?? ""),
    ]);
  return [...blocks, ...compareCommands(report, mismatches[0], width)];
}

/**
 * The hashes of what diverged steps show a diff of; the output that such a step made need not show it again.
 */
export function shownDiffs({ steps }: ReplayReport): Set<string | undefined> {
  return new Set(
    steps.flatMap(({ status, compared, diff, actual_hash }) =>
      status === "diverged" && compared === "effect" && diff !== undefined ? (actual_hash ?? []) : [],
    ),
  );
}

function compareCommands(
  { workspace }: ReplayReport,
  output: ReplayedOutput | undefined,
  width: number,
): string[] {
  if (output === undefined) return [];
  const recorded = `ctx cat ${shortHash(output.expected_hash)}`;
  const title = ["", fit(`To compare all of ${output.name}`, width)];
  if (workspace.kept === undefined || output.actual_hash === undefined)
    return [
      ...title,
      `  recorded  ${recorded}`,
      ...(output.actual_hash === undefined ? [] : ["  now       add --keep, which leaves the workspace"]),
    ];
  return [...title, `  ${recorded} | diff - ${shellWord(printable(`${workspace.kept}/${output.name}`))}`];
}
