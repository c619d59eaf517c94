// What formats tell of a run, entry by entry.
import type { JsonObject } from "../base/json/value.js";
import type { LogStep } from "../model/log.js";
import type { Coverage } from "./coverage.js";
import type { Keeper } from "./format.js";

export interface RunOptions {
  format: string;
  /** The agent whose tools these are, as the tool table knows it. */
  agent: string;
  keeper: () => Keeper;
  coverage: Coverage;
}

export type Status = "ok" | "error" | "denied" | "interrupted" | "unanswered";

/** What every entry of a log may say. */
export interface At {
  /** In its normalised form. */
  time?: string | undefined;
  /** The model that spoke. */
  model?: string | undefined;
  /** The folder, where it may change. */
  cwd?: string | undefined;
  branch?: string | undefined;
  /** More for the step's metadata. */
  metadata?: JsonObject;
}

export interface CallEntry extends At {
  id?: string | undefined;
  tool: string;
  parameters: JsonObject;
  /** The provider ran it, not the client. */
  isServer?: boolean;
  /** The same for calls that were issued together. */
  together?: string | undefined;
}

export interface ResultEntry {
  /** What the tool returned. */
  output?: string | Buffer | undefined;
  /** What the model was shown, if that is another thing. */
  seen?: string | undefined;
  status: Status;
  time?: string | undefined;
  metadata?: JsonObject;
}

/** A step that is being put together. */
export interface Step extends LogStep {
  metadata: JsonObject;
}

/** What a call gave. */
export type Contents = Pick<ResultEntry, "output" | "seen">;

export interface Usage {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cache_read_input_tokens?: number | undefined;
  cache_creation_input_tokens?: number | undefined;
  reasoning_output_tokens?: number | undefined;
}
