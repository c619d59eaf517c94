// Reads events of the SDK: messages, the actions that the model requested with their results, and updates of
// the conversation.
import type { JsonObject } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import { argumentsOf } from "../../protocols/openai-chat/calls.js";
import { joined } from "../../protocols/openai-chat/content.js";
import { flagAt, defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { cutOf, folderOf, noteFile, outcomeOf } from "./outcome.js";
import { ConversationState } from "./state.js";
import { ReaderState, without } from "./reader-state.js";

const leftOut = words(
  "PauseEvent CondensationRequest LLMCompletionLogEvent TokenEvent HookExecutionEvent StreamingDeltaEvent",
);

export class SdkEventReader {
  readonly state: ConversationState;
  readonly #builder: RunBuilder;
  readonly #state: ReaderState;
  /** Calls of other agents, which several events describe. */
  readonly #others = new Map<string, string>();

  constructor(builder: RunBuilder, cwd: string | undefined) {
    this.#builder = builder;
    this.#state = new ReaderState(builder);
    this.#state.cwd = cwd;
    this.state = new ConversationState(builder);
  }

  take(event: JsonObject): void {
    if (this.#state.isRepeated(event)) return;
    const kind = textAt(event, "kind") ?? "event without a kind";
    const at = this.#state.at(event);
    const { coverage } = this.#builder;
    this.#builder.see(at);
    switch (kind) {
      case "SystemPromptEvent":
        return this.#system(event);
      case "MessageEvent":
        return this.#message(event, at);
      case "ActionEvent":
        return this.#action(event, { ...at, model: this.state.model });
      case "ObservationEvent":
        return this.#observation(event, at);
      case "UserRejectObservation":
        return this.#rejection(event, at);
      case "AgentErrorEvent":
        return this.#error(event, at);
      case "ConversationErrorEvent":
        return this.#builder.context(
          "error",
          joined([textAt(event, "code") ?? "", textAt(event, "detail") ?? ""]),
          at,
        );
      case "Condensation":
      case "CondensationSummaryEvent":
        return this.#condensation(event, at);
      case "ACPToolCallEvent":
        return this.#other(event, at);
      case "InterruptEvent":
        coverage.leaveOut(kind);
        return this.#builder.interrupt();
      case "ConversationStateUpdateEvent":
        return this.state.update(textAt(event, "key") ?? "", valueAt(event, "value"));
      default:
        return leftOut.has(kind) ? coverage.leaveOut(kind) : coverage.skip(kind);
    }
  }

  #system(event: JsonObject): void {
    const parts = [
      textAt(event, "system_prompt", "text") ?? "",
      textAt(event, "dynamic_context", "text") ?? "",
    ];
    this.#builder.systemPrompt(parts.filter((part) => part !== "").join("\n\n"));
    const names = listAt(event, "tools").flatMap(
      (tool) => wordAt(tool, "name") ?? wordAt(tool, "function", "name") ?? wordAt(tool, "title") ?? [],
    );
    if (names.length > 0) this.#builder.metadata["tools"] = names;
  }

  #message(event: JsonObject, at: At): void {
    const source = textAt(event, "source") ?? "unknown";
    const message = objectAt(event, "llm_message");
    const text = this.#state.text(valueAt(message, "content"));
    if (source === "user") this.#builder.prompt(text, at);
    else if (source === "agent") {
      const spoken = { ...at, model: this.state.model };
      this.#think(message, spoken);
      if (text.trim() !== "") this.#builder.message(text, spoken);
    } else this.#builder.context(source, text, at);
    const added = this.#state.text(valueAt(event, "extended_content"));
    if (added !== "") this.#builder.context("extension", added, at);
  }

  /** Reads the private reasoning of the model. */
  #think(about: JsonObject | undefined, at: At): string | undefined {
    const blocks = listAt(about, "thinking_blocks");
    const summaries = listAt(about, "responses_reasoning_item", "summary");
    const thoughts =
      wordAt(about, "reasoning_content") ??
      joined([
        ...blocks.map((block) => textAt(block, "thinking") ?? ""),
        ...summaries.filter((each) => typeof each === "string"),
      ]);
    const isOpaque =
      blocks.some((block) => textAt(block, "type") === "redacted_thinking") ||
      wordAt(about, "responses_reasoning_item", "encrypted_content") !== undefined;
    if (thoughts.trim() !== "") this.#builder.reasoning(thoughts, at);
    else if (isOpaque) this.#builder.reasoning(undefined, at);
    return thoughts;
  }

  #action(event: JsonObject, at: At): void {
    const thoughts = this.#think(event, at) ?? "";
    const text = withoutThoughts(this.#state.text(valueAt(event, "thought")), thoughts);
    if (text.trim() !== "") this.#builder.message(text, at);
    const action = objectAt(event, "action");
    const tool =
      wordAt(event, "tool_name") ?? wordAt(event, "tool_call", "name") ?? wordAt(action, "kind") ?? "unknown";
    const written =
      valueAt(event, "tool_call", "arguments") ?? valueAt(event, "tool_call", "function", "arguments");
    const parameters =
      written === undefined && action !== undefined
        ? without(action, new Set(["kind"]))
        : argumentsOf(written, this.#builder.coverage);
    this.#state.call(event["id"], wordAt(event, "tool_call_id"), {
      ...at,
      tool,
      parameters,
      together: wordAt(event, "llm_response_id"),
      metadata: defined({
        summary: wordAt(event, "summary"),
        security_risk: riskOf(wordAt(event, "security_risk")),
      }),
    });
    // The last call states the answer.
    const answer = tool === "finish" ? wordAt(action, "message") : undefined;
    if (answer !== undefined) this.#builder.message(answer, at);
  }

  #observation(event: JsonObject, at: At): void {
    const about = objectAt(event, "observation");
    const callId = wordAt(event, "tool_call_id");
    const name = this.#state.answered(valueAt(event, "action_id"), callId);
    const content = valueAt(about, "content") ?? valueAt(about, "output") ?? valueAt(about, "error");
    const output = this.#state.text(content);
    const added = this.#state.text(valueAt(event, "extended_content"));
    const { status, metadata } = outcomeOf(about, flagAt(about, "is_error"));
    this.#builder.result(name, {
      status,
      output,
      seen: added === "" ? undefined : joined([output, added]),
      time: at.time,
      metadata: {
        ...metadata,
        ...cutOf(this.#builder, output),
        ...(name === undefined ? defined({ tool: wordAt(event, "tool_name"), call_id: callId }) : {}),
      },
    });
    this.#state.cwd = folderOf(about) ?? this.#state.cwd;
    if (status === "ok") noteFile(this.#builder, about);
  }

  #rejection(event: JsonObject, at: At): void {
    const name = this.#state.answered(valueAt(event, "action_id"), wordAt(event, "tool_call_id"));
    this.#builder.result(name, {
      status: "denied",
      output: textAt(event, "rejection_reason"),
      time: at.time,
      metadata: defined({ rejected_by: wordAt(event, "rejection_source") }),
    });
  }

  #error(event: JsonObject, at: At): void {
    const name = this.#state.answered(valueAt(event, "action_id"), wordAt(event, "tool_call_id"));
    const output = textAt(event, "error") ?? "";
    if (name === undefined) this.#builder.context("error", output, at);
    else this.#builder.result(name, { status: "error", output, time: at.time });
  }

  #condensation(event: JsonObject, at: At): void {
    const forgotten = listAt(event, "forgotten_event_ids").length;
    const metadata = defined({ forgotten: forgotten === 0 ? undefined : forgotten });
    this.#builder.context("compaction", textAt(event, "summary") ?? "", { ...at, metadata });
  }

  /** Reads a call that another agent made and reported: first its start, then its progress. */
  #other(event: JsonObject, at: At): void {
    const id = wordAt(event, "tool_call_id");
    const known = id === undefined ? undefined : this.#others.get(id);
    const input = valueAt(event, "raw_input");
    const title = wordAt(event, "title");
    const name =
      known ??
      this.#state.call(event["id"], id, {
        ...at,
        tool: wordAt(event, "tool_kind") ?? title ?? "unknown",
        parameters: input === undefined || input === null ? {} : argumentsOf(input, this.#builder.coverage),
        metadata: defined({ title, parent_call: wordAt(event, "parent_tool_call_id") }),
      });
    if (id !== undefined) this.#others.set(id, name);
    const status = textAt(event, "status");
    const isError = flagAt(event, "is_error") || status === "failed";
    if (!isError && status !== "completed") return;
    const raw = valueAt(event, "raw_output");
    this.#builder.result(name, {
      status: isError ? "error" : "ok",
      output: this.#state.text(raw === undefined || raw === null ? valueAt(event, "content") : raw),
      time: at.time,
    });
  }
}

/** Removes the reasoning from a text, where models write both into one. */
function withoutThoughts(text: string, thoughts: string): string {
  const end = text.indexOf("</think>");
  if (thoughts === "" || end === -1 || !text.trimStart().startsWith("<think>")) return text;
  return text.slice(0, end).includes(thoughts.trim())
    ? text.slice(end + "</think>".length).trimStart()
    : text;
}

function riskOf(risk: string | undefined): string | undefined {
  return risk === "UNKNOWN" ? undefined : risk;
}
