// Reads the records of the template agent, one after the other, into a run.
import type { JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import type { Into } from "../../format.js";
import { objectAt, textAt, wordAt } from "../../json-access.js";
import { givenPrompt } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { timeOf } from "../../times.js";

export class TemplateReader {
  readonly #into: Into;
  readonly #run: RunBuilder;

  constructor(into: Into) {
    this.#into = into;
    const { coverage } = into;
    this.#run = new RunBuilder({
      format: "template",
      agent: "template",
      keeper: () => into.keeper(),
      coverage,
    });
  }

  take(record: JsonObject): void {
    const type = textAt(record, "type") ?? "unknown";
    const at = { time: timeOf(record["time"], this.#into.coverage), model: wordAt(record, "model") };
    const text = textAt(record, "text") ?? "";
    const id = wordAt(record, "id");
    if (type === "user") this.#run.prompt(text, at);
    else if (type === "assistant") this.#run.message(text, at);
    else if (type === "call")
      this.#run.call({
        ...at,
        id,
        tool: wordAt(record, "tool") ?? "unknown",
        parameters: objectAt(record, "input") ?? {},
      });
    else if (type === "result") this.#run.result(id, { status: "ok", output: text, time: at.time });
    // A known record that says nothing about the run is left out; an unknown one is skipped. Both are counted.
    else if (type === "start") this.#into.coverage.leaveOut(type);
    else this.#into.coverage.skip(type);
  }

  finish(): ExecutionLog {
    givenPrompt(this.#run, this.#into);
    return this.#run.finish();
  }
}
