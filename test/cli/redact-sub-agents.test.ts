// Secrets that the runs of one log share: what a sub-agent was shown is masked in its parent's pack, and what
// the parent was shown in the sub-agent's.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackResult } from "../../src/results/results.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { lines } from "../../dev/intake.js";

const session = "7e57ab1e-0000-4000-8000-000000000002";
const secret = "Xk29fLqZ81mPvR3tY7wB";
const other = "Zt48cHwN52gKbD6sJ1qV";

/** Writes records of a session of Claude Code; those of a sub-agent name it. */
function recorder(prefix: string, fields: object): (type: string, message: object, more?: object) => object {
  let count = 0;
  return (type, message, more = {}) => ({
    type,
    uuid: `${prefix}${++count}`,
    parentUuid: count === 1 ? null : `${prefix}${count - 1}`,
    sessionId: session,
    timestamp: new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString(),
    cwd: "/home/ana/app",
    message: {
      role: type,
      ...(type === "assistant" ? { id: `${prefix}${count}`, model: "x" } : {}),
      ...message,
    },
    ...fields,
    ...more,
  });
}

interface Family {
  /** What the parent prints before it starts the sub-agent, and what the sub-agent prints. */
  parent?: string;
  sub?: string;
  /** What the parent passes on, and what the sub-agent reports. */
  prompt?: string;
  report?: string;
}

const call = (id: string, name: string, input: object): object => ({
  content: [{ type: "tool_use", id, name, input }],
});
const result = (id: string, text: string): object => ({
  content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text }] }],
});

/** Packs a session whose sub-agent has a log of its own; returns the result and all bytes of the store. */
async function pack({ parent, sub, prompt = "Look around", report = "Done" }: Family): Promise<{
  done: PackResult;
  stored: string;
}> {
  const { folder } = tempStore();
  const main = recorder("m", {});
  const agent = recorder("a", { isSidechain: true, agentId: "abc123" });
  const printing = (record: typeof main, id: string, text: string | undefined): object[] =>
    text === undefined
      ? []
      : [
          record("assistant", call(id, "Bash", { command: "pass show db" })),
          record("user", result(id, text)),
        ];
  fs.mkdirSync(join(folder, "main", "subagents"), { recursive: true });
  fs.writeFileSync(
    join(folder, "main.jsonl"),
    lines(
      main("user", { content: "go" }),
      ...printing(main, "p1", parent),
      main("assistant", call("t1", "Task", { description: "look", prompt, subagent_type: "x" })),
      main("user", result("t1", report), { toolUseResult: { status: "completed", agentId: "abc123" } }),
      main("assistant", { content: [{ type: "text", text: `It says: ${report}` }] }),
    ),
  );
  fs.writeFileSync(
    join(folder, "main", "subagents", "agent-abc123.jsonl"),
    lines(
      agent("user", { content: prompt }),
      ...printing(agent, "s1", sub),
      agent("assistant", { content: [{ type: "text", text: report }] }),
    ),
  );
  const { status, stdout, stderr } = await cli(["pack", "main.jsonl", "--json", "--no-sidecars"], { folder });
  expect(status, stderr).toBe(0);
  const stored = fs
    .readdirSync(join(folder, ".ctx"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
  return { done: JSON.parse(stdout) as PackResult, stored };
}

describe("secrets of a run and its sub-agents", () => {
  it("redact: what a sub-agent was shown is masked in its parent's pack, which was read before", async () => {
    const { done, stored } = await pack({ sub: secret, report: `It printed ${secret}` });
    expect(stored).not.toContain(secret);
    expect(done.redactions?.rules).toEqual({ "printed-secret": { secrets: 1, count: 3 } });
    expect(Object.keys(done.redactions?.places ?? {})).toContain("outputs[0].content");
    expect(stored).toContain("It says: It printed [REDACTED:printed-secret:1]");
  });

  it("redact: what a run was shown is masked in the pack of its sub-agent", async () => {
    const { stored } = await pack({ parent: secret, prompt: `Try ${secret} on the staging host` });
    expect(stored).not.toContain(secret);
    expect(stored).toContain("Try [REDACTED:printed-secret:1] on the staging host");
  });

  it("redact: secrets that runs do not share leave the numbers of each other's alone", async () => {
    const { done, stored } = await pack({ parent: secret, sub: other });
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(other);
    expect(done.redactions?.rules).toEqual({ "printed-secret": { secrets: 1, count: 1 } });
    expect(stored).not.toContain("[REDACTED:printed-secret:2]");
  });

  it("redact: a content that holds a secret of its own and one of a sub-agent has both masked", async () => {
    const { done, stored } = await pack({ parent: secret, sub: other, report: `${secret} and ${other}` });
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(other);
    expect(stored).toContain("It says: [REDACTED:printed-secret:1] and [REDACTED:printed-secret:2]");
    expect(done.redactions?.places["outputs[0].content"]).toEqual({ "printed-secret": 2 });
  });
});
