// The formats that are known, in the order in which they are asked. A new one is a file in formats/ and a line here.
import type { Format } from "./format.js";
import { atif } from "./formats/atif/format.js";
import { claudeCode } from "./formats/claude-code/format.js";
import { claudeStreamJson } from "./formats/claude-stream-json.js";
import { codex } from "./formats/codex/format.js";
import { codexExecJson } from "./formats/codex-exec-json/format.js";
import { inspect } from "./formats/inspect/format.js";
import { openaiMessages } from "./formats/openai-messages/format.js";
import { otel } from "./formats/otel/format.js";

export const formats: readonly Format[] = [
  inspect,
  atif,
  codex,
  codexExecJson,
  claudeStreamJson,
  otel,
  claudeCode,
  openaiMessages,
];
