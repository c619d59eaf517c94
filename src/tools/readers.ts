// Reads the parameters of each kind of tool, however an agent spells them.
import type { Parameters } from "./parameters.js";
import type { ToolUse } from "./tool-use.js";

export type ToolReader = (parameters: Parameters, agent: string | undefined) => ToolUse | undefined;

export const read: ToolReader = (parameters, agent) => {
  const path = parameters.path();
  if (path === undefined) return undefined;
  // Gemini CLI and its descendant count lines from 0, all others from 1.
  const first = /^(?:gemini-cli|qwen-code|iflow)$/.test(agent ?? "") ? 1 : 0;
  if (agent === "copilot-cli") return viewOf(parameters, agent);
  const offset = parameters.count("offset");
  const start = parameters.count("start_line", "startLine", "line_start");
  const end = parameters.count("end_line", "endLine", "line_end");
  const begin = offset === undefined ? start : offset + first;
  const from = begin === undefined ? undefined : Math.max(begin, 1);
  const lines = end === undefined ? parameters.count("limit", "num_lines") : end - (from ?? 1) + 1;
  return {
    action: "read",
    path,
    ...(from === undefined ? {} : { from }),
    ...(lines === undefined || lines < 0 ? {} : { lines }),
  };
};

export const write: ToolReader = (parameters) => {
  const [path, content] = [parameters.path(), parameters.content()];
  return path === undefined || content === undefined ? undefined : { action: "write", path, content };
};

export const create: ToolReader = (parameters, agent) => {
  const use = write(parameters, agent);
  return use?.action === "write" ? { ...use, isNew: true } : undefined;
};

export const append: ToolReader = (parameters) => {
  const [path, content] = [parameters.path(), parameters.content()];
  return path === undefined || content === undefined ? undefined : { action: "append", path, content };
};

export const edit: ToolReader = (parameters) => {
  const path = parameters.path();
  const edits = parameters.replacements();
  if (path !== undefined && edits !== undefined) return { action: "edit", path, edits };
  return patch(parameters, undefined);
};

export const patch: ToolReader = (parameters) => {
  const operation = parameters.inner("operation");
  if (operation !== undefined) return operationOf(operation);
  const text = parameters.text("input", "patch", "patchText", "diff", "unified_diff", "text");
  const path = parameters.path();
  return text === undefined ? undefined : patchOf(text, path);
};

const operations: Readonly<Record<string, string>> = {
  create_file: "Add",
  update_file: "Update",
  delete_file: "Delete",
};

/** Reads a change of one file in the form of OpenAI's own tool: a patch without its frame. */
function operationOf(parameters: Parameters): ToolUse | undefined {
  const [type = "", path, diff = ""] = [parameters.text("type"), parameters.path(), parameters.text("diff")];
  const kind = Object.hasOwn(operations, type) ? operations[type] : undefined;
  if (kind === undefined || path === undefined || /[\r\n]/.test(path)) return undefined;
  const body = kind === "Delete" ? "" : `${diff.replace(/\n$/, "")}\n`;
  return patchOf(`*** Begin Patch\n*** ${kind} File: ${path}\n${body}*** End Patch\n`);
}

function patchOf(text: string, path?: string): ToolUse | undefined {
  if (text.includes("*** Begin Patch")) return { action: "patch", format: "v4a", text };
  if (!/^@@ -\d/m.test(text)) return undefined;
  return { action: "patch", format: "unified", text, ...(path === undefined ? {} : { path }) };
}

export const remove: ToolReader = (parameters) => {
  const path = parameters.path();
  return path === undefined ? undefined : { action: "delete", path };
};

export const move: ToolReader = (parameters) => {
  const from = parameters.text("source", "source_path", "old_path", "from", "src", "from_path");
  const to = parameters.text(
    "destination",
    "destination_path",
    "new_path",
    "to",
    "dest",
    "target",
    "to_path",
  );
  return from === undefined || to === undefined ? undefined : { action: "move", from, to };
};

export const makeFolder: ToolReader = (parameters) => {
  const path = parameters.folder();
  return path === undefined ? undefined : { action: "make_folder", path };
};

export const list: ToolReader = (parameters) => ({
  action: "list",
  path: parameters.folder() ?? ".",
  isDeep: parameters.flag("recursive", "deep") ?? false,
});

export const glob: ToolReader = (parameters, agent) => {
  const pattern = parameters.text("pattern", "glob", "glob_pattern", "query");
  if (pattern === undefined) return undefined;
  const path = parameters.folder() ?? ".";
  if (agent !== "claude-code") return { action: "glob", pattern, path };
  // Claude Code searches all folders for a name.
  return { action: "glob", pattern: pattern.includes("/") ? pattern : `**/${pattern}`, path, fromRoot: true };
};

