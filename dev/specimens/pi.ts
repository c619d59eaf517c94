// Small sessions of pi that use all that its reader looks at: one of today, and one of the first version.
import { lines } from "../intake.js";

let count = 0;
const second = () => `2026-08-16T14:05:${String(count % 60).padStart(2, "0")}.000Z`;

/** An entry that follows another: by default, the one before it. */
export const piEntry = (type: string, more: object, parentId: string | null = `e${count}`) => {
  count++;
  return { type, id: `e${count}`, parentId: count === 1 ? null : parentId, timestamp: second(), ...more };
};
export const piMessage = (role: string, more: object, parentId?: string) =>
  piEntry("message", { message: { role, timestamp: 1_786_889_100_000 + count, ...more } }, parentId);
export const piHeader = {
  type: "session",
  version: 3,
  id: "s",
  timestamp: second(),
  cwd: "/home/ann/proj",
  parentSession: "/home/ann/.pi/agent/sessions/--home-ann-proj--/earlier.jsonl",
};
export const piUsage = (input: number, output: number) => ({
  input,
  output,
  cacheRead: 5,
  cacheWrite: 2,
  totalTokens: input + output + 7,
  cost: { input: 0.25, output: 0.25, cacheRead: 0, cacheWrite: 0, total: 0.5 },
});
const answer = (content: object[], more: object = {}) =>
  piMessage("assistant", {
    content,
    api: "openai-responses",
    provider: "openai",
    model: "gpt-x",
    usage: piUsage(10, 3),
    stopReason: "toolUse",
    ...more,
  });
const result = (toolCallId: string, toolName: string, text: string, more: object = {}) =>
  piMessage("toolResult", {
    toolCallId,
    toolName,
    content: [{ type: "text", text }],
    isError: false,
    ...more,
  });
const call = (id: string, name: string, parameters: object) => ({
  type: "toolCall",
  id,
  name,
  arguments: parameters,
});

export const piSpecimens: readonly string[] = [
  lines(
    piHeader,
    piEntry("model_change", { provider: "openai", modelId: "gpt-x" }),
    piEntry("thinking_level_change", { thinkingLevel: "high" }),
    piEntry("session_info", { name: "Fixes the greeting" }),
    piEntry("custom", { customType: "todo", data: { open: 2 } }),
    piEntry("custom_message", { customType: "rules", content: "Be brief.", display: true }),
    piMessage("user", {
      content: [
        { type: "text", text: "fix a.txt" },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      ],
    }),
    answer([
      { type: "thinking", thinking: "Read it first.", thinkingSignature: "sig" },
      { type: "text", text: "I look." },
      call("call_1|fc_1", "read", { path: "a.txt" }),
      call("call_2|fc_2", "bash", { command: "make", timeout: 10 }),
    ]),
    result("call_1|fc_1", "read", "helo\n"),
    result("call_2|fc_2", "bash", "no rule\n\n\nCommand exited with code 2", { isError: true, details: {} }),
    answer([
      { type: "thinking", thinking: "", thinkingSignature: "sealed" },
      call("call_3", "edit", { path: "a.txt", edits: [{ oldText: "helo", newText: "hello" }] }),
    ]),
    result("call_3", "edit", "Successfully replaced 1 block(s) in a.txt.", {
      details: { diff: "-1 helo\n+1 hello" },
    }),
    piMessage("bashExecution", {
      command: "ls",
      output: "a.txt",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      excludeFromContext: true,
    }),
    answer([call("call_4", "write", { path: "b.txt", content: "b" })], {
      stopReason: "aborted",
      errorMessage: "Request was aborted.",
    }),
    piEntry("branch_summary", { fromId: "e13", summary: "b.txt was not needed" }, "e11"),
    piEntry("label", { targetId: "e6", label: "start" }),
    piEntry("compaction", {
      summary: "a.txt is fixed",
      firstKeptEntryId: "e11",
      tokensBefore: 900,
      usage: piUsage(1, 1),
    }),
    piMessage("custom", { customType: "rules", content: [{ type: "text", text: "Still brief." }] }),
    piMessage("user", { content: "thanks" }),
    answer([{ type: "text", text: "Done." }], { stopReason: "stop" }),
  ),
  lines(
    {
      type: "session",
      id: "old",
      timestamp: "2025-11-20T23:33:50.805Z",
      cwd: "/home/ann/proj",
      provider: "anthropic",
      modelId: "claude-x",
      thinkingLevel: "off",
    },
    {
      type: "message",
      timestamp: "2025-11-20T23:33:01.550Z",
      message: { role: "user", content: [{ type: "text", text: "hi" }] },
    },
    {
      type: "message",
      timestamp: "2025-11-20T23:33:02.550Z",
      message: {
        role: "assistant",
        content: [],
        model: "claude-x",
        stopReason: "error",
        errorMessage: "429",
      },
    },
    {
      type: "message",
      timestamp: "2025-11-20T23:33:03.550Z",
      message: { role: "hookMessage", content: "x" },
    },
  ),
];
