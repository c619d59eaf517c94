// Parses the text that Cline, Roo and Kilo put into user messages: results of tools under a heading, details
// about the folder and the task, and what the user wrote, in tags.
import { markerKind } from "../../../model/markers.js";
import { Coverage } from "../../coverage.js";
import { wordAt } from "../../json-access.js";
import { parseValue } from "../../parse.js";

/**
 * Parses the heading of a result, `[read_file for 'a.txt'] Result:`: the tool, what it says about the call,
 * and the rest.
 */
export function headedResult(text: string): { tool: string; about: string; rest: string } | undefined {
  const tool = /^\[([\w.-]{1,100})(?=[\] ])/.exec(text)?.[1];
  if (tool === undefined) return undefined;
  const at = text.indexOf(heading);
  if (at === -1) return undefined;
  return { tool, about: text.slice(0, at), rest: text.slice(at + heading.length).replace(/^\r?\n/, "") };
}

const heading = "] Result:";

/** Returns the tool of a remark that a call was not executed. */
export function skippedCall(text: string): string | undefined {
  const found =
    /^(?:Skipping tool|Tool) \[([\w.-]{1,100})(?=[\] ])/.exec(text) ??
    /^Skipping MCP tool ([\w.-]{1,100}) /.exec(text);
  return found !== null && /due to user rejecting|was not executed|and not executed/.test(text)
    ? found[1]
    : undefined;
}

const details = { begin: "<environment_details>", end: "</environment_details>" };

/** Splits off the environment details at the end of a text. */
export function withoutDetails(text: string): { text: string; details: string | undefined } {
  const trimmed = text.trimEnd();
  const at = trimmed.endsWith(details.end) ? trimmed.lastIndexOf(details.begin) : -1;
  if (at === -1) return { text, details: undefined };
  return { text: text.slice(0, at).trimEnd(), details: trimmed.slice(at) };
}

/** Returns the folder that the details name. */
export function folderIn(text: string): string | undefined {
  return /^# Current (?:Working|Workspace) Directory \(([^\n]{1,4000})\) Files$/m.exec(text)?.[1];
}

const wrappers = ["task", "user_message", "user_input", "feedback"];

/** Whether a text may hold such a tag: it begins with one, or with what the client says about it. */
function mayHold(text: string): boolean {
  const head = text.slice(0, 200).trimStart();
  const isTagged = /^<(?:task|user_message|user_input|feedback)\b/.test(head);
  return isTagged || /^(?:client|feedback)$/.test(markerKind("cline", head) ?? "");
}

/**
 * Returns what a person wrote, and what the client put before and after it; undefined where no tag marks it.
 */
export function typedIn(text: string): { before: string; typed: string; after: string } | undefined {
  if (!mayHold(text)) return undefined;
  for (const name of wrappers) {
    const begin = new RegExp(`<${name}(?: [^<>\\n]{0,200})?>`).exec(text);
    const end = `</${name}>`;
    const to = text.lastIndexOf(end);
    if (begin === null || to < begin.index) continue;
    return {
      before: text.slice(0, begin.index).trim(),
      typed: text.slice(begin.index + begin[0].length, to).trim(),
      after: text.slice(to + end.length).trim(),
    };
  }
  return undefined;
}

/** Returns the user's feedback to the result of a call. */
export function feedbackIn(result: string): string | undefined {
  if (/^\s*\{"status"/.test(result)) return noteIn(result);
  const [begin, end] = ["<feedback>", "</feedback>"];
  const from = result.indexOf(begin);
  const to = from === -1 ? -1 : result.indexOf(end, from);
  const said = to === -1 ? "" : result.slice(from + begin.length, to).trim();
  return said === "" || !/^\s*The user /.test(result) ? undefined : said;
}

/** Returns the feedback in a result that is JSON, as newer versions of Roo have it. */
function noteIn(result: string): string | undefined {
  const value = parseValue(Buffer.from(result), new Coverage());
  return value instanceof Error ? undefined : wordAt(value, "feedback");
}

/** Returns whether a user message was written by such a program. */
export function isClineText(text: string): boolean {
  return /^\s*<(?:task|user_message|user_input|feedback|environment_details)\b/.test(text);
}
