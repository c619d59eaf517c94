import { describe, expect, it } from "vitest";
import { sweAgent } from "../../../src/intake/formats/swe-agent/format.js";
import { sweAgentSpecimens } from "../../../dev/specimens/swe-agent.js";
import { fits, readForeign } from "../../../dev/intake.js";

function read(log: unknown, options = {}) {
  const taken = readForeign(sweAgent, typeof log === "string" ? log : JSON.stringify(log), options);
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
  const outputs = new Map((run.outputs ?? []).map(({ name, content }) => [name, taken.text(content)]));
  const metadata = run.metadata ?? {};
  const coverage = metadata["coverage"] as Record<string, unknown>;
  return { ...taken, run, steps, prompts, outputs, metadata, coverage };
}

const system = { role: "system", content: "You use a shell.", agent: "primary" };
const task = { role: "user", content: "Fix it.", agent: "primary" };

function spoken(thought: string, action: string, more = {}) {
  return {
    role: "assistant",
    content: `${thought}\n\`\`\`\n${action}\n\`\`\``,
    thought: `${thought}\n`,
    action,
    agent: "primary",
    ...more,
  };
}

function step(thought: string, action: string, observation: string, more = {}) {
  const { content, thought: own } = spoken(thought, action);
  return { action, observation, response: content, thought: own, state: '{"working_dir": "/repo"}', ...more };
}

const shown = (content: string) => ({ role: "user", content, agent: "primary" });

function called(id: string, name: string, args: object) {
  return { tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }] };
}

describe("recognition of SWE-agent", () => {
  it.each<[string, unknown]>([
    ["a trajectory", { trajectory: [step("t", "ls", "a")], history: [], info: {} }],
    ["a history alone", { history: [system] }],
    [
      "a history of the newer kind",
      { history: [{ role: "system", content: "", message_type: "system_prompt" }] },
    ],
    ["a log of several attempts", { attempts: [{ trajectory: [step("t", "ls", "a")] }] }],
  ])("SWE-agent: the format recognises %s", (_, log) => {
    expect(fits(sweAgent, JSON.stringify(log))).toBe(true);
    expect(fits(sweAgent, JSON.stringify(log, null, 2))).toBe(true);
  });

  it("SWE-agent: a log that is longer than the inspected head is recognised", () => {
    const log = {
      trajectory: [step("t", "ls", "a"), step("t", "cat big", "x".repeat(1 << 21))],
      history: [],
    };
    expect(fits(sweAgent, JSON.stringify(log))).toBe(true);
  });

  it.each<[string, unknown]>([
    ["an empty object", {}],
    ["a history of chat messages", { history: [{ role: "user", content: "hi" }] }],
    ["a trajectory of OpenHands", { trajectory: [{ source: "user", action: "message", observation: null }] }],
    ["an evaluation of OpenHands", { instance_id: "i", history: [{ action: "message", content: "hi" }] }],
    ["a trajectory of another kind", { trajectory: [{ role: "ai", text: "x" }] }],
    ["a list of steps", [step("t", "ls", "a")]],
    ["null", null],
  ])("SWE-agent: the format does not recognise %s", (_, log) => {
    expect(fits(sweAgent, JSON.stringify(log))).toBe(false);
  });
});

