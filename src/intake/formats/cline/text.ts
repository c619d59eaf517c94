// Parses the text that Cline, Roo and Kilo put into user messages: results of tools under a heading, details
// about the folder and the task, and what the user wrote, in tags.

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

/** How text that no person typed begins, and its kind. */
const injections: readonly (readonly [RegExp, string])[] = [
  [/^\s*<environment_details>/, "environment"],
  [/^\s*# (?:task_progress|TODO LIST|todo list)/, "task_progress"],
  [/^\s*Files attached by the user:/, "file"],
  [/^\s*<(?:file_content|folder_content|url_content|git_commit|workspace_diagnostics)\b/, "file"],
  [/^\s*<explicit_instructions\b/, "command"],
  [/^\s*(?:\[ERROR\] |\[TASK RESUMPTION\])/, "client"],
  [/^\s*<(?:system-reminder|hook_context)\b/, "reminder"],
];

export function clineInjection(text: string): string | undefined {
  return injections.find(([pattern]) => pattern.test(text))?.[1];
}

const wrappers = ["task", "user_message", "feedback"];

/** Text that may precede such a tag. */
const leads =
  /^\s*(?:<(?:task|user_message|feedback)>|New (?:instructions|message) |The user (?:has )?provided )/;

/**
 * Returns what a person wrote, and what the client put before and after it; undefined where no tag marks it.
 */
export function typedIn(text: string): { before: string; typed: string; after: string } | undefined {
  if (!leads.test(text.slice(0, 200))) return undefined;
  for (const name of wrappers) {
    const [begin, end] = [`<${name}>`, `</${name}>`];
    const from = text.indexOf(begin);
    const to = text.lastIndexOf(end);
    if (from === -1 || to < from) continue;
    return {
      before: text.slice(0, from).trim(),
      typed: text.slice(from + begin.length, to).trim(),
      after: text.slice(to + end.length).trim(),
    };
  }
  return undefined;
}

/** Returns the user's feedback to the result of a call. */
export function feedbackIn(result: string): string | undefined {
  const [begin, end] = ["<feedback>", "</feedback>"];
  const from = result.indexOf(begin);
  const to = from === -1 ? -1 : result.indexOf(end, from);
  const said = to === -1 ? "" : result.slice(from + begin.length, to).trim();
  return said === "" || !/^\s*The user /.test(result) ? undefined : said;
}

/** Returns whether a user message was written by such a program. */
export function isClineText(text: string): boolean {
  return /^\s*<(?:task|user_message|feedback|environment_details)>/.test(text);
}
