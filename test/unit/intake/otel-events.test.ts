import { describe, expect, it } from "vitest";
import { otel } from "../../../src/intake/formats/otel/format.js";
import { otelEvents } from "../../../src/intake/formats/otel-events/format.js";
import type { ExecutionLog, LogStep } from "../../../src/model/log.js";
import { fits, lines, readForeign } from "../../../dev/intake.js";
import {
  claudeEvents,
  geminiEvents,
  otelEventsSpecimens,
  otherEvents,
} from "../../../dev/specimens/otel-events.js";

interface Metadata {
  coverage: {
    records: number;
    unknown?: string[];
    skipped?: Record<string, number>;
    left_out?: Record<string, number>;
    truncated?: number;
  };
  [key: string]: unknown;
}

const metadata = (run: ExecutionLog): Metadata => run.metadata as unknown as Metadata;

/** Returns an event of Claude Code, as a flattened row. */
function row(name: string, second: number, attrs: Record<string, unknown> = {}): unknown {
  return {
    _type: "log",
    ts: `2026-05-01T10:00:${String(second).padStart(2, "0")}.000Z`,
    scope: "com.anthropic.claude_code",
    name,
    attrs: { "event.name": name, "session.id": "a", ...attrs },
    resource: { "service.name": "claude-code" },
  };
}

/** Returns an event of Gemini CLI, as its exporter writes it. */
function geminiEvent(name: string, attributes: Record<string, unknown>): unknown {
  return {
    hrTime: [1777629600, 0],
    attributes: { "event.name": `gemini_cli.${name}`, "session.id": "g", ...attributes },
    body: "x",
  };
}

function summaryOf(log: string): { run: ExecutionLog; steps: unknown[][]; prompts: unknown[] } {
  const { runs, text } = readForeign(otelEvents, log);
  const [run] = runs as [ExecutionLog];
  const tell = (step: LogStep): unknown[] => [
    step.type,
    step.tool ?? text(step.output),
    ...(step.tool === undefined ? [] : [text(step.output), step.metadata?.["status"]]),
  ];
  return {
    run,
    steps: (run.steps ?? []).map(tell),
    prompts: (run.prompts ?? []).map((each) => text(each.content)),
  };
}

