// What is known of a Codex run while its rollout is read from top to bottom.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { Into } from "../../format.js";
import { RunBuilder } from "../../run-builder.js";
import type { At, Status, Usage } from "../../run-entries.js";

export interface CodexRun {
  builder: RunBuilder;
  hasMeta: boolean;
  /** What holds for the steps of the current turn. */
  model: string | undefined;
  cwd: string | undefined;
  /** All models that turns were set to. */
  models: Set<string>;
  /** The user's standing instructions, until something in the log shows them to the model. */
  instructions: string | undefined;
  users: Users;
  calls: Calls;
  /** Items that came before, by their own ids. */
  items: Set<string>;
  /** What searches found, for calls that are not in the log yet. */
  searches: Map<string, string>;
  lastError: string | undefined;
  usage: Usage | undefined;
}

/** Prompts are told twice: as an item among what the model was sent, which may be injected, and as an event, which is not. */
export interface Users {
  /** Items for which no event came yet. */
  waiting: { text: string; at: At }[];
  /** Events for which no item came yet. */
  promised: string[];
  /** How this log tells of prompts. */
  way: "event" | "item" | undefined;
  texts: Set<string>;
  /** How many steps there were when each prompt came. */
  starts: number[];
}

export interface Calls {
  /** Those that wait for a result. */
  open: Set<string>;
  /** The last of those that run scripts, which call tools. */
  scripts: string[];
  /** Those whose command went on after they were answered. */
  inBackground: Set<string>;
  answered: Set<string>;
  /** By which the calls that are being issued are known to belong together. */
  group: string | undefined;
  ends: Map<string, CallEnd>;
  /** By the name of what runs in the background. */
  running: Map<string, Running>;
  /** Results that came before their calls. */
  early: Map<string, ToolResult>;
  /** Calls whose changes of files are known from events. */
  changed: Set<string>;
}

export interface ToolResult {
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
  /** The event has the output as the tool gave it, and not the log of a terminal. */
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
    users: { waiting: [], promised: [], way: undefined, texts: new Set(), starts: [] },
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
  };
}

/** Where and when a step is, with the model for those that are the model's. */
export function atOf(run: CodexRun, time: string | undefined, metadata?: JsonObject): At {
  return { time, cwd: run.cwd, model: run.model, ...(metadata === undefined ? {} : { metadata }) };
}
