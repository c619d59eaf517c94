// Renders a replay for people: a line for each step as it happens, then the verdict with its evidence, then
// the differences.
import { printable } from "../base/printable.js";
import type { Step } from "../model/manifest.js";
import { originText } from "../model/origin.js";
import {
  type EnvironmentFact,
  isForgiven,
  type ReplayedStep,
  type ReplayPlan,
  type ReplayReport,
} from "../results/replay.js";
import {
  countText,
  fit,
  type Paint,
  padEnd,
  padStart,
  painter,
  type Screen,
  shortHash,
  widthOf,
  wrap,
} from "./layout.js";
import { fitParameters, parametersText } from "./parameters.js";
import { coverageLines, nextLines, type TypedReplay, worldText } from "./replay-coverage.js";
import { outputDifferences, outputLines, outputsText } from "./replay-outputs.js";
import { runHead } from "./run-head.js";

/** Renders the head of the report: what is replayed, and whether it is not the record of a run. */
export function renderHead({ pack_hash, title, origin }: ReplayPlan, screen: Screen): string {
  const width = Math.max(screen.width, 40);
  const paint = painter(screen);
  const name = `ctx://${shortHash(pack_hash)}`;
  const head = title === null ? "" : `${runHead(pack_hash, title, paint, width)}\n`;
  if (origin === undefined) return head;
  const lines = wrap(printable(`${name} ${originText(origin)}`), width);
  return `${head}${lines.map((line) => `${paint("yellow", line)}\n`).join("")}`;
}

/** The colour of each status. */
export const stepColours = { matched: "green", diverged: "yellow", recorded: "dim", failed: "red" } as const;

/** A step that failed shows at least so much of its parameters beside the reason. */
const usualParameters = 24;

/** Renders a step during the replay: in one line, or two if the reason of a failure needs the second. */
export function renderStep(
  replayed: ReplayedStep,
  step: Step,
  { steps, visiblePath }: { steps: number; visiblePath: string },
  screen: Screen,
): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const digits = String(Math.max(steps - 1, 0)).length;
  const name = fit(replayed.tool ?? replayed.type, 20);
  const head = `  ${padStart(String(replayed.index), digits)}  ${paint(stepColours[replayed.status], replayed.status.padEnd(8))}  ${paint("cyan", padEnd(name, 14))}`;
  const used = 2 + digits + 2 + 8 + 2 + Math.max(14, widthOf(name)) + 2;
  const noteText = stepNote(replayed);
  const parameters = parametersText(step.parameters, visiblePath);
  const room = width - used;
  // Why a step failed is said here only, and so in full: below it, if there is no room beside it.
  const least = Math.min(widthOf(printable(parameters)), usualParameters);
  const isBelow = replayed.status === "failed" && widthOf(printable(noteText)) + 2 + least > room;
  const noteRoom = replayed.status === "failed" ? room : Math.max(room - 12, Math.floor(room / 2));
  const note = noteText === "" || isBelow ? "" : fit(noteText, noteRoom);
  const left = note === "" ? room : Math.max(0, room - widthOf(note) - 2);
  const line = `${head}  ${fitParameters(parameters, left)}${note === "" ? "" : `  ${paint("dim", note)}`}`;
  const below = isBelow ? reasonLines(noteText, { indent: 2 + digits + 2, width, paint }) : [];
  return [line.trimEnd(), ...below].map((each) => `${each}\n`).join("");
}

/** Returns a reason on lines of its own. */
export function reasonLines(
  text: string,
  { indent, width, paint }: { indent: number; width: number; paint: Paint },
): string[] {
  return wrap(printable(text), width - indent).map((line) => `${" ".repeat(indent)}${paint("dim", line)}`);
}

/** Returns what follows the parameters of a step: why it was not executed, or how its output matched. */
export function stepNote({
  status,
  reason,
  message,
  expected,
  normalised,
  exit_code,
  compared,
}: ReplayedStep): string {
  if (status === "failed") return `${reason ?? ""}: ${message ?? ""}`;
  if (status === "recorded")
    return message?.startsWith("world: ") === true
      ? `needs ${worldText(message)}, not replayed`
      : (message ?? "");
  const notes = [
    expected === true ? "not deterministic" : "",
    message ?? "",
    normalised === undefined ? "" : `ignoring ${normalised.join(", ")}`,
    compared === "lines" ? "as a set of lines" : compared === "results" ? "by the results of the tests" : "",
    exit_code === undefined || exit_code === 0 ? "" : `exit ${exit_code}`,
  ];
  return notes.filter((note) => note !== "").join("; ");
}

