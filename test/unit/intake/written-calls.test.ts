// Calls that a model wrote as text, and their results, in chat messages.
import { describe, expect, it } from "vitest";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import {
  hasWrittenCalls,
  writtenParts,
  writtenResults,
} from "../../../src/intake/formats/openai-messages/written.js";
import { lines } from "../../../dev/intake.js";
import { readRun } from "../../../dev/read-run.js";

const says = (content: string) => ({ role: "assistant", content });
const told = (content: string) => ({ role: "user", content });
const use = (tool: string, ...parameters: [string, string][]): string =>
  `<function=${tool}>\n${parameters.map(([name, value]) => `<parameter=${name}>${value}</parameter>\n`).join("")}</function>`;

const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const answer = (message: object, id: string) => ({
  id,
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message }],
  usage: { prompt_tokens: 10, completion_tokens: 1 },
});
describe("calls in the text of answers", () => {
  const ran = `EXECUTION RESULT of [execute_bash]:\n/w\n[The command completed with exit code 2.]\n[Current working directory: /w]\n[Command finished with exit code 2]`;
  const openhands = [
    { role: "system", content: `Call ${use("example", ["a", "b"])}.` },
    told("Fix it."),
    says(`I look.\n${use("execute_bash", ["command", "\npwd\n"])}`),
    told(ran),
    says(use("str_replace_editor", ["command", "view"], ["view_range", "[1, 2]"])),
    told("EXECUTION RESULT of [str_replace_editor]:\nERROR:\nno file"),
    told("Please continue working on the task on whatever approach you think is suitable."),
    // The answer ends where the model would have closed the call.
    says("<function=finish>\n</function"),
  ];

  it("OpenAI messages: calls of OpenHands in text are calls, and their results are no prompts", () => {
    const { calls, prompts, contexts, coverage } = readRun(openaiMessages, openhands);
    expect(prompts).toEqual(["Fix it."]);
    expect(
      calls.map(({ tool, parameters, output, metadata }) => [tool, parameters, output, metadata]),
    ).toMatchObject([
      ["execute_bash", { command: "pwd" }, "/w", { status: "error", exit_code: 2 }],
      ["str_replace_editor", { command: "view", view_range: [1, 2] }, "ERROR:\nno file", { status: "error" }],
      ["finish", {}, undefined, { status: "unanswered" }],
    ]);
    expect(calls[0]?.seen).toBe(ran.slice(ran.indexOf("\n") + 1));
    expect(contexts).toHaveLength(1);
    expect(coverage["unknown"]).not.toContain("tool calls that the model wrote into its text");
  });

  it("OpenAI messages: calls of Hermes in text are calls, and each response goes to its own", () => {
    const { calls, prompts } = readRun(openaiMessages, [
      { role: "system", content: "Tools: <tools></tools>. Answer <tool_call></tool_call>." },
      told("Weather?"),
      says(
        `<tool_call>\n{"name": "w", "arguments": {"in": "Rome"}}\n</tool_call>\n<tool_call>\n{'name': 'v', 'arguments': {'in': 'Oslo'}}\n</tool_call>`,
      ),
      {
        role: "tool",
        content: `<tool_response>\n{"name": "v", "content": "rain"}\n</tool_response>\n<tool_response>\nsun\n</tool_response>`,
      },
      told("<tool_response>\nlate\n</tool_response>\nAnd now?"),
    ]);
    expect(calls.map(({ tool, parameters, output }) => [tool, parameters, output])).toEqual([
      ["w", { in: "Rome" }, "sun"],
      ["v", { in: "Oslo" }, "rain"],
    ]);
    expect(prompts).toEqual(["Weather?", "And now?"]);
  });

  it.each([
    ["where the API's own calls are", [...openhands, { role: "assistant", tool_calls: [{ id: "c" }] }]],
    ["where nothing shows that it is meant", [told("How?"), says(use("f"))]],
    ["where no answer has one", [told("EXECUTION RESULT of [f]:\nx"), says("No.")]],
  ])("OpenAI messages: text that looks like a call is text %s", (_, messages) => {
    expect(hasWrittenCalls(messages)).toBe(false);
  });

  it("OpenAI messages: written calls that are broken or nested stay text, or are read as far as they go", () => {
    expect(writtenParts("<tool_call>\nnot JSON\n</tool_call>")).toEqual([
      { text: "<tool_call>\nnot JSON\n</tool_call>" },
    ]);
    expect(writtenParts(`<tool_call>\n${use("f", ["a", "</parameter>"])}\n</tool_call>`)).toEqual([
      { tool: "f", parameters: { a: "</parameter>" } },
    ]);
    expect(writtenParts("<function=f>\n<parameter=a>x")).toEqual([{ tool: "f", parameters: { a: "x" } }]);
    expect(writtenResults("<tool_response>\nnever ends")).toEqual({
      results: [],
      rest: "<tool_response>\nnever ends",
    });
  });
});

describe("requests that continue one another", () => {
  const system = { role: "system", content: "s" };
  const asks = { role: "assistant", content: null, tool_calls: [call("c1")] };
  const back = { role: "tool", tool_call_id: "c1", content: "r" };
  const first = {
    request: { model: "m", messages: [system, told("Go.")] },
    response: answer(asks, "r1"),
    cost: 1,
  };
  const second = {
    request: { model: "m", messages: [system, told("Go."), asks, back] },
    response: answer(says("Done."), "r2"),
    cost: 2,
  };

  it("OpenAI messages: exchanges that each send the ones before again are one run", () => {
    const { runs, calls, prompts, metadata, coverage } = readRun(openaiMessages, lines(first, second));
    expect(runs).toHaveLength(1);
    expect([calls.length, prompts]).toEqual([1, ["Go."]]);
    expect(metadata).toMatchObject({
      cost_usd: 3,
      usage: { requests: 2, input_tokens: 20, output_tokens: 2 },
    });
    expect(coverage).toMatchObject({ records: 5, left_out: { "messages that were sent again": 3 } });
  });

  it("OpenAI messages: exchanges of other conversations, tasks and trials are other runs", () => {
    const other = {
      request: { model: "m", messages: [system, told("Stop.")] },
      response: answer(says("No."), "r3"),
    };
    const task = { ...second, task_id: 2 };
    expect(readRun(openaiMessages, lines(first, other, task)).runs).toHaveLength(3);
    expect(readRun(openaiMessages, lines(first, other, second)).runs).toHaveLength(2);
  });

  it("OpenAI messages: a chat of Cline's has its results as results, not as prompts", () => {
    const details = "<environment_details>\n# Current Working Directory (/w) Files\n</environment_details>";
    const { prompts, calls, run } = readRun(openaiMessages, {
      model: "m",
      messages: [
        system,
        told(`<task>\nRead a.\n</task>\n${details}`),
        says("<read_file>\n<path>a</path>\n</read_file>"),
        told(`[read_file for 'a'] Result:\n\napples\n${details}`),
        says("<attempt_completion>\n<result>done</result>\n</attempt_completion>"),
        told(
          "The user is not pleased with the results. Use the feedback they provided.\n<feedback>\nMore.\n</feedback>",
        ),
      ],
    });
    expect(prompts).toEqual(["Read a.", "More."]);
    expect(calls.map(({ tool, metadata }) => [tool, metadata["status"]])).toEqual([
      ["read_file", "ok"],
      ["attempt_completion", "unanswered"],
    ]);
    expect(run.metadata).toMatchObject({ source: { format: "openai-messages", agent: "cline" } });
  });
});
