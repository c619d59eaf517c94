// Reads the entries of a session, in the order of the file. Entries name their parents; those that do not
// lead to the last entry are of branches that the user left.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { Into } from "../../format.js";
import { defined, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { argumentsOf } from "../../protocols/openai-chat/calls.js";
import { attachTo, joined } from "../../protocols/openai-chat/content.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { takePiResult } from "./results.js";

/** An entry of the tree, with the steps that it became. */
interface PiEntry {
  parent: string | undefined;
  from: number;
  to: number;
}

export class PiReader {
  readonly #into: Into;
  readonly #run: RunBuilder;
  readonly #entries = new Map<string, PiEntry>();
  #last: string | undefined;
  #count = 0;
  #cost: number | undefined;

  constructor(into: Into) {
    this.#into = into;
    const { coverage } = into;
    this.#run = new RunBuilder({ format: "pi", agent: "pi", keeper: () => into.keeper(), coverage });
  }

  take(entry: JsonObject): void {
    const id = wordAt(entry, "id");
    if (id !== undefined && this.#entries.has(id)) {
      this.#run.coverage.duplicates++;
      return;
    }
    this.#count++;
    const from = this.#run.stepCount;
    const at = { time: timeOf(entry["timestamp"], this.#run.coverage) };
    this.#run.see(at);
    const type = textAt(entry, "type") ?? "unknown";
    if (type === "session") return this.#takeHeader(entry);
    if (type === "message") this.#takeMessage(objectAt(entry, "message") ?? {}, at);
    else if (!this.#takeContext(type, entry, at) && !this.#takeSetting(type, entry))
      this.#run.coverage.skip(type);
    if (id === undefined) return;
    this.#entries.set(id, { parent: wordAt(entry, "parentId"), from, to: this.#run.stepCount });
    this.#last = id;
  }

  finish(): ExecutionLog {
    const active = this.#activeBranch();
    for (const [id, { from, to }] of this.#entries) if (!active.has(id)) this.#run.abandonSteps(from, to);
    addPromptOption(this.#run, this.#into);
    return this.#run.finish();
  }

  /** Returns the ids of the entries from the last one up to the root. */
  #activeBranch(): Set<string> {
    const ids = new Set<string>();
    for (let id = this.#last; id !== undefined && !ids.has(id); id = this.#entries.get(id)?.parent)
      ids.add(id);
    return ids;
  }

  #takeHeader(header: JsonObject): void {
    const run = this.#run;
    run.see({ cwd: wordAt(header, "cwd") });
    Object.assign(
      run.source,
      defined({
        session: wordAt(header, "id"),
        session_version: numberAt(header, "version"),
        // The first version has another name for it.
        parent_session: wordAt(header, "parentSession") ?? wordAt(header, "branchedFrom"),
      }),
    );
    this.#setModel(header);
    this.#setThinking(header);
  }

  #takeMessage(message: JsonObject, at: At): void {
    const role = textAt(message, "role") ?? "unknown";
    if (role === "user") this.#run.prompt(this.#text(message["content"]), at);
    else if (role === "assistant") this.#takeAssistant(message, at);
    else if (role === "toolResult") {
      takePiResult(this.#run, message, at);
      this.#use(message);
    } else if (role === "bashExecution") this.#takeBash(message, at);
    else if (!this.#takeContext(role, message, at)) this.#run.coverage.skip(`message of role ${role}`);
  }

  #takeAssistant(message: JsonObject, at: At): void {
    const stop = wordAt(message, "stopReason");
    const isCutOff = stop === "error" || stop === "aborted";
    const spoken: At = {
      ...at,
      model: wordAt(message, "model"),
      metadata: defined({ stop_reason: isCutOff || stop === "length" ? stop : undefined }),
    };
    const calls = listAt(message, "content").flatMap((block) => this.#takeBlock(block, spoken) ?? []);
    if (isCutOff)
      this.#run.context(stop === "error" ? stop : "interruption", textAt(message, "errorMessage") ?? "", at);
    if (stop === "aborted") for (const id of calls) this.#run.setStatus(id, "interrupted");
    this.#use(message);
  }

  /** Reads a block of an answer; returns the id of the call that it is. */
  #takeBlock(block: JsonValue, at: At): string | undefined {
    const run = this.#run;
    const type = textAt(block, "type") ?? "unknown";
    if (type === "text") {
      const text = textAt(block, "text") ?? "";
      if (text.trim() !== "") run.message(text, at);
    } else if (type === "thinking") {
      // Only the signature of encrypted reasoning is recorded.
      const thought = wordAt(block, "thinking");
      if (thought !== undefined || wordAt(block, "thinkingSignature") !== undefined)
        run.reasoning(thought, at);
    } else if (type === "toolCall") {
      const id = wordAt(block, "id");
      run.call({
        ...at,
        id,
        tool: wordAt(block, "name") ?? "unknown",
        parameters: argumentsOf(valueAt(block, "arguments"), run.coverage),
        together: `message-${this.#count}`,
      });
      return id;
    } else run.coverage.skip(`block ${type}`);
    return undefined;
  }

  /** Reads a command that the user ran from the prompt. */
  #takeBash(message: JsonObject, at: At): void {
    const isCut = message["truncated"] === true;
    if (isCut) this.#run.coverage.truncated++;
    const text = [`$ ${textAt(message, "command") ?? ""}`, textAt(message, "output") ?? ""];
    this.#run.context("shell", joined(text), {
      ...at,
      metadata: defined({
        exit_code: numberAt(message, "exitCode"),
        cancelled: message["cancelled"] === true ? true : undefined,
        truncated: isCut ? true : undefined,
        excluded: message["excludeFromContext"] === true ? true : undefined,
      }),
    });
  }

  /** Reads an entry, or a message, that the program or an extension inserted; false for any other. */
  #takeContext(type: string, entry: JsonObject, at: At): boolean {
    const summary = textAt(entry, "summary") ?? "";
    switch (type) {
      case "compaction":
      case "compactionSummary":
        // A tail that it retains repeats earlier messages.
        this.#run.context("compaction", summary, {
          ...at,
          metadata: defined({ tokens_before: numberAt(entry, "tokensBefore") }),
        });
        break;
      case "branch_summary":
      case "branchSummary":
        this.#run.context("branch_summary", summary, at);
        break;
      case "custom_message":
      case "hookMessage":
        return this.#takeExtension(entry, at);
      case "custom":
        // As an entry, it is the state of an extension, which the model never sees; as a message, it has a
        // role.
        if (textAt(entry, "role") === "custom") return this.#takeExtension(entry, at);
        this.#run.coverage.leaveOut(type);
        break;
      default:
        return false;
    }
    this.#use(entry);
    return true;
  }

  #takeExtension(entry: JsonObject, at: At): true {
    const metadata = defined({ extension: wordAt(entry, "customType") });
    this.#run.context("extension", this.#text(entry["content"]), { ...at, metadata });
    return true;
  }

  #takeSetting(type: string, entry: JsonObject): boolean {
    if (type === "model_change") this.#setModel(entry);
    else if (type === "thinking_level_change") this.#setThinking(entry);
    else if (type === "session_info")
      Object.assign(this.#run.metadata, defined({ title: wordAt(entry, "name") }));
    else if (type === "label") this.#run.coverage.leaveOut(type);
    else return false;
    return true;
  }

  #setModel(entry: JsonObject): void {
    this.#run.identifier = wordAt(entry, "modelId") ?? this.#run.identifier;
    Object.assign(this.#run.parameters, defined({ provider: wordAt(entry, "provider") }));
  }

  #setThinking(entry: JsonObject): void {
    Object.assign(this.#run.parameters, defined({ reasoning_effort: wordAt(entry, "thinkingLevel") }));
  }

  #use(message: JsonObject): void {
    const usage = objectAt(message, "usage");
    if (usage === undefined) return;
    this.#run.use(`message-${this.#count}`, {
      input_tokens: numberAt(usage, "input"),
      output_tokens: numberAt(usage, "output"),
      cache_read_input_tokens: numberAt(usage, "cacheRead"),
      cache_creation_input_tokens: numberAt(usage, "cacheWrite"),
      reasoning_output_tokens: numberAt(usage, "reasoning"),
    });
    const cost = numberAt(usage, "cost", "total");
    if (cost !== undefined) this.#run.metadata["cost_usd"] = this.#cost = (this.#cost ?? 0) + cost;
  }

  /** Returns a content as text, with the names of its images. */
  #text(content: JsonValue | undefined): string {
    if (typeof content === "string") return content;
    return joined(
      listAt(content).map((block) => {
        const data = textAt(block, "data");
        if (data === undefined) return textAt(block, "text") ?? "";
        return `[${attachTo(this.#run)(Buffer.from(data, "base64"), textAt(block, "mimeType") ?? "")}]`;
      }),
    );
  }
}
