// The formats that are known, in the order in which they are asked. A new one is a file in formats/ and a line here.
import type { Format } from "./format.js";
import { claudeCode } from "./formats/claude-code/format.js";
import { claudeStreamJson } from "./formats/claude-stream-json.js";
import { codex } from "./formats/codex/format.js";
import { codexExecJson } from "./formats/codex-exec-json/format.js";
import { langsmith } from "./formats/langsmith/format.js";
import { openaiMessages } from "./formats/openai-messages/format.js";
import { openinference } from "./formats/openinference/format.js";
import { otel } from "./formats/otel/format.js";
import { otelEvents } from "./formats/otel-events/format.js";
import { vercelAi } from "./formats/vercel-ai/format.js";

export const formats: readonly Format[] = [
  codex,
  codexExecJson,
  claudeStreamJson,
  otelEvents,
  openinference,
  otel,
  langsmith,
  vercelAi,
  claudeCode,
  openaiMessages,
];
