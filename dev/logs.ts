// Logs for tests: the smallest valid one, and a real little run.
export interface AnyLog {
  [field: string]: unknown;
}

/**
 * Returns the smallest log that is valid, with a time in it, and the members that a test adds or replaces.
 */
export function smallLog(fields: AnyLog = {}): AnyLog {
  return {
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "test-model" },
    system_prompt: "You are terse.",
    environment: { os: "linux/x64", runtime: "node20" },
    ...fields,
  };
}

/** The environment of this process: a replay finds every fact of it the same, with each version of Node. */
export const environmentHere = {
  os: `${process.platform}/${process.arch}`,
  runtime: `node${process.versions.node.split(".")[0]}`,
};

/** A log with a few steps that share an output, inputs, prompts and an artifact. */
export function runLog(fields: AnyLog = {}): AnyLog {
  return smallLog({
    prompts: [{ role: "user", content: "Count the lines of notes.txt." }],
    inputs: [{ name: "notes.txt", content: "one\ntwo\n" }],
    steps: [
      {
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "notes.txt" },
        output: "one\ntwo\n",
        deterministic: true,
        timestamp: "2026-02-10T11:59:58Z",
      },
      { type: "reasoning", output: "Two lines.", timestamp: "2026-02-10T11:59:59.5Z" },
    ],
    outputs: [{ name: "answer.txt", content: "2\n", confidence: "high" }],
    ...fields,
  });
}

/**
 * Returns a run read from the log of an agent: a session of several turns, with all metadata of such a run.
 */
export function importedLog(fields: AnyLog = {}): AnyLog {
  const call = (tool: string, parameters: AnyLog, rest: AnyLog): AnyLog => ({
    type: "tool_call",
    tool,
    parameters,
    ...rest,
  });
  return smallLog({
    model: { identifier: "claude-opus-4-6" },
    system_prompt: "",
    prompts: [
      { role: "user", content: "Fix the failing test." },
      { role: "user", content: "\nNow tidy up.\nLeave the tests alone." },
    ],
    steps: [
      { type: "context", output: "# House rules", metadata: { turn: 0, kind: "memory" } },
      call("Read", { file_path: "src/pages.ts" }, { output: "let x", metadata: { turn: 0, status: "ok" } }),
      call(
        "Bash",
        { command: "npm test" },
        { output: "1 failing", seen: "exit 1\n1 failing", metadata: { turn: 0, status: "error" } },
      ),
      { type: "message", output: "Wrong way.", metadata: { turn: 0, abandoned: true } },
      call(
        "Task",
        { prompt: "Find callers" },
        { output: "None.", pack: `sha256:${"ab".repeat(32)}`, metadata: { turn: 0, status: "ok" } },
      ),
      call("Bash", { command: "rm -rf dist" }, { output: "no", metadata: { turn: 1, status: "denied" } }),
      call("Bash", { command: "npm run build" }, { metadata: { turn: 1, status: "unanswered" } }),
      { type: "message", output: "Done.", metadata: { turn: 1 } },
    ],
    environment: { os: "unknown", runtime: "unknown" },
    metadata: importedMetadata(),
    ...fields,
  });
}

export function importedMetadata(fields: AnyLog = {}): AnyLog {
  return {
    source: { format: "claude-code", version: "2.1.3", session: "1a2b3c4d-0000-4000-8000-123456789abc" },
    workdir: "/home/you/repo",
    git: { branch: "main", commit: "0123456789abcdef".repeat(4).slice(0, 40) },
    models: ["claude-opus-4-6", "claude-haiku-4-5"],
    usage: { requests: 7, input_tokens: 1234, output_tokens: 567, cache_read_input_tokens: 8900 },
    coverage: {
      records: 1204,
      captured: ["prompts", "messages", "tool calls", "tool results", "times", "usage"],
      reconstructed: ["outputs: files as their last recorded change left them"],
      unknown: ["the system prompt (not recorded)", "some of the reasoning (encrypted, or not recorded)"],
      skipped: { "frame-link": 1, "new-thing": 2 },
      left_out: { "file-history-snapshot": 1100, summary: 2 },
      damaged: {
        count: 2,
        lines: [
          { line: 17, why: "is not valid JSON" },
          { line: 18, why: "is longer than 512 MB" },
        ],
      },
      partial_last_line: true,
      duplicates: 3,
      truncated: 1,
      replaced: 12,
    },
    ...fields,
  };
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
