// Builds one run of mini-swe-agent: its settings, and its messages one after the other.
import { type JsonObject, setOwn } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { defined, numberAt, objectAt, textAt, wordAt } from "../../json-access.js";
import type { Into } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { addSubmission } from "../../submitted-output.js";
import { fenceOf } from "./fenced.js";
import { MiniSweAgentReader } from "./reader.js";

export function miniRun(record: JsonObject, messages: readonly JsonObject[], into: Into): ExecutionLog {
  const { coverage } = into;
  const builder = new RunBuilder({
    format: "mini-swe-agent",
    agent: "mini-swe-agent",
    keeper: () => into.keeper(),
    coverage,
  });
  const model = describeSettings(builder, record);
  const reader = new MiniSweAgentReader(builder, { model, fence: fenceOf(messages) ?? "bash" });
  for (const [index, message] of messages.entries()) {
    coverage.records++;
    reader.take(message, { isLast: index === messages.length - 1 });
  }
  addSubmission(builder, textAt(record, "info", "submission") ?? reader.submission);
  addPromptOption(builder, into);
  return builder.finish();
}

const readFields = new Set(["info", "messages", "trajectory_format", "instance_id"]);
const readInfo = new Set(["model_stats", "config", "mini_version", "exit_status", "submission"]);

/** Reads the settings, and returns the name of the model. */
function describeSettings(builder: RunBuilder, record: JsonObject): string | undefined {
  const info = objectAt(record, "info") ?? {};
  const config = objectAt(info, "config");
  const version = wordAt(info, "mini_version");
  const model = wordAt(config, "model", "model_name");
  builder.identifier = model;
  builder.see({ cwd: wordAt(config, "environment", "cwd") });
  for (const [name, value] of Object.entries(objectAt(config, "model", "model_kwargs") ?? {}))
    if (name !== "api_key" && value !== null) setOwn(builder.parameters, name, value);
  if (version !== undefined) builder.toolVersions["mini-swe-agent"] = version;
  Object.assign(builder.source, defined({ version, layout: wordAt(record, "trajectory_format") }));
  Object.assign(
    builder.metadata,
    defined({
      instance_id: wordAt(record, "instance_id"),
      image: wordAt(config, "environment", "image"),
      outcome: wordAt(info, "exit_status"),
      cost_usd: numberAt(info, "model_stats", "instance_cost"),
      requests: numberAt(info, "model_stats", "api_calls"),
    }),
  );
  for (const name of Object.keys(record))
    if (!readFields.has(name)) builder.coverage.leaveOut(`field ${name}`);
  for (const name of Object.keys(info))
    if (!readInfo.has(name)) builder.coverage.leaveOut(`field info.${name}`);
  return model;
}
