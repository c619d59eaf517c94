// The options that narrow down which sessions `ctx discover` and `ctx pack --discover` find.
import type { DiscoverOptions } from "../ops/discover.js";
import type { Call, Option } from "./command.js";
import { nonEmpty } from "./shared-options.js";

export const discoverOptions: Option[] = [
  { long: "agent", value: "name", summary: "only sessions of this agent", repeats: true, complete: "agent" },
  {
    long: "since",
    value: "when",
    summary: "only sessions that changed since a time, a date, today, or an age such as 7d",
  },
  {
    long: "project",
    value: "folder",
    summary: "only sessions in or below this folder, or in a folder of this name",
    complete: "folder",
  },
];

export function parseDiscoverOptions(call: Call): DiscoverOptions {
  const options: DiscoverOptions = {};
  const agents = call.lists.get("agent");
  if (agents !== undefined) options.agents = agents;
  for (const name of ["since", "project"] as const) {
    const value = nonEmpty(call, name);
    if (value !== undefined) options[name] = value;
  }
  return options;
}
