// The counts of any run: calls are those with a result and those without, no id is used twice, and a prompt has nothing
// that the agent sent. On the specimens, on specimens with repeated and missing lines, and on sessions that are made
// from a script, whose counts are therefore known, as each agent would record them.
import { array, assert, constantFrom, dictionary, integer, nat, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { Coverage } from "../../src/intake/coverage.js";
import { formats } from "../../src/intake/formats.js";
import { formatNamed } from "../../src/intake/recognise.js";
import type { Format } from "../../src/intake/format.js";
import type { ExecutionLog } from "../../src/model/log.js";
import { CtxError } from "../../src/base/errors.js";
import { isCall, wrongCounts } from "../../dev/count-checks.js";
import { readForeign, type ForeignRuns } from "../../dev/intake.js";
import { markerExamples } from "../../dev/markers.js";
import { writers } from "../../dev/scripted-logs.js";
import { specimens } from "../../dev/specimens/all.js";

const cases = formats.flatMap((format) =>
  (specimens[format.name] ?? []).map((log, number) => ({ format, log, name: `${format.name} ${number}` })),
);

const byLine = cases.flatMap(({ format, log, name }) => {
  const all = typeof log === "string" ? log.split("\n").filter((line) => line !== "") : [];
  return all.length > 2 && all.every(isRecord) ? [{ format, all, name }] : [];
});

function isRecord(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

function readable(format: Format, log: string): ForeignRuns | undefined {
  try {
    return readForeign(format, log);
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

describe("counts", () => {
  it.each(cases)("counts: those of the specimen $name fit together", ({ format, log }) => {
    expect(wrongCounts(readForeign(format, log))).toEqual([]);
  });

  it.each(byLine)(
    "counts: those of $name fit together with lines repeated and missing",
    ({ format, all }) => {
      assert(
        property(array(nat(all.length - 1), { maxLength: 4 }), nat(all.length - 1), (again, gone) => {
          const lines = all.flatMap((line, index) => {
            if (index === gone && again.length % 2 === 1) return [];
            return again.includes(index) ? [line, line] : [line];
          });
          const taken = readable(format, `${lines.join("\n")}\n`);
          expect(taken === undefined ? [] : wrongCounts(taken)).toEqual([]);
        }),
        { numRuns: 25 },
      );
    },
  );
});

/** What a run is, without what is said about the log; groups of calls by their order. */
function runsOf({ runs }: ForeignRuns): unknown[] {
  return runs.map(({ metadata, steps = [], ...run }: ExecutionLog) => {
    const { coverage: _, ...more } = metadata ?? {};
    const groups = [...new Set(steps.map((step) => step.metadata?.["parallel"]))];
    const named = steps.map((step) => ({
      ...step,
      metadata: { ...step.metadata, parallel: groups.indexOf(step.metadata?.["parallel"]) },
    }));
    return { ...run, steps: named, metadata: more };
  });
}

/** Returns how many records were not understood, as the run says or, where a log has several, the whole log. */
function notUnderstood(taken: ForeignRuns): number {
  const counted = [taken.coverage.toJson([]), ...taken.runs.map(({ metadata }) => metadata?.["coverage"])];
  return Math.max(
    ...counted.map((each) => total((each as { skipped?: Record<string, number> }).skipped ?? {})),
  );
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Formats whose lines are spans in any form, or may be of any program: MCP's are among what a host prints. */
const whole = new Set(["otel", "openinference", "otel-events", "langsmith", "mcp"]);

describe("what is not understood", () => {
  const unheard = JSON.stringify({ type: "unheard-of", unheard: true, payload: { type: "unheard-of" } });

  it.each(byLine.filter(({ format }) => !whole.has(format.name)))(
    "counts: a record of an unknown kind in $name is listed as not understood, and changes nothing",
    ({ format, all }) => {
      const before = readForeign(format, `${all.join("\n")}\n`);
      assert(
        property(integer({ min: 1, max: all.length }), (at) => {
          const log = `${[...all.slice(0, at), unheard, ...all.slice(at)].join("\n")}\n`;
          const after = readForeign(format, log);
          expect(runsOf(after)).toEqual(runsOf(before));
          expect(notUnderstood(after)).toBe(notUnderstood(before) + 1);
        }),
        { numRuns: 10 },
      );
    },
  );

  it("counts: what a coverage lists is not listed as left out as well", () => {
    const coverage = new Coverage();
    coverage.skip("a");
    coverage.leaveOut("b");
    expect(coverage.toJson([])).toMatchObject({ skipped: { a: 1 }, left_out: { b: 1 } });
  });
});

const call = record({
  tool: constantFrom("read_file", "run_shell_command", "Bash", "lookup"),
  parameters: dictionary(constantFrom("path", "command", "n"), constantFrom("a", "b", "ls"), {
    maxKeys: 2,
  }),
  end: constantFrom("ok" as const, "error" as const, "none" as const),
  output: constantFrom("apples", "", "3 files"),
});
const script = array(
  record({
    prompt: constantFrom("Fix it.", "Why is <b> bold?", "Run\nthe tests, and tell me what fails"),
    batches: array(array(call, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    /** Which of the agent's own texts it sends before the prompt; -1 for none. */
    injected: integer({ min: -1, max: 60 }),
    answer: constantFrom("Done.", "It fails."),
  }),
  { minLength: 1, maxLength: 3 },
);

describe("sessions made from a script", () => {
  it.each(writers)(
    "counts: $name has the calls, results and prompts of its script",
    ({ name, rules, write }) => {
      const format = formatNamed(name);
      if (format === undefined) throw new Error(`no format ${name}`);
      const own = rules === undefined ? [] : markerExamples[rules];
      assert(
        property(script, (turns) => {
          const log = write(
            turns.map((turn) => ({
              ...turn,
              injected: turn.injected < 0 ? undefined : own[turn.injected % Math.max(own.length, 1)]?.[1],
            })),
          );
          const taken = readForeign(format, log);
          expect(wrongCounts(taken)).toEqual([]);
          expect(taken.runs).toHaveLength(1);
          const [run] = taken.runs as [ExecutionLog];
          const calls = (run.steps ?? []).filter(isCall);
          const scripted = turns.flatMap(({ batches }) => batches.flat());
          const ends = (end: string): number =>
            calls.filter(({ metadata }) => metadata?.["status"] === end).length;
          const expected = (end: string): number => scripted.filter((each) => each.end === end).length;
          expect({
            prompts: (run.prompts ?? []).map(({ content }) => taken.text(content)),
            calls: calls.map(({ tool }) => tool),
            // A text by which the agent says that the user stopped it ends the calls that are open.
            without: ends("unanswered") + ends("interrupted"),
            results: ends("ok") + ends("error"),
            alone: (run.steps ?? []).filter(({ type }) => type === "tool_result").length,
          }).toEqual({
            prompts: turns.map(({ prompt }) => prompt),
            calls: scripted.map(({ tool }) => tool),
            without: expected("none"),
            results: expected("ok") + expected("error"),
            alone: 0,
          });
        }),
        { numRuns: 60 },
      );
    },
  );
});
