// What must hold for the counts of any run, on real logs.
import * as fs from "node:fs";
import { expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { recognise } from "../../../src/intake/recognise.js";
import { sourceOf } from "../../../src/intake/log-source.js";
import type { Format } from "../../../src/intake/format.js";
import { wrongCounts } from "../../../dev/count-checks.js";
import { readForeign } from "../../../dev/intake.js";
import { describeWith, realLogs } from "../../../dev/needs.js";
import { samples } from "../../../dev/samples.js";

function formatOf(bytes: Buffer, name: string): Format | undefined {
  try {
    return recognise(sourceOf([bytes], { name }));
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

const all = ["samples", "samples-2"].flatMap((collection) => samples(collection));
const readable = all.filter(({ file }) => fs.statSync(file).isFile());

describeWith([realLogs(readable)], "counts of real logs", () => {
  it.each(readable)("counts: those of the real log $name fit together", ({ file }) => {
    const bytes = fs.readFileSync(file);
    const format = formatOf(bytes, file);
    // What is in no known format is refused, as another test shows.
    expect(format === undefined ? [] : wrongCounts(readForeign(format, bytes, { path: file }))).toEqual([]);
  });
});
