import { CtxError } from "../../base/errors.js";
import type { SidecarOptions } from "../../ops/sidecar.js";
import type { Command } from "../command.js";
import { openStore } from "../open-store.js";
import { print } from "../print.js";
import { printable } from "../../base/printable.js";
import { userPaths } from "../environment.js";

export const sidecar: Command = {
  name: "sidecar",
  summary: "write the sidecar of a file, if a pack backs it",
  arguments: [{ name: "file", summary: "a file that a run produced", required: true, complete: "file" }],
  options: [
    {
      long: "pack",
      value: "pack",
      summary: "the pack to name; the newest with these bytes unless said otherwise",
      complete: "pack",
    },
    {
      long: "confidence",
      value: "level",
      summary: "high, medium or low, where the pack does not say",
      complete: ["high", "medium", "low"],
    },
    { long: "notes", value: "text", summary: "notes, where the pack has none" },
  ],
  examples: [
    { run: "ctx sidecar report.md", does: "name the pack that it came from" },
    { run: "ctx sidecar report.md --confidence medium", does: "with a remark, where the pack has none" },
  ],
  exits: [
    { status: 0, when: "written, or there already" },
    { status: 2, when: "no pack backs it, or it cannot be written" },
  ],
  async run(call) {
    const [file] = call.arguments as [string];
    const options: SidecarOptions = { folder: call.folder, user: userPaths(call.terminal.env) };
    const pack = call.options.get("pack");
    const notes = call.options.get("notes");
    const confidence = call.options.get("confidence");
    if (pack === "" || notes === "") throw new CtxError("usage", "an option needs a value that is not empty");
    if (pack !== undefined) options.pack = pack;
    if (notes !== undefined) options.notes = notes;
    if (confidence !== undefined) options.confidence = confidence as "high" | "medium" | "low";
    const ops = await import("../../ops/sidecar.js");
    const result = ops.sidecar(openStore(call), file, options);
    const verb = result.changed ? "names" : "names already";
    await print(
      call,
      result,
      () => `${printable(result.sidecar)} ${verb} ctx://${result.pack.slice("sha256:".length)}\n`,
    );
    return 0;
  },
};
