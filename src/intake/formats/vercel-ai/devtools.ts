// Reads what the DevTools of Vercel's AI SDK record of a program's requests to models: runs, and the steps of
// each, with requests and answers as JSON within the JSON.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { aiUsage, conventional } from "../../protocols/ai-sdk/messages.js";
import { parsedText } from "../../protocols/openai-chat/calls.js";
import type { Coverage } from "../../coverage.js";
import { defined, listAt, numberAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Span } from "../../protocols/otel/span.js";
import { timeOf } from "../../times.js";

export function isDevtools(value: JsonValue | undefined): value is JsonObject {
  const [run] = listAt(value, "runs");
  const [step] = listAt(value, "steps");
  const isRun = wordAt(run, "id") !== undefined && valueAt(run, "started_at") !== undefined;
  const isStep =
    wordAt(step, "run_id") !== undefined &&
    wordAt(step, "id") !== undefined &&
    (wordAt(step, "model_id") !== undefined || /^(?:generate|stream)$/.test(textAt(step, "type") ?? ""));
  return run === undefined ? isStep : isRun && (step === undefined || isStep);
}

export interface RootRun {
  id: string;
  runs: JsonObject[];
  steps: JsonObject[];
}

/** Returns the runs that no other run started, each with those that it started. */
export function rootRuns(document: JsonObject): RootRun[] {
  const steps = objectsAt(document, "steps");
  const runs = new Map(objectsAt(document, "runs").map((run) => [wordAt(run, "id") ?? "", run]));
  // A step may be present without its run.
  for (const step of steps) {
    const id = wordAt(step, "run_id") ?? "";
    if (!runs.has(id)) runs.set(id, { id });
  }
  const rootOf = new Map<string, string>();
  for (const id of runs.keys()) {
    const path = new Set<string>();
    let top = id;
    for (let next: string | undefined = id; next !== undefined && !path.has(next); ) {
      top = next;
      path.add(top);
      const parent = rootOf.has(top) ? rootOf.get(top) : wordAt(runs.get(top), "parent_run_id");
      next = parent !== undefined && runs.has(parent) ? parent : undefined;
    }
    for (const each of path) rootOf.set(each, top);
  }
  const roots = new Map<string, RootRun>();
  for (const [id, run] of runs) {
    const root = rootOf.get(id) as string;
    const found = roots.get(root) ?? { id: root, runs: [], steps: [] };
    roots.set(root, found);
    found.runs.push(run);
  }
  for (const step of steps) roots.get(rootOf.get(wordAt(step, "run_id") ?? "") ?? "")?.steps.push(step);
  return [...roots.values()].filter((root) => root.steps.length > 0);
}

export function devtoolsSpans({ runs, steps }: RootRun, coverage: Coverage): Span[] {
  return [
    ...runs.map((run) => ({
      ...blank(`run ${wordAt(run, "id") ?? ""}`, run, coverage),
      parent: parentOf(run),
      kind: "agent" as const,
      isTurn: true as const,
      label: "run",
      attributes: defined({ "gen_ai.agent.name": wordAt(run, "function_id") }),
    })),
    ...steps.map((step) => stepOf(step, coverage)),
  ];
}

function parentOf(run: JsonObject): string | undefined {
  const [step, above] = [wordAt(run, "parent_step_id"), wordAt(run, "parent_run_id")];
  if (step !== undefined) return `step ${step}`;
  return above === undefined ? undefined : `run ${above}`;
}

function blank(id: string, record: JsonObject, coverage: Coverage): Span {
  const start = timeOf(valueAt(record, "started_at"), coverage);
  return {
    id,
    trace: "",
    parent: undefined,
    name: id,
    start,
    end: start,
    hasFailed: false,
    failure: undefined,
    attributes: {},
    events: [],
    resource: {},
  };
}

/** Settings of a request besides its messages. */
const settings =
  /^(?:maxOutputTokens|temperature|topP|topK|seed|stopSequences|presencePenalty|frequencyPenalty|toolChoice|responseFormat)$/;

function stepOf(step: JsonObject, coverage: Coverage): Span {
  const span = blank(`step ${wordAt(step, "id") ?? ""}`, step, coverage);
  const input = heldIn(step, "input", coverage);
  const output = heldIn(step, "output", coverage);
  const error = valueAt(step, "error");
  const prompt = listAt(input, "prompt");
  for (const field of ["raw_request", "raw_response", "raw_chunks"])
    if (valueAt(step, field) !== undefined && valueAt(step, field) !== null)
      coverage.leaveOut(`field ${field}`);
  const options = Object.entries(typeof input === "object" && input !== null ? input : {}).filter(
    ([name, value]) => settings.test(name) && value !== null,
  );
  return {
    ...span,
    parent: `run ${wordAt(step, "run_id") ?? ""}`,
    kind: "chat",
    label: textAt(step, "type") ?? "step",
    end: later(span.start, numberAt(step, "duration_ms")) ?? span.start,
    hasFailed: error !== undefined && error !== null,
    failure: typeof error === "string" ? error : wordAt(error, "message"),
    attributes: defined({
      ...Object.fromEntries(options.map(([name, value]) => [`gen_ai.request.${name}`, value])),
      "gen_ai.response.model": wordAt(step, "model_id"),
      "gen_ai.tool.definitions": valueAt(input, "tools"),
      "gen_ai.input.messages":
        prompt.length === 0 ? undefined : prompt.map((message) => conventional(message, coverage)),
      "gen_ai.output.messages": answerOf(output, coverage),
      ...aiUsage(heldIn(step, "usage", coverage) ?? valueAt(output, "usage")),
    }),
  };
}

/** Returns a value that may be serialised as JSON text. */
function heldIn(step: JsonObject, name: string, coverage: Coverage): JsonValue | undefined {
  const value = valueAt(step, name);
  return typeof value === "string" ? parsedText(value, coverage) : (value ?? undefined);
}

/** Returns an answer that came complete, or one that was assembled from a stream. */
function answerOf(output: JsonValue | undefined, coverage: Coverage): JsonValue | undefined {
  const content = listAt(output, "content");
  const parts =
    content.length > 0
      ? content
      : [
          ...listAt(output, "reasoningParts").map((part) => ({
            type: "reasoning",
            text: textAt(part, "text") ?? "",
          })),
          ...listAt(output, "textParts").map((part) => ({ type: "text", text: textAt(part, "text") ?? "" })),
          ...objectsAt(output, "toolCalls").map((call) => ({ ...call, type: "tool-call" })),
        ];
  return parts.length === 0
    ? undefined
    : [conventional({ role: "assistant", content: [...parts] }, coverage)];
}

function later(time: string | undefined, milliseconds: number | undefined): string | undefined {
  const ended =
    time === undefined || milliseconds === undefined ? Number.NaN : Date.parse(time) + milliseconds;
  return ended >= 0 && ended < 8e15 ? timeText(ended) : undefined;
}

function timeText(milliseconds: number): string | undefined {
  const text = new Date(milliseconds).toISOString();
  // Years of more than four digits are not valid in a log.
  return /^\d{4}-/.test(text) ? text : undefined;
}
