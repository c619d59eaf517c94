// Reads the records of the template agent, one after the other, into a run.
import type { JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { toolUse } from "../../../tools/table.js";
import { noteFileEffects } from "../../file-effects.js";
import type { Into } from "../../format.js";
import { flagAt, defined, numberAt, objectAt, textAt, wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
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
    const run = this.#run;
    const type = textAt(record, "type") ?? "unknown";
    const at = { time: timeOf(record["time"], run.coverage), model: wordAt(record, "model") };
    const text = textAt(record, "text") ?? "";
    // Every record counts for the time of the run, whatever becomes of it.
    run.see(at);
    if (type === "start") this.#takeStart(record);
    else if (type === "user") run.prompt(text, at);
    // Text that no person typed is context: a reminder, a summary, an error.
    else if (type === "notice") run.context("notice", text, at);
    else if (type === "assistant") this.#takeAnswer(record, text, at);
    else if (type === "call")
      run.call({
        ...at,
        id: wordAt(record, "id"),
        tool: wordAt(record, "tool") ?? "unknown",
        parameters: objectAt(record, "input") ?? {},
      });
    else if (type === "result") this.#takeResult(record, text, at);
    // A known record that says nothing about the run is left out; an unknown one is skipped. Both are
    // counted.
    else if (type === "window_resized") run.coverage.leaveOut(type);
    else run.coverage.skip(type);
  }

  finish(): ExecutionLog {
    addPromptOption(this.#run, this.#into);
    return this.#run.finish();
  }

  #takeStart(record: JsonObject): void {
    this.#run.see({ cwd: wordAt(record, "cwd") });
    Object.assign(this.#run.source, defined({ session: wordAt(record, "session") }));
  }

  #takeAnswer(record: JsonObject, text: string, at: At): void {
    this.#run.message(text, at);
    const usage = objectAt(record, "usage");
    // Usage is summed over names: each request needs its own.
    if (usage !== undefined)
      this.#run.use(wordAt(record, "id") ?? `step-${this.#run.stepCount}`, {
        input_tokens: numberAt(usage, "input"),
        output_tokens: numberAt(usage, "output"),
      });
  }

  #takeResult(record: JsonObject, text: string, { time }: At): void {
    const id = wordAt(record, "id");
    const call = this.#run.callOf(id);
    const status = flagAt(record, "failed") ? "error" : "ok";
    // `output` is what the tool returned; pass `seen` too if the model was shown something else.
    this.#run.result(id, { status, output: text, time });
    // Where the log does not hold files, the parameters of the calls that changed them may.
    if (status === "ok" && call !== undefined)
      noteFileEffects(this.#run.files, toolUse(call.tool, call.parameters, "template"));
  }
}
