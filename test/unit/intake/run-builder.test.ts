// How a run is put together: turns, calls and their results, models, what it cost, and what is not known.
import { describe, expect, it } from "vitest";
import { sha256, toReference } from "../../../src/base/digest.js";
import type { JsonObject } from "../../../src/base/json/value.js";
import { Coverage } from "../../../src/intake/coverage.js";
import { RunBuilder } from "../../../src/intake/run-builder.js";
import { totalUsage } from "../../../src/intake/usage-book.js";
import type { Content } from "../../../src/model/content.js";
import type { ExecutionLog } from "../../../src/model/log.js";

function builder(agent = "claude-code", format = "claude-code") {
  const blobs = new Map<string, string>();
  const run = new RunBuilder({
    format,
    agent,
    keeper: () => ({
      keep(bytes) {
        const hex = sha256(bytes);
        blobs.set(hex, bytes.toString("utf8"));
        return { hex, size: bytes.length };
      },
      finish: () => undefined,
    }),
    coverage: new Coverage(),
  });
  const text = (content: Content | undefined): string | undefined =>
    content !== undefined && "stored" in content ? blobs.get(content.stored.hex) : undefined;
  /** Returns one line a step: its type, what it did, what came of it, and its metadata. */
  const steps = (log: ExecutionLog): string[] =>
    (log.steps ?? []).map((step) =>
      [step.type, step.tool, text(step.output), JSON.stringify(step.metadata)]
        .filter((part) => part !== undefined)
        .join(" "),
    );
  return { run, text, steps };
}

function coverageOf(log: ExecutionLog): JsonObject {
  return log.metadata?.["coverage"] as JsonObject;
}

describe("an empty run", () => {
  it("run builder: an empty run records that nothing is known", () => {
    const log = builder().run.finish();
    expect(log).toMatchObject({
      model: { identifier: "unknown", parameters: {} },
      prompts: [],
      inputs: [],
      steps: [],
      outputs: [],
      environment: { os: "unknown", runtime: "unknown", tool_versions: {} },
    });
    expect(log).not.toHaveProperty("created");
    expect(log.metadata).toEqual({
      source: { format: "claude-code" },
      coverage: {
        records: 0,
        captured: [],
        unknown: ["the system prompt (not recorded)", "times", "the model"],
      },
    });
  });

  it("run builder: the source names the agent if the format has another name", () => {
    expect(builder("codex", "codex-exec-json").run.finish().metadata?.["source"]).toEqual({
      format: "codex-exec-json",
      agent: "codex",
    });
  });
});

describe("turns", () => {
  it("run builder: a step belongs to the turn of the prompt that it answers", () => {
    const { run, steps, text } = builder();
    run.context("memory", "rules");
    run.prompt("first");
    run.message("one");
    run.prompt("second", { role: "developer" });
    run.prompt("third");
    run.message("two");
    const log = run.finish();
    expect(steps(log)).toEqual([
      'context rules {"turn":0,"kind":"memory"}',
      'message one {"turn":0}',
      'message two {"turn":2}',
    ]);
    expect(log.prompts?.map(({ role, content }) => [role, text(content)])).toEqual([
      ["user", "first"],
      ["developer", "second"],
      ["user", "third"],
    ]);
    expect(run.promptCount).toBe(3);
  });
});

