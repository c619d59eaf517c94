// The --redact option of the commands that seal.
import type { RedactionOptions } from "../ops/pack.js";
import type { Call, Option } from "./command.js";
import { userPaths } from "./environment.js";

const modes = ["off", "standard", "strict"] as const;

export const redactOption: Option = {
  long: "redact",
  value: "mode",
  summary: "which secrets to mask: off, standard (the default) or strict",
  complete: modes,
};

export function redactionFrom(call: Call): RedactionOptions {
  const redact = modes.find((mode) => mode === call.options.get("redact"));
  return { user: userPaths(call.terminal.env), ...(redact === undefined ? {} : { redact }) };
}
