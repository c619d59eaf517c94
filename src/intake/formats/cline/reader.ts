// Reads the history of a task of Cline, Roo or Kilo into a run. Newer versions call tools as the API does and
// answer in text; older ones write the calls as text, too. Which answer belongs to which call follows from
// their order. formats/anthropic-messages/run.ts calls this reader; this folder has no format.ts.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { type Written, writtenIn } from "./calls.js";
import { clineResult, noteClineFiles } from "./results.js";
import { markerKind, spokenParts } from "../../../model/markers.js";
import { feedbackIn, folderIn, headedResult, skippedCall, typedIn, withoutDetails } from "./text.js";
import { contentText, mediaOf } from "../../protocols/anthropic/text-and-media.js";
import { takeBlock } from "../../protocols/anthropic/message.js";
import { flagAt, numberAt, objectAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { timeOf } from "../../times.js";
import { blocksOf, type MessageReader } from "../anthropic-messages/reader.js";
import { CallQueue } from "../anthropic-messages/queue.js";

/** At most this many waiting calls are compared. */
const maxCompared = 100;

/** A result whose heading is in a block of its own. */
interface Headed {
  name: string | undefined;
  tool: string;
  parts: string[];
  hasText: boolean;
}

export class ClineReader implements MessageReader {
  readonly #run: RunBuilder;
  readonly #calls = callBook();
  #count = 0;
  #cost: number | undefined;
  /** The calls of the model's last message that have no result. */
  readonly #waiting = new CallQueue();
  #headed: Headed | undefined;
  #at: At = {};

  constructor(run: RunBuilder) {
    this.#run = run;
  }

  take(message: JsonValue): void {
    this.#count++;
    const { coverage } = this.#run;
    const role = textAt(message, "role");
    this.#at = { time: timeOf(valueAt(message, "ts"), coverage) };
    if (!isObject(message)) coverage.skip("message that is no object");
    else if (role === "assistant") this.#assistant(message);
    else if (role === "user") this.#user(message);
    else coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  }

  #assistant(message: JsonObject): void {
    this.#waiting.clear();
    this.#takeAbout(message);
    const model = wordAt(message, "modelInfo", "modelId") ?? wordAt(message, "modelInfo", "id");
    const at: At = { ...this.#at, model };
    for (const block of blocksOf(valueAt(message, "content"))) {
      const kind = textAt(block, "type") ?? "";
      const text = textAt(block, "text");
      if (kind === "text" && text !== undefined)
        for (const part of writtenIn(text)) this.#takeWritten(part, at);
      else if (kind === "tool_use") this.#call(block, at);
      // Roo keeps reasoning as blocks of its own kind.
      else if (kind === "reasoning") this.#run.reasoning(wordAt(block, "text"), at);
      else takeBlock(this.#run, block, { at, together: undefined });
    }
  }

  #takeWritten(part: Written, at: At): void {
    if ("text" in part) this.#run.message(part.text, at);
    else this.#call({ type: "tool_use", name: part.tool, input: part.parameters }, at);
  }

  #call(block: JsonValue, at: At): void {
    const tool = wordAt(block, "name") ?? "unknown";
    const name = this.#calls.add({ id: wordAt(block, "id"), tool, message: this.#count });
    takeBlock(this.#run, block, { at, together: `message-${this.#count}`, name });
    this.#waiting.add({ name, tool });
    // The last message to the user is a call.
    const said = tool === "attempt_completion" ? wordAt(block, "input", "result") : undefined;
    if (said !== undefined) this.#run.message(said, { ...at, metadata: { within: name } });
  }

  #takeAbout(message: JsonObject): void {
    const { parameters, metadata } = this.#run;
    const metrics = objectAt(message, "metrics");
    const tokens = objectAt(metrics, "tokens");
    if (tokens !== undefined || numberAt(metrics, "inputTokens") !== undefined)
      this.#run.use(`message-${this.#count}`, {
        input_tokens: numberAt(tokens, "prompt") ?? numberAt(metrics, "inputTokens"),
        output_tokens: numberAt(tokens, "completion") ?? numberAt(metrics, "outputTokens"),
        cache_read_input_tokens: numberAt(tokens, "cached") ?? numberAt(metrics, "cacheReadTokens"),
        cache_creation_input_tokens: numberAt(metrics, "cacheWriteTokens"),
      });
    const cost = numberAt(message, "metrics", "cost");
    if (cost !== undefined) metadata["cost_usd"] = this.#cost = (this.#cost ?? 0) + cost;
    const provider = wordAt(message, "modelInfo", "providerId") ?? wordAt(message, "modelInfo", "provider");
    if (provider !== undefined) parameters["model_provider"] = provider;
    const mode = wordAt(message, "modelInfo", "mode");
    if (mode !== undefined) parameters["mode"] = mode;
  }

  #user(message: JsonObject): void {
    const kind = flagAt(message, "isSummary")
      ? "compaction"
      : flagAt(message, "isTruncationMarker")
        ? "truncation"
        : undefined;
    for (const block of blocksOf(valueAt(message, "content"))) {
      const text = typeof block === "string" ? block : textAt(block, "text");
      if (isObject(block) && textAt(block, "type") === "tool_result") this.#takeResult(block);
      else if (kind !== undefined && text !== undefined) this.#run.context(kind, text, this.#at);
      else if (text !== undefined) this.#takeText(text);
      else this.#takeMedia(block);
    }
    this.#settle();
  }

  #takeText(whole: string): void {
    const { text, details } = withoutDetails(whole);
    if (text.trim() !== "") this.#takePlain(text);
    if (details === undefined) return;
    this.#settle();
    this.#at = { ...this.#at, cwd: folderIn(details) };
    this.#run.context("environment", details, this.#at);
  }

  #takePlain(text: string): void {
    const headed = headedResult(text);
    if (headed !== undefined) {
      this.#settle();
      const waiting = this.#answered(headed.tool, headed.about);
      const hasText = headed.rest !== "";
      this.#headed = { ...waiting, parts: hasText ? [headed.rest] : [], hasText };
      return;
    }
    const skipped = skippedCall(text);
    if (skipped !== undefined) {
      this.#settle();
      const waiting = this.#answered(skipped);
      this.#headed = { ...waiting, parts: [text], hasText: true };
      return this.#settle();
    }
    const kind = markerKind("cline", text);
    const isResult = kind === undefined || kind === "feedback";
    if (this.#headed !== undefined && !this.#headed.hasText && isResult) {
      this.#headed.hasText = true;
      this.#headed.parts.push(text);
      return;
    }
    this.#settle();
    this.#takeSpoken(text);
  }

  #takeSpoken(text: string): void {
    const found = typedIn(text);
    if (found === undefined) return this.#takeParts(text);
    const { before, typed, after } = found;
    if (before !== "") this.#run.context("client", before, this.#at);
    this.#takeParts(typed);
    if (after !== "") this.#run.context(markerKind("cline", after) ?? "client", after, this.#at);
  }

  #takeParts(text: string): void {
    for (const part of spokenParts("cline", text))
      if (part.kind === undefined) this.#run.prompt(part.text, this.#at);
      else this.#run.context(part.kind, part.text, this.#at);
  }

  /**
   * Returns the call that a result answers: a waiting one that the heading names, or the first that waits.
   */
  #answered(tool: string, about = ""): { name: string | undefined; tool: string } {
    const looked = this.#waiting.next(maxCompared);
    const same = looked.filter((call) => call.tool === tool);
    const found = same.find(({ name }) => this.#isAbout(name, about)) ?? same[0] ?? looked[0];
    if (found === undefined) return { name: undefined, tool };
    this.#waiting.delete(found.name);
    return found;
  }

  #isAbout(name: string, about: string): boolean {
    const parameters = Object.values(this.#run.callOf(name)?.parameters ?? {});
    return parameters.some(
      (value) => typeof value === "string" && value !== "" && about.includes(`'${value}'`),
    );
  }

  /** Adds the result that was being assembled. */
  #settle(): void {
    const headed = this.#headed;
    this.#headed = undefined;
    if (headed !== undefined) this.#result(headed.name, headed.tool, { seen: headed.parts.join("\n") });
  }

  #takeResult(block: JsonObject): void {
    this.#settle();
    const id = wordAt(block, "tool_use_id");
    const name = id === undefined ? undefined : this.#calls.answered({ id, tool: undefined });
    const whole = contentText(valueAt(block, "content"));
    const { text, details } = withoutDetails(whole);
    const tool = this.#run.callOf(name)?.tool ?? "";
    if (name !== undefined) this.#waiting.delete(name);
    const headed = headedResult(text);
    this.#result(name ?? id, tool, {
      seen: headed?.rest ?? text,
      whole: details === undefined ? undefined : whole,
      isError: flagAt(block, "is_error") || hasFailure(block),
    });
    if (details !== undefined) this.#run.see({ ...this.#at, cwd: folderIn(details) });
  }

  #result(
    name: string | undefined,
    tool: string,
    { seen, whole, isError = false }: { seen: string; whole?: string | undefined; isError?: boolean },
  ): void {
    const call = { tool, parameters: this.#run.callOf(name)?.parameters ?? {} };
    const entry = clineResult(call, seen);
    const status = isError && entry.status === "ok" ? "error" : entry.status;
    if (status === "ok") noteClineFiles(this.#run.files, call, seen);
    const metadata = { ...entry.metadata, ...(name === undefined && tool !== "" ? { tool } : {}) };
    this.#run.result(name, { ...entry, status, seen: whole, metadata, time: this.#at.time });
    // Feedback of the user in a result is a prompt, too.
    const typed = feedbackIn(seen);
    if (typed !== undefined) this.#run.prompt(typed, this.#at);
  }

  #takeMedia(block: JsonValue): void {
    const media = mediaOf(block);
    if (media === undefined) {
      this.#run.coverage.skip(`block ${textAt(block, "type") ?? "unknown"}`);
      return;
    }
    const name = this.#run.files.attach(media.ending, media.bytes);
    this.#headed?.parts.push(`[${name}]`);
  }
}

/**
 * Returns whether a command failed: the CLI runs several commands in one call, and reports success for each.
 */
function hasFailure(block: JsonObject): boolean {
  return objectsAt(block, "content").some((each) => valueAt(each, "success") === false);
}
