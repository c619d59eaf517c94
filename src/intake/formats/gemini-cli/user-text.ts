// Distinguishes typed text from inserted text in user messages of Gemini CLI and its forks.
import { spokenParts } from "../../../model/markers.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";

export interface UserText {
  text: string;
  /** What the user typed, where the log has it separately. */
  typed?: string | undefined;
  at: At;
}

const referenced = "\n--- Content from referenced files ---";

export function takeUserText(builder: RunBuilder, { text, typed, at }: UserText): void {
  const parts = spokenParts("gemini", text);
  for (const { kind, text: part } of parts)
    if (kind !== undefined) builder.context(kind, part, at);
    else takeTyped(builder, { text: part, typed, at });
}

function takeTyped(builder: RunBuilder, { text, typed, at }: UserText): void {
  const { time } = at;
  const files = text.indexOf(referenced);
  const prompt = typed ?? (files === -1 ? text : text.slice(0, files));
  builder.prompt(prompt, { time });
  if (files !== -1) builder.context("files", text.slice(files + 1), at);
  else if (text !== prompt && text !== "") builder.context("expansion", text, at);
}
