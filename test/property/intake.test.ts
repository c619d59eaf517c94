// What must hold for every format: its own logs are recognised and no other's, and read the same twice. What
// is done to broken ones is tried in torture/fuzz/.
import { isUtf8 } from "node:buffer";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/base/json/canonical.js";
import { sha256 } from "../../src/base/digest.js";
import { CtxError } from "../../src/base/errors.js";
import { Coverage } from "../../src/intake/coverage.js";
import type { Format } from "../../src/intake/format.js";
import { formats } from "../../src/intake/formats.js";
import { recognise } from "../../src/intake/recognise.js";
import { sourceOf } from "../../src/intake/log-source.js";
import type { ExecutionLog } from "../../src/model/log.js";
import { buildManifest } from "../../src/model/manifest.js";
import { readManifest } from "../../src/model/read-manifest.js";
import { specimens } from "../../dev/specimens/all.js";

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
  it("every format has specimens", () => {
    expect(formats.map(({ name }) => name).filter((name) => specimens[name] === undefined)).toEqual([]);
  });

  it.each(cases)("format $name is recognised, and read the same twice", ({ format, log }) => {
    const bytes = Buffer.from(log);
    expect(formatOf(bytes)).toBe(format.name);
    const first = read(format, bytes);
    if (first instanceof CtxError) throw first;
    expect(
      first.some((manifest) => !manifest.includes('"prompts":[]') || !manifest.includes('"steps":[]')),
    ).toBe(true);
    expect(read(format, bytes)).toEqual(first);
  });
});
