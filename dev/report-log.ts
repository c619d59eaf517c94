// A small run that wrote a report, with an input, a prompt, a step with exactly these bytes, and remarks.
import { type AnyLog, smallLog } from "./logs.js";

export const reportText =
  "# Findings\n\nThe loop stopped one item too early.\nIt stops at the last item now.\n\nAll three cases pass.\n";

/** Returns a run that wrote report.md. */
export function reportLog(fields: AnyLog = {}): AnyLog {
  return smallLog({
    prompts: [{ role: "user", content: "Find out why the last page is empty." }],
    inputs: [{ name: "notes.txt", content: "one\ntwo\n" }],
    steps: [
      {
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "notes.txt" },
        output: "as a step gave it\n",
      },
      {
        type: "tool_call",
        tool: "write_file",
        parameters: { path: "report.md", content: reportText },
        output: "written",
      },
    ],
    outputs: [{ name: "report.md", content: reportText, confidence: "high", notes: "looked at twice" }],
    ...fields,
  });
}
