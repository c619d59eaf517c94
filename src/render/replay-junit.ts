// Renders a replay as JUnit XML: a test for each step and each output. A step that diverged unexpectedly, and
// an output that differs, fail; a step that could not be executed is an error; a step that was not compared,
// or that diverged as the log allows, is skipped.
import type { ReplayedOutput, ReplayedStep, ReplayReport } from "../results/replay.js";
import { type JunitCase, renderSuite } from "./junit.js";
import { shortHash } from "./layout.js";
import { verdictText } from "./replay.js";

export function renderReplayJunit(report: ReplayReport): string {
  const steps = report.steps.map(stepCase);
  const inputs = report.environment
    .filter(({ kind, status }) => kind === "input" && (status === "missing" || status === "damaged"))
    .map(({ name, status }): JunitCase => ({ name: `input ${name}`, error: `the input is ${status}` }));
  const verdict: JunitCase = { name: "fidelity", output: verdictText(report) };
  if (report.fidelity !== "exact")
    verdict.failure = { message: verdictText(report), text: verdictText(report) };
  return renderSuite("ctx.replay", `ctx replay ${shortHash(report.pack_hash)}`, [
    ...steps,
    ...report.outputs.map(outputCase),
    ...inputs,
    verdict,
  ]);
}

function stepCase(step: ReplayedStep): JunitCase {
  const name = `step ${step.index} ${step.tool ?? step.type}`;
  const message = step.message ?? step.status;
  switch (step.status) {
    case "failed":
      return { name, error: `${step.reason ?? "error"}: ${message}` };
    case "recorded":
      return step.by_request === true
        ? { name, failure: { message, text: message } }
        : { name, skipped: message };
    case "diverged":
      return step.expected === true
        ? {
            name,
            skipped: "diverged, which the log allows: the step is not deterministic",
            output: step.diff ?? message,
          }
        : { name, failure: { message: step.message ?? "the output differs", text: step.diff ?? message } };
    case "matched":
      return { name };
  }
}

function outputCase({ name: file, reproduced, message = "", diff }: ReplayedOutput): JunitCase {
  const name = `output ${file}`;
  if (reproduced === true) return { name };
  if (reproduced === null) return { name, skipped: message };
  return { name, failure: { message, text: diff ?? message } };
}

/** Renders JUnit XML without a report. */
export function renderReplayError(message: string): string {
  return renderSuite("ctx.replay", "ctx replay", [{ name: "replay", error: message }]);
}
