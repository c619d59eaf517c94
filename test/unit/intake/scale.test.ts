// Logs that no program writes by chance, but that must not take more time than their size is worth: ids that
// are used again, records that say a little more each time, and layers upon layers.
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../../src/intake/recognise.js";
import { growthOf, inProportion } from "../../../dev/growth.js";
import { lines, readForeign } from "../../../dev/intake.js";

const many = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Returns a call of a chat message. */
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

/** Returns a call that changes files, and its result. */
const patch = (id: string, text: string): object[] => [
  {
    type: "custom_tool_call",
    call_id: id,
    name: "apply_patch",
    input: `*** Begin Patch\n${text}*** End Patch`,
  },
  { type: "custom_tool_call_output", call_id: id, output: "Done" },
];

/** `log` makes one of `count` things; `steps` is what becomes of it. */
interface Scaled {
  name: string;
  format: string;
  count: number;
  log: (count: number) => string;
  steps: (count: number) => number;
}

const logs: readonly Scaled[] = [
  {
    name: "an id that many messages use, and results without one",
    format: "openai-messages",
    count: 40_000,
    log: (count) =>
      JSON.stringify([
        ...many(count, () => asks(call("c", "t"))),
        ...many(count, () => ({ role: "tool", content: "r" })),
      ]),
    steps: (count) => count,
  },
  {
    name: "an id that all calls of a message have, answered backwards",
    format: "openai-messages",
    count: 20_000,
    log: (count) =>
      JSON.stringify([
        asks(...many(count, (index) => call("c", `t${index}`))),
        ...many(count, (index) => ({
          role: "tool",
          tool_call_id: "c",
          name: `t${count - index}`,
          content: "r",
        })),
      ]),
    steps: (count) => count,
  },
  {
    name: "ids that look like the names which ids get that are used again",
    format: "openai-messages",
    count: 12_000,
    log: (count) =>
      JSON.stringify([
        asks(
          ...many(count, (index) => call(`c-${count + index}`, "t")),
          ...many(count, () => call("c", "t")),
        ),
      ]),
    steps: (count) => 2 * count,
  },
  {
    name: "a span that is written again and again, with something new each time",
    format: "otel",
    count: 10_000,
    log: (count) => lines(...many(count, (index) => span("s", { ...chat, [`a${index}`]: 1 }))),
    steps: () => 0,
  },
  {
    name: "requests below requests",
    format: "otel",
    count: 8000,
    log: (count) =>
      JSON.stringify(many(count, (index) => span(`${index + 1}`, { ...chat, [`a${index}`]: 1 }, `${index}`))),
    steps: () => 0,
  },
  {
    name: "a message of many numbered calls",
    format: "otel",
    count: 40_000,
    log: (count) => {
      const calls = many(count, (index) => [`gen_ai.prompt.0.tool_calls.${index}.name`, "t"]) as [
        string,
        string,
      ][];
      return JSON.stringify([
        span("s", { ...chat, "gen_ai.prompt.0.role": "assistant", ...Object.fromEntries(calls) }),
      ]);
    },
    steps: (count) => count,
  },
  {
    name: "a message of very many parts",
    format: "vercel-ai",
    count: 150_000,
    log: (count) => {
      const parts = many(count, () => ({ type: "text", text: "x" }));
      return JSON.stringify([{ role: "assistant", parts }]);
    },
    steps: () => 1,
  },
  {
    name: "a file of very many lines, and a change of it",
    format: "openai-responses",
    count: 150_000,
    log: (count) => {
      return JSON.stringify([
        ...patch("1", `*** Add File: a\n${many(count, (index) => `+${index}\n`).join("")}`),
        ...patch("2", `*** Update File: a\n@@\n-${count - 1}\n+last\n`),
      ]);
    },
    steps: () => 2,
  },
  {
    name: "a run that is written again and again, with something new each time",
    format: "langsmith",
    count: 10_000,
    log: (count) =>
      lines(...many(count, (index) => ({ id: "r", run_type: "llm", trace_id: "t", [`a${index}`]: 1 }))),
    steps: () => 0,
  },
  {
    name: "a user who goes back to the beginning after every message",
    format: "qwen-code",
    count: 20_000,
    log: (count) =>
      lines(
        ...many(count, (index) => [
          { uuid: `u${index}`, type: "assistant", message: { role: "model", parts: [{ text: "x" }] } },
          { uuid: `w${index}`, parentUuid: "u0", type: "system", subtype: "rewind" },
        ]).flat(),
      ),
    steps: (count) => count,
  },
];

describe("logs that grow", () => {
  it.each(logs)(
    "reading time is proportional to the size of a log: $name",
    ({ format, count, log, steps }) => {
      const found = formatNamed(format);
      if (found === undefined) throw new Error(`no format ${format}`);
      const reading = (size: number): (() => void) => {
        const text = log(size);
        return () => {
          const { runs } = readForeign(found, text);
          expect(runs.map((run) => run.steps?.length)).toEqual([steps(size)]);
        };
      };
      expect(growthOf(reading, count / 4)).toBeLessThan(inProportion);
    },
  );
});
