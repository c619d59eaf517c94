// Differences that the baseline runs show among themselves are marked, and do not count.
import { describe, expect, it } from "vitest";
import { type Reference, sha256, toReference } from "../../../src/base/digest.js";
import type { JsonObject } from "../../../src/base/json/value.js";
import { compareRuns, type ComparedRun, traitsOf } from "../../../src/diff/compare-runs.js";
import { parseRule } from "../../../src/diff/ignore.js";
import type { DriftReport } from "../../../src/results/drift.js";
import type { Manifest, Step } from "../../../src/model/manifest.js";

type Made = Omit<Step, "index">;

function ref(text: string): Reference {
  return toReference(sha256(Buffer.from(text)));
}

function call(tool: string, parameters: JsonObject, output: string): Made {
  return { type: "tool_call", tool, parameters, output_ref: ref(output), deterministic: false };
}

let made = 0;

function run(steps: Made[], fields: Partial<Manifest> = {}): ComparedRun {
  return {
    hex: sha256(Buffer.from(`run ${made++}`)),
    manifest: {
      version: "0.1",
      hash: "",
      created: "2026-02-10T12:00:00Z",
      model: { identifier: "m", parameters: {} },
      system_prompt: ref("system"),
      prompts: [],
      inputs: [],
      outputs: [],
      environment: { os: "linux", runtime: "node20", tool_versions: {} },
      ...fields,
      steps: steps.map((step, index) => ({ index, ...step })),
    },
  };
}

/** Returns the run compared with the first baseline, with the others to measure variation. */
function judge(judged: ComparedRun, first: ComparedRun, ...others: ComparedRun[]): DriftReport {
  return compareRuns(first, judged, { usual: others.map((other) => traitsOf(first, other, {})) });
}

function usual({ entries }: DriftReport): unknown[] {
  return entries.map((entry) => (entry.usual === undefined ? null : `${entry.usual.seen}/${entry.usual.of}`));
}

const one = call("read_file", { path: "a.txt" }, "a");
const two = call("read_file", { path: "b.txt" }, "b");
const three = call("read_file", { path: "c.txt" }, "c");
const clock = (time: string): Made => call("clock", {}, time);
const fetch = (query: JsonObject, output = "page"): Made => call("fetch", query, output);

const manyValues = (seed: number, last: string): Made =>
  fetch({
    ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, seed])),
    zz: last,
  });

describe("usual drift", () => {
  it("usual drift: there is none without further baselines", () => {
    const report = judge(run([one, clock("2")]), run([one, clock("1")]));
    expect(usual(report)).toEqual([null]);
    expect(report).toMatchObject({ has_drift: true, ignored: { usual: 0 } });
  });

  it("usual drift: an output that varies in some of the runs is usual, with counts", () => {
    const report = judge(
      run([one, clock("9"), two]),
      run([one, clock("1"), two]),
      run([one, clock("2"), two]),
      run([one, clock("1"), two]),
      run([one, clock("3"), two]),
    );
    expect(usual(report)).toEqual(["2/3"]);
    expect(report).toMatchObject({ has_drift: false, ignored: { usual: 1 }, first_divergence: null });
  });

  it("usual drift: another step's output is not usual", () => {
    const report = judge(
      run([clock("1"), one, clock("9")]),
      run([clock("1"), one, clock("1")]),
      run([clock("2"), one, clock("1")]),
    );
    expect(usual(report)).toEqual([null]);
    expect(report.has_drift).toBe(true);
  });

  it("usual drift: a parameter that varies is usual, another one of the same step is not", () => {
    const first = run([one, fetch({ url: "u", seed: 1 }), two]);
    const other = run([one, fetch({ url: "u", seed: 2 }), two]);
    expect(usual(judge(run([one, fetch({ url: "u", seed: 3 }), two]), first, other))).toEqual(["1/1"]);
    const both = judge(run([one, fetch({ url: "v", seed: 3 }), two]), first, other);
    expect(usual(both)).toEqual([null]);
    expect(both).toMatchObject({ has_drift: true, first_divergence: { entry: 0 } });
  });

  it("usual drift: an output that never varied is not usual although a parameter of its step is", () => {
    const report = judge(
      run([one, fetch({ seed: 3 }, "an error"), two]),
      run([one, fetch({ seed: 1 }, "page"), two]),
      run([one, fetch({ seed: 2 }, "page"), two]),
    );
    expect(report.entries).toMatchObject([{ type: "param_drift", fields: ["parameters", "output"] }]);
    expect(usual(report)).toEqual([null]);
    expect(report.has_drift).toBe(true);
  });

  it("usual drift: a value beyond the number that is listed is not usual", () => {
    const report = judge(
      run([one, manyValues(3, "evil"), two]),
      run([one, manyValues(1, "good"), two]),
      run([one, manyValues(2, "good"), two]),
    );
    expect(usual(report)).toEqual([null]);
    expect(report.has_drift).toBe(true);
  });

  it("usual drift: a step that only some runs have is usual at that position", () => {
    const extra = call("bash", { command: "ls" }, "x");
    const first = run([one, two, three]);
    const other = run([one, extra, two, three]);
    const again = run([one, call("bash", { command: "ls" }, "y"), two, three]);
    expect(usual(judge(again, first, other))).toEqual(["1/1"]);
    const worse = run([one, call("bash", { command: "rm -rf /" }, "y"), two, three]);
    expect(usual(judge(worse, first, other))).toEqual([null]);
    const elsewhere = judge(run([one, two, extra, three]), first, other);
    expect(usual(elsewhere)).toEqual([null]);
    expect(usual(judge(run([one, call("rm", {}, "x"), two, three]), first, other))).toEqual([null]);
  });

  it("usual drift: a step that is sometimes left out is usual, a longer stretch is not", () => {
    const first = run([one, two, three]);
    const other = run([one, three]);
    expect(usual(judge(run([one, three]), first, other))).toEqual(["1/1"]);
    const longer = judge(run([one]), first, other);
    expect(longer.entries).toMatchObject([{ change: "removed", count: 2 }]);
    expect(usual(longer)).toEqual([null]);
    expect(longer).toMatchObject({ has_drift: true, first_divergence: { entry: 0 } });
  });

  it("usual drift: a retry, another tool and another order can be usual", () => {
    const poll = (output: string): Made => call("poll", {}, output);
    expect(
      usual(
        judge(
          run([poll("busy"), poll("wait"), poll("done"), one]),
          run([poll("done"), one]),
          run([poll("busy"), poll("done"), one]),
        ),
      ),
    ).toEqual(["1/1"]);
    const grep = call("grep", { pattern: "x" }, "1");
    const find = call("find", { pattern: "x" }, "1");
    expect(usual(judge(run([one, find]), run([one, grep]), run([one, find])))).toEqual(["1/1"]);
    expect(
      usual(judge(run([one, call("rm", { pattern: "x" }, "1")]), run([one, grep]), run([one, find]))),
    ).toEqual([null]);
    expect(usual(judge(run([two, three, one]), run([one, two, three]), run([two, three, one])))).toEqual([
      "1/1",
    ]);
  });

  it("usual drift: a prompt, the model and an artifact can be usual", () => {
    const fields = (word: string): Partial<Manifest> => ({
      system_prompt: ref(`system ${word}`),
      model: { identifier: "m", parameters: { seed: word } },
      outputs: [{ name: "report.md", content_ref: ref(word) }],
    });
    const report = judge(run([one], fields("3")), run([one], fields("1")), run([one], fields("2")));
    // A prompt that no baseline had is news, though they differ in theirs.
    expect(usual(report)).toEqual([null, "1/1", "1/1"]);
    expect(report.has_drift).toBe(true);
    const known = judge(
      run([one], fields("2")),
      run([one], fields("1")),
      run([one], { ...fields("2") }),
      run([one], fields("3")),
    );
    expect(usual(known)).toEqual(["1/2", "2/2", "2/2"]);
    const other = judge(
      run([one], { ...fields("3"), outputs: [{ name: "other.md", content_ref: ref("3") }] }),
      run([one], fields("1")),
      run([one], fields("2")),
    );
    expect(usual(other)).toEqual([null, "1/1", null, null]);
  });

  it("usual drift: what all other baselines share is usual against the first", () => {
    const report = judge(run([one, three]), run([one, two, three]), run([one, three]), run([one, three]));
    expect(usual(report)).toEqual(["2/2"]);
  });

  it("usual drift: a difference counts only if one run shows all of it", () => {
    const first = run([one, two, three]);
    const report = judge(run([three]), first, run([two, three]), run([one, three]));
    expect(report.entries).toMatchObject([{ change: "removed", count: 2 }]);
    expect(usual(report)).toEqual([null]);
  });
});

