// Prints the result of a command: JSON for programs, text for people. `render` loads its renderer itself, so
// that a call with --json loads none.
import type { Screen } from "../render/layout.js";
import type { Call } from "./command.js";
import { writeJson } from "./output.js";
import { page } from "./pager.js";
import type { OutputStream } from "./terminal.js";

/** Returns the text of a result for this screen. */
export type Render = (screen: Screen) => string | Promise<string>;

export interface PrintOptions {
  /** The stream to print to instead of standard output. */
  out?: OutputStream;
  /** Shows the text in a pager if it is longer than the terminal. */
  paged?: boolean;
}

/** Prints a result: under --json as one line of JSON, else as the text that `render` returns. */
export async function print(
  call: Call,
  result: unknown,
  render: Render,
  options: PrintOptions = {},
): Promise<void> {
  await printList(call, [result], render, options);
}

/**
 * Prints a list: under --json one line of JSON for each element, else the text that `render` returns for all.
 */
export async function printList(
  call: Call,
  list: readonly unknown[],
  render: Render,
  { out = call.terminal.out, paged = false }: PrintOptions = {},
): Promise<void> {
  if (call.json) {
    for (const element of list) writeJson({ out }, element);
    return;
  }
  const text = await render(out.screen);
  if (paged) await page(call, text);
  else out.write(text);
}
