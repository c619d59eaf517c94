// Applies the prompt that a user passed with `--prompt` to a log that does not hold it. The rule is the same
// for all formats: a log that has prompts needs none.
import { CtxError } from "../base/errors.js";
import type { Into } from "./format.js";
import type { RunBuilder } from "./run-builder.js";

/** Adds the user's prompt if the log had none. Call it when the whole log was read. */
export function addPromptOption(builder: RunBuilder, into: Into): void {
  if (into.prompt === undefined) {
    if (builder.promptCount === 0) builder.coverage.addUnknown("the prompt (give it with --prompt)");
    return;
  }
  if (builder.promptCount > 0)
    throw new CtxError("usage", "the log records its own prompts, so --prompt cannot be used");
  builder.prompt(into.prompt);
}
