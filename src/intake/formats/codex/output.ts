// Separates what a Codex tool returned from what Codex adds for the model: headers with wall times and exit
// codes, JSON around a text, remarks that a call was refused or aborted.
import { canonicalText } from "../../../base/json/canonical.js";
import { ExactInteger, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { flagAt, defined, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { plainOf } from "../../protocols/openai-responses/content.js";
import type { Status } from "../../run-entries.js";

export interface CodexReturned {
  output: string | Buffer;
  /** All that the model was shown. */
  seen: string;
  status: Status;
  exitCode?: number | undefined;
  /** The id of what runs in the background, by which later polls are recognised. */
  running?: string | undefined;
  /** Whether it has Codex's own header, which says how it went. */
  hasHeader: boolean;
  /** Whether no more output will come. */
  isEnded: boolean;
  isCut: boolean;
  metadata: JsonObject;
}

/** Parses the output of a call, in any of its historic forms. */
export function returnedBy(value: JsonValue | undefined): CodexReturned {
  const { text, image, images } = plainOf(value);
  const wrapped = wrappedIn(text);
  const returned = wrapped ?? headed(text);
  const isFailed = valueAt(value, "success") === false || returned.isFailed === true;
  const metadata = defined({ ...returned.metadata, images: images > 0 && text !== "" ? images : undefined });
  return {
    output: image !== undefined && text === "" ? image : returned.output,
    seen: text,
    status: remarked(text) ?? (isFailed || (returned.exitCode ?? 0) !== 0 ? "error" : "ok"),
    exitCode: returned.exitCode,
    running: returned.running,
    hasHeader: returned.hasHeader,
    isEnded: returned.running === undefined,
    isCut: isCut(text),
    metadata,
  };
}

/** Returns whether the producer truncated a text. */
export function isCut(text: string): boolean {
  return (
    /\u2026\s?\d[\d,]* (?:tokens|chars|characters|bytes|lines) truncated\s?\u2026/.test(text) ||
    /\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated to fit \d+ bytes) \.\.\.\]/.test(text)
  );
}

interface ParsedOutput {
  output: string;
  exitCode?: number | undefined;
  running?: string | undefined;
  hasHeader: boolean;
  isFailed?: boolean;
  metadata: JsonObject;
}

/** Parses the older form: JSON in a text, with the output and its exit code. */
function wrappedIn(text: string): ParsedOutput | undefined {
  if (!text.startsWith("{") || !text.includes('"output"')) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const [output, about] = [textAt(value, "output"), objectAt(value, "metadata")];
  if (output === undefined || about === undefined) return undefined;
  const seconds = numberAt(about, "duration_seconds");
  return {
    output,
    exitCode: numberAt(about, "exit_code"),
    hasHeader: true,
    metadata: defined({ duration_ms: seconds === undefined ? undefined : Math.round(seconds * 1000) }),
  };
}

const header = new RegExp(
  `^((?:(?:${[
    "Chunk ID: .*",
    "Wall time:? [\\d.]+ seconds",
    "Process exited with code -?\\d{1,10}",
    "Process running with session ID \\d+",
    "Original token count: \\d+",
    "Exit code: -?\\d{1,10}",
    "Total output lines: \\d+",
    "Script (?:completed|failed|terminated)",
    "Script running with cell ID \\S+",
  ].join("|")})\\n)+)(?:Final output|Output):(?:\\n|$)`,
);

/** Parses the newer form: lines about the call, then what it returned. */
function headed(text: string): ParsedOutput {
  const found = header.exec(text);
  if (found === null) return { output: text, hasHeader: false, metadata: {} };
  const [whole, lines = ""] = found;
  const exit = /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/m.exec(lines)?.[1];
  const session = /^Process running with session ID (\d+)$/m.exec(lines)?.[1];
  const cell = /^Script running with cell ID (\S+)$/m.exec(lines)?.[1];
  const rest = text.slice(whole.length);
  return {
    // A truncated text begins with one more line of Codex's.
    output: isCut(rest) ? rest.replace(/^Total output lines: \d+\n\n?/, "") : rest,
    exitCode: exit === undefined ? undefined : Number(exit),
    running: session === undefined ? (cell === undefined ? undefined : `cell ${cell}`) : `session ${session}`,
    hasHeader: true,
    isFailed: /^Script (?:failed|terminated)$/m.test(lines),
    metadata: defined({ session_id: session === undefined ? undefined : idOf(session), cell_id: cell }),
  };
}

/** Returns an id as the parameters of polls have it, where it fits into a number. */
function idOf(digits: string): JsonValue {
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : new ExactInteger(digits);
}

/** Returns the status that Codex's own remarks about a failed call imply. */
function remarked(text: string): Status | undefined {
  const start = text.slice(0, 500);
  if (
    /^(?:exec command |patch |command )?rejected by user/i.test(start) ||
    /^(?:tool call error: )?user (?:rejected|cancelled|declined) (?:the )?MCP tool call/i.test(start) ||
    /^This action was rejected\b/.test(start) ||
    /^exec_command failed for .*Rejected\(/s.test(start)
  )
    return "denied";
  if (/^(?:Wall time: [\d.]+ seconds\n)?aborted(?: by user(?: after [\d.]+s)?)?\s*$/.test(start))
    return "interrupted";
  if (
    /^(?:exec_command|write_stdin|apply_patch|shell|wait) (?:verification )?failed\b/.test(start) ||
    /^(?:failed to parse function arguments|unsupported (?:call|custom tool call|tool)\b|execution error\b|tool call (?:error|failed)\b)/.test(
      start,
    ) ||
    /^unable to (?:locate|read|process) image\b/.test(start)
  )
    return "error";
  return undefined;
}

/** Returns the result of an MCP server as text. */
export function mcpOutput(result: JsonValue | undefined): { output: string | undefined; status: Status } {
  const failure = wordAt(result, "Err") ?? wordAt(result, "error") ?? wordAt(result, "message");
  if (failure !== undefined) return { output: failure, status: remarked(failure) ?? "error" };
  const ok = valueAt(result, "Ok") ?? result;
  if (ok === undefined || ok === null) return { output: undefined, status: "ok" };
  const content = valueAt(ok, "content");
  const items = Array.isArray(content) ? content : [];
  const isText = items.length > 0 && items.every((item) => textAt(item, "type") === "text");
  return {
    output: isText ? items.map((item) => textAt(item, "text") ?? "").join("\n") : canonicalText(ok),
    status: flagAt(ok, "isError") || flagAt(ok, "is_error") ? "error" : "ok",
  };
}

/** Parses `{secs, nanos}` as Rust writes it, or a text such as "1.5s". */
export function milliseconds(duration: JsonValue | undefined): number | undefined {
  const [secs, nanos] = [numberAt(duration, "secs"), numberAt(duration, "nanos")];
  return secs === undefined ? undefined : Math.round(secs * 1000 + (nanos ?? 0) / 1e6);
}
