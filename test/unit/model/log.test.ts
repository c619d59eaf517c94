import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { type ExecutionLog, readLog } from "../../../src/model/log.js";
import { json, smallLog } from "../../../dev/logs.js";

function read(log: unknown): ExecutionLog {
  const bytes = typeof log === "string" ? Buffer.from(log) : json(log);
  return readLog(bytes, {
    source: "run.json",
    fileProblem: (path) => (path === "there" ? undefined : "is not there"),
  });
}

/** Returns the problems of a log, as `path: message`. */
function problems(log: unknown): string[] {
  try {
    read(log);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    expect(error.code).toBe("log-invalid");
    return (error.problems ?? []).map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

const ref = `sha256:${"ab".repeat(32)}`;

describe("a log", () => {
  it("a log may have only the required fields", () =>
    expect(read(smallLog()).model.identifier).toBe("test-model"));

  it("a log may have every field", () => {
    const full = smallLog({
      version: "0.1",
      model: { identifier: "m", parameters: { temperature: 0, nested: { null: null } } },
      prompts: [{ role: "user", content: "hi" }],
      inputs: [{ name: "a", content_base64: "AAEC/w==" }],
      steps: [
        {
          type: "tool_call",
          tool: "t",
          index: 0,
          parameters: { x: null },
          output: "",
          seen: "s",
          pack: ref,
          metadata: { n: null },
        },
        {
          type: "anything at all",
          output_file: "there",
          deterministic: true,
          timestamp: "2026-01-01T00:00:00Z",
        },
      ],
      outputs: [{ name: "o", content: "x", confidence: "low", notes: "n" }],
      environment: { os: "linux", runtime: "r", tool_versions: { constructor: "1", __proto__x: "2" } },
      parent: ref,
      metadata: { anything: [1, null] },
    });
    expect(problems(full)).toEqual([]);
  });

  it("reading a log reports every problem at once, with its location", () => {
    const broken = `{
      "model": {"identifier": "", "temperature": 0},
      "system_prompt": null,
      "prompts": [{"content": "no role"}, {"role": "user"}, 7],
      "inputs": [{"name": "../x", "content": "a"}, {"name": "b", "content": "1"}, {"name": "b", "content": "2"}],
      "steps": [
        {"type": "tool_call"},
        {"type": "reasoning", "index": 5, "timestamp": "yesterday", "parameters": []},
        {"output": "x", "output_base64": "eA==", "output_file": "there"},
        {"type": "x", "content_file": "there", "deterministic": 1, "pack": "sha256:AB"}
      ],
      "outputs": [{"name": "o", "content_file": "gone", "confidence": "sure", "notes": null}],
      "environment": {"os": "linux"},
      "parent": "ctx://abcd",
      "metadata": [],
      "sytem_prompt": ""
    }`;
    expect(problems(broken)).toMatchInlineSnapshot(`
      [
        "model.identifier: must not be empty",
        "model.temperature: unknown field; free-form data goes under metadata",
        "system_prompt: must be a text, not null",
        "prompts[0].role: required",
        "prompts[1].content: required",
        "prompts[2]: must be an object, not a number",
        "inputs[0].name: has a ".." component",
        "inputs[2].name: is the same as in inputs[1]",
        "steps[0].tool: required for a tool_call",
        "steps[1].timestamp: must be an RFC 3339 time with a zone, such as 2026-02-10T12:00:00Z",
        "steps[1].parameters: must be an object, not an array",
        "steps[1].index: is 5, but the step's position is 1",
        "steps[2].output_base64: output is given twice, in two forms: use one of them",
        "steps[2].output_file: output is given twice, in two forms: use one of them",
        "steps[2].type: required",
        "steps[3].content_file: unknown field (is it "output_file"?)",
        "steps[3].deterministic: must be true or false, not a number",
        "steps[3].pack: must be a full reference: sha256: and 64 lower-case hex digits",
        "outputs[0].confidence: must be "high" or "medium" or "low"",
        "outputs[0].notes: must be a text, not null",
        "outputs[0].content_file: is not there",
        "environment.runtime: required",
        "parent: must be a full reference: sha256: and 64 lower-case hex digits",
        "metadata: must be an object, not an array",
        "sytem_prompt: unknown field (is it "system_prompt"?)",
      ]
    `);
  });

  it.each([
    ["version", { version: "0.2" }, 'version: must be "0.1"'],
    [
      "created",
      { created: "2026-02-10" },
      "created: must be an RFC 3339 time with a zone, such as 2026-02-10T12:00:00Z",
    ],
    ["empty tool", { steps: [{ type: "tool_call", tool: "" }] }, "steps[0].tool: required for a tool_call"],
    ["index as double", { steps: [{ type: "x", index: 0.5 }] }, "steps[0].index: must be a whole number"],
    ["null list", { steps: null }, "steps: must be an array, not null"],
    [
      "metadata elsewhere",
      { model: { identifier: "m", metadata: {} } },
      "model.metadata: unknown field; free-form data goes under metadata",
    ],
    [
      "base64 unpadded",
      { system_prompt: undefined, system_prompt_base64: "AA" },
      "system_prompt_base64: must be base64 (RFC 4648 section 4): padded, without white space",
    ],
    [
      "base64 url form",
      { system_prompt: undefined, system_prompt_base64: "-_8=" },
      "system_prompt_base64: must be base64 (RFC 4648 section 4): padded, without white space",
    ],
    [
      "base64 with space",
      { system_prompt: undefined, system_prompt_base64: "AA==\n" },
      "system_prompt_base64: must be base64 (RFC 4648 section 4): padded, without white space",
    ],
    [
      "base64 with bits left over",
      { system_prompt: undefined, system_prompt_base64: "AB==" },
      "system_prompt_base64: must be base64 (RFC 4648 section 4): padded, without white space",
    ],
    [
      "tool version",
      { environment: { os: "l", runtime: "r", tool_versions: { x: 1 } } },
      "environment.tool_versions.x: must be a text, not a number",
    ],
    ["near miss", { systemPrompt: "" }, 'systemPrompt: unknown field (is it "system_prompt"?)'],
    [
      "upper-case reference",
      { parent: `sha256:${"AB".repeat(32)}` },
      "parent: must be a full reference: sha256: and 64 lower-case hex digits",
    ],
  ])("a log with %s is refused", (_what, fields, expected) =>
    expect(problems(smallLog(fields))).toEqual([expected]),
  );

  it.each(["[]", '"x"', "1", "null"])("a log must be an object, not %s", (text) =>
    expect(problems(text)).toHaveLength(1),
  );

  it("a log that is cut at any byte is refused with a location", () => {
    const whole = JSON.stringify(
      smallLog({ steps: [{ type: "x", output: "é\n", parameters: { a: [1.5e3, true] } }] }),
    );
    for (let cut = 0; cut < whole.length; cut++) {
      const found = problems(whole.slice(0, cut));
      expect(found.length).toBeGreaterThan(0);
      expect(found.join()).toMatch(/\(byte \d+, line \d+, column \d+\)/);
    }
  });

  it("reading a log keeps the problems that were found before a syntax error", () => {
    expect(problems('{"model": 5, "metadata": {"a": 1e400}, "x"')).toEqual([
      "model: must be an object, not a number",
      "metadata.a: 1e400 is too large for a double",
      expect.stringContaining('":" was expected here'),
    ]);
  });

  it("reading a log decodes base64 of any length in place", () => {
    for (const length of [0, 1, 2, 3, 4, 1 << 20, (1 << 20) + 1, 3 << 20]) {
      const bytes = Buffer.alloc(length, "ctx!\xff", "latin1");
      const log = read(
        smallLog({ system_prompt: undefined, system_prompt_base64: bytes.toString("base64") }),
      );
      expect("bytes" in log.system_prompt && log.system_prompt.bytes.equals(bytes)).toBe(true);
    }
  });
});
