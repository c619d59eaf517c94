// What must hold for the counts of any run, whatever log it was read from.
import type { ExecutionLog, LogStep } from "../src/model/log.js";
import type { Content } from "../src/model/content.js";
import { type MarkedAgent, spokenParts } from "../src/model/markers.js";
import type { ForeignRuns } from "./intake.js";

/** Whose rules tell apart what is in the user's name, by the name of an agent or a format. */
const rulesOf: Readonly<Record<string, MarkedAgent>> = {
  "claude-code": "claude-code",
  "claude-stream-json": "claude-code",
  "anthropic-messages": "claude-code",
  codex: "codex",
  "openai-responses": "codex",
  cline: "cline",
  "gemini-cli": "gemini",
  "gemini-stream-json": "gemini",
  "qwen-code": "gemini",
  iflow: "gemini",
};

/** The ends of a call: with a result, or without one. */
const answered = ["ok", "error"];
const others = ["denied", "interrupted", "unanswered"];

export function isCall({ type }: LogStep): boolean {
  return type === "tool_call" || type === "server_tool_call";
}

/** Returns what is wrong with the counts of the runs of a log; nothing if they are right. */
export function wrongCounts({ runs, subs, text }: Pick<ForeignRuns, "runs" | "subs" | "text">): string[] {
  return [...runs, ...subs.map(({ run }) => run)].flatMap((run) => wrongIn(run, text));
}

function wrongIn(run: ExecutionLog, text: (content: Content | undefined) => string | undefined): string[] {
  const wrong: string[] = [];
  const steps = run.steps ?? [];
  const calls = steps.filter(isCall);
  const ended = (ends: readonly string[]): LogStep[] =>
    calls.filter(({ metadata }) => ends.includes(metadata?.["status"] as string));
  const [results, without] = [ended(answered), ended(others)];
  if (calls.length !== results.length + without.length)
    wrong.push(`${calls.length} calls are not ${results.length} with a result and ${without.length} without`);
  const open = ended(["unanswered"]);
  for (const { output, metadata } of open)
    if (output !== undefined) wrong.push(`an unanswered call has an output: ${JSON.stringify(metadata)}`);
  const ids = calls.map(({ metadata }) => metadata?.["call_id"]).filter((id) => id !== undefined);
  for (const id of new Set(ids.filter((each, index) => ids.indexOf(each) !== index)))
    wrong.push(`two calls have the id ${JSON.stringify(id)}`);
  const waiting = new Set(open.map(({ metadata }) => metadata?.["call_id"]).filter((id) => id !== undefined));
  for (const { type, metadata } of steps)
    if (type === "tool_result" && waiting.has(metadata?.["call_id"] ?? null))
      wrong.push(`a result stands beside its call, which counts as unanswered: ${JSON.stringify(metadata)}`);
  const source = (run.metadata?.["source"] ?? {}) as { agent?: string; format?: string };
  const agent = rulesOf[source.agent ?? ""] ?? rulesOf[source.format ?? ""];
  for (const { content } of agent === undefined ? [] : (run.prompts ?? [])) {
    const said = text(content) ?? "";
    const injected = spokenParts(agent as MarkedAgent, said).find(({ kind }) => kind !== undefined);
    if (injected !== undefined)
      wrong.push(`a prompt has what the agent sent (${injected.kind}): ${said.slice(0, 80)}`);
  }
  return wrong;
}
