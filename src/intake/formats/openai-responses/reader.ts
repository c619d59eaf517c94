// Reads items of the Responses API, one after the other, into a run: messages, reasoning, calls and their
// results.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { toolUse } from "../../../tools/table.js";
import { argumentsOf, callBook } from "../../protocols/openai-chat/calls.js";
import { type Attach, attachTo } from "../../protocols/openai-chat/content.js";
import { flagAt, defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { thoughtOf, toolOf } from "../../protocols/openai-responses/content.js";
import { applyPatch } from "../codex/patches.js";
import { spokenParts } from "../../../model/markers.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At, ResultEntry } from "../../run-entries.js";
import { words } from "../../../base/lists.js";
import { mcpResult, outputOf, serverCall, responsesStatus } from "./outcomes.js";
import { spokenIn } from "./parts.js";
import { unknownFailures } from "../../../model/coverage-codes.js";

export class OpenaiResponsesReader {
  readonly #run: RunBuilder;
  readonly #attach: Attach;
  readonly #calls = callBook();
  /** Ids of items that were read. */
  readonly #known = new Set<string>();
  /** Calls that needed approval, by the ids of the approval requests. */
  readonly #approvals = new Map<string, string>();
  #group = 1;
  #hasSystem = false;

  constructor(run: RunBuilder) {
    this.#run = run;
    this.#attach = attachTo(run);
  }

  /** Adds the instructions of a request, which precede all items. */
  instructions(text: string): void {
    if (text === "") return;
    if (this.#hasSystem) this.#run.context("system", text);
    else this.#run.systemPrompt(text);
    this.#hasSystem = true;
  }

  /** Separates the calls that follow from those before: they were not issued together. */
  separate(): void {
    this.#group++;
  }

  take(item: JsonValue, at: At): void {
    const { coverage } = this.#run;
    if (typeof item === "string") return this.#run.prompt(item, at);
    if (!isObject(item)) return coverage.skip("item that is no object");
    const type = textAt(item, "type") ?? (textAt(item, "role") === undefined ? "unknown" : "message");
    if (!this.#isFresh(type, item)) return void coverage.duplicates++;
    if (type === "message") return this.#message(item, at);
    if (type === "reasoning") return this.#run.reasoning(thoughtOf(item), at);
    if (clientCalls.has(type)) return this.#call(type, item, at);
    if (serverCalls.has(type)) return this.#serverCall(item, at);
    if (type.endsWith("_output")) return this.#output(item, at);
    this.#other(type, item, at);
  }

  #other(type: string, item: JsonObject, at: At): void {
    const { coverage } = this.#run;
    switch (type) {
      case "mcp_call":
        return this.#mcpCall(item, at);
      case "mcp_approval_request":
        return this.#ask(item, at);
      case "mcp_approval_response":
        return this.#agree(item, at);
      case "mcp_list_tools": {
        const names = listAt(item, "tools").flatMap((tool) => wordAt(tool, "name") ?? []);
        const metadata = defined({
          server: wordAt(item, "server_label"),
          error: valueAt(item, "error") ?? undefined,
        });
        return this.#run.context("mcp_list_tools", names.join("\n"), { ...at, metadata });
      }
      case "compaction":
      case "compaction_summary":
      case "context_compaction":
        return this.#run.context("compaction", wordAt(item, "summary") ?? "", {
          ...at,
          metadata: { opaque: true },
        });
      case "item_reference":
        return coverage.addUnknown("items that are only named (item_reference)");
      case "ghost_snapshot":
        return coverage.leaveOut(type);
      default:
        coverage.skip(`item ${type}`);
    }
  }

  /**
   * Returns whether an item is new. Items of the provider have unique ids; those of a client may have any,
   * and are compared by content.
   */
  #isFresh(type: string, item: JsonObject): boolean {
    const id = wordAt(item, "id");
    if (id === undefined || !/^[a-z]{2,8}_\w{16,}$/.test(id) || type.endsWith("_output")) return true;
    const name = `${type} ${id} ${wordAt(item, "call_id") ?? ""}`;
    if (this.#known.has(name)) return false;
    this.#known.add(name);
    return true;
  }

  #message(item: JsonObject, at: At): void {
    const run = this.#run;
    const role = textAt(item, "role") ?? "unknown";
    const { text, refusal } = spokenIn(valueAt(item, "content"), this.#attach, run.coverage);
    if (role === "assistant") {
      const metadata = defined({ ...at.metadata, phase: wordAt(item, "phase") });
      if (text.trim() !== "") run.message(text, { ...at, metadata });
      if (refusal !== "") run.message(refusal, { ...at, metadata: { ...metadata, refusal: true } });
      return;
    }
    this.#group++;
    if (role === "user") {
      for (const part of spokenParts("codex", text))
        if (part.kind === undefined) run.prompt(part.text, at);
        else run.context(part.kind, part.text, at);
    } else if (role === "system" || role === "developer") {
      if (this.#hasSystem) run.context(role, text, at);
      else this.instructions(text);
    } else run.coverage.skip(`message of role ${role}`);
  }

  #call(type: string, item: JsonObject, at: At): void {
    const id = wordAt(item, "call_id") ?? wordAt(item, "id");
    const { tool, parameters } = this.#requestOf(type, item);
    const name = this.#calls.add({ id, tool, message: this.#group });
    this.#run.call({
      ...at,
      id: name,
      tool,
      parameters,
      together: `calls-${this.#group}`,
      metadata: defined({ ...at.metadata, call_id: id ?? name }),
    });
  }

  #requestOf(type: string, item: JsonObject): { tool: string; parameters: JsonObject } {
    switch (type) {
      case "function_call":
        return {
          tool: toolOf(item),
          parameters: argumentsOf(valueAt(item, "arguments"), this.#run.coverage),
        };
      case "custom_tool_call":
        return { tool: toolOf(item), parameters: defined({ input: valueAt(item, "input") }) };
      case "apply_patch_call":
        return { tool: "apply_patch", parameters: defined({ operation: objectAt(item, "operation") }) };
      case "computer_call":
        return {
          tool: "computer",
          parameters: defined({ action: valueAt(item, "action"), actions: valueAt(item, "actions") }),
        };
      default:
        return { tool: type.replace(/_call$/, ""), parameters: objectAt(item, "action") ?? {} };
    }
  }

  #output(item: JsonObject, at: At): void {
    const type = textAt(item, "type") ?? "";
    const id = wordAt(item, "call_id") ?? wordAt(item, "id");
    if (type === "function_call_output" || type === "custom_tool_call_output")
      this.#run.coverage.addUnknown(unknownFailures.responses);
    const name = this.#calls.answered({ id, tool: undefined });
    const entry = outputOf(item);
    this.#run.result(name ?? id, { ...entry, time: at.time });
    this.#group++;
    const call = this.#run.callOf(name);
    if (call === undefined || entry.status !== "ok") return;
    const use = toolUse(call.tool, call.parameters, "openai-responses");
    if (use?.action === "patch" && use.format === "v4a") applyPatch(this.#run.files, use.text, undefined);
  }

  #serverCall(item: JsonObject, at: At): void {
    const { tool, parameters, result } = serverCall(item);
    const id = wordAt(item, "call_id") ?? wordAt(item, "id");
    this.#finished({ id, tool, parameters, result }, item, at);
  }

  #mcpCall(item: JsonObject, at: At): void {
    const result = mcpResult(item);
    const approval = this.#approvals.get(wordAt(item, "approval_request_id") ?? "");
    if (approval !== undefined) {
      if (result !== undefined) this.#run.result(approval, { ...result, time: at.time });
      return;
    }
    const parameters = argumentsOf(valueAt(item, "arguments"), this.#run.coverage);
    this.#finished({ id: wordAt(item, "id"), tool: toolOf(item), parameters, result }, item, at);
  }

  #finished(
    call: { id: string | undefined; tool: string; parameters: JsonObject; result: ResultEntry | undefined },
    item: JsonObject,
    at: At,
  ): void {
    const { id, tool, parameters, result } = call;
    const name = this.#calls.add({ id, tool, message: this.#group });
    const metadata = defined({
      ...at.metadata,
      // The results of a search may be missing from the log; that it ran is known.
      status: responsesStatus(item),
      call_id: id,
      server: wordAt(item, "server_label"),
      execution: valueAt(item, "execution"),
    });
    this.#run.call({ ...at, id: name, tool, parameters, isServer: true, metadata });
    if (result === undefined) return;
    // Only results of tool searches come in items of their own.
    this.#calls.answered({ id, tool });
    this.#run.result(name, { ...result, time: at.time });
  }

  #ask(item: JsonObject, at: At): void {
    const id = wordAt(item, "id");
    const tool = toolOf(item);
    const name = this.#calls.add({ id, tool, message: this.#group });
    this.#run.call({
      ...at,
      id: name,
      tool,
      parameters: argumentsOf(valueAt(item, "arguments"), this.#run.coverage),
      isServer: true,
      metadata: defined({ ...at.metadata, call_id: id, server: wordAt(item, "server_label") }),
    });
    if (id !== undefined) this.#approvals.set(id, name);
  }

  #agree(item: JsonObject, at: At): void {
    const approval = this.#approvals.get(wordAt(item, "approval_request_id") ?? "");
    if (approval === undefined)
      return this.#run.coverage.leaveOut("mcp_approval_response to what is not in the log");
    if (flagAt(item, "approve")) return;
    this.#run.result(approval, { status: "denied", output: wordAt(item, "reason"), time: at.time });
  }
}

const clientCalls = words(
  "function_call custom_tool_call local_shell_call shell_call apply_patch_call computer_call",
);
const serverCalls = words(
  "web_search_call file_search_call code_interpreter_call image_generation_call tool_search_call",
);

/** All item types, to distinguish items from the records of other formats. */
export const itemTypes: ReadonlySet<string> = new Set([
  ...clientCalls,
  ...serverCalls,
  ...words(
    "message reasoning function_call_output custom_tool_call_output local_shell_call_output shell_call_output",
    "apply_patch_call_output computer_call_output tool_search_output mcp_call mcp_list_tools mcp_approval_request",
    "mcp_approval_response compaction item_reference",
  ),
]);
