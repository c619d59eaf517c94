// Which agents can call ctx when a session ends, and where that is written down. All three have taken over the form in which
// Claude Code names its hooks, and hand over the same: the session, its log and its folder.
import type { JsonObject } from "../base/json/value.js";

export type HookAgent = "claude-code" | "codex" | "gemini";
export type HookName = HookAgent | "git";

export interface Target {
  title: string;
  /** A variable that may name the agent's folder, and where that is else. */
  folder: { variable: string; rest: string; usual: string };
  file: string;
  /** How `ctx discover` calls the agent. */
  agent: string;
  /** More that the entry of the command needs. */
  entry: JsonObject;
  /** What the user has to do, or should know. */
  advice: readonly string[];
}

export const targets: Readonly<Record<HookAgent, Target>> = {
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
    // It waits one second unless it is told to, and three at the most.
    entry: { timeout: 3 },
    advice: [
      "Codex runs a new hook only when you have looked at it: type /hooks in Codex",
      "needs Codex 0.146 or newer",
    ],
  },
  gemini: {
    title: "Gemini CLI",
    folder: { variable: "GEMINI_CLI_HOME", rest: ".gemini", usual: ".gemini" },
    file: "settings.json",
    agent: "gemini-cli",
    entry: { name: "ctx" },
    advice: ["hooks must be on in Gemini CLI: /settings, Enable Hooks System"],
  },
};

/** Where in the settings an agent's list of hooks for the end of a session is. */
export const hookPath: readonly string[] = ["hooks", "SessionEnd"];

/** One entry of that list. */
export function hookEntry(name: HookAgent, command: string): JsonObject {
  return { hooks: [{ type: "command", command, ...targets[name].entry }] };
}

/** How a hook's command line ends, whatever starts ctx. It must never fail the agent, nor print, also when ctx is gone. */
export function commandTail(name: HookName): string {
  // Git hands nothing over, and would wait for whatever holds its streams.
  const input = name === "git" ? " </dev/null" : "";
  return `hook run ${name}${input} >/dev/null 2>&1 || true`;
}

/** Whether a command line is one of ours, however it was written, and whatever the program is called. */
export function isOwnCommand(name: HookName, command: string): boolean {
  if (command.endsWith(` ${commandTail(name)}`)) return true;
  return new RegExp(`(?:^|[/\\\\\\s'"])ctx(?:\\.cjs)?['"]?\\s+hook run ${name}\\b`).test(command);
}
