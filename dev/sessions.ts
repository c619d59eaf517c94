// Small logs as agents write them, for tests of the whole program.
import * as fs from "node:fs";
import { join } from "node:path";
import { lines } from "./intake.js";

export const sessionId = "5e551011-0000-4000-8000-000000000001";

/** Returns the first prompt of a transcript of Claude Code, an edit of pages.txt, and what the model says. */
export function transcript(): object[] {
  let count = 0;
  const record = (type: string, rest: object): object => ({
    type,
    uuid: `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
    sessionId,
    timestamp: `2026-02-11T14:20:${String(count).padStart(2, "0")}.000Z`,
    cwd: "/home/ana/repo",
    gitBranch: "main",
    version: "2.1.42",
    isSidechain: false,
    ...rest,
  });
  const says = (id: string, block: object): object =>
    record("assistant", {
      message: {
        id,
        role: "assistant",
        model: "claude-x-1",
        content: [block],
        usage: { input_tokens: 3, output_tokens: 5 },
      },
    });
  const file = "/home/ana/repo/pages.txt";
  return [
    record("user", { message: { role: "user", content: "Make two pages of it." } }),
    says("msg_1", { type: "tool_use", id: "toolu_1", name: "Task", input: { prompt: "Who reads it?" } }),
    record("user", {
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Nobody." }],
      },
      toolUseResult: { status: "completed", agentId: "a1", content: [{ type: "text", text: "Nobody." }] },
    }),
    says("msg_2", {
      type: "tool_use",
      id: "toolu_2",
      name: "Edit",
      input: { file_path: file, old_string: "one page", new_string: "two pages" },
    }),
    record("user", {
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_2", content: "updated" }],
      },
      toolUseResult: {
        filePath: file,
        oldString: "one page",
        newString: "two pages",
        originalFile: "one page\n",
        structuredPatch: [],
      },
    }),
    says("msg_3", { type: "text", text: "Two pages it is." }),
  ];
}

/** Returns a record that follows when the session continues. */
export function laterRecord(): object {
  return {
    type: "user",
    uuid: "00000000-0000-4000-8000-000000000099",
    sessionId,
    timestamp: "2026-02-11T14:30:00.000Z",
    cwd: "/home/ana/repo",
    message: { role: "user", content: "Thank you." },
  };
}

/** Returns the records of the transcript's sub-agent. */
export function agentTranscript(): object[] {
  const common = { sessionId, cwd: "/home/ana/repo", version: "2.1.42", isSidechain: true, agentId: "a1" };
  return [
    {
      ...common,
      type: "user",
      uuid: "00000000-0000-4000-8000-00000000000a",
      timestamp: "2026-02-11T14:20:02.100Z",
      message: { role: "user", content: "Who reads it?" },
    },
    {
      ...common,
      type: "assistant",
      uuid: "00000000-0000-4000-8000-00000000000b",
      timestamp: "2026-02-11T14:20:02.900Z",
      message: {
        id: "msg_a",
        role: "assistant",
        model: "claude-y-1",
        content: [{ type: "text", text: "Nobody." }],
      },
    },
  ];
}

/** Writes a session and its sub-agent's into a folder, as Claude Code lays them out. */
export function writeSession(folder: string, name = "session"): string {
  fs.writeFileSync(join(folder, `${name}.jsonl`), lines(...transcript()));
  const agents = join(folder, name, "subagents");
  fs.mkdirSync(agents, { recursive: true });
  fs.writeFileSync(join(agents, "agent-a1.jsonl"), lines(...agentTranscript()));
  return `${name}.jsonl`;
}

/** The output of `claude -p`: a run without a prompt, and without any time. */
export function stream(said = "Done."): object[] {
  const session_id = "51e55000-0000-4000-8000-000000000002";
  return [
    {
      type: "system",
      subtype: "init",
      session_id,
      cwd: "/home/ana/repo",
      tools: ["Bash"],
      model: "claude-x-1",
    },
    {
      type: "assistant",
      session_id,
      message: { id: "m1", role: "assistant", model: "claude-x-1", content: [{ type: "text", text: said }] },
    },
    { type: "result", subtype: "success", session_id, num_turns: 1, result: said },
  ];
}

/** Returns chat messages, a run a line. */
export function chats(...prompts: string[]): string {
  return lines(
    ...prompts.map((content) => ({
      messages: [
        { role: "user", content },
        { role: "assistant", content: `${content}!` },
      ],
    })),
  );
}
