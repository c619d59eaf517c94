// Every document that ctx reads or writes, and everything that --json prints, as JSON Schemas: docs/schema is made from
// this file. Documents take theirs from the shapes that read them. What is printed is described here, and the compiler
// holds that to the types in results.ts. The program itself never loads this file.
import { errorCodes, type ErrorCode, type Problem } from "../../base/errors.js";
import { configShape } from "../../model/config.js";
import { exportLogResult, formatResult, foundSession, hookResult } from "./intake.js";
import { redactions, scanResult } from "./redaction.js";
import { forkResult, problem, statusResult } from "./draft.js";
import { logShape } from "../../model/log.js";
import { driftReport } from "./drift.js";
import { replayPlan, replayReport, trustResult } from "./replay.js";
import { sealedSchema, stepShape } from "../../model/read-manifest.js";
import { nullable, onlyTrue, result } from "./shape.js";
import type {
  CatResult,
  DoctorCheck,
  DoctorResult,
  InitResult,
  LogEntry,
  PackResult,
  PartContent,
  TagResult,
} from "../results.js";
import {
  boolean,
  count,
  exactlyOne,
  type Field,
  type JsonSchema,
  list,
  mapOf,
  object,
  oneOf,
  optional,
  reference,
  required,
  text,
  utcTime,
} from "../../model/shape.js";
import { sidecarShape } from "../../model/sidecar.js";
import { exportResult, importResult, lsResult, pullResult, pushResult, remoteResult } from "./share.js";
import { gcResult, rmResult, sidecarResult, verifyResult } from "./verification.js";

const open = { open: true };

