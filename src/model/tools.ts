// The tool table: which of an agent's tools means what, however it spells its name and parameters. Replay finds executors by
// it; intake fixes by it what a step's output holds. Data and pure functions; nothing is executed here.
import type { JsonObject } from "../base/json.js";
import { Parameters } from "./tool-parameters.js";

/** What a call asks for, in one spelling. Paths are as the agent wrote them. */
export type ToolUse =
  /** `from`: the first line, from 1; `lines`: how many. Without them the whole file. */
  | { action: "read"; path: string; from?: number; lines?: number }
  /** `isNew`: refuses a file that is there. */
  | { action: "write"; path: string; content: string; isNew?: boolean }
  | { action: "append"; path: string; content: string }
  /** After so many lines. */
  | { action: "insert"; path: string; after: number; content: string }
  | { action: "edit"; path: string; edits: Replacement[] }
  /** `path`: for a unified diff that names no file. */
  | { action: "patch"; format: "v4a" | "unified"; text: string; path?: string }
  | { action: "delete"; path: string }
  | { action: "move"; from: string; to: string }
  | { action: "make_folder"; path: string }
  | { action: "list"; path: string; isDeep: boolean }
  | { action: "glob"; pattern: string; path: string }
  | Grep
  /** A line for the shell, or a program and its arguments. */
  | { action: "command"; command: string | string[]; folder?: string }
  /** Nothing that can be done again: the agent's own affair, or a form of a tool that only the agent has. */
  | { action: "internal"; why: string };

export type Action = ToolUse["action"];

export interface Replacement {
  old: string;
  new: string;
  all: boolean;
}

export interface Grep {
  action: "grep";
  pattern: string;
  path: string;
  glob?: string;
  ignoreCase: boolean;
  isFixed: boolean;
  gives: "lines" | "files" | "counts";
}

/** Actions that are done for what they change: their acknowledgement says nothing. */
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

/** Whether doing it again on the same files must give the same: true of what only reads and writes files. */
export function isDeterministic(use: ToolUse | undefined): boolean {
  return use !== undefined && use.action !== "command" && use.action !== "internal";
}

/** The files that a use may change, as far as it names them. */
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

/** What a call means, by its tool's name and the shape of its parameters. Undefined: not in the table. */
export function toolUse(
  tool: string,
  parameters: JsonObject,
  agent: string | undefined,
): ToolUse | undefined {
  const read = table.get(plainName(tool));
  return read?.(new Parameters(parameters), agent);
}

/** Agents spell one name in many ways: `read_file`, `ReadFile`, `functions.read_file`. */
function plainName(tool: string): string {
  return tool
    .replace(/^(?:functions|default_api)[.:]/, "")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}

type Reader = (given: Parameters, agent: string | undefined) => ToolUse | undefined;

const read: Reader = (given, agent) => {
  const path = given.path();
  if (path === undefined) return undefined;
  // Gemini counts lines from 0, everybody else from 1.
  const first = agent === "gemini-cli" ? 1 : 0;
  const offset = given.count("offset", "start_line", "startLine", "line_start");
  const end = given.count("end_line", "endLine", "line_end");
  const from = offset === undefined ? undefined : Math.max(offset + first, 1);
  const lines = end === undefined ? given.count("limit", "num_lines") : end - (from ?? 1) + 1;
  return {
    action: "read",
    path,
    ...(from === undefined ? {} : { from }),
    ...(lines === undefined || lines < 0 ? {} : { lines }),
  };
};

const write: Reader = (given) => {
  const [path, content] = [given.path(), given.content()];
  return path === undefined || content === undefined ? undefined : { action: "write", path, content };
};

const append: Reader = (given) => {
  const [path, content] = [given.path(), given.content()];
  return path === undefined || content === undefined ? undefined : { action: "append", path, content };
};

const edit: Reader = (given) => {
  const path = given.path();
  const edits = given.replacements();
  if (path !== undefined && edits !== undefined) return { action: "edit", path, edits };
  return patch(given, undefined);
};

const patch: Reader = (given) => {
  const text = given.text("input", "patch", "diff", "unified_diff", "text");
  const path = given.path();
  return text === undefined ? undefined : patchOf(text, path);
};

function patchOf(text: string, path?: string): ToolUse | undefined {
  if (text.includes("*** Begin Patch")) return { action: "patch", format: "v4a", text };
  if (!/^@@ -\d/m.test(text)) return undefined;
  return { action: "patch", format: "unified", text, ...(path === undefined ? {} : { path }) };
}

const remove: Reader = (given) => {
  const path = given.path();
  return path === undefined ? undefined : { action: "delete", path };
};

