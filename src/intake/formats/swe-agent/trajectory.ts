// Reads the trajectory of a run: each step is the model's answer, the action, and the observation. The
// message in the history is matched by its text; failed steps have none, since the model was queried again.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { callBook, parsedText } from "../../protocols/openai-chat/calls.js";
import type { Coverage } from "../../coverage.js";
import { defined, numberAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { isDemo } from "./history.js";
import { isElided, takeSpeech, textIn } from "./speech.js";

const messageOutsideSteps = "message that no step of the trajectory holds";

interface TrajectoryOptions {
  steps: readonly JsonObject[];
  /** The history from the model's first message on. */
  messages: readonly JsonObject[];
  model: string | undefined;
  cwd: string | undefined;
}

export function takeTrajectory(
  builder: RunBuilder,
  { steps, messages, model, cwd }: TrajectoryOptions,
): void {
  const { coverage } = builder;
  const spoken = spokenIn(builder, messages);
  const calls = callBook();
  let folder = cwd;
  for (const [index, step] of steps.entries()) {
    const [action, response] = [textAt(step, "action") ?? "", textAt(step, "response") ?? ""];
    const found = spoken.take(action, response);
    const state = stateOf(step, coverage);
    // The first versions queried the folder before the action, later ones after it.
    folder = state.isBefore ? (state.folder ?? folder) : (folder ?? state.folder);
    const seconds = numberAt(step, "execution_time");
    const at = {
      model,
      cwd: folder,
      metadata: defined({ duration_ms: seconds === undefined ? undefined : Math.round(seconds * 1000) }),
    };
    const thought = textAt(step, "thought") ?? "";
    const speech = { response, thought, action, message: found?.message };
    const name = takeSpeech(builder, speech, { calls, number: index + 1, at: { model, cwd: folder } });
    observe(builder, { step, name, shown: found?.shown, metadata: at.metadata });
    folder = state.folder ?? folder;
  }
  for (const _ of spoken.rest()) coverage.leaveOut(messageOutsideSteps);
}

interface Observed {
  step: JsonObject;
  name: string | undefined;
  shown: string | undefined;
  metadata: JsonObject;
}

function observe(builder: RunBuilder, { step, name, shown, metadata }: Observed): void {
  const observation = textAt(step, "observation");
  if (name === undefined) {
    // No action was executed: the observation says why.
    if (observation !== undefined && observation.trim() !== "") builder.context("environment", observation);
    return;
  }
  if (observation === undefined && shown === undefined) return;
  const wasElided = shown !== undefined && isElided(shown);
  builder.result(name, {
    status: "ok",
    output: observation ?? shown,
    seen: wasElided ? undefined : shown,
    metadata: wasElided ? { ...metadata, elided_later: true } : metadata,
  });
}

interface SweShellState {
  folder: string | undefined;
  isBefore: boolean;
}

/**
 * Returns the folder of the shell: the state is an object, or in the first versions one serialised as text.
 */
function stateOf(step: JsonObject, coverage: Coverage): SweShellState {
  const value: JsonValue | undefined = valueAt(step, "state");
  const isText = typeof value === "string";
  const folder = wordAt(isText ? parsedText(value, coverage) : value, "working_dir");
  return { folder: folder === "n/a" ? undefined : folder, isBefore: isText };
}

interface HistoryAnswer {
  message: JsonObject;
  /** What the model was shown next. */
  shown: string | undefined;
}

/** Yields the answers of the model in a history, matched by their text. */
function spokenIn(
  builder: RunBuilder,
  messages: readonly JsonObject[],
): { take: (action: string, response: string) => HistoryAnswer | undefined; rest: () => HistoryAnswer[] } {
  const found = new Map<string, HistoryAnswer[]>();
  for (const [index, message] of messages.entries()) {
    const before = index === 0 ? undefined : messages[index - 1];
    if (!isSpoken(message)) {
      if (before === undefined || !isSpoken(before)) builder.coverage.leaveOut(messageOutsideSteps);
      continue;
    }
    const next = messages[index + 1];
    const isShown = next !== undefined && !isSpoken(next);
    const key = keyOf(textAt(message, "action") ?? "", textIn(builder, message) ?? "");
    const same = found.get(key) ?? [];
    found.set(key, same);
    same.push({ message, shown: isShown ? textIn(builder, next) : undefined });
  }
  for (const same of found.values()) same.reverse();
  return {
    take: (action, response) => found.get(keyOf(action, response))?.pop(),
    rest: () => [...found.values()].flat(),
  };
}

function isSpoken(message: JsonObject): boolean {
  return textAt(message, "role") === "assistant" && !isDemo(message);
}

function keyOf(action: string, response: string): string {
  return `${action.trim()}\0${response.trim()}`;
}
