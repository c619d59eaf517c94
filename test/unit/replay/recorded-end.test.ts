import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json/value.js";
import { formats } from "../../../src/intake/formats.js";
import type { Manifest, Step } from "../../../src/model/manifest.js";
import { agentOf, type Execution } from "../../../src/replay/plan.js";
import { contradictedEnd } from "../../../src/replay/recorded-end.js";

const step = (metadata: JsonObject): Step => ({
  index: 0,
  type: "tool_call",
  parameters: {},
  deterministic: true,
  metadata,
});
const mcp: Execution = { how: "mcp", server: "s", tool: "t", config: { command: ["x"] } };

const agent = (source: JsonObject): string | undefined =>
  agentOf({ metadata: { source } } as unknown as Manifest);

describe("an MCP call", () => {
  it("an MCP call that returns an error now contradicts a log without a failure", () => {
    const why = "it returned an error, and the log records no failure";
    for (const metadata of [{}, { status: "ok" }, { status: "completed" }])
      expect(contradictedEnd(step(metadata), { execution: mcp, exitCode: 1 })).toBe(why);
    expect(contradictedEnd(step({ status: "error" }), { execution: mcp, exitCode: 1 })).toBeUndefined();
  });

  it("an MCP call that returns a result now contradicts a log with a failure", () => {
    expect(contradictedEnd(step({ status: "error" }), { execution: mcp, exitCode: undefined })).toBe(
      "it failed then, and did not now",
    );
    expect(contradictedEnd(step({ status: "ok" }), { execution: mcp, exitCode: undefined })).toBeUndefined();
  });
});

describe("the agent of a log", () => {
  it("the agent of a log is one whose format ctx reads; any other name counts as none", () => {
    for (const { name } of formats) expect(agent({ format: name })).toBe(name);
    expect(agent({ agent: "claude-code", format: "claude-stream-json" })).toBe("claude-code");
    expect(agent({ agent: "foo", format: "codex" })).toBe("codex");
    expect(agent({ agent: "foo" })).toBeUndefined();
    expect(agent({ agent: ["codex"] })).toBeUndefined();
  });
});
