// Reads messages as Claude Code records them: several records may form one message of the model, the client
// writes some in its name, and user messages hold results and inserted texts beside what a person typed.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { contentText, mediaOf } from "../../protocols/anthropic/text-and-media.js";
import { anthropicUsage, takeBlock } from "../../protocols/anthropic/message.js";
import { spokenParts } from "../../../model/markers.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { changedBefore, noteFiles } from "./file-effects.js";
import { claudeResult } from "./tool-results.js";

/** The model's name in messages that the client wrote. */
const synthetic = "<synthetic>";

/** Reads the texts, reasoning and calls of a model message. */
export function takeAssistant(run: RunBuilder, message: JsonObject, at: At): void {
  const id = textAt(message, "id");
  const named = wordAt(message, "model");
  const isClient = named === synthetic;
  const spoken: At = { ...at, model: isClient ? undefined : named };
  const usage = objectAt(message, "usage");
  if (id !== undefined) run.use(id, usage === undefined ? {} : anthropicUsage(usage));
  const content = valueAt(message, "content");
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listAt(content);
  for (const block of blocks) {
    const text = textAt(block, "text");
    if (isClient && text !== undefined) run.context("client", text, at);
    else takeBlock(run, block, { at: spoken, together: id });
  }
}

/** Reads the result of a tool. */
export function takeToolResult(
  run: RunBuilder,
  block: JsonObject,
  { structured, at, name }: { structured: JsonValue | undefined; at: At; name?: string | undefined },
): void {
  const id = name ?? textAt(block, "tool_use_id");
  const call = run.callOf(id);
  const result = { tool: call?.tool ?? "", parameters: call?.parameters ?? {}, block, structured };
  const entry = claudeResult(result);
  if (entry.metadata?.["truncated"] === true) run.coverage.truncated++;
  const files = entry.status === "ok" && call !== undefined ? run.files : undefined;
  const before = files === undefined ? undefined : changedBefore(files, result);
  if (files !== undefined) noteFiles(files, result, entry.seen ?? "");
  const more = before === undefined ? {} : { metadata: { ...entry.metadata, before } };
  run.result(id, { ...entry, ...more, time: at.time });
}

/**
 * Reads texts, images and documents of a user message that are no tool results. Returns whether a person
 * wrote any.
 */
export function takeUserContent(
  run: RunBuilder,
  content: JsonValue | undefined,
  { at, kind }: { at: At; kind: string | undefined },
): boolean {
  const blocks = Array.isArray(content) ? content : [{ type: "text", text: contentText(content) }];
  const typed: string[] = [];
  for (const block of blocks) {
    const text = typeof block === "string" ? block : textAt(block, "text");
    const media = mediaOf(block);
    if (text !== undefined) {
      const parts = kind === undefined ? spokenParts("claude-code", text) : [{ kind, text }];
      for (const part of parts) {
        if (part.kind === undefined) typed.push(part.text);
        else if (part.text.trim() !== "") run.context(part.kind, part.text, at);
        if (part.kind === "interruption") run.interrupt();
      }
    } else if (media !== undefined) run.files.attach(media.ending, media.bytes);
    else if (textAt(block, "type") !== "tool_result")
      run.coverage.skip(`block ${textAt(block, "type") ?? "unknown"}`);
  }
  if (typed.length === 0) return false;
  run.prompt(typed.join("\n"), at);
  return true;
}
