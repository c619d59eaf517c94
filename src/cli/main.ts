// Turns argv into an exit status. The only file in which an error becomes text.
import { asIoError, CtxError, errnoOf } from "../base/errors.js";
import { printable } from "../base/printable.js";
import { writeError } from "./output.js";
import type { CommandTable } from "./command.js";
import { parse } from "./parse.js";
import { ClosedPipe, type Terminal } from "./terminal.js";
import { version } from "./version.js";
import { NeedsWholeProgram } from "./whole-program.js";

/** Runs one command line and returns the exit status: 0 good, 1 a bad answer, 2 could not be done. */
export async function main(
  argv: readonly string[],
  terminal: Terminal,
  table: CommandTable,
): Promise<number> {
  // Before parsing, --json anywhere counts: a script that passes it gets its usage errors as JSON, too.
  let json = argv.includes("--json");
  try {
    const request = parse(argv, table.commands, terminal);
    if (request.kind === "run") {
      json = request.call.json;
      return await request.command.run(request.call);
    }
    if (request.kind === "version") terminal.out.write(`ctx ${version}\n`);
    else {
      const help = await import("./help.js");
      const { screen } = terminal.out;
      if (request.kind === "lost") {
        if (json)
          throw new CtxError("usage", "no command was given", { hint: "`ctx --help` lists the commands" });
        terminal.error.write(help.renderOverview(table, terminal.error.screen));
        return 2;
      }
      if (request.kind === "topic") terminal.out.write(help.renderTopic(request.name, table.commands));
      else if (request.kind === "all-help") terminal.out.write(help.renderAllCommands(table.groups, screen));
      else if (request.command === undefined) terminal.out.write(help.renderOverview(table, screen));
      else terminal.out.write(help.renderHelp(request.command, screen));
    }
    return 0;
  } catch (error) {
    if (error instanceof NeedsWholeProgram) throw error;
    return reportError(error, json, terminal);
  }
}

/** Reports an error on standard error and returns the exit status. It never throws, whatever was thrown. */
export function reportError(thrown: unknown, json: boolean, terminal: Terminal): number {
  // The reader of standard output closed it: that is no error.
  if (thrown instanceof ClosedPipe) return 0;
  try {
    writeError(terminal, json, toCtxError(thrown));
    if (terminal.env["CTX_DEBUG"] === "1" && thrown instanceof Error)
      terminal.error.write(`${printable(thrown.stack ?? "")}\n`);
  } catch {
    // The error could not be described or written; the exit status still reports it.
    reportUndescribable(json, terminal);
  }
  return 2;
}

/**
 * Converts anything thrown: a failed system call names the call, and anything unknown is reported as a bug.
 */
function toCtxError(thrown: unknown): CtxError {
  const error = asIoError(thrown);
  if (error instanceof CtxError) return error;
  const errno = errnoOf(error);
  if (errno !== undefined)
    return new CtxError("io", `a system call failed: ${(error as Error).message}`, {
      data: { errno },
      cause: error,
    });
  return new CtxError("internal", `ctx has a bug: ${String(thrown)}`, {
    hint: "please report it, with the output of CTX_DEBUG=1",
  });
}

function reportUndescribable(json: boolean, { error }: Terminal): void {
  const message = "ctx has a bug: an error has no description";
  try {
    error.write(
      json ? `${JSON.stringify({ error: { code: "internal", message } })}\n` : `error: ${message}\n`,
    );
  } catch {
    // Nothing can be written at all.
  }
}
