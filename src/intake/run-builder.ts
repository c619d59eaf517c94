// Builds one run from a log, in its order. Every reader feeds this class: it matches results with calls,
// numbers turns, marks calls that were issued together, and records what is unknown.
// Over 300 lines: every method works on the same steps.
import { canonicalText } from "../base/json/canonical.js";
import type { JsonObject, JsonValue } from "../base/json/value.js";
import { appendAll } from "../base/lists.js";
import { coverageTexts } from "../model/coverage-codes.js";
import type { Content, StoredContent } from "../model/content.js";
import type { Reference } from "../base/digest.js";
import type { ExecutionLog, LogStep } from "../model/log.js";
import type { ContentOrigin } from "../model/manifest.js";
import { sortKey } from "../model/times.js";
import { isDeterministic, toolUse } from "../tools/table.js";
import { CallIds } from "./call-ids.js";
import type { Coverage } from "./coverage.js";
import { defined } from "./json-access.js";
import { FileStates } from "./file-states.js";
import type { Keeper } from "./format.js";
import { type EarlyResult, heldContents, takeOver } from "./held-contents.js";
import type {
  At,
  CallEntry,
  Contents,
  ResultEntry,
  RunBuilderOptions,
  Status,
  BuiltStep,
  Usage,
} from "./run-entries.js";
import { UsageBook } from "./usage-book.js";

/** The name of a run's last message to the user among its outputs. */
export const answerName = ".answer.md";
export class RunBuilder {
  readonly files: FileStates;
  readonly coverage: Coverage;
  /** Additional metadata of the run, in insertion order. */
  readonly metadata: JsonObject = {};
  readonly source: JsonObject;
  readonly parameters: JsonObject = {};
  readonly toolVersions: Record<string, string> = {};
  readonly environment = { os: "unknown", runtime: "unknown" };
  /** The model, where the log names one that produced no step. */
  identifier: string | undefined;
  /** The last message of the model. */
  answer: string | undefined;
  readonly #agent: string;
  readonly #keeper: Keeper;
  readonly #prompts: { role: string; content: Content }[] = [];
  readonly #steps: BuiltStep[] = [];
  /** Indices of the steps that the user did not go back from. */
  readonly #live: number[] = [];
  /** Results that were merged into their calls. */
  readonly #joined = new Set<BuiltStep>();
  readonly #calls = new Map<string, BuiltStep>();
  readonly #ids = new CallIds();
  /** Calls without a result so far. */
  readonly #open = new Set<BuiltStep>();
  /** Results that came before their calls. */
  readonly #early = new Map<string, EarlyResult>();
  readonly #groups = new Map<string, BuiltStep>();
  /** The models that produced steps, with the first step of each. */
  readonly #models = new Map<string, BuiltStep>();
  readonly #usage = new UsageBook();
  readonly #kept = new Set<string>();
  #system: StoredContent | undefined;
  /** The system prompt as it was last changed. */
  #systemNow: string | undefined;
  #created: string | undefined;
  #lastModel: string | undefined;
  #workdir: string | undefined;
  #branch: string | undefined;
  #lastBranch: string | undefined;
  #answer: StoredContent | undefined;

