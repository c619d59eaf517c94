// Reads how a call ended, as Inspect records it.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { flagAt, defined, listAt, objectAt, textAt, wordAt } from "../../json-access.js";
import type { Coverage } from "../../coverage.js";
import type { ResultEntry, Status } from "../../run-entries.js";
import { plainText, type Reading } from "./content.js";

/** The event of a tool and the message to the model, about one result; either may be missing. */
export interface InspectReturned {
  event?: JsonObject | undefined;
  message?: JsonObject | undefined;
}

export function outcomeOf({ event, message }: InspectReturned, reading: Reading): ResultEntry {
  const error = objectAt(event, "error") ?? objectAt(message, "error");
  const returned = event === undefined ? undefined : resultText(event["result"], reading);
  const content = message === undefined ? undefined : plainText(message["content"], reading);
  // For a failed call, the model sees only the error.
  const failure = reading.attachments.text(textAt(error, "message") ?? "");
  const shown = failure === "" ? content : failure;
  const output = nonEmpty(returned) ?? nonEmpty(content) ?? nonEmpty(failure) ?? returned ?? content;
  return {
    output,
    ...(shown === undefined || shown === "" ? {} : { seen: shown }),
    status: inspectStatus(error, event),
    metadata: defined({
      error: wordAt(error, "type"),
      agent: wordAt(event, "agent"),
      ...cutOf(event, reading.coverage),
    }),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Returns a result as text: it is a string, a number, a flag, or content as in messages. */
function resultText(result: JsonValue | undefined, reading: Reading): string {
  return typeof result === "number" || typeof result === "boolean"
    ? String(result)
    : plainText(result, reading);
}

function inspectStatus(error: JsonObject | undefined, event: JsonObject | undefined): Status {
  if (error === undefined) return flagAt(event, "failed") ? "error" : "ok";
  const type = textAt(error, "type");
  if (type === "approval") return "denied";
  return type === "cancelled" ? "interrupted" : "error";
}

function cutOf(event: JsonObject | undefined, coverage: Coverage): Record<string, JsonValue> {
  const cut = listAt(event, "truncated");
  if (cut.length === 0) return {};
  coverage.truncated++;
  const [of, kept] = cut;
  return { truncated: true, ...defined({ bytes: defined({ of, kept }) }) };
}
