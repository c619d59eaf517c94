// All formats, in the order in which they are tried. A new format is a folder in formats/ and a line here;
// docs/adding-a-format.md explains how.
import type { Format } from "./format.js";
import { anthropicMessages } from "./formats/anthropic-messages/format.js";
import { atif } from "./formats/atif/format.js";
import { claudeCode } from "./formats/claude-code/format.js";
import { claudeStreamJson } from "./formats/claude-code/stream-json.js";
import { codex } from "./formats/codex/format.js";
import { codexExecJson } from "./formats/codex/exec-json.js";
import { copilotCli } from "./formats/copilot-cli/format.js";
import { geminiCli } from "./formats/gemini-cli/format.js";
import { geminiStreamJson } from "./formats/gemini-cli/stream-json.js";
import { iflow } from "./formats/iflow/format.js";
import { inspect } from "./formats/inspect/format.js";
import { langsmith } from "./formats/langsmith/format.js";
import { mcp } from "./formats/mcp/format.js";
import { miniSweAgent } from "./formats/mini-swe-agent/format.js";
import { openaiMessages } from "./formats/openai-messages/format.js";
import { openaiResponses } from "./formats/openai-responses/format.js";
import { opencode } from "./formats/opencode/format.js";
import { openhands } from "./formats/openhands/format.js";
import { openinference } from "./formats/openinference/format.js";
import { otel } from "./formats/otel/format.js";
import { otelEvents } from "./formats/otel-events/format.js";
import { pi } from "./formats/pi/format.js";
import { qwenCode } from "./formats/qwen-code/format.js";
import { sweAgent } from "./formats/swe-agent/format.js";
import { vercelAi } from "./formats/vercel-ai/format.js";

export const formats: readonly Format[] = [
  inspect,
  atif,
  codex,
  codexExecJson,
  claudeStreamJson,
  otelEvents,
  openinference,
  otel,
  langsmith,
  vercelAi,
  copilotCli,
  pi,
  opencode,
  geminiCli,
  geminiStreamJson,
  qwenCode,
  iflow,
  claudeCode,
  sweAgent,
  miniSweAgent,
  openhands,
  anthropicMessages,
  openaiResponses,
  openaiMessages,
  mcp,
];

/** Returns all formats: a function, which bundles can import lazily. */
export function allFormats(): readonly Format[] {
  return formats;
}