  constructor(options: RunBuilderOptions) {
    this.#agent = options.agent;
    this.#keeper = options.keeper();
    this.coverage = options.coverage;
    this.source = { format: options.format };
    if (options.agent !== options.format) this.source["agent"] = options.agent;
    this.files = new FileStates((bytes, path) => this.#keeper.keep(bytes, { path }));
  }

  get stepCount(): number {
    return this.#steps.length;
  }

  get promptCount(): number {
    return this.#prompts.length;
  }

  /** Sets the system prompt. */
  systemPrompt(text: string): void {
    this.#system = this.#keep(text);
    this.#kept.add("system prompt");
  }

  /** Sets the system prompt if there is none; one that differs from the last is context. */
  changeSystemPrompt(text: string, at: At = {}): void {
    const before = this.#systemNow;
    this.#systemNow = text;
    if (before === undefined) this.systemPrompt(text);
    else if (before !== text) this.context("system", text, at);
  }

  /** Adds a prompt of the user. */
  prompt(text: string, { time, role = "user" }: { time?: string | undefined; role?: string } = {}): void {
    this.see({ time });
    // Nobody asks for nothing: it is what is left of a message that was not recorded.
    if (text.trim() === "") return this.coverage.leaveOut("prompts without a text");
    this.#prompts.push({ role, content: { stored: this.#keep(text) } });
    this.#kept.add("prompts");
  }

  /** Adds text that no person typed: reminders, summaries, files that the client inserted. */
  context(kind: string, text: string, at: At = {}): void {
    this.#add(
      { type: "context", output: this.#content(text) },
      { ...at, metadata: { kind, ...at.metadata } },
    );
    this.#kept.add("context");
  }

  /** Adds a message of the model to the user. */
  message(text: string, at: At = {}): void {
    this.answer = text;
    this.#answer = this.#keep(text);
    this.#add({ type: "message", output: { stored: this.#answer } }, at);
    this.#kept.add("messages");
  }

  /** Adds reasoning of the model; without a text where it is encrypted. */
  reasoning(text: string | undefined, at: At = {}): void {
    if (text === undefined) {
      this.coverage.addUnknown("some of the reasoning (encrypted, or not recorded)");
      this.#add({ type: "reasoning" }, { ...at, metadata: { ...at.metadata, opaque: true } });
      return;
    }
    this.#add({ type: "reasoning", output: this.#content(text) }, at);
    this.#kept.add("reasoning");
  }

  /**
   * Adds a call. Some agents write a record again when the next one is there: the same call under the same id is
   * one call. A second call under an id that is taken gets an id of its own.
   */
  call(entry: CallEntry): void {
    const { id, tool, parameters, isServer = false, together } = entry;
    const known = id === undefined ? undefined : this.#calls.get(id);
    if (
      known !== undefined &&
      known.tool === tool &&
      canonicalText(known.parameters ?? {}) === canonicalText(parameters)
    ) {
      this.coverage.duplicates++;
      if (together !== undefined && !isServer) this.#group(together, known);
      return;
    }
    const step = this.#add(
      {
        type: isServer ? "server_tool_call" : "tool_call",
        tool,
        parameters,
        deterministic: isDeterministic(toolUse(tool, parameters, this.#agent)),
      },
      {
        ...entry,
        metadata: this.#named(defined({ status: "unanswered", call_id: id, ...entry.metadata }), id),
      },
    );
    // Of some calls the log only says that they ended.
    if (step.metadata["status"] === "unanswered") this.#open.add(step);
    if (id !== undefined) this.#joinEarly(id, step);
    if (together !== undefined && !isServer) this.#group(together, step);
    this.#kept.add("tool calls");
  }

  /** Returns the earlier call with this id. */
  callOf(id: string | undefined): { tool: string; parameters: JsonObject; status: JsonValue } | undefined {
    const step = id === undefined ? undefined : this.#calls.get(id);
    if (step === undefined) return undefined;
    return {
      tool: step.tool as string,
      parameters: step.parameters ?? {},
      status: step.metadata["status"] as JsonValue,
    };
  }

  /** Adds the result of a call. A result whose call is not in the log becomes a step of its own. */
  result(id: string | undefined, entry: ResultEntry): void {
    this.see(entry);
    const call = id === undefined ? undefined : this.#calls.get(id);
    const isRepeated = call?.output !== undefined && !this.#open.has(call);
    // A second result of one call is kept, beside the first.
    if (isRepeated) this.coverage.duplicates++;
    const alone = { time: entry.time, metadata: defined({ call_id: id }) };
    const step = call === undefined || isRepeated ? this.#add({ type: "tool_result" }, alone) : call;
    if (call === undefined && id !== undefined) this.#early.set(id, { step, contents: heldContents(entry) });
    this.#open.delete(step);
    this.#setContents(step, entry, call ?? entry.origin);
    const { call_id, logged_id } = step.metadata;
    const own = defined({ call_id, logged_id });
    step.metadata = { ...step.metadata, ...entry.metadata, ...own, status: entry.status };
    if (entry.output !== undefined) this.#kept.add("tool results");
  }

  /** Sets output and seen of a step, with its call as their origin. */
  #setContents(step: BuiltStep, { output, seen }: Contents, origin: ContentOrigin = step): void {
    if (output !== undefined) step.output = this.#content(output, origin);
    if (seen !== undefined && seen !== output) step.seen = this.#content(seen, origin);
  }

  /** Notes what the model was shown of a call whose result comes later: contents until then may repeat it. */
  show(id: string, seen: string): void {
    const call = this.#calls.get(id);
    if (call !== undefined) this.#keep(seen, call);
  }

  /** Notes that the user stopped the run: open calls will get no result. */
  interrupt(): void {
    for (const step of this.#open) step.metadata["status"] = "interrupted";
    this.#open.clear();
  }

  /** Changes the status of a call that has no result, or another one. */
  setStatus(id: string, status: Status, metadata: JsonObject = {}): void {
    const step = this.#calls.get(id);
    if (step !== undefined) Object.assign(step.metadata, metadata, { status });
  }

  /** Sets the pack of the run that a call started. */
  setPack(id: string, pack: Reference): void {
    const step = this.#calls.get(id);
    if (step !== undefined) step.pack = pack;
  }

  /** Marks all steps from an index on as abandoned: the user went back to before them. */
  abandon(from: number): void {
    while ((this.#live.at(-1) ?? -1) >= from)
      (this.#steps[this.#live.pop() as number] as BuiltStep).metadata["abandoned"] = true;
  }

  /** Marks the steps from one index up to another as abandoned: they are of a branch that the user left. */
  abandonSteps(from: number, to: number): void {
    for (const step of this.#steps.slice(from, to)) step.metadata["abandoned"] = true;
  }

  /** Records usage. It is reported repeatedly while streaming: the maximum per name counts. */
  use(name: string, usage: Usage): void {
    this.#usage.note(name, usage);
  }

  /** Notes the time, folder and branch of a record, for the run as a whole. */
  see({ time, cwd, branch }: At): void {
    // Normalised times sort as their keys do.
    if (time !== undefined && (this.#created === undefined || sortKey(time) > sortKey(this.#created)))
      this.#created = time;
    if (cwd !== undefined && cwd !== "" && this.#workdir === undefined) {
      this.#workdir = cwd;
      this.files.setWorkdir(cwd);
    }
    if (branch !== undefined && branch !== "") this.#branch ??= this.#lastBranch = branch;
  }

  finish(): ExecutionLog {
    const outputs = this.files.outputs();
    const unknown = this.files.unknownOutputs;
    if (unknown > 0)
      this.coverage.addUnknown(
        `the content of ${unknown} changed ${unknown === 1 ? "file" : "files"} at the end`,
      );
    if (outputs.length > 0) this.coverage.rebuilt("outputs: files as their last recorded change left them");
    appendAll(outputs, this.files.delivered());
    if (this.#answer !== undefined) {
      const isTaken = outputs.some(({ name }) => name === answerName);
      outputs.push({ name: isTaken ? `.said${answerName}` : answerName, content: { stored: this.#answer } });
    }
    if (this.#system === undefined) this.coverage.addUnknown(coverageTexts.system_prompt);
    if (this.#created === undefined) this.coverage.addUnknown(coverageTexts.times);
    else this.#kept.add("times");
    const models = [...this.#models.keys()];
    const [first] = this.#models.values();
    // A model that never changes is named once, at the top.
    if (models.length === 1 && first !== undefined) delete first.metadata["model"];
    const identifier = this.#lastModel ?? this.identifier ?? "unknown";
    if (identifier === "unknown") this.coverage.addUnknown("the model");
    const run: ExecutionLog = {
      ...(this.#created === undefined ? {} : { created: this.#created }),
      model: { identifier, parameters: this.parameters },
      system_prompt: { stored: this.#system ?? this.#keeper.keep(Buffer.alloc(0)) },
      prompts: this.#prompts,
      inputs: this.files.inputs(),
      steps: this.#steps.filter((step) => !this.#joined.has(step)),
      outputs,
      environment: { ...this.environment, tool_versions: this.toolVersions },
      metadata: this.#metadata(models),
    };
    this.#keeper.finish(run);
    return run;
  }

  #metadata(models: string[]): JsonObject {
    const usage = this.#usage.totals();
    if (usage !== undefined) this.#kept.add("usage");
    return {
      ...defined({
        source: this.source,
        workdir: this.#workdir,
        git: this.metadata["git"] ?? (this.#branch === undefined ? undefined : { branch: this.#branch }),
        models: models.length > 1 ? models : undefined,
        usage,
      }),
      ...this.metadata,
      coverage: this.coverage.toJson([...this.#kept]),
    };
  }

  #add(step: LogStep, at: At): BuiltStep {
    this.see(at);
    const { time, model, cwd, branch } = at;
    const metadata: JsonObject = { turn: Math.max(0, this.#prompts.length - 1), ...at.metadata };
    if (model !== undefined && model !== this.#lastModel) metadata["model"] = this.#lastModel = model;
    if (cwd !== undefined && cwd !== "" && cwd !== this.#workdir) metadata["cwd"] = cwd;
    if (branch !== undefined && branch !== "" && branch !== this.#lastBranch)
      metadata["branch"] = this.#lastBranch = branch;
    const added: BuiltStep = { ...step, ...(time === undefined ? {} : { timestamp: time }), metadata };
    this.#live.push(this.#steps.push(added) - 1);
    if (model !== undefined && !this.#models.has(model)) this.#models.set(model, added);
    return added;
  }

  /** Merges a result that came before its call into the call. */
  #joinEarly(id: string, call: BuiltStep): void {
    this.#calls.set(id, call);
    const early = this.#early.get(id);
    if (early === undefined) return;
    this.#early.delete(id);
    this.#open.delete(call);
    takeOver(call, early.step);
    this.#joined.add(early.step);
    // Only now is the origin of the result known.
    this.#setContents(call, early.contents);
  }

  #group(together: string, step: BuiltStep): void {
    const first = this.#groups.get(together);
    if (first === undefined) this.#groups.set(together, step);
    // A call that the log repeats belongs to the group that it was in.
    else first.metadata["parallel"] = step.metadata["parallel"] = first.metadata["parallel"] ?? together;
  }

  /** Returns the metadata of a call with an id that no other call of the run has. */
  #named(metadata: JsonObject, id: string | undefined): JsonObject {
    const logged = metadata["call_id"];
    if (typeof logged !== "string") return metadata;
    const unused = this.#ids.unused(logged, id);
    return unused === logged ? metadata : { ...metadata, call_id: unused, logged_id: logged };
  }

  #content(content: string | Buffer, origin?: ContentOrigin): Content {
    return { stored: this.#keep(content, origin) };
  }

  #keep(content: string | Buffer, origin?: ContentOrigin): StoredContent {
    return this.#keeper.keep(typeof content === "string" ? Buffer.from(content) : content, origin);
  }
}