describe("calls", () => {
  it("run builder: results go to their calls in whatever order they arrive", () => {
    const { run, steps } = builder();
    run.prompt("go");
    for (const id of ["a", "b", "c"]) run.call({ id, tool: "Bash", parameters: {}, together: "m1" });
    run.result("c", { output: "third", status: "ok" });
    run.result("a", { output: "first", status: "error", metadata: { exit_code: 2 } });
    expect(steps(run.finish())).toEqual([
      'tool_call Bash first {"turn":0,"status":"error","call_id":"a","parallel":"m1","exit_code":2}',
      'tool_call Bash {"turn":0,"status":"unanswered","call_id":"b","parallel":"m1"}',
      'tool_call Bash third {"turn":0,"status":"ok","call_id":"c","parallel":"m1"}',
    ]);
  });

  it("run builder: calls are parallel only if the client issued several together", () => {
    const { run } = builder();
    run.call({ id: "a", tool: "Read", parameters: {}, together: "m1" });
    run.call({ id: "b", tool: "Read", parameters: {}, together: "m2" });
    run.call({ id: "s", tool: "web_search", parameters: {}, together: "m2", isServer: true });
    run.call({ id: "c", tool: "Read", parameters: {} });
    const log = run.finish();
    expect(log.steps?.map(({ type }) => type)).toEqual([
      "tool_call",
      "tool_call",
      "server_tool_call",
      "tool_call",
    ]);
    for (const step of log.steps ?? []) expect(step.metadata).not.toHaveProperty("parallel");
  });

  it("run builder: a result whose call is not in the log is a step of its own", () => {
    const { run, steps } = builder();
    run.result("gone", { output: "late", status: "ok", time: "2026-02-01T10:00:00Z" });
    run.result(undefined, { output: "nameless", status: "error" });
    const log = run.finish();
    expect(steps(log)).toEqual([
      'tool_result late {"turn":0,"call_id":"gone","status":"ok"}',
      'tool_result nameless {"turn":0,"status":"error"}',
    ]);
    expect(log.steps?.[0]?.timestamp).toBe("2026-02-01T10:00:00Z");
  });

  it("run builder: what the model saw is kept only if it differs from the output", () => {
    const { run, text } = builder();
    for (const id of ["same", "other", "none"]) run.call({ id, tool: "Read", parameters: {} });
    run.result("same", { output: "text", seen: "text", status: "ok" });
    run.result("other", { output: "text", seen: "1→text", status: "ok" });
    run.result("none", { seen: "shown", status: "ok" });
    const [same, other, none] = run.finish().steps ?? [];
    expect(same).not.toHaveProperty("seen");
    expect(text(other?.seen)).toBe("1→text");
    expect(none).not.toHaveProperty("output");
    expect(text(none?.seen)).toBe("shown");
  });

  it("run builder: a second result of a call is a step of its own, and is counted", () => {
    const { run, steps } = builder();
    run.call({ id: "a", tool: "Bash", parameters: {}, metadata: { note: 1 } });
    run.result("a", { output: "started", status: "ok", metadata: { background: true } });
    run.result("a", { output: "done", status: "error" });
    expect(run.coverage.duplicates).toBe(1);
    expect(steps(run.finish())).toEqual([
      'tool_call Bash started {"turn":0,"status":"ok","call_id":"a","note":1,"background":true}',
      'tool_result done {"turn":0,"call_id":"a","status":"error"}',
    ]);
  });

  it("run builder: a result that arrives before its call becomes part of the call", () => {
    const { run, steps } = builder();
    run.result("a", { output: "early", status: "error" });
    run.message("between");
    run.call({ id: "a", tool: "Bash", parameters: {} });
    expect(steps(run.finish())).toEqual([
      'message between {"turn":0}',
      'tool_call Bash early {"turn":0,"status":"error","call_id":"a"}',
    ]);
  });

  it("run builder: a call is as deterministic as the table of tools says", () => {
    const { run } = builder();
    run.call({ id: "a", tool: "Read", parameters: { file_path: "/r/a" } });
    run.call({ id: "b", tool: "Bash", parameters: { command: "date" } });
    run.call({ id: "c", tool: "never-heard-of", parameters: {} });
    expect(run.finish().steps?.map(({ deterministic }) => deterministic)).toEqual([true, false, false]);
  });

  it("run builder: callOf returns a call with its status, which setStatus changes", () => {
    const { run } = builder();
    run.call({ id: "a", tool: "Read", parameters: { file_path: "/r/a" } });
    expect(run.callOf("a")).toEqual({
      tool: "Read",
      parameters: { file_path: "/r/a" },
      status: "unanswered",
    });
    run.setStatus("a", "denied", { by: "user" });
    run.setStatus("nobody", "denied");
    expect(run.callOf("a")?.status).toBe("denied");
    expect([run.callOf("nobody"), run.callOf(undefined)]).toEqual([undefined, undefined]);
    expect(run.finish().steps?.[0]?.metadata).toMatchObject({ status: "denied", by: "user" });
  });

  it("run builder: a call names the pack of the run that it started", () => {
    const { run } = builder();
    const pack = toReference("ab".repeat(32));
    run.call({ id: "a", tool: "Task", parameters: {} });
    run.setPack("a", pack);
    run.setPack("nobody", pack);
    expect(run.finish().steps?.map((step) => step.pack)).toEqual([pack]);
  });

  it("run builder: a call that is open when the user stops the run is interrupted", () => {
    const { run } = builder();
    run.call({ id: "done", tool: "Bash", parameters: {} });
    run.result("done", { output: "x", status: "ok" });
    run.call({ id: "open", tool: "Bash", parameters: {} });
    run.call({ tool: "Bash", parameters: {} });
    run.interrupt();
    run.call({ id: "later", tool: "Bash", parameters: {} });
    run.call({ id: "answered", tool: "Bash", parameters: {} });
    run.interrupt();
    run.result("answered", { output: "after all", status: "ok" });
    expect(run.finish().steps?.map(({ metadata }) => metadata?.["status"])).toEqual([
      "ok",
      "interrupted",
      "interrupted",
      "interrupted",
      "ok",
    ]);
  });
});

