// How a call ended by the log's own word: its status and its exit status. What the log says may only lower a verdict.
import type { Step } from "../model/manifest.js";
import { parseShellLine } from "../model/shell-line.js";
import type { Way } from "./plan.js";

/** Whether the log says that the call failed. */
export function hasFailed({ metadata }: Step): boolean {
  return metadata?.["status"] === "error";
}

/** The recorded exit status; a text of digits counts, anything else is no exit status. */
export function exitOf({ metadata }: Step): number | undefined {
  const code = metadata?.["exit_code"];
  if (typeof code === "number") return code;
  return typeof code === "string" && /^\d{1,9}$/.test(code.trim()) ? Number(code) : undefined;
}

const successes = new Set(["ok", "success", "succeeded", "successful", "completed", "passed"]);

/** Agents of which `ok` is more than that there was an answer: they mark a call that failed, of any kind or of MCP. */
const markingAgents = { command: ["claude-code"], mcp: ["claude-code", "codex", "gemini-cli"] };

/**
 * Why a call that gave the recorded bytes is still another result: the log says that it succeeded, with no exit status to compare, and it
 * failed now. In logs of agents that do not mark failures `ok` says nothing. Undefined when nothing speaks against the call.
 */
export function failureSince(
  step: Step,
  { way, agent, exitCode }: { way: Way; agent: string | undefined; exitCode: number | undefined },
): string | undefined {
  const status = step.metadata?.["status"];
  if (exitCode === undefined || exitCode === 0 || exitOf(step) !== undefined) return undefined;
  if (typeof status !== "string" || !successes.has(status.toLowerCase())) return undefined;
  const marking = way.how === "mcp" ? markingAgents.mcp : markingAgents.command;
  if (agent !== undefined && !marking.includes(agent)) return undefined;
  if (way.how === "mcp") return "it returned an error, and the log says that it succeeded";
  if (way.how === "command" && exitCode === 1 && isAnswer(way.line)) return undefined;
  return `exit status ${exitCode}, and the log says that it succeeded`;
}

/** Programs that end with 1 when they found nothing, or a difference: what they print says the same. */
const finders = new Set(["grep", "egrep", "fgrep", "rg", "diff"]);

/** Whether 1 as the exit status of a line is no failure, and shows in what the line prints. */
function isAnswer(line: string): boolean {
  const last = parseShellLine(line).pipelines.at(-1)?.stages.at(-1);
  if (last === undefined || last.wrappers.length > 0) return false;
  if (!finders.has(last.program) || line.includes(">")) return false;
  return last.words.every((text) => !/^-(?:[A-Za-z]*q|-quiet|-silent)/.test(text));
}
