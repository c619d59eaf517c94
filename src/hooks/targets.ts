// The agents that can call ctx when a session ends, and the settings files that configure it. All three use
// the hook syntax of Claude Code and pass the same fields: the session, its log and its folder.
import type { JsonObject } from "../base/json/value.js";

export type HookAgent = "claude-code" | "codex" | "gemini";
export type HookName = HookAgent | "git";

export interface HookTarget {
  title: string;
  /** The variable that can override the agent's folder, the path below its value, and the default folder. */
  folder: { variable: string; rest: string; usual: string };
  file: string;
  /** The agent's name in `ctx discover`. */
  agent: string;
  /** Additional fields of the hook's command object. */
  entry: JsonObject;
  /** What the user has to do or should know. */
  advice: readonly string[];
}

export const targets: Readonly<Record<HookAgent, HookTarget>> = {
  "claude-code": {
    title: "Claude Code",
    folder: { variable: "CLAUDE_CONFIG_DIR", rest: "", usual: ".claude" },
    file: "settings.json",
    agent: "claude-code",
    entry: {},
    advice: [],
  },
  codex: {
    title: "Codex",
    folder: { variable: "CODEX_HOME", rest: "", usual: ".codex" },
    file: "hooks.json",
    agent: "codex",
    // Codex waits one second by default, and three at most.
    entry: { timeout: 3 },
    advice: [
      "Codex runs a new hook only after you have reviewed it: type /hooks in Codex",
      "needs Codex 0.146 or newer",
    ],
  },
  gemini: {
    title: "Gemini CLI",
    folder: { variable: "GEMINI_CLI_HOME", rest: ".gemini", usual: ".gemini" },
    file: "settings.json",
    agent: "gemini-cli",
    entry: { name: "ctx" },
    advice: ["enable hooks in Gemini CLI: /settings, Enable Hooks System"],
  },
};

/** Path to the list of session-end hooks in an agent's settings. */
export const hookPath: readonly string[] = ["hooks", "SessionEnd"];

/** Builds one element of that list. */
export function hookEntry(name: HookAgent, command: string): JsonObject {
  return { hooks: [{ type: "command", command, ...targets[name].entry }] };
}

/**
 * Returns the end of a hook's command line, whatever starts ctx. It must never fail the agent or print, even
 * when ctx is gone.
 */
export function commandTail(name: HookName): string {
  // Git passes no input, and would wait for any process that holds its streams.
  const input = name === "git" ? " </dev/null" : "";
  return `hook run ${name}${input} >/dev/null 2>&1 || true`;
}

/** Returns whether a command line is ours, however it was written and whatever the program is called. */
export function isOwnCommand(name: HookName, command: string): boolean {
  if (command.endsWith(` ${commandTail(name)}`)) return true;
  return new RegExp(`(?:^|[/\\\\\\s'"])ctx(?:\\.cjs)?['"]?\\s+hook run ${name}\\b`).test(command);
}
