// Events of OpenHands' SDK, and the folders in which it keeps conversations.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logIn } from "../../../src/intake/recognise.js";
import { openhands } from "../../../src/intake/formats/openhands/format.js";
import { headOf } from "../../../src/intake/head.js";
import { recognise } from "../../../src/intake/recognise.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import { packAll } from "../../../src/ops/pack.js";
import { logName } from "../../../src/drafts/draft.js";
import { tempFolder, tempStore } from "../../../dev/folders.js";
import { lines, readForeign } from "../../../dev/intake.js";

function read(log: string, options = {}) {
  const taken = readForeign(openhands, log, options);
  const [run] = taken.runs;
  if (run === undefined) throw new Error("no run");
  const steps = (run.steps ?? []).map((step) => ({
    type: step.type,
    tool: step.tool,
    parameters: step.parameters,
    output: taken.text(step.output),
    seen: taken.text(step.seen),
    metadata: step.metadata ?? {},
  }));
  const prompts = (run.prompts ?? []).map(({ content }) => taken.text(content));
  const outputs = Object.fromEntries(
    (run.outputs ?? []).map(({ name, content }) => [name, taken.text(content)]),
  );
  const metadata = run.metadata ?? {};
  return {
    ...taken,
    run,
    steps,
    prompts,
    outputs,
    metadata,
    coverage: metadata["coverage"] as Record<string, unknown>,
  };
}

const part = (text: string) => ({ type: "text", text });
const event = (id: string, kind: string, rest: object) => ({
  id,
  timestamp: "2026-02-05T11:24:45.3",
  source: "agent",
  kind,
  ...rest,
});
const asks = event("m", "MessageEvent", {
  source: "user",
  llm_message: { role: "user", content: [part("Go.")] },
});
const acts = (id: string, call: string, rest: object = {}) =>
  event(id, "ActionEvent", {
    thought: [],
    tool_name: "terminal",
    tool_call_id: call,
    tool_call: { id: call, name: "terminal", arguments: '{"command":"ls"}' },
    ...rest,
  });
const sees = (id: string, action: string, call: string, observation: object, rest: object = {}) =>
  event(id, "ObservationEvent", {
    source: "environment",
    action_id: action,
    tool_call_id: call,
    observation,
    ...rest,
  });

const stats = (count: number) =>
  event(`u${count}`, "ConversationStateUpdateEvent", {
    key: "stats",
    value: {
      usage_to_metrics: {
        condenser: {
          model_name: "c",
          accumulated_cost: 0.25,
          accumulated_token_usage: { prompt_tokens: 1 },
        },
        agent: {
          model_name: "m",
          accumulated_cost: count,
          accumulated_token_usage: { prompt_tokens: count, completion_tokens: 1 },
        },
      },
    },
  });
const acpCall = (id: string, rest: object) =>
  event(id, "ACPToolCallEvent", { tool_call_id: "p", title: "Read a", tool_kind: "read", ...rest });
const say = (id: number, source: string, content: string) => ({
  id,
  source,
  action: "message",
  args: { content },
});

