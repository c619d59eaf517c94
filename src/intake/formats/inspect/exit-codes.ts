// How commands ended. A tool that runs one does so in the sandbox, and that event alone has the exit code; it is found by the
// span of the tool.
import type { JsonObject } from "../../../base/json.js";
import { toolUse } from "../../../model/tools.js";
import { numberAt, textAt } from "../../fields.js";
import type { RunBuilder } from "../../run-builder.js";
import type { Status } from "../../run-entries.js";

export class ExitCodes {
  readonly #builder: RunBuilder;
  /** Spans and calls that are looking for each other, by what both say. */
  readonly #spans = new Map<string, string[]>();
  readonly #calls = new Map<string, string[]>();
  readonly #spanOf = new Map<string, string>();
  readonly #codes = new Map<string, number[]>();

  constructor(builder: RunBuilder) {
    this.#builder = builder;
  }

  /** A span begins, perhaps a tool's. */
  span(event: JsonObject): void {
    const id = textAt(event, "id");
    if (textAt(event, "type") !== "tool" || id === undefined) return;
    const key = `${textAt(event, "parent_id") ?? ""} ${textAt(event, "name") ?? ""}`;
    const call = this.#calls.get(key)?.shift();
    if (call === undefined) add(this.#spans, key, id);
    else this.#spanOf.set(call, id);
  }

  call(event: JsonObject, name: string): void {
    const key = `${textAt(event, "span_id") ?? ""} ${textAt(event, "function") ?? ""}`;
    const span = this.#spans.get(key)?.shift();
    if (span === undefined) add(this.#calls, key, name);
    else this.#spanOf.set(name, span);
  }

  /** Something ran in the sandbox. */
  ran(event: JsonObject, tool: string | undefined): void {
    const code = numberAt(event, "result");
    if (tool !== undefined && textAt(event, "action") === "exec" && code !== undefined)
      add(this.#codes, tool, code);
  }

  settle(): void {
    const calls = new Map([...this.#calls.values()].flat().map((name) => [name, `call ${name}`]));
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

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}
