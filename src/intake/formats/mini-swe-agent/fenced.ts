// Parses commands and their results as mini-swe-agent formats them: a command between fences, and after it a
// message with the return code and the output between tags.
import { isObject, type JsonValue } from "../../../base/json/value.js";
import { textAt } from "../../json-access.js";

export type Fence = "mswea_bash_command" | "bash";

/** Returns how commands are fenced if a list of messages is a run of mini-swe-agent; undefined otherwise. */
export function fenceOf(messages: readonly JsonValue[]): Fence | undefined {
  let isAfterCommand = false;
  let found: Fence | undefined;
  for (const message of messages) {
    const text = isObject(message) ? textAt(message, "content") : undefined;
    const role = textAt(message, "role");
    if (text === undefined) continue;
    if (role === "assistant") {
      if (fenced(text, "mswea_bash_command").length > 0) return "mswea_bash_command";
      isAfterCommand = fenced(text, "bash").length === 1;
    } else if (role === "user" && isAfterCommand && resultIn(text) !== undefined) found = "bash";
  }
  return found;
}

export interface Fenced {
  command: string;
  /** The text around it. */
  rest: string;
}

/** Returns the fenced commands of a text, at most two: more are as wrong as two. */
export function fenced(text: string, fence: Fence): Fenced[] {
  const found: Fenced[] = [];
  const start = `\`\`\`${fence}`;
  for (let from = text.indexOf(start); from !== -1 && found.length < 2; ) {
    const line = text.indexOf("\n", from);
    const end = line === -1 ? -1 : text.indexOf("\n```", line);
    if (end === -1) return found;
    if (text.slice(from + start.length, line).trim() === "") {
      const rest = [text.slice(0, from).trimEnd(), text.slice(end + 4).trim()];
      found.push({
        command: text.slice(line + 1, end).trim(),
        rest: rest.filter((part) => part !== "").join("\n"),
      });
    }
    from = text.indexOf(start, end);
  }
  return found;
}

export interface FencedResult {
  exitCode: number | undefined;
  /** Undefined when a part of it is not shown. */
  output: string | undefined;
}

/** Parses a message about the end of a command; undefined when it is none. */
export function resultIn(text: string): FencedResult | undefined {
  const code =
    /^\s*(?:<exception>[^<]{0,2000}<\/exception>\s*)?<returncode>\s*(-?\d{1,9})\s*<\/returncode>\s*/.exec(
      text,
    );
  if (code === null) return undefined;
  const rest = text.slice(code[0].length).trimEnd();
  const isWhole = rest.startsWith("<output>") && rest.endsWith("</output>");
  const output = isWhole ? rest.slice("<output>".length, -"</output>".length).replace(/^\n/, "") : undefined;
  return { exitCode: Number(code[1]), output };
}
