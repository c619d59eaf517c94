// Reads what `gemini -p … -o stream-json` prints: one event a line. The model's messages come in chunks.
import type { JsonObject } from "../../../base/json/value.js";
import type { Coverage } from "../../coverage.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { defined, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import { takeResult } from "./results.js";
import { takeUserText } from "./user-text.js";
import type { Head } from "../../head.js";
import { valuesOf } from "../../parse.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { sessionRuns } from "../../stream-sessions.js";
import { timeOf } from "../../times.js";
import { totalUsage } from "../../usage-book.js";

export const geminiStreamJson: Format = {
  name: "gemini-stream-json",
  title: "what `gemini -p … -o stream-json` prints",
  from: "gemini -p … --output-format stream-json",
  sniff,
  read(source, into) {
    return sessionRuns(valuesOf(source, into.coverage), into.coverage, {
      nameOf: (event) => (textAt(event, "type") === "init" ? wordAt(event, "session_id") : undefined),
      read: (coverage) => new GeminiStreamReader(into, coverage),
    });
  },
};

const eventTypes = new Set(["init", "message", "tool_use", "tool_result", "error", "result"]);

function sniff({ records }: Head): Fit {
  const events = records.filter((record) => eventTypes.has(textAt(record, "type") ?? ""));
  const isSure = events.some(
    (event) =>
      (textAt(event, "type") === "init" && textAt(event, "session_id") !== undefined) ||
      (textAt(event, "tool_id") !== undefined && textAt(event, "type")?.startsWith("tool_") === true) ||
      (textAt(event, "type") === "result" && numberAt(event, "stats", "total_tokens") !== undefined),
  );
  if (isSure && events.length * 2 > records.length) return true;
  return { near: isSure ? 0.4 : 0, missing: "it has no `init` event with a session_id" };
}

class GeminiStreamReader {
  readonly #into: Into;
  readonly #run: RunBuilder;
  readonly #calls = callBook();
  /** The model's current message, assembled from chunks. */
  #said: { text: string; at: At } | undefined;
  #model: string | undefined;
  #turn = 0;
  #callCount = 0;

  constructor(into: Into, coverage: Coverage) {
    this.#into = into;
    this.#run = new RunBuilder({
      format: "gemini-stream-json",
      agent: "gemini-cli",
      keeper: () => into.keeper(),
      coverage,
    });
  }

  take(event: JsonObject): void {
    const run = this.#run;
    const type = textAt(event, "type") ?? "unknown";
    const at = { time: timeOf(event["timestamp"], run.coverage), model: this.#model };
    run.see({ time: at.time });
    // A message goes on after an event of an unknown kind.
    if (type !== "message" && eventTypes.has(type)) this.#addMessage();
    if (type === "message") this.#takeMessage(event, at);
    else if (type === "tool_use") this.#takeCall(event, at);
    else if (type === "tool_result") this.#takeResult(event, at);
    else if (type === "error") run.context("error", wordAt(event, "message") ?? "", { time: at.time });
    else if (type === "result") this.#takeEnd(event, at);
    else if (type === "init") {
      this.#model = run.identifier = wordAt(event, "model") ?? run.identifier;
      const session = wordAt(event, "session_id");
      if (session !== undefined) run.source["session"] = session;
    } else run.coverage.skip(type);
  }

  finish(): ReturnType<RunBuilder["finish"]> {
    this.#addMessage();
    addPromptOption(this.#run, this.#into);
    return this.#run.finish();
  }

  #takeMessage(event: JsonObject, at: At): void {
    const text = textAt(event, "content") ?? "";
    const role = textAt(event, "role") ?? "unknown";
    if (role === "assistant" && valueAt(event, "delta") === true) {
      this.#said = { text: (this.#said?.text ?? "") + text, at: this.#said?.at ?? at };
      return;
    }
    this.#addMessage();
    if (role === "assistant") this.#said = { text, at };
    else if (role === "user") takeUserText(this.#run, { text, at });
    else this.#run.coverage.skip(`message of ${role}`);
  }

  #addMessage(): void {
    const said = this.#said;
    this.#said = undefined;
    if (said === undefined || said.text.trim() === "") return;
    this.#turn++;
    this.#run.message(said.text, said.at);
  }

  #takeCall(event: JsonObject, at: At): void {
    const id = wordAt(event, "tool_id");
    const tool = wordAt(event, "tool_name") ?? "unknown";
    const name = this.#calls.add({ id, tool, message: this.#callCount++ });
    this.#run.call({
      ...at,
      id: name,
      tool,
      parameters: objectAt(event, "parameters") ?? {},
      together: `turn-${this.#turn}`,
      metadata: { call_id: id ?? name },
    });
  }

  #takeResult(event: JsonObject, { time }: At): void {
    // Calls that follow results belong to another request.
    this.#turn++;
    const id = wordAt(event, "tool_id");
    const name = this.#calls.answered({ id, tool: undefined });
    const call = this.#run.callOf(name);
    const failure = wordAt(event, "error", "message");
    const output = textAt(event, "output") ?? failure;
    const status = wordAt(event, "status") ?? (failure === undefined ? "success" : "error");
    if (name === undefined || call === undefined)
      return this.#run.result(id, { output, status: status === "success" ? "ok" : "error", time });
    const { tool, parameters } = call;
    // The printed output is at most what a user would be shown.
    this.#run.coverage.addUnknown("what the model was shown of some results");
    takeResult(this.#run, name, {
      tool,
      parameters,
      status,
      text: output ?? "",
      isError: false,
      display: undefined,
      time,
      isShown: true,
    });
  }

  #takeEnd(event: JsonObject, { time }: At): void {
    const run = this.#run;
    const stats = objectAt(event, "stats");
    const failure = wordAt(event, "error", "message");
    if (failure !== undefined) run.context("error", failure, { time });
    if (stats !== undefined)
      run.use(totalUsage, {
        input_tokens: numberAt(stats, "input_tokens"),
        output_tokens: numberAt(stats, "output_tokens"),
        cache_read_input_tokens: numberAt(stats, "cached"),
      });
    const models = Object.keys(objectAt(stats, "models") ?? {});
    Object.assign(
      run.metadata,
      defined({
        outcome: wordAt(event, "status"),
        duration_ms: numberAt(stats, "duration_ms"),
        model_usage: models.length > 0 ? objectAt(stats, "models") : undefined,
      }),
    );
  }
}
