// Sessions of iFlow, which repeat their records while the model answers.
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../src/intake/formats/claude-code/format.js";
import { iflow } from "../../../src/intake/formats/iflow/format.js";
import { fits, lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";
import { iflowSpecimens } from "../../../dev/specimens/iflow.js";

const [log = ""] = iflowSpecimens;

describe("a session of iFlow", () => {
  it("iFlow: its log has its own name, though the records look like Claude Code's", () => {
    expect([fits(iflow, log), fits(claudeCode, log)]).toEqual([true, false]);
  });

  it("iFlow: a call that is told again is one call, and calls told together stay together", () => {
    const { calls, coverage } = readRun(iflow, log);
    expect(calls.map(({ tool, metadata }) => [tool, metadata["status"], metadata["call_id"]])).toEqual([
      ["read_file", "ok", "call_1"],
      ["read_file", "error", "call_2"],
      ["run_shell_command", "error", "call_3"],
      ["replace", "ok", "call_4"],
    ]);
    expect(coverage["duplicates"]).toBe(3);
    const [first, second] = calls;
    expect(first?.metadata["parallel"]).toBe("response-2");
    expect(second?.metadata["parallel"]).toBe("response-2");
  });

  it("iFlow: a result has the content of the file, and what the client appended was only seen", () => {
    const { calls, run, text } = readRun(iflow, log);
    expect(calls[0]?.output).toBe("apples\n");
    expect(calls[0]?.seen).toContain("<system-reminder>");
    const contents = (files: typeof run.inputs) =>
      (files ?? []).map(({ name, content }) => [name, text(content)]);
    expect(contents(run.inputs)).toEqual([["a.txt", "apples\n"]]);
    expect(contents(run.outputs)).toEqual([
      ["a.txt", "pears\n"],
      [".answer.md", "Done."],
    ]);
  });

  it("iFlow: only what a person typed is a prompt, and tokens of 0 are not usage", () => {
    const { prompts, contexts, metadata } = readRun(iflow, log);
    expect(prompts).toEqual(["Swap the fruit."]);
    expect(contexts).toHaveLength(1);
    expect(metadata["usage"]).toBeUndefined();
    expect(metadata).toMatchObject({ workdir: "/home/ann/proj", git: { branch: "main" } });
  });

  it("iFlow: repeated records, unknown ones and results without a call are counted or kept", () => {
    const common = { uuid: "a", sessionId: "session-5de701fc-0000-4000-8000-000000000001" };
    const prompt = { ...common, type: "user", message: { role: "user", content: "Go." } };
    const lost = [
      { type: "tool_result", tool_use_id: "x", content: "lost", is_error: true },
      { type: "odd" },
    ];
    const { run, coverage } = readRun(
      iflow,
      lines(
        prompt,
        prompt,
        { ...common, uuid: "b", type: "user", message: { role: "user", content: lost } },
        { ...common, uuid: "c", type: "new", message: { role: "x" } },
      ),
    );
    expect(run.steps).toMatchObject([{ type: "tool_result", metadata: { call_id: "x", status: "error" } }]);
    expect(coverage).toMatchObject({ duplicates: 1, skipped: { new: 1, "block odd": 1 } });
  });
});
