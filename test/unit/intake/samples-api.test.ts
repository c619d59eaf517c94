// Real answers of Anthropic's API and of the Responses API, against counts that a script of a few lines made.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { formatNamed, recognise } from "../../../src/intake/recognise.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import type { ExecutionLog } from "../../../src/model/log.js";
import { readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

const formats: Record<string, string> = {
  "anthropic-response": "anthropic-messages",
  "anthropic-sse": "anthropic-messages",
  "openai-responses": "openai-responses",
  "openai-responses-sse": "openai-responses",
};

interface Counts {
  calls: number;
  answered: number;
  texts: number;
  reasoning: number;
  tokens: number;
}

const counts: Record<string, Counts> = {
  "anthropic-messages/anthropic-code-execution-20250825.2.json": {
    calls: 3,
    answered: 3,
    texts: 4,
    reasoning: 0,
    tokens: 1359,
  },
  "anthropic-messages/anthropic-mcp.1.chunks.txt": {
    calls: 1,
    answered: 1,
    texts: 1,
    reasoning: 0,
    tokens: 83,
  },
  "anthropic-messages/anthropic-programmatic-tool-calling.1.json": {
    calls: 5,
    answered: 1,
    texts: 2,
    reasoning: 0,
    tokens: 229,
  },
  "anthropic-messages/anthropic-tool-no-args.json": {
    calls: 1,
    answered: 0,
    texts: 1,
    reasoning: 0,
    tokens: 93,
  },
  "openai-responses/openai-apply-patch-tool.1.json": {
    calls: 1,
    answered: 0,
    texts: 0,
    reasoning: 0,
    tokens: 67,
  },
  "openai-responses/openai-mcp-tool.1.json": { calls: 1, answered: 1, texts: 1, reasoning: 2, tokens: 1078 },
  "openai-responses/openai-phase.1.chunks.txt": {
    calls: 0,
    answered: 0,
    texts: 2,
    reasoning: 0,
    tokens: 463,
  },
  "openai-responses/openai-reasoning-encrypted-content.1.json": {
    calls: 0,
    answered: 0,
    texts: 1,
    reasoning: 1,
    tokens: 163,
  },
  "openai-responses/openai-shell-tool.1.json": { calls: 1, answered: 0, texts: 0, reasoning: 0, tokens: 73 },
};

function countsOf(run: ExecutionLog): Counts {
  const steps = run.steps ?? [];
  const calls = steps.filter(({ type }) => type === "tool_call" || type === "server_tool_call");
  return {
    calls: calls.length,
    answered: calls.filter(({ output }) => output !== undefined).length,
    texts: steps.filter(({ type }) => type === "message").length,
    reasoning: steps.filter(({ type }) => type === "reasoning").length,
    tokens: ((run.metadata ?? {})["usage"] as { output_tokens: number }).output_tokens,
  };
}

const all = samples().filter(({ detected }) => detected in formats);

describeWith([realLogs(all)], "real answers against independent counts", () => {
  it("API answers: all real answers have counts", () => {
    expect(all.map(({ name }) => name).sort()).toEqual(Object.keys(counts).sort());
  });

  it.each(all)(
    "API answers: the run of the real answer $name has the independent counts",
    ({ name, file, detected }) => {
      const bytes = fs.readFileSync(file);
      const format = recognise(sourceOf([bytes], { name: file }));
      expect(format?.name).toBe(formats[detected]);
      const { runs, coverage } = readForeign(formatNamed(formats[detected] as string) as never, bytes);
      expect(runs.map(countsOf)).toEqual([counts[name]]);
      expect(coverage.isClean).toBe(true);
      const events = name.endsWith(".txt") ? bytes.toString("utf8").trim().split("\n").length : undefined;
      if (events !== undefined) expect(coverage.records).toBe(events);
    },
  );
});
