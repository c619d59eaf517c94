// Reads records of a transcript that are no messages: the client's notes about the session, and its own
// remarks.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject } from "../../../base/json/value.js";
import { defined, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";

/** Record types that are known, and say nothing about what the agent did. */
export const leftOut: ReadonlySet<string> = new Set([
  "file-history-snapshot",
  "queue-operation",
  "last-prompt",
  "mode",
  "agent-name",
  "relocated",
  "worktree-state",
  "bridge-session",
  "content-replacement",
  "tag",
  "atis-latch",
  "file-history-delta",
  "frame-link",
  "history-suppression",
  // It repeats the names of the tools that were called.
  "tools-used",
  "progress/bash_progress",
  "progress/hook_progress",
  "progress/mcp_progress",
  "progress/query_update",
  "progress/search_results_received",
  "system/stop_hook_summary",
  "system/turn_duration",
  "system/away_summary",
  "system/session_start",
]);

/** Record types that say something about the session. */
export const noteTypes: ReadonlySet<string> = new Set([
  "summary",
  "ai-title",
  "custom-title",
  "permission-mode",
  "pr-link",
  "cost-state",
]);

export interface Note {
  type: string;
  at: At;
  /** Returns whether a record with this id is in the transcript. */
  knows: (uuid: string) => boolean;
  /** Sets the title of the run, unless it has one of a higher rank. */
  setTitle: (title: string | undefined, rank: number) => void;
}

/** Reads a record of one of these types; returns false when the type is unknown. */
export function takeNote(run: RunBuilder, record: JsonObject, { type, at, knows, setTitle }: Note): boolean {
  switch (type) {
    case "system":
      return takeSystem(run, record, at);
    case "summary": {
      const leaf = textAt(record, "leafUuid");
      // Some summaries are about other sessions.
      if (leaf !== undefined && knows(leaf)) setTitle(wordAt(record, "summary"), 1);
      run.coverage.leaveOut(type);
      return true;
    }
    case "ai-title":
      setTitle(wordAt(record, "aiTitle") ?? wordAt(record, "title"), 2);
      return true;
    case "custom-title":
      setTitle(wordAt(record, "customTitle") ?? wordAt(record, "title"), 3);
      return true;
    case "permission-mode": {
      const mode = wordAt(record, "permissionMode") ?? wordAt(record, "mode");
      if (mode !== undefined) run.parameters["permission_mode"] = mode;
      return true;
    }
    case "pr-link": {
      const url = wordAt(record, "prUrl");
      const known = run.metadata["pull_requests"];
      const list = Array.isArray(known) ? known : [];
      if (url !== undefined && list.length < 100 && !list.includes(url))
        run.metadata["pull_requests"] = [...list, url];
      return true;
    }
    case "cost-state":
      takeCost(run, record);
      return true;
    default:
      if (leftOut.has(type)) run.coverage.leaveOut(type);
      return leftOut.has(type);
  }
}

/** Reads what the session cost so far; the last such record counts. */
function takeCost(run: RunBuilder, record: JsonObject): void {
  const cost = numberAt(record, "totalCostUSD");
  const models = objectAt(record, "modelUsage");
  if (cost !== undefined) run.metadata["cost_usd"] = cost;
  if (models !== undefined && Object.keys(models).length > 0) run.metadata["model_usage"] = models;
  if (valueAt(record, "hasUnknownModelCost") === true)
    run.coverage.addUnknown("the cost of some models (the client did not know their prices)");
}

function takeSystem(run: RunBuilder, record: JsonObject, at: At): boolean {
  const subtype = textAt(record, "subtype") ?? "note";
  switch (subtype) {
    case "compact_boundary":
    case "microcompact_boundary": {
      const about = objectAt(record, "compactMetadata") ?? objectAt(record, "microcompactMetadata");
      const metadata = defined({
        trigger: wordAt(about, "trigger"),
        tokens_before: numberAt(about, "preTokens"),
      });
      run.context("compaction", textAt(record, "content") ?? "", { ...at, metadata });
      return true;
    }
    case "local_command":
      run.context("command_output", textAt(record, "content") ?? "", at);
      return true;
    case "api_error":
    case "api_refusal":
    case "error":
    case "model_refusal_fallback":
    case "note": {
      const error = valueAt(record, "error") ?? valueAt(record, "content") ?? record;
      run.context(subtype, typeof error === "string" ? error : canonicalText(error), at);
      return true;
    }
    default: {
      const kind = `system/${subtype}`;
      if (leftOut.has(kind)) run.coverage.leaveOut(kind);
      else run.coverage.skip(kind);
      return true;
    }
  }
}
