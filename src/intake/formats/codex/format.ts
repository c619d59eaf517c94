// Codex rollouts in all their layouts: records with a payload, the bare items of the first Rust versions, and
// the one document of the TypeScript version. The items are the backbone; events only add to them.
import { isObject, type JsonObject } from "../../../base/json/value.js";
import { CtxError } from "../../../base/errors.js";
import type { ExecutionLog } from "../../../model/log.js";
import { given, listAt, numberAt, objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import { type Head, headOf } from "../../head.js";
import { parseValue, recordsOf } from "../../parse.js";
import { givenPrompt } from "../../prompt-flag.js";
import { type LogSource, wholeOf } from "../../log-source.js";
import { timeOf } from "../../times.js";
import { endTurn, settleCalls } from "./calls.js";
import { takeEvent } from "./events.js";
import { takeItem } from "./items.js";
import { settleUsers } from "./prompts.js";
import { type CodexRun, codexRun } from "./run.js";
import { setModel, settleSession, takeMeta, takeTurn } from "./session.js";

export const codex: Format = {
  name: "codex",
  title: "Codex rollouts",
  from: "~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl",
  sniff,
  read,
};

const recordTypes = new Set(
  "session_meta turn_context response_item event_msg compacted world_state inter_agent_communication inter_agent_communication_metadata security_risk_score".split(
    " ",
  ),
);

const itemTypes = new Set(
  "message reasoning function_call function_call_output local_shell_call local_shell_call_output custom_tool_call custom_tool_call_output web_search_call".split(
    " ",
  ),
);

function sniff(head: Head): Fit {
  if (isDocument(head)) return true;
  const { records } = head;
  const wrapped = records.filter(isWrapped);
  if (wrapped.some((record) => record["type"] === "session_meta")) return true;
  if (wrapped.length > records.length * 0.8) return true;
  const [first, ...rest] = records;
  // Other formats have an id, a time and instructions as well, but no null where these are missing.
  const isAlone = rest.length === 0 && first?.["instructions"] === null;
  if (first !== undefined && isBareMeta(first) && (isAlone || (rest.length > 0 && rest.every(isBareItem))))
    return true;
  const near = records.length === 0 ? 0 : wrapped.length / records.length;
  return { near, lacks: "it has no `session_meta` record, and few of its records have a `payload`" };
}

function isDocument({ document }: Head): boolean {
  const session = objectAt(document, "session");
  return (
    wordAt(session, "id") !== undefined &&
    valueAt(session, "timestamp") !== undefined &&
    Array.isArray(valueAt(document, "items")) &&
    (valueAt(session, "instructions") !== undefined || objectsAt(document, "items").some(isBareItem))
  );
}

function isWrapped(record: JsonObject): boolean {
  const [type = "", payload] = [textAt(record, "type"), objectAt(record, "payload")];
  const isNamed = !/^(?:response_item|event_msg)$/.test(type) || textAt(payload, "type") !== undefined;
  return recordTypes.has(type) && payload !== undefined && isNamed;
}

/** Whether a record is the first one of a log of the first Rust versions. */
function isBareMeta(record: JsonObject): boolean {
  return (
    !Object.hasOwn(record, "type") &&
    wordAt(record, "id") !== undefined &&
    wordAt(record, "timestamp") !== undefined &&
    (Object.hasOwn(record, "instructions") || Object.hasOwn(record, "git"))
  );
}

function isBareItem(record: JsonObject): boolean {
  return Object.hasOwn(record, "record_type") || itemTypes.has(textAt(record, "type") ?? "");
}

function read(source: LogSource, into: Into): ExecutionLog[] {
  const run = codexRun(into);
  if (isDocument(headOf(source.head, source.isWhole))) readDocument(run, source);
  else for (const { value } of recordsOf(source, into.coverage)) takeRecord(run, value);
  settleUsers(run);
  settleCalls(run);
  settleSession(run);
  givenPrompt(run.builder, into);
  return [run.builder.finish()];
}

function readDocument(run: CodexRun, source: LogSource): void {
  const { coverage } = run.builder;
  const document = parseValue(wholeOf(source), coverage);
  if (document instanceof Error) throw new CtxError("log-unreadable", `${source.name} ${document.message}`);
  coverage.records++;
  takeMeta(run, valueAt(document, "session"));
  for (const item of listAt(document, "items")) {
    coverage.records++;
    if (isObject(item)) takeItem(run, item, timeOf(valueAt(item, "timestamp"), coverage));
    else coverage.skip("items that are no objects");
  }
}

function takeRecord(run: CodexRun, record: JsonObject): void {
  const { builder } = run;
  const { coverage } = builder;
  const time = timeOf(valueAt(record, "timestamp"), coverage);
  const type = textAt(record, "type");
  const payload = objectAt(record, "payload");
  if (payload === undefined) return takeBare(run, record, time);
  builder.see({ time });
  switch (type) {
    case "session_meta":
      return takeMeta(run, payload);
    case "turn_context":
      endTurn(run);
      return takeTurn(run, payload);
    case "response_item":
      return takeItem(run, payload, time);
    case "event_msg":
      return takeEvent(run, payload, time);
    case "compacted":
      return takeCompaction(run, payload, time);
    case "world_state":
      if (run.model === undefined) setModel(run, wordAt(payload, "state", "model"));
      return coverage.leaveOut("world_state");
    default:
      if (type !== undefined && recordTypes.has(type)) coverage.leaveOut(type);
      else coverage.skip(type ?? "unknown");
  }
}

function takeBare(run: CodexRun, record: JsonObject, time: string | undefined): void {
  if (Object.hasOwn(record, "record_type"))
    run.builder.coverage.leaveOut(textAt(record, "record_type") ?? "record_type");
  else if (isBareMeta(record)) takeMeta(run, record);
  else takeItem(run, record, time);
}

/** Notes that the history was replaced by a summary, which may be encrypted. */
function takeCompaction(run: CodexRun, payload: JsonObject, time: string | undefined): void {
  settleUsers(run);
  const text = textAt(payload, "message") ?? "";
  const metadata = given({
    window: numberAt(payload, "window_number"),
    opaque: text === "" ? true : undefined,
  });
  run.builder.context("compaction", text, { time, cwd: run.cwd, metadata });
}
