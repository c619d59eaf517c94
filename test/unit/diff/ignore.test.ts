import { describe, expect, it } from "vitest";
import { type Reference, sha256, toReference } from "../../../src/base/digest.js";
import { CtxError } from "../../../src/base/errors.js";
import type { JsonObject } from "../../../src/base/json/value.js";
import { JsonReader } from "../../../src/base/json/reader.js";
import { compareRuns, type ComparedRun } from "../../../src/diff/compare-runs.js";
import { parseRule, withoutIgnored } from "../../../src/diff/ignore.js";
import type { Manifest } from "../../../src/model/manifest.js";

function ref(text: string): Reference {
  return toReference(sha256(Buffer.from(text)));
}

/** Returns a run with something of everything. A new object each time. */
function whole(fields: Partial<Manifest> = {}): Manifest {
  return {
    version: "0.1",
    hash: "",
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "m", parameters: { temperature: 0, seed: 7 } },
    system_prompt: ref("system"),
    prompts: [
      { role: "user", content_ref: ref("one") },
      { role: "user", content_ref: ref("two") },
    ],
    inputs: [{ name: "notes.txt", content_ref: ref("notes"), size: 5 }],
    steps: [
      {
        index: 0,
        type: "tool_call",
        tool: "bash",
        parameters: { command: "ls", seed: 1, name: "n", deep: { seed: 2, list: [{ seed: 3 }, 4] } },
        output_ref: ref("a"),
        deterministic: false,
      },
      { index: 1, type: "reasoning", parameters: {}, output_ref: ref("think"), deterministic: false },
      {
        index: 2,
        type: "tool_call",
        tool: "read_file",
        parameters: { path: "x", seed: 5, type: "t", tool: "u", index: 9 },
        output_ref: ref("b"),
        deterministic: true,
      },
      { index: 3, type: "tool_call", tool: "bash", parameters: {}, deterministic: false },
    ],
    outputs: [
      { name: "report.md", content_ref: ref("r") },
      { name: "log.txt", content_ref: ref("l") },
    ],
    environment: { os: "linux", runtime: "node20", tool_versions: { git: "2.39", "my tool": "1" } },
    ...fields,
  };
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** Applies rules to a frozen manifest. */
function without(...rules: string[]): { manifest: Manifest; counts: number[] } {
  const original = frozen(whole());
  const result = withoutIgnored(original, rules.map(parseRule));
  expect(original).toEqual(whole());
  return result;
}

function problem(rule: string): CtxError {
  try {
    parseRule(rule);
  } catch (error) {
    if (error instanceof CtxError) return error;
  }
  throw new Error(`${rule} is a rule`);
}

function run(manifest: Manifest, name: string): ComparedRun {
  return { hex: sha256(Buffer.from(name)), manifest };
}