const tagName = text(undefined, { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" });
const textOrBase64 = {
  text: optional(text()),
  base64: optional(text(undefined, { contentEncoding: "base64" })),
};
const oneWay = exactlyOne(Object.keys(textOrBase64));

const initResult = result<InitResult>({
  store: required(text()),
  created: required(boolean),
  shared: required(boolean),
  excluded: optional(text()),
  notices: required(list(text())),
});

const packUri = text(undefined, { pattern: "^ctx://[0-9a-f]{64}$" });
const packResult = result<PackResult>({
  uri: required(packUri),
  hash: required(reference),
  created: required(utcTime),
  new: required(boolean),
  parent: optional(reference),
  source: required(text()),
  counts: required(
    result<PackResult["counts"]>({
      prompts: required(count),
      inputs: required(count),
      steps: required(count),
      outputs: required(count),
    }),
  ),
  bytes_new: required(count),
  bytes_shared: required(count),
  sidecars: required(list(text())),
  outputs_absent: required(list(text())),
  repaired: required(list(reference)),
  redactions: optional(redactions),
  untrusted_rules: optional(mapOf(count)),
  unsearched: optional(count),
  format: optional(text()),
  packs: optional(
    list(
      result<NonNullable<PackResult["packs"]>[number]>({
        uri: required(packUri),
        hash: required(reference),
        new: required(boolean),
        agent: required(text()),
        step: optional(count),
        redactions: optional(redactions),
      }),
    ),
  ),
  notices: required(list(text())),
});

const logEntry = result<LogEntry>(
  {
    hash: required(reference),
    created: required(nullable(utcTime)),
    model: required(nullable(text())),
    steps: required(nullable(count)),
    parent: optional(reference),
    parent_absent: optional(onlyTrue),
    session: optional(text()),
    project: optional(text()),
    agent: optional(text()),
    format: optional(text()),
    subagent: optional(text()),
    version: optional(count),
    versions: optional(count),
    tags: required(list(tagName)),
    damaged: required(boolean),
    newer: optional(onlyTrue),
    origin: optional(oneOf("draft", "replay", "continued")),
    of_draft: optional(onlyTrue),
  },
  {
    if: { anyOf: [{ properties: { damaged: { const: true } } }, { required: ["newer"] }] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: allOfType("null", "null", "null") },
    else: { properties: allOfType("string", "string", "integer") },
  },
);

function allOfType(created: string, model: string, steps: string): JsonSchema {
  return { created: { type: created }, model: { type: model }, steps: { type: steps } };
}

const partContent = result<PartContent>(
  { ref: required(reference), size: required(count), ...textOrBase64 },
  oneWay,
);

const catResult = result<CatResult & Pick<PartContent, "text" | "base64">>(
  { hash: required(reference), size: required(count), ...textOrBase64 },
  oneWay,
);

/** What `show` prints of one part: its contents stand under their labels, and as text or base64 only. */
const parts = {
  system: { content: required(partContent) },
  prompt: { index: required(count), role: required(text()), content: required(partContent) },
  step: {
    index: required(count),
    step: required(stepShape),
    output: optional(partContent),
    seen: optional(partContent),
  },
  input: { name: required(text()), content: required(partContent) },
  output: { name: required(text()), content: required(partContent) },
};

function partSchema([part, fields]: [string, Record<string, Field<unknown, boolean>>]): JsonSchema {
  return object({ pack: required(reference), part: required(oneOf(part)), ...fields }, open).schema;
}

const tagResult = result<TagResult>({
  name: required(tagName),
  hash: required(nullable(reference)),
  change: optional(oneOf("created", "moved", "removed")),
  present: required(boolean),
  created: optional(utcTime),
  model: optional(text()),
});

const doctorCheck = result<DoctorCheck>({
  name: required(text()),
  status: required(oneOf("ok", "lacks", "bad")),
  found: required(text()),
  advice: optional(text()),
});

const doctorResult = result<DoctorResult>({
  healthy: required(boolean),
  checks: required(list(doctorCheck)),
  fixed: optional(list(text())),
});

interface ErrorBody {
  code: ErrorCode;
  message: string;
  hint?: string;
  problems?: Problem[];
  more_problems?: number;
}

const error = result<ErrorBody>({
  // oxlint-disable-next-line ctx/no-spread-call -- a constant
  code: required(oneOf(...(Object.keys(errorCodes) as ErrorCode[]))),
  message: required(text()),
  hint: optional(text()),
  problems: optional(list(problem)),
  more_problems: optional(count),
});

/** Every schema by its name, with its title and what it describes. */
const schemas: Record<string, [title: string, description: string, schema: JsonSchema]> = {
  log: ["Execution log", "One finished agent run: what `ctx pack` takes.", logShape.schema],
  manifest: [
    "Sealed manifest",
    "One run, pointing at its contents: what `ctx show --json` prints and `packs/` holds.",
    sealedSchema(),
  ],
  sidecar: ["Sidecar", "`<artifact>.ctx.json`: the pack that an artifact came from.", sidecarShape.schema],
  config: ["Store configuration", "`config.json` of a store.", configShape.schema],
  "pack-format": [
    "ctx pack --from list",
    "A line of `ctx pack --from list --json`: one format.",
    formatResult.schema,
  ],
  "found-session": [
    "ctx discover",
    "A line of `ctx discover --json`: one session of an agent.",
    foundSession.schema,
  ],
  "export-log-result": [
    "ctx export-log",
    "What `ctx export-log --json` prints: the log, and what did not survive.",
    exportLogResult.schema,
  ],
  "hook-result": [
    "ctx hook",
    "What `ctx hook --json` prints: the hook that was changed, or a line for each.",
    hookResult.schema,
  ],
  "init-result": ["ctx init", "What `ctx init --json` prints.", initResult.schema],
  "pack-result": ["ctx pack", "A line of `ctx pack --json`: one for each log.", packResult.schema],
  "log-entry": ["ctx log", "A line of `ctx log --json`: one for each pack.", logEntry.schema],
  "show-part": [
    "ctx show, one part",
    "What `ctx show --json` prints with --step, --prompt, --system, --input or --output.",
    { oneOf: Object.entries(parts).map(partSchema) },
  ],
  "cat-result": ["ctx cat", "What `ctx cat --json` prints.", catResult.schema],
  "tag-result": [
    "ctx tag",
    "What `ctx tag --json` prints: the tag that was changed, or a line for each tag.",
    tagResult.schema,
  ],
  "diff-result": ["ctx diff", "What `ctx diff` prints: two runs compared.", driftReport.schema],
  "fork-result": ["ctx fork", "What `ctx fork --json` prints, without --seal.", forkResult.schema],
  "replay-result": ["ctx replay", "What `ctx replay --json` prints.", replayReport.schema],
  "replay-plan": ["ctx replay --plan", "What `ctx replay --plan --json` prints.", replayPlan.schema],
  "trust-result": ["ctx trust", "What `ctx trust --json` prints.", trustResult.schema],
  "status-result": ["ctx status", "What `ctx status --json` prints.", statusResult.schema],
  "verify-result": ["ctx verify", "What `ctx verify --json` prints.", verifyResult.schema],
  "scan-result": ["ctx scan", "What `ctx scan --json` prints.", scanResult.schema],
  "sidecar-result": ["ctx sidecar", "What `ctx sidecar --json` prints.", sidecarResult.schema],
  "rm-result": ["ctx rm", "What `ctx rm --json` prints.", rmResult.schema],
  "export-result": ["ctx export", "What `ctx export --json` prints.", exportResult.schema],
  "import-result": ["ctx import", "What `ctx import --json` prints.", importResult.schema],
  "push-result": ["ctx push", "What `ctx push --json` prints.", pushResult.schema],
  "pull-result": ["ctx pull", "What `ctx pull --json` prints.", pullResult.schema],
  "ls-result": ["ctx ls", "What `ctx ls --json` prints.", lsResult.schema],
  "remote-result": ["ctx remote", "What `ctx remote --json` prints.", remoteResult.schema],
  "gc-result": ["ctx gc", "What `ctx gc --json` prints.", gcResult.schema],
  "completion-result": [
    "ctx completion",
    "What `ctx completion --json` prints.",
    object({ shell: required(text()), script: required(text()) }, open).schema,
  ],
  "doctor-result": ["ctx doctor", "What `ctx doctor --json` prints.", doctorResult.schema],
  error: [
    "Error",
    "What --json makes of an error, on a line of standard error.",
    object({ error: required(error) }, open).schema,
  ],
  notice: [
    "Notice",
    "What --json makes of a notice, on a line of standard error.",
    object({ notice: required(text()) }, open).schema,
  ],
};

/** The files of docs/schema, by name. */
export function schemaFiles(): Map<string, string> {
  return new Map(
    Object.entries(schemas).map(([name, [title, description, schema]]) => {
      const file = `${name}.schema.json`;
      const $schema = "https://json-schema.org/draft/2020-12/schema";
      return [file, `${JSON.stringify({ $schema, $id: file, title, description, ...schema }, null, 2)}\n`];
    }),
  );
}
