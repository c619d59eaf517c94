// The state of a Codex run while its rollout is read from top to bottom.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { Into } from "../../format.js";
import { RunBuilder } from "../../run-builder.js";
import type { At, Status, Usage } from "../../run-entries.js";

export interface CodexRun {
  builder: RunBuilder;
  hasMeta: boolean;
  /** Settings of the current turn. */
  model: string | undefined;
  cwd: string | undefined;
  /** All models that turns were set to. */
  models: Set<string>;
  /** The user's standing instructions, until something in the log shows them to the model. */
  instructions: string | undefined;
  users: Users;
  calls: Calls;
  /** Ids of items that were read. */
  items: Set<string>;
  /** Results of searches whose calls are not in the log yet. */
  searches: Map<string, string>;
  lastError: string | undefined;
  usage: Usage | undefined;
  /** The number of responses whose usage was recorded one by one. */
  responses: number;
}

/** Prompts occur twice: as an item for the model, which may be injected, and as an event, which is not. */
export interface Users {
  /** Items without an event so far. */
  waiting: { text: string; at: At }[];
  /** Events without an item so far. */
  announced: string[];
  /** How this log records prompts. */
  way: "event" | "item" | undefined;
  texts: Set<string>;
  /** The number of steps at the time of each prompt. */
  starts: number[];
}

export interface Calls {
  /** Calls that wait for a result. */
  open: Set<string>;
  /** The latest calls that run scripts, which call tools. */
  scripts: string[];
  /** Calls whose command continued after they were answered. */
  inBackground: Set<string>;
  answered: Set<string>;
  /** The group of the calls that are being issued together. */
  group: string | undefined;
  ends: Map<string, CallEnd>;
  /** By the id of what runs in the background. */
  running: Map<string, Running>;
  /** Results that came before their calls. */
  early: Map<string, CodexResult>;
  /** Calls whose file changes are known from events. */
  changed: Set<string>;
}

export interface CodexResult {
  value: JsonValue | undefined;
  time: string | undefined;
}

/** What an event says about the end of a call. */
export interface CallEnd {
  tool: string;
  parameters: JsonObject;
  output: string | undefined;
  status: Status;
  exitCode?: number | undefined;
  /** Whether the output is what the tool returned, and not the log of a terminal. */
  isExact: boolean;
  metadata: JsonObject;
  time: string | undefined;
}

export interface Running {
  id: string;
  seen: string;
  parts: string[];
  isCut: boolean;
  metadata: JsonObject;
}

export function codexRun(into: Into): CodexRun {
  return {
    builder: new RunBuilder({
      format: "codex",
      agent: "codex",
      keeper: () => into.keeper(),
      coverage: into.coverage,
    }),
    hasMeta: false,
    model: undefined,
    cwd: undefined,
    models: new Set(),
    instructions: undefined,
    users: { waiting: [], announced: [], way: undefined, texts: new Set(), starts: [] },
    calls: {
      open: new Set(),
      scripts: [],
      inBackground: new Set(),
      answered: new Set(),
      group: undefined,
      ends: new Map(),
      running: new Map(),
      early: new Map(),
      changed: new Set(),
    },
    items: new Set(),
    searches: new Map(),
    lastError: undefined,
    usage: undefined,
    responses: 0,
  };
}

/** Returns time, folder and model for a step; the model only for steps of the model. */
export function atOf(run: CodexRun, time: string | undefined, metadata?: JsonObject): At {
  return { time, cwd: run.cwd, model: run.model, ...(metadata === undefined ? {} : { metadata }) };
}
