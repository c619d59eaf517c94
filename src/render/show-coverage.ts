// Renders which parts of an agent's own log a run contains and which are missing, for the end of `ctx show`,
// so that a part is not mistaken for the whole. This is metadata, in which a stranger can write anything: a
// coverage that ctx would not have written is shown with the other metadata.
import { canonicalText } from "../base/json/canonical.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import { someOf } from "../base/lists.js";
import { countText, fit, numberText, padEnd, widthOf, wrap } from "./layout.js";
import { sectionTitle, type ShowView } from "./show-view.js";

interface CoverageSection {
  /** How many records were read. */
  records: string;
  rows: [label: string, text: string][];
  /** Lines without a label. */
  notes: string[];
}

/** Adds what one member says; returns false if it has the wrong type. */
type MemberRenderer = (section: CoverageSection, value: JsonValue) => boolean;

const memberRenderers: Readonly<Record<string, MemberRenderer>> = {
  records: (section, value) => {
    if (isCount(value)) section.records = countText(value, "record");
    return isCount(value);
  },
  captured: listRow("captured"),
  reconstructed: listRow("rebuilt"),
  unknown: listRow("unknown"),
  skipped: kindsRow("skipped", " of unknown kinds"),
  left_out: kindsRow("left out", ""),
  damaged: (section, value) => {
    const text = damageText(value);
    if (text !== undefined) section.rows.push(["damaged", text]);
    return text !== undefined;
  },
  partial_last_line: (section, value) => {
    if (value === true) section.notes.push("its end is missing");
    return typeof value === "boolean";
  },
  truncated: countNote((count) => `${countText(count, "output")} cut by the producer`),
  replaced: countNote((count) => `${countText(count, "character")} replaced`),
  duplicates: countNote((count) => countText(count, "repeated record")),
};

/** The most names in a row. */
const maxNames = 50;

function listRow(label: string): MemberRenderer {
  return (section, value) => {
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return false;
    if (value.length > 0) section.rows.push([label, someOf(value, maxNames)]);
    return true;
  };
}

/** Adds a row of kinds of records, the most frequent first. */
function kindsRow(label: string, suffix: string): MemberRenderer {
  return (section, value) => {
    const kinds = isObject(value) ? Object.entries(value) : [["", null] as const];
    if (!kinds.every((kind): kind is [string, number] => isCount(kind[1]))) return false;
    const total = kinds.reduce((sum, [, count]) => sum + count, 0);
    const names = kinds.sort((a, b) => b[1] - a[1]).map(([kind, count]) => `${kind} ${numberText(count)}`);
    if (total > 0)
      section.rows.push([
        label,
        suffix === ""
          ? someOf(names, maxNames)
          : `${countText(total, "record")}${suffix} (${someOf(names, maxNames)})`,
      ]);
    return true;
  };
}

function countNote(note: (count: number) => string): MemberRenderer {
  return (section, value) => {
    if (isCount(value) && value > 0) section.notes.push(note(value));
    return isCount(value);
  };
}

function damageText(value: JsonValue): string | undefined {
  if (!isObject(value) || !isCount(value["count"]) || !Array.isArray(value["lines"])) return undefined;
  const damagedLines = value["lines"].map((damagedLine) => {
    const { line, why } = isObject(damagedLine) ? damagedLine : {};
    return isCount(line) && typeof why === "string" ? `line ${line}: ${why}` : undefined;
  });
  if (damagedLines.includes(undefined)) return undefined;
  if (value["count"] > damagedLines.length) damagedLines.push("…");
  return `${countText(value["count"], "line")} (${someOf(damagedLines as string[], maxNames)})`;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Returns the section on coverage; empty if there is nothing to show, or the value has the wrong type. */
export function coverageLines(view: ShowView, value: JsonValue | undefined): string[] {
  const section = value === undefined || !isObject(value) ? undefined : renderMembers(value);
  if (section === undefined) return [];
  const { records, rows, notes } = section;
  const column = rows.reduce((maxWidth, [label]) => Math.max(maxWidth, widthOf(fit(label, 16))), 0);
  const room = view.width - column - 4;
  return [
    sectionTitle(view, "coverage", records),
    ...rows.flatMap(([label, text]) =>
      wrap(fit(text, room * maxLines), room).map((line, at) => {
        const head = padEnd(at === 0 ? fit(label, 16) : "", column);
        return `  ${view.paint(label === "damaged" ? "red" : "cyan", head)}  ${fit(line, room)}`;
      }),
    ),
    ...notes.map((note) => `  ${fit(note, view.width - 2)}`),
  ];
}

/** The approximate maximum of lines in a row: a stranger's log may have a thousand kinds of records. */
const maxLines = 4;

function renderMembers(coverage: Record<string, JsonValue>): CoverageSection | undefined {
  const section: CoverageSection = { records: "", rows: [], notes: [] };
  for (const [name, addMember] of Object.entries(memberRenderers))
    if (Object.hasOwn(coverage, name) && !addMember(section, coverage[name] as JsonValue)) return undefined;
  for (const [name, value] of Object.entries(coverage))
    if (!Object.hasOwn(memberRenderers, name)) section.rows.push([name, canonicalText(value)]);
  return section.rows.length === 0 && section.notes.length === 0 ? undefined : section;
}
