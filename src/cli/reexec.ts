// Starts ctx from ctx: the command that a hook calls, and the background process that continues its work.
import type * as Children from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import type * as Tty from "node:tty";
import { shellWord } from "../render/layout.js";
import type { Call } from "./command.js";

/** Returns shell words that start this program: `ctx` if PATH leads to it, else the paths of its files. */
export function ctxOnPath({ terminal: { env, program } }: Call): string {
  const found = (env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "ctx"))
    .find((file) => fs.existsSync(file));
  const isThis = found !== undefined && real(found) === real(program.at(-1) ?? "");
  const words = isThis ? "ctx" : program.map(shellWord).join(" ");
  return program.length === 1 ? `${undisturbed}${words}` : words;
}

/**
 * The shell words before the executable. Its runtime does not start in a folder that is gone, and a session
 * may remove its own. Two variables would turn it into another program: an agent that is also a Bun
 * executable may have set them for itself.
 */
const undisturbed = '[ -d "$PWD" ] || cd /; BUN_BE_BUN= BUN_OPTIONS= ';

/**
 * Starts this program with other words and the same standard input, and does not wait. Never throws: a hook
 * must not fail.
 */
export function startInBackground(call: Call, words: readonly string[]): number {
  const [runtime, ...script] = call.terminal.program;
  if (runtime === undefined) return 0;
  try {
    // Loaded late: many commands load this file, and few need these modules.
    const load = createRequire(import.meta.url);
    const { spawn } = load("node:child_process") as typeof Children;
    const { isatty } = load("node:tty") as typeof Tty;
    const child = spawn(runtime, [...script, ...words], {
      cwd: folderOf(call),
      detached: true,
      // A terminal stays with the user: the background process must not read what is typed.
      stdio: [isatty(0) ? "ignore" : "inherit", "ignore", "ignore"],
    });
    child.on("error", () => undefined);
    child.unref();
  } catch {
    // A hook has no one to report to.
  }
  return 0;
}

/** Returns the working folder, or / if a session has removed it. */
function folderOf(call: Call): string {
  try {
    return call.folder;
  } catch {
    return "/";
  }
}

function real(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}
