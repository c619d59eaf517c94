// A small session of Qwen Code that uses all that its reader looks at.
import { lines } from "../intake.js";

let count = 0;
const record = (type: string, more: object) => ({
  uuid: `u${++count}`,
  parentUuid: count === 1 ? null : `u${count - 1}`,
  sessionId: "s",
  timestamp: `2026-08-17T12:00:0${count % 10}.000Z`,
  type,
  cwd: "/home/ann/proj",
  version: "0.21.0",
  gitBranch: "main",
  ...more,
});
const system = (subtype: string, systemPayload: object) => record("system", { subtype, systemPayload });

export const qwenCodeSpecimens: readonly (string | Buffer)[] = [
  lines(
    system("session_model", { modelId: "qwen-x", authType: "k" }),
    system("slash_command", { phase: "invocation", rawCommand: "/about" }),
    record("user", {
      message: { role: "user", parts: [{ text: "write" }] },
      systemPayload: { displayText: "w" },
    }),
    record("assistant", {
      model: "qwen-x",
      message: {
        role: "model",
        parts: [
          { text: "Let me think.", thought: true },
          { text: "I write." },
          { functionCall: { id: "c1", name: "edit", args: { file_path: "/home/ann/proj/a.txt" } } },
        ],
      },
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 6,
        thoughtsTokenCount: 2,
        cachedContentTokenCount: 1,
        totalTokenCount: 16,
      },
    }),
    record("tool_result", {
      message: {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "edit", response: { output: "ok" } } }],
      },
      toolCallResult: {
        callId: "c1",
        status: "success",
        resultDisplay: { originalContent: "a", newContent: "b", originalContentTruncated: true },
      },
    }),
    system("custom_title", { customTitle: "Writes" }),
    system("parent_session", { parentSessionId: "p" }),
    system("session_approval_mode", { mode: "yolo" }),
    system("chat_compression", { compressedHistory: [] }),
    record("user", { subtype: "notification", message: { role: "user", parts: [{ text: "done" }] } }),
    record("system", { subtype: "rewind", parentUuid: "u3", systemPayload: { truncatedCount: 2 } }),
    record("user", {
      isSidechain: true,
      agentId: "a",
      forkedFrom: { sessionId: "p", messageUuid: "m" },
      message: { parts: [] },
    }),
  ),
];
