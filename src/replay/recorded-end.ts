// How a call ended according to the log: its status and its exit status. The log may only lower a verdict.
import type { Step } from "../model/manifest.js";
import { parseShellLine } from "../tools/shell-line.js";
import type { Execution } from "./plan.js";
import { exitOf, hasFailed } from "./recorded-status.js";

/**
 * Returns how the end of a call that ran now contradicts the log, whatever the call printed; undefined if it
 * does not. A call that fails now needs a log that records the failure: neither a recorded success, nor a
 * missing status, nor the name of an agent excuses it.
 */
export function contradictedEnd(
  step: Step,
  { execution, exitCode }: { execution: Execution; exitCode: number | undefined },
): string | undefined {
  if (hasFailed(step) && (exitCode ?? 0) === 0) return "it failed then, and did not now";
  const recorded = exitOf(step);
  if (exitCode === undefined || exitCode === recorded) return undefined;
  if (recorded !== undefined) return `exit status ${exitCode}, recorded ${recorded}`;
  if (exitCode === 0 || hasFailed(step)) return undefined;
  if (execution.how === "mcp") return "it returned an error, and the log records no failure";
  // The exception relies on what was printed, so there must be a record of that.
  if (
    execution.how === "command" &&
    exitCode === 1 &&
    step.output_ref !== undefined &&
    isAnswer(execution.argv)
  )
    return undefined;
  return `exit status ${exitCode}, and the log records no failure`;
}

/** Programs that end with 1 if they found nothing, or a difference: their output says the same. */
const finders = new Set(["grep", "egrep", "fgrep", "rg", "diff"]);
const isQuiet = /^(?:-[A-Za-z0-9]*q|--q|--si)/;

/**
 * Returns whether 1 as the exit status can only be the result of a search, which shows in what the command
 * prints.
 */
function isAnswer(argv: readonly string[]): boolean {
  const [program, option, line = ""] = argv;
  const isLine = program === "/bin/bash" && option === "-c" && argv.length === 3;
  if (isLine && !isOnePipe(line)) return false;
  const last = isLine ? parseShellLine(line).pipelines.at(-1)?.stages.at(-1) : undefined;
  if (isLine && last?.wrappers.length !== 0) return false;
  const [name = "", ...words] = last === undefined ? argv : [last.program, ...last.words];
  return finders.has(name) && !words.some((word) => isQuiet.test(word));
}

/**
 * Returns whether a line is one command or one pipe, whose exit status is that of its last command: no second
 * command, redirection, substitution, negation or comment. Only quoted text may look like one of these.
 */
function isOnePipe(line: string): boolean {
  const bare = line.replaceAll(/'[^']*'|"[^"\\$`]*"|\\[^\n]/g, "_");
  return !/[;&<>(){}$`!#'"\\\r\n]|\|\|/.test(bare);
}
