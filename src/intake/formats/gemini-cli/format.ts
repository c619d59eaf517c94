// Sessions of Gemini CLI: one document, or, in newer versions, a journal with one record a line, with the
// sub-agents that it started in files beside it; and the chats that a user saved.
import { join, dirname } from "node:path";
import { CtxError } from "../../../base/errors.js";
import type { Reference } from "../../../base/digest.js";
import { isObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { namesIn, readBeside } from "../../sibling-files.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { objectsAt, textAt, wordAt } from "../../json-access.js";
import type { Format, Into, StartedAgent } from "../../format.js";
import { headOf } from "../../head.js";
import { isByLine } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { LogSource } from "../../log-source.js";
import { finishAgent, linkAgent, AgentPacks } from "../../sub-agents.js";
import { geminiFit } from "./fit.js";
import { Journal } from "./journal.js";
import { projectRoot } from "./project-root.js";
import { takeSession } from "./session.js";

export const geminiCli: Format = {
  name: "gemini-cli",
  title: "Gemini CLI session, with its sub-agents, or a saved chat",
  from: "~/.gemini/tmp/<project>/chats/session-*.jsonl (or .json), checkpoint-*.json",
  sniff: geminiFit,
  read(source, into) {
    const journal = journalOf(source, into.coverage);
    if (journal.entries.length === 0 && Object.keys(journal.about).length === 0)
      throw new CtxError("log-unreadable", `${source.name} contains no session of Gemini CLI`);
    return [new GeminiSession(source.path, into).read(journal)];
  },
};

function journalOf(source: LogSource, coverage: Coverage): Journal {
  const journal = new Journal(coverage);
  // A document in one line that is cut off has no record.
  const isJournal = isByLine(source) && headOf(source.head, source.isWhole).records.length > 0;
  if (isJournal) for (const { value } of recordsOf(source, coverage)) journal.take(value);
  else takeDocument(journal, documentOf(source, coverage), coverage);
  return journal;
}

function takeDocument(journal: Journal, document: JsonValue, coverage: Coverage): void {
  const history = Array.isArray(document) ? document : objectsAt(document, "history");
  coverage.records += history.length + objectsAt(document, "messages").length;
  if (isObject(document) && history.length === 0) return journal.take(document);
  for (const [index, content] of history.entries()) {
    if (!isObject(content)) {
      coverage.skip("message that is no object");
      continue;
    }
    const type = textAt(content, "role") === "model" ? "gemini" : "user";
    journal.take({ id: `${index}`, type, content: content["parts"] ?? [] });
  }
}

/** A session with the sub-agents in files beside it. */
class GeminiSession {
  readonly #folder: string | undefined;
  /** The folder of the project, where a file names it. */
  readonly #root: string | undefined;
  readonly #into: Into;
  readonly #agents: AgentPacks;
  /** The files of the sub-agents that were found so far, by their ids. */
  readonly #files = new Map<string, string>();
  #session: string | undefined;

  constructor(path: string | undefined, into: Into) {
    this.#folder = path === undefined ? undefined : dirname(path);
    this.#root = path === undefined ? undefined : projectRoot(path);
    this.#into = into;
    this.#agents = new AgentPacks(into);
  }

  read(journal: Journal): ExecutionLog {
    const { coverage } = this.#into;
    const isAgent = textAt(journal.about, "kind") === "subagent";
    const builder = this.#builder(coverage);
    if (!isAgent) this.#find((this.#session = wordAt(journal.about, "sessionId")));
    this.#take(builder, journal);
    // Those that no call names.
    for (const agent of this.#files.keys()) {
      const pack = this.#agents.has(agent) ? undefined : this.#packOf({ agent });
      if (pack !== undefined) linkAgent(builder, { agent }, pack);
    }
    addPromptOption(builder, this.#into);
    return builder.finish();
  }

  #builder(coverage: Coverage): RunBuilder {
    return new RunBuilder({
      format: "gemini-cli",
      agent: "gemini-cli",
      keeper: () => this.#into.keeper(),
      coverage,
    });
  }

  #take(builder: RunBuilder, journal: Journal): void {
    for (const started of takeSession(builder, journal, this.#root))
      linkAgent(builder, started, this.#packOf(started));
  }

  /**
   * Notes the files of the sub-agents that a session or a sub-agent started: they are in a folder with its
   * id.
   */
  #find(id: string | undefined): void {
    if (this.#folder === undefined || id === undefined || !/^[\w-]{1,200}$/.test(id)) return;
    const folder = join(this.#folder, id);
    for (const name of namesIn(folder)) {
      const agent = /^([\w.#-]+)\.jsonl$/.exec(name)?.[1];
      if (agent !== undefined && !this.#files.has(agent)) this.#files.set(agent, join(folder, name));
    }
  }

  /** Returns the pack of a sub-agent; undefined when it has no file. */
  #packOf(started: StartedAgent): Reference | undefined {
    const { agent } = started;
    const path = this.#files.get(agent) ?? this.#files.get(agent.replaceAll(/[^\w-]/g, "_"));
    if (path === undefined) return undefined;
    return this.#agents.packOf(started, () => {
      const coverage = new Coverage();
      const journal = readBeside(path, (source) => journalOf(source, coverage));
      if (journal === undefined) return undefined;
      const builder = this.#builder(coverage);
      this.#find(agent);
      this.#take(builder, journal);
      return finishAgent(builder, agent, this.#session);
    });
  }
}
