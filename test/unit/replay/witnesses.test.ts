// What of a run's files is compared with commits, however much of it a pack has.
import { describe, expect, it } from "vitest";
import { growthOf, inProportion } from "../../../dev/growth.js";
import type { Reference } from "../../../src/base/digest.js";
import type { Manifest, Step } from "../../../src/model/manifest.js";
import { witnessesOf } from "../../../src/replay/witnesses.js";

const content: Reference = `sha256:${"a".repeat(64)}`;

function manifestOf(parts: { inputs?: Manifest["inputs"]; steps?: readonly Partial<Step>[] }): Manifest {
  return {
    inputs: [],
    metadata: { source: { agent: "claude-code" }, workdir: "/w" },
    ...parts,
    steps: (parts.steps ?? []).map((step, index) => ({
      index,
      type: "tool_call",
      tool: "Bash",
      parameters: {},
      metadata: { status: "ok" },
      deterministic: false,
      ...step,
    })),
  } as Partial<Manifest> as Manifest;
}

describe("witnesses", () => {
  it("witnesses: one large content under many names is not kept as often", () => {
    const bytes = Buffer.alloc(1 << 24, "x");
    const inputs = Array.from({ length: 100 }, (_, at) => ({
      name: `f${at}.txt`,
      content_ref: content,
      size: bytes.length,
    }));
    expect(witnessesOf(manifestOf({ inputs: inputs.slice(0, 3) }), () => bytes)).toMatchObject({
      witnesses: { length: 3 },
      isCut: false,
    });
    const { witnesses, isCut } = witnessesOf(manifestOf({ inputs }), () => bytes);
    expect({ count: witnesses.length, isCut }).toEqual({ count: 8, isCut: true });
  });

  it("witnesses: very many line ends in what a command printed are read in time proportional to their number", () => {
    const manifest = manifestOf({ steps: [{ parameters: { command: "cat a.txt" }, output_ref: content }] });
    const growth = growthOf((size) => {
      const bytes = Buffer.from(`the first line${"\n".repeat(size)}x\n\n`);
      return () => {
        const [witness] = witnessesOf(manifest, () => bytes).witnesses;
        expect(witness).toMatchObject({ kind: "part", path: "a.txt" });
      };
    }, 10_000);
    expect(growth).toBeLessThan(inProportion);
  });
});
