import { describe, expect, it } from "vitest";
import { geminiStreamJson } from "../../../src/intake/formats/gemini-cli/stream-json.js";
import { fits, lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";
import { geminiStreamJsonSpecimens } from "../../../dev/specimens/gemini-stream-json.js";

const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;
const init = { type: "init", timestamp: at(0), session_id: "s", model: "gemini-x" };
const said = (content: string, second = 2) => ({
  type: "message",
  timestamp: at(second),
  role: "assistant",
  content,
  delta: true,
});
const stream = [
  init,
  { type: "message", timestamp: at(1), role: "user", content: "list" },
  said("I "),
  said("look."),
  {
    type: "tool_use",
    timestamp: at(3),
    tool_name: "list_directory",
    tool_id: "c1",
    parameters: { path: "." },
  },
  {
    type: "tool_use",
    timestamp: at(3),
    tool_name: "run_shell_command",
    tool_id: "c2",
    parameters: { command: "x" },
  },
  {
    type: "tool_result",
    timestamp: at(4),
    tool_id: "c2",
    status: "error",
    error: { type: "E", message: "bad" },
  },
  { type: "tool_result", timestamp: at(4), tool_id: "c1", status: "success", output: "a" },
  { type: "tool_result", timestamp: at(4), tool_id: "gone", status: "success", output: "?" },
  { type: "error", timestamp: at(5), severity: "warning", message: "Loop detected" },
  said("Done.", 6),
  {
    type: "result",
    timestamp: at(7),
    status: "success",
    stats: {
      total_tokens: 30,
      input_tokens: 20,
      output_tokens: 10,
      cached: 5,
      duration_ms: 70,
      tool_calls: 2,
    },
  },
];

const read = (log: string, options = {}) => readRun(geminiStreamJson, log, options);

describe("what `gemini -o stream-json` prints", () => {
  it("gemini stream-json: a stream is recognised by its first event, its calls or its end", () => {
    expect(fits(geminiStreamJson, lines(...stream))).toBe(true);
    expect(fits(geminiStreamJson, lines(...stream.slice(4)))).toBe(true);
    expect(fits(geminiStreamJson, lines(stream.at(-1)))).toBe(true);
    for (const other of [
      { type: "system", subtype: "init", session_id: "s", tools: [] },
      { type: "message", role: "user", content: "x" },
      { type: "result", subtype: "success", session_id: "s", num_turns: 1 },
    ])
      expect(fits(geminiStreamJson, lines(other))).toBe(false);
  });

  it("gemini stream-json: pieces of a message are joined, and calls have their results", () => {
    const { steps, prompts, run, usage, metadata, source, coverage } = read(lines(...stream));
    expect(prompts).toEqual(["list"]);
    expect(steps.map(({ type, output, metadata: about }) => [type, output, about["status"]])).toEqual([
      ["message", "I look.", undefined],
      ["tool_call", "a", "ok"],
      ["tool_call", "bad", "error"],
      ["tool_result", "?", "ok"],
      ["context", "Loop detected", undefined],
      ["message", "Done.", undefined],
    ]);
    expect(steps[1]?.metadata["parallel"]).toBe(steps[2]?.metadata["parallel"]);
    expect(run.model.identifier).toBe("gemini-x");
    expect(run.created).toBe(at(7));
    expect(source).toEqual({ format: "gemini-stream-json", agent: "gemini-cli", session: "s" });
    expect(usage).toEqual({ input_tokens: 20, output_tokens: 10, cache_read_input_tokens: 5 });
    expect(metadata).toMatchObject({ outcome: "success", duration_ms: 70 });
    expect(coverage["records"]).toBe(12);
  });

  it("gemini stream-json: without a prompt in the stream, the prompt is the one from the options", () => {
    expect(read(lines(init, said("x")), { prompt: "say x" }).prompts).toEqual(["say x"]);
    expect(read(lines(init, said("x"))).coverage["unknown"]).toContain("the prompt (give it with --prompt)");
  });

  it("gemini stream-json: calls with the same id are told apart, and unanswered ones are kept", () => {
    const use = { type: "tool_use", tool_name: "glob", tool_id: "c", parameters: {} };
    const { calls } = read(lines(init, use, { type: "tool_result", tool_id: "c", output: "1" }, use));
    expect(calls.map(({ metadata }) => metadata["status"])).toEqual(["ok", "unanswered"]);
  });

  it("gemini stream-json: events of any shape do not crash the reader", () => {
    const { coverage } = read(
      lines(
        { type: "init" },
        { type: [] },
        { type: "message", content: 3 },
        { type: "tool_use" },
        { type: "poem" },
      ),
    );
    expect(coverage["skipped"]).toEqual({ "message of unknown": 1, poem: 1, unknown: 1 });
  });
});

it("gemini stream-json: the specimens are recognised, small and undamaged", () => {
  for (const specimen of geminiStreamJsonSpecimens) {
    expect(fits(geminiStreamJson, specimen)).toBe(true);
    expect(specimen.length).toBeLessThan(6000);
    expect(readRun(geminiStreamJson, specimen).coverage).not.toHaveProperty("damaged");
  }
});
