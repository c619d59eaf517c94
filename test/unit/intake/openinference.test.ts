import { describe, expect, it } from "vitest";
import { openinference } from "../../../src/intake/formats/openinference/format.js";
import { otel } from "../../../src/intake/formats/otel/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import {
  openInferenceOtlp,
  openinferenceSpecimens,
  phoenixRows,
} from "../../../dev/specimens/openinference.js";

function summaryOf(log: string): {
  run: ExecutionLog;
  steps: unknown[][];
  prompts: unknown[];
  system: unknown;
} {
  const { runs, text } = readForeign(openinference, log);
  const [run] = runs as [ExecutionLog];
  return {
    run,
    steps: (run.steps ?? []).map((step) =>
      step.tool === undefined
        ? [step.type, text(step.output)]
        : [step.tool, step.parameters, text(step.output), step.metadata?.["status"]],
    ),
    prompts: (run.prompts ?? []).map((each) => text(each.content)),
    system: text(run.system_prompt),
  };
}

function row(id: string, kind: string, attributes: Record<string, unknown>, parent?: string): unknown {
  return {
    name: `span ${id}`,
    context: { span_id: id, trace_id: "f" },
    parent_id: parent ?? null,
    start_time: `2026-05-01T10:00:0${id}Z`,
    end_time: `2026-05-01T10:00:0${id}Z`,
    attributes: { "openinference.span.kind": kind, ...attributes },
  };
}

function message(role: string, content: string, of: string): Record<string, unknown> {
  return {
    [`llm.${of}_messages.0.message.role`]: role,
    [`llm.${of}_messages.0.message.content`]: content,
  };
}