describe("a rule of what to ignore", () => {
  it.each([
    ["", "it is empty"],
    ["$", "it would ignore everything"],
    ["bash:$", "it would ignore everything"],
    ["$steps", 'cannot be parsed from "steps" on'],
    ["$.", 'cannot be parsed from "." on'],
    ["$..", 'cannot be parsed from ".." on'],
    ["$.steps[", 'cannot be parsed from "[" on'],
    ["$.steps[-1]", 'cannot be parsed from "[-1]" on'],
    ["$.steps[*].parameters[seed]", 'cannot be parsed from "[seed]" on'],
    ["$.steps[?(@.a)]", 'cannot be parsed from "[?(@.a)]" on'],
    ["$.a b", 'cannot be parsed from " b" on'],
    ['$["a', "cannot be parsed"],
    [":$.output", "cannot be parsed"],
    ['$["\\x"]', "is not a JSON string"],
  ])("ignore: %s is no rule, and a usage error", (rule, why) => {
    const error = problem(rule);
    expect(error.code).toBe("usage");
    expect(error.message).toContain(`"${rule}" is not a valid rule`);
    expect(error.message).toContain(why);
    expect(error.hint).toContain("bash:$.output");
  });

  it("ignore: a rule keeps its words for the report", () => {
    for (const text of ["bash", "mcp__server__tool", "a tool", "$.steps[*].parameters.seed", "bash:$.output"])
      expect(parseRule(text).text).toBe(text);
  });

  it("ignore: a rule for a tool leaves out its steps, and the others keep their index", () => {
    const { manifest, counts } = without("bash");
    expect(counts).toEqual([2]);
    expect(manifest.steps.map(({ index }) => index)).toEqual([1, 2]);
    expect(without("nothing")).toEqual({ manifest: whole(), counts: [0] });
    // Reasoning is a type, not a tool.
    expect(without("reasoning").counts).toEqual([0]);
  });

  it("ignore: a rule for a path removes a parameter of every step", () => {
    for (const rule of [
      "$.steps[*].parameters.seed",
      "$.steps.*.parameters.seed",
      "$.steps[*].parameters['seed']",
      '$["steps"][*]["parameters"]["seed"]',
    ]) {
      const { manifest, counts } = without(rule);
      expect(counts, rule).toEqual([2]);
      expect(manifest.steps[0]?.parameters).toEqual({
        command: "ls",
        name: "n",
        deep: { seed: 2, list: [{ seed: 3 }, 4] },
      });
      expect(manifest.steps[2]?.parameters).not.toHaveProperty("seed");
      expect(manifest.model.parameters["seed"]).toBe(7);
    }
  });

  it("ignore: a rule for one step affects that step alone", () => {
    const { manifest, counts } = without("$.steps[2].parameters.seed");
    expect(counts).toEqual([1]);
    expect(manifest.steps[0]).toEqual(whole().steps[0]);
    expect(manifest.steps[2]?.parameters).not.toHaveProperty("seed");
  });

  it("ignore: a rule for a deep key matches it everywhere, and counts each", () => {
    const { manifest, counts } = without("$..seed");
    expect(counts).toEqual([5]);
    expect(JSON.stringify(manifest)).not.toContain("seed");
    expect(manifest.steps[0]?.parameters["deep"]).toEqual({ list: [{}, 4] });
  });

  it("ignore: a rule for a deep key and its contents matches nested ones, too", () => {
    const manifest = whole();
    const step = manifest.steps[0]!;
    step.parameters = { a: { a: { b: 1, c: 1 }, b: 2 } };
    const result = withoutIgnored(manifest, [parseRule("$..a.b")]);
    expect(result.manifest.steps[0]?.parameters).toEqual({ a: { a: { c: 1 } } });
    expect(result.counts).toEqual([2]);
  });

  it("ignore: a rule for a tool and a path affects that tool's steps", () => {
    const { manifest, counts } = without("bash:$.output");
    expect(counts).toEqual([1]);
    expect(manifest.steps.map(({ output_ref }) => output_ref !== undefined)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(without("bash:$.parameters.deep.list[0]").counts).toEqual([1]);
    expect(without("bash:$.parameters").manifest.steps[0]?.parameters).toEqual({});
    expect(without("bash:$..seed").counts).toEqual([3]);
    expect(without("none:$.output").counts).toEqual([0]);
  });

  it("ignore: a step's output has two names", () => {
    for (const rule of ["$.steps[*].output", "$.steps[*].output_ref", "$..output_ref"]) {
      const { manifest, counts } = without(rule);
      expect(counts, rule).toEqual([3]);
      expect(manifest.steps.every((step) => !("output_ref" in step))).toBe(true);
      expect(manifest.outputs).toHaveLength(2);
    }
    // A parameter may be called that, too.
    const original = whole();
    original.steps[0]!.parameters = { output: "x", output_ref: "y" };
    const { manifest } = withoutIgnored(original, [parseRule("$.steps[*].parameters.output")]);
    expect(manifest.steps[0]?.parameters).toEqual({ output_ref: "y" });
  });

  it("ignore: artifacts, inputs and prompts are named by name or index", () => {
    expect(without("$.outputs['log.txt']").manifest.outputs.map(({ name }) => name)).toEqual(["report.md"]);
    expect(without("$.outputs[0]").manifest.outputs.map(({ name }) => name)).toEqual(["log.txt"]);
    expect(without("$.outputs[*]").manifest.outputs).toEqual([]);
    expect(without("$.outputs")).toMatchObject({ counts: [1], manifest: { outputs: [] } });
    expect(without('$.inputs["notes.txt"]').manifest.inputs).toEqual([]);
    expect(without("$.prompts[1]").manifest.prompts).toHaveLength(1);
    expect(without("$.outputs['none']").counts).toEqual([0]);
  });

  it("ignore: rules remove the model, its parameters, the environment and the system prompt", () => {
    expect(without("$.model.parameters.temperature").manifest.model.parameters).toEqual({ seed: 7 });
    expect(without("$.model.parameters").manifest.model).toEqual({ identifier: "m", parameters: {} });
    expect(without("$.model.identifier").manifest.model.identifier).toBe("");
    expect(without("$.model").manifest.model).toEqual({ identifier: "", parameters: {} });
    expect(without("$.system_prompt").manifest.system_prompt).toBe("");
    expect(without("$.environment.tool_versions['my tool']").manifest.environment.tool_versions).toEqual({
      git: "2.39",
    });
    expect(without("$.environment").manifest.environment).toEqual({ os: "", runtime: "", tool_versions: {} });
    expect(without("$.environment.os").manifest.environment.os).toBe("");
  });

  it("ignore: what a comparison needs cannot be ignored", () => {
    for (const rule of ["$.version", "$.hash", "$.outputs[*].name", "$.prompts[*].role"])
      expect(without(rule), rule).toEqual({ manifest: whole(), counts: [0] });
    const steps = ["$.steps", "$.steps[*]", "$.steps[0]", "bash:$.tool"];
    for (const rule of [...steps, "$.steps[*].type", "$.steps[*].tool", "$.steps[*].index"])
      expect(() => parseRule(rule), rule).toThrow("to ignore a step, name its tool");
    // Inside parameters these words are the user's.
    for (const [key, left] of [
      ["type", "tool"],
      ["tool", "type"],
      ["index", "type"],
    ] as const) {
      const { manifest, counts } = without(`$.steps[*].parameters.${key}`);
      expect(counts).toEqual([1]);
      expect(manifest.steps[2]?.parameters).not.toHaveProperty(key);
      expect(manifest.steps[2]?.parameters).toHaveProperty(left);
    }
    const { manifest, counts } = without("$..name");
    expect(counts).toEqual([1]);
    expect(manifest.outputs).toEqual(whole().outputs);
    expect(without("$..type").manifest.steps.map(({ type }) => type)).toEqual(
      whole().steps.map(({ type }) => type),
    );
  });

  it("ignore: a star removes all that can be ignored", () => {
    const { manifest } = without("$.*", "$.steps[*].*");
    expect(manifest.steps.map(({ index, type, tool }) => [index, type, tool])).toEqual(
      whole().steps.map(({ index, type, tool }) => [index, type, tool]),
    );
    expect(manifest).toMatchObject({ version: "0.1", prompts: [], inputs: [], outputs: [] });
    expect(compareRuns(run(manifest, "a"), run(manifest, "b")).entries).toEqual([]);
  });

  it("ignore: a later rule applies to what is left, and each counts for itself", () => {
    const { manifest, counts } = without("bash", "$..seed", "bash:$.output", "$..seed");
    expect(counts).toEqual([2, 2, 0, 0]);
    expect(manifest.steps.map(({ index }) => index)).toEqual([1, 2]);
  });

  it("ignore: without rules the manifest itself is returned", () => {
    const manifest = frozen(whole());
    expect(withoutIgnored(manifest, []).manifest).toBe(manifest);
  });

  it("ignore: a key such as __proto__ is found and removed, others stay", () => {
    const parameters = new JsonReader(
      Buffer.from('{"__proto__":{"x":1},"seed":1,"n":9007199254740993}'),
    ).value() as JsonObject;
    const manifest = whole();
    manifest.steps[0]!.parameters = parameters;
    const kept = withoutIgnored(manifest, [parseRule("$..seed")]).manifest.steps[0]?.parameters;
    expect(Object.keys(kept ?? {})).toEqual(["__proto__", "n"]);
    const taken = withoutIgnored(manifest, [parseRule("$.steps[0].parameters.__proto__")]);
    expect(Object.keys(taken.manifest.steps[0]?.parameters ?? {})).toEqual(["seed", "n"]);
    expect(taken.counts).toEqual([1]);
    expect(({} as JsonObject)["x"]).toBeUndefined();
  });
});

const changed = (): Manifest => {
  const manifest = whole();
  manifest.steps[0]!.parameters = { ...manifest.steps[0]!.parameters, seed: 100 };
  manifest.steps[2]!.parameters = { ...manifest.steps[2]!.parameters, seed: 200, path: "y" };
  return manifest;
};

describe("what was ignored", () => {
  it("ignore: removed values are counted by rule and side, and pairs that differ in nothing else", () => {
    const shorter = changed();
    shorter.steps.length = 3;
    const report = compareRuns(run(whole(), "a"), run(shorter, "b"), {
      ignore: ["$.steps[*].parameters.seed", "bash:$.output"].map(parseRule),
    });
    expect(report.ignored).toEqual({
      rules: [
        { rule: "$.steps[*].parameters.seed", count_a: 2, count_b: 2 },
        { rule: "bash:$.output", count_a: 1, count_b: 1 },
      ],
      differences: 1,
      usual: 0,
      filtered: 0,
    });
    expect(report.entries.map(({ type, index_a }) => [type, index_a])).toEqual([
      ["param_drift", 2],
      ["tool_drift", 3],
    ]);
  });

  it("ignore: ignored differences do not count as drift", () => {
    const report = compareRuns(run(whole(), "a"), run(changed(), "b"), {
      ignore: ["$..seed", "read_file"].map(parseRule),
    });
    expect(report).toMatchObject({ has_drift: false, entries: [], first_divergence: null });
    expect(report.ignored.differences).toBe(1);
  });

  it("ignore: indices in the report are those of the packs, also when a tool is ignored", () => {
    const other = changed();
    const report = compareRuns(run(whole(), "a"), run(other, "b"), { ignore: [parseRule("bash")] });
    expect(report.entries).toMatchObject([{ type: "param_drift", index_a: 2, index_b: 2, step_index: 2 }]);
  });
});
