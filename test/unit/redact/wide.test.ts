import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { narrowed } from "../../../src/redact/wide.js";

/** Returns bytes that look random, as a compressed file does, and are the same in every run. */
function noise(size: number): string {
  const blocks = Array.from({ length: size / 32 }, (_, at) => createHash("sha256").update(`${at}`).digest());
  return Buffer.concat(blocks).toString("latin1");
}

function wide(text: string, zeros: number): string {
  return text.split("").join("\0".repeat(zeros)) + "\0".repeat(zeros);
}

describe("text with zeros between its characters", () => {
  it.each([1, 3])("narrowed: %i zeros between the characters of a short word are removed", (zeros) => {
    const bytes = noise(4096);
    const { text, positions } = narrowed(`${bytes}${wide("hunter2", zeros)}${bytes}`) ?? {};
    expect(text).toContain("hunter2");
    expect(positions?.[text?.indexOf("hunter2") ?? -1]).toBe(4096);
  });

  it("narrowed: compressed data is not scanned a second time for the zeros that it happens to have", () => {
    const bytes = noise(1 << 18);
    expect(bytes).toMatch(/\0.?\0/s);
    expect(narrowed(bytes)).toBeUndefined();
  });

  it("narrowed: a zero between two texts stays", () => {
    expect(narrowed("USER=a\0PASSWORD=b\0PATH=c")).toBeUndefined();
  });
});