describe("a call that was interrupted", () => {
  it("run builder: a status set after the interruption of a call is kept", () => {
    const { run } = builder();
    run.call({ id: "a", tool: "Bash", parameters: {} });
    run.interrupt();
    run.setStatus("a", "denied");
    run.interrupt();
    expect(run.callOf("a")?.status).toBe("denied");
  });
});

describe("steps that the user went back from", () => {
  it("run builder: abandoned steps keep their numbers when an early result joins its call", () => {
    const { run } = builder();
    run.result("a", { output: "early", status: "ok" });
    run.message("one");
    const from = run.stepCount;
    run.message("two");
    run.call({ id: "a", tool: "Bash", parameters: {} });
    run.abandon(from);
    run.message("three");
    expect(run.finish().steps?.map(({ type, metadata }) => [type, metadata?.["abandoned"]])).toEqual([
      ["message", undefined],
      ["message", true],
      ["tool_call", true],
      ["message", undefined],
    ]);
  });

  it("run builder: steps are abandoned from a given number on", () => {
    const { run } = builder();
    run.prompt("go");
    run.message("kept");
    const from = run.stepCount;
    run.message("wrong");
    run.call({ id: "a", tool: "Bash", parameters: {} });
    run.abandon(from);
    run.message("right");
    expect(run.finish().steps?.map(({ metadata }) => metadata?.["abandoned"])).toEqual([
      undefined,
      true,
      true,
      undefined,
    ]);
  });
});

describe("models", () => {
  it("run builder: a model that never changes is recorded once, for the run", () => {
    const { run } = builder();
    run.message("one", { model: "m1" });
    run.message("two", { model: "m1" });
    run.message("three");
    const log = run.finish();
    expect(log.model.identifier).toBe("m1");
    expect(log.metadata).not.toHaveProperty("models");
    for (const step of log.steps ?? []) expect(step.metadata).not.toHaveProperty("model");
  });

  it("run builder: models that change are recorded where they change, and the last one is the run's", () => {
    const { run } = builder();
    for (const model of ["m1", "m1", undefined, "m2", "m1"]) run.message("x", { model });
    const log = run.finish();
    expect(log.model.identifier).toBe("m1");
    expect(log.metadata?.["models"]).toEqual(["m1", "m2"]);
    expect(log.steps?.map(({ metadata }) => metadata?.["model"])).toEqual([
      "m1",
      undefined,
      undefined,
      "m2",
      "m1",
    ]);
  });

  it("run builder: the model that the log names counts only if no message names one", () => {
    const { run } = builder();
    run.identifier = "named";
    expect(run.finish().model.identifier).toBe("named");
    const other = builder().run;
    other.identifier = "named";
    other.message("x", { model: "spoke" });
    expect(other.finish().model.identifier).toBe("spoke");
  });
});

describe("usage", () => {
  it("run builder: usage is the largest note of each request, added up over the requests", () => {
    const { run } = builder();
    run.use("r1", { input_tokens: 10, output_tokens: 1 });
    run.use("r1", { input_tokens: 10, output_tokens: 50, cache_read_input_tokens: 3 });
    run.use("r1", { output_tokens: 7, input_tokens: undefined });
    run.use("r2", { input_tokens: 5, output_tokens: 0 });
    expect(run.finish().metadata?.["usage"]).toEqual({
      requests: 2,
      input_tokens: 15,
      output_tokens: 50,
      cache_read_input_tokens: 3,
    });
  });

  it("run builder: usage of a total counts no requests", () => {
    const { run } = builder();
    run.use(totalUsage, { input_tokens: 10 });
    run.use(totalUsage, { input_tokens: 25 });
    expect(run.finish().metadata?.["usage"]).toEqual({ input_tokens: 25 });
  });

  it("run builder: usage does not change the objects that the caller passes", () => {
    const { run } = builder();
    const note = { input_tokens: 1 };
    run.use("r1", note);
    run.use("r1", { input_tokens: 9 });
    expect(note).toEqual({ input_tokens: 1 });
  });

  it("run builder: a run without usage notes has no usage", () => {
    expect(builder().run.finish().metadata).not.toHaveProperty("usage");
  });
});