describe("a trajectory of the first versions", () => {
  const log = {
    environment: "swe_main",
    trajectory: [
      step("I look.", "open a.py\n", "[File: a.py]\n1:x\n"),
      step("I run it.", "python a.py\n", "boom\r\n", { state: '{"working_dir": "/repo/src"}' }),
      step("I hand it in.", "submit\n", ""),
    ],
    history: [system, { ...shown("A demonstration"), is_demo: true }, task, spoken("I look.", "open a.py\n")],
    info: {
      exit_status: "submitted",
      submission: "diff --git a/a.py b/a.py\n",
      model_stats: { instance_cost: 1.5, tokens_sent: 100, tokens_received: 7, api_calls: 3 },
    },
  };

  it("SWE-agent: a trajectory of the first versions becomes a run", () => {
    const { steps, prompts, outputs, metadata, run, text } = read(log);
    expect(text(run.system_prompt)).toBe("You use a shell.");
    expect(prompts).toEqual(["Fix it."]);
    expect(steps.map(({ type, tool, output }) => [type, tool, output])).toEqual([
      ["context", undefined, "A demonstration"],
      ["message", undefined, "I look.\n"],
      ["tool_call", "open", "[File: a.py]\n1:x\n"],
      ["message", undefined, "I run it.\n"],
      ["tool_call", "bash", "boom\r\n"],
      ["message", undefined, "I hand it in.\n"],
      ["tool_call", "submit", ""],
    ]);
    expect(outputs.get(".submission.patch")).toBe("diff --git a/a.py b/a.py\n");
    expect(metadata).toMatchObject({
      source: { format: "swe-agent" },
      workdir: "/repo",
      outcome: "submitted",
      cost_usd: 1.5,
      requests: 3,
      usage: { input_tokens: 100, output_tokens: 7 },
    });
  });

  it("SWE-agent: actions are calls, named by their first word, with the whole command", () => {
    const { steps } = read(log);
    const calls = steps.filter(({ type }) => type === "tool_call");
    expect(calls.map(({ tool, parameters }) => [tool, parameters])).toEqual([
      ["open", { command: "open a.py\n" }],
      ["bash", { command: "python a.py\n" }],
      ["submit", { command: "submit\n" }],
    ]);
    expect(calls.map(({ metadata }) => metadata["status"])).toEqual(["ok", "ok", "ok"]);
  });

  it("SWE-agent: a step has the folder that was current before it", () => {
    const folders = read(log).steps.flatMap(({ metadata }) => metadata["cwd"] ?? []);
    expect(folders).toEqual(["/repo/src", "/repo/src"]);
  });

  it("SWE-agent: coverage lists what the log does not hold", () => {
    expect(read(log).coverage["unknown"]).toEqual([
      "whether commands failed (not recorded)",
      "times",
      "the model",
    ]);
  });

  it("SWE-agent: text that the model wrote beside thought and action is kept", () => {
    const odd = { ...step("I look.", "ls", "a"), response: "I look.\n```\nls\n```\nThen I go on." };
    const none = { ...step("", "ls", "a"), response: "\n```\nls\n```", thought: "\n" };
    const texts = read({ trajectory: [odd, none], history: [task] }).steps.filter(
      ({ type }) => type === "message",
    );
    expect(texts.map(({ output }) => output)).toEqual(["I look.\n```\nls\n```\nThen I go on."]);
  });

  it("SWE-agent: an answer without an action has no call, and the reply to it is context", () => {
    const lost = { action: "", observation: "Exit due to format error", response: "Hm.", thought: "Hm." };
    const { steps } = read({ trajectory: [lost], history: [task] });
    expect(steps.map(({ type, output }) => [type, output])).toEqual([
      ["message", "Hm."],
      ["context", "Exit due to format error"],
    ]);
  });
});

describe("trap 3: the outcome of an action is not what the model saw", () => {
  it("SWE-agent: a call has its output and what the model saw (trap 3)", () => {
    const full = "a\n(Current directory: /repo)\nbash-$";
    const log = {
      trajectory: [step("I look.", "ls", "a")],
      history: [system, task, spoken("I look.", "ls"), shown(full)],
    };
    const call = read(log).steps.find(({ type }) => type === "tool_call");
    expect(call).toMatchObject({ output: "a", seen: full });
  });

  it("SWE-agent: what the model saw is found by its text, since failed steps are not in the history (trap 3)", () => {
    const log = {
      trajectory: [
        step("I edit.", "edit 1:1", "error"),
        step("I look.", "ls", "a"),
        step("I look.", "ls", "b"),
      ],
      history: [system, task, spoken("I look.", "ls"), shown("a$"), spoken("I look.", "ls"), shown("b$")],
    };
    const { steps, coverage } = read(log);
    const calls = steps.filter(({ type }) => type === "tool_call");
    expect(calls.map(({ output, seen }) => [output, seen])).toEqual([
      ["error", undefined],
      ["a", "a$"],
      ["b", "b$"],
    ]);
    expect(coverage).not.toHaveProperty("left_out");
  });

  it("SWE-agent: messages that no step holds are counted (trap 3)", () => {
    const log = {
      trajectory: [step("I look.", "ls", "a")],
      history: [
        task,
        spoken("I look.", "ls"),
        shown("a$"),
        shown("more"),
        spoken("Else.", "pwd"),
        shown("/"),
      ],
    };
    expect(read(log).coverage["left_out"]).toEqual({ "message that no step of the trajectory holds": 2 });
  });
});

