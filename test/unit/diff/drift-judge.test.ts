// The judge on runs small enough to see: a report with any one thing wrong must fail.
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/model/manifest.js";
import { type Entry, entryOf, type Explanation, priceOf } from "../../../dev/drift/explanation.js";
import { judge, problemsOf } from "../../../dev/drift/judge.js";
import { makeCase } from "../../../dev/drift/generate.js";
import { type Body, makeFrame, toManifest } from "../../../dev/drift/runs.js";
import { Random } from "../../../dev/drift/random.js";
import { closeWords, pairCost, tokensOf } from "../../../dev/drift/steps.js";

/** `r1` is tool r with output 1, `r` one without output; `#1` is prose; `r1@g` is in the group g. */
function run(text: string): Manifest {
  const bodies = text.split(" ").map((word): Body => {
    const [step = "", parallel] = word.split("@");
    const [name = "", output] = step;
    return {
      type: name === "#" ? "reasoning" : "tool_call",
      ...(name === "#" ? {} : { tool: name }),
      parameters: name === name.toUpperCase() && name !== "#" ? { n: name } : {},
      ...(output === undefined ? {} : { output_ref: `sha256:${output.repeat(64)}` as const }),
      ...(parallel === undefined ? {} : { parallel }),
    };
  });
  return toManifest(makeFrame(new Random(1)), bodies);
}

type Short = [change: Entry["change"], a: number | null, b: number | null, more?: Partial<Entry>];

function report(...entries: Short[]): Explanation {
  const types = { changed: "reasoning_drift", replaced: "tool_drift" } as Record<string, Entry["type"]>;
  return {
    entries: entries.map(([change, a, b, more]) =>
      entryOf(types[change] ?? "tool_drift", change, a, b, more),
    ),
    reordered: [],
  };
}

function problems(a: string, b: string, explanation: Explanation): string {
  return problemsOf(run(a), run(b), explanation).join("; ");
}

const output = { fields: ["output"] };

describe("complete", () => {
  it.each<[string, string, string, Explanation]>([
    ["nothing", "r1 s1", "r1 s1", report()],
    ["an output", "r1 s1", "r1 s2", report(["changed", 1, 1, output])],
    ["a tool", "r1 s1", "r1 t1", report(["replaced", 1, 1, { fields: ["tool"] }])],
    ["an insertion", "r1 s1", "r1 t1 s1", report(["added", null, 1])],
    ["a truncation", "r1 s1 t1", "r1", report(["removed", 1, null, { count: 2, at_end: true }])],
    ["a move", "r1 s1 t1", "t1 r1 s1", report(["moved", 2, 0])],
    ["a move with another output", "r1 s1 t1", "t2 r1 s1", report(["moved", 2, 0, output])],
    ["a retry", "r1 s1", "r1 s2 s3 s1", report(["retried", 1, 3, { extra_b: [1, 2] }])],
    [
      "a retry with another output",
      "r1 s1",
      "r1 s2 #1 s3",
      report(["added", null, 2], ["retried", 1, 3, { extra_b: [1] }], ["changed", 1, 3, output]),
    ],
    [
      "another order in a group",
      "r1@g s1@g",
      "s1@h r1@h",
      { ...report(), reordered: [{ index_a: 0, index_b: 1 }] },
    ],
  ])("drift judge: the explanation of %s is complete", (_, a, b, explanation) => {
    expect(problems(a, b, explanation)).toBe("");
  });
});

