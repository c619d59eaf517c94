// Reads the events of a sample, in their order, into a run: requests and answers of the model, results of
// tools with their times, and whatever else happened.
import { canonicalText } from "../../../base/json/canonical.js";
import { type JsonObject, type JsonValue, setOwn } from "../../../base/json/value.js";
import type { Queue } from "../../../base/lists.js";
import {
  flagAt,
  defined,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
  wordAt,
} from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { toolNames } from "../../protocols/openai-chat/content.js";
import type { Reading } from "./content.js";
import { ExitCodes } from "./exit-codes.js";
import { outcomeOf } from "./outcome.js";
import type { Pool } from "./pool.js";
import { type EventPosition, Spans, top } from "./spans.js";
import type { InspectMessageReader } from "./message-reader.js";
import { inspectUsage } from "./usage.js";

/** Events that only repeat others. */
const leftOut = new Set(
  (
    "sample_init state store span_begin span_end step score score_edit logger sandbox anchor branch checkpoint " +
    "subtask interrupt review"
  ).split(" "),
);

export interface EventsOptions {
  builder: RunBuilder;
  reading: Reading;
  messageReader: InspectMessageReader;
  pool: Pool;
  /** The messages that brought the results of a call to the model, in their order. */
  toolMessages: ReadonlyMap<string, Queue<JsonObject>>;
  /** Whether usage is counted by request, because the sample does not state it. */
  countsUsage: boolean;
}

