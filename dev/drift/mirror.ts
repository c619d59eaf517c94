// Whether the report of (b, a) is that of (a, b) with the sides exchanged. Left out: the description, and
// what is said about the first divergence (relation, because, leans_on, word, side, first_divergence,
// resync), because which of two entries at one place comes first depends on the side. Order is judged apart.
import type { JsonValue } from "../../src/base/json/value.js";
import type { DriftEntry, DriftReport } from "../../src/results/drift.js";
import { textOf } from "./steps.js";

/** The part of a report that is compared. */
export type Compared = Pick<
  DriftReport,
  "pack_hash_a" | "pack_hash_b" | "has_drift" | "entries" | "context" | "reordered" | "alignment"
> & { ignored: Pick<DriftReport["ignored"], "differences"> };

type Fields = Record<string, unknown>;

/** Exchanges every field that ends in `_a` with the one that ends in `_b`. */
function exchange(fields: object): Fields {
  const result: Fields = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (name.endsWith("_a")) result[`${name.slice(0, -2)}_b`] = value;
    else if (name.endsWith("_b")) result[`${name.slice(0, -2)}_a`] = value;
    else result[name] = value;
  }
  return result;
}

const opposites: Record<string, string> = { added: "removed", removed: "added" };

function mirrorEntry(entry: DriftEntry): Fields {
  const result = exchange(entry);
  result["change"] = opposites[entry.change] ?? entry.change;
  result["step_index"] = entry.index_b ?? entry.index_a;
  result["changes"] = entry.changes?.map((value) => ({
    ...exchange(value),
    ...(value.absent === undefined ? {} : { absent: value.absent === "a" ? "b" : "a" }),
  }));
  return result;
}

const leftOut = new Set(["description", "relation", "because", "leans_on", "word", "side"]);

function entryText(entry: object): string {
  const rest = Object.entries(entry).filter(([name]) => !leftOut.has(name));
  return textOf(JSON.parse(JSON.stringify(Object.fromEntries(rest))) as JsonValue);
}

function sorted(texts: string[]): string[] {
  return texts.sort();
}

/** Returns the compared part of a report, with the sides exchanged or not. */
function essence(report: Compared, exchanged: boolean): Record<string, string[]> {
  const { entries, context, reordered, has_drift, alignment, ignored } = report;
  const turn = <T>(one: T, other: T): [T, T] => (exchanged ? [other, one] : [one, other]);
  return {
    hashes: turn<string>(report.pack_hash_a, report.pack_hash_b),
    entries: sorted(entries.map((entry) => entryText(exchanged ? mirrorEntry(entry) : entry))),
    context: sorted(context.map((change) => entryText(exchanged ? exchange(change) : change))),
    reordered: sorted(reordered.map(({ index_a, index_b }) => turn(index_a, index_b).join("/"))),
    rest: [String(has_drift), alignment, String(ignored.differences)],
  };
}

/** Returns the first difference between the report of (b, a) and the mirror of that of (a, b). */
export function mirrorProblem(forth: Compared, back: Compared): string | undefined {
  const [should, is] = [essence(forth, true), essence(back, false)];
  for (const [name, list] of Object.entries(should)) {
    const other = is[name] as string[];
    const position = list.findIndex((text, index) => text !== other[index]);
    if (position !== -1) return `${name}: ${list[position]} became ${other[position]}`;
    if (other.length > list.length) return `${name}: ${other[list.length]} is only in the mirror`;
  }
  return undefined;
}