const move: Reader = (given) => {
  const from = given.text("source", "source_path", "old_path", "from", "src", "from_path");
  const to = given.text("destination", "destination_path", "new_path", "to", "dest", "target", "to_path");
  return from === undefined || to === undefined ? undefined : { action: "move", from, to };
};

const makeFolder: Reader = (given) => {
  const path = given.folder();
  return path === undefined ? undefined : { action: "make_folder", path };
};

const list: Reader = (given) => ({
  action: "list",
  path: given.folder() ?? ".",
  isDeep: given.flag("recursive", "deep") ?? false,
});

const glob: Reader = (given) => {
  const pattern = given.text("pattern", "glob", "glob_pattern", "query");
  return pattern === undefined ? undefined : { action: "glob", pattern, path: given.folder() ?? "." };
};

const grep: Reader = (given, agent) => {
  const pattern = given.text("pattern", "regex", "query", "search_term");
  if (pattern === undefined) return undefined;
  if (
    ["type", "head_limit", "offset", "-A", "-B", "-C", "context", "multiline"].some((name) => given.has(name))
  )
    return { action: "internal", why: "a search with options that only the agent has" };
  const only = given.text("glob", "include", "include_pattern", "file_pattern");
  const mode = given.text("output_mode") ?? (agent === "claude-code" ? "files_with_matches" : "content");
  return {
    action: "grep",
    pattern,
    path: given.folder() ?? ".",
    ...(only === undefined ? {} : { glob: only }),
    ignoreCase: given.flag("-i", "ignore_case", "case_insensitive") ?? given.flag("case_sensitive") === false,
    isFixed: given.flag("fixed_strings", "literal") ?? false,
    gives: mode === "files_with_matches" ? "files" : mode === "count" ? "counts" : "lines",
  };
};

const command: Reader = (given) => {
  const line = given.text("command", "cmd", "script", "shell_command", "bash_command");
  const words = line === undefined ? given.texts("command", "cmd", "argv") : undefined;
  const asked = line ?? words;
  if (asked === undefined) return undefined;
  // A patch that goes by the name of a command: no machine has a program for it.
  if (words?.[0] === "apply_patch") return patchOf(words[1] ?? "");
  const script = line ?? (isShell(words) ? words?.[2] : undefined) ?? "";
  if (/^\s*(?:cd [^\n;&|]+ && )?apply_patch\b/.test(script)) return patchOf(script);
  if (given.flag("run_in_background", "is_background", "background") === true)
    return { action: "internal", why: "it ran in the background" };
  const folder = given.text("workdir", "cwd", "working_directory", "working_dir", "dir_path", "directory");
  return { action: "command", command: asked, ...(folder === undefined ? {} : { folder }) };
};

/** `bash -lc script` and its like. */
function isShell(words: readonly string[] | undefined): boolean {
  return (
    words?.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "")
  );
}

/** Editors that take a command of their own. */
const editor: Reader = (given, agent) => {
  switch (given.text("command")) {
    case "view":
      return viewOf(given, agent);
    case "create": {
      const use = write(given, agent);
      return use?.action === "write" ? { ...use, isNew: true } : undefined;
    }
    case "str_replace":
      return edit(given, agent);
    case "insert": {
      const [path, content] = [given.path(), given.text("new_str", "insert_text")];
      const after = given.count("insert_line");
      if (path === undefined || content === undefined || after === undefined) return undefined;
      return { action: "insert", path, after, content };
    }
    case "undo_edit":
      return { action: "internal", why: "only the agent's editor knows what it undid" };
    default:
      return undefined;
  }
};

/** What an editor shows has line numbers and remarks in it. */
const viewOf: Reader = (given) =>
  given.path() === undefined
    ? undefined
    : { action: "internal", why: "the editor's view has a form of its own" };

const internal: Reader = () => ({ action: "internal", why: "the agent's own affair" });

const spellings: readonly (readonly [Reader, string])[] = [
  [
    read,
    "read read_file filesystem_read fs_read view view_file open_file cat_file get_file_contents read_text_file",
  ],
  [write, "write write_file filesystem_write fs_write create_file save_file write_to_file new_file"],
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
  [editor, "str_replace_editor str_replace_based_edit_tool edit_anthropic text_editor"],
  [
    internal,
    "todo_write todo_read task agent skill update_plan think submit finish exit_plan_mode enter_plan_mode ask_user_question ask_followup_question attempt_completion new_task switch_mode tool_search plan save_memory bash_output kill_shell kill_bash write_stdin task_output",
  ],
];

const table: ReadonlyMap<string, Reader> = new Map(
  spellings.flatMap(([reader, names]) => names.split(" ").map((name) => [plainName(name), reader] as const)),
);
