// A session of opencode with the sessions of its sub-agents. opencode stores them side by side; an export has
// only the ids of the others.
import type { Reference } from "../../../base/digest.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import type { Into, StartedAgent } from "../../format.js";
import { wordAt } from "../../json-access.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import { AgentPacks, finishAgent, linkAgent } from "../../sub-agents.js";
import { OpencodeReader } from "./reader.js";
import { infoBeside, type OpencodeSession, storedSession } from "./session.js";

export class SessionFamily {
  readonly #path: string | undefined;
  readonly #into: Into;
  readonly #agents: AgentPacks;
  #session: string | undefined;

  constructor(path: string | undefined, into: Into) {
    this.#path = path;
    this.#into = into;
    this.#agents = new AgentPacks(into);
  }

  read(session: OpencodeSession): ExecutionLog {
    const run = this.#builder(this.#into.coverage);
    this.#session = wordAt(session.info, "id");
    this.#take(run, session);
    addPromptOption(run, this.#into);
    return run.finish();
  }

  #builder(coverage: Coverage): RunBuilder {
    return new RunBuilder({
      format: "opencode",
      agent: "opencode",
      keeper: () => this.#into.keeper(),
      coverage,
    });
  }

  #take(run: RunBuilder, session: OpencodeSession): void {
    for (const started of new OpencodeReader(run).take(session))
      linkAgent(run, started, this.#packOf(started));
  }

  /** Returns the pack of a sub-agent; undefined when its session is not stored here. */
  #packOf(started: StartedAgent): Reference | undefined {
    if (started.agent === this.#session) return undefined;
    return this.#agents.packOf(started, () => {
      const coverage = new Coverage();
      const beside = infoBeside(this.#path, started.agent);
      const session = beside === undefined ? undefined : storedSession(beside.path, beside.info, coverage);
      if (session === undefined) return undefined;
      const run = this.#builder(coverage);
      this.#take(run, session);
      return finishAgent(run, started.agent, this.#session);
    });
  }
}
