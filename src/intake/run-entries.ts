// The arguments of RunBuilder's methods.
import type { JsonObject } from "../base/json/value.js";
import type { LogStep } from "../model/log.js";
import type { ContentOrigin } from "../model/manifest.js";
import type { Coverage } from "./coverage.js";
import type { Keeper } from "./format.js";

export interface RunBuilderOptions {
  format: string;
  /** The agent whose tools these are, by its name in the tool table. */
  agent: string;
  keeper: () => Keeper;
  coverage: Coverage;
}

export type Status = "ok" | "error" | "denied" | "interrupted" | "unanswered";

/** What any record may say about its step. */
export interface At {
  /** In normalised form. */
  time?: string | undefined;
  /** The model that produced the step. */
  model?: string | undefined;
  /** The folder, where it may change. */
  cwd?: string | undefined;
  branch?: string | undefined;
  /** Additional metadata of the step. */
  metadata?: JsonObject;
}

export interface CallEntry extends At {
  id?: string | undefined;
  tool: string;
  parameters: JsonObject;
  /** Whether the provider ran it, not the client. */
  isServer?: boolean;
  /** Equal for calls that were issued together. */
  together?: string | undefined;
}

export interface ResultEntry {
  /** What the tool returned. */
  output?: string | Buffer | undefined;
  /** What the model was shown, if that differs. */
  seen?: string | undefined;
  status: Status;
  time?: string | undefined;
  metadata?: JsonObject;
  /** The call, if no step of the log is it. */
  origin?: ContentOrigin;
}

/** A step under construction. */
export interface BuiltStep extends LogStep {
  metadata: JsonObject;
}

/** The contents of a result. */
export type Contents = Pick<ResultEntry, "output" | "seen">;

export interface Usage {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cache_read_input_tokens?: number | undefined;
  cache_creation_input_tokens?: number | undefined;
  reasoning_output_tokens?: number | undefined;
}
