// Histories of Cline, Roo and Kilo, which are messages of Anthropic's with more in them.
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../../src/intake/formats/anthropic-messages/format.js";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import { fits, readForeign } from "../../../dev/intake.js";

const text = (words: string) => ({ type: "text", text: words });
const details = text(
  "<environment_details>\n# Current Time\n1/2/2026\n\n# Current Working Directory (/home/you/p) Files\na.txt\n\n# Current Mode\nACT MODE\n</environment_details>",
);
const task = {
  role: "user",
  content: [
    text("<task>\nWhat is in a.txt?\n</task>"),
    text("\n# task_progress RECOMMENDED\n\nDo."),
    details,
  ],
  ts: 1770000000000,
};
const about = {
  modelInfo: { modelId: "claude-x", providerId: "anthropic", mode: "act" },
  metrics: { tokens: { prompt: 10, completion: 5, cached: 100 }, cost: 0.25 },
};

function use(id: string, name: string, input: unknown = {}) {
  return { type: "tool_use", id, name, input };
}

function says(...content: unknown[]) {
  return { role: "assistant", content, ...about, ts: 1770000001000 };
}

function userMessage(...content: unknown[]) {
  return { role: "user", content, ts: 1770000002000 };
}

function read(...messages: unknown[]) {
  const log = JSON.stringify(messages);
  expect(fits(anthropicMessages, log)).toBe(true);
  expect(fits(openaiMessages, log)).toBe(false);
  const taken = readForeign(anthropicMessages, log);
  const [run] = taken.runs;
  if (run === undefined) throw new Error("no run");
  return {
    run,
    prompts: (run.prompts ?? []).map(({ content }) => taken.text(content)),
    steps: (run.steps ?? []).map((step) => ({
      type: step.type,
      tool: step.tool,
      parameters: step.parameters,
      output: taken.text(step.output),
      seen: taken.text(step.seen),
      time: step.timestamp,
      metadata: step.metadata ?? {},
    })),
    files: (list: typeof run.inputs) => (list ?? []).map(({ name, content }) => [name, taken.text(content)]),
    metadata: run.metadata ?? {},
    coverage: (run.metadata ?? {})["coverage"] as Record<string, unknown>,
  };
}

const shown = (path: string, output: string, more = {}) => {
  const { run, files } = read(
    task,
    says(use("a", "read_file", { path, ...more })),
    userMessage(text(`[read_file for '${path}'] Result:\n${output}`)),
  );
  return files(run.inputs);
};

