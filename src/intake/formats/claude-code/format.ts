// Transcripts of Claude Code: one record a line, appended during the session, with the sub-agents that it
// started in files beside it.
import type { Reference } from "../../../base/digest.js";
import type { JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { readBeside } from "../../sibling-files.js";
import { Coverage } from "../../coverage.js";
import { flagAt, objectAt, textAt, valueAt } from "../../json-access.js";
import type { Fit, Format, Into, StartedAgent } from "../../format.js";
import { type Head, headOf } from "../../head.js";
import { recordsOf } from "../../parse.js";
import { isIflowRecord } from "../iflow/reader.js";
import type { LogSource } from "../../log-source.js";
import { AgentPacks } from "../../sub-agents.js";
import { type AgentFile, agentFiles } from "./agents.js";
import { leftOut, noteTypes } from "./notes.js";
import { ClaudeCodeReader, type TranscriptOptions } from "./reader.js";

export const claudeCode: Format = {
  name: "claude-code",
  title: "Claude Code transcript, with its sub-agents",
  from: "~/.claude/projects/<project>/<session>.jsonl",
  sniff,
  read(source, into) {
    return [new ClaudeCodeSession(agentFiles(source.path), into).read(source)];
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
    return { near: 0.3, missing: "its messages have parts, not content" };
  if (typed.some(isIflowRecord)) return { near: 0.5, missing: "its sessions have the ids of iFlow's" };
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
    missing:
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

/** A session with the sub-agents in files beside it. */
class ClaudeCodeSession {
  readonly #files: ReadonlyMap<string, AgentFile>;
  readonly #into: Into;
  readonly #agents: AgentPacks;

  constructor(files: ReadonlyMap<string, AgentFile>, into: Into) {
    this.#files = files;
    this.#into = into;
    this.#agents = new AgentPacks(into);
  }

  read(source: LogSource): ExecutionLog {
    const isAgent = startsAsAgent(source);
    const transcript = new ClaudeCodeReader(this.#options(this.#into.coverage, isAgent));
    for (const { value } of recordsOf(source, this.#into.coverage)) transcript.take(value);
    if (!isAgent) this.#adopt(transcript);
    transcript.checkPrompt(this.#into);
    return transcript.finish();
  }

  /** Adds the files that no result names, each with its call if the file or its prompt identifies one. */
  #adopt(transcript: ClaudeCodeReader): void {
    const session = transcript.session;
    // Only when sub-agents were read is it known which others they started.
    transcript.sealAgents();
    for (const [id, file] of this.#files) {
      if (this.#agents.has(id) || (file.session !== undefined && file.session !== session)) continue;
      if (!file.isOwn && file.session === undefined) continue;
      transcript.adopt(id, file.call ?? transcript.callWithPrompt(file.prompt));
    }
  }

  #options(coverage: Coverage, isAgent: boolean): TranscriptOptions {
    return {
      keeper: () => this.#into.keeper(),
      coverage,
      isAgent,
      hasFile: (agent) => this.#files.has(agent),
      packOf: (started) => this.#packOf(started),
      seal: (run, started) => this.#into.seal(run, started),
    };
  }

  /** Returns the pack of a sub-agent that has a file of its own. */
  #packOf(started: StartedAgent): Reference | undefined {
    const file = this.#files.get(started.agent);
    if (file === undefined) return undefined;
    return this.#agents.packOf(started, () => {
      const transcript = readBeside(file.path, (source) => {
        const coverage = new Coverage();
        const own = new ClaudeCodeReader(this.#options(coverage, true));
        for (const { value } of recordsOf(source, coverage)) own.take(value);
        return own;
      });
      // Those that it started are read now, with its own file closed.
      return transcript?.finish(started.agent);
    });
  }
}

/** Returns whether a transcript is that of a sub-agent, all of whose records are sidechain records. */
function startsAsAgent({ head, isWhole }: LogSource): boolean {
  const spoken = headOf(head, isWhole).records.find((record) =>
    /^(?:user|assistant)$/.test(textAt(record, "type") ?? ""),
  );
  return flagAt(spoken, "isSidechain");
}
