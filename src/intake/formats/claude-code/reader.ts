// Reads one transcript, record by record, in the order of the file: following the chain of parents would lose
// results of calls that were issued together. The chain only shows where the user went back.
import type { Reference } from "../../../base/digest.js";
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { Coverage } from "../../coverage.js";
import { flagAt, defined, listAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import type { Into, StartedAgent } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { finishAgent, linkAgent } from "../../sub-agents.js";
import { timeOf } from "../../times.js";
import { takeAttachment } from "./attachments.js";
import { takeAssistant, takeToolResult, takeUserContent } from "./messages.js";
import { leftOut, takeNote } from "./notes.js";

export interface TranscriptOptions {
  keeper: Into["keeper"];
  coverage: Coverage;
  /** Whether it is the log of a sub-agent: all its records are sidechain records. */
  isAgent: boolean;
  /** Returns whether the agent has a log of its own. */
  hasFile: (agent: string) => boolean;
  /** Returns the pack of a sub-agent that has a log of its own. */
  packOf: (started: StartedAgent) => Reference | undefined;
  seal: Into["seal"];
}

export class ClaudeCodeReader {
  readonly run: RunBuilder;
  readonly #options: TranscriptOptions;
  readonly #uuids = new Set<string>();
  /** The step at which the answer to a prompt begins, by the parent of the prompt. */
  readonly #prompts = new Map<string, number>();
  /** The sub-agents that were started, with the calls that started them. */
  readonly #agents = new Map<string, string | undefined>();
  /** Sub-agents without a log of their own, whose records are in this one. */
  readonly #inline = new Map<string, ClaudeCodeReader>();
  /** The sub-agent of a record, for older records that do not name it. */
  readonly #chains = new Map<string, string>();
  /** The prompts of calls that start sub-agents, by call. */
  readonly #agentPrompts = new Map<string, string>();
  readonly #sealed = new Set<string>();
  #session: string | undefined;
  #agent: string | undefined;
  #firstPrompt: string | undefined;
  #titleRank = 0;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.run = new RunBuilder({
      format: "claude-code",
      agent: "claude-code",
      keeper: options.keeper,
      coverage: options.coverage,
    });
  }

  get session(): string | undefined {
    return this.#session;
  }

  take(record: JsonObject): void {
    const type = textAt(record, "type") ?? "unknown";
    if (this.#isRepeated(record)) {
      this.run.coverage.duplicates++;
      return;
    }
    if (flagAt(record, "isSidechain") && !this.#options.isAgent) return this.#takeInline(record, type);
    if (type === "progress") return this.#takeProgress(record);
    this.#noteSession(record);
    const at = this.#atOf(record);
    if (type === "user") this.#takeUser(record, at);
    else if (type === "assistant") this.#takeAssistant(record, at);
    else if (type === "attachment") takeAttachment(this.run, record, at);
    else if (!takeNote(this.run, record, { type, at, ...this.#notes })) this.run.coverage.skip(type);
  }

  readonly #notes = {
    knows: (uuid: string): boolean => this.#uuids.has(uuid),
    /** A title that the user chose outranks one by the model. */
    setTitle: (title: string | undefined, rank: number): void => {
      if (title === undefined || rank < this.#titleRank) return;
      this.#titleRank = rank;
      this.run.metadata["title"] = title;
    },
  };

  /** Uses the prompt that the user passed, if the transcript has none. */
  checkPrompt(into: Into): void {
    addPromptOption(this.run, into);
  }

  /** Adds a sub-agent that no result names; without a call when it is unknown which call started it. */
  adopt(agent: string, call: string | undefined): void {
    this.#agents.set(agent, this.run.callOf(call) === undefined ? undefined : call);
  }

  /** Returns the call with this prompt that has no sub-agent yet. */
  callWithPrompt(prompt: string | undefined): string | undefined {
    const taken = new Set(this.#agents.values());
    return [...this.#agentPrompts].find(([call, passed]) => passed === prompt && !taken.has(call))?.[0];
  }

  /** Seals the sub-agents that are known so far, so that their packs can be named. */
  sealAgents(): void {
    for (const [id, inline] of this.#inline)
      if (!this.#agents.has(id)) this.adopt(id, this.callWithPrompt(inline.#firstPrompt));
    for (const [id, call] of this.#agents) {
      if (this.#sealed.has(id)) continue;
      this.#sealed.add(id);
      const started = { agent: id, call };
      linkAgent(this.run, started, this.#options.packOf(started) ?? this.#sealInline(started));
    }
  }

  finish(agent?: string): ExecutionLog {
    this.sealAgents();
    return finishAgent(this.run, agent ?? this.#agent, this.#session);
  }

  #sealInline(started: StartedAgent): Reference | undefined {
    const run = this.#inline.get(started.agent)?.finish(started.agent);
    return run === undefined ? undefined : this.#options.seal(run, started);
  }

  /** Claude Code copies history into new files, and sometimes within one. */
  #isRepeated(record: JsonObject): boolean {
    const uuid = textAt(record, "uuid");
    // A placeholder that a tool inserted is no id.
    if (uuid === undefined || uuid.includes(" ")) return false;
    if (this.#uuids.has(uuid)) return true;
    this.#uuids.add(uuid);
    return false;
  }

  #noteSession(record: JsonObject): void {
    const { run } = this;
    this.#session = wordAt(record, "sessionId") ?? this.#session;
    const version = wordAt(record, "version");
    if (version !== undefined && run.toolVersions["claude-code"] !== version) {
      run.toolVersions["claude-code"] = version;
      run.source["version"] = version;
    }
    if (this.#options.isAgent) this.#agent ??= wordAt(record, "agentId");
    const forked = objectAt(record, "forkedFrom");
    if (forked !== undefined)
      run.source["forked_from"] = defined({
        session: textAt(forked, "sessionId"),
        message: textAt(forked, "messageUuid"),
      });
    const entry = wordAt(record, "entrypoint");
    if (entry !== undefined) run.source["entrypoint"] = entry;
    const effort = wordAt(record, "effort");
    if (effort !== undefined) run.parameters["effort"] = effort;
  }

  /** Returns the folder and the branch of a record. */
  #placeOf(record: JsonObject): Pick<At, "cwd" | "branch"> {
    return { cwd: wordAt(record, "cwd"), branch: wordAt(record, "gitBranch") };
  }

  #atOf(record: JsonObject): At {
    const at = {
      time: timeOf(valueAt(record, "timestamp"), this.run.coverage),
      ...this.#placeOf(record),
    };
    this.run.see(at);
    return at;
  }

  #takeAssistant(record: JsonObject, at: At): void {
    const message = objectAt(record, "message") ?? {};
    takeAssistant(this.run, message, at);
    const tier = wordAt(message, "usage", "service_tier");
    if (tier !== undefined) this.run.parameters["service_tier"] = tier;
    for (const block of listAt(message, "content")) {
      const id = textAt(block, "id");
      const prompt = textAt(block, "input", "prompt");
      if (id !== undefined && prompt !== undefined && /^(?:Task|Agent)$/.test(textAt(block, "name") ?? ""))
        this.#agentPrompts.set(id, prompt);
    }
  }

  #takeUser(record: JsonObject, at: At): void {
    const content = valueAt(record, "message", "content");
    const structured = valueAt(record, "toolUseResult");
    let results = 0;
    for (const block of listAt(content)) {
      const found = objectAt(block);
      if (found === undefined || textAt(found, "type") !== "tool_result") continue;
      // With several results in one record, it is unknown to which the structured one belongs.
      takeToolResult(this.run, found, { structured: results++ === 0 ? structured : undefined, at });
      const call = textAt(found, "tool_use_id");
      if (call !== undefined && wordAt(record, "toolDenialKind") !== undefined)
        this.run.setStatus(call, "denied");
      this.#noteAgent(call, structured);
    }
    const before = this.run.stepCount;
    const kind = flagAt(record, "isCompactSummary")
      ? "summary"
      : flagAt(record, "isMeta")
        ? "meta"
        : undefined;
    const isBare = results > 0 && listAt(content).length === results;
    if (!isBare && takeUserContent(this.run, content, { at, kind }))
      this.#noteBranch(record, before, content);
  }

  /** Two prompts with one parent: the user went back, and the answer to the first was abandoned. */
  #noteBranch(record: JsonObject, step: number, content: JsonValue | undefined): void {
    this.#firstPrompt ??= typeof content === "string" ? content : undefined;
    const parent = textAt(record, "parentUuid");
    if (parent === undefined || parent.includes(" ")) return;
    const earlier = this.#prompts.get(parent);
    if (earlier !== undefined) this.run.abandon(earlier);
    this.#prompts.set(parent, step);
  }

  #noteAgent(call: string | undefined, structured: JsonValue | undefined): void {
    const agent = wordAt(structured, "agentId");
    if (agent !== undefined && call !== undefined) this.#agents.set(agent, call);
  }

  /** Reads a sub-agent's progress; the only record of it where its log is gone. */
  #takeProgress(record: JsonObject): void {
    const kind = `progress/${textAt(record, "data", "type") ?? "unknown"}`;
    const agent = wordAt(record, "data", "agentId");
    const message = objectAt(record, "data", "message");
    const place = this.#placeOf(record);
    this.run.see({ time: timeOf(valueAt(record, "timestamp"), this.run.coverage) });
    if (kind !== "progress/agent_progress" || agent === undefined || message === undefined) {
      if (leftOut.has(kind)) this.run.coverage.leaveOut(kind);
      else this.run.coverage.skip(kind);
      return;
    }
    const call = wordAt(record, "parentToolUseID");
    if (call !== undefined && !this.#agents.has(agent)) this.#agents.set(agent, call);
    if (this.#options.hasFile(agent)) return this.run.coverage.leaveOut(kind);
    this.#inlineOf(agent).take({
      sessionId: valueAt(record, "sessionId") ?? null,
      // The record of the sub-agent has neither; it works where the session does.
      ...defined({ cwd: place.cwd, gitBranch: place.branch }),
      ...message,
      isSidechain: true,
    });
  }

  #takeInline(record: JsonObject, type: string): void {
    const uuid = textAt(record, "uuid") ?? "";
    const parent = textAt(record, "parentUuid");
    const agent =
      wordAt(record, "agentId") ?? (parent === undefined ? uuid : (this.#chains.get(parent) ?? parent));
    this.#chains.set(uuid, agent);
    if (this.#options.hasFile(agent)) return this.run.coverage.leaveOut(`sidechain ${type}`);
    this.#inlineOf(agent).take(record);
  }

  #inlineOf(agent: string): ClaudeCodeReader {
    const known = this.#inline.get(agent);
    if (known !== undefined) return known;
    const made = new ClaudeCodeReader({ ...this.#options, coverage: new Coverage(), isAgent: true });
    this.#inline.set(agent, made);
    return made;
  }
}
