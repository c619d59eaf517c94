// What must hold for every format: its own logs are recognised and no other's, and whatever is done to them, nothing but a clear
// refusal comes of it, or a run that can be sealed.
import { isUtf8 } from "node:buffer";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/base/canonical.js";
import { sha256 } from "../../src/base/digest.js";
import { CtxError } from "../../src/base/errors.js";
import { Coverage } from "../../src/intake/coverage.js";
import type { Format } from "../../src/intake/format.js";
import { formats } from "../../src/intake/formats.js";
import { recognise } from "../../src/intake/recognise.js";
import { sourceOf } from "../../src/intake/source.js";
import type { ExecutionLog } from "../../src/model/log.js";
import { buildManifest } from "../../src/model/manifest.js";
import { readManifest } from "../../src/model/read-manifest.js";
import { Random } from "../drift/random.js";
import { mutated } from "../support/mutations.js";
import { specimens } from "../support/specimens/all.js";

/** How many broken logs are made of each good one; CTX_FUZZ makes it more. */
const rounds = Number(process.env["CTX_FUZZ"] ?? 80);

const cases = formats.flatMap((format) =>
  (specimens[format.name] ?? []).map((log, number) => ({ format, log, name: `${format.name} ${number}` })),
);

function formatOf(bytes: Buffer): string | undefined {
  try {
    return recognise(sourceOf([bytes], { name: "log" }))?.name;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Reads a log as a format, and makes manifests of all that comes out. */
function read(format: Format, bytes: Buffer): string[] | CtxError {
  const manifests: string[] = [];
  const seal = (run: ExecutionLog): string => {
    const manifest = buildManifest(run, run.created ?? "2026-01-01T00:00:00Z", () => {
      throw new Error("all contents are kept before");
    });
    const text = canonicalText(manifest);
    expect(isUtf8(Buffer.from(text)) && text.isWellFormed()).toBe(true);
    // What was made must be what the store takes.
    readManifest(Buffer.from(text), "made");
    manifests.push(text);
    return text;
  };
  try {
    const runs = format.read(sourceOf([bytes], { name: "log" }), {
      keeper: () => ({
        keep: (content) => ({ hex: sha256(content), size: content.length }),
        finish: () => undefined,
      }),
      seal: (run) => `sha256:${sha256(Buffer.from(seal(run)))}`,
      coverage: new Coverage(),
    });
    for (const run of runs) seal(run);
    return manifests;
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
}

describe("every format", () => {
  it("has specimens", () => {
    expect(formats.map(({ name }) => name).filter((name) => specimens[name] === undefined)).toEqual([]);
  });

  it.each(cases)("$name is recognised, and read the same twice", ({ format, log }) => {
    const bytes = Buffer.from(log);
    expect(formatOf(bytes)).toBe(format.name);
    const first = read(format, bytes);
    if (first instanceof CtxError) throw first;
    expect(
      first.some((manifest) => !manifest.includes('"prompts":[]') || !manifest.includes('"steps":[]')),
    ).toBe(true);
    expect(read(format, bytes)).toEqual(first);
  });

  it.each(cases)("$name never crashes, however broken", ({ format, log, name }) => {
    const random = new Random(parseInt(sha256(Buffer.from(name)).slice(0, 8), 16));
    let readable = 0;
    for (let round = 0; round < rounds; round++) {
      const broken = mutated(log, random);
      try {
        formatOf(broken);
        if (!(read(format, broken) instanceof CtxError)) readable++;
      } catch (error) {
        throw new Error(`${name}, round ${round}: ${broken.toString("latin1").slice(0, 3000)}`, {
          cause: error,
        });
      }
    }
    expect(readable).toBeGreaterThan(0);
  });
});
