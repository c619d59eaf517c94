import { describe, expect, it } from "vitest";
import { copilotCli } from "../../../src/intake/formats/copilot-cli/format.js";
import { fits, lines } from "../../../dev/intake.js";
import { partsOf, readRun } from "../../../dev/read-run.js";
import { copilotCliSpecimens } from "../../../dev/specimens/copilot-cli.js";

let count = 0;
const event = (type: string, data: object = {}, more: object = {}) => {
  const id = `e${++count}`;
  const timestamp = `2026-05-01T10:00:${String(count % 60).padStart(2, "0")}.000Z`;
  return { type, data, id, timestamp, parentId: null, ...more };
};
const start = (more: object = {}) =>
  event("session.start", {
    sessionId: "s",
    version: 1,
    producer: "copilot-agent",
    copilotVersion: "1.0.41",
    selectedModel: "gpt-x",
    context: { cwd: "/home/ann/proj", branch: "main", repository: "ann/proj", headCommit: "abc" },
    ...more,
  });
const ask = (toolCallId: string, name: string, args: unknown) => ({
  toolCallId,
  name,
  arguments: args,
  type: "function",
});
const said = (content: string, toolRequests: object[] = [], more: object = {}, top: object = {}) =>
  event("assistant.message", { messageId: `m${count}`, content, toolRequests, ...more }, top);
const begins = (toolCallId: string, toolName: string, args: unknown, more: object = {}) =>
  event("tool.execution_start", { toolCallId, toolName, arguments: args, ...more });
const ends = (toolCallId: string, content: unknown, more: object = {}, top: object = {}) =>
  event("tool.execution_complete", { toolCallId, success: true, result: { content }, ...more }, top);
const user = (content: string, more: object = {}, top: object = {}) =>
  event("user.message", { content, ...more }, top);
const system = (content: string) => event("system.message", { role: "system", content });

const metrics = (input: number, output: number) => ({
  requests: { count: 2 },
  usage: {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: 1,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  },
});

const used = (outputTokens: number) => ({ modelMetrics: { m: { usage: { outputTokens } } } });

const read = (...events: object[]) => readRun(copilotCli, lines(...events));

describe("recognition of Copilot CLI", () => {
  it.each<[string, string]>([
    ["a session", lines(start(), user("hi"))],
    ["a session whose beginning is missing", lines(user("hi"), said("ho"))],
    [
      "printed events",
      lines(event("session.idle"), said("x"), { type: "result", sessionId: "s", exitCode: 0 }),
    ],
  ])("Copilot CLI: the format recognises %s", (_, log) => {
    expect(fits(copilotCli, log)).toBe(true);
  });

  it.each<[string, object]>([
    ["events of Codex", { type: "turn.started" }],
    ["events of a managed Claude agent", { type: "user.message", content: [] }],
    ["other events", { type: "order.created", data: {} }],
    ["only small events of its own", { type: "session.idle", data: {} }],
  ])("Copilot CLI: the format does not recognise %s", (_, record) => {
    expect(fits(copilotCli, lines(record))).toBe(false);
  });
});

