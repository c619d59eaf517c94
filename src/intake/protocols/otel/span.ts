// What is known of a span, in one form for all who write spans, or records that can be told as spans.
import type { JsonObject } from "../../../base/json/value.js";
import type { Status } from "../../run-entries.js";

export interface SpanEvent {
  name: string;
  attributes: JsonObject;
}

/** What a span stands for. `idle`: known, and nothing that a run is told by. `foreign`: about something else than models. */
export type Kind = "chat" | "tool" | "agent" | "idle" | "foreign" | "unknown";

export interface Span {
  id: string;
  trace: string;
  parent: string | undefined;
  name: string;
  start: string | undefined;
  end: string | undefined;
  hasFailed: boolean;
  /** What the status says beyond that. */
  failure: string | undefined;
  attributes: JsonObject;
  events: SpanEvent[];
  resource: JsonObject;
  /** What it stands for, where its attributes say that in words that are not the conventions'. */
  kind?: Kind;
  /** How such a record is called, likewise. */
  label?: string;
  /** How a call ended, where that is more than whether it failed. */
  status?: Status;
  /** More for the metadata of its step. */
  more?: JsonObject;
}
