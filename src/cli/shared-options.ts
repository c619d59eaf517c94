// Options that unrelated commands share, and values that are checked in the same way wherever an option takes
// them. Options of registries, discovery and redaction have files of their own: registry-options.ts,
// discover-options.ts, redact-option.ts.
import { CtxError } from "../base/errors.js";
import { type Call, oneOf, type Option } from "./command.js";

export const maxCountOption: Option = {
  long: "max-count",
  short: "n",
  value: "number",
  summary: "list at most this many",
};

/** Returns the value of --max-count, or undefined where it is not set. */
export function maxCount(call: Call): number | undefined {
  const limit = call.options.get("max-count");
  if (limit === undefined) return undefined;
  if (/^\d{1,9}$/.test(limit)) return Number(limit);
  throw new CtxError("usage", `-n needs a whole number, not "${limit}"`);
}

/** Whether the targets of a command are files or packs; without either, each target decides for itself. */
export const targetOptions: Option[] = oneOf([
  { long: "file", summary: "treat the targets as files" },
  { long: "pack", summary: "treat the targets as packs" },
]);

export function targetKind(call: Call): "file" | "pack" | undefined {
  return (["file", "pack"] as const).find((kind) => call.options.has(kind));
}

/** Returns the value of an option, and throws if it is the empty string. */
export function nonEmpty(call: Call, option: string): string | undefined {
  const value = call.options.get(option);
  if (value === "") throw new CtxError("usage", `--${option} needs a non-empty value`);
  return value;
}

/** Returns the value of an option that takes the number of a step. */
export function stepNumber(call: Call, option: string): number | undefined {
  const value = call.options.get(option);
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new CtxError("usage", `--${option} needs the number of a step, not "${value}"`);
}
