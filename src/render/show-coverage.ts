// What a run that was taken from an agent's own log has of it and what it has not, for the end of `ctx show`:
// nobody should take a part for the whole. It stands in the metadata, in which a stranger can write anything:
// a coverage that is not as we would have written it stays among the rest of that.
import { canonicalText } from "../base/json/canonical.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { someOf } from "../base/lists.js";
import { countText, fit, numberText, padEnd, widthOf, wrap } from "./layout.js";
import { title, type View } from "./show-view.js";

interface Told {
  /** How many records were read. */
  records: string;
  rows: [label: string, text: string][];
  /** What needs no label. */
  notes: string[];
}

/** Tells what one member says; false when it is not of its kind. */
type Teller = (told: Told, value: JsonValue) => boolean;

const tellers: Readonly<Record<string, Teller>> = {
  records: (told, value) => {
    if (isCount(value)) told.records = countText(value, "record");
    return isCount(value);
  },
  captured: listRow("captured"),
  reconstructed: listRow("rebuilt"),
  unknown: listRow("unknown"),
  skipped: kindsRow("skipped", " of unknown kinds"),
  left_out: kindsRow("left out", ""),
  damaged: (told, value) => {
    const text = damageText(value);
    if (text !== undefined) told.rows.push(["damaged", text]);
    return text !== undefined;
  },
  partial_last_line: (told, value) => {
    if (value === true) told.notes.push("its end is missing");
    return typeof value === "boolean";
  },
  truncated: countNote((count) => `${countText(count, "output")} cut by the producer`),
  replaced: countNote((count) => `${countText(count, "character")} replaced`),
  duplicates: countNote((count) => countText(count, "repeated record")),
};

/** The most names in a row. */
const mostNames = 50;

function listRow(label: string): Teller {
  return (told, value) => {
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return false;
    if (value.length > 0) told.rows.push([label, someOf(value, mostNames)]);
    return true;
  };
}

/** Kinds of records, those first that there are most of. */
function kindsRow(label: string, what: string): Teller {
  return (told, value) => {
    const kinds = isObject(value) ? Object.entries(value) : [["", null] as const];
    if (!kinds.every((kind): kind is [string, number] => isCount(kind[1]))) return false;
    const total = kinds.reduce((sum, [, count]) => sum + count, 0);
    const names = kinds.sort((a, b) => b[1] - a[1]).map(([kind, count]) => `${kind} ${numberText(count)}`);
    if (total > 0)
      told.rows.push([
        label,
        what === ""
          ? someOf(names, mostNames)
          : `${countText(total, "record")}${what} (${someOf(names, mostNames)})`,
      ]);
    return true;
  };
}

function countNote(note: (count: number) => string): Teller {
  return (told, value) => {
    if (isCount(value) && value > 0) told.notes.push(note(value));
    return isCount(value);
  };
}

function damageText(value: JsonValue): string | undefined {
  if (!isObject(value) || !isCount(value["count"]) || !Array.isArray(value["lines"])) return undefined;
  const places = value["lines"].map((place) => {
    const { line, why } = isObject(place) ? place : {};
    return isCount(line) && typeof why === "string" ? `line ${line}: ${why}` : undefined;
  });
  if (places.includes(undefined)) return undefined;
  if (value["count"] > places.length) places.push("…");
  return `${countText(value["count"], "line")} (${someOf(places as string[], mostNames)})`;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/**
 * The section on what was in the log; none when there is nothing to tell, or the value is of another kind.
 */
export function coverageLines(view: View, value: JsonValue | undefined): string[] {
  const told = value === undefined || !isObject(value) ? undefined : tellAll(value);
  if (told === undefined) return [];
  const { records, rows, notes } = told;
  const column = rows.reduce((most, [label]) => Math.max(most, widthOf(fit(label, 16))), 0);
  const room = view.width - column - 4;
  return [
    title(view, "coverage", records),
    ...rows.flatMap(([label, text]) =>
      wrap(fit(text, room * mostLines), room).map((line, at) => {
        const head = padEnd(at === 0 ? fit(label, 16) : "", column);
        return `  ${view.paint(label === "damaged" ? "red" : "cyan", head)}  ${fit(line, room)}`;
      }),
    ),
    ...notes.map((note) => `  ${fit(note, view.width - 2)}`),
  ];
}

/** A row has about so many lines at the most: a stranger's log may have a thousand kinds of records. */
const mostLines = 4;

function tellAll(coverage: Record<string, JsonValue>): Told | undefined {
  const told: Told = { records: "", rows: [], notes: [] };
  for (const [name, tell] of Object.entries(tellers))
    if (Object.hasOwn(coverage, name) && !tell(told, coverage[name] as JsonValue)) return undefined;
  for (const [name, value] of Object.entries(coverage))
    if (!Object.hasOwn(tellers, name)) told.rows.push([name, canonicalText(value)]);
  return told.rows.length === 0 && told.notes.length === 0 ? undefined : told;
}
