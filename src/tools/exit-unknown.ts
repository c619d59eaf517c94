// Whether a log leaves open how a command ended: a pipe ends as its last command does, so `npm test | tail` is
// a success whatever the tests did.
import type { Manifest, Step } from "../model/manifest.js";
import { agentOf } from "./files-used.js";
import { parseShellLine } from "./shell-line.js";
import { toolUse } from "./table.js";

/** Returns whether a log says `ok` of a command, with no exit status, and its line ends in a pipe. */
export function isExitUnknown({ tool, parameters, metadata }: Step, manifest: Manifest): boolean {
  if (tool === undefined || metadata?.["status"] !== "ok") return false;
  const { exit_code: exit } = metadata;
  if (typeof exit === "number" || typeof exit === "string") return false;
  const use = toolUse(tool, parameters, agentOf(manifest));
  if (use?.action !== "command") return false;
  const line = typeof use.command === "string" ? use.command : scriptIn(use.command);
  if (line === undefined || /\bpipefail\b|\bPIPESTATUS\b/.test(line)) return false;
  return (parseShellLine(line).pipelines.at(-1)?.stages.length ?? 0) > 1;
}

/** Returns the script of `bash -c`. */
function scriptIn([shell = "", option = "", script]: readonly string[]): string | undefined {
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(option) ? script : undefined;
}
