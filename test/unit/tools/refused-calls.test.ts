// Which wordings of an agent's program say that a call never ran. `ctx replay` does not execute such calls.
import { describe, expect, it } from "vitest";
import { type FailedCall, refusalOf } from "../../../src/tools/refused-calls.js";

function why(agent: string, text: string, call: Partial<FailedCall> = {}): string | undefined {
  return refusalOf({ agent, isCommand: false, exitCode: undefined, text, ...call });
}

describe("refused calls", () => {
  it.each([
    ["claude-code", "The user doesn't want to proceed with this tool use.", "the user declined"],
    ["claude-code", "<tool_use_error>File has not been read yet.", "the file was not read before"],
    ["claude-code", "PreToolUse:Bash hook error: no commits", "a hook stopped it"],
    ["codex", "exec command rejected by user", "the user declined"],
    ["codex", "Wall time: 1.2 seconds\naborted by user", "the user stopped it"],
    ["gemini-cli", "[Operation Cancelled] Reason: User denied execution.", "the user stopped it"],
    ["gemini-cli", "Error: Operation cancelled by user", "the user stopped it"],
    ["qwen-code", "Operation cancelled by user", "the user stopped it"],
    ["cline", "The user denied this operation.", "it was rejected"],
  ])("refused calls: %s says %j", (agent, text, expected) => {
    expect(why(agent, text)).toBe(expected);
  });

  it.each([
    ["claude-code", "String to replace not found in file."],
    ["codex", "cat: a: No such file or directory"],
    ["gemini-cli", "the operation was cancelled upstream"],
  ])("refused calls: a call of %s that ran and failed with %j was not refused", (agent, text) => {
    expect(why(agent, text)).toBeUndefined();
  });

  it("refused calls: a failed command of Claude Code without an exit status never ran, unless it timed out", () => {
    const command = { isCommand: true };
    expect(why("claude-code", "some error", command)).toContain("never ran");
    expect(why("claude-code", "some error", { ...command, exitCode: 1 })).toBeUndefined();
    expect(why("claude-code", "Command timed out after 2m", command)).toBeUndefined();
  });

  it.each([
    ["claude-code", "Permission denied (publickey).", 255],
    ["claude-code", "Blocked: 3 of 4 tasks", 1],
    ["codex", "Aborted (core dumped)", 134],
    ["gemini-cli", "E: the removal requires confirmation; pass --yes", 100],
    ["cline", "Command not executed: no such target", 2],
  ])("refused calls: a command of %s that printed %j and exited with %i ran", (agent, text, exitCode) => {
    expect(why(agent, text, { isCommand: true, exitCode })).toBeUndefined();
    expect(why(agent, text, { isCommand: true })).toBeDefined();
  });
});
