// Reads a foreign log that holds one run, and returns its parts in the form that tests compare.
import type { Format } from "../src/intake/format.js";
import type { ExecutionLog } from "../src/model/log.js";
import { readForeign, type ForeignRuns } from "./intake.js";

export function readRun(format: Format, log: unknown, options: { prompt?: string; path?: string } = {}) {
  const bytes = typeof log === "string" || Buffer.isBuffer(log) ? log : JSON.stringify(log, null, 1);
  const taken = readForeign(format, bytes, options);
  const [run] = taken.runs;
  if (run === undefined) throw new Error("no run");
  return { ...taken, ...partsOf(taken, run) };
}

export function partsOf({ text }: Pick<ForeignRuns, "text">, run: ExecutionLog) {
  const steps = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    parameters: step.parameters,
    output: text(step.output),
    seen: text(step.seen),
    pack: step.pack,
    metadata: step.metadata ?? {},
    timestamp: step.timestamp,
  }));
  const metadata = run.metadata ?? {};
  return {
    run,
    steps,
    metadata,
    calls: steps.filter(({ type }) => type === "tool_call"),
    contexts: steps
      .filter(({ type }) => type === "context")
      .map(({ metadata: about, output }) => [about["kind"], output]),
    prompts: (run.prompts ?? []).map(({ content }) => text(content)),
    inputs: Object.fromEntries((run.inputs ?? []).map(({ name, content }) => [name, text(content)])),
    outputs: Object.fromEntries((run.outputs ?? []).map(({ name, content }) => [name, text(content)])),
    source: metadata["source"] as Record<string, unknown>,
    coverage: metadata["coverage"] as Record<string, unknown>,
    usage: metadata["usage"] as Record<string, number> | undefined,
  };
}
