// What a call of a tool does, whichever agent made it.

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
