// Runs that are small enough to be made in memory: those of which a store has many, and those that are
// replayed.

/** The output of one of the small runs. */
export const artifact = "what one run produced\n";

/** One of the many runs of a store. @param {number} index */
export function smallRun(index) {
  const created = new Date(1_700_000_000_000 + index * 60_000).toISOString();
  return {
    created,
    model: { identifier: `model-${index % 7}`, parameters: { temperature: 0 } },
    system_prompt: "You are a careful coding agent.",
    prompts: [{ role: "user", content: `Task ${index % 40}` }],
    steps: Array.from({ length: 5 }, (_, step) => ({
      type: "tool_call",
      tool: ["read_file", "run_command", "edit_file"][step % 3],
      parameters: { path: `src/file-${index % 50}-${step}.ts` },
      output: `output ${step}`,
      timestamp: created,
    })),
    ...(index === 17 && { outputs: [{ name: "artifact.txt", content: artifact }] }),
    environment: { os: "linux/x64", runtime: "node20" },
    metadata: { index },
  };
}

/** Returns a run of this many steps of one tool, which replays exactly. @param {number} count @param {"read_file" | "bash"} tool */
export function replayableRun(count, tool) {
  const files = Array.from({ length: tool === "bash" ? 0 : Math.min(count, 1000) }, (_, at) => ({
    name: `file-${at}.txt`,
    content: `line ${at}\n`.repeat(100),
  }));
  const steps = Array.from({ length: count }, (_, index) => {
    const { name, content } = files[index % files.length] ?? { name: "", content: "" };
    return {
      index,
      type: "tool_call",
      tool,
      parameters: tool === "bash" ? { command: "true" } : { path: name },
      output: content,
      deterministic: true,
      timestamp: "2026-01-01T00:00:00Z",
    };
  });
  return {
    model: { identifier: "m" },
    system_prompt: "Read.",
    inputs: files,
    steps,
    environment: { os: "linux", runtime: "none" },
  };
}
