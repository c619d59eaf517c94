// What a manifest says of a run: files, commands, and what tools and models did.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json/value.js";
import type { Manifest, Step } from "../../../src/model/manifest.js";
import { fileUse, factSheet, type FactSheet } from "../../../src/search/fact-sheet.js";

const reference = `sha256:${"ab".repeat(32)}` as const;

function call(tool: string, parameters: JsonObject, metadata?: JsonObject): Omit<Step, "index"> {
  return {
    type: "tool_call",
    tool,
    parameters,
    deterministic: false,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function sheetOf(steps: Omit<Step, "index">[], fields: Partial<Manifest> = {}): FactSheet {
  return factSheet({
    version: "0.1",
    hash: "",
    created: "2026-02-10T12:00:00Z",
    model: { identifier: "model-a", parameters: {} },
    system_prompt: reference,
    prompts: [],
    inputs: [],
    steps: steps.map((step, index) => ({ ...step, index })),
    outputs: [],
    environment: { os: "linux", runtime: "node20", tool_versions: {} },
    ...fields,
  });
}

const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 7 };
const counted = { input: 100, output: 20, cache_read: 7, cache_creation: 0, reasoning: 0 };

/** The tally of a run with two models, of which one has so many input tokens. */
function splitTally(input: number): FactSheet["tally"] {
  return sheetOf([], {
    metadata: {
      models: ["model-a", "model-b"],
      usage,
      cost_usd: 0.3,
      model_usage: {
        "model-a": { inputTokens: input, outputTokens: 5, cacheReadInputTokens: 7, costUSD: 0.1 },
        "model-b": { inputTokens: 40, outputTokens: 15, costUSD: 0.2 },
      },
    },
  }).tally;
}

describe("the facts of a run: files", () => {
  it("a file has each use that a call made of it, and paths are relative to the folder of the run", () => {
    const { paths, workdir } = sheetOf(
      [
        call("Read", { file_path: "/app/src/a.ts" }),
        call("Edit", { file_path: "src/a.ts", old_string: "x", new_string: "y" }),
        call("bash", { command: "cat notes.md && rm old.txt" }),
        call("Write", { file_path: "/etc/hosts", content: "" }),
      ],
      { metadata: { workdir: "/app" } },
    );
    expect(workdir).toBe("/app");
    expect(Object.fromEntries(paths)).toEqual({
      "src/a.ts": fileUse.read | fileUse.written,
      "notes.md": fileUse.read,
      "old.txt": fileUse.deleted,
      "/etc/hosts": fileUse.written,
    });
  });

  it("an output counts as written, an input as named, and a call that failed uses nothing", () => {
    const { paths } = sheetOf([call("Read", { file_path: "absent" }, { status: "error" })], {
      inputs: [{ name: "given.txt", content_ref: reference, size: 1 }],
      outputs: [{ name: "made.txt", content_ref: reference }],
    });
    expect(Object.fromEntries(paths)).toEqual({ "given.txt": fileUse.named, "made.txt": fileUse.written });
  });
});

describe("the facts of a run: commands", () => {
  it("commands are those that were executed, failed ones too, and each once", () => {
    const { commands } = sheetOf([
      call("bash", { command: "npm test" }),
      call("bash", { command: "npm test" }),
      call("bash", { command: "false" }, { status: "error" }),
      call("bash", { command: "rm -rf /" }, { status: "denied" }),
      call("shell", { command: ["bash", "-lc", "ls"] }),
      call("grep", { pattern: "npm test", path: "." }),
    ]);
    expect([...commands]).toEqual(["npm test", "false", "bash -lc ls"]);
  });
});

describe("the facts of a run: tools and models", () => {
  it("tools have their calls, those that failed and those that were denied", () => {
    const { tally } = sheetOf([
      call("bash", {}, { status: "ok" }),
      call("bash", {}, { exit_code: 2 }),
      call("__proto__", {}, { status: "denied" }),
    ]);
    expect(tally.tools).toEqual([
      { name: "bash", steps: 2, failed: 1, denied: 0 },
      { name: "__proto__", steps: 1, failed: 0, denied: 1 },
    ]);
  });

  it("the tokens and the cost of a run with one model are that model's", () => {
    const { tally } = sheetOf([call("bash", {})], {
      metadata: { usage, cost_usd: 0.5, cost_eur: 1, cost_xx: 2 },
    });
    expect(tally.models).toEqual([
      {
        name: "model-a",
        steps: 1,
        failed: 0,
        denied: 0,
        tokens: counted,
        cost: [
          { currency: "USD", amount: 0.5 },
          { currency: "EUR", amount: 1 },
        ],
      },
    ]);
    expect(tally).not.toHaveProperty("tokens");
  });

  it.each([
    ["negative", { usage: { input_tokens: -1 }, cost_usd: -1 }],
    ["not whole", { usage: { input_tokens: 1.5 }, cost_usd: "1" }],
    ["too large", { usage: { output_tokens: 2 ** 60 }, cost_usd: 1e300 }],
    ["of another form", { usage: [1], cost_usd: null }],
  ])("counts and amounts that are %s are left out", (_name, metadata) => {
    const { models, tokens, cost } = sheetOf([], { metadata }).tally;
    expect([models, tokens, cost]).toEqual([
      [{ name: "model-a", steps: 0, failed: 0, denied: 0 }],
      undefined,
      undefined,
    ]);
  });

  it("a step counts for the model that a step last named; the first steps for the first model", () => {
    const { tally } = sheetOf(
      [
        call("bash", {}),
        call("bash", {}, { model: "model-a" }),
        call("bash", {}, { model: "model-b", status: "error" }),
        call("bash", {}),
      ],
      { metadata: { models: ["model-a", "model-b"], usage } },
    );
    expect(tally.models).toEqual([
      { name: "model-a", steps: 2, failed: 0, denied: 0 },
      { name: "model-b", steps: 2, failed: 1, denied: 0 },
    ]);
    expect(tally.tokens).toEqual(counted);
  });

  it("tokens of several models are told apart only if their counts add up to those of the run", () => {
    const { models, tokens, cost } = splitTally(60);
    expect([tokens, cost]).toEqual([undefined, undefined]);
    expect(
      models.map((model) => [model.tokens?.input, model.tokens?.output, model.cost?.[0]?.amount]),
    ).toEqual([
      [60, 5, 0.1],
      [40, 15, 0.2],
    ]);
    const other = splitTally(61);
    expect([other.tokens, other.cost]).toEqual([counted, [{ currency: "USD", amount: 0.3 }]]);
    expect(other.models.every((model) => model.tokens === undefined && model.cost === undefined)).toBe(true);
  });
});
