// What a tool call does, whichever agent made it.

/** The meaning of a call, in one spelling. Paths are as the agent wrote them. */
export type ToolUse =
  /** `from`: the first line, from 1; `lines`: how many. Without them the whole file. */
  | { action: "read"; path: string; from?: number; lines?: number }
  /** `isNew`: fails if the file exists. */
  | { action: "write"; path: string; content: string; isNew?: boolean }
  | { action: "append"; path: string; content: string }
  /** `after`: the number of lines before the inserted ones. */
  | { action: "insert"; path: string; after: number; content: string }
  | { action: "edit"; path: string; edits: Replacement[] }
  /** `path`: for a unified diff that names no file. */
  | { action: "patch"; format: "v4a" | "unified"; text: string; path?: string }
  | { action: "delete"; path: string }
  | { action: "move"; from: string; to: string }
  | { action: "make_folder"; path: string }
  | { action: "list"; path: string; isDeep: boolean }
  /** `fromRoot`: names are relative to the root, not to `path`. */
  | { action: "glob"; pattern: string; path: string; fromRoot?: boolean }
  | Grep
  /**
   * A part of a file with numbers before its lines, after a change if there is one. `from`, `to`: the lines
   * that were requested; `isNew`: creates the file.
   */
  | { action: "window"; path: string; from?: number; to?: number; isNew?: boolean; change?: EditorChange }
  /** A line for the shell, or a program and its arguments. */
  | { action: "command"; command: string | string[]; folder?: string }
  /** Not repeatable: the agent's own affair, or a form of a tool that only the agent has. */
  | { action: "internal"; why: string };

/** A change of lines, an insertion after a line or at the end, or a replacement of text. */
export type EditorChange =
  | { from: number; to: number; content: string }
  | { after?: number; content: string }
  | Replacement;

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
  resultKind: "lines" | "files" | "counts";
  /** Whether lines of a single file come without its name. */
  isBareForFile?: boolean;
  /** Whether lines come without their numbers. */
  isUnnumbered?: boolean;
  /** How many lines before and after each match are shown. */
  before?: number;
  after?: number;
  /** How many lines of the result are shown at most. */
  most?: number;
}
