// Where agents keep the logs of their sessions. Discovery reads nothing else on the machine.
import { resolve } from "node:path";

/** The user's folders and environment, which locations are relative to. */
export interface AgentPaths {
  home: string;
  /** The project's folder: some programs write their logs there. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
}

export interface SessionLocation {
  /** The name of the agent. */
  agent: string;
  /**
   * Folders: `~` is the home, `.` the project, `$NAME` a variable that may name another one. The first that
   * exists counts.
   */
  roots: readonly string[];
  /** A pattern below it, one part per folder; a `*` stands for any characters but a slash. */
  files: string;
  /** Names of files that are no logs of their own. */
  except?: RegExp;
  /** A file that names the project, relative to the log. */
  project?: string;
  /** A folder beside the log that is part of it; a `*` stands for the log's name without its extension. */
  beside?: string;
}

/** Programs based on VS Code, and where they keep the data of their extensions. */
const editors = ["Code", "Code - Insiders", "Cursor", "Windsurf", "VSCodium", "Trae"].flatMap((name) => [
  `~/.config/${name}/User/globalStorage`,
  `~/Library/Application Support/${name}/User/globalStorage`,
  `~/AppData/Roaming/${name}/User/globalStorage`,
]);
const servers = ["~/.vscode-server/data/User/globalStorage", "~/.cursor-server/data/User/globalStorage"];

/** Returns the locations of an extension: any of these folders may exist. */
function extension(agent: string, name: string): SessionLocation[] {
  return [...editors, ...servers].map((root) => ({
    agent,
    roots: [root],
    files: `${name}/tasks/*/api_conversation_history.json`,
  }));
}

/** Claude Code's logs, with those of its sub-agents. */
const claudeCodeLogs = { files: "projects/*/*.jsonl", except: /^agent-/, beside: "*/subagents" };

export const sessionLocations: readonly SessionLocation[] = [
  {
    agent: "claude-code",
    roots: ["$CLAUDE_CONFIG_DIR", "~/.claude"],
    ...claudeCodeLogs,
  },
  { agent: "claude-code", roots: ["~/.config/claude"], ...claudeCodeLogs },
  { agent: "codex", roots: ["$CODEX_HOME", "~/.codex"], files: "sessions/*/*/*/rollout-*.jsonl*" },
  { agent: "codex", roots: ["$CODEX_HOME", "~/.codex"], files: "archived_sessions/rollout-*.jsonl*" },
  {
    agent: "gemini-cli",
    roots: ["$GEMINI_CLI_HOME/.gemini", "~/.gemini"],
    files: "tmp/*/chats/session-*.json*",
    project: "../../.project_root",
  },
  { agent: "iflow", roots: ["~/.iflow"], files: "projects/*/session-*.jsonl" },
  {
    agent: "qwen-code",
    roots: ["~/.qwen"],
    files: "projects/*/chats/*.jsonl",
    beside: "../subagents/*",
  },
  { agent: "copilot-cli", roots: ["$COPILOT_HOME", "~/.copilot"], files: "session-state/*/events.jsonl" },
  { agent: "copilot-cli", roots: ["$COPILOT_HOME", "~/.copilot"], files: "session-state/*.jsonl" },
  { agent: "copilot-cli", roots: ["$COPILOT_HOME", "~/.copilot"], files: "history-session-state/*.jsonl" },
  { agent: "pi", roots: ["$PI_CODING_AGENT_DIR", "~/.pi/agent"], files: "sessions/*/*.jsonl" },
  { agent: "pi", roots: ["$PI_CODING_AGENT_SESSION_DIR"], files: "*.jsonl" },
  {
    agent: "opencode",
    roots: ["$XDG_DATA_HOME/opencode", "~/.local/share/opencode"],
    files: "storage/session/*/ses_*.json",
    beside: "../../message/*",
  },
  ...extension("cline", "saoudrizwan.claude-dev"),
  { agent: "cline", roots: ["~/.cline/data"], files: "tasks/*/api_conversation_history.json" },
  ...extension("roo-code", "rooveterinaryinc.roo-cline"),
  ...extension("kilo-code", "kilocode.kilo-code"),
  {
    agent: "openhands",
    roots: ["$OPENHANDS_CONVERSATIONS_DIR", "~/.openhands/conversations"],
    files: "*/base_state.json",
    beside: "events",
  },
  {
    agent: "mini-swe-agent",
    roots: ["$MSWEA_GLOBAL_CONFIG_DIR", "~/.config/mini-swe-agent"],
    files: "*.traj.json",
  },
  { agent: "swe-agent", roots: ["."], files: "trajectories/*/*/*/*.traj" },
  { agent: "inspect", roots: ["."], files: "logs/*.eval" },
  { agent: "vercel-ai", roots: ["."], files: ".devtools/generations.json" },
];

/** The agents whose locations are known. */
export const knownAgents: readonly string[] = Object.freeze([
  ...new Set(sessionLocations.map(({ agent }) => agent)),
]);

/** Returns the folder that a root names; undefined when it is a variable that is not set. */
export function rootFolder(root: string, { home, folder, env }: AgentPaths): string | undefined {
  const [, name = "", rest = ""] = /^\$(\w+)(.*)$/.exec(root) ?? [];
  if (name !== "") return isSet(env[name]) ? resolve(folder, `${env[name]}${rest}`) : undefined;
  return root.replace(/^~/, () => home).replace(/^\.$/, () => folder);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
