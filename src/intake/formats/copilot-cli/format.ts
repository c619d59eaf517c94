// Sessions of GitHub Copilot CLI: events, one a line. `copilot -p … --output-format json` prints the same
// events, and more.
import type { JsonObject } from "../../../base/json/value.js";
import { objectAt, textAt } from "../../json-access.js";
import type { Fit, Format } from "../../format.js";
import type { Head } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { CopilotReader } from "./reader.js";

export const copilotCli: Format = {
  name: "copilot-cli",
  title: "GitHub Copilot CLI session, with its sub-agents",
  from: "~/.copilot/session-state/<session>/events.jsonl, or copilot -p … --output-format json",
  sniff,
  read(source, into) {
    const session = new CopilotReader(into);
    for (const { value } of recordsOf(source, into.coverage)) session.take(value);
    return [session.finish()];
  },
};

const own = /^(?:session|assistant|user|tool|subagent|hook|system|permission)\.[a-z_]+$/;
const sure =
  /^(?:session\.(?:start|resume|shutdown|model_change)|(?:user|assistant)\.message|assistant\.turn_start|tool\.execution_(?:start|complete))$/;

function sniff({ records, document }: Head): Fit {
  const first = objectAt(document);
  const seen = records.length > 0 || first === undefined ? records : [first];
  const events = seen.filter((record) => isEvent(record, own));
  const isSure = events.some((record) => isEvent(record, sure));
  if (isSure && events.length * 2 > seen.length) return true;
  return {
    near: isSure ? 0.4 : 0,
    missing: "it has no events with data, such as `session.start` and `assistant.message`",
  };
}

function isEvent(record: JsonObject, type: RegExp): boolean {
  return type.test(textAt(record, "type") ?? "") && objectAt(record, "data") !== undefined;
}
