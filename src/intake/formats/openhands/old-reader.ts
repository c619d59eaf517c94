// Reads events of the first generation: actions, and the observations that they caused. Old evaluations hold
// them without ids; there an observation belongs to the action before it.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject } from "../../../base/json/value.js";
import { words } from "../../../base/lists.js";
import { parsedText } from "../../protocols/openai-chat/calls.js";
import { joined, toolNames } from "../../protocols/openai-chat/content.js";
import { flagAt, defined, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At, Status } from "../../run-entries.js";
import { cutOf, folderOf, noteFile, outcomeOf } from "./outcome.js";
import { Responses } from "./responses.js";
import { ReaderState, without } from "./reader-state.js";

/** Actions that tools execute, whether or not a model requested them. */
const tools = words(
  "run run_ipython read write edit browse browse_interactive call_tool_mcp mcp think delegate task_tracking finish reject push send_pr search",
);

const leftOutActions = words(
  "null change_agent_state start pause resume stop recall condensation_request init",
);

/** Fields of an action that are no parameters. */
const noParameters = new Set(
  (
    "action observation id timestamp source message cause timeout thought is_confirmed confirmation_state action_risk " +
    "security_risk keep_prompt hidden blocking kernel_init_code tool_call_metadata llm_metrics translated_ipython_code runnable"
  ).split(" "),
);

export class OldEventReader {
  readonly responses: Responses;
  readonly #builder: RunBuilder;
  readonly #state: ReaderState;
  /** The last call, for observations that do not name their cause. */
  #last: string | undefined;
  /** Contents that were to be written, by the name of the call. */
  readonly #writes = new Map<string, JsonObject>();
  /** The last speaker, for messages that do not name theirs. */
  #speaker: "user" | "agent" | undefined;

  constructor(builder: RunBuilder, cwd: string | undefined) {
    this.#builder = builder;
    this.#state = new ReaderState(builder);
    this.#state.cwd = cwd;
    this.responses = new Responses(builder);
  }

  take(event: JsonObject): void {
    if (this.#state.isRepeated(event)) return;
    const action = textAt(event, "action");
    const observation = textAt(event, "observation");
    const thoughts = this.responses.noteResponse(event);
    const at = this.#state.at(event, this.responses.model);
    if (thoughts !== undefined) this.#builder.reasoning(thoughts, at);
    if (action !== undefined) this.#action(action, event, at);
    else if (observation !== undefined) this.#observation(observation, event, at);
    else this.#builder.coverage.skip("event without action or observation");
  }

  #action(kind: string, event: JsonObject, at: At): void {
    const args = objectAt(event, "args") ?? event;
    const isRequested = Object.hasOwn(event, "tool_call_metadata");
    this.#builder.see(at);
    if (kind === "system") this.#system(args);
    else if (kind === "message") this.#message(event, args, at);
    else if (kind === "condensation") this.#condensation(args, at);
    else if (tools.has(kind) || (isRequested && !leftOutActions.has(kind))) this.#call(kind, event, at);
    else if (leftOutActions.has(kind)) {
      if (kind === "change_agent_state" && textAt(args, "agent_state") === "stopped")
        this.#builder.interrupt();
      this.#builder.coverage.leaveOut(kind);
    } else this.#builder.coverage.skip(kind);
  }

