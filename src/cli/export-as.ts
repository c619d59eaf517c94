// `ctx export --as`: writes one run as a log that other tools read, to standard output or a file.
import { resolve } from "node:path";
import { CtxError } from "../base/errors.js";
import { prettyBytes } from "../base/json/pretty.js";
import type { Call } from "./command.js";
import { openStore } from "./open-store.js";
import { notice, shownPath, writeJson } from "./output.js";
import { parseOutgoingOptions } from "./registry-options.js";
import { nonEmpty } from "./shared-options.js";

export const exportFormats = ["atif", "otlp", "openai"] as const;

/** Writes the named run in the format of --as, and reports what that format cannot express. */
export async function exportOneLog(call: Call): Promise<number> {
  const [name, another] = call.arguments;
  if (name === undefined || another !== undefined)
    throw new CtxError("usage", "--as writes one run, so name one pack", { hint: "`ctx log` lists them" });
  const format = exportFormats.find((each) => each === call.options.get("as")) ?? "atif";
  const output = nonEmpty(call, "output") ?? "-";
  if (output === "-" && call.options.has("force"))
    throw new CtxError("usage", "--force replaces a file: name it with -o");
  const store = openStore(call);
  const { checkOutgoing, exportLog, withinText } = await import("../ops/export-as.js");
  const { before: _, ...leaving } = await parseOutgoingOptions(call);
  checkOutgoing(store, name, leaving);
  const { log, ...result } = exportLog(store, name, format);
  if (output === "-") {
    if (call.json) withinText(name, () => writeJson(call.terminal, { ...result, log }));
    else call.terminal.out.write(withinText(name, () => prettyBytes(log)));
  } else {
    const { placeFile } = await import("../ops/export.js");
    const file = resolve(call.folder, output);
    placeFile(file, Buffer.from(withinText(name, () => prettyBytes(log))), call.options.has("force"));
    if (call.json) writeJson(call.terminal, { ...result, file: shownPath(call, file) });
  }
  if (!call.json)
    for (const { what, count } of result.lost) notice(call, `not in the export: ${what} (${count})`);
  return 0;
}
