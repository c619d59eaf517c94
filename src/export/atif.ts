// ATIF, the interchange format of trajectories. Fields that it cannot express go into `extra.ctx`, where `ctx
// pack` finds them again; other readers then see less than the log contains, and the report says so.
import { given, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Step } from "../model/manifest.js";
import type { Losses } from "./losses.js";
import {
  about,
  aboutNumber,
  aboutText,
  type Call,
  type Entry,
  entriesOf,
  type ExportedRun,
  saidIn,
} from "./run.js";

export function toAtif(run: ExportedRun, losses: Losses): JsonObject {
  const { manifest, hash } = run;
  const subs = new Map<string, JsonObject>();
  const steps = [...entriesOf(run, losses)].map((entry, index) => ({
    step_id: index + 1,
    ...stepOf(entry, run, { subs, losses }),
  }));
  losses.lose("files before the run (inputs)", manifest.inputs.length);
  losses.lose(
    "files after it (outputs)",
    manifest.outputs.filter(({ name }) => name !== ".answer.md").length,
  );
  const { environment, model, metadata, parent, created } = manifest;
  return given({
    schema_version: "ATIF-v1.7",
    session_id: aboutText(manifest, "source", "session") ?? hash,
    trajectory_id: hash,
    agent: given({
      name: aboutText(manifest, "source", "agent") ?? aboutText(manifest, "source", "format") ?? "unknown",
      version: aboutText(manifest, "source", "version") ?? "unknown",
      model_name: model.identifier === "unknown" ? undefined : model.identifier,
    }),
    steps,
    final_metrics: metricsOf(run, steps.length),
    subagent_trajectories: subs.size === 0 ? undefined : [...subs.values()],
    extra: {
      ctx: given({
        pack: hash,
        created,
        parameters: Object.keys(model.parameters).length === 0 ? undefined : model.parameters,
        environment: { ...environment },
        parent,
        metadata,
      }),
    },
  });
}

interface Around {
  subs: Map<string, JsonObject>;
  losses: Losses;
}

function stepOf(entry: Entry, run: ExportedRun, around: Around): JsonObject {
  if (entry.kind === "system") return { source: "system", message: entry.text };
  if (entry.kind === "prompt") {
    const own = entry.role === "user" ? undefined : { ctx: { role: entry.role } };
    return given({ source: "user", message: entry.text, extra: own });
  }
  const { step } = entry;
  const base = given({ timestamp: step.timestamp, source: entry.kind === "context" ? "system" : "agent" });
  const extra = { ctx: ownOf(step) };
  switch (entry.kind) {
    case "context":
      return { ...base, message: saidIn(entry, around.losses), extra };
    case "message":
      return { ...base, message: saidIn(entry, around.losses), ...modelOf(step), extra };
    case "reasoning":
      return {
        ...base,
        message: "",
        ...modelOf(step),
        reasoning_content: saidIn(entry, around.losses),
        extra,
      };
    case "call":
      return { ...base, message: "", ...modelOf(step), ...callOf(entry.call, step, run, around), extra };
    case "result":
      // The call is missing, and a result may name only calls that are present.
      return { ...base, message: "", observation: { results: [resultOf(entry.call, step)] }, extra };
  }
}

function callOf(call: Call, step: Step, run: ExportedRun, around: Around): JsonObject {
  const asked = { tool_call_id: call.id, function_name: call.tool, arguments: call.parameters };
  const refs = step.pack === undefined ? undefined : subRef(step.pack, run, around);
  const isAnswered = call.output !== undefined || refs !== undefined || step.metadata?.["status"] === "ok";
  return given({
    tool_calls: [asked],
    observation: isAnswered
      ? {
          results: [
            { source_call_id: call.id, ...resultOf(call, step), ...given({ subagent_trajectory_ref: refs }) },
          ],
        }
      : undefined,
  });
}

function resultOf(call: Call, step: Step): JsonObject {
  const status = step.metadata?.["status"];
  const own = given({
    status: typeof status === "string" ? status : undefined,
    exit_code: step.metadata?.["exit_code"],
    seen: call.seen,
    has_output: call.output === undefined ? false : undefined,
    output_base64: call.bytes?.toString("base64"),
  });
  return { content: call.output ?? "", extra: { ctx: own } };
}

/** Adds a sub-agent's run to this log, and returns a reference to it. */
function subRef(pack: string, run: ExportedRun, { subs, losses }: Around): JsonValue | undefined {
  if (!subs.has(pack)) {
    const sub = run.sub(pack as ExportedRun["hash"]);
    if (sub === undefined) {
      losses.lose("sub-agents' packs that are not in this store");
      return undefined;
    }
    subs.set(pack, toAtif(sub, losses));
  }
  return [{ trajectory_id: pack }];
}

/** Returns the properties of a step that no field of ATIF expresses. */
function ownOf(step: Step): JsonObject {
  return given({
    type: step.type,
    deterministic: step.deterministic ? true : undefined,
    metadata: step.metadata,
    pack: step.pack,
  });
}

function modelOf(step: Step): JsonObject {
  const model = step.metadata?.["model"];
  return typeof model === "string" ? { model_name: model } : {};
}

function metricsOf({ manifest }: ExportedRun, steps: number): JsonObject {
  const usage = (name: string): number | undefined => aboutNumber(manifest, "usage", name);
  const [input, read, written] = [
    usage("input_tokens"),
    usage("cache_read_input_tokens"),
    usage("cache_creation_input_tokens"),
  ];
  const cost = about(manifest, "cost_usd");
  // Some producers include cached tokens in the input, some do not: only our sum is certain.
  const prompt =
    input === undefined ? undefined : input + (isApart(manifest) ? (read ?? 0) + (written ?? 0) : 0);
  return given({
    total_prompt_tokens: prompt,
    total_completion_tokens: usage("output_tokens"),
    total_cached_tokens: read,
    total_cost_usd: typeof cost === "number" ? cost : undefined,
    total_steps: steps,
  });
}

/** Returns whether input tokens exclude those that came from the cache: Anthropic's do. */
function isApart(manifest: ExportedRun["manifest"]): boolean {
  return aboutNumber(manifest, "usage", "cache_creation_input_tokens") !== undefined;
}
