// An error for a person: what is wrong, each problem on a line of its own, and at most one line on what to do.
import type { CtxError } from "../base/errors.js";
import { printable } from "../base/printable.js";
import { painter, type Screen } from "./layout.js";

export function renderError(error: CtxError, screen: Screen): string {
  const paint = painter(screen);
  const lines = [`${paint("red", "error:")} ${printable(error.message)}`];
  for (const { path, message } of error.problems ?? [])
    lines.push(
      path === "" ? `  ${printable(message)}` : `  ${paint("cyan", printable(path))}: ${printable(message)}`,
    );
  if (error.hint !== undefined) lines.push(`${paint("yellow", "hint:")} ${printable(error.hint)}`);
  return `${lines.join("\n")}\n`;
}

/** The same for a script. */
export function errorJson(error: CtxError): { error: Record<string, unknown> } {
  const { code, message, hint, problems } = error;
  return {
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(problems === undefined ? {} : { problems }),
    },
  };
}