  #system(args: JsonObject): void {
    const { source, metadata, toolVersions } = this.#builder;
    this.#builder.systemPrompt(textAt(args, "content") ?? "");
    const names = toolNames(valueAt(args, "tools"));
    if (names.length > 0) metadata["tools"] = names;
    const version = wordAt(args, "openhands_version");
    if (version !== undefined) source["version"] = toolVersions["openhands"] = version;
    const agent = wordAt(args, "agent_class");
    if (agent !== undefined) source["agent_class"] = agent;
  }

  #message(event: JsonObject, args: JsonObject, at: At): void {
    const pictures = this.#state.pictures([...listAt(args, "image_urls"), ...listAt(args, "images_urls")]);
    const text = joined([textAt(args, "content") ?? "", ...pictures]);
    const source =
      textAt(event, "source") ??
      (this.#speaker === undefined || this.#speaker === "agent" ? "user" : "agent");
    if (source === "user") {
      this.#speaker = "user";
      this.#builder.prompt(text, at);
    } else if (source === "agent") {
      this.#speaker = "agent";
      this.#builder.message(text, at);
    } else this.#builder.context(source, text, at);
  }

  #condensation(args: JsonObject, at: At): void {
    const ids = listAt(args, "forgotten_event_ids").length;
    const [start, end] = [
      numberAt(args, "forgotten_events_start_id"),
      numberAt(args, "forgotten_events_end_id"),
    ];
    const range = start === undefined || end === undefined ? undefined : end - start + 1;
    const metadata = defined({ forgotten: ids > 0 ? ids : range });
    this.#builder.context("compaction", textAt(args, "summary") ?? "", { ...at, metadata });
  }

  #call(kind: string, event: JsonObject, at: At): void {
    const args = objectAt(event, "args") ?? event;
    const requested = this.responses.requestedFunction(event);
    const source = textAt(event, "source") ?? "agent";
    const isAgent = source === "agent";
    if (isAgent) this.#speaker = "user";
    const thought = wordAt(args, "thought");
    // A thought of the tool `think` is in the call itself.
    if (thought !== undefined && kind !== "think") this.#builder.message(thought, at);
    const parameters = requested?.parameters ?? without(args, kind === "think" ? new Set() : noParameters);
    const name = this.#state.call(event["id"], requested?.callId, {
      ...at,
      model: isAgent ? at.model : undefined,
      tool: requested?.tool ?? kind,
      parameters,
      together: requested?.response,
      metadata: isAgent ? {} : { issued_by: source },
    });
    this.#last = name;
    if (kind === "write") this.#writes.set(name, args);
    if (kind === "finish" || kind === "reject") this.#finish(name, args, at);
  }

  /** Reads the last call, which gets no observation: its text is the answer. */
  #finish(name: string, args: JsonObject, at: At): void {
    this.#builder.result(name, { status: "ok" });
    const answer =
      wordAt(args, "final_thought") ??
      wordAt(args, "outputs", "content") ??
      wordAt(args, "outputs", "reason");
    if (answer !== undefined && answer !== this.#builder.answer) this.#builder.message(answer, at);
    const completed = textAt(args, "task_completed");
    if (completed !== undefined) this.#builder.metadata["task_completed"] = completed;
  }

  #observation(kind: string, event: JsonObject, at: At): void {
    const { coverage, metadata } = this.#builder;
    const extras = objectAt(event, "extras") ?? event;
    const content = this.#state.text(valueAt(event, "content"));
    this.#builder.see(at);
    if (kind === "null") coverage.leaveOut("null");
    else if (kind === "agent_state_changed") {
      const state = wordAt(extras, "agent_state");
      if (state !== undefined) metadata["outcome"] = state;
      const reason = wordAt(extras, "reason");
      if (reason !== undefined) this.#builder.context("error", reason, at);
      coverage.leaveOut(kind);
    } else if (kind === "recall") {
      const recalled = without(
        extras,
        new Set(["observation", "id", "timestamp", "source", "message", "cause"]),
      );
      const { time, cwd } = at;
      this.#builder.context("recall", canonicalText(recalled), { time, cwd });
    } else if (kind === "condense") this.#builder.context("compaction", content, { time: at.time });
    else this.#result(kind, { event, extras, content }, at);
  }

  #result(
    kind: string,
    { event, extras, content }: { event: JsonObject; extras: JsonObject; content: string },
    at: At,
  ): void {
    const callId = wordAt(event, "tool_call_metadata", "tool_call_id");
    const cause = valueAt(event, "cause");
    const isPaired = !Object.hasOwn(event, "cause") && !Object.hasOwn(event, "id");
    const name = this.#state.answered(cause, callId) ?? (isPaired ? this.#last : undefined);
    if (isPaired) this.#last = undefined;
    if (name === undefined && kind === "error") {
      this.#builder.context("error", content, { time: at.time });
      return;
    }
    const { status, metadata } = outcomeOf(extras, this.#isError(kind, extras, content));
    const folder = folderOf(extras);
    this.#builder.result(name, {
      status: kind === "user_rejected" ? "denied" : status,
      output: content,
      seen: wordAt(extras, "formatted_output_and_error"),
      time: at.time,
      metadata: {
        ...metadata,
        ...cutOf(this.#builder, content),
        ...(name === undefined ? defined({ tool: kind, call_id: callId }) : {}),
      },
    });
    if (folder !== undefined) this.#state.cwd = folder;
    this.#files(name, status, extras);
  }

  #files(name: string | undefined, status: Status, extras: JsonObject): void {
    if (status !== "ok") return;
    noteFile(this.#builder, extras);
    const written = name === undefined ? undefined : this.#writes.get(name);
    const [path, text] = [wordAt(written, "path"), textAt(written, "content")];
    const isWhole = (numberAt(written, "start") ?? 0) <= 1 && (numberAt(written, "end") ?? -1) === -1;
    if (path !== undefined && text !== undefined && isWhole) this.#builder.files.after(path, text);
  }

  #isError(kind: string, extras: JsonObject, content: string): boolean {
    if (kind === "error" || flagAt(extras, "error")) return true;
    return kind === "mcp" && flagAt(parsedText(content, this.#builder.coverage), "isError");
  }
}
