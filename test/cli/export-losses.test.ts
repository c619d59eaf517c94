import { constants } from "node:buffer";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withinText } from "../../src/ops/export-as.js";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { type AnyLog, smallLog } from "../../dev/logs.js";

interface Exported {
  lost: { what: string; count: number }[];
  log: { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
}

interface Span {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { intValue?: string } }[];
}

async function exported(fields: AnyLog, to: string): Promise<Exported> {
  const { folder } = tempStore();
  fs.writeFileSync(join(folder, "bin"), Buffer.from([0xff, 0xfe, 0]));
  fs.writeFileSync(join(folder, "log.json"), JSON.stringify(smallLog(fields)));
  expect(await cli(["pack", "log.json"], { folder })).toMatchObject({ status: 0 });
  const { status, stdout, stderr } = await cli(["export", "latest", "--as", to, "--json"], { folder });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as Exported;
}

const binary = {
  prompts: [{ role: "developer", content: "x" }],
  steps: [
    { type: "message", output_file: "bin" },
    { type: "reasoning", output_file: "bin" },
    { type: "reasoning" },
    { type: "context", output_file: "bin" },
    { type: "tool_call", tool: "t", output: "a", seen_file: "bin" },
    { type: "tool_result", output_file: "bin", metadata: { exit_code: 1 } },
  ],
  metadata: { cost_usd: 1 },
  parent: `sha256:${"b".repeat(64)}`,
};

it("export --as: sub-agents that start each other again and again are an error", async () => {
  const { folder } = tempStore();
  let packs: string[] = [];
  for (let level = 0; level < 15; level++) {
    const steps = packs.map((pack) => ({ type: "tool_call", tool: "Task", output: "x", pack }));
    packs = [];
    for (const name of ["a", "b"]) {
      const log = smallLog({ system_prompt: `${name}${level}`, steps });
      fs.writeFileSync(join(folder, "log.json"), JSON.stringify(log));
      const { stdout } = await cli(["pack", "log.json"], { folder });
      packs.push(stdout.trim().replace("ctx://", "sha256:"));
    }
  }
  const { status, stderr } = await cli(["export", packs[0] as string, "--as", "atif"], { folder });
  expect([status, stderr]).toEqual([2, expect.stringContaining("more than 10000 runs of sub-agents")]);
});

it.each([
  ["a text", () => Buffer.alloc(constants.MAX_STRING_LENGTH + 1).toString("latin1")],
  ["texts", () => "ab".padEnd(constants.MAX_STRING_LENGTH, "ab") + "ab"],
])("export --as: more text than fits a string is an error: %s", (_name, work) => {
  expect(() => withinText("latest", work)).toThrow(/^latest contains more text than fits into such a log$/);
});

describe("losses of ctx export --as", () => {
  it.each(["otlp", "openai"])("export --as: losses in %s are reported with their counts", async (to) => {
    const { lost } = await exported(binary, to);
    expect(Object.fromEntries(lost.map(({ what, count }) => [what, count]))).toMatchObject({
      "messages that are not text": 1,
      "contexts that are not text": 1,
      "contexts, which became system messages": 1,
      "reasoning that is not text": 1,
      "reasoning that only the model can read": 1,
      [to === "openai" ? "results without a call" : "results that are not text"]: 1,
      "what the model was shown, where it is not text": 1,
      "roles of prompts, which became the user's": 1,
      "metadata of steps (turns, folders, exit statuses)": 1,
      cost: 1,
      "the parent pack": 1,
    });
  });

  it("export --as: every format reports a system prompt that is not text", async () => {
    for (const to of ["atif", "otlp", "openai"]) {
      const { lost } = await exported({ system_prompt: undefined, system_prompt_file: "bin" }, to);
      expect(lost).toContainEqual({ what: "a system prompt that is not text", count: 1 });
    }
  });

  it("export --as: parameters of the model that a format cannot express are reported as lost", async () => {
    const model = { identifier: "m", parameters: { messages: [], effort: "high", seed: 1 } };
    expect((await exported({ model }, "openai")).lost).toContainEqual({
      what: "parameters that a chat completion does not have",
      count: 2,
    });
    expect((await exported({ model }, "otlp")).lost).toContainEqual({
      what: "parameters of the model",
      count: 2,
    });
  });

  it("export --as: what separates calls with one id is reported as lost for OpenAI", async () => {
    const call = { type: "tool_call", tool: "t", output: "x", metadata: { call_id: "c" } };
    expect((await exported({ steps: [call, call] }, "openai")).lost).toContainEqual({
      what: "the difference between calls that share an id",
      count: 1,
    });
  });

  it("export --as: OTLP numbers and times stay within 64 bits", async () => {
    const { log, lost } = await exported(
      {
        created: "1960-01-01T00:00:00Z",
        steps: [
          { type: "tool_call", tool: "t", timestamp: "0001-01-01T00:00:00Z" },
          { type: "message", output: "m", timestamp: "9999-12-31T23:59:59.5Z" },
          { type: "tool_call", tool: "t" },
        ],
        metadata: { usage: { input_tokens: 1e21, output_tokens: 7 } },
      },
      "otlp",
    );
    expect(lost).toContainEqual({ what: "times before 1970 or after 2554", count: 3 });
    const spans = log.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    expect(spans.length).toBe(4);
    for (const { startTimeUnixNano, endTimeUnixNano, attributes } of spans) {
      for (const time of [startTimeUnixNano, endTimeUnixNano])
        expect(BigInt.asUintN(64, BigInt(time))).toBe(BigInt(time));
      for (const { value } of attributes) expect(value.intValue ?? "0").toMatch(/^\d+$/);
    }
  });
});
