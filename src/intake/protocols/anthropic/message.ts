// Reads one message between Claude and its client, as the transcript and the stream of Claude Code hold it:
// several records may form one message, each with one of its blocks.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { given, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { contentText, mediaOf } from "./content.js";
import { noteFiles } from "../../formats/claude-code/file-effects.js";
import { serverResultOf } from "./server-results.js";
import { resultOf } from "../../formats/claude-code/tool-results.js";

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

export function anthropicUsage(usage: JsonObject): Record<string, number | undefined> {
  return {
    input_tokens: numberAt(usage, "input_tokens"),
    output_tokens: numberAt(usage, "output_tokens"),
    cache_read_input_tokens: numberAt(usage, "cache_read_input_tokens"),
    cache_creation_input_tokens: numberAt(usage, "cache_creation_input_tokens"),
  };
}

export interface BlockPlace {
  at: At;
  /** Equal for the calls of one message. */
  together: string | undefined;
  /** The name of a call, where its id is not unique. */
  name?: string | undefined;
}

/** Reads one block of a model message. */
export function takeBlock(run: RunBuilder, block: JsonValue, { at, together, name }: BlockPlace): void {
  const kind = textAt(block, "type") ?? "unknown";
  switch (kind) {
    case "text":
      if (wordAt(block, "text") !== undefined) run.message(textAt(block, "text") as string, at);
      return;
    case "thinking":
      return run.reasoning(wordAt(block, "thinking"), at);
    case "redacted_thinking":
      return run.reasoning(undefined, at);
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return takeCall(run, block, { at, together, name });
    case "compaction":
      return run.context("compaction", textAt(block, "content") ?? "", at);
    default:
      // The provider's own tools answer within the message.
      if (kind.endsWith("_tool_result"))
        run.result(name ?? textAt(block, "tool_use_id"), serverResultOf(block, at.time));
      else run.coverage.skip(`block ${kind}`);
  }
}

function parametersOf(input: JsonValue | undefined): JsonObject {
  if (input === undefined || input === null) return {};
  return isObject(input) ? input : { input };
}

function takeCall(run: RunBuilder, block: JsonValue, { at, together, name }: BlockPlace): void {
  const id = textAt(block, "id");
  // A script that the provider runs may call the client's tools.
  const within = wordAt(block, "caller", "tool_id");
  const isRenamed = name !== undefined && name !== id;
  run.call({
    ...at,
    id: name ?? id,
    tool: wordAt(block, "name") ?? "unknown",
    parameters: parametersOf(valueAt(block, "input")),
    isServer: textAt(block, "type") !== "tool_use",
    together: within === undefined ? together : undefined,
    metadata: given({
      ...at.metadata,
      call_id: isRenamed ? id : undefined,
      server: wordAt(block, "server_name"),
      within,
    }),
  });
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
  const entry = resultOf(result);
  if (entry.metadata?.["truncated"] === true) run.coverage.truncated++;
  if (entry.status === "ok" && call !== undefined) noteFiles(run.files, result, entry.seen ?? "");
  run.result(id, { ...entry, time: at.time });
}

/** How text that no person typed begins, and its kind. */
const injections: readonly (readonly [RegExp, string])[] = [
  [/^\s*<(?:command-name|command-message|command-args)>/, "command"],
  [
    /^\s*(?:<local-command-(?:stdout|stderr|caveat)>|Caveat: The messages below were generated)/,
    "command_output",
  ],
  [/^\s*<bash-(?:input|stdout|stderr)>/, "shell"],
  [/^\s*<(?:ide_opened_file|ide_selection|ide_diagnostics)>/, "ide"],
  [/^\s*<(?:system-reminder|user-prompt-submit-hook|session-start-hook)>/, "reminder"],
  [/^\s*<task-notification>/, "task"],
  [/^\s*\[Request interrupted by user/, "interruption"],
];

/** Returns the kind of an injected text; undefined when a person wrote it. */
export function injectedKind(text: string): string | undefined {
  return injections.find(([pattern]) => pattern.test(text))?.[1];
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
      const injected = kind ?? injectedKind(text);
      if (injected === undefined) typed.push(text);
      else if (text.trim() !== "") run.context(injected, text, at);
      if (injected === "interruption") run.interrupt();
    } else if (media !== undefined) run.files.attach(media.ending, media.bytes);
    else if (textAt(block, "type") !== "tool_result")
      run.coverage.skip(`block ${textAt(block, "type") ?? "unknown"}`);
  }
  if (typed.length === 0) return false;
  run.prompt(typed.join("\n"), at);
  return true;
}
