// Sessions of Gemini CLI: one document, or, in newer versions, a journal with one record a line, with the
// sub-agents that it started in files beside it; and the chats that a user saved.
import { join, dirname } from "node:path";
import { CtxError } from "../../../base/errors.js";
import type { Reference } from "../../../base/digest.js";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { namesIn, readBeside } from "../../sibling-files.js";
import { Coverage } from "../../coverage.js";
import { documentOf } from "../../document.js";
import { given, objectsAt, textAt, wordAt } from "../../json-access.js";
import type { Format, Into } from "../../format.js";
import { headOf } from "../../head.js";
import { isByLine } from "../../is-jsonl.js";
import { recordsOf } from "../../parse.js";
import { givenPrompt } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { LogSource } from "../../log-source.js";
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
      throw new CtxError("log-unreadable", `${source.name} holds no session of Gemini CLI`);
    return [new Family(source.path, into).main(journal)];
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

/** Agents that were started by agents that were started: nobody goes further than a few. */
const deepest = 64;

/** A session and the agents that it started, and that those started. */
class Family {
  readonly #folder: string | undefined;
  /** The folder of the project, where that is written down. */
  readonly #root: string | undefined;
  readonly #into: Into;
  /** The files of agents that are known, by their ids. */
  readonly #files = new Map<string, string>();
  readonly #packs = new Map<string, Reference | null>();
  readonly #strays: JsonObject[] = [];
  #session: string | undefined;
  #depth = 0;

  constructor(path: string | undefined, into: Into) {
    this.#folder = path === undefined ? undefined : dirname(path);
    this.#root = path === undefined ? undefined : projectRoot(path);
    this.#into = into;
  }

  main(journal: Journal): ExecutionLog {
    const { coverage } = this.#into;
    const isAgent = textAt(journal.about, "kind") === "subagent";
    const builder = this.#builder(coverage);
    if (!isAgent) this.#find((this.#session = wordAt(journal.about, "sessionId")));
    this.#take(builder, journal);
    // Those that no call names.
    for (const agent of this.#files.keys()) {
      const isKnown = this.#packs.has(agent);
      const pack = isKnown ? undefined : this.#packOf(agent, undefined);
      if (pack !== undefined) this.#strays.push({ agent, pack });
    }
    if (this.#strays.length > 0) builder.metadata["subagents"] = this.#strays;
    givenPrompt(builder, this.#into);
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
    for (const { agent, call } of takeSession(builder, journal, this.#root)) {
      const pack = this.#packOf(agent, call);
      if (pack === undefined) builder.coverage.lacks("what some sub-agents did (their files are not there)");
      else builder.setPack(call, pack);
    }
  }

  /** Notes the files of agents that a session or an agent started; they lie in a folder that has its id for a name. */
  #find(id: string | undefined): void {
    if (this.#folder === undefined || id === undefined || !/^[\w-]{1,200}$/.test(id)) return;
    const folder = join(this.#folder, id);
    for (const name of namesIn(folder)) {
      const agent = /^([\w.#-]+)\.jsonl$/.exec(name)?.[1];
      if (agent !== undefined && !this.#files.has(agent)) this.#files.set(agent, join(folder, name));
    }
  }

  /** Reads and seals the agent's own file. Undefined when there is none, or when it would be read within itself. */
  #packOf(agent: string, call: string | undefined): Reference | undefined {
    const known = this.#packs.get(agent);
    const path = this.#files.get(agent) ?? this.#files.get(agent.replaceAll(/[^\w-]/g, "_"));
    if (known !== undefined || path === undefined) return known ?? undefined;
    if (this.#depth >= deepest) return undefined;
    this.#packs.set(agent, null);
    const coverage = new Coverage();
    const journal = readBeside(path, (source) => journalOf(source, coverage));
    if (journal === undefined) return undefined;
    this.#depth++;
    const builder = this.#builder(coverage);
    this.#find(agent);
    this.#take(builder, journal);
    Object.assign(builder.source, given({ session: this.#session, subagent: agent }));
    const pack = this.#into.seal(builder.finish(), { agent, call });
    this.#depth--;
    this.#packs.set(agent, pack);
    return pack;
  }
}
