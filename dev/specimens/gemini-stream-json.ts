// A small stream of Gemini CLI's that uses all that its reader looks at.
import { lines } from "../intake.js";

const timestamp = "2026-05-01T10:00:00.000Z";

export const geminiStreamJsonSpecimens: readonly (string | Buffer)[] = [
  lines(
    { type: "init", timestamp, session_id: "s", model: "gemini-x" },
    { type: "message", timestamp, role: "user", content: "list" },
    { type: "message", timestamp, role: "assistant", content: "I ", delta: true },
    { type: "message", timestamp, role: "assistant", content: "look.", delta: true },
    {
      type: "tool_use",
      timestamp,
      tool_name: "write_file",
      tool_id: "c1",
      parameters: { file_path: "a", content: "x" },
    },
    { type: "tool_use", timestamp, tool_name: "glob", tool_id: "c2", parameters: { pattern: "*" } },
    { type: "tool_result", timestamp, tool_id: "c2", status: "error", error: { type: "E", message: "bad" } },
    { type: "tool_result", timestamp, tool_id: "c1", status: "success", output: "a" },
    { type: "error", timestamp, severity: "warning", message: "Loop detected" },
    { type: "message", timestamp, role: "assistant", content: "Done." },
    {
      type: "result",
      timestamp,
      status: "success",
      error: { message: "late" },
      stats: {
        total_tokens: 30,
        input_tokens: 20,
        output_tokens: 10,
        cached: 5,
        duration_ms: 70,
        models: { m: {} },
      },
    },
  ),
];
