// Streams of several commands in one file: each session is a run.
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../../src/intake/recognise.js";
import type { Format } from "../../../src/intake/format.js";
import { lines, readForeign } from "../../../dev/intake.js";

const claude = (session: string, id: string) => [
  { type: "system", subtype: "init", session_id: session, cwd: "/p", tools: [], model: "m" },
  {
    type: "assistant",
    session_id: session,
    message: {
      id,
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: `t${id}`, name: "Read", input: {} }],
    },
  },
  {
    type: "user",
    session_id: session,
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: `t${id}`, content: "x" }] },
  },
  {
    type: "result",
    subtype: "success",
    session_id: session,
    result: "Done.",
    num_turns: 1,
    total_cost_usd: 1,
  },
];
const gemini = (session: string, id: string) => [
  { type: "init", session_id: session, model: "m" },
  { type: "tool_use", tool_id: id, tool_name: "read_file", parameters: {} },
  { type: "tool_result", tool_id: id, status: "success", output: "x" },
];
const codex = (session: string, id: string) => [
  { type: "thread.started", thread_id: session },
  {
    type: "item.completed",
    item: {
      id,
      type: "command_execution",
      command: "ls",
      aggregated_output: "x",
      exit_code: 0,
      status: "completed",
    },
  },
];
const older = (session: string, id: string) => [
  { workdir: "/p", model: "m", provider: "openai", approval: "never", sandbox: "read-only" },
  { prompt: `Go ${session}.` },
  { id: "0", msg: { type: "exec_command_begin", call_id: id, command: ["ls"], cwd: "/p" } },
  { id: "0", msg: { type: "exec_command_end", call_id: id, stdout: "x", stderr: "", exit_code: 0 } },
];

function fieldOf(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[name];
}

function read(name: string, ...records: object[]) {
  const { runs, coverage } = readForeign(formatNamed(name) as Format, lines(...records));
  return runs.map(({ steps = [], metadata }) => ({
    calls: steps.filter(({ type }) => type === "tool_call").length,
    session: fieldOf(metadata?.["source"], "session"),
    records: fieldOf(metadata?.["coverage"], "records"),
    all: coverage.records,
  }));
}

describe("streams with several sessions", () => {
  it.each([
    ["claude-stream-json", claude],
    ["gemini-stream-json", gemini],
    ["codex-exec-json", codex],
  ])("streams: two sessions in one file of %s are two runs", (name, make) => {
    const count = make("a", "1").length;
    expect(read(name, ...make("a", "1"), ...make("b", "2"))).toEqual([
      { calls: 1, session: "a", records: count, all: count },
      { calls: 1, session: "b", records: count, all: count },
    ]);
    // A session that goes on in the same file is one.
    expect(read(name, ...make("a", "1"), ...make("a", "2"))).toMatchObject([{ session: "a", calls: 2 }]);
  });

  it("streams: two runs of the older codex exec in one file are two runs", () => {
    expect(read("codex-exec-json", ...older("a", "1"), ...older("b", "1")).map(({ calls }) => calls)).toEqual(
      [1, 1],
    );
  });

  it("streams: what names no session belongs to the one before, and at the beginning to the first", () => {
    const [init = {}, ...rest] = claude("a", "1");
    const hook = { type: "system", subtype: "hook_started", session_id: "other" };
    const event = { type: "stream_event", event: {} };
    expect(read("claude-stream-json", hook, init, event, ...rest, event, ...claude("b", "2"))).toMatchObject([
      { session: "a", calls: 1, records: 7 },
      { session: "b", calls: 1, records: 4 },
    ]);
  });
});
