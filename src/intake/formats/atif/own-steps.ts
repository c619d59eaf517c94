// Reads steps that ctx exported: each says in `extra.ctx` what it was, so that it is the same when packed
// again.
import type { Reference } from "../../../base/digest.js";
import type { JsonObject } from "../../../base/json/value.js";
import { argumentsOf } from "../../protocols/openai-chat/calls.js";
import { flagAt, defined, objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At, ResultEntry } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { ownResult } from "./own-extra.js";

/** Metadata that the builder adds by itself. */
const rebuiltFields = new Set(["turn", "status", "parallel", "kind"]);

/** Reads a step that ctx wrote; returns false for any other. */
export function takeOwnStep(
  builder: RunBuilder,
  step: JsonObject,
  packOf: (ref: JsonObject) => Reference | undefined,
): boolean {
  const own = objectAt(step, "extra", "ctx");
  const text = textAt(step, "message") ?? "";
  if (textAt(step, "source") === "user" && own !== undefined) {
    builder.prompt(text, { role: wordAt(own, "role") ?? "user" });
    return true;
  }
  const type = textAt(own, "type");
  if (type === undefined) return false;
  const metadata = objectAt(own, "metadata") ?? {};
  const model = wordAt(step, "model_name");
  const isRemade = (name: string): boolean =>
    rebuiltFields.has(name) || (name === "model" && model !== undefined);
  const at: At = {
    time: timeOf(step["timestamp"], builder.coverage),
    model,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !isRemade(name))),
  };
  if (type === "context") builder.context(wordAt(metadata, "kind") ?? "system", text, at);
  else if (type === "message") builder.message(text, at);
  else if (type === "reasoning")
    builder.reasoning(flagAt(metadata, "opaque") ? undefined : (textAt(step, "reasoning_content") ?? ""), at);
  else takeCall(builder, step, { type, metadata, at, packOf });
  return true;
}

interface OwnStepContext {
  type: string;
  metadata: JsonObject;
  at: At;
  packOf: (ref: JsonObject) => Reference | undefined;
}

function takeCall(
  builder: RunBuilder,
  step: JsonObject,
  { type, metadata, at, packOf }: OwnStepContext,
): void {
  const [call] = objectsAt(step, "tool_calls");
  const [result] = objectsAt(step, "observation", "results");
  // Ids may occur twice in the trajectory; here, each result is beside its call.
  const name = call === undefined ? undefined : `step-${builder.stepCount}`;
  if (call !== undefined)
    builder.call({
      ...at,
      id: name,
      tool: wordAt(call, "function_name") ?? "unknown",
      parameters: argumentsOf(call["arguments"], builder.coverage),
      isServer: type === "server_tool_call",
      together: wordAt(metadata, "parallel"),
      metadata: defined({ call_id: wordAt(call, "tool_call_id"), ...at.metadata }),
    });
  const status = ownResult({ ctx: { status: valueAt(metadata, "status") ?? null } })?.status;
  if (result !== undefined) {
    // A result without a call has no other step to carry its metadata.
    const alone = call === undefined ? { metadata: at.metadata ?? {} } : {};
    builder.result(name, { ...resultOf(result, at), ...alone });
    const pack = objectsAt(result, "subagent_trajectory_ref")
      .map(packOf)
      .find((found) => found !== undefined);
    if (name !== undefined && pack !== undefined) builder.setPack(name, pack);
  } else if (name !== undefined && status !== undefined && status !== "unanswered")
    builder.setStatus(name, status);
}

function resultOf(result: JsonObject, at: At): ResultEntry {
  const own = objectAt(result, "extra", "ctx");
  const known = ownResult(result["extra"]);
  const binary = textAt(own, "output_base64");
  const output = binary === undefined ? (textAt(result, "content") ?? "") : Buffer.from(binary, "base64");
  return {
    ...(valueAt(own, "has_output") === false ? {} : { output }),
    seen: textAt(own, "seen"),
    status: known?.status ?? "ok",
    time: at.time,
  };
}