describe("events of the SDK", () => {
  it("OpenHands SDK: events become a run", () => {
    const { run, text, steps, prompts, metadata, outputs } = read(
      lines(
        event("s", "SystemPromptEvent", {
          system_prompt: part("You are."),
          dynamic_context: part("Today."),
          tools: [{ name: "terminal" }],
        }),
        asks,
        acts("a1", "t1", {
          thought: [part("I look.")],
          reasoning_content: "Hm.",
          summary: "look",
          security_risk: "LOW",
        }),
        sees("o1", "a1", "t1", {
          content: [part("a")],
          exit_code: 0,
          metadata: { exit_code: 0, working_dir: "/w" },
        }),
        event("f", "ActionEvent", {
          action: { kind: "FinishAction", message: "Done." },
          tool_name: "finish",
          tool_call_id: "t2",
        }),
        sees("o2", "f", "t2", { content: [part("Done.")], kind: "FinishObservation" }),
      ),
    );
    expect(text(run.system_prompt)).toBe("You are.\n\nToday.");
    expect(prompts).toEqual(["Go."]);
    expect(steps).toMatchObject([
      { type: "reasoning", output: "Hm." },
      { type: "message", output: "I look." },
      {
        type: "tool_call",
        tool: "terminal",
        parameters: { command: "ls" },
        output: "a",
        metadata: { call_id: "t1", exit_code: 0, summary: "look", security_risk: "LOW" },
      },
      { type: "tool_call", tool: "finish", output: "Done.", metadata: { status: "ok" } },
      { type: "message", output: "Done." },
    ]);
    expect(outputs[".answer.md"]).toBe("Done.");
    expect(metadata).toMatchObject({ workdir: "/w", tools: ["terminal"] });
  });

  it("OpenHands SDK: results go to their actions, and calls of one response are parallel (trap 7)", () => {
    const { steps } = read(
      lines(
        asks,
        acts("a1", "t", { llm_response_id: "r1" }),
        acts("a2", "t", { llm_response_id: "r1" }),
        sees("o2", "a2", "t", { content: [part("two")] }),
        sees("o1", "a1", "t", { content: [part("one")] }),
      ),
    );
    expect(steps.map(({ output, metadata }) => [output, metadata["parallel"]])).toEqual([
      ["one", "r1"],
      ["two", "r1"],
    ]);
  });

  it("OpenHands SDK: refused, failed, interrupted and unanswered calls have their status", () => {
    const { steps } = read(
      lines(
        asks,
        acts("a1", "t1"),
        event("o1", "UserRejectObservation", {
          action_id: "a1",
          rejection_reason: "No.",
          rejection_source: "hook",
        }),
        acts("a2", "t2", { action: null }),
        event("o2", "AgentErrorEvent", { tool_call_id: "t2", error: "no such tool" }),
        acts("a3", "t3"),
        sees("o3", "a3", "t3", { content: [part("x")], is_error: true, metadata: { exit_code: -1 } }),
        acts("a4", "t4"),
        sees("o4", "a4", "t4", { content: [part("x")], exit_code: 1 }),
        event("o5", "AgentErrorEvent", { tool_call_id: "t9", error: "lost" }),
        event("e", "ConversationErrorEvent", { code: "E", detail: "why" }),
        acts("a6", "t6"),
        event("i", "InterruptEvent", { source: "user" }),
        acts("a7", "t7"),
        sees("o8", "a8", "t8", { content: [part("x")] }),
      ),
    );
    expect(steps.map(({ type, metadata }) => [type, metadata["status"] ?? metadata["kind"]])).toEqual([
      ["tool_call", "denied"],
      ["tool_call", "error"],
      ["tool_call", "error"],
      ["tool_call", "error"],
      ["context", "error"],
      ["context", "error"],
      ["tool_call", "interrupted"],
      ["tool_call", "unanswered"],
      ["tool_result", "ok"],
    ]);
    expect(steps[0]).toMatchObject({ output: "No.", metadata: { rejected_by: "hook" } });
  });

  it("OpenHands SDK: what the model saw beyond the result is kept apart (trap 3)", () => {
    const { steps, prompts } = read(
      lines(
        { ...asks, extended_content: [part("A skill.")] },
        acts("a1", "t1"),
        sees("o1", "a1", "t1", { content: [part("a")] }, { extended_content: [part("A rule.")] }),
      ),
    );
    expect(prompts).toEqual(["Go."]);
    expect(steps).toMatchObject([
      { type: "context", output: "A skill.", metadata: { kind: "extension" } },
      { type: "tool_call", output: "a", seen: "a\nA rule." },
    ]);
  });

  it("OpenHands SDK: forgotten events stay, and the place of the summary is marked (trap 11)", () => {
    const { steps } = read(
      lines(asks, event("c", "Condensation", { forgotten_event_ids: ["m"], summary: "Much." })),
    );
    expect(steps).toMatchObject([{ output: "Much.", metadata: { kind: "compaction", forgotten: 1 } }]);
  });

  it("OpenHands SDK: reasoning that only the provider can read is marked (trap 12)", () => {
    const sealed = { responses_reasoning_item: { summary: [], encrypted_content: "x" } };
    const { steps } = read(lines(asks, acts("a1", "t1", sealed)));
    expect(steps[0]).toMatchObject({ type: "reasoning", metadata: { opaque: true } });
    const both = acts("a1", "t1", {
      thought: [part("<think>Hm.\n</think>\n\nI look.")],
      reasoning_content: "Hm.\n",
    });
    expect(read(lines(asks, both)).steps.map(({ output }) => output)).toEqual([
      "Hm.\n",
      "I look.",
      undefined,
    ]);
  });

  it("OpenHands SDK: usage and cost are the last ones of each model's metrics", () => {
    const { run, metadata } = read(lines(asks, acts("a", "t"), stats(1), stats(2)));
    expect(run.model.identifier).toBe("m");
    expect(metadata).toMatchObject({ cost_usd: 2.25, usage: { input_tokens: 3, output_tokens: 1 } });
  });

  it("OpenHands SDK: the updates of a call of another agent are one call", () => {
    const { steps } = read(
      lines(
        asks,
        acpCall("p1", { status: "pending", raw_input: { path: "a" } }),
        acpCall("p2", { status: "in_progress" }),
        acpCall("p3", { status: "completed", raw_output: "x" }),
      ),
    );
    expect(steps).toMatchObject([
      { tool: "read", parameters: { path: "a" }, output: "x", metadata: { status: "ok" } },
    ]);
  });

  it("OpenHands SDK: events of unknown kinds are counted", () => {
    const { coverage } = read(lines(asks, event("x", "DanceEvent", {}), event("y", "TokenEvent", {})));
    expect(coverage).toMatchObject({ skipped: { DanceEvent: 1 }, left_out: { TokenEvent: 1 } });
  });
});

