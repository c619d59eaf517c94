// What a scripted model says, and what ctx must then count in the session that an agent really wrote.

/** A tool call of the model. */
export interface ScriptedCall {
  name: string;
  /** Text for a tool that takes any text. `@AGENT@` in it stands for the id that starting a sub-agent returned. */
  input: object | string;
  /** The agent must report it as failed. */
  fails?: true;
}

/** One answer of the model. */
export interface ScriptedTurn {
  think?: string;
  say?: string;
  calls?: ScriptedCall[];
}

/** A prompt, of a person or for a sub-agent, and the turns that answer it. */
export interface ScriptedTask {
  prompt: string;
  /** It is the prompt of a sub-agent. */
  isSubAgent?: true;
  turns: ScriptedTurn[];
}

/** What the model reports for a turn; `input` without what was cached. */
export interface Tokens {
  input: number;
  cached: number;
  output: number;
}

export interface RunCounts {
  prompts: number;
  calls: number;
  failed: number;
  requests: number;
  tokens: Tokens;
}

/** Returns the tokens of a turn: different ones for each, so that a sum shows which turns it has. */
export function tokensOf(task: number, turn: number): Tokens {
  return { input: 1000 + 100 * task + 10 * turn, cached: 500 + turn, output: 40 + 7 * task + turn };
}

/** Returns a script as the model reads it. */
export function withTokens(script: readonly ScriptedTask[]): object[] {
  return script.map(({ prompt, turns }, task) => ({
    prompt,
    turns: turns.map((turn, at) => ({ ...turn, tokens: tokensOf(task, at) })),
  }));
}

/** Returns the counts of the session, which has all tasks of persons, and of the runs of its sub-agents. */
export function expectedCounts(script: readonly ScriptedTask[]): {
  session: RunCounts;
  subAgents: RunCounts[];
} {
  const session: RunCounts = emptyCounts();
  const subAgents: RunCounts[] = [];
  for (const [at, task] of script.entries()) {
    const counts = task.isSubAgent ? emptyCounts() : session;
    if (counts !== session) subAgents.push(counts);
    counts.prompts++;
    for (const [turn, { calls = [] }] of task.turns.entries()) {
      counts.requests++;
      counts.calls += calls.length;
      counts.failed += calls.filter(({ fails }) => fails).length;
      for (const [key, value] of Object.entries(tokensOf(at, turn)))
        counts.tokens[key as keyof Tokens] += value;
    }
  }
  return { session, subAgents };
}

function emptyCounts(): RunCounts {
  return { prompts: 0, calls: 0, failed: 0, requests: 0, tokens: { input: 0, cached: 0, output: 0 } };
}