describe("trap 10: old observations are omitted from the history", () => {
  it.each(["Old environment output: (30 lines omitted)", "Old output omitted (30 lines)"])(
    "SWE-agent: an output that the history later omits is complete: %s (trap 10)",
    (elided) => {
      const log = {
        trajectory: [step("I look.", "ls", "all of it")],
        history: [task, spoken("I look.", "ls"), shown(elided)],
      };
      const call = read(log).steps.find(({ type }) => type === "tool_call");
      expect(call).toMatchObject({ output: "all of it", seen: undefined, metadata: { elided_later: true } });
    },
  );

  it("SWE-agent: without a trajectory, an omitted output is marked as truncated (trap 10)", () => {
    const log = {
      history: [system, task, spoken("I look.", "ls"), shown("Old environment output: (30 lines omitted)")],
    };
    const { steps, coverage } = read(log);
    expect(steps.at(-1)?.metadata).toMatchObject({ truncated: true });
    expect(coverage["truncated"]).toBe(1);
  });
});

describe("a trajectory of the newer versions", () => {
  const answer = { role: "assistant", agent: "main", message_type: "action" };
  const log = {
    trajectory: [
      {
        action: "ls",
        observation: "a\r\n",
        response: "I list.",
        thought: "I list.",
        execution_time: 0.1234,
        state: { working_dir: "/testbed/src" },
      },
      {
        action: "submit",
        observation: "",
        response: "Done.",
        thought: "Done.",
        state: { working_dir: "/testbed/src" },
      },
    ],
    history: [
      { role: "system", content: "You use a shell.", agent: "main", message_type: "system_prompt" },
      {
        role: "user",
        content: [{ type: "text", text: "In /testbed: It fails. Fix it." }],
        agent: "main",
        message_type: "observation",
      },
      {
        ...answer,
        content: "I list.",
        thought: "I list.",
        action: "ls",
        ...called("c1", "bash", { command: "ls" }),
      },
      { role: "tool", content: "a\n$", agent: "main", tool_call_ids: ["c1"] },
      { ...answer, content: "Done.", thought: "Done.", action: "submit", ...called("c1", "submit", {}) },
    ],
    info: { swe_agent_version: "1.1.0", submission: "flag{x}" },
    replay_config: JSON.stringify({
      env: { deployment: { image: "image" }, repo: { repo_name: "testbed", base_commit: "abc" } },
      agent: { model: { name: "gpt-4o", temperature: 0, top_p: 1, completion_kwargs: {} } },
      problem_statement: { text: "It fails.", id: "case-1" },
    }),
  };

  it("SWE-agent: calls of newer versions have their ids, even repeated ones (trap 7)", () => {
    const calls = read(log).steps.filter(({ type }) => type === "tool_call");
    expect(calls).toMatchObject([
      {
        tool: "bash",
        parameters: { command: "ls" },
        output: "a\r\n",
        seen: "a\n$",
        metadata: { call_id: "c1", duration_ms: 123 },
      },
      {
        tool: "submit",
        parameters: {},
        output: "",
        metadata: { call_id: "c1-2", logged_id: "c1", cwd: "/testbed/src" },
      },
    ]);
    expect(calls[0]?.metadata).not.toHaveProperty("cwd");
  });

  it("SWE-agent: the problem statement is the prompt, and the message around it is context", () => {
    const { prompts, steps } = read(log);
    expect(prompts).toEqual(["It fails."]);
    expect(steps[0]).toMatchObject({
      type: "context",
      output: "In /testbed: It fails. Fix it.",
      metadata: { kind: "instructions" },
    });
  });

  it.each([
    ["as a text", log],
    ["as an object", { ...log, replay_config: JSON.parse(log.replay_config) as unknown }],
  ])("SWE-agent: settings %s are read", (_, each) => {
    const { run, metadata, outputs } = read(each);
    expect(run.model).toEqual({ identifier: "gpt-4o", parameters: { temperature: 0, top_p: 1 } });
    expect(metadata).toMatchObject({
      source: { version: "1.1.0" },
      workdir: "/testbed",
      git: { commit: "abc" },
      image: "image",
      instance_id: "case-1",
    });
    expect(outputs.get(".submission.txt")).toBe("flag{x}");
  });

  it("SWE-agent: thinking blocks are reasoning", () => {
    const thinking = { thinking_blocks: [{ type: "thinking", thinking: "Hm." }] };
    const history = log.history.map((message) =>
      message.content === "I list." ? { ...message, ...thinking } : message,
    );
    expect(read({ ...log, history }).steps[1]).toMatchObject({ type: "reasoning", output: "Hm." });
  });
});

