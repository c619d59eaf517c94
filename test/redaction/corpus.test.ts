// Why: figures measured on the corpus are worth what the corpus is: its counts, that each planted secret is
// really there, and that the committed file is what the generator makes.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Case {
  id: string;
  kind: string;
  harmless: boolean;
  shape: string;
  text?: string;
  value?: unknown;
  secrets: string[];
  why?: string;
}

const generator = fileURLToPath(new URL("./make-corpus.mjs", import.meta.url));
const bytes = readFileSync(new URL("./corpus.json", import.meta.url), "utf8");
const corpus = JSON.parse(bytes) as Case[];
const planted = corpus.filter((one) => !one.harmless);
const harmless = corpus.filter((one) => one.harmless);

/** Returns every string in a case: its text, or the strings of its value. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(strings);
}

const texts = (one: Case) => strings(one.text ?? one.value);
const count = (names: string[]) => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

describe("the corpus of credentials", () => {
  it("secret corpus: 300 planted credentials of at least 40 kinds, and 300 harmless look-alikes", () => {
    expect(planted).toHaveLength(300);
    expect(harmless).toHaveLength(300);
    expect(count(planted.map((one) => one.kind)).size).toBeGreaterThanOrEqual(40);
  });

  it("secret corpus: ids are unique and no text occurs twice", () => {
    expect(new Set(corpus.map((one) => one.id)).size).toBe(600);
    expect(new Set(corpus.map((one) => JSON.stringify(one.text ?? one.value))).size).toBe(600);
  });

  it("secret corpus: each case has a text or a value, from 20 bytes to 20 KB, and all are under 1 MB", () => {
    for (const one of corpus) {
      expect((one.text === undefined) !== (one.value === undefined), one.id).toBe(true);
      const size = Buffer.byteLength(one.text ?? JSON.stringify(one.value));
      expect(size, one.id).toBeGreaterThanOrEqual(20);
      expect(size, one.id).toBeLessThanOrEqual(20_000);
    }
    expect(Buffer.byteLength(bytes)).toBeLessThan(1_000_000);
  });

  it("secret corpus: every secret is where its case says", () => {
    for (const one of planted) {
      expect(one.secrets.length, one.id).toBeGreaterThan(0);
      for (const secret of one.secrets) {
        expect(secret.length, one.id).toBeGreaterThanOrEqual(6);
        expect(
          texts(one).some((text) => text.includes(secret)),
          `${one.id}: ${secret}`,
        ).toBe(true);
      }
    }
  });

  it("secret corpus: a look-alike says why it is harmless, and names no secret", () => {
    for (const one of harmless) {
      expect(one.secrets, one.id).toEqual([]);
      expect(one.why, one.id).toMatch(/\S/);
    }
  });

  it("secret corpus: planted credentials and look-alikes are spread over the shapes", () => {
    for (const group of [planted, harmless]) {
      const shapes = [...count(group.map((one) => one.shape)).values()];
      expect(shapes.length).toBeGreaterThanOrEqual(20);
      expect(Math.max(...shapes)).toBeLessThanOrEqual(300 / 10);
    }
  });

  it("secret corpus: the files are, byte for byte, what the generator makes", () => {
    const made = execFileSync(process.execPath, [generator, "--print"], {
      encoding: "utf8",
      maxBuffer: 4_000_000,
    });
    expect(made === bytes).toBe(true);
  });
});