describe("a session", () => {
  it("Copilot CLI: a session is read in its order, with each call once", () => {
    const { steps, prompts, run, source, metadata, coverage } = read(
      start(),
      event("hook.start", { hookType: "userPromptSubmitted", input: { prompt: "list" } }),
      user("list", { transformedContent: "<current_datetime>…</current_datetime>\n\nlist", attachments: [] }),
      event("assistant.turn_start", { turnId: "0" }),
      said("I look.", [ask("c1", "bash", { command: "ls" }), ask("c2", "glob", '{"pattern":"*"}')], {
        reasoningText: "Look first.",
        reasoningOpaque: "xyz",
        model: "gpt-y",
      }),
      begins("c1", "bash", { command: "ls" }),
      begins("c2", "glob", { pattern: "*" }),
      ends("c2", "a"),
      ends("c1", "a\n<exited with exit code 0>"),
      said("Done."),
      event("assistant.turn_end", { turnId: "0" }),
    );
    expect(prompts).toEqual(["list"]);
    expect(
      steps.map(({ type, tool, output, metadata: about }) => [type, tool, output, about["status"]]),
    ).toEqual([
      ["context", undefined, "<current_datetime>…</current_datetime>\n\nlist", undefined],
      ["reasoning", undefined, "Look first.", undefined],
      ["message", undefined, "I look.", undefined],
      ["tool_call", "bash", "a", "ok"],
      ["tool_call", "glob", "a", "ok"],
      ["message", undefined, "Done.", undefined],
    ]);
    expect(steps[3]).toMatchObject({
      seen: "a\n<exited with exit code 0>",
      metadata: { exit_code: 0, parallel: steps[4]?.metadata["parallel"] },
    });
    expect(steps[4]?.parameters).toEqual({ pattern: "*" });
    expect(run.model.identifier).toBe("gpt-x");
    expect(metadata["models"]).toEqual(["gpt-y", "gpt-x"]);
    expect(source).toEqual({
      format: "copilot-cli",
      session: "s",
      version: "1.0.41",
      producer: "copilot-agent",
    });
    expect(metadata).toMatchObject({
      workdir: "/home/ann/proj",
      git: { branch: "main", commit: "abc", remote: "ann/proj" },
    });
    expect(coverage["left_out"]).toEqual({
      "assistant.turn_end": 1,
      "assistant.turn_start": 1,
      "hook.start": 1,
    });
  });

  it("Copilot CLI: text that was injected is context, not a prompt (trap 5)", () => {
    const { prompts, contexts } = read(
      start(),
      user("real"),
      user("wake up", { source: "system" }),
      event("system.notification", { content: "<system_notification>task done</system_notification>" }),
      event("skill.invoked", { name: "x", content: "How to" }),
      event("session.error", { errorType: "query", message: "no" }),
      user("see", {
        attachments: [
          { type: "file", path: "/a.txt", displayName: "a.txt" },
          { type: "blob", data: "aGk=", mimeType: "image/png" },
        ],
      }),
    );
    expect(prompts).toEqual(["real", "see"]);
    expect(contexts).toEqual([
      ["system", "wake up"],
      ["notification", "<system_notification>task done</system_notification>"],
      ["skill", "How to"],
      ["error", "no"],
      ["attachment", "/a.txt"],
      ["attachment", "[.attached/1.png]"],
    ]);
  });

  it("Copilot CLI: the system prompt is kept once", () => {
    const { text, run, contexts, coverage } = read(
      start(),
      system("Be good."),
      system("Be good."),
      system("Be better."),
    );
    expect(text(run.system_prompt)).toBe("Be good.");
    expect(contexts).toEqual([["system_prompt", "Be better."]]);
    expect(coverage["duplicates"]).toBe(1);
  });

  it("Copilot CLI: repeated reasoning is kept once, and unreadable reasoning is marked (trap 12)", () => {
    const { steps, coverage } = read(
      start(),
      event("assistant.reasoning", { reasoningId: "r", content: "Hm." }),
      said("a", [], { reasoningText: "Hm." }),
      said("b", [], { encryptedContent: "xx" }),
      event("assistant.reasoning", { reasoningId: "xx", content: "" }),
    );
    expect(steps.map(({ type, output, metadata }) => [type, output, metadata["opaque"]])).toEqual([
      ["reasoning", "Hm.", undefined],
      ["message", "a", undefined],
      ["reasoning", undefined, true],
      ["message", "b", undefined],
    ]);
    expect(coverage["duplicates"]).toBe(1);
  });

  it("Copilot CLI: calls have their status, and unanswered ones are kept (trap 8)", () => {
    const { calls, steps, contexts } = read(
      start(),
      said(
        "",
        ["a", "b", "c", "d", "e"].map((id) => ask(id, "bash", { command: id })),
      ),
      ends("a", "no\n<exited with exit code 2>"),
      ends("b", undefined, {
        success: false,
        error: { code: "denied", message: "The user rejected this tool call." },
      }),
      ends("c", undefined, { success: false, result: undefined, error: "Permission was not given" }),
      ends("gone", "x"),
      event("abort", { reason: "user initiated" }),
      said("", [ask("f", "bash", {})]),
    );
    expect(calls.map(({ metadata, output }) => [metadata["status"], output])).toEqual([
      ["error", "no"],
      ["denied", "The user rejected this tool call."],
      ["error", "Permission was not given"],
      ["interrupted", undefined],
      ["interrupted", undefined],
      ["unanswered", undefined],
    ]);
    expect(steps.filter(({ type }) => type === "tool_result")).toHaveLength(1);
    expect(contexts).toEqual([["interruption", "user initiated"]]);
  });

  it("Copilot CLI: the whole result is kept where the model saw a part (trap 3)", () => {
    const { calls } = read(
      said("", [ask("a", "bash", {}), ask("b", "view", { path: "/a" })]),
      ends("a", "short", { result: { content: "short", detailedContent: "short and long" } }),
      ends("b", "1. x", { result: { content: "1. x", detailedContent: "diff --git a/a b/a and so on" } }),
    );
    expect(calls.map(({ output, seen }) => [output, seen])).toEqual([
      ["short and long", "short"],
      ["1. x", undefined],
    ]);
  });

  it("Copilot CLI: calls that only have a start are read, and exit codes come from blocks of the result", () => {
    const { calls } = read(
      start(),
      begins("a", "bash", { command: "x" }, { mcpServerName: "srv" }),
      event("tool.execution_complete", {
        toolCallId: "a",
        success: true,
        result: { contents: [{ type: "shell_exit", exitCode: 3, outputPreview: "out", shellId: "0" }] },
      }),
      begins("b", "edit", {}),
      event("tool.execution_complete", { toolCallId: "b", success: true }),
    );
    expect(calls[0]).toMatchObject({
      output: "out",
      metadata: { status: "error", exit_code: 3, mcp_server: "srv" },
    });
    expect(calls[1]?.metadata["status"]).toBe("ok");
  });

  it("Copilot CLI: compactions and truncations are marked where they happened (trap 11)", () => {
    const { contexts } = read(
      said("1"),
      event("session.truncation", { performedBy: "x" }),
      event("session.compaction_start", {}),
      event("session.compaction_complete", { success: true, summaryContent: "so far" }),
      event("session.compaction_complete", { success: false, error: "no model" }),
    );
    expect(contexts).toEqual([
      ["truncation", ""],
      ["compaction", ""],
      ["summary", "so far"],
      ["error", "no model"],
    ]);
  });

  it("Copilot CLI: steps that the user went back from are abandoned", () => {
    const second = user("two");
    const { steps } = read(
      user("one"),
      said("1"),
      second,
      said("2"),
      event("session.snapshot_rewind", { upToEventId: second.id, eventsRemoved: 2 }),
      said("3"),
    );
    expect(steps.map(({ metadata }) => metadata["abandoned"] ?? false)).toEqual([false, true, false]);
  });

  it("Copilot CLI: repeated events and events of unknown kinds are counted", () => {
    const twice = user("x");
    const { prompts, coverage } = read(twice, twice, event("dream.had"));
    expect(prompts).toEqual(["x"]);
    expect(coverage).toMatchObject({ duplicates: 1, skipped: { "dream.had": 1 } });
  });
});

