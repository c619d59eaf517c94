// Reads the texts in which an agent reports a command that the user ran in it (`!command`): the command, and
// what it printed.

interface Range {
  from: number;
  to: number;
}

export interface UserCommand {
  /** Undefined if an earlier text holds the command. */
  command: Range | undefined;
  printed: readonly Range[];
}

const opening =
  /^\s{0,100}(?:<bash-(?:input|stdout|stderr)>|<user_shell_command>|I ran the following shell command:\n```)/;

/** A longer text is not read for a command. */
const maxLength = 1 << 24;

/** Returns the command of the user's that a text reports; undefined if it reports none. */
export function userCommandIn(text: string): UserCommand | undefined {
  if (text.length > maxLength) return undefined;
  const begin = opening.exec(text)?.[0].trimStart();
  if (begin === undefined) return undefined;
  if (begin.startsWith("<bash-")) return ofClaudeCode(text);
  return begin.startsWith("<") ? ofCodex(text) : ofGemini(text);
}

/**
 * Returns whether bytes may report a command of the user's: a quick check, because there may be a million
 * contents.
 */
export function mayReportCommand(bytes: Buffer): boolean {
  return bytes.length <= maxLength && opening.test(bytes.toString("latin1", 0, 160));
}

/**
 * `<bash-input>…</bash-input>`, and in a later text
 * `<bash-stdout>…</bash-stdout><bash-stderr>…</bash-stderr>`.
 */
function ofClaudeCode(text: string): UserCommand {
  const command = between(text, "<bash-input>", "</bash-input>");
  const printed = ["stdout", "stderr"].flatMap(
    (name) => between(text, `<bash-${name}>`, `</bash-${name}>`, command?.to) ?? [],
  );
  return { command, printed };
}

function ofCodex(text: string): UserCommand {
  const command = between(text, "<command>", "</command>");
  const result = between(text, "<result>", "</result>", command?.to);
  if (result === undefined) return { command, printed: [] };
  const header = /^\s*(?:(?:Exit code|Duration):[^\n]*\n)*Output:\n?/.exec(
    text.slice(result.from, result.to),
  );
  return { command, printed: [{ from: result.from + (header?.[0].length ?? 0), to: result.to }] };
}

function ofGemini(text: string): UserCommand {
  const middle = "\n```\n\nThis produced the following result:\n```\n";
  const command = between(text, "```", middle);
  if (command === undefined) return { command, printed: [] };
  const from = command.to + middle.length;
  const last = text.lastIndexOf("\n```");
  const to = last < from ? text.length : last;
  const language = /^\w*\n/.exec(text.slice(command.from, command.to))?.[0].length ?? 0;
  return { command: { ...command, from: command.from + language }, printed: [{ from, to }] };
}

/** Returns the range between two marks, to the end of the text if the second is missing. */
function between(text: string, open: string, close: string, start = 0): Range | undefined {
  const at = text.indexOf(open, start);
  if (at === -1) return undefined;
  const from = at + open.length;
  const to = text.indexOf(close, from);
  return { from, to: to === -1 ? text.length : to };
}
