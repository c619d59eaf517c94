// How texts begin and end that an agent sends in the user's name: reminders, reports, summaries, its own requests to
// the model. None of them is a prompt. Rules are data, a list for each agent; dev/markers.ts has an example of each.
import { words } from "../base/lists.js";

/** A rule: what it recognises, of which kind that is, and how far it reaches. */
export interface Marker {
  /** The kind of the step that the text becomes; the name of the element where it is not set. */
  kind?: string;
  /** Names of elements: a text begins with their opening tag, and their closing tag ends what was inserted. */
  tags?: ReadonlySet<string>;
  /** Whether the agent also appends such elements to what a person typed. */
  isAppended?: true;
  /** How a text begins, up to `through` or else to its end. */
  starts?: RegExp;
  through?: string;
}

/** The agents that have rules. */
export type MarkedAgent = keyof typeof markers;

/** Elements are compared without case, with `_` for spaces and hyphens. */
export const markers = {
  "claude-code": [
    { kind: "command", tags: words("command_name command_message command_args command_contents") },
    {
      kind: "command_output",
      tags: words("local_command_stdout local_command_stderr local_command_caveat"),
    },
    { kind: "command_output", starts: /^Caveat: The messages below were generated/ },
    { kind: "shell", tags: words("bash_input bash_stdout bash_stderr") },
    { kind: "ide", tags: words("ide_opened_file ide_selection ide_diagnostics") },
    {
      kind: "reminder",
      tags: words("system_reminder user_prompt_submit_hook session_start_hook"),
      isAppended: true,
    },
    { kind: "task", tags: words("task_notification teammate_message") },
    { kind: "interruption", starts: /^\[Request interrupted by user/ },
    { kind: "skill", starts: /^Base directory for this skill: / },
    { kind: "hook", starts: /^Stop hook feedback:\n/ },
    {
      kind: "summary",
      starts: /^This session is being continued from a previous conversation that ran out of/,
    },
    {
      kind: "compaction",
      starts: /^Your task is to create a detailed summary of the (?:conversation|RECENT portion)/,
    },
    { kind: "continuation", starts: /^Continue from where you left off\.$/ },
  ],
  codex: [
    {
      tags: words(
        "environment_context user_instructions permissions_instructions turn_aborted user_shell_command user_action subagent_notification skill skills_instructions collaboration_mode personality_spec model_switch realtime_conversation apps_instructions plugins_instructions instructions multi_agent_mode goal_context hook_prompt token_budget",
      ),
    },
    { kind: "agents_md", starts: /^# AGENTS\.md instructions\b/, through: "</INSTRUCTIONS>" },
  ],
  cline: [
    { kind: "environment", tags: words("environment_details"), isAppended: true },
    { kind: "task_progress", starts: /^# (?:task_progress|TODO LIST|todo list)/ },
    { kind: "file", starts: /^Files attached by the user:/ },
    { kind: "file", tags: words("file_content folder_content url_content git_commit workspace_diagnostics") },
    { kind: "command", tags: words("explicit_instructions") },
    { kind: "reminder", tags: words("system_reminder hook_context"), isAppended: true },
    { kind: "client", starts: /^(?:\[ERROR\] |\[TASK RESUMPTION\]|\[\[?NOTE\] )/ },
    { kind: "client", starts: /^\(The user did not provide a new message\./ },
    { kind: "client", starts: /^# Reminder: Instructions for Tool Use\b/ },
    { kind: "client", starts: /^(?:This t|T)ask was interrupted .{1,80}ago\b/ },
    {
      kind: "client",
      starts:
        /^New (?:instructions for task continuation|message to respond to with plan_mode_respon(?:d|se) tool)/,
    },
    {
      kind: "client",
      starts: /^You (?:seem to be having trouble proceeding\.|did not use a tool in your previous response)/,
    },
    // What became of a call; where a call waits, it is its result.
    {
      kind: "feedback",
      starts:
        /^The user (?:(?:has )?(?:provided (?:the following )?feedback|denied this operation|approved this operation|rejected this operation)|is not pleased with the results|made the following updates to your content)/,
    },
    { kind: "feedback", starts: /^Task was interrupted before this tool call/ },
    { kind: "feedback", starts: /^The tool execution failed with the following error:/ },
    { kind: "feedback", starts: /^\{"status": ?"(?:denied|approved|error|guidance)"/ },
  ],
  gemini: [
    { kind: "continuation", starts: /^(?:System: )?Please continue\.$/ },
    { kind: "environment", tags: words("session_context") },
    { kind: "environment", starts: /^This is (?:the )?(?:Gemini CLI|Qwen Code|iFlow CLI)\b/ },
    { kind: "summary", tags: words("state_snapshot") },
    { kind: "ide", starts: /^Here is the user's editor context/ },
    { kind: "reminder", tags: words("system_reminder hook_context"), isAppended: true },
  ],
  openhands: [
    {
      kind: "continuation",
      starts: /^Please continue working on the task on whatever approach you think is suitable\./,
    },
    { kind: "reminder", starts: /^ENVIRONMENT REMINDER: You have \d+ turns left/ },
  ],
} satisfies Record<string, readonly Marker[]>;

/** Where a text holds what an agent inserted. */
interface InsertedText {
  kind: string;
  from: number;
  to: number;
}

/** A part of a text, and its kind; undefined when a person wrote it. */
export interface SpokenPart {
  kind: string | undefined;
  text: string;
}

const openingTag = /<([A-Za-z][\w -]{0,60})>|<([A-Za-z][\w-]{0,60})\s[^<>]{0,1000}>/y;
const closingTag = /<\/([A-Za-z][\w -]{0,60})>$/;

function elementName(tag: string): string {
  return tag.toLowerCase().replaceAll(/[ -]/g, "_");
}

/** Returns the names of all elements that any agent inserts. */
export function injectedElements(): Set<string> {
  const all: readonly Marker[] = Object.values(markers).flat();
  return new Set(all.flatMap(({ tags }) => [...(tags ?? [])]));
}

/**
 * Splits a text in the user's name into what a person wrote and what the agent put before and after it. Parts of one
 * kind that follow one another are one part.
 */
export function spokenParts(agent: MarkedAgent, text: string): SpokenPart[] {
  const rules: readonly Marker[] = markers[agent];
  const parts: InsertedText[] = [];
  const end = text.trimEnd().length;
  let from = 0;
  for (let found = headAt(rules, text, from); found !== undefined; found = headAt(rules, text, from)) {
    const last = parts.at(-1);
    if (last?.kind === found.kind) last.to = found.to;
    else parts.push(found);
    from = found.to;
    if (text.slice(from, end).trim() === "") break;
  }
  const tail: InsertedText[] = [];
  let to = end;
  for (
    let found = tailAt(rules, text, { from, to });
    found !== undefined;
    found = tailAt(rules, text, { from, to })
  ) {
    const next = tail[0];
    if (next?.kind === found.kind) next.from = found.from;
    else tail.unshift(found);
    to = text.slice(0, found.from).trimEnd().length;
  }
  const typed = text.slice(from, to);
  const [only, another] = [...parts, ...tail];
  if (only === undefined) return [{ kind: undefined, text }];
  if (another === undefined && typed.trim() === "") return [{ kind: only.kind, text }];
  const cut = (list: readonly InsertedText[]): SpokenPart[] =>
    list.map(({ kind, from: start, to: stop }) => ({ kind, text: text.slice(start, stop).trim() }));
  return [
    ...cut(parts),
    ...(typed.trim() === "" ? [] : [{ kind: undefined, text: typed.trim() }]),
    ...cut(tail),
  ];
}

/** Returns the kind of a text of which a person wrote nothing; undefined for any other. */
export function markerKind(agent: MarkedAgent, text: string): string | undefined {
  const parts = spokenParts(agent, text);
  return parts.every(({ kind }) => kind !== undefined) ? parts[0]?.kind : undefined;
}

/** Returns what an agent inserted at this position, without the space before it. */
function headAt(rules: readonly Marker[], text: string, position: number): InsertedText | undefined {
  const space = /\s*/y;
  space.lastIndex = position;
  const from = position + (space.exec(text)?.[0].length ?? 0);
  openingTag.lastIndex = from;
  const opened = openingTag.exec(text);
  const tag = opened?.[1] ?? opened?.[2];
  if (opened !== null && tag !== undefined) {
    const name = elementName(tag);
    const rule = rules.find(({ tags }) => tags?.has(name) === true);
    if (rule !== undefined) {
      const close = text.indexOf(`</${tag}>`, from + opened[0].length);
      // An element that does not end takes up the whole text.
      return { kind: rule.kind ?? name, from, to: close === -1 ? text.length : close + tag.length + 3 };
    }
  }
  const rest = text.slice(from).trimEnd();
  const rule = rules.find(({ starts }) => starts?.test(rest) === true);
  if (rule === undefined) return undefined;
  const last = rule.through === undefined ? -1 : text.indexOf(rule.through, from);
  const to = last === -1 ? text.length : last + (rule.through ?? "").length;
  return { kind: rule.kind ?? "client", from, to };
}

/** Returns the element that an agent appended to the part of a text between two positions. */
function tailAt(
  rules: readonly Marker[],
  text: string,
  { from, to }: { from: number; to: number },
): InsertedText | undefined {
  const tag = closingTag.exec(text.slice(Math.max(from, to - 70), to))?.[1];
  if (tag === undefined) return undefined;
  const name = elementName(tag);
  const rule = rules.find(({ tags, isAppended }) => isAppended === true && tags?.has(name) === true);
  const start = rule === undefined ? -1 : text.lastIndexOf(`<${tag}>`, to);
  // One within a line is what a person quoted.
  const isLine = start >= from && /(?:^|\n)[ \t]{0,20}$/.test(text.slice(Math.max(from, start - 21), start));
  return isLine && rule !== undefined ? { kind: rule.kind ?? name, from: start, to } : undefined;
}
