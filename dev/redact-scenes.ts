// A session of Claude Code with a sub-agent in a file of its own, and secrets in both.
import * as fs from "node:fs";
import { join } from "node:path";
import { lines } from "./intake.js";

function record(fields: object, at: number, more: object = {}): object {
  return {
    sessionId: "5e55",
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    cwd: "/home/ana/app",
    version: "2.1.0",
    isSidechain: false,
    timestamp: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
    ...fields,
    ...more,
  };
}

export function claudeSession(folder: string, { secret, other }: { secret: string; other: string }): string {
  const sub = { isSidechain: true, agentId: "a1" };
  fs.mkdirSync(join(folder, "5e55/subagents"), { recursive: true });
  fs.writeFileSync(
    join(folder, "5e55/subagents/agent-a1.jsonl"),
    lines(
      record({ type: "user", message: { role: "user", content: `look with ${secret}` } }, 0, sub),
      record(
        {
          type: "assistant",
          message: { id: "m9", role: "assistant", model: "x", content: [{ type: "text", text: "done" }] },
        },
        1,
        sub,
      ),
    ),
  );
  const path = join(folder, "5e55.jsonl");
  fs.writeFileSync(
    path,
    lines(
      record({ type: "user", message: { role: "user", content: `deploy with ${secret}` } }, 0),
      record(
        {
          type: "assistant",
          message: {
            id: "m1",
            role: "assistant",
            model: "x",
            content: [
              {
                type: "tool_use",
                id: "t1",
                name: "Write",
                input: { file_path: "/home/ana/app/.env", content: `DB_PASSWORD=${other}\n` },
              },
              {
                type: "tool_use",
                id: "t2",
                name: "Task",
                input: { description: "look", prompt: `look with ${secret}` },
              },
            ],
          },
        },
        1,
      ),
      record(
        {
          type: "user",
          message: {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "t1", content: `wrote ${secret}` }],
          },
          toolUseResult: {
            type: "create",
            filePath: "/home/ana/app/.env",
            content: `DB_PASSWORD=${other}\n`,
            structuredPatch: [],
          },
        },
        2,
      ),
      record(
        {
          type: "user",
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "done" }] },
          toolUseResult: { status: "completed", agentId: "a1", content: [{ type: "text", text: "done" }] },
        },
        3,
      ),
    ),
  );
  return path;
}
