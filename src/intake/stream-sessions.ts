// Splits a stream by session: the output of several commands may have been appended to one file, and each is a run.
import type { JsonObject } from "../base/json/value.js";
import type { ExecutionLog } from "../model/log.js";
import { Coverage } from "./coverage.js";

/** Reads the records of one session. */
export interface SessionReader {
  take(record: JsonObject): void;
  finish(): ExecutionLog;
}

/**
 * Reads a stream of records, and returns a run for each session, in the order in which they began. `nameOf` returns the
 * session that a record begins or belongs to, where it says so; all others belong to the session before, and those at
 * the beginning to the first. What could not be read is counted for the first run.
 */
export function sessionRuns(
  records: Iterable<JsonObject>,
  coverage: Coverage,
  {
    nameOf,
    read,
  }: {
    nameOf: (record: JsonObject) => string | undefined;
    read: (coverage: Coverage) => SessionReader;
  },
): ExecutionLog[] {
  const first = { reader: read(coverage), coverage };
  const sessions = new Map<string, typeof first>();
  let current = first;
  for (const record of records) {
    const name = nameOf(record);
    if (name !== undefined) {
      const known = sessions.get(name) ?? (sessions.size === 0 ? first : another(read));
      sessions.set(name, known);
      current = known;
    }
    if (current !== first) {
      coverage.records--;
      current.coverage.records++;
    }
    current.reader.take(record);
  }
  const all = new Set([first, ...sessions.values()]);
  return [...all].map(({ reader }) => reader.finish());
}

function another(read: (coverage: Coverage) => SessionReader): { reader: SessionReader; coverage: Coverage } {
  const coverage = new Coverage();
  return { reader: read(coverage), coverage };
}
