// Logs for tests: the smallest valid one, and a real little run.
export interface AnyLog {
  [field: string]: unknown;
}

/** The smallest log that is valid, with a time in it, and whatever a test adds or replaces. */
export function smallLog(fields: AnyLog = {}): AnyLog {
  return {
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "test-model" },
    system_prompt: "You are terse.",
    environment: { os: "linux/x64", runtime: "node20" },
    ...fields,
  };
}

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

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
