import { openSync } from "node:fs";
import { resolve } from "node:path";
import { CtxError, withPath } from "../../base/errors.js";
import { readWhole, usingDescriptor } from "../../base/fs/files.js";
import { printable } from "../../base/printable.js";
import type { Call, Command } from "../command.js";
import { openStore } from "../open-store.js";
import { redactionFrom, redactOption } from "../redact-option.js";
import { noticeEach, shownPath } from "../output.js";
import { print } from "../print.js";
import { printPack, reportFailure } from "../print-pack.js";
import { stepNumber } from "../shared-options.js";

export const fork: Command = {
  name: "fork",
  summary: "make a draft of a pack that you can edit",
  details:
    "The draft is a folder with the run's log and a file for each of its contents, in the store, unless you name a new or empty folder. ctx prints its path. Edit its files, then seal it with `ctx pack <folder>`: the new pack has the old one as its parent, and is marked as never executed.",
  notes: {
    title: "what --set accepts",
    rows: [
      ["model.parameters.x=0", "any value of execution.json, as JSON, or as plain text"],
      ["system_prompt=text", "a content: also prompts[0].content, steps[3].output,"],
      ["", "inputs[0].content or inputs[name].content, and outputs"],
      ["system_prompt=@file", "the same from a file, or @- from standard input"],
    ],
  },
  arguments: [
    { name: "pack", summary: "a pack", required: true, complete: "pack" },
    {
      name: "dir",
      summary: "the folder for the draft (default: one in the store)",
      required: false,
      complete: "folder",
    },
  ],
  options: [
    { long: "at", value: "N", summary: "keep only the steps before step N" },
    { long: "set", value: "path=value", summary: "edit this value in the draft", repeats: true },
    {
      long: "seal",
      summary: "seal the edited run right away and print its URI; makes no folder",
      neededError: (other) => ({
        message: `--${other} goes with --seal: a draft is masked when it is packed`,
      }),
    },
    { ...redactOption, needs: ["seal"] },
  ],
  examples: [
    { run: "ctx fork 47d75f33", does: "make a draft in .ctx/drafts" },
    { run: "ctx fork latest try-2 --at 3", does: "keep its first 3 steps, elsewhere" },
    {
      run: "ctx fork good --set model.parameters.temperature=1 --seal",
      does: "edit a value and seal it",
    },
  ],
  exits: [
    { status: 0, when: "done" },
    { status: 1, when: "with --seal: the draft is identical to its parent" },
    { status: 2, when: "there is no such pack, the folder is not empty, or an edit is not possible" },
  ],
  async run(call) {
    const [name = "", dir] = call.arguments;
    const isSealed = call.options.has("seal");
    if (dir === "") throw new CtxError("usage", "the folder for the draft has an empty name");
    if (isSealed && dir !== undefined)
      throw new CtxError("usage", "--seal makes no folder, so it cannot be combined with one", {
        hint: "leave out the folder or --seal",
      });
    const options = {
      at: stepNumber(call, "at"),
      set: call.lists.get("set") ?? [],
      readFile: fileReader(call),
    };
    const ops = await import("../../ops/fork.js");
    const store = openStore(call);
    if (isSealed) {
      try {
        printPack(call, ops.forkAndSeal(store, name, { ...options, ...redactionFrom(call) }));
        return 0;
      } catch (error) {
        if (error instanceof CtxError && error.code === "unchanged") return reportFailure(call, error);
        throw error;
      }
    }
    const result = ops.fork(store, name, {
      ...options,
      folder: dir === undefined ? undefined : resolve(call.folder, dir),
    });
    const path = shownPath(call, result.draft);
    await print(call, result, () => `${path}\n`);
    if (!call.json) await printNextSteps(call, path, result.title);
    noticeEach(call, result.notices, "notes; --json shows all");
    return 0;
  },
};

/** Prints how to go on from here, on a terminal only. */
async function printNextSteps(
  { terminal: { out, error } }: Call,
  path: string,
  title: string | null,
): Promise<void> {
  if (!out.isTerminal) return;
  const { fit, painter, shellWord } = await import("../../render/layout.js");
  const paint = painter(error.screen);
  error.write(
    `${title === null ? "" : `${fit(title, error.screen.width)}\n`}${paint("dim", `edit ${printable(path)}/system_prompt.md, prompts/, execution.json, …; then seal it:`)}\n  ctx pack ${shellWord(path)}\n`,
  );
}

/** Returns a reader of files below the folder that the command works in, and of standard input, once. */
function fileReader(call: Call): (name: string) => Buffer {
  let isInputRead = false;
  return (name) => {
    if (name === "-") {
      if (isInputRead) throw new CtxError("usage", "standard input can be used for one edit only");
      isInputRead = true;
      return call.terminal.readInput();
    }
    const file = resolve(call.folder, name);
    return withPath(file, "read", () =>
      usingDescriptor(openSync(file, "r"), (from) => readWhole(from, 1 << 30)),
    );
  };
}