describe("the time of a run", () => {
  it("run builder: the time of a run is that of its latest event, in whatever order events stand", () => {
    const { run } = builder();
    run.prompt("go", { time: "2026-02-01T10:00:00Z" });
    run.message("late", { time: "2026-02-01T10:00:05.5Z" });
    run.message("early", { time: "2026-02-01T10:00:05.25Z" });
    run.call({ id: "a", tool: "Bash", parameters: {}, time: "2026-02-01T10:00:01Z" });
    run.result("a", { output: "x", status: "ok", time: "2026-02-01T10:00:05.500000001Z" });
    const log = run.finish();
    expect(log.created).toBe("2026-02-01T10:00:05.500000001Z");
    // A call has the time at which it was made.
    expect(log.steps?.map(({ timestamp }) => timestamp)).toEqual([
      "2026-02-01T10:00:05.5Z",
      "2026-02-01T10:00:05.25Z",
      "2026-02-01T10:00:01Z",
    ]);
    expect(coverageOf(log)["captured"]).toContain("times");
  });
});

describe("the folder and the branch", () => {
  it("run builder: folder and branch are the first ones, and steps record where they differ", () => {
    const { run, steps } = builder();
    run.see({ cwd: "", branch: "" });
    run.prompt("go");
    run.message("1", { cwd: "/r", branch: "main" });
    run.message("2", { cwd: "/r/sub", branch: "fix" });
    run.message("3", { cwd: "/r/sub", branch: "fix" });
    run.message("4", { cwd: "/r", branch: "main" });
    run.files.after("/r/a", "x");
    const log = run.finish();
    expect(log.metadata).toMatchObject({ workdir: "/r", git: { branch: "main" } });
    expect(steps(log)).toEqual([
      'message 1 {"turn":0}',
      'message 2 {"turn":0,"cwd":"/r/sub","branch":"fix"}',
      'message 3 {"turn":0,"cwd":"/r/sub"}',
      'message 4 {"turn":0,"branch":"main"}',
    ]);
    expect(log.outputs?.map(({ name }) => name)).toEqual(["a", ".answer.md"]);
  });
});

describe("messages and reasoning", () => {
  it("run builder: the last message is the answer", () => {
    const { run, text } = builder();
    run.message("first");
    run.reasoning("hm");
    run.message("last");
    run.context("note", "after");
    const { outputs = [] } = run.finish();
    expect(outputs.map(({ name, content }) => [name, text(content)])).toEqual([[".answer.md", "last"]]);
  });

  it("run builder: the answer has a name of its own even if the run wrote a file of that name", () => {
    const { run } = builder();
    run.see({ cwd: "/r" });
    run.files.after("/r/.answer.md", "a file");
    run.message("said");
    const names = (run.finish().outputs ?? []).map(({ name }) => name);
    expect(names.length).toBe(2);
    expect(new Set(names).size).toBe(2);
  });

  it("run builder: reasoning without a text is opaque", () => {
    const { run, steps } = builder();
    run.reasoning(undefined);
    run.reasoning("");
    const log = run.finish();
    expect(steps(log)).toEqual(['reasoning {"turn":0,"opaque":true}', 'reasoning  {"turn":0}']);
    expect(coverageOf(log)["unknown"]).toContain("some of the reasoning (encrypted, or not recorded)");
  });
});

describe("coverage of a run", () => {
  it("run builder: coverage lists what was captured in the order of its first appearance", () => {
    const { run, text } = builder();
    run.systemPrompt("be kind");
    run.prompt("go", { time: "2026-02-01T10:00:00Z" });
    run.message("x", { model: "m" });
    run.call({ id: "a", tool: "Bash", parameters: {} });
    run.result("a", { status: "ok" });
    run.use("r", { input_tokens: 1 });
    const log = run.finish();
    // A result that holds nothing is none that was captured.
    expect(coverageOf(log)).toEqual({
      records: 0,
      captured: ["system prompt", "prompts", "messages", "tool calls", "times", "usage"],
    });
    expect(text(log.system_prompt)).toBe("be kind");
  });

  it.each([
    [1, "the content of 1 changed file at the end"],
    [2, "the content of 2 changed files at the end"],
  ])("run builder: coverage counts the files whose content at the end is unknown: %i", (count, words) => {
    const { run } = builder();
    for (let at = 0; at < count; at++) run.files.after(`/r/${at}`, undefined);
    expect(coverageOf(run.finish())["unknown"]).toContain(words);
  });
});
