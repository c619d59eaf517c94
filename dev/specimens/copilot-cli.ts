// Small sessions of GitHub Copilot CLI that use all that its reader looks at.
import { lines } from "../intake.js";

let count = 0;
const event = (type: string, data: object = {}, more: object = {}) => {
  const id = `e${++count}`;
  return { type, data, id, timestamp: `2026-05-01T10:00:0${count % 10}.000Z`, parentId: null, ...more };
};
const inside = { agentId: "agent-1" };
const usage = {
  inputTokens: 5,
  outputTokens: 3,
  cacheReadTokens: 1,
  cacheWriteTokens: 1,
  reasoningTokens: 1,
};
const metrics = { modelMetrics: { "gpt-x": { requests: { count: 1 }, usage } } };

export const copilotCliSpecimens: readonly (string | Buffer)[] = [
  lines(
    event("session.start", {
      sessionId: "s",
      producer: "copilot-agent",
      copilotVersion: "1.0.41",
      selectedModel: "gpt-x",
      reasoningEffort: "high",
      startTime: "2026-05-01T10:00:00.000Z",
      context: { cwd: "/home/ann/proj", branch: "main", repository: "ann/proj", headCommit: "abc" },
    }),
    event("system.message", { role: "system", content: "Be good." }),
    event("user.message", {
      content: "go",
      transformedContent: "<now/>go",
      agentMode: "autopilot",
      attachments: [
        { type: "file", path: "/a" },
        { type: "blob", data: "aGk=", mimeType: "image/png" },
      ],
    }),
    event("user.message", { content: "wake", source: "system" }),
    event("assistant.reasoning", { reasoningId: "r", content: "Hm." }),
    event("assistant.message", {
      messageId: "m1",
      content: "I look.",
      model: "gpt-y",
      reasoningText: "Hm.",
      outputTokens: 5,
      apiCallId: "r1",
      toolRequests: [
        { toolCallId: "c1", name: "bash", arguments: { command: "ls" } },
        { toolCallId: "c2", name: "create", arguments: '{"path":"/home/ann/proj/n","file_text":"one"}' },
        {
          toolCallId: "c3",
          name: "edit",
          arguments: { path: "/home/ann/proj/n", old_str: "one", new_str: "two" },
        },
        { toolCallId: "t1", name: "task", arguments: { prompt: "explore" } },
      ],
    }),
    event("tool.execution_start", { toolCallId: "c1", toolName: "bash", arguments: { command: "ls" } }),
    event("tool.execution_complete", {
      toolCallId: "c1",
      success: true,
      result: {
        content: "a\n<exited with exit code 2>",
        detailedContent: "a and all the rest of what was printed",
      },
    }),
    event("tool.execution_complete", {
      toolCallId: "c2",
      success: true,
      result: {
        contents: [
          { type: "shell_exit", exitCode: 0, outputPreview: "x" },
          { type: "image", data: "aGk=", mimeType: "image/png" },
        ],
      },
    }),
    event("tool.execution_complete", {
      toolCallId: "c3",
      success: false,
      error: { code: "denied", message: "no" },
    }),
    event(
      "subagent.started",
      { toolCallId: "t1", agentName: "explore", agentDisplayName: "E", model: "small" },
      inside,
    ),
    event("assistant.message", { content: "Found.", encryptedContent: "x", outputTokens: 2 }, inside),
    event("subagent.completed", { toolCallId: "t1", durationMs: 9, reasoningEffort: "low" }, inside),
    event("tool.user_requested", { toolCallId: "c4", toolName: "bash", arguments: {} }),
    event("abort", { reason: "user" }),
  ),
  lines(
    event("session.resume", { selectedModel: "gpt-x" }),
    event("session.model_change", { newModel: "gpt-z" }),
    event("session.context_changed", { cwd: "/b", branch: "x" }),
    event("session.title_changed", { title: "T" }),
    event("session.handoff", { remoteSessionId: "r", summary: "so far" }),
    event("session.truncation"),
    event("session.compaction_complete", { success: true, summaryContent: "so far" }),
    event("session.context_cleared", { initialMessage: "x" }),
    event("session.binary_asset", { assetId: "a", data: "aGk=", mimeType: "image/png" }),
    event("session.error", { message: "no" }),
    event("skill.invoked", { content: "How" }),
    event("hook.start", { hookType: "userPromptSubmitted" }),
    event("assistant.message", { content: "in", parentToolCallId: "t9" }),
    event("assistant.usage", { apiCallId: "r2", ...usage }),
    event("session.snapshot_rewind", { upToEventId: "e18" }),
    event("session.shutdown", {
      ...metrics,
      sessionStartTime: 1,
      shutdownType: "routine",
      errorReason: "x",
      currentModel: "m",
      totalPremiumRequests: 1,
      codeChanges: {},
      agentMetrics: { main: metrics, t9: metrics },
    }),
    { type: "result", sessionId: "s", exitCode: 0, usage: { premiumRequests: 1, codeChanges: {} } },
  ),
];
