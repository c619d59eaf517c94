// OpenAI-style chat messages: a request that could be sent again, except for the schemas of the tools.
import { canonicalText } from "../base/json/canonical.js";
import { defined, type JsonObject, type JsonValue } from "../base/json/value.js";
import { originMark } from "../model/origin.js";
import type { Step } from "../model/manifest.js";
import type { Losses } from "./losses.js";
import {
  metadataAt,
  type ExportedCall,
  type RunElement,
  runElements,
  type ExportedRun,
  isHidden,
  recordLosses,
  textIn,
} from "./run.js";

export function toOpenai(run: ExportedRun, losses: Losses): JsonObject {
  const { manifest } = run;
  const messages: JsonObject[] = [];
  // Reasoning is attached to the message or call that follows it.
  let reasoning: string | undefined;
  let group: { name: string | undefined; message: JsonObject } | undefined;
  const ids = new Set<string>();
  const addMessage = (message: JsonObject): JsonObject => {
    const whole = { role: "assistant", ...defined({ reasoning_content: reasoning }), ...message };
    reasoning = undefined;
    messages.push(whole);
    return whole;
  };
  const addCall = (entry: Extract<RunElement, { kind: "call" | "result" }>): void => {
    const { call, step } = entry;
    // An API accepts no call without its result, and no result without its call.
    if (entry.kind === "result") return losses.add("results without a call");
    if (call.output === undefined) return losses.add("calls without a result");
    noteLosses(call, step, losses);
    const name = groupOf(step);
    if (group === undefined || group.name !== name) {
      const message = addMessage({ content: null, tool_calls: [] });
      group = { name, message };
    }
    (group.message["tool_calls"] as JsonValue[]).push(toolCall(call));
    if (ids.has(call.id)) losses.add("the difference between calls that share an id");
    ids.add(call.id);
    messages.push({ role: "tool", tool_call_id: call.id, content: call.seen ?? call.output });
  };
  for (const entry of runElements(run, losses)) {
    if (entry.kind === "call" || entry.kind === "result") {
      addCall(entry);
      if (group?.name === undefined) group = undefined;
      continue;
    }
    group = undefined;
    if (entry.kind === "prompt") messages.push({ role: "user", content: entry.text });
    else if (entry.kind === "message") addMessage({ content: textIn(entry, losses) });
    else if (entry.kind === "system") messages.push({ role: "system", content: entry.text });
    else if (entry.kind === "context") messages.push({ role: "system", content: textIn(entry, losses) });
    else {
      if (reasoning !== undefined) addMessage({ content: "" });
      reasoning = entry.text;
      if (isHidden(entry)) losses.add("reasoning that only the model can read");
    }
  }
  if (reasoning !== undefined) addMessage({ content: "" });
  loseRest(run, losses);
  const { identifier, parameters } = manifest.model;
  const mark = originMark(manifest);
  return defined({
    ...Object.fromEntries(Object.entries(parameters).filter(([name]) => known.has(name))),
    model: identifier === "unknown" ? undefined : identifier,
    metadata: Object.keys(mark).length === 0 ? undefined : mark,
    messages,
  });
}

/** The other fields that a chat completion request may have. */
const known = new Set(
  (
    "temperature top_p max_tokens max_completion_tokens n seed stop stream frequency_penalty presence_penalty logit_bias " +
    "logprobs top_logprobs tool_choice parallel_tool_calls response_format reasoning_effort verbosity modalities service_tier"
  ).split(" "),
);

function toolCall({ id, tool, parameters }: ExportedCall): JsonObject {
  return { id, type: "function", function: { name: tool, arguments: canonicalText(parameters) } };
}

function groupOf(step: Step): string | undefined {
  const name = step.metadata?.["parallel"];
  return typeof name === "string" ? name : undefined;
}

function noteLosses(call: ExportedCall, step: Step, losses: Losses): void {
  const status = step.metadata?.["status"];
  if (status !== undefined && status !== "ok" && status !== "unanswered")
    losses.add("the note that calls failed or were denied");
  if (call.bytes !== undefined) losses.add("results that are not text");
  if (call.seen !== undefined) losses.add("outputs of tools, where the model was shown something else");
  if (step.type === "server_tool_call") losses.add("the note that the provider executed the call");
}

function loseRest(run: ExportedRun, losses: Losses): void {
  const { steps, model } = run.manifest;
  recordLosses(run, losses);
  losses.add("times of steps", steps.filter(({ timestamp }) => timestamp !== undefined).length);
  losses.add(
    "parameters that a chat completion does not have",
    Object.keys(model.parameters).filter((name) => !known.has(name)).length,
  );
  if (metadataAt(run.manifest, "usage") !== undefined || metadataAt(run.manifest, "cost_usd") !== undefined)
    losses.add("cost");
  losses.add("the run's time, metadata and environment");
}
