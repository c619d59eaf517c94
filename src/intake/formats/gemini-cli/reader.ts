// Reads messages as Gemini CLI records them into a run: a type, a content of parts, and, for the model's,
// thoughts, calls with their results, and tokens.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { type Attach, attachTo } from "../../protocols/openai-chat/content.js";
import type { StartedAgent } from "../../format.js";
import { defined, numberAt, objectAt, objectsAt, textAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { type GeminiPiece, piecesOf, plainText, responseOf } from "../../protocols/gemini/parts.js";
import { takeResult } from "./results.js";
import { takeUserText } from "./user-text.js";

export class GeminiReader {
  /** The sub-agents that calls started. */
  readonly started: StartedAgent[] = [];
  readonly #builder: RunBuilder;
  readonly #attach: Attach;
  readonly #calls = callBook();
  /** The ids of calls that were read. */
  readonly #ids = new Set<string>();
  #count = 0;

  constructor(builder: RunBuilder) {
    this.#builder = builder;
    this.#attach = attachTo(builder);
  }

  /** Reads a message. `isInjected`: the client inserted it when it summarised the history. */
  take(message: JsonObject, at: At, isInjected = false): void {
    this.#count++;
    const type = textAt(message, "type") ?? "unknown";
    if (type === "gemini" || type === "model") this.#takeModel(message, at, isInjected);
    else if (type === "user") this.#takeUser(message, at, isInjected);
    else this.#takeNote(message, type, at);
  }

  #takeNote(message: JsonObject, type: string, at: At): void {
    const builder = this.#builder;
    const text = plainText(message["content"]);
    if (type === "info" && text === "Request cancelled.") {
      builder.context("interruption", text, at);
      builder.interrupt();
    } else if (type === "error" || type === "warning") builder.context(type, text, at);
    else if (type === "info") builder.coverage.leaveOut(type);
    else builder.coverage.skip(`message of type ${type}`);
  }

  #takeUser(message: JsonObject, at: At, isInjected: boolean): void {
    const pieces = this.#pieces(message["content"]);
    const typed = plainText(message["displayContent"]);
    const texts = pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : []));
    const about = objectAt(message, "toolCallResult");
    for (const piece of pieces) if (piece.kind === "response") this.#takeResponse(piece.response, at, about);
    const text = texts.join("");
    if (text === "" && typed === "") return;
    if (isInjected) this.#builder.context("summary", text, at);
    else takeUserText(this.#builder, { text, typed: typed === "" ? undefined : typed, at });
  }

  #takeModel(message: JsonObject, at: At, isInjected: boolean): void {
    const builder = this.#builder;
    const model = wordAt(message, "model");
    const spoken = { ...at, model };
    for (const thought of objectsAt(message, "thoughts")) {
      const text = [textAt(thought, "subject"), textAt(thought, "description")].filter(Boolean).join("\n");
      const time = timeOf(thought["timestamp"], builder.coverage) ?? at.time;
      if (text !== "") builder.reasoning(text, { ...spoken, time });
    }
    const listed = objectsAt(message, "toolCalls");
    const ids = new Set(listed.map((call) => wordAt(call, "id")));
    for (const piece of this.#pieces(message["content"])) {
      if (piece.kind === "thought" && piece.text.trim() !== "") builder.reasoning(piece.text, spoken);
      if (piece.kind === "text" && piece.text.trim() !== "") {
        if (isInjected) builder.context("summary", piece.text, at);
        else builder.message(piece.text, spoken);
      }
      if (piece.kind !== "call") continue;
      const id = wordAt(piece.call, "id");
      // The list of calls has the same calls, with their results.
      const isRead = ids.has(id) || (isInjected && id !== undefined && this.#ids.has(id));
      if (!isRead) this.#ask(piece.call, spoken);
    }
    for (const call of listed) this.#takeCall(call, spoken);
    this.#takeTokens(message);
  }

  #pieces(content: JsonValue | undefined): GeminiPiece[] {
    return piecesOf(content, this.#attach, this.#builder.coverage);
  }

  /** Reads an object that holds a call and its result. */
  #takeCall(call: JsonObject, at: At): void {
    const { coverage } = this.#builder;
    const time = timeOf(call["timestamp"], coverage) ?? at.time;
    const name = this.#ask(call, { ...at, time });
    const said: string[] = [];
    let isError = false;
    for (const piece of this.#pieces(call["result"])) {
      if (piece.kind === "text") said.push(piece.text);
      if (piece.kind !== "response") continue;
      const response = responseOf(piece.response, this.#attach);
      isError ||= response.isError;
      if (response.text !== undefined) said.push(response.text);
    }
    const tool = wordAt(call, "name") ?? "unknown";
    const isAnswered = takeResult(this.#builder, name, {
      tool,
      parameters: objectAt(call, "args") ?? {},
      status: wordAt(call, "status"),
      text: said.length === 0 ? undefined : said.join("\n"),
      isError,
      display: call["resultDisplay"],
      time,
    });
    if (isAnswered) this.#calls.answered({ id: wordAt(call, "id"), tool });
    const agent = wordAt(call, "agentId");
    if (agent !== undefined) this.started.push({ agent, call: name });
  }

  #ask(call: JsonObject, at: At): string {
    const builder = this.#builder;
    const id = wordAt(call, "id");
    const tool = wordAt(call, "name");
    if (tool === undefined) builder.coverage.addUnknown("the names of some tools");
    const name = this.#calls.add({ id, tool: tool ?? "unknown", message: this.#count });
    if (id !== undefined) this.#ids.add(id);
    builder.call({
      ...at,
      id: name,
      tool: tool ?? "unknown",
      parameters: objectAt(call, "args") ?? {},
      together: `message-${this.#count}`,
      metadata: { ...at.metadata, call_id: id ?? name },
    });
    return name;
  }

  /**
   * Reads a result among the user's parts, as histories have them; most results of a session were read with
   * their calls.
   */
  #takeResponse(response: JsonObject, at: At, about: JsonObject | undefined): void {
    const builder = this.#builder;
    const id = wordAt(response, "id");
    const name = this.#calls.answered({ id, tool: wordAt(response, "name") });
    const call = builder.callOf(name);
    if (id !== undefined && call === undefined && this.#ids.has(id)) {
      builder.coverage.duplicates++;
      return;
    }
    const { text, isError } = responseOf(response, this.#attach);
    if (name === undefined || call === undefined)
      builder.result(id, {
        output: text,
        status: isError ? "error" : "ok",
        time: at.time,
        metadata: defined({ ...at.metadata, tool: wordAt(response, "name") }),
      });
    else {
      const { tool, parameters } = call;
      const { time } = at;
      const status = wordAt(about, "status") ?? (isError ? "error" : "success");
      takeResult(builder, name, {
        tool,
        parameters,
        status,
        text,
        isError,
        display: about?.["resultDisplay"],
        time,
      });
    }
  }

  #takeTokens(message: JsonObject): void {
    const tokens = objectAt(message, "tokens");
    if (tokens === undefined || (numberAt(tokens, "total") ?? 0) === 0) return;
    const [output, thoughts] = [numberAt(tokens, "output"), numberAt(tokens, "thoughts")];
    this.#builder.use(`${this.#count}`, {
      input_tokens: numberAt(tokens, "input"),
      // Gemini counts thoughts beside the output, other providers within it.
      output_tokens: output === undefined ? thoughts : output + (thoughts ?? 0),
      cache_read_input_tokens: numberAt(tokens, "cached"),
      reasoning_output_tokens: thoughts,
    });
  }
}
