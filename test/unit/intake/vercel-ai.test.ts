import { describe, expect, it } from "vitest";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import { otel } from "../../../src/intake/formats/otel/format.js";
import { vercelAi } from "../../../src/intake/formats/vercel-ai/format.js";
import type { Format } from "../../../src/intake/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import {
  devtoolsRuns,
  modelMessages,
  uiMessages,
  vercelAiSpecimens,
} from "../../../dev/specimens/vercel-ai.js";

type RunSummary = { run: ExecutionLog; steps: unknown[][]; prompts: unknown[]; system: unknown };

function summariesOf(log: string, format: Format = vercelAi): RunSummary[] {
  const { runs, text } = readForeign(format, log);
  return runs.map((run) => ({
    run,
    steps: (run.steps ?? []).map((step) =>
      step.tool === undefined
        ? [step.type, text(step.output)]
        : [step.tool, step.parameters, text(step.output), step.metadata?.["status"]],
    ),
    prompts: (run.prompts ?? []).map((each) => text(each.content)),
    system: text(run.system_prompt),
  }));
}

const summaryOf = (log: string, format?: Format): RunSummary => summariesOf(log, format)[0] as RunSummary;

const call = (id: string, input: unknown): unknown => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "t",
  input,
});

const result = (id: string, value: string): unknown => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: "t", output: { type: "text", value } }],
});

function chat(id: string): unknown {
  return { id, messages: [{ role: "user", parts: [{ type: "text", text: id }] }] };
}

function asking(id: string, input: unknown): unknown {
  return { role: "assistant", content: [call(id, input)] };
}

function saidAt(text: string, createdAt: string): unknown {
  return { role: "user", createdAt, parts: [{ type: "text", text }] };
}

function span(
  id: string,
  parent: string | undefined,
  operation: string,
  attributes: Record<string, unknown>,
): unknown {
  return {
    name: operation,
    traceId: "f",
    id,
    parentId: parent,
    timestamp: `${1777629600000000 + Number(id) * 1000}`,
    attributes: { "ai.operationId": operation, "operation.name": `${operation} chat`, ...attributes },
  };
}

function devtoolsRun(id: string, parent: string): unknown {
  return { id, started_at: "2026-05-01T10:00:00Z", parent_run_id: parent };
}

function devtoolsStep(id: string, of: string): unknown {
  return { id, run_id: of, type: "generate", output: '{"textParts":[{"text":"x"}]}' };
}

