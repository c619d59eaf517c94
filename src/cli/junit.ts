// The --junit option: a verdict in a file that CI systems read, beside what the command prints.
import * as fs from "node:fs";
import { resolve } from "node:path";
import { CtxError, withPath } from "../base/errors.js";
import type { Call, Option } from "./command.js";

export function junitOption(summary: string): Option {
  return { long: "junit", value: "file", summary, complete: "file" };
}

/** Writes the XML that `render` returns to the file that --junit names; does nothing without --junit. */
export async function writeJunit(call: Call, render: () => Promise<string>): Promise<void> {
  const path = junitPath(call);
  if (path === undefined) return;
  const xml = await render();
  withPath(path, "write", () => fs.writeFileSync(path, xml));
}

/**
 * Does the work of a command. If that fails, the JUnit file has the error as `render` returns it, so that CI
 * does not read the verdict of an earlier run.
 */
export async function withJunitError<T>(
  call: Call,
  work: () => Promise<T>,
  render: (message: string) => Promise<string>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CtxError) await writeJunit(call, async () => await render(error.message));
    throw error;
  }
}

/**
 * Throws if the file cannot be written, and leaves its content alone: for commands that check before they
 * run.
 */
export function checkJunit(call: Call): void {
  const path = junitPath(call);
  if (path !== undefined) withPath(path, "write", () => fs.closeSync(fs.openSync(path, "a")));
}

function junitPath(call: Call): string | undefined {
  const file = call.options.get("junit");
  if (file === "") throw new CtxError("usage", "--junit needs a file name");
  return file === undefined ? undefined : resolve(call.folder, file);
}
