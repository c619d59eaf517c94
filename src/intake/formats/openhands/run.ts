// Builds one run of OpenHands from its events, of either generation.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { Coverage } from "../../coverage.js";
import { defined, listAt, objectAt, objectsAt, textAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { addSubmission } from "../../submitted-output.js";
import { isSdkEvent } from "./events.js";
import { OldEventReader } from "./old-reader.js";
import { folderOf } from "./outcome.js";
import { SdkEventReader } from "./sdk-reader.js";
import { without } from "./reader-state.js";

function builderOf(into: Into, coverage: Coverage): RunBuilder {
  return new RunBuilder({ format: "openhands", agent: "openhands", keeper: () => into.keeper(), coverage });
}

/** Builds the run of a conversation; its state adds more, where there is one. */
export function conversationRun(
  events: readonly JsonObject[],
  { into, coverage, state }: { into: Into; coverage: Coverage; state?: JsonObject | undefined },
): ExecutionLog {
  const builder = builderOf(into, coverage);
  takeEvents(builder, events, { state });
  addPromptOption(builder, into);
  return builder.finish();
}

interface EvaluationContext {
  state?: JsonObject | undefined;
  metrics?: JsonObject | undefined;
}

function takeEvents(
  builder: RunBuilder,
  events: readonly JsonObject[],
  { state, metrics }: EvaluationContext,
): void {
  const workdir = wordAt(state, "workspace", "working_dir") ?? firstFolder(events);
  builder.see({ cwd: workdir });
  if (
    state !== undefined ||
    events.some((event) => isSdkEvent(event) || textAt(event, "kind") !== undefined)
  ) {
    const reader = new SdkEventReader(builder, workdir);
    if (state !== undefined) reader.state.describe(state);
    // The model is named with the first usage, which is after its first message.
    for (const event of events)
      if (textAt(event, "key") === "stats") reader.state.noteModel(objectAt(event, "value"));
    for (const event of events) reader.take(event);
    reader.state.finish();
    return;
  }
  const reader = new OldEventReader(builder, workdir);
  for (const event of events) reader.take(event);
  reader.responses.finish(metrics);
  if (reader.responses.model !== undefined) builder.identifier = reader.responses.model;
}

/** Returns the folder in which the first command ended: where none is named before, it is the run's. */
function firstFolder(events: readonly JsonObject[]): string | undefined {
  for (const event of events) {
    const folder = folderOf(objectAt(event, "extras")) ?? folderOf(objectAt(event, "observation"));
    if (folder !== undefined) return folder;
  }
  return undefined;
}

/** Fields that evaluations and the resolver record about a task, kept under the same names. */
const keptFields = words(
  "instance_id error success comment_success result_explanation issue_type base_commit attempt status",
);
const readFields = words("history git_patch test_result metadata metrics instruction issue");

/** Builds the run of one task of an evaluation. */
export function evaluationRun(record: JsonObject, into: Into, coverage: Coverage): ExecutionLog {
  const builder = builderOf(into, coverage);
  const events = historyOf(record);
  coverage.records += events.length;
  const llm = objectAt(record, "metadata", "llm_config") ?? objectAt(record, "metadata", "llm");
  builder.identifier = wordAt(llm, "model");
  for (const name of ["temperature", "top_p", "top_k", "max_output_tokens", "reasoning_effort"]) {
    const value = llm?.[name];
    if (value !== undefined && value !== null) builder.parameters[name] = value;
  }
  const agent = wordAt(record, "metadata", "agent_class");
  if (agent !== undefined) builder.source["agent_class"] = agent;
  describeEvaluation(builder, record);
  takeEvents(builder, events, { metrics: objectAt(record, "metrics") });
  const instruction = wordAt(record, "instruction");
  if (builder.promptCount === 0 && instruction !== undefined) builder.prompt(instruction);
  addSubmission(builder, textAt(record, "git_patch") ?? textAt(record, "test_result", "git_patch"));
  addPromptOption(builder, into);
  return builder.finish();
}

function describeEvaluation(builder: RunBuilder, record: JsonObject): void {
  const result = objectAt(record, "test_result");
  const issue = objectAt(record, "issue");
  const rest = result === undefined ? undefined : without(result, new Set(["git_patch"]));
  Object.assign(
    builder.metadata,
    defined({
      test_result: rest === undefined || Object.keys(rest).length === 0 ? undefined : rest,
      issue:
        issue === undefined
          ? undefined
          : without(issue, new Set(["body", "thread_comments", "review_comments"])),
      dataset: wordAt(record, "metadata", "dataset"),
    }),
  );
  for (const [name, value] of Object.entries(record)) {
    if (value === null || value === "" || readFields.has(name)) continue;
    if (keptFields.has(name)) builder.metadata[name] = value;
    else builder.coverage.leaveOut(`field ${name}`);
  }
}

/** Returns the events of a task: a list of them, or of pairs of an action and its observation. */
function historyOf(record: JsonObject): JsonObject[] {
  const history: readonly JsonValue[] = listAt(record, "history");
  return history.flatMap((item) => (Array.isArray(item) ? objectsAt(item) : objectsAt([item])));
}