describe("Vercel AI SDK", () => {
  it("Vercel AI SDK: model messages have parts of every kind, calls with their results, and session data", () => {
    const { run, steps, prompts, system } = summaryOf(modelMessages);
    expect(system).toBe("Be brief.");
    expect(prompts).toEqual([
      "What is it like?\n[.attached/1.png]\n[.attached/2.txt]\n[https://example.com/b.pdf]",
    ]);
    expect(steps).toEqual([
      ["reasoning", "Look it up."],
      ["message", "I look."],
      ["weather", { in: "Rome" }, "sunny", "ok"],
      ["weather", { in: "Atlantis" }, "no city", "error"],
      ["search", {}, '{"hits":0}', "ok"],
      ["tool_result", '{"t":1}'],
      ["message", "Sunny in Rome."],
    ]);
    expect(run.steps?.map(({ type }) => type)).toContain("server_tool_call");
    expect(run.model).toEqual({ identifier: "model-x", parameters: { temperature: 0.5 } });
    expect(run.metadata).toMatchObject({
      source: { format: "vercel-ai", session: "chat-1" },
      title: "Weather",
      messages: { user: 1, assistant: 2, tool: 1 },
      coverage: { records: 4, unknown: ["some of the reasoning (encrypted, or not recorded)"] },
    });
  });

  it("Vercel AI SDK: UI messages, one per line, are one conversation", () => {
    const { run, steps, prompts } = summaryOf(uiMessages);
    expect(prompts).toEqual(["Go"]);
    expect(steps).toEqual([
      ["reasoning", "Hm."],
      ["read_file", { path: "a" }, "text", "ok"],
      ["bash", { command: "ls" }, "no", "error"],
      ["write", {}, "not now", "denied"],
      ["wait", {}, undefined, "unanswered"],
      ["old", {}, '{"ok":true}', "ok"],
      ["message", "[.attached/1.png]\nDone."],
      ["reasoning", "Old thought."],
      ["message", "Older."],
      ["old", { x: 1 }, undefined, "unanswered"],
      ["message", "[https://example.com/c.png]"],
    ]);
    expect(run.model.identifier).toBe("model-y");
    expect(run.created).toBe("2026-05-01T10:00:09.000Z");
    expect(run.metadata).toMatchObject({
      usage: { requests: 1, input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 2 },
      coverage: { records: 3, left_out: { "part data": 1, "part source-url": 1 } },
    });
  });

  it("Vercel AI SDK: calls of one step were issued together, those of the next step were not", () => {
    const groups = summaryOf(uiMessages).run.steps?.map((step) => step.metadata?.["parallel"]);
    expect(groups?.[1]).toBe(groups?.[2]);
    expect(groups?.[3]).toBe(groups?.[4]);
    expect(groups?.[1]).not.toBe(groups?.[3]);
  });

  it("Vercel AI SDK: DevTools records with JSON within JSON become one run per run that no other one started", () => {
    const all = summariesOf(devtoolsRuns);
    expect(all).toHaveLength(1);
    const [{ run, steps, prompts, system }] = all as [RunSummary];
    expect(system).toBe("Be good.");
    expect(prompts).toEqual(["Ask him"]);
    expect(steps).toEqual([
      ["reasoning", "Hm."],
      ["message", "I ask."],
      ["ask", { q: "x" }, "y", "ok"],
      ["context", "x"],
      ["message", "y"],
    ]);
    expect(run.steps?.[0]?.timestamp).toBe("2026-05-01T10:00:01.400Z");
    expect(run.metadata).toMatchObject({
      source: { session: "r1" },
      agent: "chat",
      tools: ["ask"],
      failed_requests: 1,
      models: ["model-z", "model-s"],
      usage: { requests: 2, input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 1 },
      coverage: { records: 3, left_out: { "field raw_request": 1, "run without steps": 1 } },
    });
  });

  it("Vercel AI SDK: several chats in a list, or one per line, are runs of their own", () => {
    for (const log of [JSON.stringify([chat("a"), chat("b")]), lines(chat("a"), chat("b"))]) {
      expect(fits(vercelAi, log)).toBe(true);
      expect(summariesOf(log).map(({ prompts }) => prompts)).toEqual([["a"], ["b"]]);
    }
  });

  it("Vercel AI SDK: an id that is used again, even with the same input, names another call", () => {
    const { steps } = summaryOf(
      JSON.stringify([
        asking("x", {}),
        result("x", "one"),
        asking("x", {}),
        result("x", "two"),
        asking("x", { a: 1 }),
      ]),
    );
    expect(steps).toEqual([
      ["t", {}, "one", "ok"],
      ["t", {}, "two", "ok"],
      ["t", { a: 1 }, undefined, "unanswered"],
    ]);
  });

  it("Vercel AI SDK: a second result of a call is kept beside the first", () => {
    const { steps } = summaryOf(JSON.stringify([asking("x", {}), result("x", "one"), result("x", "two")]));
    expect(steps).toEqual([
      ["t", {}, "one", "ok"],
      ["tool_result", "two"],
    ]);
  });

  it("Vercel AI SDK: repeated prompts are all kept, in the order of the log", () => {
    const { prompts } = summaryOf(
      JSON.stringify([
        saidAt("on", "2026-05-01T10:00:09Z"),
        saidAt("on", "2026-05-01T10:00:01Z"),
        saidAt("off", "2026-05-01T10:00:05Z"),
      ]),
    );
    expect(prompts).toEqual(["on", "on", "off"]);
  });

  it("Vercel AI SDK: telemetry spans of older versions are read as OpenTelemetry", () => {
    const log = lines(
      span("1", undefined, "ai.generateText", {
        "ai.prompt": '{"prompt":"Go"}',
        "ai.telemetry.functionId": "chat",
        "ai.usage.promptTokens": 99,
      }),
      span("2", "1", "ai.generateText.doGenerate", {
        "ai.model.id": "model-x",
        "ai.settings.temperature": 0.5,
        "ai.prompt.messages":
          '[{"role":"system","content":"Be good."},{"role":"user","content":[{"type":"text","text":"Go"}]}]',
        "ai.prompt.tools": ['{"type":"function","name":"look"}'],
        "ai.response.text": "I look.",
        "ai.response.reasoning": "Hm.",
        "ai.response.toolCalls":
          '[{"toolCallType":"function","toolCallId":"c","toolName":"look","args":"{\\"at\\":1}"}]',
        "ai.usage.promptTokens": 7,
        "ai.usage.completionTokens": 2,
      }),
      span("3", "1", "ai.toolCall", {
        "ai.toolCall.id": "c",
        "ai.toolCall.name": "look",
        "ai.toolCall.args": '{"at":1}',
        "ai.toolCall.result": '"seen"',
      }),
      span("4", "1", "ai.embed", {}),
    );
    expect(fits(otel, log)).toBe(true);
    const { run, steps, prompts, system } = summaryOf(log, otel);
    expect([system, prompts]).toEqual(["Be good.", ["Go"]]);
    expect(steps).toEqual([
      ["reasoning", "Hm."],
      ["message", "I look."],
      ["look", { at: 1 }, '"seen"', "ok"],
    ]);
    expect(run.model).toEqual({ identifier: "model-x", parameters: { temperature: 0.5 } });
    expect(run.metadata).toMatchObject({
      agent: "chat",
      tools: ["look"],
      usage: { requests: 1, input_tokens: 7, output_tokens: 2 },
      coverage: { left_out: { "span ai.embed": 1 } },
    });
  });

  it("Vercel AI SDK: its messages are recognised by their parts, those of other formats are not taken for it", () => {
    for (const log of vercelAiSpecimens) {
      expect(fits(vercelAi, log)).toBe(true);
      expect(fits(openaiMessages, log)).toBe(false);
    }
    for (const other of [
      [{ role: "user", content: "hi" }],
      [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      [{ role: "user", parts: [{ text: "hi" }] }],
      [{ role: "model", parts: [{ type: "text", text: "hi" }] }],
      [{ role: "user", parts: [{ type: "text", content: "hi" }] }],
      [{ role: "assistant", content: [{ type: "tool_use", id: "x", name: "n", input: {} }] }],
      [{ role: "assistant", parts: [{ type: "text", text: "x" }], tool_calls: [{ id: "x" }] }],
      { runs: [{ id: "x" }], steps: [] },
      { runs: [], steps: [] },
      [],
      null,
    ])
      expect(fits(vercelAi, JSON.stringify(other)), JSON.stringify(other)).toBe(false);
  });

  it("Vercel AI SDK: a document that is cut off, or has no messages, is refused", () => {
    expect(() => readForeign(vercelAi, `[${modelMessages}`)).toThrow("log is not valid JSON");
    expect(() => readForeign(vercelAi, "[7]")).toThrow("contains no messages of the AI SDK");
    expect(() => readForeign(vercelAi, '{"runs":[{"id":"x","started_at":""}],"steps":[]}')).toThrow(
      "contains no messages",
    );
  });

  it("Vercel AI SDK: DevTools runs that name each other, and steps without a run, do no harm", () => {
    const log = JSON.stringify({
      runs: [devtoolsRun("a", "b"), devtoolsRun("b", "a"), devtoolsRun("c", "c")],
      steps: [
        devtoolsStep("1", "a"),
        devtoolsStep("2", "b"),
        devtoolsStep("3", "c"),
        devtoolsStep("4", "gone"),
      ],
    });
    expect(summariesOf(log).length).toBeGreaterThanOrEqual(2);
  });
});
