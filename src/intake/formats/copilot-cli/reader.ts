// Reads the events of a session, in the order of the file. Sub-agents write into the same file, under their
// own ids.
import type { Reference } from "../../../base/digest.js";
import type { JsonObject } from "../../../base/json/value.js";
import type { ExecutionLog } from "../../../model/log.js";
import { argumentsOf } from "../../protocols/openai-chat/calls.js";
import { Coverage } from "../../coverage.js";
import { defined, numberAt, objectAt, objectsAt, textAt, wordAt } from "../../json-access.js";
import type { Into, StartedAgent } from "../../format.js";
import { addPromptOption } from "../../prompt-flag.js";
import { RunBuilder } from "../../run-builder.js";
import type { At } from "../../run-entries.js";
import { finishAgent, linkAgent } from "../../sub-agents.js";
import { timeOf } from "../../times.js";
import { isLeftOut } from "./kinds.js";
import { takeComplete } from "./results.js";
import { Spent } from "./spent.js";
import { takeContext, takeStart, takeUser } from "./notes.js";

interface CopilotAgent {
  run: RunBuilder;
  /** The call that started it. */
  call: string | undefined;
}

export class CopilotReader {
  readonly #into: Into;
  readonly #main: RunBuilder;
  readonly #agents = new Map<string, CopilotAgent>();
  /** The run that made a call. */
  readonly #owners = new Map<string, RunBuilder>();
  /** Runs that made calls since the user last stopped them. */
  readonly #busy = new Set<RunBuilder>();
  readonly #ids = new Set<string>();
  /** The number of steps before each event. */
  readonly #before = new Map<string, number>();
  readonly #thoughts = new Map<RunBuilder, string>();
  readonly #systems = new Map<RunBuilder, string>();
  readonly #spent = new Spent();
  #model: string | undefined;

  constructor(into: Into) {
    this.#into = into;
    this.#main = this.#builder(into.coverage);
  }

