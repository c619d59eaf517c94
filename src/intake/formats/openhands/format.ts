// Logs of OpenHands: lists of events of both generations, the folder of a conversation, and the output of
// evaluations, which holds a run a line.
import { CtxError } from "../../../base/errors.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { objectAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import { type Head, headOf } from "../../head.js";
import { isByLine } from "../../head.js";
import { parseValue, recordsOf } from "../../parse.js";
import { maxDocument, type LogSource } from "../../log-source.js";
import { eventsIn, isEvaluation, isOldEvent, isSdkEvent, isState } from "./events.js";
import { eventsFolder, eventsOf, stateBytes } from "./folder.js";
import { conversationRun, evaluationRun } from "./run.js";

export const openhands: Format = {
  name: "openhands",
  title: "OpenHands conversations and evaluations",
  from: "~/.openhands/conversations/<id>, a downloaded trajectory, or output.jsonl of an evaluation",
  sniff,
  read,
};

const stateAlone =
  "it is the state of a conversation, without its events: the run is in the events/ folder next to it";

function sniff({ document, records }: Head, path?: string): Fit {
  if (isState(document)) return eventsFolder(path) === undefined ? { near: 0.99, missing: stateAlone } : true;
  const first = records[0] ?? (Array.isArray(document) ? document[0] : document);
  if ([first, document].some((value) => isOldEvent(value) || isSdkEvent(value) || isEvaluation(value)))
    return true;
  if (eventsIn(document) !== undefined) return true;
  if (records.length > 1 && records.some((value) => isEvaluation(value))) return true;
  const isNear =
    objectAt(first) !== undefined &&
    ["history", "action", "observation"].some((key) => Object.hasOwn(first as JsonObject, key));
  return {
    near: isNear ? 0.2 : 0,
    missing: "no record is an event with a `source`, or has a `history` of such events",
  };
}

function read(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const { document } = headOf(source.head, source.isWhole);
  const folder = eventsFolder(source.path);
  if (isState(document) || (folder !== undefined && (isOldEvent(document) || isSdkEvent(document)))) {
    if (folder === undefined)
      throw new CtxError("log-unreadable", `${source.name} contains no run: ${stateAlone}`, {
        hint: "pack the folder that contains both",
      });
    // Whichever file was named, the conversation is all of them.
    const events = [...eventsOf(folder, coverage)];
    return [conversationRun(events, { into, coverage, state: stateIn(folder, coverage) })];
  }
  const runs = isByLine(source) ? readLines(source, into) : readDocument(source, into);
  if (runs.length > 0) return runs;
  throw new CtxError("log-unreadable", `${source.name} contains no events of OpenHands`);
}

function stateIn(folder: string, coverage: Coverage): JsonObject | undefined {
  const bytes = stateBytes(folder);
  const state = bytes === undefined ? undefined : parseValue(bytes, coverage);
  return state instanceof Error || !isState(state) ? undefined : state;
}

/** Reads lines that are tasks of an evaluation, or events of one conversation. */
function readLines(source: LogSource, into: Into): ExecutionLog[] {
  const runs: ExecutionLog[] = [];
  const events: JsonObject[] = [];
  let { replaced } = into.coverage;
  for (const { value } of recordsOf(source, into.coverage, { maxLength: maxDocument })) {
    if (isEvaluation(value)) {
      const coverage = new Coverage();
      coverage.replaced = into.coverage.replaced - replaced;
      runs.push(evaluationRun(value, into, coverage));
    } else if (runs.length > 0) into.coverage.skip("line without a history");
    else events.push(value);
    ({ replaced } = into.coverage);
  }
  if (runs.length === 0) {
    const listed = events.length === 1 ? eventsIn(events[0]) : undefined;
    const own = listed?.filter((item) => isObject(item)) ?? events;
    return own.length === 0 ? [] : [conversationRun(own, { into, coverage: into.coverage })];
  }
  for (const _ of events) into.coverage.skip("line without a history");
  return runs;
}

function readDocument(source: LogSource, into: Into): ExecutionLog[] {
  const { coverage } = into;
  const document = documentOf(
    source,
    coverage,
    (value) => tasksIn(value).length > 0 || eventsIn(value) !== undefined,
  );
  const tasks = tasksIn(document);
  if (tasks.length > 0)
    return tasks.map((record) => {
      const own = new Coverage();
      const run = evaluationRun(record, into, own);
      coverage.records += own.records;
      return run;
    });
  const events = eventsIn(document) ?? (Array.isArray(document) ? document : [document]);
  coverage.records += events.length;
  const own: JsonObject[] = [];
  for (const event of events)
    if (isObject(event)) own.push(event);
    else coverage.skip("no object");
  return own.length === 0 ? [] : [conversationRun(own, { into, coverage })];
}

function tasksIn(document: JsonValue): JsonObject[] {
  const items = Array.isArray(document) ? document : [document];
  return items.filter((item) => isEvaluation(item));
}
