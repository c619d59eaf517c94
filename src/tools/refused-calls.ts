// Recognises calls that never ran because the agent's program refused them: a person, a rule or a hook said
// no, another call failed first, or a condition of the tool was not met. Decided from what the log records of
// the call alone, by the wording of each agent, and only where the log says that the call failed.

/** What a log records of a call that failed. */
export interface FailedCall {
  agent: string | undefined;
  /** Whether the call is a command for a shell. */
  isCommand: boolean;
  exitCode: number | undefined;
  /** The beginning of the recorded error. */
  text: string;
}

type Wording = readonly [pattern: RegExp, why: string];

const claude: readonly Wording[] = [
  [
    /^(?:Permission for this tool use was denied|Permission to use .* (?:has been|was) denied)/,
    "permission was denied",
  ],
  [/^The user doesn't want to (?:proceed|take this action)/, "the user declined"],
  [/^(?:User rejected|The user (?:rejected|declined))/, "the user declined"],
  [
    /^(?:Claude requested permissions? to|This command requires approval|This Bash command contains multiple operations)/,
    "permission was not granted",
  ],
  [/^(?:.* was blocked\. For security, Claude Code|Permission)/, "permission was denied"],
  [
    /^(?:PreToolUse:|Hook PreToolUse:|.*\bPreToolUse:\w+ hook (?:error|blocking error)|Blocked by hook|Operation stopped by hook)/,
    "a hook stopped it",
  ],
  [/^(?:Sibling tool call errored|Cancelled: parallel tool call)/, "another call failed first"],
  [/^File has not been read yet/, "the file was not read before"],
  [/^File has been (?:modified|unexpectedly modified) since/, "the file was changed after it was read"],
  [
    /^File content \([^)]*\) exceeds maximum allowed|exceeds maximum allowed (?:tokens|size)/,
    "the answer would have been too long",
  ],
  [
    /^(?:InputValidationError|No such tool available|Unknown (?:tool|skill)|Invalid tool parameters)/,
    "the agent's program did not accept the call",
  ],
  [
    /^(?:No changes to make: old_string and new_string are exactly the same|Blocked: )/,
    "the agent's program did not accept the call",
  ],
];

const codex: readonly Wording[] = [
  [/^(?:exec command |patch |command |apply_patch )?rejected by user/i, "the user declined"],
  [/^(?:Wall time: [\d.]+ seconds\n)?aborted(?: by user)?/i, "the user stopped it"],
  [/^(?:This action was rejected|exec_command failed for .*Rejected\()/s, "it was rejected"],
  [
    /^(?:failed to parse function arguments|unsupported (?:call|custom tool call|tool)\b|patch rejected: )/,
    "the agent's program did not accept the call",
  ],
];

const gemini: readonly Wording[] = [
  [
    /^(?:\[Operation Cancelled\]|User cancelled|Operation cancelled|Tool call cancelled)/i,
    "the user stopped it",
  ],
  [/denied by policy|^Command rejected|requires? (?:user )?confirmation/i, "permission was denied"],
  [
    /^(?:Error: )?(?:Invalid parameters|params must|Tool ".*" not found|File path must be|Path (?:not in workspace|must be))/i,
    "the agent's program did not accept the call",
  ],
];

const others: readonly Wording[] = [
  [
    /^(?:Action (?:was )?rejected|User rejected|The user (?:rejected|denied|declined)|Command not executed|Tool execution (?:was )?(?:denied|rejected|cancelled))/i,
    "it was rejected",
  ],
];

const wordings: Readonly<Record<string, readonly Wording[]>> = {
  "claude-code": claude,
  "claude-stream-json": claude,
  codex,
  "codex-exec-json": codex,
  "gemini-cli": gemini,
  "gemini-stream-json": gemini,
  "qwen-code": gemini,
  iflow: gemini,
};

/** Returns why a failed call never ran; undefined if it may have run. */
export function refusalOf({ agent, isCommand, exitCode, text }: FailedCall): string | undefined {
  // A command with an exit status ran, whatever it printed: "Permission denied (publickey)" is what ssh says.
  if (agent === undefined || (isCommand && exitCode !== undefined)) return undefined;
  const table = Object.hasOwn(wordings, agent) ? (wordings[agent] ?? others) : others;
  const plain = text
    .trimStart()
    .replace(/^<tool_use_error>|^Error: /, "")
    .slice(0, 2000);
  const known = table.find(([pattern]) => pattern.test(plain))?.[1];
  if (known !== undefined) return known;
  // A command that ran has an exit status in these logs, unless it took too long.
  if (table === claude && isCommand && !/timed out|^Exit code/i.test(plain))
    return "no exit status is recorded, so it never ran";
  return undefined;
}
