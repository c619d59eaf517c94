// The schemas of what is printed about agents' logs: the formats, the sessions that were found, the hooks, and packs as
// logs.
import { nullable, onlyTrue, result } from "./shape.js";
import type { ExportLogResult, FormatResult, FoundSession, HookResult, HookRun } from "../intake.js";
import {
  anyObject,
  count,
  list,
  oneOf,
  optional,
  reference,
  required,
  text,
  utcTime,
} from "../../model/shape.js";

export const formatResult = result<FormatResult>({
  name: required(text()),
  title: required(text()),
  from: required(text()),
});

export const foundSession = result<FoundSession>({
  agent: required(text()),
  path: required(text()),
  project: required(nullable(text())),
  model: required(nullable(text())),
  session: required(nullable(text())),
  modified: required(utcTime),
  size: required(count),
  state: required(oneOf("new", "packed", "changed", "removed", "empty", "refused")),
  packs: required(list(reference)),
  problem: optional(text()),
});

const lineChange = result<HookResult["lines"][number]>({
  kind: required(oneOf("same", "added", "removed")),
  text: required(text()),
});

const hookRun = result<HookRun>({
  time: required(utcTime),
  hook: required(text()),
  log: optional(text()),
  packs: required(list(reference)),
  problem: optional(text()),
  notice: optional(text()),
});

export const hookResult = result<HookResult>({
  hook: required(text()),
  file: required(text()),
  change: required(oneOf("installed", "removed", "present", "absent")),
  dry_run: optional(onlyTrue),
  lines: required(list(lineChange)),
  advice: required(list(text())),
  last: optional(hookRun),
});

export const exportLogResult = result<ExportLogResult>({
  pack: required(reference),
  to: required(text()),
  lost: required(
    list(result<ExportLogResult["lost"][number]>({ what: required(text()), count: required(count) })),
  ),
  log: required(anyObject),
});