describe("not complete", () => {
  const group = { ...report(), reordered: [{ index_a: 0, index_b: 1 }] };
  it.each<[string, string, string, Explanation, RegExp]>([
    ["a missing entry", "r1 s1", "r1 s2", report(), /differs and has no entry/],
    ["an entry too many", "r1 s1", "r1 s1", report(["changed", 1, 1, output]), /fields output instead of/],
    ["wrong fields", "r1 s1", "r1 t1", report(["replaced", 1, 1, output]), /fields output instead of tool/],
    [
      "a wrong type",
      "r1 s1",
      "r1 t1",
      report(["changed", 1, 1, { fields: ["tool"] }]),
      /instead of tool_drift/,
    ],
    ["a wrong place", "r1 s1", "r1 s2", report(["changed", 0, 0, output]), /1\/1 differs and has no entry/],
    ["two steps left", "r1 s1", "r1 s1 t1 u1", report(["added", null, 2]), /2 steps of a and 3 of b/],
    ["a step used twice", "r1 s1", "r1 t1 s1", report(["added", null, 1], ["added", null, 1]), /used twice/],
    ["a step that is not there", "r1", "r1 s1", report(["added", null, 1, { count: 2 }]), /no steps 1 \+ 2/],
    [
      "two entries for a pair",
      "r1",
      "r2",
      report(["changed", 0, 0, output], ["changed", 0, 0, output]),
      /two/,
    ],
    ["a move of what differs", "r1 s1 t1", "t2 r1 s1", report(["moved", 2, 0]), /not equal/],
    [
      "a moved prose step with other output",
      "r1 #1",
      "#2 r1",
      report(["moved", 1, 0, output]),
      /not one tool/,
    ],
    [
      "a retry of another call",
      "r1 s1",
      "r1 t2 s1",
      report(["retried", 1, 2, { extra_b: [1] }]),
      /another call/,
    ],
    [
      "a retry with its output",
      "r1 s1",
      "r1 s1 s1",
      report(["retried", 1, 2, { extra_b: [1] }]),
      /the output/,
    ],
    ["a retry in a loop", "s1 s1", "s1 s2 s1", report(["retried", 1, 2, { extra_b: [1] }]), /the same call/],
    [
      "a retry of six",
      "s1",
      "s2 s2 s2 s2 s2 s2 s1",
      report(["retried", 0, 6, { extra_b: [0, 1, 2, 3, 4, 5] }]),
      /5/,
    ],
    [
      "a retry far off",
      "s1",
      "s2 t1 s1",
      report(["added", null, 1], ["retried", 0, 2, { extra_b: [0] }]),
      /prose/,
    ],
    ["a retry of no pair", "r1 s1", "r1 s2 s1", report(["retried", 0, 2, { extra_b: [1] }]), /is no pair/],
    ["another order without a group", "r1 s1", "s1 r1", group, /not in its group/],
    ["another order with a group of one run", "r1@g s1@g", "s1 r1", group, /not in its group/],
    ["another order of two groups", "r1@g s1@h", "s1@g r1@h", group, /not in its group/],
    [
      "a wrong order",
      "r1 s1",
      "r2 s2",
      report(["changed", 1, 1, output], ["changed", 0, 0, output]),
      /order/,
    ],
    ["added before removed", "r1 s1", "t1 s1", report(["added", null, 0], ["removed", 0, null]), /order/],
    ["a truncation that is not said", "r1 s1", "r1", report(["removed", 1, null]), /at_end undefined/],
    ["an end that is none", "r1 s1", "s1", report(["removed", 0, null, { at_end: true }]), /at_end true/],
    ["a wrong step_index", "r1 s1", "s1", report(["removed", 0, null, { step_index: 1 }]), /step_index 1/],
  ])("drift judge: the explanation of %s is not complete", (_, a, b, explanation, problem) => {
    expect(problems(a, b, explanation)).toMatch(problem);
  });
});

describe("price", () => {
  it.each<[string, string, Explanation, number]>([
    ["r1", "r2", report(["changed", 0, 0, output]), 2],
    ["r1", "s1", report(["replaced", 0, 0, { fields: ["tool"] }]), 5],
    ["R1", "S2", report(["replaced", 0, 0, { fields: ["tool", "parameters", "output"] }]), 8],
    ["r1", "r1 s1 t1", report(["added", null, 1, { count: 2 }]), 8],
    ["r1 s1", "s1 r1", report(["moved", 0, 1]), 3],
    ["r1 s1", "s1 r2", report(["moved", 0, 1, output]), 5],
    ["r1", "r2 r3 r1", report(["retried", 0, 2, { extra_b: [0, 1] }]), 3],
  ])("drift judge: the price of %s against %s", (a, b, explanation, price) => {
    expect(priceOf(run(a), run(b), explanation)).toBe(price);
  });

  it("drift judge: words in common lower the price", () => {
    const step = { type: "tool_call", tool: "r" };
    const words = (text: string, output?: "sha256:1") => ({
      ...step,
      parameters: { text },
      ...(output ? { output_ref: output } : {}),
    });
    expect(pairCost(words("a b", "sha256:1"), words("b c"))).toBe(4);
    expect(pairCost(words("a b c", "sha256:1"), words("c d e"))).toBe(6);
    expect(pairCost(words("a"), words("b"))).toBe(4);
    expect(closeWords({ a: "x" }, { b: "x" })).toBe(false);
    const parameters = { a: { b: ["x-y", 1, {}], c: null }, d: "--", e: [], "": true };
    expect([...tokensOf(parameters)]).toEqual([
      "a.b[]=x",
      "a.b[]=y",
      "a.b[]=1",
      "a.b[]=",
      "a.c=null",
      "d=",
      "e=",
      "=true",
    ]);
    expect(tokensOf({}).size).toBe(0);
  });
});

describe("verdict", () => {
  const [a, b] = [run("r1 s1 s1 t1"), run("r1 s1 t1")];
  const planted = report(["removed", 1, null]);

  it("drift judge: a shifted stretch is accepted for the planted one", () => {
    expect(judge(a, b, report(["removed", 2, null]), planted)).toMatchObject({ passed: true, exact: "same" });
  });

  it("drift judge: an explanation that is complete but more expensive fails", () => {
    const dear = report(["removed", 1, null, { count: 2 }], ["added", null, 1]);
    expect(judge(a, b, dear, planted)).toMatchObject({ problems: [], passed: false, exact: "other" });
  });

  it("drift judge: the planted prompts are required", () => {
    const edited = makeCase(1, 9);
    expect(edited.kind).toBe("prompt");
    const silent = { entries: [], reordered: edited.planted.reordered };
    const verdict = judge(edited.a.manifest, edited.b.manifest, silent, edited.planted);
    expect(verdict.problems.join()).toMatch(/not about steps/);
    expect(verdict.passed).toBe(false);
  });

  it("drift judge: a case is generated again from its seed", () => {
    expect(makeCase(2, 33)).toEqual(makeCase(2, 33));
  });
});
