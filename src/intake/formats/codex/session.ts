// Reads what Codex records about a session as a whole and about each turn: program, folder, model and
// permissions.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { defined, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { totalUsage } from "../../usage-book.js";
import type { Usage } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import type { CodexRun } from "./run.js";

/** Reads the first record of a session. Later ones are copied from the session that it was forked from. */
export function takeMeta(run: CodexRun, meta: JsonValue | undefined): void {
  const { builder } = run;
  if (run.hasMeta) {
    builder.coverage.leaveOut("session_meta (of an earlier session)");
    return;
  }
  run.hasMeta = true;
  const origin = valueAt(meta, "source");
  const spawn = objectAt(origin, "subagent", "thread_spawn");
  const version = wordAt(meta, "cli_version") ?? wordAt(meta, "version");
  Object.assign(
    builder.source,
    defined({
      session: wordAt(meta, "id") ?? wordAt(meta, "session_id"),
      version,
      originator: wordAt(meta, "originator"),
      client: typeof origin === "string" ? origin : undefined,
      forked_from: wordAt(meta, "forked_from_id"),
      parent_thread: wordAt(meta, "parent_thread_id") ?? wordAt(spawn, "parent_thread_id"),
      agent_role: wordAt(meta, "agent_role") ?? wordAt(spawn, "agent_role"),
      agent_nickname: wordAt(meta, "agent_nickname") ?? wordAt(spawn, "agent_nickname"),
    }),
  );
  if (version !== undefined) builder.toolVersions["codex"] = version;
  const provider = wordAt(meta, "model_provider");
  if (provider !== undefined) builder.parameters["model_provider"] = provider;
  const system = wordAt(meta, "base_instructions", "text") ?? wordAt(meta, "base_instructions");
  if (system !== undefined) builder.systemPrompt(system);
  takeGit(run, objectAt(meta, "git"));
  // Older logs hold only the user's own instructions here.
  run.instructions = wordAt(meta, "instructions");
  setModel(run, wordAt(meta, "model"));
  run.cwd = wordAt(meta, "cwd");
  builder.see({ time: timeOf(valueAt(meta, "timestamp"), builder.coverage), cwd: run.cwd });
}

function takeGit(run: CodexRun, git: JsonObject | undefined): void {
  const found = defined({
    commit: wordAt(git, "commit_hash"),
    branch: wordAt(git, "branch"),
    remote: wordAt(git, "repository_url"),
  });
  if (Object.keys(found).length > 0) run.builder.metadata["git"] = found;
}

const settings = [
  "effort",
  "summary",
  "approval_policy",
  "sandbox_policy",
  "permission_profile",
  "network",
  "personality",
  "truncation_policy",
  "service_tier",
] as const;

/** Reads the settings that hold from this turn on. */
export function takeTurn(run: CodexRun, turn: JsonValue | undefined): void {
  const { parameters, metadata } = run.builder;
  setModel(run, wordAt(turn, "model"));
  run.cwd = wordAt(turn, "cwd") ?? run.cwd;
  run.builder.see({ cwd: run.cwd });
  for (const name of settings) {
    const value = valueAt(turn, name) ?? valueAt(turn, `reasoning_${name}`);
    if (value !== undefined && value !== null) parameters[name] = value;
  }
  const mode = wordAt(turn, "collaboration_mode", "mode") ?? wordAt(turn, "collaboration_mode");
  if (mode !== undefined) parameters["collaboration_mode"] = mode;
  const zone = wordAt(turn, "timezone");
  if (zone !== undefined) metadata["timezone"] = zone;
}

export function setModel(run: CodexRun, model: string | undefined): void {
  if (model === undefined) return;
  run.model = model;
  run.models.add(model);
}

/** Reads the running total, which each record repeats; the last one is the run's. */
export function takeUsage(run: CodexRun, total: JsonObject | undefined): void {
  if (total !== undefined) run.usage = codexUsage(total);
}

/** Reads what one response used. Newer versions record it in place of the running total, or beside it. */
export function takeUsageRecord(run: CodexRun, payload: JsonObject): void {
  const usage = objectAt(payload, "usage");
  const response = wordAt(payload, "response_id");
  if (usage === undefined) return takeUsage(run, objectAt(payload, "thread_token_usage"));
  run.responses++;
  run.builder.use(response ?? `response ${run.responses}`, codexUsage(usage));
}

export function codexUsage(total: JsonObject): Usage {
  const count = (name: string): number | undefined => {
    const value = valueAt(total, name);
    return typeof value === "number" ? value : undefined;
  };
  return {
    input_tokens: count("input_tokens"),
    cache_read_input_tokens: count("cached_input_tokens"),
    cache_creation_input_tokens: count("cache_write_input_tokens"),
    output_tokens: count("output_tokens"),
    reasoning_output_tokens: count("reasoning_output_tokens"),
  };
}

/** Adds what is only known when the whole log was read. */
export function settleSession(run: CodexRun): void {
  const { builder, models, usage } = run;
  for (const _ of run.searches) builder.coverage.leaveOut("results of searches that are not in the log");
  // The total of a thread may include what its parent used.
  if (usage !== undefined && run.responses === 0) builder.use(totalUsage, usage);
  if (models.size > 1) builder.metadata["models"] = [...models];
  if (run.model !== undefined) builder.identifier = run.model;
}

/** Reads the title that the user or Codex chose for the session. */
export function takeTitle(run: CodexRun, event: JsonValue | undefined): void {
  const title = textAt(event, "thread_name");
  if (title !== undefined) run.builder.metadata["title"] = title;
}
