// Which paths of a log a draft changed.
import { describe, expect, it } from "vitest";
import { editedPaths, isNeverRun, isUnedited } from "../../../src/tools/edited-paths.js";
import type { Manifest, Step } from "../../../src/model/manifest.js";
import { originOf, withoutOrigin } from "../../../src/model/origin.js";

const blob = (digit: string): `sha256:${string}` => `sha256:${digit.repeat(64)}`;

function step(index: number, fields: Partial<Step> = {}): Step {
  return { index, type: "tool_call", tool: "read", parameters: {}, deterministic: false, ...fields };
}

function manifest(fields: Partial<Manifest> = {}): Manifest {
  return {
    version: "0.1",
    hash: "",
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "m", parameters: { top_p: 1 } },
    system_prompt: blob("0"),
    prompts: [{ role: "user", content_ref: blob("1") }],
    inputs: [{ name: "a.txt", content_ref: blob("2"), size: 3 }],
    steps: [step(0, { output_ref: blob("3") }), step(1)],
    outputs: [
      { name: "report.md", content_ref: blob("4") },
      { name: "b", content_ref: blob("5") },
    ],
    environment: { os: "linux", runtime: "node20", tool_versions: { git: "2" } },
    ...fields,
  };
}

const outputs = manifest().outputs;
const steps = manifest().steps;

describe("the edited paths", () => {
  it.each<[Partial<Manifest>, string[]]>([
    [{}, []],
    [{ created: "2027-01-01T00:00:00Z", parent: blob("9"), hash: blob("8") }, []],
    [{ system_prompt: blob("a") }, ["system_prompt"]],
    [
      { model: { identifier: "n", parameters: { top_p: 2, "a b": 1 } } },
      ["model.identifier", "model.parameters.top_p", 'model.parameters["a b"]'],
    ],
    [{ model: { identifier: "m", parameters: {} } }, ["model.parameters"]],
    [{ prompts: [{ role: "user", content_ref: blob("a") }] }, ["prompts[0].content"]],
    [{ prompts: [{ role: "system", content_ref: blob("1") }] }, ["prompts[0].role"]],
    [{ prompts: [] }, ["prompts"]],
    [{ inputs: [{ name: "a.txt", content_ref: blob("a"), size: 9 }] }, ["inputs[a.txt].content"]],
    [{ inputs: [{ name: "7", content_ref: blob("2"), size: 3 }] }, ["inputs", 'inputs["7"]']],
    [{ inputs: [] }, ["inputs"]],
    [
      { steps: [step(0, { output_ref: blob("a"), seen_ref: blob("b") }), step(1, { tool: "write" })] },
      ["steps[0].output", "steps[0].seen", "steps[1].tool"],
    ],
    [
      { steps: [step(0), step(1, { timestamp: "2026-01-01T00:00:00Z", metadata: { a: 1 } })] },
      ["steps[0].output", "steps[1].metadata", "steps[1].timestamp"],
    ],
    [{ steps: steps.slice(0, 1) }, ["steps"]],
    [
      { outputs: [{ name: "report.md", content_ref: blob("a"), notes: "x" }, ...outputs.slice(1)] },
      ["outputs[report.md].content", "outputs[report.md].notes"],
    ],
    [{ outputs: [...outputs, { name: 'c"]', content_ref: blob("5") }] }, ['outputs["c\\"]"]']],
    [{ outputs: outputs.toReversed() }, ["outputs"]],
    [
      { environment: { os: "darwin", runtime: "node20", tool_versions: { git: "3" } } },
      ["environment.os", "environment.tool_versions.git"],
    ],
    [{ metadata: { title: "x" } }, ["metadata.title"]],
    [{ metadata: { origin: { kind: "draft" }, redactions: { version: 1 } } }, []],
  ])("the edited paths of %j are %j", (fields, paths) => {
    expect(editedPaths(manifest(fields), manifest())).toEqual(paths);
  });

  it("the edited paths have no name or key that only the parent has", () => {
    const secret = "ghp_secret";
    const parent = manifest({
      inputs: [{ name: secret, content_ref: blob("2"), size: 3 }],
      outputs: [{ name: secret, content_ref: blob("2") }],
      model: { identifier: "m", parameters: { [secret]: 1 } },
      environment: { os: "linux", runtime: "node20", tool_versions: { [secret]: "1" } },
      metadata: { [secret]: 1 },
    });
    const paths = editedPaths(manifest(), parent);
    expect(paths.join()).not.toContain(secret);
    expect(paths).toEqual(
      expect.arrayContaining([
        "inputs",
        "outputs",
        "model.parameters",
        "environment.tool_versions",
        "metadata",
      ]),
    );
  });

  it("the edited paths go by position where names occur twice", () => {
    const twice = [outputs[0], outputs[0]] as Manifest["outputs"];
    const changed = [
      { name: "report.md", content_ref: blob("4") },
      { name: "report.md", content_ref: blob("a") },
    ];
    expect(editedPaths(manifest({ outputs: changed }), manifest({ outputs: twice }))).toEqual([
      "outputs[1].content",
    ]);
  });
});

describe("a pack with the steps of its parent", () => {
  const timed = (timestamp?: string): Step[] => [step(0, timestamp === undefined ? {} : { timestamp })];
  const early = "2026-01-01T00:00:00Z";

  it("a pack with the steps of its parent never ran if something else differs", () => {
    expect(isNeverRun(manifest({ system_prompt: blob("a") }), manifest())).toBe(true);
    expect(isNeverRun(manifest({ created: "2027-01-01T00:00:00Z" }), manifest())).toBe(false);
    expect(isUnedited(manifest({ metadata: { origin: { kind: "draft" } } }), manifest())).toBe(true);
  });

  it.each<[string, Step[], Step[], boolean]>([
    ["no steps", [], [], false],
    ["fewer steps", steps.slice(0, 1), steps, false],
    ["another output", [step(0), step(1)], steps, false],
    ["another tool", [step(0, { output_ref: blob("3"), tool: "x" }), step(1)], steps, false],
    ["other parameters", [step(0, { output_ref: blob("3"), parameters: { a: 1 } }), step(1)], steps, false],
    ["the same times", timed(early), timed(early), true],
    ["a later time", timed("2026-01-02T00:00:00Z"), timed(early), false],
    ["a time left out", timed(), timed(early), true],
    ["other metadata of a step", [step(0, { metadata: { a: 1 } })], [step(0)], true],
  ])("whether a pack ran, with %s: %j", (_, own, parents, expected) => {
    expect(isNeverRun(manifest({ system_prompt: blob("a"), steps: own }), manifest({ steps: parents }))).toBe(
      expected,
    );
  });
});

describe("the origin of a replay as earlier versions wrote it", () => {
  const replay = { of: blob("9"), fidelity: "exact", checked: 2 };

  it("the origin of a replay as earlier versions wrote it counts only if it names the parent", () => {
    expect(originOf({ metadata: { replay }, parent: blob("9") })).toEqual({ kind: "replay", ...replay });
    expect(originOf({ metadata: { replay }, parent: blob("8") })).toBeUndefined();
    expect(originOf({ metadata: { replay, origin: "ci" }, parent: blob("9") })).toBeUndefined();
    expect(withoutOrigin({ metadata: { replay, a: 1 }, parent: blob("9") })).toEqual({ a: 1 });
    expect(withoutOrigin({ metadata: { replay }, parent: blob("8") })).toEqual({ replay });
  });
});
