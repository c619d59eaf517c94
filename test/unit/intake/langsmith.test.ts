import { describe, expect, it } from "vitest";
import { langsmith } from "../../../src/intake/formats/langsmith/format.js";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import { langsmithLines, langsmithNested, langsmithSpecimens } from "../../../dev/specimens/langsmith.js";

type RunSummary = { run: ExecutionLog; steps: unknown[][]; prompts: unknown[]; system: unknown };

function summariesOf(log: string): RunSummary[] {
  const { runs, text } = readForeign(langsmith, log);
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

const summaryOf = (log: string): RunSummary => summariesOf(log)[0] as RunSummary;

function run(id: string, type: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, name: type, run_type: type, trace_id: "t", ...more };
}

function asking(args: unknown): unknown {
  return { choices: [{ message: { role: "assistant", tool_calls: [{ id: "x", name: "look", args }] } }] };
}

describe("LangSmith", () => {
  it("LangSmith: a flat export, one run per line, has LangChain messages and calls with their results", () => {
    const { run, steps, prompts, system } = summaryOf(langsmithLines);
    expect(system).toBe("Be brief.");
    expect(prompts).toEqual(["What is it like?"]);
    expect(steps).toEqual([
      ["reasoning", "Look it up."],
      ["message", "I look."],
      ["weather", { in: "Rome" }, "sunny", "ok"],
      ["weather", { in: "Atlantis" }, "ValueError('no such city')", "error"],
      ["message", "Sunny in Rome."],
    ]);
    expect(run.steps?.map((step) => step.metadata?.["call_id"]).filter(Boolean)).toEqual(["c1", "c2"]);
    expect(run.model).toEqual({ identifier: "model-x", parameters: { temperature: 0.5, max_tokens: 100 } });
  });

  it("LangSmith: what the model saw of an error is kept if it differs", () => {
    const { runs, text } = readForeign(langsmith, langsmithLines);
    const failed = runs[0]?.steps?.find((step) => step.metadata?.["status"] === "error");
    expect(text(failed?.seen)).toBe("no such city");
  });

  it("LangSmith: tokens and costs are those of the models, not the totals of runs above them", () => {
    expect(summaryOf(langsmithLines).run.metadata).toMatchObject({
      usage: {
        requests: 2,
        input_tokens: 50,
        output_tokens: 9,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 1,
        reasoning_output_tokens: 3,
      },
      cost_usd: 0.25,
      operations: { chain: 1, llm: 2, tool: 2, parser: 1 },
      coverage: { records: 7, skipped: { "run of type novelty": 1 }, left_out: { "span parser": 1 } },
    });
  });

  it("LangSmith: the runtime is the environment", () => {
    const { run } = summaryOf(langsmithLines);
    expect(run.environment).toEqual({
      os: "Linux-6",
      runtime: "python 3.12",
      tool_versions: { "langsmith-py": "0.4", langchain: "1.0" },
    });
    expect(run.metadata).toMatchObject({
      source: { format: "langsmith", thread: "th-1", project: "project" },
      tags: ["a"],
      revision: "abc",
    });
  });

  it("LangSmith: times without a zone are read as UTC, and coverage says so", () => {
    const { run } = summaryOf(langsmithLines);
    expect(run.created).toBe("2026-05-01T10:00:06.500000Z");
    expect(run.metadata).toMatchObject({ coverage: { unknown: ["the time zone (times are taken as UTC)"] } });
  });

  it("LangSmith: each trace of nested runs is a run, and an agent that a tool starts is another agent", () => {
    const [first, second] = summariesOf(langsmithNested) as [RunSummary, RunSummary];
    expect(first.prompts).toEqual(["Say hello"]);
    expect(first.steps).toEqual([
      ["message", "Hello."],
      ["delegate", { task: "x" }, "done", "ok"],
      ["context", "Do x"],
      ["message", "done"],
      ["f", {}, undefined, "unanswered"],
    ]);
    expect(second.prompts).toEqual(["Hi", "There?"]);
    expect(second.steps).toEqual([["message", "Ho"]]);
  });

  it("LangSmith: a single run, and the runs of a page, are read", () => {
    const alone = run("a", "llm", {
      inputs: { messages: [{ role: "user", content: "x" }] },
      outputs: { output: "y" },
    });
    for (const log of [alone, { runs: [alone] }, [alone]].map((each) => JSON.stringify(each, null, 2))) {
      expect(fits(langsmith, log)).toBe(true);
      expect(summaryOf(log).prompts).toEqual(["x"]);
      expect(summaryOf(log).steps).toEqual([["message", "y"]]);
    }
  });

  it("LangSmith: a chain without its models is read from its inputs and outputs", () => {
    const human = { type: "human", content: "Go" };
    const { steps, prompts } = summaryOf(
      lines(
        run("a", "chain", {
          inputs: { messages: [human] },
          outputs: {
            messages: [
              human,
              { type: "ai", content: "", tool_calls: [{ id: "c", name: "look", args: {} }] },
              { type: "tool", content: "seen", tool_call_id: "c" },
              { type: "ai", content: "Done" },
            ],
          },
        }),
      ),
    );
    expect(prompts).toEqual(["Go"]);
    expect(steps).toEqual([
      ["look", {}, "seen", "ok"],
      ["message", "Done"],
    ]);
  });

  it.each([
    ["JSON", '{"a":1}', { a: 1 }],
    ["a Python dictionary", "{'a': True, 'b': \"it's\"}", { a: true, b: "it's" }],
    ["a text", "Rome", { input: "Rome" }],
    ["a Python expression", "{'a': f(1)}", { input: "{'a': f(1)}" }],
  ])("LangSmith: the input of a tool may be %s", (_, input, parameters) => {
    const [step] = summaryOf(lines(run("a", "tool", { inputs: { input } }))).run.steps ?? [];
    expect(step?.parameters).toEqual(parameters);
  });

  it("LangSmith: a run that was written twice is one, and later values count", () => {
    const { run: found, steps } = summaryOf(
      lines(
        run("a", "tool", { inputs: { q: 1 }, outputs: null }),
        run("a", "tool", { inputs: null, outputs: { output: "x" } }),
      ),
    );
    expect(steps).toEqual([["tool", { q: 1 }, "x", "ok"]]);
    expect(found.metadata).toMatchObject({ coverage: { duplicates: 1 } });
  });

  it("LangSmith: an id that a model uses again names another call", () => {
    const { steps } = summaryOf(
      lines(run("a", "llm", { outputs: asking({ at: 1 }) }), run("b", "llm", { outputs: asking({ at: 2 }) })),
    );
    expect(steps.map(([, parameters]) => parameters)).toEqual([{ at: 1 }, { at: 2 }]);
  });

  it("LangSmith: circular runs and missing parents do no harm", () => {
    const circle = [
      run("a", "chain", { parent_run_id: "b", trace_id: null }),
      run("b", "tool", { parent_run_id: "a", trace_id: null }),
    ];
    expect(summariesOf(lines(...circle))).toHaveLength(1);
    expect(summaryOf(lines(run("c", "tool", { parent_run_id: "gone" }))).steps).toHaveLength(1);
  });

  it("LangSmith: content that LangSmith keeps elsewhere is recorded as missing", () => {
    const { run: found } = summaryOf(
      lines(run("a", "llm", { inputs_s3_urls: { ROOT: { presigned_url: "u" } } })),
    );
    expect(found.metadata).toMatchObject({
      coverage: {
        unknown: expect.arrayContaining(["some of what was said (LangSmith keeps it elsewhere)"]) as unknown,
      },
    });
  });

  it("LangSmith: a damaged and an unfinished line are counted", () => {
    const log = `${langsmithLines}nonsense\n{"id":"x","run_ty`;
    expect(summaryOf(log).run.metadata).toMatchObject({
      coverage: { damaged: { count: 1 }, partial_last_line: true },
    });
  });

  it("LangSmith: logs are recognised by their runs, and by nothing else", () => {
    for (const log of langsmithSpecimens) {
      expect(fits(langsmith, log)).toBe(true);
      expect(fits(openaiMessages, log)).toBe(false);
    }
    for (const other of [
      { run_type: "batch", id: "x", inputs: {} },
      { run_type: "llm", name: "no id" },
      { runs: [{ id: "x" }], steps: [] },
      { messages: [{ role: "user", content: "run_type" }] },
      [],
      null,
    ])
      expect(fits(langsmith, JSON.stringify(other))).toBe(false);
  });

  it("LangSmith: a document that is cut off, or has no runs, is refused", () => {
    expect(() => readForeign(langsmith, langsmithNested.slice(0, -9))).toThrow("log is not valid JSON");
    expect(() => readForeign(langsmith, "[7]")).toThrow("contains no runs of LangSmith");
  });
});
