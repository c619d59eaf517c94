// Reads OpenAI-style chat messages, one after the other, into a run.
import { isObject, type JsonValue } from "../../../base/json/value.js";
import { defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import { spokenParts } from "../../../model/markers.js";
import type { At } from "../../run-entries.js";
import { argumentsOf, callBook } from "../../protocols/openai-chat/calls.js";
import {
  type Attach,
  attachTo,
  type ChatContent,
  chatContent,
  joined,
} from "../../protocols/openai-chat/content.js";
import { unknownFailures } from "../../../model/coverage-codes.js";
import { type WrittenResult, writtenParts, writtenResults } from "./written.js";

export class OpenaiMessagesReader {
  readonly #run: RunBuilder;
  readonly #attach: Attach;
  readonly #calls = callBook();
  readonly #isWritten: boolean;
  #count = 0;
  #hasSystem = false;

  /** `isWritten`: the model wrote its calls as text. */
  constructor(run: RunBuilder, { isWritten }: { isWritten: boolean }) {
    this.#run = run;
    this.#attach = attachTo(run);
    this.#isWritten = isWritten;
  }

  /** Reads a message; `at` is what is known about it from elsewhere. */
  take(message: JsonValue, at: At = {}): void {
    this.#count++;
    const role = textAt(message, "role");
    if (role === "assistant") this.#takeAssistant(message, at);
    else if (role === "tool" || role === "function") this.#takeAnswer(message, at);
    else if (role === "user") this.#takeUser(message, at);
    else if (role === "system" || role === "developer") this.#takeSystem(message, at);
    else this.#run.coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  }

  #takeAssistant(message: JsonValue, at: At): void {
    const run = this.#run;
    const { text, thought, refusal } = this.#content(valueAt(message, "content"));
    const thoughts = joined([
      textAt(message, "reasoning_content") ?? textAt(message, "reasoning") ?? thinking(message),
      thought,
    ]);
    if (thoughts.trim() !== "") run.reasoning(thoughts, at);
    if (this.#isWritten) this.#takeWritten(text, at);
    else if (text.trim() !== "") run.message(text, at);
    const refused = joined([textAt(message, "refusal") ?? "", refusal]);
    if (refused !== "") run.message(refused, { ...at, metadata: { ...at.metadata, refusal: true } });
    for (const call of listAt(message, "tool_calls")) this.#takeCall(call, at);
    const old = objectAt(message, "function_call");
    if (old !== undefined) this.#takeCall(old, at);
    if (!this.#isWritten && isCallInText(text))
      run.coverage.addUnknown("tool calls that the model wrote into its text");
  }

  /** Reads an answer with calls in its text. */
  #takeWritten(text: string, at: At): void {
    for (const part of writtenParts(text))
      if ("text" in part) this.#run.message(part.text, at);
      else {
        const id = this.#calls.add({ id: undefined, tool: part.tool, message: this.#count });
        this.#run.call({ ...at, id, ...part, together: `message-${this.#count}` });
      }
  }

  #takeUser(message: JsonValue, at: At): void {
    const { text } = this.#content(valueAt(message, "content"));
    const { results, rest } = this.#isWritten ? writtenResults(text) : { results: [], rest: text };
    for (const result of results) this.#takeWrittenResult(result, at);
    if (results.length > 0 && rest === "") return;
    for (const part of spokenParts("openhands", rest))
      if (part.kind === undefined) this.#run.prompt(part.text, at);
      else this.#run.context(part.kind, part.text, at);
  }

  #takeAnswer(message: JsonValue, at: At): void {
    const { text } = this.#content(valueAt(message, "content"));
    const { results } = this.#isWritten ? writtenResults(text) : { results: [] };
    if (results.length === 0) this.#takeResult(message, at);
    for (const result of results) this.#takeWrittenResult(result, at);
  }

  #takeWrittenResult({ tool, output, seen, hasFailed, exitCode }: WrittenResult, at: At): void {
    const named =
      this.#calls.answered({ id: undefined, tool }) ??
      this.#calls.answered({ id: undefined, tool: undefined });
    if (exitCode === undefined) this.#run.coverage.addUnknown(unknownFailures.chat);
    this.#run.result(named, {
      output,
      seen,
      status: hasFailed ? "error" : "ok",
      time: at.time,
      metadata: defined({ exit_code: exitCode, tool: named === undefined ? tool : undefined }),
    });
  }

  #takeCall(call: JsonValue, at: At): void {
    const { coverage } = this.#run;
    const named = objectAt(call, "function") ?? objectAt(call, "custom");
    const isOldKind = named === undefined && isObject(call) && wordAt(call, "name") !== undefined;
    if (named === undefined && !isOldKind) {
      coverage.skip(`tool call of type ${textAt(call, "type") ?? "unknown"}`);
      return;
    }
    const about = named ?? call;
    const tool = wordAt(about, "name");
    if (tool === undefined) coverage.addUnknown("the names of some tools");
    const id = wordAt(call, "id");
    this.#run.call({
      ...at,
      id: this.#calls.add({ id, tool: tool ?? "unknown", message: this.#count }),
      tool: tool ?? "unknown",
      // A custom tool takes a text.
      parameters:
        objectAt(call, "custom") === undefined
          ? argumentsOf(valueAt(about, "arguments"), coverage)
          : { input: valueAt(about, "input") ?? "" },
      together: `message-${this.#count}`,
      ...(id === undefined ? {} : { metadata: { ...at.metadata, call_id: id } }),
    });
  }

  #takeResult(message: JsonValue, at: At): void {
    const id = wordAt(message, "tool_call_id");
    const tool = wordAt(message, "name") ?? wordAt(message, "tool_name");
    const content = valueAt(message, "content");
    this.#run.coverage.addUnknown(unknownFailures.chat);
    const name = this.#calls.answered({ id, tool });
    const metadata = { ...at.metadata, ...(id === undefined ? {} : { call_id: id }) };
    this.#run.result(name, {
      status: "ok",
      time: at.time,
      ...(content === undefined || content === null ? {} : { output: this.#content(content).text }),
      metadata: name === undefined && tool !== undefined ? { ...metadata, tool } : metadata,
    });
  }

  #takeSystem(message: JsonValue, at: At): void {
    const { text } = this.#content(valueAt(message, "content"));
    if (this.#hasSystem) this.#run.context("system", text, at);
    else this.#run.systemPrompt(text);
    this.#hasSystem = true;
  }

  #content(content: JsonValue | undefined): ChatContent {
    return chatContent(content, this.#attach, this.#run.coverage);
  }
}

/** Returns the reasoning that LiteLLM passes on as blocks. */
function thinking(message: JsonValue): string {
  return joined(listAt(message, "thinking_blocks").map((block) => textAt(block, "thinking") ?? ""));
}

/**
 * Returns whether a text seems to hold calls: models without native tools are prompted to write calls as
 * text, which cannot be parsed reliably.
 */
function isCallInText(text: string): boolean {
  return text.includes("<function=") || text.includes("```mswea_bash_command");
}
