import type { Command } from "../command.js";

/**
 * The command that the scripts of `ctx completion` call. The table contains it, so the table is a parameter.
 */
export const completeFrom = (commands: () => readonly Command[]): Command => ({
  name: "__complete",
  summary: "list what can come next on a command line",
  hidden: true,
  raw: true,
  arguments: [
    { name: "word", summary: "the words after ctx, up to the one being typed", required: true, many: true },
  ],
  options: [],
  examples: [],
  exits: [{ status: 0, when: "always: an error would disturb the command line" }],
  async run(call) {
    try {
      const { complete } = await import("../complete.js");
      const words = call.arguments[0] === "--" ? call.arguments.slice(1) : call.arguments;
      const shell = { folder: call.folder, home: call.terminal.env["HOME"], env: call.terminal.env };
      const lines = await complete(words, commands(), shell);
      if (lines.length > 0) call.terminal.out.write(`${lines.join("\n")}\n`);
    } catch {
      // An error offers nothing, as if there were no candidates.
    }
    return 0;
  },
});
