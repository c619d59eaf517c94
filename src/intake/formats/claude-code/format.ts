// Transcripts of Claude Code: one record a line, appended during the session, with the sub-agents that it
// started in files beside it.
import type { JsonObject } from "../../../base/json/value.js";
import { readBeside } from "../../sibling-files.js";
import { Coverage } from "../../coverage.js";
import { flagAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit, Format, Into } from "../../format.js";
import { type Head, headOf } from "../../head.js";
import { recordsOf } from "../../parse.js";
import type { LogSource } from "../../log-source.js";
import { type AgentFile, agentFiles } from "./agents.js";
import { leftOut, noteTypes } from "./notes.js";
import { ClaudeCodeReader } from "./reader.js";

export const claudeCode: Format = {
  name: "claude-code",
  title: "Claude Code transcript, with its sub-agents",
  from: "~/.claude/projects/<project>/<session>.jsonl",
  sniff,
  read(source, into) {
    const files = agentFiles(source.path);
    const reader = new Family(files, into);
    return [reader.main(source)];
  },
};

/** Types of records that carry a conversation; all others are notes. */
const spokenTypes = /^(?:user|assistant|system|progress|attachment)$/;

function sniff({ records, document }: Head): Fit {
  // The first line may be longer than the head.
  const first = objectAt(document);
  const seen = records.length > 0 || first === undefined ? records : [first];
  const typed = seen.filter((record) => isKnown(textAt(record, "type") ?? ""));
  // Qwen Code writes similar records, with other messages.
  if (typed.some((record) => Array.isArray(valueAt(record, "message", "parts"))))
    return { near: 0.3, lacks: "its messages have parts, not content" };
  const spoken = typed.filter((record) => textAt(record, "message", "role") !== undefined && isOwn(record));
  if (spoken.some((record) => textAt(record, "sessionId") !== undefined || records.length === 0)) return true;
  // A session without messages so far, or whose first message is longer than the head.
  const notes = typed.filter(
    (record) =>
      textAt(record, "session_id") === undefined &&
      !/^(?:user|assistant)$/.test(textAt(record, "type") ?? ""),
  );
  const isNoted = notes.some(
    (record) =>
      (textAt(record, "sessionId") !== undefined &&
        (hasUuid(record) || !spokenTypes.test(textAt(record, "type") ?? ""))) ||
      textAt(record, "leafUuid") !== undefined ||
      textAt(record, "type") === "file-history-snapshot",
  );
  if (isNoted && notes.length === seen.length) return true;
  return {
    near: typed.length === 0 ? 0 : 0.5,
    lacks:
      typed.length === 0
        ? "no line has a type such as user or assistant"
        : "no message has a sessionId and a uuid",
  };
}

function isOwn(record: JsonObject): boolean {
  return textAt(record, "sessionId") !== undefined || hasUuid(record);
}

function hasUuid(record: JsonObject): boolean {
  return textAt(record, "uuid") !== undefined || Object.hasOwn(record, "parentUuid");
}

function isKnown(type: string): boolean {
  return spokenTypes.test(type) || noteTypes.has(type) || leftOut.has(type);
}

/** Agents that were started by agents that were started: nobody goes further than a few. */
const deepest = 64;

/** A session and the agents that it started, and that those started. */
class Family {
  readonly #files: ReadonlyMap<string, AgentFile>;
  readonly #into: Into;
  /** The packs of agents that were read; null while one is. */
  readonly #packs = new Map<string, ReturnType<Into["seal"]> | null>();

  #depth = 0;

  constructor(files: ReadonlyMap<string, AgentFile>, into: Into) {
    this.#files = files;
    this.#into = into;
  }

  main(source: LogSource): ReturnType<ClaudeCodeReader["finish"]> {
    const isAgent = startsAsAgent(source);
    const transcript = new ClaudeCodeReader(this.#options(this.#into.coverage, isAgent));
    for (const { value } of recordsOf(source, this.#into.coverage)) transcript.take(value);
    if (!isAgent) this.#adopt(transcript);
    transcript.checkPrompt(this.#into);
    return transcript.finish();
  }

  /** Files of agents that no result names: the call is found by what the file says of itself, or is not known. */
  #adopt(transcript: ClaudeCodeReader): void {
    const session = transcript.session;
    // Those that others started are known only when those were read.
    transcript.sealAgents();
    for (const [id, file] of this.#files) {
      if (this.#packs.has(id) || (file.session !== undefined && file.session !== session)) continue;
      if (!file.isOwn && file.session === undefined) continue;
      transcript.adopt(id, file.call ?? transcript.callAsking(file.prompt));
    }
  }

  #options(coverage: Coverage, isAgent: boolean): ConstructorParameters<typeof ClaudeCodeReader>[0] {
    return {
      keeper: () => this.#into.keeper(),
      coverage,
      isAgent,
      hasFile: (agent) => this.#files.has(agent),
      packOf: (agent, call) => this.#packOf(agent, call),
      seal: (run, about) => this.#into.seal(run, about),
    };
  }

  /** Reads and seals the agent's own file. Undefined when there is none, or when it would be read within itself. */
  #packOf(agent: string, call: string | undefined): ReturnType<Into["seal"]> | undefined {
    const known = this.#packs.get(agent);
    const file = this.#files.get(agent);
    if (known !== undefined || file === undefined) return known ?? undefined;
    if (this.#depth >= deepest) return undefined;
    this.#packs.set(agent, null);
    const transcript = readBeside(file.path, (source) => {
      const coverage = new Coverage();
      const own = new ClaudeCodeReader(this.#options(coverage, true));
      for (const { value } of recordsOf(source, coverage)) own.take(value);
      return own;
    });
    if (transcript === undefined) return undefined;
    // Those that it started are read now, with its own file closed.
    this.#depth++;
    const pack = this.#into.seal(transcript.finish(agent), { agent, call });
    this.#depth--;
    this.#packs.set(agent, pack);
    return pack;
  }
}

/** Whether a transcript is that of a sub-agent, all of whose records are sidechain records. */
function startsAsAgent({ head, isWhole }: LogSource): boolean {
  const spoken = headOf(head, isWhole).records.find((record) =>
    /^(?:user|assistant)$/.test(textAt(record, "type") ?? ""),
  );
  return flagAt(spoken, "isSidechain");
}
