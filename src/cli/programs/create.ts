// Creates a program for the launcher: the whole one, or a small one with the commands that are called most.
import type { CommandTable } from "../command.js";
import { CtxError } from "../../base/errors.js";
import { main, reportError } from "../main.js";
import { processTerminal, type Terminal } from "../terminal.js";
import { NeedsWholeProgram } from "../whole-program.js";

export interface CommandProgram {
  /** The names of its commands. */
  names: string[];
  main: (argv: readonly string[], terminal: Terminal) => Promise<number>;
  /** Returns false if the whole program has to be started in its place. */
  start: () => Promise<boolean>;
}

export function createProgram(table: CommandTable): CommandProgram {
  return {
    names: table.commands.map(({ name }) => name),
    main: (argv, terminal) => main(argv, terminal, table),
    start: () => start(table),
  };
}

/**
 * Runs the command line of this process. If the process ends before `main` has returned, the exit status is
 * 2. Returns false if the call needs the whole program.
 */
async function start(table: CommandTable): Promise<boolean> {
  process.exitCode = 2;
  const argv = process.argv.slice(2);
  const terminal = processTerminal();
  let hasReturned = false;
  const fail = (thrown: unknown): void => void reportError(thrown, argv.includes("--json"), terminal);
  const crash = (thrown: unknown): void => {
    fail(thrown);
    process.exit(2);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  // The event loop is empty. If `main` still waits, it waits for something that can no longer happen.
  process.once("beforeExit", () => {
    if (!hasReturned) fail(new CtxError("internal", "ctx has a bug: the command ended without a result"));
  });
  if (process.platform === "win32") terminal.error.write("note: ctx is untested on Windows\n");
  try {
    process.exitCode = await main(argv, terminal, table);
  } catch (error) {
    if (!(error instanceof NeedsWholeProgram)) throw error;
    process.off("uncaughtException", crash);
    process.off("unhandledRejection", crash);
    return false;
  } finally {
    hasReturned = true;
  }
  return true;
}
