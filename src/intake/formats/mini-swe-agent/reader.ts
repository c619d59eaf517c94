// Reads the messages of mini-swe-agent. A command is a call of a function, an item of a response, or a text
// between fences; its result is the message that names it, or the next one.
import type { JsonObject } from "../../../base/json/value.js";
import { argumentsOf, callBook } from "../../protocols/openai-chat/calls.js";
import { attachTo, chatContent, joined } from "../../protocols/openai-chat/content.js";
import { chatUsage } from "../../protocols/openai-chat/usage.js";
import {
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
import type { At, Status } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { type Fence, fenced, resultIn } from "./fenced.js";

/** The first line of the output when the run is to end. */
const endMarks = ["COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT"];

interface RequestedCommand {
  id: string | undefined;
  tool: string;
  parameters: JsonObject;
}

export class MiniSweAgentReader {
  /** The submission, where only a message has it. */
  submission: string | undefined;
  readonly #builder: RunBuilder;
  readonly #model: string | undefined;
  readonly #fence: Fence;
  readonly #calls = callBook();
  /** Calls without a result, the oldest first, and their commands. */
  readonly #open = new Map<string, string>();
  /** The calls of the last answer. */
  #last: string[] = [];
  #count = 0;
  #hasSystem = false;

  constructor(builder: RunBuilder, { model, fence }: { model: string | undefined; fence: Fence }) {
    this.#builder = builder;
    this.#model = model;
    this.#fence = fence;
  }

  take(message: JsonObject, { isLast }: { isLast: boolean }): void {
    this.#count++;
    const { coverage } = this.#builder;
    const role = textAt(message, "role");
    const extra = objectAt(message, "extra");
    const at: At = { time: timeOf(valueAt(extra, "timestamp"), coverage) };
    if (role === "assistant" || textAt(message, "object") === "response") this.#answer(message, extra, at);
    else if (role === "tool" || textAt(message, "type") === "function_call_output") this.#result(message, at);
    else if (role === "user") this.#user(message, { extra, at, isLast });
    else if (role === "exit") this.#exit(message, extra, at);
    else if (role === "system" || role === "developer") this.#system(this.#text(message));
    else coverage.skip(role === undefined ? "message without a role" : `message of role ${role}`);
  }

  #system(text: string): void {
    if (this.#hasSystem) this.#builder.context("system", text);
    else this.#builder.systemPrompt(text);
    this.#hasSystem = true;
  }

  #text(message: JsonObject): string {
    const content = valueAt(message, "content") ?? valueAt(message, "output");
    return chatContent(content, attachTo(this.#builder), this.#builder.coverage).text;
  }

  #answer(message: JsonObject, extra: JsonObject | undefined, { time }: At): void {
    const response =
      objectAt(extra, "response") ?? (textAt(message, "object") === "response" ? message : undefined);
    const usage = objectAt(response, "usage");
    if (usage !== undefined)
      this.#builder.use(wordAt(response, "id") ?? `message-${this.#count}`, chatUsage(usage));
    const at = { time, model: wordAt(response, "model") ?? this.#model };
    const { thoughts, text, requested } = Array.isArray(message["output"])
      ? this.#items(message)
      : this.#spoken(message, extra);
    if (thoughts.trim() !== "") this.#builder.reasoning(thoughts, at);
    if (text.trim() !== "") this.#builder.message(text, at);
    this.#addCalls(requested, at);
  }

  /** Reads an answer of chat completions. */
  #spoken(
    message: JsonObject,
    extra: JsonObject | undefined,
  ): { thoughts: string; text: string; requested: RequestedCommand[] } {
    const { coverage } = this.#builder;
    const { text, thought } = chatContent(valueAt(message, "content"), attachTo(this.#builder), coverage);
    const thoughts = joined([
      textAt(message, "reasoning_content") ?? textAt(message, "reasoning") ?? "",
      thought,
    ]);
    const calls = objectsAt(message, "tool_calls");
    if (calls.length > 0) {
      const requested = calls.map((call) => ({
        id: wordAt(call, "id"),
        tool: wordAt(call, "function", "name") ?? "bash",
        parameters: argumentsOf(valueAt(call, "function", "arguments"), coverage),
      }));
      return { thoughts, text, requested };
    }
    const [only, another] = fenced(text, this.#fence);
    const actions = objectsAt(extra, "actions").flatMap((action) => textAt(action, "command") ?? []);
    const ids = objectsAt(extra, "actions").map((action) => wordAt(action, "tool_call_id"));
    // Two commands at once are refused, and neither is run.
    const commands =
      actions.length > 0 ? actions : only === undefined || another !== undefined ? [] : [only.command];
    const isSame = commands.length === 1 && only?.command === commands[0]?.trim();
    return {
      thoughts,
      text: isSame ? (only?.rest ?? text) : text,
      requested: commands.map((command, index) => ({
        id: ids[index],
        tool: "bash",
        parameters: { command },
      })),
    };
  }

  /** Reads an answer of the Responses API, which is a list of items. */
  #items(message: JsonObject): { thoughts: string; text: string; requested: RequestedCommand[] } {
    const { coverage } = this.#builder;
    const thoughts: string[] = [];
    const texts: string[] = [];
    const requested: RequestedCommand[] = [];
    for (const item of objectsAt(message, "output")) {
      const type = textAt(item, "type") ?? "unknown";
      if (type === "message") texts.push(this.#text(item));
      else if (type === "reasoning")
        for (const part of objectsAt(item, "summary")) thoughts.push(textAt(part, "text") ?? "");
      else if (type === "function_call")
        requested.push({
          id: wordAt(item, "call_id") ?? wordAt(item, "id"),
          tool: wordAt(item, "name") ?? "bash",
          parameters: argumentsOf(valueAt(item, "arguments"), coverage),
        });
      else coverage.skip(`item of type ${type}`);
    }
    return { thoughts: joined(thoughts), text: joined(texts), requested };
  }

  #addCalls(requested: readonly RequestedCommand[], at: At): void {
    this.#last = requested.map(({ id, tool, parameters }) => {
      const name = this.#calls.add({ id, tool, message: this.#count });
      this.#open.set(name, textAt(parameters, "command") ?? "");
      this.#builder.call({
        ...at,
        id: name,
        tool,
        parameters,
        together: `message-${this.#count}`,
        metadata: defined({ ...at.metadata, call_id: id ?? name }),
      });
      return name;
    });
  }

  #user(message: JsonObject, about: { extra: JsonObject | undefined; at: At; isLast: boolean }): void {
    const { extra, at, isLast } = about;
    const text = this.#text(message);
    const [open] = this.#open;
    const interruption = wordAt(extra, "interrupt_type");
    const actions = objectsAt(extra, "actions").flatMap((action) => textAt(action, "command") ?? []);
    if (interruption !== undefined) this.#interruption(interruption, text, at);
    else if (actions.length > 0) {
      const parameters = actions.map((command) => ({ command }));
      const by = { ...at, metadata: { issued_by: "user" } };
      this.#addCalls(
        parameters.map((each) => ({ id: undefined, tool: "bash", parameters: each })),
        by,
      );
    } else if (open === undefined) {
      if (this.#builder.promptCount === 0 || resultIn(text) === undefined) this.#prompt(text, at);
      else this.#result(message, at);
    } else if (isLast && endMarks.some((mark) => open[1].includes(mark)) && resultIn(text) === undefined) {
      this.submission = text;
      this.#addResult(open[0], { status: "ok", output: text, time: at.time });
    } else this.#result(message, at);
  }

  /**
   * Reads a user message. After the task, a message without a command before it is a complaint of the agent
   * program, or the user's.
   */
  #prompt(text: string, at: At): void {
    if (this.#builder.promptCount === 0) this.#builder.prompt(text, at);
    else this.#builder.context("client", text, at);
  }

  #interruption(kind: string, text: string, at: At): void {
    if (kind === "UserNewTask") {
      this.#builder.prompt(text, at);
      return;
    }
    if (kind === "UserRejection")
      for (const name of this.#last) {
        this.#open.delete(name);
        this.#builder.setStatus(name, "denied");
      }
    if (kind === "UserInterruption") {
      this.#open.clear();
      this.#builder.interrupt();
    }
    this.#builder.context(contexts.get(kind) ?? "client", text, at);
  }

  #result(message: JsonObject, { time }: At): void {
    const id = wordAt(message, "tool_call_id") ?? wordAt(message, "call_id");
    const [oldest] = this.#open.keys();
    const name = id === undefined ? oldest : this.#calls.answered({ id, tool: undefined });
    const shown = this.#text(message);
    const extra = objectAt(message, "extra");
    const printed = resultIn(shown);
    const output = textAt(extra, "raw_output") ?? printed?.output;
    const exitCode = numberAt(extra, "returncode") ?? printed?.exitCode;
    const isCut = output === undefined && printed !== undefined;
    if (isCut) this.#builder.coverage.truncated++;
    const exception = wordAt(extra, "exception_info");
    this.#addResult(name, {
      status: commandStatus(exitCode, exception, shown),
      output: output ?? shown,
      seen: shown,
      time,
      metadata: defined({ exit_code: exitCode, exception, truncated: isCut ? true : undefined, call_id: id }),
    });
  }

  #addResult(name: string | undefined, entry: Parameters<RunBuilder["result"]>[1]): void {
    if (name !== undefined) this.#open.delete(name);
    this.#builder.result(name, entry);
  }

  /** Reads the end of the run. The command that submitted has no result of its own. */
  #exit(message: JsonObject, extra: JsonObject | undefined, at: At): void {
    const { metadata } = this.#builder;
    const status = wordAt(extra, "exit_status");
    if (status !== undefined) metadata["outcome"] ??= status;
    this.#builder.see(at);
    this.submission = textAt(extra, "submission");
    const text = this.#text(message);
    const [open] = this.#open;
    if (
      open !== undefined &&
      endMarks.some((mark) => open[1].includes(mark)) &&
      listAt(message, "content").length === 0
    )
      this.#addResult(open[0], { status: "ok", output: this.submission ?? text, time: at.time });
    else if (text.trim() !== "") this.#builder.context("exit", text, at);
  }
}

const contexts = new Map([
  ["UserRejection", "rejection"],
  ["UserInterruption", "interruption"],
  ["FormatError", "format_error"],
]);

/**
 * Returns the status of a command. Version 1 says only in prose what happened to one that did not end by
 * itself.
 */
function commandStatus(exitCode: number | undefined, exception: string | undefined, shown: string): Status {
  if (exception === "action was not executed") return "interrupted";
  if (exitCode !== undefined) return exitCode === 0 && exception === undefined ? "ok" : "error";
  if (shown.startsWith("Command not executed")) return "denied";
  return shown.startsWith("The last command <command>") || exception !== undefined ? "error" : "ok";
}
