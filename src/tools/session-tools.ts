// The meaning of calls for a replay, in the order of a session: an editor has a file open, a script calls
// another tool, a command is for another shell. `table.ts` reads each call by itself; what is added here does
// not change what intake makes of a log.
import type { JsonObject } from "../base/json/value.js";
import { callIn } from "./code-mode.js";
import { LineEditor } from "./line-editor.js";
import { Parameters } from "./parameters.js";
import { grepWithContext } from "./readers.js";
import { type ToolUse, toolUse } from "./table.js";

export interface SessionCall {
  tool: string;
  parameters: JsonObject;
  /** The folder in which it was made. */
  folder: string | undefined;
}

export class SessionTools {
  readonly #agent: string | undefined;
  readonly #editor = new LineEditor();
  /** Whether the log has the calls that scripts made as steps of their own. */
  readonly #hasCallsOfScripts: boolean;

  constructor(agent: string | undefined, hasCallsOfScripts: boolean) {
    this.#agent = agent;
    this.#hasCallsOfScripts = hasCallsOfScripts;
  }

  /** Returns the meaning of the next call of the session; undefined if nothing is known about it. */
  useOf({ tool, parameters, folder }: SessionCall): ToolUse | undefined {
    const values = new Parameters(parameters);
    const edited = this.#agent === "swe-agent" ? this.#editor.useOf(tool, values, folder) : undefined;
    const isClaude = this.#agent === "claude-code" && tool === "Grep";
    const search = isClaude ? grepWithContext(values, this.#agent) : undefined;
    return (
      edited ??
      search ??
      (numbersLines.has(this.#agent ?? "") ? viewIn(tool, values) : undefined) ??
      pythonIn(tool, values) ??
      this.#scriptIn(tool, values) ??
      forItsShell(toolUse(tool, parameters, this.#agent), tool)
    );
  }

  #scriptIn(tool: string, parameters: Parameters): ToolUse | undefined {
    const script = tool === "exec" ? parameters.text("input") : undefined;
    if (script === undefined || !/\btools\.\w+\(/.test(script)) return undefined;
    if (this.#hasCallsOfScripts)
      return { action: "internal", why: "a script, whose calls are steps of their own" };
    const call = callIn(script);
    const use = call === undefined ? undefined : toolUse(call.tool, call.parameters, this.#agent);
    return use ?? { action: "internal", why: "a script with several calls, or with values that it computes" };
  }
}

/** Agents whose editor shows files in a form that is known. */
const numbersLines = new Set(["openhands", "swe-agent"]);

/** Reads a view of an editor that numbers lines as `cat -n` does. */
function viewIn(tool: string, parameters: Parameters): ToolUse | undefined {
  if (!/^(?:str_replace_editor|file_editor)$/.test(tool) || parameters.text("command") !== "view")
    return undefined;
  const path = parameters.path();
  const [from, to] = parameters.counts("view_range") ?? [];
  if (path === undefined) return undefined;
  return {
    action: "window",
    path,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

/** Functions that OpenHands puts into its interpreter. */
const skills =
  /\b(?:open_file|goto_line|scroll_up|scroll_down|create_file|edit_file\w*|insert_content_at_line|append_file|search_dir|search_file|find_file)\(/;

function pythonIn(tool: string, parameters: Parameters): ToolUse | undefined {
  if (!/^(?:run_ipython|execute_ipython_cell)$/.test(tool) || !skills.test(parameters.text("code") ?? ""))
    return undefined;
  return { action: "internal", why: "it edits files by functions of the agent's own interpreter" };
}

/** Names of commands that only PowerShell has, where a command begins. */
const powerShell =
  /(?:^|[|;({]\s*)(?:Get|Set|New|Remove|Select|Test|Write|Copy|Move|Rename|Out|Where|ForEach|Measure|Resolve|Join|Split|Start|Stop|Invoke|ConvertTo|ConvertFrom|Format|Sort|Compare|Add|Clear)-[A-Z][A-Za-z]+\b|\$env:|\$PSVersionTable/;

/** Returns a command for PowerShell as a call of that program. */
function forItsShell(use: ToolUse | undefined, tool: string): ToolUse | undefined {
  if (use?.action !== "command" || tool !== "shell_command" || typeof use.command !== "string") return use;
  const isWindows = /^[A-Za-z]:[\\/]/.test(use.folder ?? "") || powerShell.test(use.command);
  return isWindows ? { ...use, command: ["pwsh", "-NoProfile", "-Command", use.command] } : use;
}
