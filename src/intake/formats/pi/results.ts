// Reads what a tool of pi returned. Commands and readings end with remarks to the model, which are no output.
import type { JsonObject } from "../../../base/json/value.js";
import { toolUse } from "../../../tools/table.js";
import { noteFileEffects } from "../../file-effects.js";
import { flagAt, defined, numberAt, objectsAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { attachTo } from "../../protocols/openai-chat/content.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At, Status } from "../../run-entries.js";

/** How a command ended, if not well. */
const ending =
  /(?:^|\n\n)Command (?:exited with code (-?\d{1,10})|aborted|timed out after [\d.]{1,20} seconds)$/;
/** Where a reading goes on. */
const more = /\n\n\[[^\n\]]{1,200} Use offset=\d{1,15} to continue\.\]$/;

/** Reads a message with the role `toolResult`. */
export function takePiResult(run: RunBuilder, message: JsonObject, { time }: At): void {
  const id = wordAt(message, "toolCallId");
  const call = run.callOf(id);
  const tool = call?.tool ?? wordAt(message, "toolName") ?? "";
  const blocks = objectsAt(message, "content");
  const seen = blocks.flatMap((block) => textAt(block, "text") ?? []).join("\n");
  const end = tool === "bash" ? ending.exec(seen.slice(-100)) : null;
  const status = piStatus(message, end?.[0]);
  const isCut = flagAt(message, "details", "truncation", "truncated");
  if (isCut) run.coverage.truncated++;
  const output = printed(tool, seen, end?.[0].length ?? 0);
  run.result(id, {
    output,
    seen,
    status,
    time,
    metadata: defined({
      exit_code:
        numberAt(message, "details", "exitCode") ?? (end?.[1] === undefined ? undefined : Number(end[1])),
      truncated: isCut ? true : undefined,
      attached: attachments(run, blocks),
      tool: call === undefined ? wordAt(message, "toolName") : undefined,
    }),
  });
  if (status !== "ok" || call === undefined) return;
  const use = toolUse(call.tool, call.parameters, "pi");
  const isWhole = use?.action === "read" && use.from === undefined && use.lines === undefined && !isCut;
  // The text of an image is a remark about it.
  if (isWhole && output === seen && blocks.length === 1) run.files.see(use.path, seen);
  noteFileEffects(run.files, use);
}

function piStatus(message: JsonObject, end: string | undefined): Status {
  if (valueAt(message, "isError") !== true) return "ok";
  return end?.endsWith("aborted") === true ? "interrupted" : "error";
}

/** Returns what the tool itself returned. */
function printed(tool: string, seen: string, ended: number): string {
  if (tool === "read") return seen.slice(0, seen.length - (more.exec(seen.slice(-300))?.[0].length ?? 0));
  const text = seen.slice(0, seen.length - ended);
  return tool === "bash" && text === "(no output)" ? "" : text;
}

/** Stores images, and returns their names. */
function attachments(run: RunBuilder, blocks: readonly JsonObject[]): string[] | undefined {
  const names = blocks.flatMap((block) => {
    const data = textAt(block, "data");
    if (data === undefined) return [];
    return [attachTo(run)(Buffer.from(data, "base64"), textAt(block, "mimeType") ?? "")];
  });
  return names.length > 0 ? names : undefined;
}
