// A session of Claude Code with these calls, as its log records them.
import { lines } from "./intake.js";

export interface ClaudeCall {
  tool: string;
  input: object;
  /** What the model was shown. */
  shown?: string;
  isError?: boolean;
  /** What the tool returned to Claude Code. */
  structured?: unknown;
}

export const claudeFolder = "/home/ana/repo";

export function claudeLog(calls: readonly ClaudeCall[]): string {
  let count = 0;
  const record = (type: string, message: object, more: object = {}): object => {
    count++;
    return {
      type,
      uuid: `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`,
      sessionId: "5e551011-0000-4000-8000-000000000002",
      timestamp: new Date(Date.UTC(2026, 1, 11, 14, 20, count)).toISOString(),
      cwd: claudeFolder,
      gitBranch: "main",
      version: "2.1.42",
      isSidechain: false,
      message,
      ...more,
    };
  };
  const steps = calls.flatMap(({ tool, input, shown = "", isError = false, structured }, index) => {
    const id = `toolu_${index}`;
    const use = { type: "tool_use", id, name: tool, input };
    const result = { type: "tool_result", tool_use_id: id, content: shown, is_error: isError };
    return [
      record("assistant", { id: `msg_${index}`, role: "assistant", model: "claude-x-1", content: [use] }),
      record(
        "user",
        { role: "user", content: [result] },
        structured === undefined ? {} : { toolUseResult: structured },
      ),
    ];
  });
  return lines(record("user", { role: "user", content: "Go." }), ...steps);
}

/** A command that ended well. */
export function claudeBash(command: string, stdout: string): ClaudeCall {
  return {
    tool: "Bash",
    input: { command },
    shown: stdout,
    structured: { stdout, stderr: "", interrupted: false, isImage: false },
  };
}

/** A command that ended with another exit status than 0. */
export function claudeBashFailed(command: string, output: string, exit = 1): ClaudeCall {
  return { tool: "Bash", input: { command }, ...claudeError(`Exit code ${exit}\n${output}`) };
}

/** What a call that failed has in the log. */
export function claudeError(text: string): Pick<ClaudeCall, "shown" | "isError" | "structured"> {
  return { shown: text, isError: true, structured: `Error: ${text}` };
}

export function claudeRead(path: string, content: string): ClaudeCall {
  const file = `${claudeFolder}/${path}`;
  const count = content.split("\n").length;
  return {
    tool: "Read",
    input: { file_path: file },
    shown: content,
    structured: {
      type: "text",
      file: { filePath: file, content, numLines: count, startLine: 1, totalLines: count },
    },
  };
}

export function claudeEdit(path: string, [before, old, next]: readonly [string, string, string]): ClaudeCall {
  const file = `${claudeFolder}/${path}`;
  return {
    tool: "Edit",
    input: { file_path: file, old_string: old, new_string: next },
    shown: "updated",
    structured: {
      filePath: file,
      oldString: old,
      newString: next,
      originalFile: before,
      structuredPatch: [],
    },
  };
}
