// Distinguishes prompts of the user from what Codex sends in the user's name. Events name the real prompts;
// in a log without such events, any text that does not look injected is a prompt.
import type { JsonValue } from "../../../base/json/value.js";
import { markerKind, spokenParts } from "../../../model/markers.js";
import { listAt, textAt } from "../../json-access.js";
import { imageOf } from "../../protocols/openai-responses/content.js";
import type { At } from "../../run-entries.js";
import type { CodexRun } from "./run.js";

/** Reads a message in the user's name among the items. */
export function takeUserItem(run: CodexRun, content: JsonValue | undefined, time: string | undefined): void {
  const at: At = { time, cwd: run.cwd };
  const typed: string[] = [];
  const items =
    typeof content === "string"
      ? [{ type: "input_text", text: content }]
      : listAt({ content: content ?? null }, "content");
  for (const item of items) {
    const picture = imageOf(textAt(item, "image_url"));
    if (picture !== undefined) run.builder.files.attach(picture.ending, picture.bytes);
    const text = textAt(item, "text");
    // Tags that only mark the position of an image.
    if (text === undefined || /^\s*<\/?image\b[^>]*>\s*$/.test(text)) continue;
    for (const part of spokenParts("codex", text))
      if (part.kind === undefined) typed.push(part.text);
      else inject(run, part.kind, part.text, at);
  }
  const text = typed.join("\n");
  if (text.trim() === "") return;
  const index = run.users.announced.findIndex((event) => isSame(text, event));
  if (index === -1) {
    run.users.waiting.push({ text, at });
    // An event follows its item soon, or never.
    if (run.users.waiting.length > 50 && run.users.way !== undefined) {
      const [oldest] = run.users.waiting.splice(0, 1);
      if (oldest !== undefined) inject(run, "user_message", oldest.text, oldest.at);
    }
  } else run.users.announced.splice(index, 1);
}

/** Reads an event that names a prompt; `way` is the kind of event. */
export function takeUserEvent(
  run: CodexRun,
  text: string,
  { way, time }: { way: "event" | "item"; time: string | undefined },
): void {
  const { users, builder } = run;
  // A log that was migrated to the newer layout may have both.
  if (
    markerKind("codex", text) !== undefined ||
    (users.way !== undefined && users.way !== way && users.texts.has(text))
  ) {
    builder.coverage.leaveOut("prompts told twice");
    return;
  }
  users.way ??= way;
  const at = users.waiting.findIndex((item) => isSame(item.text, text));
  for (const { text, at: position } of users.waiting.splice(0, at === -1 ? users.waiting.length : at))
    inject(run, "user_message", text, position);
  if (at === -1) users.announced = [...users.announced.slice(-20), text];
  // oxlint-disable-next-line ctx/no-shift -- it holds prompts of one moment
  else users.waiting.shift();
  prompt(run, text, time);
}

/** Decides which held texts are prompts, before any other step is added. */
export function settleUsers(run: CodexRun): void {
  const { users } = run;
  for (const { text, at } of users.waiting.splice(0))
    if (users.way === undefined) prompt(run, text, at.time);
    else inject(run, "user_message", text, at);
  if (run.instructions === undefined) return;
  const { instructions } = run;
  run.instructions = undefined;
  run.builder.context("user_instructions", instructions, { cwd: run.cwd });
}

/** Notes that the user went back by so many prompts. */
export function rollBack(run: CodexRun, prompts: number): void {
  settleUsers(run);
  const { starts } = run.users;
  const from = starts.splice(Math.max(0, starts.length - prompts))[0];
  if (from !== undefined) run.builder.abandon(from);
}

function prompt(run: CodexRun, text: string, time: string | undefined): void {
  run.users.texts.add(text);
  run.users.starts.push(run.builder.stepCount);
  run.builder.prompt(text, { time });
}

function inject(run: CodexRun, kind: string, text: string, at: At): void {
  if (run.instructions !== undefined && text.includes(run.instructions)) run.instructions = undefined;
  run.builder.context(kind, text, at);
}

function isSame(item: string, event: string): boolean {
  const [whole, part] = [item.trim(), event.trim()];
  return whole === part || (part !== "" && whole.includes(part));
}
