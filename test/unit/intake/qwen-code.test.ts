import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../src/intake/formats/claude-code/format.js";
import { qwenCode } from "../../../src/intake/formats/qwen-code/format.js";
import { tempFolder } from "../../../dev/folders.js";
import { fits, lines } from "../../../dev/intake.js";
import { partsOf, readRun } from "../../../dev/read-run.js";
import { qwenCodeSpecimens } from "../../../dev/specimens/qwen-code.js";

let count = 0;
const record = (type: string, more: object) => ({
  uuid: `u${++count}`,
  parentUuid: null,
  sessionId: "s",
  timestamp: `2026-08-17T12:00:${String(count % 60).padStart(2, "0")}.000Z`,
  type,
  cwd: "/home/ann/proj",
  version: "0.21.0",
  gitBranch: "main",
  ...more,
});
const user = (text: string, more: object = {}) =>
  record("user", { message: { role: "user", parts: [{ text }] }, ...more });
const model = (parts: unknown[], more: object = {}) =>
  record("assistant", { model: "qwen-x", message: { role: "model", parts }, ...more });
const system = (subtype: string, systemPayload: object = {}, more: object = {}) =>
  record("system", { subtype, systemPayload, ...more });
const result = (id: string, response: object, toolCallResult: object = {}) =>
  record("tool_result", {
    message: { role: "user", parts: [{ functionResponse: { id, name: "x", response } }] },
    toolCallResult: { callId: id, ...toolCallResult },
  });
const call = (id: string, name: string, args: object) => ({ functionCall: { id, name, args } });
const read = (...records: object[]) => readRun(qwenCode, lines(...records));

