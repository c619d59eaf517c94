import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ExactInteger } from "../../../src/base/json/value.js";
import { claudeCode } from "../../../src/intake/formats/claude-code/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { tempFolder } from "../../../dev/folders.js";
import { fits, lines, type ForeignRuns, readForeign } from "../../../dev/intake.js";

let count = 0;
/** Returns a record as Claude Code writes it, a second after the one before. */
function record(type: string, rest: object = {}): Record<string, unknown> {
  count++;
  return {
    type,
    uuid: `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`,
    parentUuid: null,
    sessionId: "5e551011-0000-4000-8000-000000000001",
    timestamp: new Date(Date.UTC(2026, 1, 1, 10, 0, count % 3600)).toISOString(),
    cwd: "/home/ana/repo",
    gitBranch: "main",
    version: "2.1.40",
    isSidechain: false,
    userType: "external",
    ...rest,
  };
}

function user(content: unknown, rest: object = {}): object {
  return record("user", { message: { role: "user", content }, ...rest });
}

/** Returns one block of a message; several records may be one message. */
function assistant(block: object, id = "msg_1", rest: object = {}): object {
  const usage = { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 100 };
  return record("assistant", {
    requestId: "req_1",
    message: {
      id,
      model: "claude-x-1",
      role: "assistant",
      content: [block],
      stop_reason: null,
      usage,
      ...rest,
    },
  });
}

function call(id: string, name: string, input: object = {}, message = "msg_1"): object {
  return assistant({ type: "tool_use", id, name, input }, message);
}

function result(id: string, content: unknown, structured?: unknown, rest: object = {}): object {
  return user(
    [{ type: "tool_result", tool_use_id: id, content, ...rest }],
    structured === undefined ? {} : { toolUseResult: structured },
  );
}

function read(...records: object[]): ForeignRuns & { run: ExecutionLog; steps: string[] } {
  const taken = readForeign(claudeCode, lines(...records));
  const run = taken.runs[0] as ExecutionLog;
  const steps = (run.steps ?? []).map((step) =>
    [step.type, step.tool, step.metadata?.["status"] as string | undefined, taken.text(step.output)]
      .filter((part) => part !== undefined)
      .join(" | "),
  );
  return { ...taken, run, steps };
}

function metadata({ run }: { run: ExecutionLog }): Record<string, unknown> {
  return run.metadata as Record<string, unknown>;
}

