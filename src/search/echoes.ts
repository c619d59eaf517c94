// Calls of ctx itself. What a search printed would be found by the next one, again and again.
import type { Manifest, Step } from "../model/manifest.js";
import { agentOf } from "../tools/files-used.js";
import { toolUse } from "../tools/table.js";
import { parseShellLine } from "../tools/shell-line.js";
import { nameOf } from "../tools/shell-stage.js";

/** Returns whether a step called ctx: as a command whose first program it is, or through MCP. */
export function isEcho(step: Step, manifest: Manifest): boolean {
  const { tool, parameters } = step;
  if (tool === undefined) return false;
  if (/^mcp__ctx__|^ctx[._]/.test(tool)) return true;
  const use = toolUse(tool, parameters, agentOf(manifest));
  if (use?.action !== "command") return false;
  const { command } = use;
  if (typeof command !== "string") return nameOf(command[0] ?? "") === "ctx";
  // The word rules out most commands without parsing them.
  return /\bctx\b/.test(command) && firstProgram(command) === "ctx";
}

function firstProgram(command: string): string {
  return parseShellLine(command).pipelines[0]?.stages[0]?.program ?? "";
}