/**
 * Renders how much could be checked, the verdict, what to do next, and everything around it. `typed`: the
 * options of this replay, for the command that follows.
 */
export function renderReplay(
  report: ReplayReport,
  screen: Screen,
  typed: TypedReplay = { name: shortHash(report.pack_hash), options: [] },
): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const lines = [
    ...coverageLines(report, paint, width),
    verdictLine(report, paint, width),
    ...nextLines(report, typed, paint),
    ...factLines(report, paint, width),
    ...differences(report, paint, width),
    ...outputDifferences(report, { paint, width, diffLines: (diff) => diffLines(diff, paint, width) }),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Returns the verdict with how much was checked, and whether outputs are missing: never the verdict alone.
 */
export function verdictText(report: ReplayReport): string {
  const { fidelity, counts } = report;
  const outputs = outputsText(report);
  const allowed = report.steps.filter(({ expected }) => expected === true).length;
  const calls =
    report.selected === undefined
      ? countText(counts.tool_calls, "tool call")
      : countText(callsOf(report).length, "selected tool call");
  const checked = [
    `${counts.checked} of ${calls} checked`,
    ...(allowed === 0 ? [] : [`${allowed} diverged as the log allows`]),
    ...(outputs === "" ? [] : [outputs]),
  ].join("; ");
  if (fidelity === "exact" && counts.checked === 0)
    return report.selected === undefined
      ? `exact, but nothing was checked: ${checked}`
      : `nothing was checked (fidelity exact): ${checked}`;
  return isUnmatched(report) ? `degraded, nothing matched: ${checked}` : `${fidelity}: ${checked}`;
}

/** Returns the tool calls among the steps: messages and reasoning are not executed, and would only add up. */
function callsOf({ steps }: ReplayReport): ReplayedStep[] {
  return steps.filter(({ type }) => type === "tool_call");
}

/** Returns whether a run is degraded only because nothing matched, while nothing differs either. */
function isUnmatched({ fidelity, counts, steps, outputs }: ReplayReport): boolean {
  const hasDivergence = steps.some(
    ({ status, expected, by_request }) => by_request === true || (status === "diverged" && expected !== true),
  );
  const isDifferent = hasDivergence || outputs.some(({ reproduced }) => reproduced === false);
  return fidelity === "degraded" && counts.matched === 0 && !isDifferent;
}

const statusWords: Readonly<Record<ReplayedStep["status"], string>> = {
  matched: "matched",
  diverged: "diverged",
  recorded: "recorded",
  failed: "could not be executed",
};

/** Returns the verdict with its counts, which stand on a line of their own if the screen is too narrow. */
function verdictLine(report: ReplayReport, paint: Paint, width: number): string {
  const { fidelity, counts, steps } = report;
  const isAll = steps.every((step) => step.status !== "diverged" && !isForgiven(step));
  const isChecked = isAll && counts.matched > 0 && outputsText(report) === "";
  const calls = callsOf(report);
  const of = (status: ReplayedStep["status"]): ReplayedStep[] =>
    calls.filter((step) => step.status === status);
  const executed = of("recorded").filter((step) => step.executed).length;
  const details = {
    matched: counts.normalised > 0 ? `, ${counts.normalised} of them after normalising` : "",
    recorded: executed > 0 ? `, ${executed} of them executed` : "",
    diverged: "",
    failed: "",
  };
  const colour = fidelity === "failed" ? "red" : fidelity === "degraded" || !isChecked ? "yellow" : "green";
  const parts = (["matched", "diverged", "recorded", "failed"] as const)
    .filter((status) => of(status).length > 0)
    .map((status) => `${of(status).length} ${statusWords[status]}${details[status]}`);
  const verdict = verdictText(report);
  const counted = parts.length === 0 ? "" : `(${parts.join(", ")})`;
  const gap = widthOf(verdict) + 2 + widthOf(counted) > width ? "\n  " : "  ";
  return `${paint(colour, verdict)}${counted === "" ? "" : paint("dim", `${gap}${counted}`)}`;
}

function factLines(report: ReplayReport, paint: Paint, width: number): string[] {
  const { sandbox, workspace, environment, sealed, notices } = report;
  const rows: [string, string][] = outputLines(report).map((text, at) => [at === 0 ? "outputs" : "", text]);
  rows.push(["environment", environmentText(environment)]);
  if (sandbox.kind !== "none") rows.push(["sandbox", sandboxText(sandbox)]);
  if (workspace.from !== undefined) rows.push(["workspace", workspace.from]);
  if (workspace.note !== undefined)
    rows.push(["workspace", `seen as ${workspace.seen_as}: ${workspace.note}`]);
  if (workspace.kept !== undefined) rows.push(["kept", workspace.kept]);
  if (sealed !== undefined) rows.push(["sealed", `ctx://${sealed.slice("sha256:".length)}`]);
  return [
    ...rows.map(([label, text]) => {
      const isPath = label === "kept" || label === "sealed";
      return `${paint("dim", label.padEnd(11))}  ${isPath ? printable(text) : fit(text, width - 13)}`;
    }),
    ...noteLines(notices, paint, width),
  ];
}

/** Returns the first notices, each in full. */
function noteLines(notices: readonly string[], paint: Paint, width: number): string[] {
  const rest = notices.length - maxNotes;
  const texts = [
    ...notices.slice(0, maxNotes).map(printable),
    ...(rest > 0 ? [`and ${rest} more (--json has them all)`] : []),
  ];
  return texts.flatMap((text) =>
    wrap(text, width - 13).map((line, at) => `${paint("dim", (at === 0 ? "note" : "").padEnd(11))}  ${line}`),
  );
}

function sandboxText({ kind, version, network }: ReplayReport["sandbox"]): string {
  if (kind === "off") return "NONE: programs ran with your rights, by request (--no-sandbox)";
  return `bwrap ${version ?? ""}, ${network ? "with the network of this machine" : "no network"}`;
}

/** Returns the facts of the environment that differ, and how many do not. */
export function environmentText(environment: readonly EnvironmentFact[]): string {
  const inputs = environment.filter(({ kind }) => kind === "input");
  const others = environment.filter(({ kind }) => kind !== "input");
  const differing = [...others, ...inputs].filter(({ status }) => status !== "same");
  const same = environment.length - differing.length;
  const differingTexts = differing.map(({ kind, name, recorded, found, status }) => {
    const label = kind === "input" ? `input ${name}` : name;
    if (status === "differs") return `${label} ${recorded}, here ${found ?? ""}`;
    return [
      label,
      ...(kind === "input" || recorded === "" || recorded === status ? [] : [recorded]),
      status,
    ].join(" ");
  });
  const sameTexts = same === 0 && differingTexts.length > 0 ? [] : [`${countText(same, "fact")} the same`];
  return [...sameTexts, ...differingTexts].join("; ");
}

const maxShown = 10;
const maxNotes = 3;

function differences({ steps }: ReplayReport, paint: Paint, width: number): string[] {
  const diverged = steps.filter(({ status }) => status === "diverged");
  const shown = diverged.slice(0, maxShown).flatMap((step) => ["", ...difference(step, paint, width)]);
  const rest = diverged.length - maxShown;
  return rest > 0
    ? [...shown, "", `and ${countText(rest, "more step")} that diverged (--json has them all)`]
    : shown;
}

function difference(step: ReplayedStep, paint: Paint, width: number): string[] {
  const { index, tool, type, expected, expected_hash, actual_hash, message, diff } = step;
  const usual = expected === true ? ", as it may: it is not deterministic" : "";
  return [
    paint("bold", fit(`step ${index} ${tool ?? type} diverged${usual}`, width)),
    ...(message === undefined ? [] : [`  ${fit(message, width - 2)}`]),
    ...(expected_hash === undefined || actual_hash === undefined || expected_hash === actual_hash
      ? []
      : [paint("dim", `  recorded ${shortHash(expected_hash)}, now ${shortHash(actual_hash)}`)]),
    ...diffLines(diff ?? "", paint, width),
  ];
}

function diffLines(diff: string, paint: Paint, width: number): string[] {
  return diff
    .split("\n")
    .slice(0, -1)
    .map((line) => `    ${paint(lineColour(line), fit(line.replaceAll("\t", "    "), width - 4))}`);
}

function lineColour(line: string): "red" | "green" | "dim" {
  return line.startsWith("-") ? "red" : line.startsWith("+") ? "green" : "dim";
}
