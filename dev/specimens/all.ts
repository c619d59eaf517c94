// A few small logs of every format that can be packed, for what must hold for all of them.
import { anthropicMessagesSpecimens } from "./anthropic-messages.js";
import { atifSpecimens } from "./atif.js";
import { copilotCliSpecimens } from "./copilot-cli.js";
import {
  claudeCodeSpecimens,
  claudeStreamJsonSpecimens,
  codexExecJsonSpecimens,
  codexSpecimens,
  openaiMessagesSpecimens,
  otelSpecimens,
} from "./earlier.js";
import { geminiCliSpecimens } from "./gemini-cli.js";
import { geminiStreamJsonSpecimens } from "./gemini-stream-json.js";
import { iflowSpecimens } from "./iflow.js";
import { inspectSpecimens } from "./inspect.js";
import { langsmithSpecimens } from "./langsmith.js";
import { mcpSpecimens } from "./mcp.js";
import { miniSweAgentSpecimens } from "./mini-swe-agent.js";
import { openaiResponsesSpecimens } from "./openai-responses.js";
import { opencodeSpecimens } from "./opencode.js";
import { openhandsSpecimens } from "./openhands.js";
import { openinferenceSpecimens } from "./openinference.js";
import { otelEventsSpecimens } from "./otel-events.js";
import { piSpecimens } from "./pi.js";
import { qwenCodeSpecimens } from "./qwen-code.js";
import { sweAgentSpecimens } from "./swe-agent.js";
import { vercelAiSpecimens } from "./vercel-ai.js";

export const specimens: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  "anthropic-messages": anthropicMessagesSpecimens,
  atif: atifSpecimens,
  "claude-code": claudeCodeSpecimens,
  "claude-stream-json": claudeStreamJsonSpecimens,
  codex: codexSpecimens,
  "codex-exec-json": codexExecJsonSpecimens,
  "copilot-cli": copilotCliSpecimens,
  "gemini-cli": geminiCliSpecimens,
  "gemini-stream-json": geminiStreamJsonSpecimens,
  iflow: iflowSpecimens,
  inspect: inspectSpecimens,
  langsmith: langsmithSpecimens,
  mcp: mcpSpecimens,
  "mini-swe-agent": miniSweAgentSpecimens,
  "openai-messages": openaiMessagesSpecimens,
  "openai-responses": openaiResponsesSpecimens,
  opencode: opencodeSpecimens,
  openhands: openhandsSpecimens,
  openinference: openinferenceSpecimens,
  otel: otelSpecimens,
  "otel-events": otelEventsSpecimens,
  pi: piSpecimens,
  "qwen-code": qwenCodeSpecimens,
  "swe-agent": sweAgentSpecimens,
  "vercel-ai": vercelAiSpecimens,
};
