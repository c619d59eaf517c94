// The template that new formats are copied from recognises and reads its own logs. Copy this test, too.
import { expect, it } from "vitest";
import { template } from "../../../src/intake/formats/_template/format.js";
import { headOf } from "../../../src/intake/head.js";
import { fits, lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";

const start = { type: "start", template_version: "1", session: "s", cwd: "/home/ann/proj" };
const log = lines(
  start,
  { type: "user", text: "write a.txt", time: "2026-01-01T10:00:00Z" },
  { type: "call", id: "1", tool: "write_file", input: { path: "a.txt", content: "a" }, model: "m" },
  { type: "result", id: "1", text: "written" },
  { type: "notice", text: "one minute left" },
  { type: "assistant", text: "Done.", model: "m", usage: { input: 5, output: 2 } },
  { type: "window_resized" },
  { type: "dream" },
);

it("template: a log is recognised by its version, and no other log is", () => {
  expect(fits(template, log)).toBe(true);
  expect(template.sniff(headOf(Buffer.from(lines({ type: "start" })), true))).toEqual({
    near: 0,
    missing: "no record has a template_version",
  });
});

it("template: a log becomes a run", () => {
  const { prompts, steps, outputs, source, metadata, usage, coverage, run } = readRun(template, log);
  expect(prompts).toEqual(["write a.txt"]);
  expect(steps.map(({ type, tool, output, metadata: { status } }) => [type, tool, output, status])).toEqual([
    ["tool_call", "write_file", "written", "ok"],
    ["context", undefined, "one minute left", undefined],
    ["message", undefined, "Done.", undefined],
  ]);
  expect(outputs).toEqual({ "a.txt": "a", ".answer.md": "Done." });
  expect(source).toEqual({ format: "template", session: "s" });
  expect([metadata["workdir"], run.created, run.model.identifier]).toEqual([
    "/home/ann/proj",
    "2026-01-01T10:00:00Z",
    "m",
  ]);
  expect(usage).toEqual({ requests: 1, input_tokens: 5, output_tokens: 2 });
  expect(coverage).toMatchObject({ left_out: { window_resized: 1 }, skipped: { dream: 1 } });
});
