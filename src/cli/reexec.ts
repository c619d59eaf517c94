// ctx as a program that others start: what a hook has to call, and how it goes on by itself afterwards.
import type * as Children from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import type * as Tty from "node:tty";
import { shellWord } from "../render/layout.js";
import type { Call } from "./command.js";

/** What starts this program, as a shell takes it: its name, where that leads here, else the files themselves. */
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
 * What stands before the executable. Its runtime does not start in a folder that is gone, as a session may leave one, and two variables
 * would make something else of it: an agent that is such a file itself may have set them for its own use.
 */
const undisturbed = '[ -d "$PWD" ] || cd /; BUN_BE_BUN= BUN_OPTIONS= ';

/** Starts this program with other words, hands standard input on to it, and does not wait. Never fails: a hook must not. */
export function startInBackground(call: Call, words: readonly string[]): number {
  const [runtime, ...script] = call.terminal.program;
  if (runtime === undefined) return 0;
  try {
    // Every command loads this file, and hardly one needs these.
    const load = createRequire(import.meta.url);
    const { spawn } = load("node:child_process") as typeof Children;
    const { isatty } = load("node:tty") as typeof Tty;
    const child = spawn(runtime, [...script, ...words], {
      cwd: folderOf(call),
      detached: true,
      // Nobody's typing is taken away from them.
      stdio: [isatty(0) ? "ignore" : "inherit", "ignore", "ignore"],
    });
    child.on("error", () => undefined);
    child.unref();
  } catch {
    // There is nobody to tell.
  }
  return 0;
}

/** A session may have removed the folder that it was in. */
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