export class InspectReader {
  readonly #options: EventsOptions;
  readonly #spans = new Spans();
  readonly #exits: ExitCodes;
  readonly #models = new Set<string>();
  #requests = 0;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#exits = new ExitCodes(options.builder);
  }

  take(event: JsonObject, outer: EventPosition = top): void {
    const { builder } = this.#options;
    const { coverage } = builder;
    coverage.records++;
    const kind = textAt(event, "event") ?? "unknown";
    if (kind === "span_begin") this.#spans.begin(event, outer);
    if (kind === "step") this.#spans.step(event, outer);
    const position = this.#spans.positionOf(event, outer);
    const at = { time: timeOf(event["timestamp"], coverage), metadata: defined({ agent: position.agent }) };
    if (kind === "span_begin") this.#exits.span(event);
    if (kind === "sandbox") this.#exits.addExecution(event, position.tool);
    builder.see(at);
    let inner: EventPosition = kind === "subtask" ? { ...position, isSub: true } : position;
    if (position.isScorer && (kind === "model" || kind === "tool"))
      coverage.leaveOut(`${kind} event of a scorer`);
    else if (kind === "model") this.#model(event, at, position);
    else if (kind === "tool") inner = this.#tool(event, at, position);
    else if (leftOut.has(kind)) coverage.leaveOut(kind === "sandbox" ? sandboxKind(event) : kind);
    else this.#other(kind, event, at);
    // Older logs have the events inside a call here.
    for (const own of objectsAt(event, "events")) this.take(own, inner);
  }

  finish(): void {
    this.#exits.finish();
    const { identifier, metadata } = this.#options.builder;
    this.#models.delete(identifier ?? "");
    if (this.#models.size > 0) metadata["response_models"] = [...this.#models];
  }

  #model(event: JsonObject, at: At, position: EventPosition): void {
    const { builder, messageReader, pool } = this.#options;
    const model = wordAt(event, "model");
    this.#requests++;
    const isFirst = this.#requests === 1;
    if (isFirst) this.#describe(event);
    const input = pool.hasRefs(event) ? pool.unseen(event["input_refs"]) : listAt(event, "input");
    const isAnswer = messageReader.list(input, at, position);
    const output = objectAt(event, "output");
    const time = timeOf(event["completed"], builder.coverage) ?? at.time;
    const [choice, ...others] = listAt(output, "choices");
    for (const _ of others) builder.coverage.leaveOut("another choice of the same answer");
    const stop = wordAt(choice, "stop_reason");
    const metadata = defined({
      ...at.metadata,
      role: wordAt(event, "role"),
      stop_reason: stop === "stop" || stop === "tool_calls" ? undefined : stop,
      cache: wordAt(event, "cache"),
    });
    const answer = objectAt(choice, "message");
    if (answer !== undefined && isAnswer(answer)) messageReader.answer(answer, { time, model, metadata });
    const error = wordAt(event, "error") ?? wordAt(output, "error");
    if (error !== undefined)
      builder.context("error", this.#options.reading.attachments.text(error), { time, metadata });
    const served = wordAt(output, "model");
    if (served !== undefined && this.#models.size < 100) this.#models.add(served);
    const usage = objectAt(output, "usage");
    if (usage !== undefined && this.#options.countsUsage)
      builder.use(`request-${this.#requests}`, inspectUsage(usage));
  }

  /** Reads the model's settings from the first request. */
  #describe(event: JsonObject): void {
    const { builder } = this.#options;
    for (const [name, value] of Object.entries(objectAt(event, "config") ?? {}))
      if (value !== null) setOwn(builder.parameters, name, value);
    const tools = toolNames(event["tools"]);
    if (tools.length > 0) builder.metadata["tools"] = tools;
  }

  #tool(event: JsonObject, at: At, position: EventPosition): EventPosition {
    const { builder, reading, messageReader, toolMessages } = this.#options;
    const name = messageReader.callOf(event, at);
    this.#exits.call(event, name);
    const inner = { ...position, isSub: true, tool: `call ${name}` };
    // It was still running.
    if (flagAt(event, "pending")) return inner;
    const message = toolMessages.get(textAt(event, "id") ?? "")?.take();
    const outcome = outcomeOf({ event, message }, reading);
    const time = timeOf(event["completed"], builder.coverage) ?? at.time;
    const seconds = numberAt(event, "working_time");
    builder.result(name, {
      ...outcome,
      time,
      metadata: defined({ ...outcome.metadata, working_time: seconds }),
    });
    return inner;
  }

  #other(kind: string, event: JsonObject, at: At): void {
    const { builder, reading } = this.#options;
    const addContext = (text: JsonValue | undefined, more: JsonObject = {}): void => {
      const content = typeof text === "string" ? text : text === undefined ? "" : canonicalText(text);
      builder.context(kind, reading.attachments.text(content), {
        ...at,
        metadata: { ...at.metadata, ...more },
      });
    };
    if (kind === "sample_limit")
      addContext(event["message"], defined({ type: wordAt(event, "type"), limit: numberAt(event, "limit") }));
    else if (kind === "error") addContext(valueAt(event, "error", "message") ?? event["error"]);
    else if (kind === "input") addContext(event["input"]);
    else if (kind === "info") addContext(event["data"], defined({ source: wordAt(event, "source") }));
    else if (kind === "compaction")
      addContext(
        "",
        defined({
          tokens_before: numberAt(event, "tokens_before"),
          tokens_after: numberAt(event, "tokens_after"),
        }),
      );
    else if (kind === "approval") this.#approval(event, addContext);
    else builder.coverage.skip(kind);
  }

  /** Reads an approval, if it changed something. */
  #approval(event: JsonObject, addContext: (text: JsonValue | undefined, more: JsonObject) => void): void {
    const decision = wordAt(event, "decision");
    if (decision === "approve") this.#options.builder.coverage.leaveOut("approval (approved)");
    else
      addContext(
        event["explanation"] ?? "",
        defined({ decision, approver: wordAt(event, "approver"), call_id: wordAt(event, "call", "id") }),
      );
  }
}

function sandboxKind(event: JsonObject): string {
  const action = textAt(event, "action");
  return ["exec", "read_file", "write_file"].includes(action ?? "") ? `sandbox ${action}` : "sandbox";
}
