// Trajectories of SWE-agent, from its first version to the newest, and its demonstrations, which hold only
// the history. A run with several attempts holds all of them, and the best one at the top.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { objectsAt, textAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import type { LogSource } from "../../log-source.js";
import { sweRun } from "./run.js";

export const sweAgent: Format = {
  name: "swe-agent",
  title: "SWE-agent trajectories",
  from: "trajectories/<user>/<run>/<instance>/<instance>.traj",
  isTimeless: true,
  sniff,
  read,
};

function sniff({ document }: Head): Fit {
  if (document === undefined || !isObject(document)) return { near: 0, missing: "it is not a JSON object" };
  if (isTry(document) || objectsAt(document, "attempts").some(isTry)) return true;
  const found = ["trajectory", "history", "info"].filter((key) => Object.hasOwn(document, key));
  return {
    near: found.length / 5,
    missing: "it has no `trajectory` of actions and observations, and no `history` of an agent's messages",
  };
}

/** Returns whether this is an attempt as SWE-agent records it; its last element may be incomplete. */
function isTry(record: JsonObject): boolean {
  const [step] = objectsAt(record, "trajectory");
  if (step !== undefined)
    return (
      textAt(step, "action") !== undefined &&
      !Object.hasOwn(step, "source") &&
      ["thought", "response", "state"].some((key) => Object.hasOwn(step, key))
    );
  const [message] = objectsAt(record, "history");
  return (
    textAt(message, "role") !== undefined &&
    (textAt(message, "agent") !== undefined || textAt(message, "message_type") !== undefined)
  );
}

function read(source: LogSource, into: Into): ExecutionLog[] {
  const document = documentOf(source, into.coverage, (value) => triesIn(value).length > 0);
  const tries = triesIn(document);
  const others = objectsAt(document, "attempts").length;
  const [only, another] = tries;
  if (only === undefined)
    throw new CtxError("log-unreadable", `${source.name} contains neither a trajectory nor a history`);
  if (another === undefined) {
    // The best attempt is at the top, and among the others once more.
    for (let count = 1; count < others; count++) into.coverage.leaveOut("attempt that was not the best");
    return [sweRun(only, into, into.coverage)];
  }
  return tries.map((record) => {
    const coverage = new Coverage();
    const run = sweRun(record, into, coverage);
    into.coverage.records += coverage.records;
    return run;
  });
}

function triesIn(document: JsonValue): JsonObject[] {
  const top = isObject(document) ? [document] : [];
  const found = top.filter(hasRun);
  return found.length > 0 ? found : objectsAt(document, "attempts").filter(hasRun);
}

function hasRun(record: JsonObject): boolean {
  return objectsAt(record, "trajectory").length > 0 || objectsAt(record, "history").length > 0;
}
