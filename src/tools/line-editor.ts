// SWE-agent's editor: it has one file open, which `edit`, `insert` and `goto` mean without naming it. What a
// call does depends on the calls before it.
import { posix } from "node:path";
import type { Parameters } from "./parameters.js";
import type { EditorChange, ToolUse } from "./tool-use.js";

export class LineEditor {
  #open: string | undefined;

  /** Returns what a call does; undefined if the editor has no such command. `folder` is the current one. */
  useOf(tool: string, parameters: Parameters, folder: string | undefined): ToolUse | undefined {
    // Older versions record the whole line.
    const line = parameters.text("command") ?? "";
    const [, first = "", rest = ""] = /^\s*\S+[ \t]+(?:"([^"\n]*)"|(?=(\S+)))/.exec(line) ?? [];
    const word = first === "" ? rest : first;
    const named = (...names: string[]): string | undefined =>
      parameters.text(...names) ?? (word === "" ? undefined : word);
    switch (tool) {
      case "open": {
        const path = named("path");
        return path === undefined ? this.#window() : this.#window(this.#opened(path, folder));
      }
      case "create": {
        const path = named("filename", "path");
        return path === undefined ? undefined : { ...this.#window(this.#opened(path, folder)), isNew: true };
      }
      case "goto":
      case "scroll_up":
      case "scroll_down":
        return this.#window();
      case "edit":
      case "insert": {
        const change = tool === "edit" ? editIn(parameters, line) : insertionIn(parameters);
        return this.#open === undefined || change === undefined ? undefined : { ...this.#window(), change };
      }
      case "find_file": {
        const name = named("file_name");
        const inFolder =
          parameters.text("dir") ?? /^\s*find_file\s+(?:"[^"\n]*"|\S+)\s+(\S+)/.exec(line)?.[1];
        if (name === undefined) return undefined;
        return { action: "glob", pattern: `**/${name}`, path: inFolder ?? ".", fromRoot: true };
      }
      default:
        return undefined;
    }
  }

  #opened(path: string, folder: string | undefined): string {
    this.#open = folder === undefined || posix.isAbsolute(path) ? path : posix.join(folder, path);
    return this.#open;
  }

  #window(path = this.#open): Extract<ToolUse, { action: "window" }> {
    return { action: "window", path: path ?? "" };
  }
}

/** Returns whether the editor refused an edit, by the beginning of its answer: the log has no status for it. */
export function isRefusedEdit(answer: string): boolean {
  return /^\s*Your proposed edit has introduced/.test(answer);
}

function editIn(parameters: Parameters, line: string): EditorChange | undefined {
  const [old, next] = [parameters.text("search"), parameters.text("replace")];
  if (old !== undefined && next !== undefined)
    return { old, new: next, all: parameters.flag("replace-all", "replace_all") ?? false };
  const [from, to] = [parameters.count("start_line"), parameters.count("end_line")];
  const text = parameters.text("replacement_text");
  if (from !== undefined && to !== undefined && text !== undefined) return { from, to, content: text };
  const found = /^\s*edit +(\d{1,9}):(\d{1,9})[^\n]*\n([^]*?)\n?end_of_edit\s*$/.exec(line);
  if (found === null) return undefined;
  return { from: Number(found[1]), to: Number(found[2]), content: found[3] ?? "" };
}

function insertionIn(parameters: Parameters): EditorChange | undefined {
  const content = parameters.text("text");
  if (content === undefined) return undefined;
  const after = parameters.count("line");
  return after === undefined ? { content } : { after, content };
}