describe("the history of a Cline task", () => {
  it("Cline: results are text under a heading that names their call (trap 6)", () => {
    const { run, prompts, steps, metadata, files } = read(
      task,
      says(text("I look."), use("t1", "read_file", { path: "a.txt" })),
      userMessage(text("[read_file for 'a.txt'] Result:\napples\n"), details),
      says(use("t2", "attempt_completion", { result: "Apples." })),
    );
    expect(prompts).toEqual(["What is in a.txt?"]);
    expect(steps.filter(({ type }) => type !== "context")).toMatchObject([
      { type: "message", output: "I look." },
      { type: "tool_call", tool: "read_file", output: "apples\n", metadata: { status: "ok", call_id: "t1" } },
      { type: "tool_call", tool: "attempt_completion", metadata: { status: "unanswered" } },
      { type: "message", output: "Apples.", metadata: { within: "t2" } },
    ]);
    expect(steps.filter(({ type }) => type === "context").map(({ metadata }) => metadata["kind"])).toEqual([
      "task_progress",
      "environment",
      "environment",
    ]);
    expect(run.model).toEqual({
      identifier: "claude-x",
      parameters: { model_provider: "anthropic", mode: "act" },
    });
    expect(run.created).toBe("2026-02-02T02:40:02.000Z");
    expect(metadata).toMatchObject({
      source: { format: "anthropic-messages", agent: "cline" },
      workdir: "/home/you/p",
      usage: { requests: 2, input_tokens: 20, output_tokens: 10, cache_read_input_tokens: 200 },
      cost_usd: 0.5,
    });
    expect(files(run.inputs)).toEqual([["a.txt", "apples\n"]]);
  });

  it("Cline: the heading and the result may be blocks of their own", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
    const { steps, run, prompts } = read(
      task,
      says(use("t1", "browser_action", { action: "launch" })),
      userMessage(
        text("[browser_action for 'launch'] Result:"),
        text("It is open."),
        image,
        text("Good. Go on."),
        details,
      ),
    );
    expect(steps.find(({ tool }) => tool === "browser_action")?.output).toBe(
      "It is open.\n[.attached/1.png]",
    );
    expect(run.inputs).toMatchObject([{ name: ".attached/1.png" }]);
    expect(prompts).toEqual(["What is in a.txt?", "Good. Go on."]);
  });

  it("Cline: several results are matched by their headings, otherwise by order", () => {
    const { steps } = read(
      task,
      says(
        use("a", "read_file", { path: "a" }),
        use("b", "read_file", { path: "b" }),
        use("c", "use_subagents", { p: "x" }),
      ),
      userMessage(
        text("[read_file for 'b'] Result:\ntwo"),
        text("[read_file for 'a'] Result:\none"),
        text("[subagents] Result:\nthree"),
        text("[read_file for 'z'] Result:\nlost"),
      ),
    );
    const calls = steps.filter(({ type }) => type !== "context");
    expect(calls.map(({ type, output }) => [type, output])).toEqual([
      ["tool_call", "one"],
      ["tool_call", "two"],
      ["tool_call", "three"],
      ["tool_result", "lost"],
    ]);
    expect(calls[3]?.metadata["tool"]).toBe("read_file");
    expect(calls[0]?.metadata["parallel"]).toBe(calls[2]?.metadata["parallel"]);
  });

  it("Cline: text that is added to a result is what the model saw, not the output (trap 3)", () => {
    const { steps, metadata } = read(
      task,
      says(use("t1", "execute_command", { command: "ls" })),
      userMessage({ type: "tool_result", tool_use_id: "t1", content: `a.txt\n\n${details.text}` }),
    );
    const call = steps.find(({ tool }) => tool === "execute_command");
    expect(call?.output).toBe("a.txt");
    expect(call?.seen).toContain("<environment_details>");
    expect(metadata["workdir"]).toBe("/home/you/p");
  });

  it.each([
    ["The user denied this operation.", "denied", undefined],
    [
      "The user denied this operation and provided the following feedback:\n<feedback>\nNot so.\n</feedback>",
      "denied",
      undefined,
    ],
    ["The tool execution failed with the following error:\n<error>\nno\n</error>", "error", undefined],
    ['{"status":"denied","message":"no"}', "denied", undefined],
    ["Task was interrupted before this tool call could be completed.", "interrupted", undefined],
    ["Command executed in terminal. Exit code: 0\nOutput:\nexit code 7", "ok", 0],
    ["Command failed with exit code 1.\nOutput:\nx", "error", 1],
    ["x", "ok", undefined],
  ])("Cline: the status of a call follows from the words of its result: %j", (words, status, exit) => {
    const { steps } = read(
      task,
      says(use("t1", "execute_command", { command: "x" })),
      userMessage(text(`[execute_command for 'x'] Result:\n${words}`)),
    );
    const call = steps.find(({ tool }) => tool === "execute_command");
    expect(call?.metadata["status"]).toBe(status);
    expect(call?.metadata["exit_code"]).toBe(exit);
  });

  it("Cline: a call that was skipped after a rejection is denied", () => {
    const { steps } = read(
      task,
      says(use("a", "read_file", { path: "a" }), use("b", "write_to_file", { path: "b", content: "x" })),
      userMessage(
        text("[read_file for 'a'] Result:\nThe user denied this operation."),
        text("Skipping tool [write_to_file for 'b'] due to user rejecting a previous tool."),
      ),
    );
    expect(
      steps.filter(({ type }) => type === "tool_call").map(({ metadata }) => metadata["status"]),
    ).toEqual(["denied", "denied"]);
  });

  it("Cline: text of the user is distinguished from text that the client injected (trap 5)", () => {
    const { prompts, steps } = read(
      {
        role: "user",
        content: [text(`<task>Look.</task>\n<git_commit hash="1">x</git_commit>\n${details.text}`)],
        ts: 1770000000000,
      },
      says(use("t1", "attempt_completion", { result: "Done." })),
      userMessage(
        text(
          "[attempt_completion] Result:\nThe user has provided feedback on the results.\n<feedback>\nNot yet.\n</feedback>",
        ),
        text("[TASK RESUMPTION] This task was interrupted."),
        text("New instructions for task continuation:\n<user_message>\nGo on.\n</user_message>"),
        text("[ERROR] You did not use a tool."),
        text('Files attached by the user:\n\n<file_content path="b">b</file_content>'),
      ),
    );
    expect(prompts).toEqual(["Look.", "Not yet.", "Go on."]);
    expect(steps.filter(({ type }) => type === "context").map(({ metadata }) => metadata["kind"])).toEqual([
      "file",
      "environment",
      "client",
      "client",
      "client",
      "file",
    ]);
  });

  it("Cline: files that were written, and shown after a change, are outputs", () => {
    const { run, files } = read(
      task,
      says(
        use("a", "write_to_file", { path: "new.txt", content: "one\n" }),
        use("b", "replace_in_file", { path: "/home/you/p/a.txt", diff: "x" }),
      ),
      userMessage(
        text("[write_to_file for 'new.txt'] Result:\nThe content was successfully saved to new.txt."),
        text(
          "[replace_in_file for '/home/you/p/a.txt'] Result:\nSaved.\n\n<final_file_content path=\"/home/you/p/a.txt\">\npears\n\n</final_file_content>\n\nIMPORTANT: x",
        ),
      ),
    );
    expect(files(run.outputs)).toEqual([
      ["new.txt", "one\n"],
      ["a.txt", "pears\n"],
    ]);
  });

  it("Cline: a file counts as read only if it is shown unchanged and in full", () => {
    expect(shown("a", "x")).toEqual([["a", "x"]]);
    expect(shown("a.pdf", "x")).toEqual([]);
    expect(shown("a", "1 | x\n2 | y")).toEqual([]);
    expect(shown("a", "x", { start_line: 2 })).toEqual([]);
    expect(shown("a", "<file><path>a</path></file>")).toEqual([]);
  });

  it("Cline: summaries are marked as compaction (trap 11)", () => {
    const { prompts, steps } = read(task, {
      role: "user",
      isSummary: true,
      content: "So far.",
      ts: 1770000003000,
    });
    expect(prompts).toHaveLength(1);
    expect(steps.at(-1)).toMatchObject({
      type: "context",
      output: "So far.",
      metadata: { kind: "compaction" },
    });
  });

  it("Cline: the history of the CLI is read from its session", () => {
    const log = JSON.stringify({
      version: 1,
      sessionId: "s1",
      messages: [
        { role: "user", ts: 1790877871100, content: [text("Fix it.")] },
        {
          role: "assistant",
          ts: 1790877871200,
          content: [use("c1", "run_commands", { commands: ["a", "b"] })],
        },
        {
          role: "user",
          ts: 1790877871300,
          content: [
            {
              type: "tool_result",
              tool_use_id: "c1",
              content: [
                { query: "a", result: "", success: true },
                { query: "b", result: "x", success: false },
              ],
            },
          ],
        },
      ],
    });
    expect(fits(anthropicMessages, log)).toBe(true);
    const [run] = readForeign(anthropicMessages, log).runs;
    expect(run?.metadata?.["source"]).toMatchObject({ agent: "cline", session: "s1" });
    expect(run?.prompts).toHaveLength(1);
    expect(run?.steps?.[0]?.metadata).toMatchObject({ status: "error" });
  });
});