  take(event: JsonObject): void {
    const { coverage } = this.#into;
    const id = wordAt(event, "id");
    if (id !== undefined && this.#ids.has(id)) {
      coverage.duplicates++;
      return;
    }
    if (id !== undefined) {
      this.#ids.add(id);
      this.#before.set(id, this.#main.stepCount);
    }
    const type = textAt(event, "type") ?? "unknown";
    const data = objectAt(event, "data") ?? {};
    const at = { time: timeOf(event["timestamp"], coverage) };
    this.#main.see(at);
    if (isLeftOut(type)) return coverage.leaveOut(type);
    if (type.startsWith("subagent.")) return this.#takeAgent(type, event, data);
    const run = this.#runOf(wordAt(event, "agentId") ?? wordAt(data, "parentToolCallId"));
    if (!this.#takeSpoken(run, type, data, at) && !this.#takeNote(run, type, data, at))
      if (type === "result") this.#takeResult(event);
      else coverage.skip(type);
  }

  finish(): ExecutionLog {
    const main = this.#main;
    const unlinked: [StartedAgent, Reference][] = [];
    this.#spent.addTo(main, "main");
    // A sub-agent that another one started comes after it, and must be sealed before it.
    for (const [agent, { run, call }] of [...this.#agents].reverse()) {
      this.#spent.addTo(run, agent);
      const owner = call === undefined ? undefined : this.#owners.get(call);
      const prompt = textAt(call === undefined ? undefined : owner?.callOf(call)?.parameters, "prompt");
      if (run.promptCount === 0 && prompt !== undefined) {
        run.prompt(prompt);
        run.coverage.rebuilt("the prompt: what the call that started it asked");
      }
      if (run.stepCount === 0) {
        main.coverage.addUnknown("what some sub-agents did");
        continue;
      }
      const started = { agent, call };
      const pack = this.#into.seal(finishAgent(run, agent, main.source["session"]), started);
      if (owner !== undefined && owner !== run) linkAgent(owner, started, pack);
      else unlinked.unshift([{ agent }, pack]);
    }
    for (const [started, pack] of unlinked) linkAgent(main, started, pack);
    addPromptOption(main, this.#into);
    return main.finish();
  }

  #builder(coverage: Coverage): RunBuilder {
    const keeper: Into["keeper"] = () => this.#into.keeper();
    return new RunBuilder({ format: "copilot-cli", agent: "copilot-cli", keeper, coverage });
  }

  #runOf(agent: string | undefined): RunBuilder {
    return agent === undefined ? this.#main : this.#agent(agent).run;
  }

  #agent(id: string): CopilotAgent {
    const known = this.#agents.get(id);
    if (known !== undefined) return known;
    // Unless another event says otherwise, a sub-agent has the id of its call.
    const made = { run: this.#builder(new Coverage()), call: this.#owners.has(id) ? id : undefined };
    this.#agents.set(id, made);
    return made;
  }

  #takeSpoken(run: RunBuilder, type: string, data: JsonObject, at: At): boolean {
    const { time } = at;
    switch (type) {
      case "user.message":
        takeUser(run, data, { at, isAgents: run !== this.#main });
        return true;
      case "assistant.message":
        this.#takeMessage(run, data, at);
        return true;
      case "assistant.reasoning":
        // Encrypted reasoning comes with the message, too.
        if (wordAt(data, "content") === undefined) this.#into.coverage.leaveOut(type);
        else this.#takeThought(run, wordAt(data, "content"), { ...at, model: this.#model });
        return true;
      case "tool.user_requested":
      case "tool.execution_start":
        this.#takeCall(run, data, { ...at, model: wordAt(data, "model") }, wordAt(data, "toolName"));
        return true;
      case "tool.execution_complete": {
        // Where the event does not say whose call it was, the call does.
        const owner = this.#owners.get(wordAt(data, "toolCallId") ?? "");
        takeComplete(owner ?? run, data, time);
        return true;
      }
      case "system.message":
        this.#takeSystem(run, data, at);
        return true;
      case "abort":
        run.context("interruption", wordAt(data, "reason") ?? "", at);
        for (const each of this.#busy) each.interrupt();
        this.#busy.clear();
        return true;
      default:
        return false;
    }
  }

  #takeNote(run: RunBuilder, type: string, data: JsonObject, at: At): boolean {
    switch (type) {
      case "session.start":
      case "session.resume":
        this.#model = wordAt(data, "selectedModel") ?? this.#model;
        takeStart(run, data, at);
        return true;
      case "session.model_change":
        this.#model = wordAt(data, "newModel") ?? this.#model;
        this.#main.identifier = this.#model;
        return true;
      case "session.snapshot_rewind":
        this.#main.abandon(this.#before.get(wordAt(data, "upToEventId") ?? "") ?? this.#main.stepCount);
        return true;
      case "session.shutdown":
        this.#takeShutdown(data);
        return true;
      case "assistant.usage":
        this.#spent.note(run, wordAt(data, "apiCallId") ?? `usage ${this.#ids.size}`, data);
        return true;
      default:
        return takeContext(run, type, data, at);
    }
  }

  #takeMessage(run: RunBuilder, data: JsonObject, at: At): void {
    const model = wordAt(data, "model") ?? (run === this.#main ? this.#model : undefined);
    const spoken = { ...at, model };
    const thought = wordAt(data, "reasoningText");
    const isOpaque = ["reasoningOpaque", "encryptedContent"].some((name) => wordAt(data, name) !== undefined);
    if (thought !== undefined || isOpaque) this.#takeThought(run, thought, spoken);
    const text = textAt(data, "content") ?? "";
    if (text.trim() !== "") run.message(text, spoken);
    const message = wordAt(data, "messageId") ?? `message ${this.#ids.size}`;
    for (const request of objectsAt(data, "toolRequests"))
      this.#takeCall(run, request, spoken, wordAt(request, "name"), message);
    const output = numberAt(data, "outputTokens");
    if (output !== undefined)
      this.#spent.note(run, wordAt(data, "apiCallId") ?? message, { outputTokens: output });
  }

  /** Reads reasoning, which a separate event may carry before the message does. */
  #takeThought(run: RunBuilder, text: string | undefined, at: At): void {
    if (text !== undefined && this.#thoughts.get(run) === text) {
      this.#into.coverage.duplicates++;
      return;
    }
    if (text !== undefined) this.#thoughts.set(run, text);
    run.reasoning(text, at);
  }

  /** Reads a call, which is in the message that requests it, and again in the event of its start. */
  #takeCall(run: RunBuilder, data: JsonObject, at: At, name: string | undefined, together?: string): void {
    const id = wordAt(data, "toolCallId");
    if (id !== undefined && this.#owners.has(id)) return;
    if (name === undefined) run.coverage.addUnknown("the names of some tools");
    const server = wordAt(data, "mcpServerName");
    run.call({
      ...at,
      id,
      tool: name ?? "unknown",
      parameters: argumentsOf(data["arguments"], run.coverage),
      together,
      metadata: defined({ mcp_server: server }),
    });
    this.#busy.add(run);
    if (id !== undefined) this.#owners.set(id, run);
  }

  #takeSystem(run: RunBuilder, data: JsonObject, at: At): void {
    const text = textAt(data, "content") ?? "";
    const known = this.#systems.get(run);
    if (known === text) {
      this.#into.coverage.duplicates++;
      return;
    }
    if (known === undefined && textAt(data, "role") !== "developer") {
      this.#systems.set(run, text);
      run.systemPrompt(text);
    } else run.context("system_prompt", text, at);
  }

  #takeAgent(type: string, event: JsonObject, data: JsonObject): void {
    const call = wordAt(data, "toolCallId");
    const id = wordAt(event, "agentId") ?? call;
    if (id === undefined) return this.#into.coverage.skip(type);
    const agent = this.#agent(id);
    const { run } = agent;
    if (call !== undefined) agent.call ??= call;
    const model = wordAt(data, "model");
    if (model !== undefined) run.identifier ??= model;
    Object.assign(
      run.metadata,
      defined({
        agent: wordAt(data, "agentName"),
        title: wordAt(data, "agentDisplayName"),
        duration_ms: numberAt(data, "durationMs"),
        error: wordAt(data, "error"),
      }),
    );
    const effort = wordAt(data, "reasoningEffort");
    if (effort !== undefined) run.parameters["reasoning_effort"] = effort;
  }

  #takeShutdown(data: JsonObject): void {
    const { metadata } = this.#main;
    this.#spent.total(data);
    Object.assign(
      metadata,
      defined({
        outcome: wordAt(data, "shutdownType"),
        error: wordAt(data, "errorReason"),
        model_usage: objectAt(data, "modelMetrics"),
        premium_requests: numberAt(data, "totalPremiumRequests"),
        code_changes: objectAt(data, "codeChanges"),
      }),
    );
    this.#main.identifier ??= wordAt(data, "currentModel");
  }

  /** Reads the last line that `copilot -p --output-format json` prints. */
  #takeResult(event: JsonObject): void {
    const { source, metadata } = this.#main;
    const session = wordAt(event, "sessionId");
    if (session !== undefined) source["session"] ??= session;
    Object.assign(
      metadata,
      defined({
        exit_code: numberAt(event, "exitCode"),
        premium_requests: numberAt(event, "usage", "premiumRequests"),
        code_changes: objectAt(event, "usage", "codeChanges"),
      }),
    );
  }
}
