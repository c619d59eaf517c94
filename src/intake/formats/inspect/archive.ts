// Reads the archives (`.eval`) that Inspect writes: a header, and the samples, each in one file or in pieces.
// One sample is in memory at a time. An evaluation that is still running has only the beginning of its
// header.
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/value.js";
import { CtxError } from "../../../base/errors.js";
import type { Coverage } from "../../coverage.js";
import { parseLoosely } from "../../document.js";
import { listAt, objectAt } from "../../json-access.js";
import { gather, type LogSource } from "../../log-source.js";
import { readZip, type Zip } from "../../zip.js";

/** Maximum size: an archive is held in memory while it is read. */
const maxEntry = 2 ** 31;

export const startEntry = "_journal/start.json";
export const headerEntry = "header.json";
const wholeSample = /^samples\/.+_epoch_\d+\.json$/s;
const samplePiece =
  /^(samples\/.+_epoch_\d+)\/(sample|metadata|(?:messages|events|calls|attachments)\/(\d+))\.json$/s;

export interface Archive {
  header: JsonObject;
  /** The expected number of samples. */
  count: number;
  samples: Iterable<JsonObject>;
}

/** Returns whether the name of an archive member is one of Inspect's. */
export function isInspectEntry(name: string): boolean {
  return name === headerEntry || name === startEntry || wholeSample.test(name);
}

export function archiveOf(source: LogSource, coverage: Coverage): Archive {
  const zip = readZip(gather(source, maxEntry), source.name);
  coverage.duplicates += zip.duplicates;
  if (zip.isCut) {
    coverage.endsPartly();
    coverage.addUnknown("entries at the end of the archive (it breaks off)");
  }
  const read = entryReader(zip, coverage);
  const header = [headerEntry, startEntry]
    .map((name) => objectAt(read(name)))
    .find((one) => one !== undefined);
  if (header === undefined)
    throw new CtxError("log-unreadable", `${source.name} is an archive that contains no Inspect evaluation`, {
      hint: "such an archive has header.json, or _journal/start.json while the evaluation is running",
    });
  const whole = zip.names.filter((name) => wholeSample.test(name));
  const pieces = piecesIn(zip, coverage);
  return {
    header,
    count: whole.length + pieces.size,
    samples: samplesIn(whole, pieces, read),
  };
}

function* samplesIn(
  whole: readonly string[],
  pieces: ReadonlyMap<string, SamplePieces>,
  read: ReadMember,
): Generator<JsonObject> {
  for (const name of whole) {
    const sample = objectAt(read(name));
    if (sample !== undefined) yield sample;
  }
  for (const own of pieces.values()) {
    const sample = assembled(own, read);
    if (sample !== undefined) yield sample;
  }
}

type ReadMember = (name: string) => JsonValue | undefined;

/**
 * Returns a function that reads a member of the archive. A damaged one is counted; a missing one is
 * undefined.
 */
function entryReader(zip: Zip, coverage: Coverage): ReadMember {
  const numbers = new Map(zip.names.map((name, index) => [name, index + 1]));
  return (name) => {
    const number = numbers.get(name);
    if (number === undefined) return undefined;
    const bytes = zip.read(name);
    const value = bytes instanceof Error ? bytes : parseLoosely(bytes, coverage);
    if (!(value instanceof Error)) return value;
    coverage.damage(number, `the entry ${name.slice(0, 200)} ${value.message}`);
    return undefined;
  };
}

/** The members of a sample in pieces, by kind. */
type SamplePieces = Map<string, { name: string; start: number }[]>;

function piecesIn(zip: Zip, coverage: Coverage): Map<string, SamplePieces> {
  const samples = new Map<string, SamplePieces>();
  for (const name of zip.names) {
    const [, prefix, what, start] = samplePiece.exec(name) ?? [];
    if (prefix === undefined || what === undefined) continue;
    const own: SamplePieces = samples.get(prefix) ?? new Map();
    samples.set(prefix, own);
    const kind = start === undefined ? what : what.slice(0, what.indexOf("/"));
    const list = own.get(kind) ?? [];
    own.set(kind, list);
    list.push({ name, start: Number(start ?? 0) });
  }
  for (const [prefix, own] of samples) {
    if (own.has("sample")) continue;
    samples.delete(prefix);
    coverage.skip("sample in pieces without its sample.json");
  }
  return samples;
}

/** Assembles a sample from its pieces; texts that are stored separately get numbers as names. */
function assembled(pieces: SamplePieces, read: ReadMember): JsonObject | undefined {
  const sequence = (kind: string): JsonValue[] => {
    const inOrder = (pieces.get(kind) ?? []).toSorted((a, b) => a.start - b.start);
    return inOrder.flatMap(({ name }) => [...listAt(read(name))]);
  };
  const [shell] = (pieces.get("sample") ?? []).map(({ name }) => read(name));
  if (shell === undefined || !isObject(shell)) return undefined;
  const pool = sequence("messages");
  const [metadata] = (pieces.get("metadata") ?? []).map(({ name }) => read(name));
  return {
    ...shell,
    ...(metadata === undefined ? {} : { metadata }),
    messages: ranges(shell["message_refs"], pool),
    events: sequence("events"),
    events_data: { messages: pool, calls: [] },
    attachments: sequence("attachments"),
  };
}

/** Returns the elements of a list that ranges name, at most twice as many as the list has. */
function ranges(value: JsonValue | undefined, pool: readonly JsonValue[]): JsonValue[] {
  const found: JsonValue[] = [];
  for (const range of listAt(value)) {
    const [start, end] = listAt(range);
    if (typeof start !== "number" || typeof end !== "number" || start < 0) continue;
    if (found.length > pool.length) break;
    for (const message of pool.slice(start, end)) found.push(message);
  }
  return found;
}
