// Renders which parts of an agent's own log a run contains and which are missing, for the end of `ctx show`,
// so that a part is not mistaken for the whole. This is metadata, in which a stranger can write anything: a
// coverage that ctx would not have written is shown with the other metadata.
import { canonicalText } from "../base/json/canonical.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { someOf } from "../base/lists.js";
import { countText, fit, numberText, padEnd, widthOf, wrap } from "./layout.js";
import { title, type View } from "./show-view.js";

interface Told {
  /** How many records were read. */
  records: string;
  rows: [label: string, text: string][];
  /** Lines without a label. */
  notes: string[];
}

/** Adds what one member says; returns false if it has the wrong type. */
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

/** Adds a row of kinds of records, the most frequent first. */
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

/** Returns the section on coverage; empty if there is nothing to show, or the value has the wrong type. */
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

/** The approximate maximum of lines in a row: a stranger's log may have a thousand kinds of records. */
const mostLines = 4;

function tellAll(coverage: Record<string, JsonValue>): Told | undefined {
  const told: Told = { records: "", rows: [], notes: [] };
  for (const [name, tell] of Object.entries(tellers))
    if (Object.hasOwn(coverage, name) && !tell(told, coverage[name] as JsonValue)) return undefined;
  for (const [name, value] of Object.entries(coverage))
    if (!Object.hasOwn(tellers, name)) told.rows.push([name, canonicalText(value)]);
  return told.rows.length === 0 && told.notes.length === 0 ? undefined : told;
}
