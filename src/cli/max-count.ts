// How much of a list is asked for.
import { CtxError } from "../base/errors.js";
import type { Call, Option } from "./command.js";

export const maxCountOption: Option = {
  long: "max-count",
  short: "n",
  value: "number",
  summary: "list at most this many",
};

/** Undefined when all of it is. */
export function maxCount(call: Call): number | undefined {
  const limit = call.options.get("max-count");
  if (limit === undefined) return undefined;
  if (/^\d{1,9}$/.test(limit)) return Number(limit);
  throw new CtxError("usage", `-n needs a whole number, not "${limit}"`);
}
