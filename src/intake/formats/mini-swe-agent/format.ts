// Trajectories of mini-swe-agent: a document with the settings of the run, as version 2 and the last of
// version 1 write it, or a bare list of messages.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { documentOf } from "../../document.js";
import { listAt, objectAt, objectsAt, textAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import type { LogSource } from "../../log-source.js";
import { fenceOf } from "./fenced.js";
import { isMade } from "./made.js";
import { miniRun } from "./run.js";

export const miniSweAgent: Format = {
  name: "mini-swe-agent",
  title: "mini-swe-agent trajectories",
  from: "<output>/<instance>/<instance>.traj.json, or ~/.config/mini-swe-agent/last_mini_run.traj.json",
  // Version 1 wrote none.
  isTimeless: true,
  sniff,
  read,
};

function sniff({ document }: Head): Fit {
  if (Array.isArray(document))
    return fenceOf(document) === undefined
      ? { near: 0, missing: "no message has a fenced command with a <returncode> after it" }
      : true;
  const record = objectAt(document);
  if (record === undefined) return { near: 0, missing: "it is neither an object nor a list of messages" };
  if (isNamed(record) || (Array.isArray(record["messages"]) && isMade(objectAt(record, "info")))) return true;
  return {
    near: Array.isArray(record["messages"]) && objectAt(record, "info") !== undefined ? 0.4 : 0,
    missing: "it has no `trajectory_format`, and its `info` names no version of mini-swe-agent",
  };
}

function isNamed(record: JsonObject): boolean {
  return textAt(record, "trajectory_format")?.startsWith("mini-swe-agent") === true;
}

function read(source: LogSource, into: Into): ExecutionLog[] {
  const document = documentOf(source, into.coverage, (value) => messagesIn(value).length > 0);
  const messages = messagesIn(document);
  for (const item of Array.isArray(document) ? document : listAt(document, "messages"))
    if (!isObject(item)) into.coverage.skip("message that is no object");
  if (messages.length === 0) throw new CtxError("log-unreadable", `${source.name} contains no messages`);
  return [miniRun(isObject(document) ? document : {}, messages, into)];
}

function messagesIn(document: JsonValue): JsonObject[] {
  return Array.isArray(document) ? objectsAt(document) : objectsAt(document, "messages");
}
