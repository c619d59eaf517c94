// Reads what the client inserted into the conversation besides typed text: files, reminders, lists of tools,
// and prompts that were typed while the model was busy.
import { canonicalText } from "../../../base/json/canonical.js";
import type { JsonObject } from "../../../base/json/value.js";
import { listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { takeUserContent } from "./messages.js";

export function takeAttachment(run: RunBuilder, record: JsonObject, at: At): void {
  const attachment = objectAt(record, "attachment");
  if (attachment === undefined) return run.coverage.skip("attachment");
  const kind = wordAt(attachment, "type") ?? "attachment";
  takeSystemPrompt(run, attachment, at);
  if (kind === "queued_command") {
    takeUserContent(run, valueAt(attachment, "prompt"), { at, kind: queuedKind(attachment) });
    return;
  }
  // The system prompt is all that it says.
  if (kind === "prompt_snapshot") return;
  noteFile(run, attachment);
  run.context(kind, attachmentText(attachment), at);
}

/** Returns the kind of a queued text that no person typed: the client queues reports, too. */
function queuedKind(attachment: JsonObject): string | undefined {
  const mode = textAt(attachment, "commandMode");
  return mode === undefined || mode === "prompt" ? undefined : mode;
}

/** Newer versions record the system prompt. */
function takeSystemPrompt(run: RunBuilder, attachment: JsonObject, at: At): void {
  const whole = textAt(attachment, "systemPrompt");
  const listed = listAt(attachment, "systemPrompt").filter((section) => typeof section === "string");
  const sections = whole === undefined ? listed : [whole];
  if (sections.length > 0) run.changeSystemPrompt(sections.join("\n\n"), at);
  const tools = listAt(attachment, "tools").flatMap((tool) => wordAt(tool, "name") ?? []);
  if (tools.length > 0) run.metadata["tools"] = tools;
}

/** Notes a file that was inserted in full. */
function noteFile(run: RunBuilder, attachment: JsonObject): void {
  const file = objectAt(attachment, "content", "file") ?? objectAt(attachment, "content");
  const path = textAt(file, "filePath") ?? textAt(file, "path") ?? textAt(attachment, "filename");
  const content = textAt(file, "content");
  if (path === undefined || content === undefined) return;
  const [count, of] = [valueAt(file, "numLines"), valueAt(file, "totalLines")];
  if (
    count === of &&
    valueAt(attachment, "truncated") !== true &&
    valueAt(file, "contentDiffersFromDisk") !== true
  )
    run.files.see(path, content);
}

function attachmentText(attachment: JsonObject): string {
  for (const key of ["content", "text", "message", "snippet"]) {
    const text = textAt(attachment, key);
    if (text !== undefined) return text;
  }
  return (
    textAt(attachment, "content", "content") ??
    textAt(attachment, "content", "file", "content") ??
    canonicalText(attachment)
  );
}
