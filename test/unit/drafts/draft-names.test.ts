// Names of inputs and outputs that a draft has to change, in numbers where counting from 2 each time takes
// minutes.
import { describe, expect, it } from "vitest";
import { filePaths } from "../../../src/model/file-names.js";
import type { Manifest } from "../../../src/model/manifest.js";
import { draftOf } from "../../../src/drafts/draft.js";

const many = 100_000;
const reference = `sha256:${"0".repeat(64)}` as const;

function outputNames(names: readonly string[]): string[] {
  const manifest: Manifest = {
    version: "0.1",
    hash: "",
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "m", parameters: {} },
    system_prompt: reference,
    prompts: [],
    inputs: [],
    steps: [],
    outputs: names.map((name) => ({ name, content_ref: reference })),
    environment: { os: "linux", runtime: "node", tool_versions: {} },
  };
  const { log } = draftOf("0".repeat(64), manifest, { created: "2026-02-10T12:00:00Z" });
  return (log["outputs"] as { name: string }[]).map(({ name }) => name);
}

describe("the outputs of a draft", () => {
  it("outputs of a draft are numbered where very many have one name", () => {
    const names = outputNames(Array.from({ length: many }, () => "a"));
    expect(names.slice(0, 3)).toEqual(["a", "a~2", "a~3"]);
    expect(names.at(-1)).toBe(`a~${many}`);
  });

  it("outputs of a draft are numbered where very many illegal names become one", () => {
    const names = outputNames(Array.from({ length: many }, () => "/a"));
    expect(new Set(names).size).toBe(many);
    expect(names[2]).toBe(`${names[0]}~3`);
  });

  it("outputs of a draft with legal names keep them, and others are numbered around them", () => {
    expect(outputNames(["a", "a", "a~2", "a", "a~3", "b", "a"])).toEqual([
      "a",
      "a~4",
      "a~2",
      "a~5",
      "a~3",
      "b",
      "a~6",
    ]);
  });
});

describe("the paths of files", () => {
  it("draft paths: a folder name that very many files already use is resolved in linear time", () => {
    const files = ["a", ...Array.from({ length: many }, (_, at) => `a~${at + 2}`)];
    const inside = Array.from({ length: many }, (_, at) => `a/${at}`);
    const paths = filePaths([...files, ...inside]);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.at(-1)).toBe(`a~${many + 2}/${many - 1}`);
  });

  it("draft paths: files of one folder stay in one folder", () => {
    expect(filePaths(["a", "a/x", "a/y", "a~2", "a/z"])).toEqual(["a", "a~2/x", "a~2/y", "a~2~2", "a~2/z"]);
  });
});
