import { CtxError } from "../../base/errors.js";
import { prettyBytes } from "../../base/json/pretty.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { notice, writeJson } from "../output.js";

const formats = ["atif", "otlp", "openai"] as const;

export const exportLog: Command = {
  name: "export-log",
  summary: "write a pack as a log that other tools read",
  details:
    "Prints the run as a document: a trajectory in ATIF, with its sub-agents; OpenTelemetry GenAI spans in OTLP/JSON; or chat messages of the OpenAI kind. What the format has no place for is told on standard error, so that nobody takes the log for the pack. Packed again, a trajectory gives the same calls, results and texts in the same order.",
  arguments: [{ name: "pack", summary: "the pack", required: true, complete: "pack" }],
  options: [{ long: "to", value: "format", summary: formats.join(", "), complete: formats }],
  examples: [
    { run: "ctx export-log latest --to openai --json", does: "chat messages, and what was lost" },
    { run: "ctx export-log latest --to atif --json | jq .log", does: "the last run as a trajectory" },
  ],
  exits: [
    { status: 0, when: "written; what did not survive is told" },
    { status: 2, when: "there is no such pack, or it cannot be read" },
  ],
  async run(call) {
    const to = formats.find((format) => format === call.options.get("to"));
    if (to === undefined)
      throw new CtxError("usage", `ctx export-log needs --to: ${formats.join(", ")}`, {
        hint: "`ctx export-log --help` shows how it is used",
      });
    const { exportLog, withinText } = await import("../../ops/export-log.js");
    const name = call.arguments[0] as string;
    const result = exportLog(openStore(call), name, to);
    if (call.json) withinText(name, () => writeJson(call.terminal, result));
    else {
      call.terminal.out.write(withinText(name, () => prettyBytes(result.log)));
      for (const { what, count } of result.lost) notice(call, `not in it: ${what} (${count})`);
    }
    return 0;
  },
};