describe("files", () => {
  it("Copilot CLI: created and edited files are known at the end", () => {
    const { inputs, outputs } = read(
      start(),
      said("", [
        ask("a", "create", { path: "/home/ann/proj/n.txt", file_text: "one two" }),
        ask("b", "edit", { path: "/home/ann/proj/n.txt", old_str: "two", new_str: "$& three" }),
        ask("c", "edit", { path: "/home/ann/proj/u.txt", old_str: "x", new_str: "y" }),
      ]),
      ends("a", "Created"),
      ends("b", "Updated"),
      ends("c", "Updated"),
    );
    expect(inputs).toEqual({});
    expect(outputs).toEqual({ "n.txt": "one $& three" });
  });
});

describe("tokens", () => {
  it("Copilot CLI: tokens of messages are counted once per request", () => {
    const { usage } = read(
      said("a", [], { outputTokens: 5, apiCallId: "r1" }),
      said("b", [], { outputTokens: 5, apiCallId: "r1" }),
      said("c", [], { outputTokens: 7 }),
    );
    expect(usage).toEqual({ requests: 2, output_tokens: 12 });
  });

  it("Copilot CLI: tokens are those of the session's end if it has them", () => {
    const { usage, metadata } = read(
      start(),
      said("a", [], { outputTokens: 5 }),
      event("session.shutdown", {
        sessionStartTime: 1,
        modelMetrics: { "gpt-x": metrics(10, 5) },
        totalPremiumRequests: 1,
      }),
      event("session.resume", {}),
      event("session.shutdown", {
        sessionStartTime: 1,
        shutdownType: "routine",
        modelMetrics: { "gpt-x": metrics(30, 9) },
      }),
      event("session.shutdown", { sessionStartTime: 2, modelMetrics: { "gpt-y": metrics(1, 1) } }),
    );
    expect(usage).toMatchObject({ input_tokens: 31, output_tokens: 10 });
    expect(metadata).toMatchObject({ outcome: "routine", premium_requests: 1 });
  });
});