describe("a session of Qwen Code", () => {
  it("Qwen Code: a session is recognised, and is not taken for one of Claude Code", () => {
    const log = lines(user("hi"), model([{ text: "ho" }]));
    expect(fits(qwenCode, log)).toBe(true);
    expect(fits(claudeCode, log)).toBe(false);
    expect(fits(qwenCode, lines(system("ui_telemetry")))).toBe(true);
    expect(fits(qwenCode, lines({ type: "user", uuid: "u", message: { role: "user", content: "x" } }))).toBe(
      false,
    );
  });

  it("Qwen Code: a session is read in its order", () => {
    const { steps, prompts, run, source, metadata, usage, coverage, outputs, inputs } = read(
      system("slash_command", { phase: "invocation", rawCommand: "/about" }),
      system("ui_telemetry"),
      user("write a.txt"),
      model(
        [
          { text: "Let me think.", thought: true },
          { text: "I write." },
          call("c1", "write_file", { file_path: "/home/ann/proj/a.txt", content: "hello" }),
          call("c2", "run_shell_command", { command: "x" }),
        ],
        {
          usageMetadata: {
            promptTokenCount: 10,
            candidatesTokenCount: 6,
            thoughtsTokenCount: 2,
            totalTokenCount: 16,
          },
        },
      ),
      result("c2", { output: "Output: no\nExit Code: 1" }, { status: "success" }),
      result(
        "c1",
        { output: "ok" },
        { status: "success", resultDisplay: { originalContent: "old", newContent: "hello", fileDiff: "" } },
      ),
      system("custom_title", { customTitle: "Writes" }),
    );
    expect(prompts).toEqual(["write a.txt"]);
    expect(
      steps.map(({ type, tool, output, metadata: about }) => [type, tool, output, about["status"]]),
    ).toEqual([
      ["context", undefined, "/about", undefined],
      ["reasoning", undefined, "Let me think.", undefined],
      ["message", undefined, "I write.", undefined],
      ["tool_call", "write_file", "ok", "ok"],
      ["tool_call", "run_shell_command", "no", "error"],
    ]);
    expect(run.model.identifier).toBe("qwen-x");
    expect(run.environment.tool_versions).toEqual({ "qwen-code": "0.21.0" });
    expect(source).toEqual({ format: "qwen-code", session: "s", version: "0.21.0" });
    expect(metadata).toMatchObject({ workdir: "/home/ann/proj", git: { branch: "main" }, title: "Writes" });
    expect(usage).toMatchObject({
      requests: 1,
      input_tokens: 10,
      output_tokens: 6,
      reasoning_output_tokens: 2,
    });
    expect([inputs, outputs]).toMatchObject([{ "a.txt": "old" }, { "a.txt": "hello" }]);
    expect(coverage["left_out"]).toEqual({ "system/ui_telemetry": 1 });
  });

  it("Qwen Code: rewound steps are abandoned, and compactions are marked", () => {
    const first = user("one");
    const { steps, contexts } = read(
      first,
      model([{ text: "1" }]),
      system("rewind", { truncatedCount: 2 }, { parentUuid: first.uuid }),
      user("two"),
      system("chat_compression", { compressedHistory: [] }),
      user("done: task 3", { subtype: "notification" }),
    );
    expect(steps[0]?.metadata["abandoned"]).toBe(true);
    expect(contexts).toEqual([
      ["compaction", ""],
      ["notification", "done: task 3"],
    ]);
  });

  it("Qwen Code: copied records count once, and unknown kinds are counted (trap 14)", () => {
    const one = user("one");
    const { prompts, coverage } = read(one, one, system("dream"), record("poem", {}));
    expect(prompts).toEqual(["one"]);
    expect(coverage).toMatchObject({ duplicates: 1, skipped: { poem: 1, "system/dream": 1 } });
  });

  it("Qwen Code: the source records a sub-agent and the session of a branch", () => {
    const { source } = read(
      user("x", {
        isSidechain: true,
        agentId: "explore-1",
        forkedFrom: { sessionId: "p", messageUuid: "m" },
      }),
    );
    expect(source).toMatchObject({ subagent: "explore-1", forked_from: { session: "p", message: "m" } });
  });

  it("Qwen Code: sub-agents in files of their own are packs, linked to the calls that started them", () => {
    const project = tempFolder();
    const beside = (name: string, text: string): void => {
      const path = join(project, "subagents/s", name);
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, text);
    };
    const path = join(project, "chats/s.jsonl");
    const asked = { description: "look", prompt: "look closely" };
    const own = { isSidechain: true, agentId: "explore-c" };
    const inner = { isSidechain: true, agentId: "inner-d" };
    beside(
      "agent-explore-c.jsonl",
      lines(user("look closely", own), model([call("d", "agent", asked)], own), user("more", own)),
    );
    beside("agent-explore-c.meta.json", JSON.stringify({ toolUseId: "c", parentAgentId: null }));
    beside("agent-inner-d.jsonl", lines(user("inside", inner)));
    beside("agent-inner-d.meta.json", JSON.stringify({ toolUseId: "d", parentAgentId: "explore-c" }));
    beside("agent-stray.jsonl", lines(user("alone", { isSidechain: true, agentId: "stray" })));
    const log = lines(user("x"), model([call("c", "agent", asked)]), result("c", { output: "done" }));
    const { calls, subs, metadata, ...taken } = readRun(qwenCode, log, { path });
    expect(subs.map(({ agent, call: by }) => [agent, by])).toEqual([
      ["inner-d", "d"],
      ["explore-c", "c"],
      ["stray", undefined],
    ]);
    expect(calls[0]?.pack).toMatch(/0002$/);
    expect(metadata["subagents"]).toEqual([{ agent: "stray", pack: expect.stringMatching(/0003$/) }]);
    const [, outer] = subs.map(({ run }) => partsOf(taken, run));
    expect(outer?.source).toMatchObject({ session: "s", subagent: "explore-c" });
    expect(outer?.prompts).toEqual(["look closely", "more"]);
    expect(outer?.calls[0]?.pack).toMatch(/0001$/);
    expect(readRun(qwenCode, log, { path: join(project, "chats/other.jsonl") }).subs).toEqual([]);
  });

  it("Qwen Code: sub-agents are not looked for behind links or in files of any other name", () => {
    const project = tempFolder();
    fs.mkdirSync(join(project, "subagents/s"), { recursive: true });
    fs.writeFileSync(join(project, "secret.jsonl"), lines(user("secret")));
    fs.writeFileSync(join(project, "agent-x.jsonl"), lines(user("secret")));
    fs.symlinkSync(join(project, "secret.jsonl"), join(project, "subagents/s/agent-linked.jsonl"));
    for (const name of ["s.jsonl", "...jsonl"])
      expect(readRun(qwenCode, lines(user("x")), { path: join(project, "chats", name) }).subs).toEqual([]);
  });

  it("Qwen Code: records of any shape do not crash the reader", () => {
    expect(
      read({ type: "user", uuid: 1, message: { parts: [null, 3, {}] } }, record("assistant", { message: [] }))
        .prompts,
    ).toEqual([]);
  });
});

it("Qwen Code: the specimens are recognised, small and undamaged", () => {
  for (const specimen of qwenCodeSpecimens) {
    expect(fits(qwenCode, specimen)).toBe(true);
    expect(specimen.length).toBeLessThan(6000);
    expect(readRun(qwenCode, specimen).coverage).not.toHaveProperty("damaged");
  }
});
