// Finds the exit codes of commands. A tool runs its command in the sandbox, and only that event has the exit
// code; it is matched by the span of the tool.
import type { JsonObject } from "../../../base/json/value.js";
import { addTo, Queue } from "../../../base/lists.js";
import { toolUse } from "../../../tools/table.js";
import { numberAt, textAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";

export class ExitCodes {
  readonly #builder: RunBuilder;
  /** Spans and calls that wait for their counterpart, by what both state. */
  readonly #spans = new Map<string, Queue<string>>();
  readonly #calls = new Map<string, Queue<string>>();
  readonly #spanOf = new Map<string, string>();
  readonly #codes = new Map<string, number[]>();

  constructor(builder: RunBuilder) {
    this.#builder = builder;
  }

  /** Notes the beginning of a span, which may be a tool's. */
  span(event: JsonObject): void {
    const id = textAt(event, "id");
    if (textAt(event, "type") !== "tool" || id === undefined) return;
    const key = `${textAt(event, "parent_id") ?? ""} ${textAt(event, "name") ?? ""}`;
    const call = this.#calls.get(key)?.take();
    if (call === undefined) addLast(this.#spans, key, id);
    else this.#spanOf.set(call, id);
  }

  call(event: JsonObject, name: string): void {
    const key = `${textAt(event, "span_id") ?? ""} ${textAt(event, "function") ?? ""}`;
    const span = this.#spans.get(key)?.take();
    if (span === undefined) addLast(this.#calls, key, name);
    else this.#spanOf.set(name, span);
  }

  /** Notes a command in the sandbox. */
  addExecution(event: JsonObject, tool: string | undefined): void {
    const code = numberAt(event, "result");
    if (tool !== undefined && textAt(event, "action") === "exec" && code !== undefined)
      addTo(this.#codes, tool, code);
  }

  finish(): void {
    const calls = new Map(
      [...this.#calls.values()].flatMap((calls) => calls.left()).map((name) => [name, `call ${name}`]),
    );
    for (const [name, span] of [...calls, ...this.#spanOf]) {
      const [code, another] = this.#codes.get(span) ?? this.#codes.get(`call ${name}`) ?? [];
      const call = this.#builder.callOf(name);
      if (code === undefined || another !== undefined || call === undefined) continue;
      const isCommand =
        call.tool === "python" || toolUse(call.tool, call.parameters, "inspect")?.action === "command";
      if (isCommand) this.#builder.setStatus(name, call.status as Status, { exit_code: code });
    }
  }
}

function addLast(queues: Map<string, Queue<string>>, key: string, item: string): void {
  const queue = queues.get(key) ?? new Queue();
  queues.set(key, queue);
  queue.add(item);
}