const prompted = (...texts: string[]): Partial<Manifest> => ({
  prompts: texts.map((text) => ({ role: "user", content_ref: ref(text) })),
});

const bash = (command: string): Made => call("bash", { command }, command);

/** Returns what is usual in a run with more prompts than the first, where another run has two. */
const row = (...texts: string[]): unknown[] =>
  usual(
    judge(
      run([one], prompted("a", ...texts)),
      run([one], prompted("a")),
      run([one], prompted("a", "x", "y")),
    ),
  );

describe("a divergence that counts", () => {
  it("divergence: one that counts is found behind a usual one", () => {
    const report = judge(
      run([fetch({ seed: 3 }), one, call("rm", { path: "/" }, "gone"), two]),
      run([fetch({ seed: 1 }), one, call("ls", { path: "/" }, "list"), two]),
      run([fetch({ seed: 2 }), one, call("ls", { path: "/" }, "list"), two]),
    );
    expect(usual(report)).toEqual(["1/1", null]);
    expect(report).toMatchObject({
      has_drift: true,
      first_divergence: { entry: 1, step_b: { tool: "rm" }, causes: { entries: [] } },
      ignored: { usual: 1 },
    });
    expect(report.entries[0]?.relation).toBe("before");
  });

  it("divergence: a run that is ignored in part never makes one usual", () => {
    const ignore = [parseRule("$..seed")];
    const first = run([one, fetch({ seed: 1, url: "u" })]);
    const other = run([one, fetch({ seed: 2, url: "u" })]);
    const judged = run([one, fetch({ seed: 3, url: "v" })]);
    const report = compareRuns(first, judged, { ignore, usual: [traitsOf(first, other, { ignore })] });
    expect(usual(report)).toEqual([null]);
  });

  it("divergence: many added steps count where only one was usual", () => {
    const report = judge(
      run([one, ...Array.from({ length: 30 }, (_, at) => bash(`curl evil ${at}`)), two]),
      run([one, two]),
      run([one, bash("ls"), two]),
    );
    expect(report.entries).toMatchObject([{ change: "added", count: 30 }]);
    expect(usual(report)).toEqual([null]);
    expect(report.has_drift).toBe(true);
  });

  it("divergence: one more prompt than usual counts", () => {
    const report = judge(
      run([one], prompted("a", "b", "c")),
      run([one], prompted("a")),
      run([one], prompted("a", "x")),
    );
    expect(report.entries).toMatchObject([{ change: "added", prompt_index: 1, count: 2 }]);
    expect(usual(report)).toEqual([null]);
  });

  it("divergence: prompts in a row are usual only if each of them is", () => {
    expect(row("x", "y")).toEqual(["1/1"]);
    expect(row("x", "z")).toEqual([null]);
  });
});
