// What a log holds and no run does is counted: nothing is dropped in silence.
import { describe, expect, it } from "vitest";
import { formatNamed } from "../../../src/intake/recognise.js";
import { lines, readForeign } from "../../../dev/intake.js";
import { archiveOf } from "../../../dev/zip.js";

const said = { role: "user", content: "hi" };
const evaluation = {
  version: 2,
  status: "success",
  eval: { task: "t", model: "m", created: "2026-01-01T00:00:00Z" },
  plan: {},
};

const logs: readonly { format: string; log: string | Buffer; skipped: Record<string, number> }[] = [
  {
    format: "openai-messages",
    log: JSON.stringify([{ messages: [said] }, { other: 1 }, 5]),
    skipped: { "record without messages": 2 },
  },
  {
    format: "mini-swe-agent",
    log: JSON.stringify({ trajectory_format: "mini-swe-agent-1", messages: [said, 5] }),
    skipped: { "message that is no object": 1 },
  },
  {
    format: "mcp",
    log: JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "tools/list" }, 5, { other: 1 }], null, 1),
    skipped: { "value that is no message": 2 },
  },
  {
    format: "inspect",
    log: archiveOf({
      "header.json": evaluation,
      "samples/1_epoch_1.json": { id: 1, epoch: 1, input: "x", messages: [said] },
      "samples/2_epoch_1/events/0.json": [{ event: "info", data: "x" }],
    }),
    skipped: { "sample in pieces without its sample.json": 1 },
  },
];

describe("unreadable parts", () => {
  it.each(logs)(
    "no silence: unreadable parts of a log of $format are counted",
    ({ format, log, skipped }) => {
      const found = formatNamed(format);
      if (found === undefined) throw new Error(`no format ${format}`);
      expect(readForeign(found, log).coverage.toJson([])).toMatchObject({ skipped });
    },
  );
});

it("no silence: a system prompt that changes between requests is kept both times", () => {
  const found = formatNamed("anthropic-messages");
  if (found === undefined) throw new Error("no format");
  const answer = {
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "yes" }],
    stop_reason: "end_turn",
  };
  const messages = [said, { role: "assistant", content: answer.content }, { role: "user", content: "more" }];
  const log = lines(
    { request: { system: "Be brief.", messages: [said] }, response: { ...answer, id: "m1" } },
    { request: { system: "Be long.", messages }, response: { ...answer, id: "m2" } },
  );
  const { runs, text } = readForeign(found, log);
  const [run] = runs;
  expect(runs).toHaveLength(1);
  expect(text(run?.system_prompt)).toBe("Be brief.");
  expect(
    run?.steps
      ?.filter(({ type }) => type === "context")
      .map(({ output, metadata }) => [metadata?.["kind"], text(output)]),
  ).toEqual([["system", "Be long."]]);
});
