// Sessions of Qwen Code: records with uuids, one a line, as Claude Code writes them, with contents as Gemini
// has them, and with the sub-agents that they started in files of their own.
import type { Reference } from "../../../base/digest.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import type { Head } from "../../head.js";
import type { LogSource } from "../../log-source.js";
import { recordsOf } from "../../parse.js";
import { readBeside } from "../../sibling-files.js";
import { AgentPacks } from "../../sub-agents.js";
import { agentFilesOf, type QwenAgentFile } from "./agents.js";
import { isQwenRecord, QwenReader } from "./reader.js";

export const qwenCode: Format = {
  name: "qwen-code",
  title: "Qwen Code session, with its sub-agents",
  from: "~/.qwen/projects/<project>/chats/<session>.jsonl",
  sniff,
  read(source, into) {
    return [new QwenSession(source.path, into).read(source)];
  },
};

/** A session with the sub-agents in files of their own. */
class QwenSession {
  readonly #files: readonly QwenAgentFile[];
  readonly #into: Into;
  readonly #agents: AgentPacks;

  constructor(path: string | undefined, into: Into) {
    this.#files = path === undefined ? [] : agentFilesOf(path);
    this.#into = into;
    this.#agents = new AgentPacks(into);
  }

  read(source: LogSource): ExecutionLog {
    const reader = this.#read(source, this.#into.coverage);
    this.#link(reader, undefined);
    return reader.finish(this.#into);
  }

  #read(source: LogSource, coverage: Coverage): QwenReader {
    const reader = new QwenReader(this.#into, coverage);
    for (const { value } of recordsOf(source, coverage)) reader.take(value);
    return reader;
  }

  /** Links a run to the sub-agents that it started. */
  #link(reader: QwenReader, agent: string | undefined): void {
    for (const file of this.#files)
      if (file.parent === agent) reader.link({ agent: file.agent, call: file.call }, this.#packOf(file));
  }

  #packOf(file: QwenAgentFile): Reference | undefined {
    const { agent, call } = file;
    return this.#agents.packOf({ agent, call }, () => {
      const reader = readBeside(file.path, (source) => this.#read(source, new Coverage()));
      if (reader === undefined) return undefined;
      this.#link(reader, agent);
      return reader.finish();
    });
  }
}

function sniff({ records, document }: Head): Fit {
  const first = objectAt(document);
  const seen = records.length > 0 || first === undefined ? records : [first];
  const own = seen.filter((record) => textAt(record, "uuid") !== undefined && isQwenRecord(record));
  const spoken = own.filter((record) => Array.isArray(valueAt(record, "message", "parts")));
  const payloads = own.filter((record) => objectAt(record, "systemPayload") !== undefined);
  if (spoken.length + payloads.length > 0 && own.length * 2 > seen.length) return true;
  return { near: spoken.length > 0 ? 0.4 : 0, missing: "no record has a uuid and a message with parts" };
}
