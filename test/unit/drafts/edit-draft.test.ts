import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { ExactInteger, type JsonObject } from "../../../src/base/json/value.js";
import type { Draft } from "../../../src/drafts/draft.js";
import { editDraft, parseEdit } from "../../../src/drafts/edit-draft.js";

function draft(): Draft {
  return {
    log: {
      model: { identifier: "m", parameters: { temperature: 0 } },
      system_prompt_file: "system_prompt.md",
      prompts: [{ role: "user", content_file: "prompts/000-user.md" }],
      inputs: [{ name: "a.txt", content_file: "inputs/a.txt" }],
      steps: [{ type: "reasoning" }],
    },
    files: new Map(
      ["system_prompt.md", "prompts/000-user.md", "inputs/a.txt"].map((path) => [path, Buffer.alloc(0)]),
    ),
    notices: [],
  };
}

/** Returns the draft after one edit. */
function edited(path: string, value: string | Buffer): Draft {
  const result = draft();
  const text = typeof value === "string" ? value : "@file";
  editDraft(result, [parseEdit(`${path}=${text}`)], () => Buffer.from(value));
  return result;
}

describe("an edit on a command line", () => {
  it.each([
    ["a=b", "a", "b"],
    ["a.b=c=d", "a.b", "c=d"],
    ['inputs["a=b"].content=x', 'inputs["a=b"].content', "x"],
    ["inputs[a=b].content=", "inputs[a=b].content", ""],
  ])("the edit %s is parsed", (text, path, value) => expect(parseEdit(text)).toEqual({ path, value }));

  it.each(["", "a", "=a", "a.=", "[", 'a["b=c'])("%j is not an edit", (text) =>
    expect(() => parseEdit(text)).toThrow(expect.objectContaining({ code: "usage" })),
  );
});

describe("an edit", () => {
  it("in an edit, bare digits are an index and quoted digits a name", () => {
    const result = draft();
    (result.log["inputs"] as JsonObject[]).push({ name: "0", content: "b" });
    const set = ["inputs[0].content=first", 'inputs["0"].content=second'];
    editDraft(result, set.map(parseEdit), () => Buffer.alloc(0));
    expect(result.files.get("inputs/a.txt")).toEqual(Buffer.from("first"));
    expect(result.log["inputs"]).toMatchObject([{}, { content: "second" }]);
  });

  it.each<[string, string, (log: JsonObject) => unknown, unknown]>([
    [
      "model.parameters.temperature",
      "0.5",
      (log) => log["model"],
      { identifier: "m", parameters: { temperature: 0.5 } },
    ],
    ["model.identifier", "other model", (log) => log["model"], { identifier: "other model" }],
    ["model.identifier", '"4"', (log) => log["model"], { identifier: "4" }],
    ["metadata.a.b", '{"c": [1]}', (log) => log["metadata"], { a: { b: { c: [1] } } }],
    [
      'metadata["a b"][\u0022c.d\u0022]',
      "true",
      (log) => JSON.stringify(log["metadata"]),
      '{"a b":{"c.d":true}}',
    ],
    [
      "metadata.n",
      "12345678901234567890",
      (log) => log["metadata"],
      { n: new ExactInteger("12345678901234567890") },
    ],
    ["metadata.__proto__", "1", (log) => Object.keys(log["metadata"] as object).includes("__proto__"), true],
    ["inputs[a.txt].name", "b.txt", (log) => log["inputs"], [{ name: "b.txt" }]],
    ["prompts[0].role", "system", (log) => log["prompts"], [{ role: "system" }]],
    ["steps[1]", '{"type":"message"}', (log) => log["steps"], [{ type: "reasoning" }, { type: "message" }]],
    ["steps[0].output", "text", (log) => log["steps"], [{ output: "text" }]],
  ])("the edit %s=%s is applied", (path, value, look, expected) => {
    const found = look(edited(path, value).log);
    if (typeof expected === "object") expect(found).toMatchObject(expected as object);
    else expect(found).toBe(expected);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("an edit replaces the bytes of a content, wherever it is", () => {
    const { files, log } = edited("system_prompt", Buffer.from("@not a file"));
    expect(files.get("system_prompt.md")).toEqual(Buffer.from("@not a file"));
    expect(log).toEqual(draft().log);
    expect(edited("metadata.author", "@alice").log["metadata"]).toEqual({ author: "@alice" });
    expect(edited("inputs[0].content", Buffer.from([0xff])).files.get("inputs/a.txt")).toEqual(
      Buffer.from([0xff]),
    );
    expect(edited("prompts[0].content", "x").files.get("prompts/000-user.md")).toEqual(Buffer.from("x"));
    expect([...edited("inputs", "[]").files.keys()]).toEqual(["system_prompt.md", "prompts/000-user.md"]);
    expect(edited("steps[0].seen", Buffer.from([0xff])).log["steps"]).toEqual([
      { type: "reasoning", seen_base64: "/w==" },
    ]);
  });

  it.each([
    'a["\\q"]',
    "a..b",
    ".a",
    "a.",
    "a[",
    "a[]",
    "a]b",
    'a["x]',
    "steps[2].type",
    "steps[x]",
    "version.x",
    "inputs[none].name",
  ])("an edit at %j is refused", (path) => {
    let thrown: unknown;
    try {
      const result = draft();
      result.log["version"] = "0.1";
      editDraft(result, [{ path, value: "1" }], () => Buffer.alloc(0));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CtxError);
    expect(thrown).toMatchObject({ code: "usage" });
  });

  it.each(["1e999", '{"a":1,"a":2}', "[1", '"x'])("an edit with the value %s is refused", (value) =>
    expect(() => edited("metadata.a", value)).toThrow(expect.objectContaining({ code: "usage" })),
  );

  it("an edit treats a name that every object inherits like any other", () => {
    expect(Object.hasOwn(edited("constructor.prototype.x", "1").log, "constructor")).toBe(true);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});
