// Decides, before anything runs, how each step of a run would be replayed, and why.
import { isObject } from "../base/json/value.js";
import { words } from "../base/lists.js";
import type { Adapter, McpServer, ReplayConfig } from "../model/config.js";
import type { Manifest, Step } from "../model/manifest.js";
import type { ComparedPart } from "../results/replay.js";
import { SessionTools } from "../tools/session-tools.js";
import { type Action, effects, type ToolUse } from "../tools/table.js";
import { type Classified, Classifier } from "./classify.js";
import { ranInZsh } from "./recorded-shell.js";

/** Kinds of programs that need the user's consent. */
export const consents = ["exec", "adapters", "mcp"] as const;
export type Consent = (typeof consents)[number];

export type Execution =
  /** The recorded output is kept. */
  | { how: "recorded"; why: string; byRequest?: true }
  | { how: "builtin"; use: ToolUse }
  | {
      how: "command";
      argv: string[];
      line: string;
      folder?: string;
      env?: Record<string, string>;
      /** The line ran in zsh, and runs in it where it is here. */
      isZsh?: true;
    }
  | { how: "adapter"; adapter: Adapter }
  | { how: "mcp"; server: string; tool: string; config: McpServer }
  /** Nothing can execute it. */
  | { how: "none"; why: string };

export interface PlannedStep {
  step: Step;
  execution: Execution;
  compared: ComparedPart;
  /** What the call is; undefined for a step that is no tool call. */
  classified?: Classified;
  /** Whether the agent's log, and not the author of the pack, says what the step did. */
  isImported: boolean;
}

export interface StepPlanOptions {
  programs: ReplayConfig;
  /** Names in the store's config that are not trusted. */
  untrusted: readonly string[];
  /** Why they are not. */
  why?: string;
  /** Tools whose recorded output is kept; `*` for all that cannot run. */
  recorded: readonly string[];
  /** Returns the beginning of the recorded answer to a call; empty if it cannot be read. */
  textOf: (step: Step) => string;
}

export function planSteps(manifest: Manifest, options: StepPlanOptions): PlannedStep[] {
  const agent = agentOf(manifest);
  const isImported = agent !== undefined;
  const hasCallsOfScripts = manifest.steps.some(({ metadata }) => metadata?.["within"] !== undefined);
  const session = new SessionTools(agent, hasCallsOfScripts);
  const classifier = new Classifier(manifest, { agent, textOf: options.textOf });
  const isZsh = ranInZsh(manifest, agent, options.textOf);
  return manifest.steps.map((step) => {
    const { type, tool, parameters, metadata } = step;
    if (type !== "tool_call" || tool === undefined)
      return { step, execution: { how: "recorded", why: "no tool call" }, compared: "output", isImported };
    const folder = typeof metadata?.["cwd"] === "string" ? metadata["cwd"] : undefined;
    const use = session.useOf({ tool, parameters, folder });
    const isConfigured = configured(tool, options.programs) !== undefined;
    const classified = classifier.classify(step, use, isConfigured);
    const execution = inShell(isZsh, executionOf(tool, { use, classified, isImported }, options));
    return { step, execution, compared: comparedBy(execution, use, agent), classified, isImported };
  });
}

/**
 * Returns whether a divergence of the step counts. In a log that was written for ctx, its author decides; in
 * an imported one the flag is a guess of ctx, and the class decides: what is not judged is not executed
 * either.
 */
export function isJudged({ step, isImported }: PlannedStep): boolean {
  return isImported || step.deterministic;
}

/** Returns the consent that an execution needs, if any. */
export function consentFor({ how }: Execution): Consent | undefined {
  return how === "command" ? "exec" : how === "adapter" ? "adapters" : how === "mcp" ? "mcp" : undefined;
}

