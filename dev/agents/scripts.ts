// The session that each agent plays: a parallel batch, a command that fails, an edit, a sub-agent, and a second prompt.
// Only tools and their parameters differ between agents.
import { join } from "node:path";
import type { AgentName } from "./agents.js";
import type { ScriptedCall, ScriptedTask } from "./script.js";

/** The files of the workspace: `node check.mjs` fails until `pages.mjs` is edited. */
export const workspace: Readonly<Record<string, string>> = {
  "pages.mjs": "export const pages = (list, size) => Math.floor(list.length / size);\n",
  "check.mjs":
    'import { pages } from "./pages.mjs";\n\nif (pages([1, 2, 3], 2) !== 2) {\n  console.error("three items do not fit on one page of two");\n  process.exit(3);\n}\nconsole.log("all pages are there");\n',
};

export const prompts = {
  first: "The last page is missing: repair pages.mjs.",
  subAgent: "Read pages.mjs and say how many functions it exports.",
  second: "Write what was wrong into notes.txt.",
} as const;

/** How an agent's tools do the same thing. */
interface Tools {
  read: (path: string) => ScriptedCall;
  command: (line: string) => ScriptedCall;
  edit: (path: string, from: string, to: string) => ScriptedCall;
  /** The turns in which a sub-agent is started and its answer awaited. */
  delegate: (prompt: string) => ScriptedCall[];
}

const toolsOf: Readonly<Record<AgentName, Tools>> = {
  "claude-code": {
    read: (path) => ({ name: "Read", input: { file_path: path } }),
    command: (line) => ({ name: "Bash", input: { command: line, description: "Run a command" } }),
    edit: (path, from, to) => ({
      name: "Edit",
      input: { file_path: path, old_string: from, new_string: to },
    }),
    delegate: (prompt) => [
      {
        name: "Agent",
        input: {
          description: "Count functions",
          prompt,
          subagent_type: "general-purpose",
          run_in_background: false,
        },
      },
    ],
  },
  codex: {
    read: (path) => ({ name: "exec_command", input: { cmd: `cat ${path}` } }),
    command: (line) => ({ name: "exec_command", input: { cmd: line } }),
    edit: (path, from, to) => ({
      name: "apply_patch",
      input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch`,
    }),
    delegate: (prompt) => [
      { name: "spawn_agent", input: { message: prompt } },
      { name: "wait_agent", input: { targets: ["@AGENT@"], timeout_ms: 30_000 } },
    ],
  },
  "gemini-cli": {
    read: (path) => ({ name: "read_file", input: { file_path: path } }),
    command: (line) => ({
      name: "run_shell_command",
      input: { command: line, description: "Run a command" },
    }),
    edit: (path, from, to) => ({
      name: "replace",
      input: { file_path: path, instruction: "Count the last page", old_string: from, new_string: to },
    }),
    delegate: (prompt) => [{ name: "invoke_agent", input: { agent_name: "generalist", prompt } }],
  },
  "qwen-code": {
    read: (path) => ({ name: "read_file", input: { file_path: path } }),
    command: (line) => ({
      name: "run_shell_command",
      input: { command: line, description: "Run a command", is_background: false },
    }),
    edit: (path, from, to) => ({
      name: "edit",
      input: { file_path: path, old_string: from, new_string: to },
    }),
    delegate: (prompt) => [
      {
        name: "agent",
        input: {
          description: "Count functions",
          prompt,
          subagent_type: "general-purpose",
          run_in_background: false,
        },
      },
    ],
  },
};

/** Returns what the model answers to an agent in that workspace. */
export function repairScript(agent: AgentName, folder: string): ScriptedTask[] {
  const { read, command, edit, delegate } = toolsOf[agent];
  const file = join(folder, "pages.mjs");
  const before = "export const pages = (list, size) => Math.floor(list.length / size);";
  return [
    {
      prompt: prompts.first,
      turns: [
        { think: "I look at the file first.", say: "I read it.", calls: [read(file), command("ls")] },
        { calls: [{ ...command("node check.mjs"), fails: true }] },
        { calls: [edit(file, before, before.replace("floor", "ceil"))] },
        ...delegate(prompts.subAgent).map((call) => ({ calls: [call] })),
        { say: "I check it.", calls: [command("node check.mjs")] },
        { say: "The last page is there now." },
      ],
    },
    {
      prompt: prompts.subAgent,
      isSubAgent: true,
      turns: [{ calls: [read(file)] }, { say: "It exports one function." }],
    },
    {
      prompt: prompts.second,
      turns: [
        { calls: [command("echo 'floor instead of ceil' > notes.txt")] },
        { say: "It is in notes.txt." },
      ],
    },
  ];
}
