// The options by which `ctx log`, `ctx grep` and `ctx stats` select runs.
import type { FactFilter } from "../ops/log.js";
import type { RunFilter } from "../store/run-filter.js";
import type { Call, Option } from "./command.js";
import { nonEmpty } from "./shared-options.js";

export const runFilterOptions: Option[] = [
  {
    long: "model",
    value: "text",
    summary: "only runs of models whose name contains this text",
    complete: "model",
  },
  { long: "agent", value: "name", summary: "only runs of this agent", complete: "run-agent" },
  { long: "tool", value: "name", summary: "only runs that used this tool", complete: "tool" },
  {
    long: "since",
    value: "when",
    summary: "only runs since a time, a date, today, yesterday, or an age such as 7d",
  },
  { long: "until", value: "when", summary: "only runs until a time, a date, or an age" },
  { long: "tag", value: "name", summary: "only the pack with this tag", complete: "tag" },
  { long: "parent", value: "pack", summary: "only packs derived from this one", complete: "pack" },
  {
    long: "session",
    value: "id",
    summary: "only runs of this session; four characters of its id are enough",
    complete: "session",
  },
  {
    long: "project",
    value: "folder",
    summary: "only runs that worked in or below this folder, or in a folder of this name",
    complete: "folder",
  },
  { long: "failed", summary: "only runs with calls that failed, according to the log" },
  { long: "denied", summary: "only runs with calls that a person or a rule denied" },
];

/** The options that select runs by what they did, of the commands that list runs. */
export const factFilterOptions: Option[] = [
  {
    long: "path",
    value: "path",
    summary:
      "only runs that used this file, a file below this folder, or one that fits a pattern such as '*.ts'",
    complete: "file",
  },
  {
    long: "wrote",
    summary: "only runs that wrote or deleted the file",
    needs: ["path"],
    conflicts: ["read"],
  },
  { long: "read", summary: "only runs in which a call read the file", needs: ["path"] },
  {
    long: "ran",
    value: "text",
    summary:
      "only runs that executed a command with this text in it, or with a match of it as a regular expression",
  },
];

/** Returns the filter that these options describe. */
export function parseFactFilter(call: Call): FactFilter {
  const filter: FactFilter = { wrote: call.options.has("wrote"), read: call.options.has("read") };
  for (const name of ["path", "ran"] as const) {
    const value = nonEmpty(call, name);
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}

const names = ["model", "agent", "tool", "since", "until", "tag", "parent", "session", "project"] as const;

/** Returns the filter that these options describe. */
export function parseRunFilter(call: Call): RunFilter {
  const filter: RunFilter = {
    folder: call.folder,
    failed: call.options.has("failed"),
    denied: call.options.has("denied"),
  };
  for (const name of names) {
    const value = nonEmpty(call, name);
    if (value !== undefined) filter[name] = value;
  }
  return filter;
}