describe("events of OpenTelemetry", () => {
  it("OpenTelemetry events: Claude Code's events have prompts, calls with their status, and cost", () => {
    const { run, steps, prompts } = summaryOf(claudeEvents);
    expect(prompts).toEqual(["Fix the test"]);
    expect(steps).toEqual([
      ["context", "<system-reminder>today</system-reminder>"],
      ["reasoning", "Run it."],
      ["message", "I run it."],
      ["tool_call", "Bash", "exit 1", "error"],
      ["tool_call", "Write", undefined, "denied"],
    ]);
    expect(run.model).toEqual({ identifier: "claude-x", parameters: { max_tokens: 1000 } });
    expect(run.environment).toEqual({
      os: "linux",
      runtime: "unknown",
      tool_versions: { "claude-code": "2.1.0" },
    });
    expect(metadata(run)).toMatchObject({
      source: { format: "otel-events", agent: "claude-code", session: "s-1" },
      cost_usd: 0.5,
      failed_requests: 1,
      usage: { requests: 2, input_tokens: 11, output_tokens: 6 },
      models: ["claude-x", "claude-y"],
      coverage: { records: 12, truncated: 1, skipped: { "event something_new": 1 } },
    });
  });

  it("OpenTelemetry events: Gemini CLI's outfile has requests, roles, and results by id", () => {
    const { run, steps, prompts } = summaryOf(geminiEvents);
    expect(prompts).toEqual(["List the files"]);
    expect(steps).toEqual([
      ["context", "This is the setup"],
      ["reasoning", "ls"],
      ["tool_call", "list_directory", "a.txt", "ok"],
      ["message", "There is a.txt."],
    ]);
    expect(run.model.identifier).toBe("gemini-x");
    expect(run.model.parameters).toEqual({
      approval_mode: "default",
      sandbox_enabled: false,
      temperature: 0.5,
    });
    // What the conventions' event repeats of the tokens is not counted again.
    expect(metadata(run)).toMatchObject({
      source: { agent: "gemini-cli", session: "g-1" },
      usage: { requests: 2, input_tokens: 21, reasoning_output_tokens: 2 },
      coverage: { left_out: { metrics: 1 } },
    });
  });

  it("OpenTelemetry events: the answer is read from the response if nothing else has it", () => {
    const pieces = [
      { candidates: [{ content: { parts: [{ text: "think", thought: true }, { text: "Hel" }] } }] },
      {
        candidates: [
          { content: { parts: [{ text: "lo" }, { functionCall: { id: "c", name: "ls", args: {} } }] } },
        ],
      },
    ];
    const { steps } = summaryOf(
      lines(
        geminiEvent("user_prompt", { prompt: "Hi" }),
        geminiEvent("api_response", { model: "g", response_text: JSON.stringify(pieces) }),
      ),
    );
    expect(steps).toEqual([
      ["reasoning", "think"],
      ["message", "Hello"],
      ["tool_call", "ls", undefined, "unanswered"],
    ]);
  });

  it("OpenTelemetry events: GenAI events are grouped by span, and each session is a run", () => {
    const { runs, text } = readForeign(otelEvents, otherEvents);
    expect(runs.map((run) => metadata(run)["source"])).toEqual([
      { format: "otel-events", session: "4bf92f3577b34da6a3ce929d0e0e4736" },
      { format: "otel-events", agent: "codex", session: "k-1" },
    ]);
    const [first, second] = runs as [ExecutionLog, ExecutionLog];
    expect(text(first.system_prompt)).toBe("Be brief.");
    expect(first.steps?.map((step) => [step.type, step.tool, text(step.output)])).toEqual([
      ["tool_call", "weather", "sunny"],
      ["message", undefined, "Sunny."],
    ]);
    expect(second.model).toEqual({
      identifier: "gpt-x",
      parameters: { approval_policy: "never", reasoning_effort: "high" },
    });
    expect(second.steps?.map((step) => [step.tool, step.parameters, text(step.output)])).toEqual([
      ["shell", { command: ["ls"] }, "a"],
    ]);
  });

  it("OpenTelemetry events: records may name only the service, and have times and costs in other fields", () => {
    const log = JSON.stringify({
      resourceLogs: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "claude-code" } }] },
          scopeLogs: [
            {
              logRecords: [
                {
                  traceId: "",
                  spanId: "",
                  attributes: Object.entries({
                    "event.name": "api_request",
                    "event.timestamp": "2026-05-01T10:00:00.100Z",
                    "session.id": "s",
                    model: "claude-x",
                    effort: "high",
                    query_source: "main",
                    cost_usd_micros: "481200",
                    output_tokens: "4",
                  }).map(([key, value]) => ({ key, value: { stringValue: value } })),
                },
              ],
            },
          ],
        },
      ],
    });
    expect(fits(otelEvents, log)).toBe(true);
    const { run } = summaryOf(log);
    expect(run.created).toBe("2026-05-01T10:00:00.100Z");
    expect(run.model).toEqual({ identifier: "claude-x", parameters: { effort: "high" } });
    expect(metadata(run)).toMatchObject({ cost_usd: 0.4812, usage: { requests: 1, output_tokens: 4 } });
  });

  it("OpenTelemetry events: a denied call, and one whose result came later, are matched by id", () => {
    const { steps } = summaryOf(
      lines(
        row("user_prompt", 0, { prompt: "Go" }),
        row("tool_decision", 1, { tool_name: "Bash", tool_use_id: "a", decision: "reject" }),
        row("tool_result", 2, { tool_name: "Bash", tool_use_id: "a", success: false }),
        row("tool_decision", 3, { tool_name: "Write", decision: "reject" }),
        row("tool_decision", 4, { tool_name: "Read", tool_use_id: "b", decision: "accept" }),
        row("tool_result", 5, { tool_name: "Read", tool_use_id: "b", success: true }),
      ),
    );
    expect(steps).toEqual([
      ["tool_call", "Bash", undefined, "denied"],
      ["tool_call", "Write", undefined, "denied"],
      ["tool_call", "Read", undefined, "ok"],
    ]);
  });

  it("OpenTelemetry events: an id that is used again names another call", () => {
    const { steps } = summaryOf(
      lines(
        row("user_prompt", 0, { prompt: "Go" }),
        row("tool_result", 1, { tool_name: "A", tool_use_id: "x" }),
        row("tool_result", 2, { tool_name: "B", tool_use_id: "x" }),
      ),
    );
    expect(steps.map((step) => step[1])).toEqual(["A", "B"]);
  });

  it("OpenTelemetry events: a repeated prompt is two prompts, and a masked one is none", () => {
    const { prompts, run } = summaryOf(
      lines(
        row("user_prompt", 0, { prompt: "Go on" }),
        row("user_prompt", 1, { prompt: "Go on" }),
        row("user_prompt", 2, { prompt: "<REDACTED>", prompt_length: 4 }),
      ),
    );
    expect(prompts).toEqual(["Go on", "Go on"]);
    expect(metadata(run).coverage.unknown).toContain("prompts (they were not recorded)");
  });

  it("OpenTelemetry events: events are read in the order of their times", () => {
    const { steps } = summaryOf(
      lines(
        row("tool_result", 9, { tool_name: "Last" }),
        row("tool_result", 3, { tool_name: "First" }),
        row("user_prompt", 1, { prompt: "Go" }),
      ),
    );
    expect(steps.map((step) => step[1])).toEqual(["First", "Last"]);
  });

  it("OpenTelemetry events: coverage lists what the log does not hold", () => {
    const { run } = summaryOf(
      lines(row("user_prompt", 0, { prompt: "x" }), row("tool_result", 1, { tool_name: "A" })),
    );
    expect(metadata(run).coverage.unknown).toEqual([
      "what the model said (it was not recorded)",
      "the arguments of some calls (content capture was off)",
      "the results of some calls (content capture was off)",
      "the system prompt (not recorded)",
      "the model",
    ]);
  });

  it("OpenTelemetry events: a damaged and an unfinished line are counted", () => {
    const log = `${lines(row("user_prompt", 0, { prompt: "x" }), row("api_error", 1))}nonsense\n${lines(row("tool_result", 1)).slice(0, 40)}`;
    expect(metadata(summaryOf(log).run).coverage).toMatchObject({
      damaged: { count: 1 },
      partial_last_line: true,
    });
  });

  it("OpenTelemetry events: an event without a session belongs to the only one", () => {
    const { run } = summaryOf(
      lines(row("user_prompt", 0, { prompt: "x" }), row("api_error", 1, { "session.id": "" })),
    );
    expect(metadata(run)).toMatchObject({ failed_requests: 1, source: { session: "a" } });
    const two = readForeign(
      otelEvents,
      lines(
        row("user_prompt", 0, { prompt: "x" }),
        row("user_prompt", 1, { prompt: "y", "session.id": "b" }),
        row("api_error", 2, { "session.id": "" }),
      ),
    );
    expect(two.runs).toHaveLength(2);
    expect(two.coverage.toJson([])).toMatchObject({ left_out: { "event api_error without a session": 1 } });
  });

  it("OpenTelemetry events: logs are recognised by names of agents or of GenAI events, spans are not", () => {
    for (const log of otelEventsSpecimens) {
      expect(fits(otelEvents, log)).toBe(true);
      expect(fits(otel, log)).toBe(false);
    }
    const plain = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "GET /" } }] }] }] };
    for (const other of [
      plain,
      { name: "chat", context: { span_id: "1", trace_id: "2" }, attributes: { "gen_ai.choice": 1 } },
      { role: "user", content: "codex.user_prompt" },
      { attributes: { a: 1 }, body: "hello" },
      [],
      null,
      7,
    ])
      expect(fits(otelEvents, JSON.stringify(other))).toBe(false);
  });

  it("OpenTelemetry events: a log without an event of a run is refused", () => {
    expect(() => readForeign(otelEvents, lines(row("config", 0)))).toThrow("no events of an agent's run");
    expect(() => readForeign(otelEvents, "{}")).toThrow("no events of an agent's run");
  });
});
