// Logs that nobody would write by chance, but that must not take more time than their size is worth: ids that are used again,
// records that say a little more each time, and layers upon layers.
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../../src/intake/recognise.js";
import { lines, takeIn } from "../../support/intake.js";

const many = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A call of a chat message. */
const call = (id: string | undefined, name: string): object => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});

const asks = (...calls: unknown[]): object => ({ role: "assistant", content: null, tool_calls: calls });

const span = (id: string, attributes: object, parent?: string): object => ({
  trace_id: "t1",
  span_id: id,
  parent_id: parent,
  name: "a span",
  start_time: "2026-01-01T00:00:00Z",
  end_time: "2026-01-01T00:00:01Z",
  attributes,
});

const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };

/** A call that changes files, and its result. */
const patch = (id: string, text: string): object[] => [
  {
    type: "custom_tool_call",
    call_id: id,
    name: "apply_patch",
    input: `*** Begin Patch\n${text}*** End Patch`,
  },
  { type: "custom_tool_call_output", call_id: id, output: "Done" },
];

const logs: readonly { name: string; format: string; log: () => string; steps: number }[] = [
  {
    name: "an id that many messages use, and results without one",
    format: "openai-messages",
    log: () =>
      JSON.stringify([
        ...many(40_000, () => asks(call("c", "t"))),
        ...many(40_000, () => ({ role: "tool", content: "r" })),
      ]),
    steps: 40_000,
  },
  {
    name: "an id that all calls of a message have, answered backwards",
    format: "openai-messages",
    log: () =>
      JSON.stringify([
        asks(...many(20_000, (index) => call("c", `t${index}`))),
        ...many(20_000, (index) => ({
          role: "tool",
          tool_call_id: "c",
          name: `t${20_000 - index}`,
          content: "r",
        })),
      ]),
    steps: 20_000,
  },
  {
    name: "ids that look like the names which ids get that are used again",
    format: "openai-messages",
    log: () =>
      JSON.stringify([
        asks(
          ...many(12_000, (index) => call(`c-${12_000 + index}`, "t")),
          ...many(12_000, () => call("c", "t")),
        ),
      ]),
    steps: 24_000,
  },
  {
    name: "a span that is written again and again, with something new each time",
    format: "otel",
    log: () => lines(...many(10_000, (index) => span("s", { ...chat, [`a${index}`]: 1 }))),
    steps: 0,
  },
  {
    name: "requests below requests",
    format: "otel",
    log: () =>
      JSON.stringify(many(8000, (index) => span(`${index + 1}`, { ...chat, [`a${index}`]: 1 }, `${index}`))),
    steps: 0,
  },
  {
    name: "a message of many numbered calls",
    format: "otel",
    log: () => {
      const calls = many(40_000, (index) => [`gen_ai.prompt.0.tool_calls.${index}.name`, "t"]) as [
        string,
        string,
      ][];
      return JSON.stringify([
        span("s", { ...chat, "gen_ai.prompt.0.role": "assistant", ...Object.fromEntries(calls) }),
      ]);
    },
    steps: 40_000,
  },
  {
    name: "a message of very many parts",
    format: "vercel-ai",
    log: () => {
      const parts = many(150_000, () => ({ type: "text", text: "x" }));
      return JSON.stringify([{ role: "assistant", parts }]);
    },
    steps: 1,
  },
  {
    name: "a file of very many lines, and a change of it",
    format: "openai-responses",
    log: () => {
      return JSON.stringify([
        ...patch("1", `*** Add File: a\n${many(150_000, (index) => `+${index}\n`).join("")}`),
        ...patch("2", "*** Update File: a\n@@\n-149999\n+last\n"),
      ]);
    },
    steps: 2,
  },
  {
    name: "a run that is written again and again, with something new each time",
    format: "langsmith",
    log: () =>
      lines(...many(10_000, (index) => ({ id: "r", run_type: "llm", trace_id: "t", [`a${index}`]: 1 }))),
    steps: 0,
  },
  {
    name: "a user who goes back to the beginning after every message",
    format: "qwen-code",
    log: () =>
      lines(
        ...many(20_000, (index) => [
          { uuid: `u${index}`, type: "assistant", message: { role: "model", parts: [{ text: "x" }] } },
          { uuid: `w${index}`, parentUuid: "u0", type: "system", subtype: "rewind" },
        ]).flat(),
      ),
    steps: 20_000,
  },
];

describe("a log of", () => {
  it.each(logs)("$name is read in the time that its size is worth", ({ format, log, steps }) => {
    const found = formatNamed(format);
    if (found === undefined) throw new Error(`no format ${format}`);
    const text = log();
    const started = performance.now();
    const { runs } = takeIn(found, text);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(runs.map((run) => run.steps?.length)).toEqual([steps]);
  });
});