/** Agents whose search returns names of files by default. */
const listsFiles = new Set(["claude-code", "copilot-cli"]);

const maxContext = 10_000;

/** Options of Claude Code's search that a replay has, too. */
const contextOptions = ["head_limit", "-A", "-B", "-C", "context"];

export const grep: ToolReader = (parameters, agent) =>
  ["type", "offset", "multiline", ...contextOptions].some((name) => parameters.has(name))
    ? { action: "internal", why: "a search with options that ctx does not have" }
    : searchIn(parameters, agent);

/** Reads a search of Claude Code that shows lines around each match, or only the first results. */
export const grepWithContext: ToolReader = (parameters, agent) => {
  const isPlain = !["type", "offset", "multiline"].some((name) => parameters.has(name));
  if (!isPlain || !contextOptions.some((name) => parameters.has(name))) return undefined;
  const use = searchIn(parameters, agent);
  if (use?.action !== "grep") return undefined;
  const around = parameters.count("-C", "context") ?? 0;
  const [before, after] = [parameters.count("-B") ?? around, parameters.count("-A") ?? around];
  const most = parameters.count("head_limit") ?? 0;
  if (before < 0 || after < 0 || before > maxContext || after > maxContext) return undefined;
  return { ...use, before, after, ...(most > 0 ? { most } : {}) };
};

const searchIn: ToolReader = (parameters, agent) => {
  const pattern = parameters.text("pattern", "regex", "query", "search_term");
  if (pattern === undefined) return undefined;
  const only = parameters.text("glob", "include", "include_pattern", "file_pattern");
  const mode =
    parameters.text("output_mode") ?? (listsFiles.has(agent ?? "") ? "files_with_matches" : "content");
  return {
    action: "grep",
    pattern,
    path: parameters.folder() ?? ".",
    ...(only === undefined ? {} : { glob: only }),
    ignoreCase:
      parameters.flag("-i", "ignore_case", "case_insensitive") ?? parameters.flag("case_sensitive") === false,
    isFixed: parameters.flag("fixed_strings", "literal") ?? false,
    resultKind: mode === "files_with_matches" ? "files" : mode === "count" ? "counts" : "lines",
    ...(agent === "claude-code" ? { isBareForFile: true } : {}),
    ...(agent === "claude-code" && parameters.flag("-n") === false ? { isUnnumbered: true } : {}),
  };
};

export const command: ToolReader = (parameters) => {
  const line = parameters.text("command", "cmd", "script", "shell_command", "bash_command");
  const words = line === undefined ? parameters.texts("command", "cmd", "argv") : undefined;
  const lineOrWords = line ?? words;
  if (lineOrWords === undefined) return undefined;
  // A patch disguised as a command: no machine has a program of this name.
  if (words?.[0] === "apply_patch") return patchOf(words[1] ?? "");
  const script = line ?? (isShell(words) ? words?.[2] : undefined) ?? "";
  if (/^\s*(?:cd [^\n;&|]+ && )?apply_patch\b/.test(script)) return patchOf(script);
  if (parameters.flag("run_in_background", "is_background", "background") === true)
    return { action: "internal", why: "it ran in the background" };
  if (parameters.flag("is_input") === true || parameters.text("is_input") === "true")
    return { action: "internal", why: "input for a running program, not replayed" };
  const folder = parameters.text(
    "workdir",
    "cwd",
    "working_directory",
    "working_dir",
    "dir_path",
    "directory",
  );
  return { action: "command", command: lineOrWords, ...(folder === undefined ? {} : { folder }) };
};

/** Returns whether the words are `bash -lc script` or the like. */
function isShell(words: readonly string[] | undefined): boolean {
  return (
    words?.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "")
  );
}

/** Reads calls of editors that have commands of their own. */
export const editor: ToolReader = (parameters, agent) => {
  switch (parameters.text("command")) {
    case "view":
      return viewOf(parameters, agent);
    case "create":
      return create(parameters, agent);
    case "str_replace":
      return edit(parameters, agent);
    case "insert": {
      const [path, content] = [parameters.path(), parameters.text("new_str", "insert_text")];
      const after = parameters.count("insert_line");
      if (path === undefined || content === undefined || after === undefined) return undefined;
      return { action: "insert", path, after, content };
    }
    case "undo_edit":
      return { action: "internal", why: "an undo, which only the agent's editor can do" };
    default:
      return undefined;
  }
};

/** Reads a view, which cannot be repeated: an editor adds line numbers and remarks. */
const viewOf: ToolReader = (parameters) =>
  parameters.path() === undefined
    ? undefined
    : { action: "internal", why: "a view of the agent's editor, not replayed" };

export const internal: ToolReader = () => ({
  action: "internal",
  why: "internal to the agent, not replayed",
});