describe("calls that are written as text", () => {
  const old = {
    role: "user",
    content: [text("<task>\nDo.\n</task>"), text("<environment_details>\n</environment_details>")],
  };
  const wrote = (words: string) => ({ role: "assistant", content: [text(words)] });

  it("Cline: calls written as text are calls", () => {
    const { steps } = read(
      old,
      wrote("I read.\n\n<read_file>\n<path>src/a.ts</path>\n</read_file>"),
      {
        role: "user",
        content: [
          text("[read_file for 'src/a.ts'] Result:"),
          text("let a;"),
          text("<environment_details>\n</environment_details>"),
        ],
      },
      wrote(
        "<write_to_file>\n<path>b</path>\n<content>\n<a></content>\n</write_to_file>\n  x\n</content>\n</write_to_file>\nDone.",
      ),
    );
    expect(steps.filter(({ type }) => type !== "context")).toMatchObject([
      { type: "message", output: "I read." },
      { type: "tool_call", tool: "read_file", parameters: { path: "src/a.ts" }, output: "let a;" },
      {
        type: "tool_call",
        tool: "write_to_file",
        parameters: { path: "b", content: "<a></content>\n</write_to_file>\n  x" },
        metadata: { status: "unanswered" },
      },
      { type: "message", output: "Done." },
    ]);
  });

  it("Cline: text is no call if the tool is unknown, or the call has no end", () => {
    const { steps } = read(
      old,
      wrote("<fly_away>\n<to>x</to>\n</fly_away>"),
      wrote("so\n<read_file>\n<path>a"),
      wrote("the tag <read_file></read_file> within a line"),
    );
    expect(steps.filter(({ type }) => type !== "context").map(({ type }) => type)).toEqual([
      "message",
      "message",
      "message",
    ]);
  });

  it("Cline: a text with 50,000 opening tags is read", () => {
    const many = "<read_file>\n<a><b><c>".repeat(50_000);
    const { steps } = read(old, wrote(many), wrote(`${many}\n</read_file>`));
    expect(steps.length).toBeGreaterThan(1);
  });
});
