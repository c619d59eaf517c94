// The coverage of a replay for people: how many calls can be checked and were, how they matched, what the
// others need, and the command that would check more.
import { printable } from "../base/printable.js";
import type { ComparedPart, ReplayReport } from "../results/replay.js";
import { countText, fit, type Paint, shellWord, widthOf, wrap } from "./layout.js";

/** The command that was typed: the name of the pack, and the options that the next command keeps. */
export interface TypedReplay {
  name: string;
  options: readonly string[];
}

const comparisons: Readonly<Partial<Record<ComparedPart, string>>> = {
  output: "by bytes",
  normalised: "normalised",
  lines: "as line sets",
  results: "by test results",
  effect: "by effect",
  failure: "by failure",
};

const maxNeeds = 8;
const maxSteps = 8;
/** A bound, wider than most terminals, for the names of tools: they are untrusted. */
const maxFlagLine = 200;

/** Returns how many calls can be checked, and how many of those were. */
function checkedText(checkable: number, checked: number): string {
  if (checkable === 0) return "none can be checked";
  if (checkable === 1) return `1 can be checked, and ${checked === 1 ? "was" : "was not"}`;
  return `${checkable} can be checked, ${checked === checkable ? "all" : checked} of them were`;
}

/** Returns what became of the only step that was judged. */
function selectedText({ selected, coverage, steps }: ReplayReport, others: string): string {
  const { calls, checked } = coverage;
  const step = steps.find(({ index }) => index === selected);
  const name = `step ${selected ?? ""}`;
  if (step?.type !== "tool_call") return `${name} is no tool call: nothing of it can be checked`;
  const why =
    step.status === "failed"
      ? "it could not be executed"
      : others.replace(/^1\sthat\s/, "it\u00a0").replace(/^1\s/, "");
  const outcome = checked === 1 ? "checked" : `not checked${why === "" ? "" : `, ${why}`}`;
  return `1 of ${countText(calls, "call")} selected, ${name}: ${outcome}`;
}

/** Returns the lines before the verdict; none for a run without tool calls. */
export function coverageLines(report: ReplayReport, paint: Paint, width: number): string[] {
  const { coverage, steps, counts, set_back } = report;
  const { calls, checkable, checked, needs } = coverage;
  if (calls === 0) return [];
  const others = uncheckedText(report);
  const head =
    report.selected !== undefined
      ? selectedText(report, others)
      : checked === calls
        ? `${countText(calls, "call")}: all checked`
        : `${countText(calls, "call")}: ${checkedText(checkable, checked)}${others === "" ? "" : `; not checked: ${others}`}`;
  const diverged = steps.filter(({ status }) => status === "diverged").map(({ index }) => index);
  const matched = `  ${paint("green", `${counts.matched} matched`)}${matchedText(report)}`;
  const needLines = needs.slice(0, maxNeeds).flatMap(({ what, calls: count, flag }) => {
    const need = `  ${count} ${count === 1 ? "needs" : "need"} ${what}`;
    if (flag === null || what === flag) return [fit(need, width)];
    const line = fit(`${need}   ${flag}`, maxFlagLine);
    // The option is there to be copied: it has a line of its own rather than an ellipsis.
    return widthOf(line) <= width ? [line] : [fit(need, width), fit(`    ${flag}`, maxFlagLine)];
  });
  const rest = needs.length - maxNeeds;
  return [
    ...wrap(head, width).map((line) => line.replaceAll("\u00a0", " ")),
    ...(counts.matched === 0 ? [] : [matched]),
    ...needLines,
    ...(rest > 0 ? [`  and ${rest} more needs (--json has them all)`] : []),
    ...(diverged.length === 0
      ? []
      : [`  ${paint("yellow", `${diverged.length} diverged`)}  step ${listed(diverged)}`]),
    ...set_back.map(({ path, before, since, why }) => {
      const cause = [
        ...(since.length === 0 ? [] : [`drifted since ${listed(since)}`]),
        ...(why === undefined ? [] : [why]),
      ];
      return fit(
        `  set back: ${path} before step ${before}${cause.length === 0 ? "" : ` (${cause.join(", ")})`}`,
        width,
      );
    }),
  ];
}

function listed(indexes: readonly number[]): string {
  const rest = indexes.length - maxSteps;
  return `${indexes.slice(0, maxSteps).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Returns how the matched calls were compared, most frequent first. */
function matchedText({ steps }: ReplayReport): string {
  const counts = new Map<string, number>();
  for (const { status, compared } of steps) {
    if (status !== "matched" || compared === undefined) continue;
    const name = comparisons[compared] ?? compared;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? "" : `  (${parts.join(", ")})`;
}

/** Returns which calls are not judged, and why, most frequent first. */
function uncheckedText({ steps }: ReplayReport): string {
  const counts = new Map<string, number>();
  for (const { status, executed, message, by_request, ...step } of steps) {
    if (status !== "recorded" || step.class === undefined) continue;
    const why = executed
      ? "with nothing to compare"
      : by_request === true
        ? "by request"
        : step.class === "world"
          ? `that need ${worldText(message)}`
          : step.class === "own"
            ? "of the agent itself"
            : step.class === "refused"
              ? "that never ran"
              : "not tried";
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return (
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .map(([why, count]) => `${count} ${count === 1 ? why.replace(/^that need /, "that needs ") : why}`)
      // A reason stays on one line.
      .map((text) => text.replaceAll(" ", "\u00a0"))
      .join(", ")
  );
}

const worldTexts: ReadonlyMap<string, string> = new Map([
  ["world: home", "your home"],
  ["world: outside", "files outside the workspace"],
  ["world: network", "the network"],
  ["world: web", "the web"],
  ["world: MCP", "an MCP server"],
  ["world: processes", "other processes"],
  ["world: clock", "the clock or chance"],
  ["world: machine", "the machine of the run"],
]);

/** Returns in plain words what of the world a call needs. */
export function worldText(message: string | undefined): string {
  return worldTexts.get(message ?? "") ?? "something outside the run";
}

/** Returns the command that would check more; nothing if no option would. */
export function nextLines(
  { coverage }: ReplayReport,
  { name, options }: TypedReplay,
  paint: Paint,
): string[] {
  const typed = options.filter(isAllow).flatMap(kindsIn);
  const flags = [...new Set(coverage.needs.flatMap(({ flag }) => flag ?? []))].filter(
    (flag) =>
      !flag.startsWith("--recorded") &&
      !options.includes(flag) &&
      !(isAllow(flag) && kindsIn(flag).every((kind) => typed.includes(kind))),
  );
  if (flags.length === 0) return [];
  const kinds = [...options, ...flags].filter(isAllow).flatMap(kindsIn);
  const others = [...options, ...flags].filter((option) => !isAllow(option));
  const allow = kinds.length === 0 ? [] : [`--allow ${[...new Set(kinds)].join(",")}`];
  return [
    `${paint("dim", "next")}   ctx replay ${[shellWord(printable(name)), ...others, ...allow].join(" ")}`,
  ];
}

/** Returns the kinds of programs in `--allow exec,mcp`. */
function kindsIn(option: string): string[] {
  return option.slice("--allow ".length).split(",");
}

function isAllow(option: string): boolean {
  return option.startsWith("--allow ");
}