describe("the folder of a conversation", () => {
  const state = {
    id: "11111111-2222-3333-4444-555555555555",
    agent: {
      llm: { model: "m", temperature: 0, api_key: "**********" },
      tools: [{ name: "terminal" }],
      kind: "Agent",
    },
    workspace: { working_dir: "/w" },
    persistence_dir: "p",
    execution_status: "finished",
    confirmation_policy: { kind: "NeverConfirm" },
    stats: { usage_to_metrics: {} },
  };

  function conversation(...events: [name: string, content: unknown][]): { folder: string; file: string } {
    const folder = tempFolder();
    fs.mkdirSync(join(folder, "events"));
    const file = join(folder, "base_state.json");
    fs.writeFileSync(file, JSON.stringify(state));
    for (const [name, content] of events)
      fs.writeFileSync(
        join(folder, "events", name),
        typeof content === "string" ? content : JSON.stringify(content),
      );
    return { folder, file };
  }

  const made = () =>
    conversation(
      [
        "event-00010-c.json",
        sees("o1", "a1", "t1", { content: [part("a")], path: "/w/x", new_content: "1", prev_exist: false }),
      ],
      ["event-00000-a.json", asks],
      ["event-00002-b.json", acts("a1", "t1")],
      [".eventlog.lock", "not an event"],
    );

  it.each(["base_state.json", "events/event-00000-a.json"])(
    "OpenHands SDK: the folder of a conversation is read in full when the log is %s",
    (name) => {
      const { folder } = made();
      const path = join(folder, name);
      const { run, prompts, steps, metadata, outputs } = read(fs.readFileSync(path, "utf8"), { path });
      expect(prompts).toEqual(["Go."]);
      expect(steps).toMatchObject([{ tool: "terminal", output: "a" }]);
      expect(run.model).toEqual({
        identifier: "m",
        parameters: { temperature: 0, confirmation_policy: "NeverConfirm" },
      });
      expect(outputs).toMatchObject({ x: "1" });
      expect(metadata).toMatchObject({
        source: { session: state.id, agent_class: "Agent" },
        workdir: "/w",
        outcome: "finished",
        coverage: { records: 3 },
      });
    },
  );

  it("OpenHands SDK: the folder of a conversation can be packed by its name", () => {
    const { folder, file } = made();
    const store = tempStore();
    const [packed] = packAll(store, { file: folder, source: "conversation" });
    expect(packed).toMatchObject({ source: join("conversation", "base_state.json"), format: "openhands" });
    expect(packAll(store, { file })[0]?.uri).toBe(packed?.uri);
  });

  it("OpenHands: the folder of a conversation of the first generation is read in order", () => {
    const folder = tempFolder();
    fs.mkdirSync(join(folder, "events"));
    fs.writeFileSync(join(folder, "events", "10.json"), JSON.stringify(say(10, "agent", "Last.")));
    fs.writeFileSync(join(folder, "events", "9.json"), JSON.stringify(say(9, "agent", "First.")));
    fs.writeFileSync(join(folder, "events", "0.json"), JSON.stringify(say(0, "user", "Go.")));
    const path = logIn(folder) as string;
    expect(path).toBe(join(folder, "events", "0.json"));
    const { steps } = read(fs.readFileSync(path, "utf8"), { path });
    expect(steps.map(({ output }) => output)).toEqual(["First.", "Last."]);
  });

  it("OpenHands SDK: links out of the folder are not followed, and unreadable events are counted", () => {
    const { folder, file } = made();
    const outside = join(tempFolder(), "secret.json");
    fs.writeFileSync(outside, JSON.stringify({ ...asks, id: "z" }));
    fs.symlinkSync(outside, join(folder, "events", "event-00001-x.json"));
    fs.mkdirSync(join(folder, "events", "event-00003-x.json"));
    fs.writeFileSync(join(folder, "events", "event-00004-x.json"), "{broken");
    fs.writeFileSync(join(folder, "events", "event-00005-x.json"), "[1]");
    const { prompts, coverage } = read(fs.readFileSync(file, "utf8"), { path: file });
    expect(prompts).toEqual(["Go."]);
    expect(coverage).toMatchObject({ records: 3, damaged: { count: 4 } });
  });

  it("OpenHands SDK: a folder whose events are a link has no log", () => {
    const { folder } = made();
    const other = tempFolder();
    fs.writeFileSync(join(other, "base_state.json"), JSON.stringify(state));
    fs.symlinkSync(join(folder, "events"), join(other, "events"));
    expect(logIn(other)).toBeUndefined();
  });

  it("OpenHands SDK: a folder of a conversation that holds a native log is a draft", () => {
    const { folder } = made();
    fs.writeFileSync(join(folder, logName), "{}");
    expect(() => packAll(tempStore(), { file: folder })).toThrow(
      expect.objectContaining({ code: "log-invalid" }),
    );
  });

  it("OpenHands SDK: a state without events is refused, and the refusal says where the events are", () => {
    const { file, folder } = conversation();
    const bytes = fs.readFileSync(file);
    expect(openhands.sniff(headOf(bytes, true), file)).toMatchObject({ near: 0.99 });
    const source = sourceOf([bytes], { name: "base_state.json", path: file });
    expect(() => recognise(source)).toThrow(
      expect.objectContaining({
        code: "unknown-format",
        problems: [{ path: "openhands", message: expect.stringContaining("events/ folder next to it") }],
      }),
    );
    expect(() => readForeign(openhands, bytes, { path: file })).toThrow(
      expect.objectContaining({ code: "log-unreadable" }),
    );
    expect(logIn(folder)).toBeUndefined();
  });
});