describe("OpenInference", () => {
  it("OpenInference: OTLP spans have messages in numbered attributes, calls with results, and cost", () => {
    const { run, steps, prompts, system } = summaryOf(openInferenceOtlp);
    expect(system).toBe("Be brief.");
    expect(prompts).toEqual(["What is it like?\n[.attached/1.png]"]);
    expect(steps).toEqual([
      ["reasoning", "Look it up."],
      ["weather", { in: "Rome" }, "sunny", "ok"],
      ["weather", { in: "Atlantis" }, "no such city", "error"],
      ["message", "Sunny in Rome."],
    ]);
    expect(run.model).toEqual({ identifier: "model-x", parameters: { temperature: 0.5 } });
    expect(run.steps?.map((step) => step.metadata?.["call_id"])).toEqual([undefined, "c1", "c2", undefined]);
    expect(run.metadata).toMatchObject({
      source: { format: "openinference", session: "s-1" },
      agent: "guide",
      tools: ["weather"],
      cost_usd: 0.25,
      usage: {
        requests: 1,
        input_tokens: 20,
        output_tokens: 7,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 1,
        reasoning_output_tokens: 3,
      },
      operations: { AGENT: 2, LLM: 2, CHAIN: 1, TOOL: 2, RETRIEVER: 1, NOVELTY: 1 },
      coverage: {
        records: 9,
        skipped: { "span NOVELTY": 1 },
        left_out: { "span AGENT": 1, "span CHAIN": 1, "span RETRIEVER": 1 },
      },
    });
  });

  it("OpenInference: rows of Phoenix may have attributes in columns or nested", () => {
    const { run, steps, prompts } = summaryOf(phoenixRows);
    expect(prompts).toEqual(["Say hello"]);
    expect(steps).toEqual([
      ["message", "Hello."],
      ["note", { input: "hi" }, "disk full", "error"],
    ]);
    expect(run.model).toEqual({ identifier: "model-y", parameters: { top_p: 1 } });
    expect(run.created).toBe("2025-06-15T15:06:49.000Z");
  });

  it("OpenInference: rows of Phoenix, one per line or as a page of the API, have the same steps", () => {
    const rows = JSON.parse(phoenixRows) as unknown[];
    const expected = summaryOf(phoenixRows).steps;
    expect(summaryOf(lines(...rows)).steps).toEqual(expected);
    const page = JSON.stringify({ data: rows, next_cursor: null });
    expect(fits(openinference, page)).toBe(true);
    expect(summaryOf(page).steps).toEqual(expected);
  });

  it("OpenInference: prompts and answers are found in recorded arguments and return values", () => {
    const { steps, prompts } = summaryOf(
      lines(
        row("1", "LLM", {
          "input.value": '{"prompt":"Hi","formatted":false}',
          "output.value": '{"text":"Ho","raw":{}}',
        }),
        row("2", "LLM", {
          "input.value": '{"messages":[{"role":"user","content":"And?"}]}',
          "output.value":
            '{"message":{"role":"assistant","blocks":[{"block_type":"text","text":"Done"}]},"raw":null}',
        }),
      ),
    );
    expect(prompts).toEqual(["Hi", "And?"]);
    expect(steps).toEqual([
      ["message", "Ho"],
      ["message", "Done"],
    ]);
  });

  it("OpenInference: a request that two instrumentations record is one, and its tokens count once", () => {
    const said = { "input.value": "Hi", "output.value": "Ho", "llm.token_count.prompt": 5 };
    const { run, steps } = summaryOf(lines(row("1", "LLM", said), row("2", "LLM", said, "1")));
    expect(steps).toEqual([["message", "Ho"]]);
    expect(run.metadata?.["usage"]).toEqual({ requests: 1, input_tokens: 5 });
  });

  it("OpenInference: a span with OpenInference attributes but no kind is read", () => {
    const { steps } = summaryOf(
      lines(row("1", "CHAIN", {}), {
        name: "t",
        span_id: "2",
        trace_id: "f",
        start_time: 1756667927185284700n.toString(),
        attributes: { "tool.name": "look" },
      }),
    );
    expect(steps.map(([tool]) => tool)).toEqual(["look"]);
  });

  it("OpenInference: an inner agent's prompt is context, and its answer is marked", () => {
    const { steps, prompts, run } = summaryOf(
      lines(
        row("1", "AGENT", { "agent.name": "outer" }),
        row(
          "2",
          "LLM",
          { ...message("user", "Do it", "input"), ...message("assistant", "I ask", "output") },
          "1",
        ),
        row("3", "TOOL", { "tool.name": "inner" }, "1"),
        row("4", "AGENT", { "agent.name": "inner" }, "3"),
        row(
          "5",
          "LLM",
          { ...message("user", "Sub", "input"), ...message("assistant", "Done", "output") },
          "4",
        ),
      ),
    );
    expect(prompts).toEqual(["Do it"]);
    expect(steps).toEqual([
      ["message", "I ask"],
      ["inner", {}, undefined, "ok"],
      ["context", "Sub"],
      ["message", "Done"],
    ]);
    expect(run.steps?.at(-1)?.metadata).toMatchObject({ agent: "inner" });
  });

  it("OpenInference: spans are recognised by their kind, and GenAI spans are not", () => {
    for (const log of openinferenceSpecimens) {
      expect(fits(openinference, log)).toBe(true);
      expect(fits(otel, log)).toBe(false);
    }
    for (const other of [
      {
        name: "chat",
        context: { span_id: "1", trace_id: "2" },
        attributes: { "gen_ai.operation.name": "chat" },
      },
      { span_kind: "LLM", text: "no span" },
      { messages: [{ role: "user", content: "openinference.span.kind" }] },
      [],
      null,
    ])
      expect(fits(openinference, JSON.stringify(other))).toBe(false);
  });

  it("OpenInference: absurd numbers in attribute names do no harm", () => {
    const { steps } = summaryOf(
      lines(
        row("1", "LLM", {
          "llm.output_messages.999999999.message.content": "last",
          "llm.output_messages.0.message.content": "first",
          "llm.output_messages.0": "no message",
          "llm.output_messages.x.message.content": "none",
          [`llm.output_messages.${"1.".repeat(5000)}x`]: "deep",
          "llm.input_messages.__proto__.message.content": "x",
        }),
      ),
    );
    expect(steps.length).toBeLessThanOrEqual(2);
  });
});
