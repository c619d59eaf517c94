// Reads a rollout, record by record: dispatches items and events, and settles at the end what was left open.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { Into } from "../../format.js";
import { defined, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { timeOf } from "../../times.js";
import { endTurn, settleCalls } from "./calls.js";
import { takeEvent } from "./events.js";
import { takeItem } from "./items.js";
import { settleUsers } from "./prompts.js";
import { type CodexRun, codexRun } from "./run.js";
import { setModel, settleSession, takeMeta, takeTurn, takeUsageRecord } from "./session.js";

/** The types of records that have a payload. */
export const recordTypes = words(
  "session_meta turn_context response_item event_msg compacted world_state inter_agent_communication inter_agent_communication_metadata security_risk_score token_usage_record",
);

/** Returns whether a record is the first one of a log of the first Rust versions. */
export function isBareMeta(record: JsonObject): boolean {
  return (
    !Object.hasOwn(record, "type") &&
    wordAt(record, "id") !== undefined &&
    wordAt(record, "timestamp") !== undefined &&
    (Object.hasOwn(record, "instructions") || Object.hasOwn(record, "git"))
  );
}

export class CodexReader {
  readonly #into: Into;
  readonly #run: CodexRun;

  constructor(into: Into) {
    this.#into = into;
    this.#run = codexRun(into);
  }

  /** Reads the document of the TypeScript version, which holds a whole session. */
  takeDocument(document: JsonValue): void {
    const { coverage } = this.#run.builder;
    coverage.records++;
    takeMeta(this.#run, valueAt(document, "session"));
    for (const item of listAt(document, "items")) {
      coverage.records++;
      if (isObject(item)) takeItem(this.#run, item, timeOf(valueAt(item, "timestamp"), coverage));
      else coverage.skip("items that are no objects");
    }
  }

  take(record: JsonObject): void {
    const run = this.#run;
    const { coverage } = run.builder;
    const time = timeOf(valueAt(record, "timestamp"), coverage);
    const type = textAt(record, "type");
    const payload = objectAt(record, "payload");
    if (payload === undefined) return this.#takeBare(record, time);
    run.builder.see({ time });
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
        return this.#takeCompaction(payload, time);
      case "token_usage_record":
        return takeUsageRecord(run, payload);
      case "world_state":
        if (run.model === undefined) setModel(run, wordAt(payload, "state", "model"));
        return coverage.leaveOut("world_state");
      default:
        if (type !== undefined && recordTypes.has(type)) coverage.leaveOut(type);
        else coverage.skip(type ?? "unknown");
    }
  }

  finish(): ExecutionLog {
    settleUsers(this.#run);
    settleCalls(this.#run);
    settleSession(this.#run);
    addPromptOption(this.#run.builder, this.#into);
    return this.#run.builder.finish();
  }

  #takeBare(record: JsonObject, time: string | undefined): void {
    if (Object.hasOwn(record, "record_type"))
      this.#run.builder.coverage.leaveOut(textAt(record, "record_type") ?? "record_type");
    else if (isBareMeta(record)) takeMeta(this.#run, record);
    else takeItem(this.#run, record, time);
  }

  /** Notes that the history was replaced by a summary, which may be encrypted. */
  #takeCompaction(payload: JsonObject, time: string | undefined): void {
    const run = this.#run;
    settleUsers(run);
    const text = textAt(payload, "message") ?? "";
    const metadata = defined({
      window: numberAt(payload, "window_number"),
      opaque: text === "" ? true : undefined,
    });
    run.builder.context("compaction", text, { time, cwd: run.cwd, metadata });
  }
}
