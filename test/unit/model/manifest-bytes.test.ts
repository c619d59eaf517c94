import { describe, expect, it } from "vitest";
import { toReference } from "../../../src/base/digest.js";
import { canonicalBytes } from "../../../src/base/json/canonical.js";
import { formatVersion, type Manifest, manifestBytes, seal, type Step } from "../../../src/model/manifest.js";

const reference = toReference("0".repeat(64));

function manifestOf(steps: Step[]): Manifest {
  return {
    version: formatVersion,
    hash: "",
    created: "2026-01-01T00:00:00Z",
    model: { identifier: "m", parameters: {} },
    system_prompt: reference,
    prompts: [],
    inputs: [],
    steps,
    outputs: [{ name: "report.md", content_ref: reference }],
    environment: { os: "linux", runtime: "node", tool_versions: {} },
  };
}

function stepOf(type: string): Step {
  return { index: 0, type, parameters: {}, deterministic: true };
}

describe("the bytes of a manifest", () => {
  it("the bytes of a manifest are the same in chunks as in one piece, whatever the characters and lengths", () => {
    const steps = Array.from({ length: 90_000 }, (_, index) => ({
      deterministic: false,
      index,
      parameters: {
        // Halves of a surrogate pair are no text.
        text: `${"€\ud83d\ude00é"[index % 3]}`.repeat(index % 7 === 0 ? 400 : 20).toWellFormed(),
        ...(index === 80_000 ? { long: "ä".repeat(9_000_000) } : {}),
      },
      type: "tool_call",
    }));
    const manifest = manifestOf(steps);
    const bytes = manifestBytes(manifest);
    expect(bytes.hashed.length).toBeGreaterThan(100);
    expect(Buffer.concat(bytes.hashed).equals(canonicalBytes(manifest))).toBe(true);
    const hex = "1".repeat(64);
    expect(Buffer.concat(bytes.sealed(hex)).equals(canonicalBytes(seal(manifest, hex)))).toBe(true);
  });

  it("a manifest with half a surrogate pair is refused, one with a backslash before the letters ud is not", () => {
    expect(() => manifestBytes(manifestOf([stepOf("\ud800")]))).toThrow(TypeError);
    expect(() => manifestBytes(manifestOf([stepOf("\\ud800")]))).not.toThrow();
  });
});
