// Builds one run of SWE-agent. The trajectory records actions and observations; the history records what the
// model was sent, and may have been shortened since.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { parsedText } from "../../protocols/openai-chat/calls.js";
import type { Coverage } from "../../coverage.js";
import {
  defined,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
  wordAt,
} from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { addSubmission } from "../../submitted-output.js";
import { totalUsage } from "../../usage-book.js";
import { takeHistory, takeOpening } from "./history.js";
import { takeTrajectory } from "./trajectory.js";
import { unknownFailures } from "../../../model/coverage-codes.js";

export function sweRun(record: JsonObject, into: Into, coverage: Coverage): ExecutionLog {
  const builder = new RunBuilder({
    format: "swe-agent",
    agent: "swe-agent",
    keeper: () => into.keeper(),
    coverage,
  });
  const config = configOf(valueAt(record, "replay_config"), coverage);
  const [steps, history] = [objectsAt(record, "trajectory"), objectsAt(record, "history")];
  for (const list of [listAt(record, "trajectory"), listAt(record, "history")]) {
    coverage.records += list.length;
    for (const item of list) if (!isObject(item)) coverage.skip("no object");
  }
  const repository = wordAt(config, "env", "repo", "repo_name");
  const about = {
    model: wordAt(config, "agent", "model", "name"),
    cwd: repository === undefined ? undefined : `/${repository}`,
  };
  builder.identifier = about.model;
  builder.see(about);
  describeAttempt(builder, record, config);
  const messages = takeOpening(builder, history, wordAt(config, "problem_statement", "text"));
  coverage.addUnknown(unknownFailures.commands);
  if (steps.length > 0) takeTrajectory(builder, { steps, messages, ...about });
  else takeHistory(builder, messages, about);
  addSubmission(builder, textAt(record, "info", "submission"));
  addPromptOption(builder, into);
  return builder.finish();
}

/** Returns the settings of the run: an object, or one serialised as text. */
function configOf(value: JsonValue | undefined, coverage: Coverage): JsonObject | undefined {
  const config = typeof value === "string" ? parsedText(value, coverage) : value;
  return objectAt(config);
}

const parameterNames = ["temperature", "top_p", "max_output_tokens", "completion_kwargs"];

/** Fields that are read elsewhere, or say nothing more. */
const readFields = new Set(["trajectory", "history", "info", "replay_config", "environment", "attempts"]);
const readInfo = new Set(["exit_status", "submission", "model_stats", "swe_agent_version", "swe_agent_hash"]);

function describeAttempt(builder: RunBuilder, record: JsonObject, config: JsonObject | undefined): void {
  const { coverage, metadata, toolVersions } = builder;
  const info = objectAt(record, "info") ?? {};
  const version = wordAt(info, "swe_agent_version");
  if (version !== undefined) toolVersions["swe-agent"] = version;
  Object.assign(builder.source, defined({ version, commit: wordAt(info, "swe_agent_hash") }));
  for (const name of parameterNames) {
    const value = valueAt(config, "agent", "model", name);
    const isEmpty =
      value !== undefined && value !== null && isObject(value) && Object.keys(value).length === 0;
    if (value !== undefined && value !== null && !isEmpty) builder.parameters[name] = value;
  }
  const commit = wordAt(config, "env", "repo", "base_commit");
  Object.assign(
    metadata,
    defined({
      git: commit === undefined ? undefined : { commit },
      image: wordAt(config, "env", "deployment", "image"),
      instance_id: wordAt(config, "problem_statement", "id"),
      issue: wordAt(config, "problem_statement", "github_url"),
      outcome: wordAt(info, "exit_status"),
    }),
  );
  takeStats(builder, objectAt(info, "model_stats"));
  for (const name of Object.keys(record)) if (!readFields.has(name)) coverage.leaveOut(`field ${name}`);
  for (const name of Object.keys(info)) if (!readInfo.has(name)) coverage.leaveOut(`field info.${name}`);
}

function takeStats(builder: RunBuilder, stats: JsonObject | undefined): void {
  const sent = numberAt(stats, "tokens_sent");
  const received = numberAt(stats, "tokens_received");
  Object.assign(
    builder.metadata,
    defined({ cost_usd: numberAt(stats, "instance_cost"), requests: numberAt(stats, "api_calls") }),
  );
  // A replayed model, or one that reports no usage, has zeros.
  if ((sent ?? 0) > 0 || (received ?? 0) > 0)
    builder.use(totalUsage, { input_tokens: sent, output_tokens: received });
}
