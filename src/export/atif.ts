// ATIF, the interchange format of trajectories. Fields that it cannot express go into `extra.ctx`, where `ctx
// pack` finds them again; other readers then see less than the log contains, and the report says so.
import { defined, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Step } from "../model/manifest.js";
import type { Losses } from "./losses.js";
import {
  metadataAt,
  metadataNumber,
  metadataText,
  type ExportedCall,
  type RunElement,
  runElements,
  type ExportedRun,
  textIn,
} from "./run.js";

export function toAtif(run: ExportedRun, losses: Losses): JsonObject {
  const { manifest, hash } = run;
  const subs = new Map<string, JsonObject>();
  const steps = [...runElements(run, losses)].map((entry, index) => ({
    step_id: index + 1,
    ...stepOf(entry, run, { subs, losses }),
  }));
  losses.add("files before the run (inputs)", manifest.inputs.length);
  losses.add(
    "files after the run (outputs)",
    manifest.outputs.filter(({ name }) => name !== ".answer.md").length,
  );
  const { environment, model, metadata, parent, created } = manifest;
  return defined({
    schema_version: "ATIF-v1.7",
    session_id: metadataText(manifest, "source", "session") ?? hash,
    trajectory_id: hash,
    agent: defined({
      name:
        metadataText(manifest, "source", "agent") ?? metadataText(manifest, "source", "format") ?? "unknown",
      version: metadataText(manifest, "source", "version") ?? "unknown",
      model_name: model.identifier === "unknown" ? undefined : model.identifier,
    }),
    steps,
    final_metrics: metricsOf(run, steps.length),
    subagent_trajectories: subs.size === 0 ? undefined : [...subs.values()],
    extra: {
      ctx: defined({
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

interface AtifContext {
  subs: Map<string, JsonObject>;
  losses: Losses;
}

function stepOf(entry: RunElement, run: ExportedRun, context: AtifContext): JsonObject {
  if (entry.kind === "system") return { source: "system", message: entry.text };
  if (entry.kind === "prompt") {
    const own = entry.role === "user" ? undefined : { ctx: { role: entry.role } };
    return defined({ source: "user", message: entry.text, extra: own });
  }
  const { step } = entry;
  const base = defined({ timestamp: step.timestamp, source: entry.kind === "context" ? "system" : "agent" });
  const extra = { ctx: ownOf(step) };
  switch (entry.kind) {
    case "context":
      return { ...base, message: textIn(entry, context.losses), extra };
    case "message":
      return { ...base, message: textIn(entry, context.losses), ...modelOf(step), extra };
    case "reasoning":
      return {
        ...base,
        message: "",
        ...modelOf(step),
        reasoning_content: textIn(entry, context.losses),
        extra,
      };
    case "call":
      return { ...base, message: "", ...modelOf(step), ...callOf(entry.call, step, run, context), extra };
    case "result":
      // The call is missing, and a result may name only calls that are present.
      return { ...base, message: "", observation: { results: [resultOf(entry.call, step)] }, extra };
  }
}

function callOf(call: ExportedCall, step: Step, run: ExportedRun, context: AtifContext): JsonObject {
  const toolCall = { tool_call_id: call.id, function_name: call.tool, arguments: call.parameters };
  const refs = step.pack === undefined ? undefined : subRef(step.pack, run, context);
  const isAnswered = call.output !== undefined || refs !== undefined || step.metadata?.["status"] === "ok";
  return defined({
    tool_calls: [toolCall],
    observation: isAnswered
      ? {
          results: [
            {
              source_call_id: call.id,
              ...resultOf(call, step),
              ...defined({ subagent_trajectory_ref: refs }),
            },
          ],
        }
      : undefined,
  });
}

function resultOf(call: ExportedCall, step: Step): JsonObject {
  const status = step.metadata?.["status"];
  const own = defined({
    status: typeof status === "string" ? status : undefined,
    exit_code: step.metadata?.["exit_code"],
    seen: call.seen,
    has_output: call.output === undefined ? false : undefined,
    output_base64: call.bytes?.toString("base64"),
  });
  return { content: call.output ?? "", extra: { ctx: own } };
}

/** Adds a sub-agent's run to this log, and returns a reference to it. */
function subRef(pack: string, run: ExportedRun, { subs, losses }: AtifContext): JsonValue | undefined {
  if (!subs.has(pack)) {
    const sub = run.sub(pack as ExportedRun["hash"]);
    if (sub === undefined) {
      losses.add("sub-agents' packs that are not in this store");
      return undefined;
    }
    subs.set(pack, toAtif(sub, losses));
  }
  return [{ trajectory_id: pack }];
}

/** Returns the properties of a step that no field of ATIF expresses. */
function ownOf(step: Step): JsonObject {
  return defined({
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
  const usage = (name: string): number | undefined => metadataNumber(manifest, "usage", name);
  const [input, read, written] = [
    usage("input_tokens"),
    usage("cache_read_input_tokens"),
    usage("cache_creation_input_tokens"),
  ];
  const cost = metadataAt(manifest, "cost_usd");
  // Some producers include cached tokens in the input, some do not: only our sum is certain.
  const prompt =
    input === undefined ? undefined : input + (excludesCached(manifest) ? (read ?? 0) + (written ?? 0) : 0);
  return defined({
    total_prompt_tokens: prompt,
    total_completion_tokens: usage("output_tokens"),
    total_cached_tokens: read,
    total_cost_usd: typeof cost === "number" ? cost : undefined,
    total_steps: steps,
  });
}

/** Returns whether input tokens exclude those that came from the cache: Anthropic's do. */
function excludesCached(manifest: ExportedRun["manifest"]): boolean {
  return metadataNumber(manifest, "usage", "cache_creation_input_tokens") !== undefined;
}
