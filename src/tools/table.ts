// The tool table: which of an agent's tools means what, however it spells its name and parameters. Replay
// uses it to find executors, intake to decide what a step's output holds, and redaction to know which steps
// ran commands. Data and pure functions; nothing is executed here.
import type { JsonObject } from "../base/json/value.js";
import { Parameters } from "./parameters.js";
import {
  append,
  command,
  create,
  edit,
  editor,
  glob,
  grep,
  internal,
  list,
  makeFolder,
  move,
  patch,
  read,
  remove,
  write,
  type ToolReader,
} from "./readers.js";
import type { Step } from "../model/manifest.js";
import type { Action, ToolUse } from "./tool-use.js";

export type { Action, ToolUse };

/** Actions whose purpose is the change that they make: their output is a mere acknowledgement. */
export const effects: ReadonlySet<Action> = new Set<Action>([
  "write",
  "append",
  "insert",
  "edit",
  "patch",
  "delete",
  "move",
  "make_folder",
]);

/**
 * Returns whether repeating a use on the same files must have the same result: true if it only reads and
 * writes files.
 */
export function isDeterministic(use: ToolUse | undefined): boolean {
  return use !== undefined && use.action !== "command" && use.action !== "internal";
}

/** Returns the files that a use may change, as far as it names them. */
export function touchedBy(use: ToolUse): string[] {
  if (use.action === "move") return [use.from, use.to];
  if (use.action === "patch")
    return [...patchedPaths(use.text), ...(use.path === undefined ? [] : [use.path])];
  return effects.has(use.action) && "path" in use && use.path !== undefined ? [use.path] : [];
}

function patchedPaths(text: string): string[] {
  const names = text.matchAll(
    /^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)|(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+).*)$/gm,
  );
  return [...names]
    .map(([, v4a, unified]) => (v4a ?? unified ?? "").trim())
    .filter((name) => name !== "/dev/null");
}

/**
 * Returns the meaning of a call, by its tool's name and the shape of its parameters; undefined if it is not
 * in the table.
 */
export function toolUse(
  tool: string,
  parameters: JsonObject,
  agent: string | undefined,
): ToolUse | undefined {
  const read = table.get(plainName(tool));
  return read?.(new Parameters(parameters), agent);
}

/** Returns whether a tool is one of an agent's own: plans, to-do lists, questions to the user, sub-agents. */
export function isOwnTool(tool: string): boolean {
  return table.get(plainName(tool)) === internal;
}

/**
 * Normalises a tool's name, which agents spell in many ways: `read_file`, `ReadFile`, `functions.read_file`.
 */
function plainName(tool: string): string {
  return tool
    .replace(/^(?:functions|default_api)[.:]/, "")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}

const spellings: readonly (readonly [ToolReader, string])[] = [
  [
    read,
    "read read_file filesystem_read fs_read view view_file open_file cat_file get_file_contents read_text_file",
  ],
  [write, "write write_file filesystem_write fs_write create_file save_file write_to_file new_file"],
  // Other agents may mean anything by this name.
  [(parameters, agent) => (agent === "copilot-cli" ? create(parameters, agent) : undefined), "create"],
  [append, "append append_file append_to_file filesystem_append"],
  [
    edit,
    "edit edit_file str_replace search_replace search_and_replace replace replace_in_file multi_edit filesystem_edit",
  ],
  [patch, "apply_patch patch apply_diff patch_file"],
  [remove, "delete delete_file remove remove_file filesystem_delete rm unlink"],
  [move, "move move_file rename rename_file filesystem_move mv"],
  [makeFolder, "make_folder mkdir make_dir make_directory create_directory create_folder create_dir"],
  [list, "list ls list_dir list_directory list_files filesystem_list read_folder list_folder"],
  [glob, "glob glob_files find_files file_search glob_search find_by_name"],
  [grep, "grep grep_search search_files search_file_content ripgrep rg grep_files"],
  [
    command,
    "bash shell exec exec_command run_shell_command run_command run_terminal_cmd execute_command terminal local_shell container_exec execute_bash run_in_terminal run_bash sh shell_command run",
  ],
  [editor, "str_replace_editor str_replace_based_edit_tool edit_anthropic file_editor text_editor"],
  [
    internal,
    "todo_write todo_read task agent skill update_plan think submit finish exit_plan_mode enter_plan_mode ask_user_question ask_followup_question attempt_completion new_task switch_mode tool_search plan save_memory bash_output kill_shell kill_bash write_stdin task_output task_tracker task_tracking plan_mode_respond update_todo_list write_todos activate_skill complete_task ask_user report_intent update_todo store_memory read_bash write_bash stop_bash list_bash read_agent list_agents task_complete task_create task_update task_get task_list task_stop monitor request_user_input delegate_to_agent view_image spawn_agent wait_agent",
  ],
];

const table: ReadonlyMap<string, ToolReader> = new Map(
  spellings.flatMap(([reader, names]) => names.split(" ").map((name) => [plainName(name), reader] as const)),
);

const unanswered = ["denied", "interrupted", "unanswered"];

/**
 * Returns the log's word for a call that was never carried out, or not to its end; undefined for other calls.
 */
export function unansweredAs({ type, metadata }: Step): string | undefined {
  const status = metadata?.["status"];
  if (type !== "tool_call" || typeof status !== "string") return undefined;
  return unanswered.find((word) => word === status.trim().toLowerCase());
}
