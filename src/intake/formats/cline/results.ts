// Reads the result of a call of Cline, Roo or Kilo, which is prose, and what the call did to files.
import type { JsonObject } from "../../../base/json/value.js";
import { defined, textAt } from "../../json-access.js";
import type { FileStates } from "../../file-states.js";
import type { ResultEntry, Status } from "../../run-entries.js";

export interface ClineCall {
  tool: string;
  parameters: JsonObject;
}

export function clineResult({ tool }: ClineCall, output: string): ResultEntry {
  const exit = tool === "execute_command" ? exitIn(output) : undefined;
  const said = statusIn(output);
  return {
    output,
    status: said === "ok" && (exit ?? 0) !== 0 ? "error" : said,
    metadata: defined({ exit_code: exit }),
  };
}

function statusIn(output: string): Status {
  const start = output.slice(0, 400).trimStart();
  if (/^(?:The user denied this operation|Skipping (?:MCP )?tool |\{"status": ?"denied")/.test(start))
    return "denied";
  if (
    /^(?:Task was interrupted before this tool call|(?:MCP t|T)ool .{0,200} was interrupted and not executed)/.test(
      start,
    )
  )
    return "interrupted";
  const isError =
    /^(?:The tool execution failed with the following error:|<error>|<error_details>|\{"status": ?"error")/.test(
      start,
    ) ||
    /^(?:Tool .{0,200} was not executed because|Error executing |Missing value for required parameter)/.test(
      start,
    );
  return isError ? "error" : "ok";
}

/** Returns the exit code that precedes the output of a command. */
function exitIn(output: string): number | undefined {
  const [head = ""] = output.slice(0, 2000).split(/\nOutput:/, 1);
  const exit = /\b[Ee]xit(?:ed with)? code:? (-?\d{1,10})\b/.exec(head.split("\n", 3).join("\n"))?.[1];
  return exit === undefined ? undefined : Number(exit);
}

/** Notes the files that a successful call read or changed. */
export function noteClineFiles(files: FileStates, { tool, parameters }: ClineCall, output: string): void {
  const path = textAt(parameters, "path") ?? textAt(parameters, "absolutePath");
  if (path === undefined) return;
  switch (tool) {
    case "write_to_file":
      return files.after(path, finalContent(output) ?? textAt(parameters, "content"));
    case "replace_in_file":
    case "apply_diff":
    case "insert_content":
    case "search_and_replace":
    case "edit_file":
      return files.after(path, finalContent(output));
    case "read_file": {
      const isPart = ["start_line", "end_line", "offset", "limit"].some((name) =>
        Object.hasOwn(parameters, name),
      );
      if (!isPart && isWholeFile(path, output)) files.see(path, output);
      return;
    }
    default:
  }
}

/** Returns the file after a change, where the result shows it. */
function finalContent(output: string): string | undefined {
  const begin = /<final_file_content path="[^"\n]{0,4000}">\n/.exec(output);
  const to = output.lastIndexOf("\n</final_file_content>");
  if (begin === null) return undefined;
  const from = begin.index + begin[0].length;
  return to < from - 1 ? undefined : output.slice(from, Math.max(from, to));
}

/** Files that are shown as extracted text. */
const extracted = /\.(?:pdf|docx|xlsx|ipynb|png|jpe?g|gif|webp|svgz)$/i;

/** Returns whether an output is the file itself: no line numbers, no tags around it, nothing left out. */
function isWholeFile(path: string, output: string): boolean {
  if (extracted.test(path) || output.startsWith("<file") || output.startsWith("File: ")) return false;
  if (
    /\[\[NOTE\] This file read|\[File truncated|\[IMPORTANT: File content truncated|\(tool did not return anything\)/.test(
      output,
    )
  )
    return false;
  return !output.split("\n").every((line) => line === "" || /^\s*\d{1,7} \| /.test(line));
}