describe("a history alone", () => {
  it("SWE-agent: a history alone is read in order, each result after its call", () => {
    const answer = { role: "assistant", content: "I look.", thought: "I look.", action: "ls", agent: "main" };
    const log = {
      history: [
        system,
        task,
        { ...answer, ...called("c1", "bash", { command: "ls" }) },
        { role: "tool", content: "a", agent: "main", tool_call_ids: ["c1"] },
        { ...answer, ...called("c1", "bash", { command: "pwd" }) },
        { role: "tool", content: "/", agent: "main", tool_call_ids: ["c1"] },
        { role: "tool", content: "late", agent: "main", tool_call_ids: ["c9"] },
        shown("And now?"),
        { ...answer, ...called("c2", "bash", { command: "exit" }) },
      ],
    };
    const { steps, prompts } = read(log);
    expect(prompts).toEqual(["Fix it.", "And now?"]);
    const calls = steps.filter(({ type }) => type !== "message");
    expect(calls.map(({ type, output, metadata }) => [type, output, metadata["status"]])).toEqual([
      ["tool_call", "a", "ok"],
      ["tool_call", "/", "ok"],
      ["tool_result", "late", "ok"],
      // Trap 8: nothing answers the last one.
      ["tool_call", undefined, "unanswered"],
    ]);
  });
});

describe("damaged logs", () => {
  it("SWE-agent: a log that is cut off is read up to there", () => {
    const log = JSON.stringify({
      trajectory: [step("a", "ls", "1"), step("b", "pwd", "2")],
      history: [task],
    });
    const { steps, coverage } = read(log.slice(0, log.indexOf('"2"')));
    expect(steps.filter(({ type }) => type === "tool_call")).toHaveLength(2);
    expect(coverage["partial_last_line"]).toBe(true);
  });

  it.each(["{", '{"trajectory":[', "[]", "{}", '{"trajectory":[],"history":[]}', "x"])(
    "SWE-agent: %s is no log",
    (log) => {
      expect(() => readForeign(sweAgent, log)).toThrow(expect.objectContaining({ code: "log-unreadable" }));
    },
  );

  it("SWE-agent: halves of surrogate pairs are replaced (trap 20)", () => {
    const log = JSON.stringify({ trajectory: [step("a", "ls", "x\ud800y\0")], history: [task] });
    const { steps, coverage } = read(log);
    expect(steps.at(-1)?.output).toBe("x\ufffdy\0");
    expect(coverage["replaced"]).toBe(1);
  });

  it("SWE-agent: attempts that were not the best are counted", () => {
    const attempt = { trajectory: [step("a", "ls", "1")], history: [task] };
    const { runs, coverage } = read({ ...attempt, attempts: [attempt, attempt] });
    expect(runs).toHaveLength(1);
    expect(coverage["left_out"]).toMatchObject({ "attempt that was not the best": 1 });
    expect(readForeign(sweAgent, JSON.stringify({ attempts: [attempt, attempt] })).runs).toHaveLength(2);
  });

  it("SWE-agent: fields of any kind are read", () => {
    for (const value of [null, 1, "x", [], {}, [null], [{}], true])
      for (const name of ["trajectory", "history", "info", "replay_config"]) {
        const log = { trajectory: [step("a", "ls", "1")], history: [task], info: {}, [name]: value };
        expect(readForeign(sweAgent, JSON.stringify(log)).runs).toHaveLength(1);
      }
  });

  it("SWE-agent: the specimens are read without unknown records", () => {
    for (const log of sweAgentSpecimens) expect(read(String(log)).coverage).not.toHaveProperty("skipped");
  });
});
