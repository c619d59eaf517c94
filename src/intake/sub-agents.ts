// The sub-agents of a run: each is sealed as a run of its own, and linked to the call that started it.
// Formats differ in where the records of a sub-agent are: in a file beside the log, among the session's
// records, or nested in one.
import type { Reference } from "../base/digest.js";
import { defined, type JsonValue } from "../base/json/value.js";
import type { ExecutionLog } from "../model/log.js";
import type { Into, StartedAgent } from "./format.js";
import type { RunBuilder } from "./run-builder.js";

/** Sub-agents may start others; no real session nests them this deep. */
const deepest = 64;

/** The packs of sub-agents with logs of their own, each of which is read and sealed once. */
export class AgentPacks {
  readonly #into: Into;
  /** The packs of sub-agents that were read; null while one is. */
  readonly #packs = new Map<string, Reference | null>();
  #depth = 0;

  constructor(into: Into) {
    this.#into = into;
  }

  /** Returns whether a sub-agent was read, or is being read. */
  has(agent: string): boolean {
    return this.#packs.has(agent);
  }

  /**
   * Returns the pack of a sub-agent, which the first call reads and seals. Undefined when `read` finds no
   * log, when it would be read within itself, or when it is nested too deep.
   */
  packOf(started: StartedAgent, read: () => ExecutionLog | undefined): Reference | undefined {
    const { agent } = started;
    const known = this.#packs.get(agent);
    if (known !== undefined || this.#depth >= deepest) return known ?? undefined;
    this.#packs.set(agent, null);
    this.#depth++;
    const run = read();
    this.#depth--;
    if (run === undefined) return undefined;
    const pack = this.#into.seal(run, started);
    this.#packs.set(agent, pack);
    return pack;
  }
}

/** Finishes the run of a sub-agent, with its id and that of the session. */
export function finishAgent(
  run: RunBuilder,
  agent: string | undefined,
  session: JsonValue | undefined,
): ExecutionLog {
  Object.assign(run.source, defined({ session, subagent: agent }));
  return run.finish();
}

/**
 * Links a run to the pack of a sub-agent: at the call that started it or, where that is unknown, in the run's
 * metadata.
 */
export function linkAgent(run: RunBuilder, { agent, call }: StartedAgent, pack: Reference | undefined): void {
  if (pack === undefined)
    return run.coverage.addUnknown("what some sub-agents did (their files are not there)");
  if (call !== undefined) return run.setPack(call, pack);
  const unlinked = run.metadata["subagents"];
  if (Array.isArray(unlinked)) unlinked.push({ agent, pack });
  else run.metadata["subagents"] = [{ agent, pack }];
}
