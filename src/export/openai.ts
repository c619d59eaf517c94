// OpenAI-style chat messages: a request that could be sent again, except for the schemas of the tools.
import { canonicalText } from "../base/json/canonical.js";
import { given, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { Step } from "../model/manifest.js";
import type { Losses } from "./losses.js";
import {
  about,
  type Call,
  type Entry,
  entriesOf,
  type ExportedRun,
  isHidden,
  loseAround,
  saidIn,
} from "./run.js";

export function toOpenai(run: ExportedRun, losses: Losses): JsonObject {
  const { manifest } = run;
  const messages: JsonObject[] = [];
  // Reasoning is attached to the message or call that follows it.
  let thought: string | undefined;
  let group: { name: string | undefined; message: JsonObject } | undefined;
  const ids = new Set<string>();
  const speak = (message: JsonObject): JsonObject => {
    const whole = { role: "assistant", ...given({ reasoning_content: thought }), ...message };
    thought = undefined;
    messages.push(whole);
    return whole;
  };
  const act = (entry: Extract<Entry, { kind: "call" | "result" }>): void => {
    const { call, step } = entry;
    // An API accepts no call without its result, and no result without its call.
    if (entry.kind === "result") return losses.lose("results whose call is not there");
    if (call.output === undefined) return losses.lose("calls that were never answered");
    noteLosses(call, step, losses);
    const name = groupOf(step);
    if (group === undefined || group.name !== name) {
      const message = speak({ content: null, tool_calls: [] });
      group = { name, message };
    }
    (group.message["tool_calls"] as JsonValue[]).push(toolCall(call));
    if (ids.has(call.id)) losses.lose("what tells calls apart that have one id");
    ids.add(call.id);
    messages.push({ role: "tool", tool_call_id: call.id, content: call.seen ?? call.output });
  };
  for (const entry of entriesOf(run, losses)) {
    if (entry.kind === "call" || entry.kind === "result") {
      act(entry);
      if (group?.name === undefined) group = undefined;
      continue;
    }
    group = undefined;
    if (entry.kind === "prompt") messages.push({ role: "user", content: entry.text });
    else if (entry.kind === "message") speak({ content: saidIn(entry, losses) });
    else if (entry.kind === "system") messages.push({ role: "system", content: entry.text });
    else if (entry.kind === "context") messages.push({ role: "system", content: saidIn(entry, losses) });
    else {
      if (thought !== undefined) speak({ content: "" });
      thought = entry.text;
      if (isHidden(entry)) losses.lose("reasoning that only the model can read");
    }
  }
  if (thought !== undefined) speak({ content: "" });
  loseRest(run, losses);
  const { identifier, parameters } = manifest.model;
  return given({
    ...Object.fromEntries(Object.entries(parameters).filter(([name]) => known.has(name))),
    model: identifier === "unknown" ? undefined : identifier,
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

function toolCall({ id, tool, parameters }: Call): JsonObject {
  return { id, type: "function", function: { name: tool, arguments: canonicalText(parameters) } };
}

function groupOf(step: Step): string | undefined {
  const name = step.metadata?.["parallel"];
  return typeof name === "string" ? name : undefined;
}

function noteLosses(call: Call, step: Step, losses: Losses): void {
  const status = step.metadata?.["status"];
  if (status !== undefined && status !== "ok" && status !== "unanswered")
    losses.lose("that calls failed or were denied");
  if (call.bytes !== undefined) losses.lose("results that are no text");
  if (call.seen !== undefined) losses.lose("what tools returned, where the model was shown something else");
  if (step.type === "server_tool_call") losses.lose("that the provider carried out the call");
}

function loseRest(run: ExportedRun, losses: Losses): void {
  const { steps, model } = run.manifest;
  loseAround(run, losses);
  losses.lose("times of steps", steps.filter(({ timestamp }) => timestamp !== undefined).length);
  losses.lose(
    "parameters that a chat completion does not take",
    Object.keys(model.parameters).filter((name) => !known.has(name)).length,
  );
  if (about(run.manifest, "usage") !== undefined || about(run.manifest, "cost_usd") !== undefined)
    losses.lose("what it cost");
  losses.lose("the run's time, metadata and environment");
}
