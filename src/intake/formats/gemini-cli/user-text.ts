// Distinguishes typed text from inserted text in user messages of Gemini CLI and its forks.
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";

export interface UserText {
  text: string;
  /** What the user typed, where the log has it separately. */
  typed?: string | undefined;
  at: At;
}

/** How texts begin that the client sends in the user's name, and their kind. */
const injected: readonly (readonly [RegExp, string])[] = [
  [/^(?:System: )?Please continue\.$/, "continuation"],
  [/^(?:<session_context>\s*)?This is (?:the )?(?:Gemini CLI|Qwen Code)\b/, "environment"],
  [/^<state_snapshot>/, "summary"],
  [/^Here is the user's editor context/, "ide"],
  [/^<(?:system-reminder|hook_context)>/, "reminder"],
];

const referenced = "\n--- Content from referenced files ---";

export function takeUserText(builder: RunBuilder, { text, typed, at }: UserText): void {
  const { time } = at;
  const kind = injected.find(([begin]) => begin.test(text))?.[1];
  if (kind !== undefined) return builder.context(kind, text, at);
  const files = text.indexOf(referenced);
  const prompt = typed ?? (files === -1 ? text : text.slice(0, files));
  builder.prompt(prompt, { time });
  if (files !== -1) builder.context("files", text.slice(files + 1), at);
  else if (text !== prompt && text !== "") builder.context("expansion", text, at);
}
