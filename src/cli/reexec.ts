// Starts ctx from ctx: the command that a hook calls, and the background process that continues its work.
import * as fs from "node:fs";
import { delimiter, join } from "node:path";
import { lazy } from "../base/lazy.js";
import { shellWord } from "../render/layout.js";
import type { Call } from "./command.js";

/** Returns shell words that start this program: `ctx` if PATH leads to it, else the paths of its files. */
export function ctxOnPath({ terminal: { env, program } }: Call): string {
  const found = (env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "ctx"))
    .find((file) => fs.existsSync(file));
  const isThis = found !== undefined && realPath(found) === realPath(program.at(-1) ?? "");
  const words = isThis ? "ctx" : program.map(shellWord).join(" ");
  return program.length === 1 ? `${executablePrefix}${words}` : words;
}

/**
 * The shell words before the executable. Its runtime does not start in a folder that is gone, and a session
 * may remove its own. Two variables would turn it into another program: an agent that is also a Bun
 * executable may have set them for itself.
 */
const executablePrefix = '[ -d "$PWD" ] || cd /; BUN_BE_BUN= BUN_OPTIONS= ';

/**
 * Starts this program with other words and the same standard input, and does not wait. Never throws: a hook
 * must not fail.
 */
export function startInBackground(call: Call, words: readonly string[]): number {
  const [runtime, ...script] = call.terminal.program;
  if (runtime === undefined) return 0;
  try {
    const child = lazy("child_process").spawn(runtime, [...script, ...words], {
      cwd: workingFolder(call),
      detached: true,
      // A terminal stays with the user: the background process must not read what is typed.
      stdio: [lazy("tty").isatty(0) ? "ignore" : "inherit", "ignore", "ignore"],
    });
    child.on("error", () => undefined);
    child.unref();
  } catch {
    // A hook has no one to report to.
  }
  return 0;
}

/** Returns the working folder, or / if a session has removed it. */
function workingFolder(call: Call): string {
  try {
    return call.folder;
  } catch {
    return "/";
  }
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}