describe("sub-agents", () => {
  const inside = { agentId: "agent-1" };
  const session = [
    start(),
    user("go"),
    said("", [ask("t1", "task", { prompt: "explore", agent_type: "explore" })]),
    event(
      "subagent.started",
      { toolCallId: "t1", agentName: "explore", agentDisplayName: "Explore", model: "small" },
      inside,
    ),
    said("", [ask("n1", "grep", { pattern: "x" })], { outputTokens: 3, model: "small" }, inside),
    said("Meanwhile."),
    ends("n1", "found", {}, inside),
    said("Found it.", [], {}, inside),
    event("subagent.completed", { toolCallId: "t1", agentName: "explore", durationMs: 9 }, inside),
    ends("t1", "Found it."),
  ];

  it("Copilot CLI: sub-agents are packs of their own, named by the calls that started them", () => {
    const { subs, calls, steps, usage, ...taken } = read(...session);
    expect(subs.map(({ agent, call }) => [agent, call])).toEqual([["agent-1", "t1"]]);
    expect(calls).toMatchObject([
      { tool: "task", output: "Found it.", pack: expect.stringMatching(/0001$/) },
    ]);
    expect(steps.map(({ type }) => type)).toEqual(["tool_call", "message"]);
    const [sub] = subs.map(({ run }) => partsOf(taken, run));
    expect(sub?.prompts).toEqual(["explore"]);
    expect(sub?.steps.map(({ type, output }) => [type, output])).toEqual([
      ["tool_call", "found"],
      ["message", "Found it."],
    ]);
    expect(sub?.run.model.identifier).toBe("small");
    expect(sub?.source).toMatchObject({ session: "s", subagent: "agent-1" });
    expect([usage, sub?.usage]).toEqual([undefined, { requests: 1, output_tokens: 3 }]);
  });

  it("Copilot CLI: sub-agents of older versions are found by the call that their events name", () => {
    const { subs } = read(
      said("", [ask("t1", "task", {})]),
      said("in", [], { parentToolCallId: "t1" }),
      ends("t1", "x"),
    );
    expect(subs.map(({ agent, call }) => [agent, call])).toEqual([["t1", "t1"]]);
  });

  it("Copilot CLI: sub-agents without recorded events are no packs", () => {
    const { subs, coverage } = read(
      said("", [ask("t1", "task", {})]),
      event("subagent.started", { toolCallId: "t1" }),
    );
    expect(subs).toEqual([]);
    expect(coverage["unknown"]).toContain("what some sub-agents did");
  });

  it("Copilot CLI: sub-agents have the usage that the session's end names, and the session has the rest", () => {
    const { usage, subs } = read(
      ...session,
      event("session.shutdown", { ...used(50), agentMetrics: { main: used(40), "agent-1": used(10) } }),
    );
    expect(usage).toEqual({ output_tokens: 40 });
    expect(subs[0]?.run.metadata?.["usage"]).toEqual({ output_tokens: 10 });
  });
});

describe("hostile logs", () => {
  it("Copilot CLI: events of any shape do not crash the reader", () => {
    const { coverage } = read(
      { type: "user.message", data: { content: {}, attachments: [null, {}] } },
      {
        type: "assistant.message",
        data: { content: [], toolRequests: [1, {}, { toolCallId: "__proto__", name: "x" }] },
      },
      { type: "tool.execution_complete", data: { toolCallId: "__proto__", result: [], error: 3 } },
      { type: "subagent.started", agentId: "a", data: [] },
      { type: "session.shutdown", data: { modelMetrics: [1], agentMetrics: { main: 3 } } },
      { type: "constructor", data: null },
      { type: 3 },
    );
    expect(coverage["skipped"]).toEqual({ "attachment unknown": 1, constructor: 1, unknown: 1 });
  });

  it("Copilot CLI: a sub-agent that started itself is read once", () => {
    const inside = { agentId: "a" };
    const { subs } = read(
      said("", [ask("t", "task", {})], {}, inside),
      event("subagent.started", { toolCallId: "t" }, inside),
    );
    expect(subs).toHaveLength(1);
  });
});

it("Copilot CLI: the specimens are recognised, small and undamaged", () => {
  for (const specimen of copilotCliSpecimens) {
    expect(fits(copilotCli, specimen)).toBe(true);
    expect(specimen.length).toBeLessThan(6000);
    expect(readRun(copilotCli, specimen).coverage).not.toHaveProperty("damaged");
  }
});
