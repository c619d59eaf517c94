// A span in one form for all exporters, and for records that can be expressed as spans.
import type { JsonObject } from "../../../base/json/value.js";
import type { Status } from "../../run-entries.js";

export interface SpanEvent {
  name: string;
  attributes: JsonObject;
}

/** What a span stands for. `idle`: known, and irrelevant to the run. `foreign`: not about models. */
export type SpanKind = "chat" | "tool" | "agent" | "idle" | "foreign" | "unknown";

export interface Span {
  id: string;
  trace: string;
  parent: string | undefined;
  name: string;
  start: string | undefined;
  end: string | undefined;
  hasFailed: boolean;
  /** The message of the status. */
  failure: string | undefined;
  attributes: JsonObject;
  events: SpanEvent[];
  resource: JsonObject;
  /** Its kind, where its attributes do not use the conventions' words. */
  kind?: SpanKind;
  /** The name of such a record, likewise. */
  label?: string;
  /** Whether it is one turn of a conversation, whose first request repeats what was said in earlier turns. */
  isTurn?: true;
  /** How a call ended, where that is more than whether it failed. */
  status?: Status;
  /** Additional metadata of its step. */
  more?: JsonObject;
}
