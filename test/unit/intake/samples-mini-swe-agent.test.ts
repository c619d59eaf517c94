// Real trajectories of mini-swe-agent, against counts that were made without ctx.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { miniSweAgent } from "../../../src/intake/formats/mini-swe-agent/format.js";
import { openaiMessages } from "../../../src/intake/formats/openai-messages/format.js";
import { fits, readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

const everything = samples();
const all = everything.filter(({ name }) => name.startsWith("mini-swe-agent/"));

describeWith([realLogs(all)], "real trajectories of mini-swe-agent", () => {
  it.each(all)(
    "mini-swe-agent: the run of the real log $name has the independent counts",
    ({ file, counts }) => {
      const log = fs.readFileSync(file);
      expect([fits(miniSweAgent, log), fits(openaiMessages, log)]).toEqual([true, false]);
      const { runs } = readForeign(miniSweAgent, log, { path: file });
      const [run] = runs;
      const calls = (run?.steps ?? []).filter(({ type }) => type === "tool_call");
      expect({
        calls: calls.length,
        answered: calls.filter(({ output }) => output !== undefined).length,
        // Each answer has one command, and all messages of the user but the task are results.
        codes: calls.filter(({ metadata = {} }) => "exit_code" in metadata).length,
        records: (run?.metadata?.["coverage"] as { records: number } | undefined)?.records,
        prompts: run?.prompts?.length,
        outputs: run?.outputs?.map(({ name }) => name),
      }).toEqual({
        calls: counts.tool_calls,
        answered: counts.roles.user - 1,
        codes: counts.tool_calls - 1,
        records: counts.messages,
        prompts: 1,
        outputs: [".submission.patch", ".answer.md"],
      });
    },
  );

  it("mini-swe-agent: no other real log is recognised", () => {
    const others = everything.filter(({ name }) => !name.startsWith("mini-swe-agent/"));
    const taken = others.filter(({ file }) => fits(miniSweAgent, fs.readFileSync(file)));
    expect(taken.map(({ name }) => name)).toEqual([]);
  });
});
