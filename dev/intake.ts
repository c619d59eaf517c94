// Reads a foreign log in memory, and returns its runs with their contents as text.
import { toReference } from "../src/base/digest.js";
import { sha256 } from "../src/base/digest.js";
import { Coverage } from "../src/intake/coverage.js";
import type { Format } from "../src/intake/format.js";
import { headOf } from "../src/intake/head.js";
import { headSize, sourceOf } from "../src/intake/log-source.js";
import type { Content } from "../src/model/content.js";
import type { ExecutionLog } from "../src/model/log.js";

export interface ForeignRuns {
  runs: ExecutionLog[];
  /** Runs that others started, in the order in which they were sealed. */
  subs: { run: ExecutionLog; agent: string; call?: string | undefined }[];
  coverage: Coverage;
  /** The content as text; undefined where there is none. */
  text: (content: Content | undefined) => string | undefined;
}

export function readForeign(
  format: Format,
  log: string | Buffer,
  options: { prompt?: string; path?: string } = {},
): ForeignRuns {
  const blobs = new Map<string, Buffer>();
  const subs: ForeignRuns["subs"] = [];
  const coverage = new Coverage();
  const { path, prompt } = options;
  const source = sourceOf([Buffer.from(log)], { name: "log", ...(path === undefined ? {} : { path }) });
  const runs = format.read(source, {
    keeper: () => ({
      keep(bytes) {
        const hex = sha256(bytes);
        blobs.set(hex, Buffer.from(bytes));
        return { hex, size: bytes.length };
      },
      finish: () => undefined,
    }),
    seal(run, about) {
      subs.push({ run, ...about });
      return toReference(String(subs.length).padStart(64, "0"));
    },
    coverage,
    prompt,
  });
  return {
    runs,
    subs,
    coverage,
    text: (content) =>
      content !== undefined && "stored" in content
        ? blobs.get(content.stored.hex)?.toString("utf8")
        : undefined,
  };
}

/** Returns whether a format recognises a log. */
export function fits(format: Format, log: string | Buffer): boolean {
  const bytes = Buffer.from(log);
  return format.sniff(headOf(bytes.subarray(0, headSize), bytes.length <= headSize)) === true;
}

/** Returns records, one a line. */
export function lines(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