/** Agents, and formats that name no agent, whose logs ctx reads. */
const readAgents: ReadonlySet<unknown> = words(
  "anthropic-messages atif claude-code claude-stream-json cline codex codex-exec-json copilot-cli gemini-cli gemini-stream-json iflow inspect langsmith mcp mini-swe-agent openai-messages openai-responses opencode openhands openinference otel otel-events pi qwen-code swe-agent vercel-ai",
);

/**
 * Returns the agent whose log it was. A log may contain any name there: one that ctx does not know counts as
 * none.
 */
export function agentOf({ metadata }: Manifest): string | undefined {
  const source = metadata?.["source"];
  if (source === undefined || !isObject(source)) return undefined;
  // One agent writes several formats.
  const name = ["agent", "format"].map((key) => source[key]).find((value) => readAgents.has(value));
  return typeof name === "string" ? name : undefined;
}

/**
 * Returns how a call would be replayed. A call that never ran is not executed, and neither is a call of an
 * imported run that depends on the world.
 */
function executionOf(
  tool: string,
  { use, classified, isImported }: { use: ToolUse | undefined; classified: Classified; isImported: boolean },
  options: StepPlanOptions,
): Execution {
  if (classified.class === "refused") return { how: "recorded", why: classified.why ?? "it never ran" };
  if (isImported && (classified.class === "world" || classified.class === "own"))
    return { how: "recorded", why: classified.why ?? classified.class };
  if (options.recorded.includes(tool)) return { how: "recorded", why: "by request", byRequest: true };
  const execution = configured(tool, options.programs) ?? builtIn(use);
  if (execution !== undefined) return execution;
  if (options.recorded.includes("*")) return { how: "recorded", why: "by request", byRequest: true };
  return { how: "none", why: whyNone(tool, options) };
}

function configured(tool: string, { adapters, mcp }: ReplayConfig): Execution | undefined {
  const adapter = ownValue(adapters, tool);
  if (adapter !== undefined) return { how: "adapter", adapter };
  for (const [server, config] of Object.entries(mcp ?? {}))
    for (const prefix of [`mcp__${server}__`, `mcp_${server}_`, `${server}__`])
      if (tool.startsWith(prefix) && tool.length > prefix.length)
        return { how: "mcp", server, tool: tool.slice(prefix.length), config };
  return undefined;
}

function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function builtIn(use: ToolUse | undefined): Execution | undefined {
  if (use === undefined) return undefined;
  if (use.action === "internal") return { how: "recorded", why: use.why };
  if (use.action !== "command") return { how: "builtin", use };
  const { command, folder } = use;
  return {
    how: "command",
    argv: typeof command === "string" ? ["/bin/bash", "-c", command] : command,
    line: typeof command === "string" ? command : command.join(" "),
    ...(folder === undefined ? {} : { folder }),
  };
}

/** Returns an execution with the shell in which the run's command lines ran; a list of words names its own. */
function inShell(isZsh: boolean, execution: Execution): Execution {
  const isLine =
    execution.how === "command" && execution.argv.length === 3 && execution.argv[2] === execution.line;
  return isZsh && isLine ? { ...execution, isZsh } : execution;
}

function whyNone(tool: string, { untrusted, why = "it is not trusted" }: StepPlanOptions): string {
  const isServer = untrusted.find((name) => name === tool || tool.includes(`${name}__`));
  if (isServer !== undefined) return `the store's config has it, but ${why}: see \`ctx trust\``;
  return "nothing here can execute it: set up an adapter in your config, or let the record stand with --recorded";
}

const knownAgents = ["claude-code", "codex", "gemini-cli", "swe-agent"];

/** Searches and listings whose order was never stable in the known agents. */
const unordered: readonly Action[] = ["glob", "grep", "list"];

function comparedBy(execution: Execution, use: ToolUse | undefined, agent: string | undefined): ComparedPart {
  if (execution.how === "adapter") return execution.adapter.compare ?? "output";
  if (execution.how !== "builtin" || use === undefined) return "output";
  if (effects.has(use.action)) return "effect";
  return knownAgents.includes(agent ?? "") && unordered.includes(use.action) ? "lines" : "output";
}
