// The prompt that a user names beside a log which does not hold it. One rule for all formats: a log that has prompts needs none.
import { CtxError } from "../base/errors.js";
import type { Into } from "./format.js";
import type { RunBuilder } from "./run-builder.js";

/** To be called when all of the log was read. */
export function givenPrompt(builder: RunBuilder, into: Into): void {
  if (into.prompt === undefined) {
    if (builder.promptCount === 0) builder.coverage.lacks("the prompt (give it with --prompt)");
    return;
  }
  if (builder.promptCount > 0)
    throw new CtxError("usage", "the log holds its prompts: --prompt is not needed");
  builder.prompt(into.prompt);
}
