// Reads `extra.ctx` of a whole trajectory that ctx exported.
import { isReference } from "../../../base/digest.js";
import { type JsonObject, setOwn } from "../../../base/json/value.js";
import { originKey } from "../../../model/log.js";
import { originOf } from "../../../model/origin.js";
import { numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { timeOf } from "../../times.js";
import { totalUsage } from "../../usage-book.js";

/** Metadata of a run besides its steps, under the names that formats use. */
const keptFields = ["git", "cost_usd", "tools", "title", "summary"];

export function takeOwnRoot(builder: RunBuilder, own: JsonObject | undefined): void {
  if (own === undefined) return;
  const pack = wordAt(own, "pack");
  if (pack !== undefined && isReference(pack)) builder.source["exported_from"] = pack;
  builder.see({ time: timeOf(own["created"], builder.coverage), cwd: wordAt(own, "metadata", "workdir") });
  for (const [name, value] of Object.entries(objectAt(own, "parameters") ?? {}))
    setOwn(builder.parameters, name, value);
  const environment = objectAt(own, "environment");
  builder.environment.os = wordAt(environment, "os") ?? builder.environment.os;
  builder.environment.runtime = wordAt(environment, "runtime") ?? builder.environment.runtime;
  for (const [tool, version] of Object.entries(objectAt(environment, "tool_versions") ?? {}))
    if (typeof version === "string") setOwn(builder.toolVersions, tool, version);
  for (const name of keptFields) {
    const value = valueAt(own, "metadata", name);
    if (value !== undefined) builder.metadata[name] = value;
  }
  // An export must not turn a pack that never ran into one that did. No other origin can be believed here.
  const stated = originOf({ metadata: objectAt(own, "metadata") ?? {} });
  if (stated?.kind === "draft") builder.metadata[originKey] = { ...stated };
  const origin = textAt(own, "metadata", "source", "format");
  if (origin !== undefined) builder.source["origin"] = origin;
}

/** Reads the usage as ctx recorded it, which counts more kinds than the format does. */
export function takeOwnUsage(builder: RunBuilder, own: JsonObject | undefined): boolean {
  const usage = objectAt(own, "metadata", "usage");
  if (usage === undefined) return false;
  const names = [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "reasoning_output_tokens",
  ] as const;
  builder.use(totalUsage, Object.fromEntries(names.map((name) => [name, numberAt(usage, name)])));
  return true;
}

/** Returns an `extra` without what is read here. */
export function withoutOwn(extra: JsonObject | undefined): JsonObject | undefined {
  if (extra === undefined || objectAt(extra, "ctx") === undefined) return extra;
  const { ctx: _, ...rest } = extra;
  return Object.keys(rest).length === 0 ? undefined : rest;
}
