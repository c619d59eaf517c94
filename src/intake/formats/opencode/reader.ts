// Reads the messages of a session of opencode, in their order. A message consists of parts; a tool call is a
// part that also has its result.
import type { JsonObject, JsonValue } from "../../../base/json/value.js";
import type { StartedAgent } from "../../format.js";
import { defined, flagAt, listAt, numberAt, objectAt, textAt, valueAt, wordAt } from "../../json-access.js";
import { callBook } from "../../protocols/openai-chat/calls.js";
import { attachTo, joined, linked } from "../../protocols/openai-chat/content.js";
import type { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { timeOf } from "../../times.js";
import { ChangedFiles } from "./files.js";
import type { OpencodeMessage, OpencodeSession } from "./session.js";
import { takeOpencodeCall, usersCommand } from "./results.js";

/** What opencode calls a session before it has a title. */
const noTitle = /^(?:New|Child) session - \d{4}-/;
/** The text that stands before a command that the user ran. */
const commandMark = "The following tool was executed by the user";
/** Kinds of parts that say nothing about the run. */
const silent = new Set(["step-start", "snapshot", "agent", "compaction"]);

export class OpencodeReader {
  readonly #run: RunBuilder;
  readonly #files: ChangedFiles;
  /** Ids of calls may be repeated. */
  readonly #calls = callBook();
  readonly #started: StartedAgent[] = [];
  readonly #modes = new Set<string>();
  #system: string | undefined;
  #message = 0;
  #request = 0;
  #cost: number | undefined;
  /** Whether the next answer is a command that the user ran. */
  #isUsersCommand = false;
  /** The index of the first step that the user took back. */
  #undone: number | undefined;

  constructor(run: RunBuilder) {
    this.#run = run;
    this.#files = new ChangedFiles(run.files);
  }

  /** Reads a session, and returns the sub-agents that it started. */
  take({ info, messages }: OpencodeSession): readonly StartedAgent[] {
    this.#takeInfo(info);
    const folder = messages
      .map((message) => wordAt(message.info, "path", "root"))
      .find((root) => root !== undefined);
    this.#files.root = folder ?? wordAt(info, "directory") ?? "";
    // Ids that were masked in a copy are not unique.
    const undone = wordAt(info, "revert", "messageID");
    const isKnown = messages.filter((message) => wordAt(message.info, "id") === undone).length === 1;
    for (const message of messages) {
      if (isKnown && wordAt(message.info, "id") === undone) this.#takeUndone(message, info);
      else this.#takeMessage(message);
    }
    this.#files.endTurn();
    if (this.#undone !== undefined) this.#run.abandonSteps(this.#undone, this.#run.stepCount);
    const [mode, another] = this.#modes;
    if (mode !== undefined) this.#run.metadata["modes"] = another === undefined ? [mode] : [...this.#modes];
    return this.#started;
  }

  #takeInfo(info: JsonObject): void {
    const { source, toolVersions, metadata, coverage } = this.#run;
    this.#run.see({
      time: timeOf(valueAt(info, "time", "created"), coverage),
      cwd: wordAt(info, "directory"),
    });
    const version = wordAt(info, "version");
    if (version !== undefined) source["version"] = toolVersions["opencode"] = version;
    Object.assign(source, defined({ session: wordAt(info, "id"), parent_session: wordAt(info, "parentID") }));
    const title = wordAt(info, "title");
    if (title !== undefined && !noTitle.test(title)) metadata["title"] = title;
  }

  /** Reads the message that the user went back to: it, or its end, is undone. */
  #takeUndone(message: OpencodeMessage, session: JsonObject): void {
    const part = wordAt(session, "revert", "partID");
    const at = part === undefined ? 0 : message.parts.findIndex((each) => wordAt(each, "id") === part);
    const kept = at > 0 ? message.parts.slice(0, at) : [];
    if (kept.length > 0)
      this.#takeMessage({ info: { ...message.info, tokens: null, error: null, cost: 0 }, parts: kept });
    this.#undone = this.#run.stepCount;
    this.#takeMessage({ info: message.info, parts: message.parts.slice(kept.length) });
  }

  #takeMessage({ info, parts }: OpencodeMessage): void {
    this.#message++;
    this.#request = 0;
    const role = textAt(info, "role") ?? "unknown";
    const { coverage } = this.#run;
    const at = { time: timeOf(valueAt(info, "time", "created"), coverage) };
    this.#run.see(at);
    this.#run.see({ time: timeOf(valueAt(info, "time", "completed"), coverage) });
    if (role === "user") this.#takeUser(info, parts, at);
    else if (role === "assistant") this.#takeAssistant(info, parts, at);
    else coverage.skip(`message of role ${role}`);
  }

  #takeUser(info: JsonObject, parts: readonly JsonValue[], at: At): void {
    const run = this.#run;
    this.#files.beginTurn(this.#undone === undefined ? listAt(info, "summary", "diffs") : []);
    run.identifier ??= wordAt(info, "model", "modelID");
    const typed = joined(parts.flatMap((part) => this.#typed(part, parts)));
    if (typed !== "") run.prompt(typed, at);
    const system = wordAt(info, "system");
    // Each message repeats it.
    if (system !== undefined && system !== this.#system) run.context("system", system, at);
    this.#system = system;
    this.#isUsersCommand = parts.some((part) => isSynthetic(part) && textAt(part, "text") === commandMark);
    for (const part of parts) this.#takeInserted(part, at);
  }

  /** Returns what the user typed or attached. */
  #typed(part: JsonValue, parts: readonly JsonValue[]): string[] {
    const type = textAt(part, "type");
    if (type === "text")
      return isSynthetic(part) || flagAt(part, "ignored") ? [] : [textAt(part, "text") ?? ""];
    if (type !== "file") return [];
    const mention = wordAt(part, "source", "text", "value");
    const isMentioned =
      mention !== undefined && parts.some((other) => textAt(other, "text")?.includes(mention) === true);
    const address = textAt(part, "url") ?? "";
    return isMentioned && !address.startsWith("data:") ? [] : [linked(address, attachTo(this.#run))];
  }

  /** Reads a part of the user's message that the program inserted. */
  #takeInserted(part: JsonValue, at: At): void {
    const run = this.#run;
    const type = textAt(part, "type") ?? "unknown";
    const text = textAt(part, "text") ?? "";
    if (type === "text") {
      if (isSynthetic(part) && text === commandMark)
        run.coverage.leaveOut("mark of a command that the user ran");
      else if (isSynthetic(part)) run.context("inserted", text, at);
      else if (flagAt(part, "ignored")) run.context("ignored", text, at);
    } else if (type === "subtask") {
      const metadata = defined({ agent: wordAt(part, "agent"), command: wordAt(part, "command") });
      run.context(type, textAt(part, "prompt") ?? "", { ...at, metadata });
    } else if (silent.has(type)) run.coverage.leaveOut(type);
    else if (type !== "file") run.coverage.skip(`part ${type}`);
  }

  #takeAssistant(info: JsonObject, parts: readonly JsonValue[], at: At): void {
    const finish = wordAt(info, "finish");
    const isCutOff = finish === "length" || finish === "content-filter" || finish === "error";
    const spoken: At = {
      ...at,
      model: wordAt(info, "modelID"),
      cwd: wordAt(info, "path", "cwd"),
      metadata: defined({ stop_reason: isCutOff ? finish : undefined }),
    };
    Object.assign(
      this.#run.parameters,
      defined({ provider: wordAt(info, "providerID"), variant: wordAt(info, "variant") }),
    );
    const mode = wordAt(info, "agent") ?? wordAt(info, "mode");
    if (mode !== undefined) this.#modes.add(mode);
    const isSummary = flagAt(info, "summary");
    const open: string[] = [];
    for (const part of parts) {
      const time = timeOf(valueAt(part, "time", "start"), this.#run.coverage) ?? at.time;
      this.#takePart(part, { at: { ...spoken, time }, isSummary, open });
    }
    this.#files.endMessage();
    this.#takeError(info, at, open);
    this.#takeSpent(info);
    this.#isUsersCommand = false;
  }

  #takePart(part: JsonValue, { at, isSummary, open }: { at: At; isSummary: boolean; open: string[] }): void {
    const run = this.#run;
    const type = textAt(part, "type") ?? "unknown";
    const text = textAt(part, "text") ?? "";
    if (type === "text") {
      if (text.trim() === "") run.coverage.leaveOut("empty text");
      else if (isSummary) run.context("compaction", text, at);
      else if (isSynthetic(part)) run.context("inserted", text, at);
      else run.message(text, at);
    } else if (type === "reasoning") this.#takeReasoning(part, at);
    else if (type === "tool") this.#takeTool(part, at, open);
    else if (type === "file") run.context("file", linked(textAt(part, "url") ?? "", attachTo(run)), at);
    else if (type === "retry") {
      const metadata = defined({ attempt: numberAt(part, "attempt") });
      run.context("error", errorText(objectAt(part, "error")), { ...at, metadata });
    } else if (type === "patch") this.#files.notePatch(listAt(part, "files"));
    else if (type === "step-finish") this.#use(part);
    else if (silent.has(type)) run.coverage.leaveOut(type);
    else run.coverage.skip(`part ${type}`);
  }

  #takeReasoning(part: JsonValue, at: At): void {
    const thought = wordAt(part, "text");
    // Only the provider's data of encrypted reasoning is recorded.
    if (thought !== undefined || Object.keys(objectAt(part, "metadata") ?? {}).length > 0)
      this.#run.reasoning(thought, at);
    else this.#run.coverage.leaveOut("empty reasoning");
  }

  #takeTool(part: JsonValue, at: At, open: string[]): void {
    if (this.#isUsersCommand) return usersCommand(this.#run, part, at);
    const tool = wordAt(part, "tool") ?? "unknown";
    const id = this.#calls.add({ id: wordAt(part, "callID"), tool, message: this.#message });
    const together = `message-${this.#message}-${this.#request}`;
    const isAnswered = takeOpencodeCall(this.#run, this.#files, part, { ...at, id, tool, together });
    if (!isAnswered) open.push(id);
    const agent = wordAt(part, "state", "metadata", "sessionId");
    if (agent !== undefined && tool === "task") this.#started.push({ agent, call: id });
  }

  #takeError(info: JsonObject, at: At, open: readonly string[]): void {
    const error = objectAt(info, "error");
    if (error === undefined) return;
    const isAborted = textAt(error, "name") === "MessageAbortedError";
    this.#run.context(isAborted ? "interruption" : "error", errorText(error), at);
    if (isAborted) for (const id of open) this.#run.setStatus(id, "interrupted");
  }

  #takeSpent(info: JsonObject): void {
    // Versions that made several requests for a message have the tokens of the last one there.
    const isMade = wordAt(info, "finish") !== undefined || (numberAt(info, "tokens", "output") ?? 0) > 0;
    if (this.#request === 0 && isMade) this.#use(info);
    const cost = numberAt(info, "cost");
    if (cost !== undefined) this.#run.metadata["cost_usd"] = this.#cost = (this.#cost ?? 0) + cost;
  }

  #use(spent: JsonValue): void {
    const tokens = objectAt(spent, "tokens");
    this.#request++;
    if (tokens === undefined) return;
    this.#run.use(`message-${this.#message}-${this.#request}`, {
      input_tokens: numberAt(tokens, "input"),
      output_tokens: numberAt(tokens, "output"),
      cache_read_input_tokens: numberAt(tokens, "cache", "read"),
      cache_creation_input_tokens: numberAt(tokens, "cache", "write"),
      reasoning_output_tokens: numberAt(tokens, "reasoning"),
    });
  }
}

function isSynthetic(part: JsonValue): boolean {
  return flagAt(part, "synthetic");
}

function errorText(error: JsonObject | undefined): string {
  const [name, message] = [
    wordAt(error, "name"),
    wordAt(error, "data", "message") ?? wordAt(error, "message"),
  ];
  return [name, message].filter((word) => word !== undefined).join(": ");
}