describe("Claude Code transcripts", () => {
  it("Claude Code: transcripts are recognised by their records, whatever comes first", () => {
    expect(
      fits(claudeCode, lines({ type: "file-history-snapshot", messageId: "m", snapshot: {} }, user("hi"))),
    ).toBe(true);
    expect(fits(claudeCode, lines({ type: "summary", summary: "s", leafUuid: "l" }))).toBe(true);
    expect(fits(claudeCode, `\ufeff${lines(user("hi"))}`)).toBe(true);
    expect(fits(claudeCode, lines(user(`long ${"x".repeat(400_000)}`)))).toBe(true);
    expect(fits(claudeCode, `not a record\n${lines(user("hi"))}`)).toBe(true);
    expect(
      fits(claudeCode, lines({ type: "user", message: { role: "user", content: "hi" }, session_id: "s" })),
    ).toBe(false);
  });

  it("Claude Code: results go to calls by id, whatever the chain of parents says (trap 2)", () => {
    const { steps, run } = read(
      user("fix the test"),
      call("toolu_1", "Read", { file_path: "/home/ana/repo/t.js" }),
      call("toolu_2", "Bash", { command: "npm t" }),
      result("toolu_2", "Exit code 1\nboom", "Error: Exit code 1\nboom", { is_error: true }),
      result("toolu_1", "     1\u2192a", {
        type: "text",
        file: { filePath: "/home/ana/repo/t.js", content: "a\n", numLines: 2, startLine: 1, totalLines: 2 },
      }),
      call("toolu_3", "Bash", { command: "ls" }, "msg_2"),
    );
    expect(steps).toEqual([
      "tool_call | Read | ok | a\n",
      "tool_call | Bash | error | boom",
      "tool_call | Bash | unanswered",
    ]);
    const [first, second, third] = run.steps ?? [];
    expect(first?.metadata).toMatchObject({ turn: 0, call_id: "toolu_1", parallel: "msg_1" });
    expect(second?.metadata).toMatchObject({ parallel: "msg_1", exit_code: 1 });
    expect(third?.metadata).not.toHaveProperty("parallel");
    expect([first?.deterministic, second?.deterministic]).toEqual([true, false]);
  });

  it("Claude Code: what the model saw is kept if it differs from what the tool returned", () => {
    const { run, text } = read(
      user("go"),
      call("a", "Bash", { command: "cat big" }),
      result("a", "<persisted-output>\npreview", { stdout: "all of it", stderr: "warn", interrupted: false }),
      call("b", "mcp__notes__get", {}, "msg_2"),
      result("b", [{ type: "text", text: "one" }], [{ type: "text", text: "one" }]),
    );
    const [bash, notes] = run.steps ?? [];
    expect([text(bash?.output), text(bash?.seen)]).toEqual([
      "all of it\nwarn",
      "<persisted-output>\npreview",
    ]);
    expect([text(notes?.output), notes?.seen]).toEqual(["one", undefined]);
  });

  it("Claude Code: prompts are distinguished from text that the client injected", () => {
    const { run, steps, text } = read(
      user("Caveat: …", { isMeta: true }),
      user("<command-name>/model</command-name>"),
      user("<local-command-stdout>set</local-command-stdout>"),
      user([
        { type: "text", text: "<ide_opened_file>a.ts</ide_opened_file>" },
        { type: "text", text: "first" },
      ]),
      record("attachment", { attachment: { type: "queued_command", prompt: "second, while busy" } }),
      record("attachment", {
        attachment: {
          type: "nested_memory",
          path: "/home/ana/repo/CLAUDE.md",
          content: { path: "/home/ana/repo/CLAUDE.md", type: "Project", content: "be kind" },
        },
      }),
      user("This session is being continued", { isCompactSummary: true }),
      record("system", {
        subtype: "compact_boundary",
        content: "Conversation compacted",
        compactMetadata: { trigger: "auto", preTokens: 9 },
      }),
      assistant({ type: "text", text: "done" }),
    );
    expect((run.prompts ?? []).map(({ content }) => text(content))).toEqual(["first", "second, while busy"]);
    expect((run.steps ?? []).map((step) => step.metadata?.["kind"])).toEqual([
      "meta",
      "command",
      "command_output",
      "ide",
      "nested_memory",
      "summary",
      "compaction",
      undefined,
    ]);
    expect(steps.at(-1)).toBe("message | done");
    expect(run.inputs).toMatchObject([{ name: "CLAUDE.md" }]);
  });

  it("Claude Code: the records of a message are one message, whose usage counts once", () => {
    const taken = read(
      user("go"),
      assistant({ type: "thinking", thinking: "hm", signature: "b64" }, "msg_1", {
        usage: { input_tokens: 3, output_tokens: 5 },
      }),
      assistant({ type: "text", text: "so" }, "msg_1", { usage: { input_tokens: 3, output_tokens: 114 } }),
      assistant({ type: "redacted_thinking", data: "x" }, "msg_2", {
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
      assistant({ type: "text", text: "API Error" }, "msg_3", {
        model: "<synthetic>",
        usage: { output_tokens: 0 },
      }),
      assistant({ type: "text", text: "other" }, "msg_4", {
        model: "claude-y-2",
        usage: { output_tokens: 2 },
      }),
    );
    expect(taken.steps).toEqual([
      "reasoning | hm",
      "message | so",
      "reasoning",
      "context | API Error",
      "message | other",
    ]);
    expect(metadata(taken)["usage"]).toMatchObject({ requests: 4, input_tokens: 4, output_tokens: 117 });
    expect(taken.run.model.identifier).toBe("claude-y-2");
    expect(metadata(taken)["models"]).toEqual(["claude-x-1", "claude-y-2"]);
    expect((taken.run.steps ?? []).map((step) => step.metadata?.["model"])).toEqual([
      "claude-x-1",
      undefined,
      undefined,
      undefined,
      "claude-y-2",
    ]);
  });

  it("Claude Code: files before their first change are inputs, and changed files are outputs", () => {
    const taken = read(
      user("go"),
      call("a", "Edit", { file_path: "/home/ana/repo/src/a.ts", old_string: "one", new_string: "$& two" }),
      result("a", "updated", {
        filePath: "/home/ana/repo/src/a.ts",
        oldString: "one",
        newString: "$& two",
        originalFile: "one one\n",
        structuredPatch: [],
        userModified: false,
        replaceAll: false,
      }),
      call("b", "Edit", {
        file_path: "/home/ana/repo/src/a.ts",
        old_string: "one",
        new_string: "1",
        replace_all: true,
      }),
      result("b", "updated", {
        filePath: "/home/ana/repo/src/a.ts",
        oldString: "one",
        newString: "1",
        originalFile: "$& two one\n",
        replaceAll: true,
      }),
      call("c", "Write", { file_path: "/etc/new", content: "x" }),
      result("c", "created", {
        type: "create",
        filePath: "/etc/new",
        content: "x",
        structuredPatch: [],
        originalFile: null,
      }),
      call("d", "Read", { file_path: "/home/ana/repo/part", limit: 1 }),
      result("d", "1\u2192x", {
        type: "text",
        file: { filePath: "/home/ana/repo/part", content: "x", numLines: 1, startLine: 1, totalLines: 9 },
      }),
      call("e", "Edit", { file_path: "/home/ana/repo/lost", old_string: "a", new_string: "b" }),
      result("e", "updated", {
        filePath: "/home/ana/repo/lost",
        oldString: "a",
        newString: "b",
        originalFile: null,
      }),
      call("f", "Edit", { file_path: "/home/ana/repo/no", old_string: "a", new_string: "b" }),
      result("f", "<tool_use_error>no</tool_use_error>", "Error: no", { is_error: true }),
      assistant({ type: "text", text: "Done." }),
    );
    const named = (list: ExecutionLog["inputs"]): unknown =>
      Object.fromEntries((list ?? []).map(({ name, content }) => [name, taken.text(content)]));
    expect(named(taken.run.inputs)).toEqual({ "src/a.ts": "one one\n" });
    expect(named(taken.run.outputs)).toEqual({
      "src/a.ts": "$& two 1\n",
      ".outside/etc/new": "x",
      ".answer.md": "Done.",
    });
    expect(metadata(taken)["coverage"]).toMatchObject({
      unknown: ["the content of 1 changed file at the end", "the system prompt (not recorded)"],
    });
  });

  it("Claude Code: refused and interrupted calls have their status", () => {
    const { steps } = read(
      user("go"),
      call("a", "Bash", { command: "rm -rf /" }),
      result("a", "The user doesn't want to proceed with this tool use.", "User rejected tool use", {
        is_error: true,
      }),
      call("b", "Bash", { command: "sleep 9" }, "msg_2"),
      result("b", "", { stdout: "", stderr: "", interrupted: true }),
      call("c", "Bash", { command: "sleep 9" }, "msg_3"),
      user([{ type: "text", text: "[Request interrupted by user for tool use]" }]),
      result("nobody", "late"),
    );
    expect(steps).toEqual([
      "tool_call | Bash | denied | The user doesn't want to proceed with this tool use.",
      "tool_call | Bash | interrupted | ",
      "tool_call | Bash | interrupted",
      "context | [Request interrupted by user for tool use]",
      "tool_result | ok | late",
    ]);
  });

  it("Claude Code: steps that the user went back from are abandoned, and copied records are left out", () => {
    const first = record("user", {
      parentUuid: "00000000-0000-4000-8000-aaaaaaaaaaaa",
      message: { role: "user", content: "one way" },
    });
    const answer = assistant({ type: "text", text: "so" });
    const second = record("user", {
      parentUuid: "00000000-0000-4000-8000-aaaaaaaaaaaa",
      message: { role: "user", content: "the other" },
    });
    const taken = read(first, answer, answer, second, assistant({ type: "text", text: "else" }, "msg_9"));
    expect(
      (taken.run.steps ?? []).map((step) => [step.metadata?.["abandoned"], step.metadata?.["turn"]]),
    ).toEqual([
      [true, 0],
      [undefined, 1],
    ]);
    expect(metadata(taken)["coverage"]).toMatchObject({ duplicates: 1 });
  });

  it("Claude Code: a run records folder, branch and version, and steps record changes of them", () => {
    const taken = read(
      user("go"),
      record("custom-title", { customTitle: "Mine" }),
      record("ai-title", { aiTitle: "Its" }),
      record("pr-link", { prUrl: "https://example.org/pr/1" }),
      assistant({ type: "text", text: "a" }),
      { ...assistant({ type: "text", text: "b" }), cwd: "/home/ana/repo/sub", gitBranch: "topic" },
    );
    expect(metadata(taken)).toMatchObject({
      source: { format: "claude-code", session: "5e551011-0000-4000-8000-000000000001", version: "2.1.40" },
      workdir: "/home/ana/repo",
      git: { branch: "main" },
      title: "Mine",
      pull_requests: ["https://example.org/pr/1"],
    });
    expect(taken.run.steps?.[1]?.metadata).toMatchObject({ cwd: "/home/ana/repo/sub", branch: "topic" });
    expect(taken.run.environment).toEqual({
      os: "unknown",
      runtime: "unknown",
      tool_versions: { "claude-code": "2.1.40" },
    });
    expect(taken.run.created).toBe((taken.run.steps ?? []).at(-1)?.timestamp);
  });

  it("Claude Code: the system prompt is kept if a newer version records it", () => {
    const taken = read(
      record("attachment", {
        attachment: { type: "system", systemPrompt: ["You are", "kind."], tools: [{ name: "Bash" }] },
      }),
      user("go"),
    );
    expect(taken.text(taken.run.system_prompt)).toBe("You are\n\nkind.");
    expect(metadata(taken)["tools"]).toEqual(["Bash"]);
  });

  it("Claude Code: unknown, damaged, incomplete and replaced records are counted", () => {
    const good = lines(
      user("go"),
      record("newest-kind"),
      record("progress", { data: { type: "bash_progress" } }),
    );
    const odd = `{"type":"user","uuid":"u-odd","sessionId":"s","message":{"role":"user","content":"half \\ud800 a pair, NUL \\u0000"}}\n`;
    const bytes = Buffer.concat([
      Buffer.from(`\ufeff${good.replaceAll("\n", "\r\n")}\n{"type": broken}\n${odd}`),
      Buffer.from(
        '{"type":"user","uuid":"u-bad","sessionId":"s","message":{"role":"user","content":"bad \xff byte"}}\n',
        "latin1",
      ),
      Buffer.from('{"type":"user","uuid":"cut'),
    ]);
    const taken = readForeign(claudeCode, bytes);
    const [run] = taken.runs;
    expect(run?.metadata?.["coverage"]).toMatchObject({
      records: 5,
      skipped: { "newest-kind": 1 },
      left_out: { "progress/bash_progress": 1 },
      damaged: { count: 1, lines: [{ line: 5, why: "is not valid JSON" }] },
      partial_last_line: true,
      replaced: 2,
    });
    expect((run?.prompts ?? []).map(({ content }) => taken.text(content))).toEqual([
      "go",
      "half \ufffd a pair, NUL \0",
      "bad \ufffd byte",
    ]);
  });

  it("Claude Code: files that edits make larger and larger are not computed", () => {
    const edits = Array.from({ length: 40 }, () => ({
      old_string: "a",
      new_string: "aa",
      replace_all: true,
    }));
    const path = "/home/ana/repo/a.txt";
    const taken = read(
      user("go"),
      call("a", "MultiEdit", { file_path: path, edits }),
      result("a", "updated", { filePath: path, originalFileContents: "aaaa" }),
      call("b", "Read", { file_path: path }),
      result("b", "\n".repeat(300_000)),
    );
    expect(taken.run.outputs).toEqual([]);
    expect(metadata(taken)["coverage"]).toMatchObject({
      unknown: ["the content of 1 changed file at the end", "the system prompt (not recorded)"],
    });
  });

  it("Claude Code: a transcript whose first message is longer than the inspected head is recognised", () => {
    const { uuid, sessionId, timestamp, ...rest } = user("x".repeat(3 << 20)) as Record<string, unknown>;
    const long = { ...rest, sessionId, uuid, timestamp };
    expect(fits(claudeCode, lines({ ...rest, sessionId, message: rest["message"], uuid }))).toBe(true);
    expect(
      fits(claudeCode, lines({ type: "permission-mode", permissionMode: "default", sessionId: "s" }, long)),
    ).toBe(true);
    expect(fits(claudeCode, lines({ type: "mode", mode: "normal" }))).toBe(false);
  });

  it("Claude Code: numbers that no double holds keep all their digits", () => {
    const text = lines(user("go"), call("a", "mcp__db__get", { id: 0 })).replace(
      '"id":0',
      '"id":12345678901234567890',
    );
    const [run] = readForeign(claudeCode, text).runs;
    expect(run?.steps?.[0]?.parameters?.["id"]).toEqual(new ExactInteger("12345678901234567890"));
  });
});

describe("sub-agents of Claude Code", () => {
  const session = "5e551011-0000-4000-8000-000000000001";
  const side = (content: unknown, agentId: string): object => user(content, { isSidechain: true, agentId });
  const started = [
    user("go"),
    call("toolu_t", "Task", { prompt: "look around", subagent_type: "Explore" }),
    result("toolu_t", [{ type: "text", text: "found" }], {
      status: "completed",
      agentId: "a1",
      content: [{ type: "text", text: "found" }],
      totalTokens: 7,
    }),
  ];

  it("Claude Code: sub-agents, also nested ones, are packs named by the call that started them", () => {
    const folder = tempFolder();
    const own = join(folder, session, "subagents");
    fs.mkdirSync(own, { recursive: true });
    const nested = [
      side("look around", "a1"),
      { ...call("toolu_n", "Task", { prompt: "deeper" }), isSidechain: true, agentId: "a1" },
      { ...result("toolu_n", "ok", { agentId: "a2", content: [] }), isSidechain: true, agentId: "a1" },
    ];
    fs.writeFileSync(join(own, "agent-a1.jsonl"), lines(...nested));
    fs.writeFileSync(join(own, "agent-a2.jsonl"), lines(side("deeper", "a2")));
    fs.writeFileSync(join(own, "agent-a3.jsonl"), lines(side("asked by nobody", "a3")));
    fs.writeFileSync(
      join(folder, "agent-other.jsonl"),
      lines({ ...side("x", "other"), sessionId: "another" }),
    );
    fs.symlinkSync("/etc/hostname", join(own, "agent-link.jsonl"));
    const path = join(folder, `${session}.jsonl`);
    const taken = readForeign(claudeCode, lines(...started), { path });
    expect(taken.subs.map(({ agent, call: by }) => [agent, by])).toEqual([
      ["a2", "toolu_n"],
      ["a1", "toolu_t"],
      ["a3", undefined],
    ]);
    const [run] = taken.runs;
    expect(run?.steps?.[0]?.pack).toMatch(/0002$/);
    expect(taken.subs[1]?.run.steps?.[0]?.pack).toMatch(/0001$/);
    expect(taken.subs[1]?.run.metadata?.["source"]).toMatchObject({ session, subagent: "a1" });
    expect(run?.metadata?.["subagents"]).toMatchObject([{ agent: "a3" }]);
  });

  it("Claude Code: sub-agents are found beside the session, and by the file that names their call", () => {
    const folder = tempFolder();
    const path = join(folder, `${session}.jsonl`);
    fs.writeFileSync(join(folder, "agent-old.jsonl"), lines(side("warm up", "old")));
    fs.writeFileSync(join(folder, "agent-meta.jsonl"), lines(side("other words", "meta")));
    fs.writeFileSync(
      join(folder, "agent-meta.meta.json"),
      JSON.stringify({ agentType: "Explore", toolUseId: "toolu_m" }),
    );
    const taken = readForeign(
      claudeCode,
      lines(
        user("go"),
        call("toolu_m", "Agent", { prompt: "x" }),
        call("toolu_o", "Task", { prompt: "warm up" }),
      ),
      { path },
    );
    expect(taken.subs.map(({ agent, call: by }) => [agent, by])).toEqual([
      ["meta", "toolu_m"],
      ["old", "toolu_o"],
    ]);
  });

  it("Claude Code: sub-agents are read from the session itself if their files are missing", () => {
    const progress = record("progress", {
      parentToolUseID: "toolu_t",
      data: {
        type: "agent_progress",
        agentId: "a1",
        message: {
          type: "assistant",
          uuid: "p1",
          message: { id: "m", model: "claude-x-1", content: [{ type: "text", text: "looking" }] },
        },
      },
    });
    const taken = readForeign(claudeCode, lines(...started.slice(0, 2), progress, started[2]));
    expect(taken.subs.map(({ agent, run }) => [agent, run.steps?.length])).toEqual([["a1", 1]]);
    // It works where the session does; its own record does not say so.
    expect(taken.subs[0]?.run.metadata).toMatchObject({ workdir: "/home/ana/repo", git: { branch: "main" } });
    const inline = record("user", {
      isSidechain: true,
      uuid: "side-1",
      message: { role: "user", content: "look around" },
    });
    const answer = record("assistant", {
      isSidechain: true,
      uuid: "side-2",
      parentUuid: "side-1",
      message: { id: "q", model: "claude-x-1", content: [{ type: "text", text: "here" }] },
    });
    const older = readForeign(claudeCode, lines(started[0], started[1], inline, answer));
    expect(older.subs.map(({ call: by, run }) => [by, run.prompts?.length, run.steps?.length])).toEqual([
      ["toolu_t", 1, 1],
    ]);
    expect(older.runs[0]?.steps).toHaveLength(1);
  });

  it("Claude Code: sub-agents are looked for beside any session, but not through links", () => {
    const folder = tempFolder();
    fs.mkdirSync(join(folder, "elsewhere"));
    fs.writeFileSync(join(folder, "elsewhere/agent-a1.jsonl"), lines(side("look around", "a1")));
    fs.mkdirSync(join(folder, "linked"));
    fs.symlinkSync("../elsewhere", join(folder, "linked/subagents"));
    fs.mkdirSync(join(folder, "named/subagents"), { recursive: true });
    fs.writeFileSync(join(folder, "named/subagents/agent-a1.jsonl"), lines(side("look around", "a1")));
    fs.writeFileSync(join(folder, "file"), "");
    const found = (name: string): number =>
      readForeign(claudeCode, lines(...started), { path: join(folder, name) }).subs.length;
    expect(["linked.jsonl", "named.json", "named", "file.jsonl", "file"].map(found)).toEqual([0, 1, 1, 0, 0]);
  });

  it("Claude Code: sub-agents that start each other endlessly are followed up to a limit", () => {
    const folder = tempFolder();
    const own = join(folder, session, "subagents");
    fs.mkdirSync(own, { recursive: true });
    for (let at = 1; at < 300; at++) {
      const next = [
        side(`number ${at}`, `a${at}`),
        { ...call(`toolu_${at}`, "Task", { prompt: "on" }), isSidechain: true, agentId: `a${at}` },
        {
          ...result(`toolu_${at}`, "ok", { agentId: `a${at + 1}`, content: [] }),
          isSidechain: true,
          agentId: `a${at}`,
        },
      ];
      fs.writeFileSync(join(own, `agent-a${at}.jsonl`), lines(...next));
    }
    const taken = readForeign(claudeCode, lines(...started), { path: join(folder, `${session}.jsonl`) });
    expect(taken.subs.length).toBeGreaterThan(60);
    expect(taken.runs[0]?.steps?.[0]?.pack).toBeDefined();
  });

  it("Claude Code: the file of a sub-agent can be packed alone", () => {
    const taken = readForeign(claudeCode, lines(side("look around", "a1")), { path: "/x/agent-a1.jsonl" });
    expect(taken.runs[0]?.prompts).toHaveLength(1);
    expect(taken.runs[0]?.metadata?.["source"]).toMatchObject({ subagent: "a1" });
  });
});
