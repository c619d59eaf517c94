// The outcomes of a run: as a table on the screen, as JSON, and as a table for docs/reliability.md.
import { availableParallelism, release } from "node:os";

export interface Row {
  group: string;
  name: string;
  points: number;
  tries: number;
  violations: string[];
  seconds: number;
  /** What was missing, where the case could not run. */
  notRun?: string[];
}

export interface Outcome {
  /** The day, as 2026-02-10. */
  date: string;
  machine: string;
  node: string;
  short: boolean;
  seed: number;
  rows: Row[];
}

export function machineKind(): string {
  return `${process.platform} ${release()} (${process.arch}), ${availableParallelism()} cores`;
}

const head = ["case", "points", "tries", "violations", "seconds"];

function cells(row: Row): string[] {
  const name = `${row.group}: ${row.name}`;
  if (row.notRun !== undefined) return [name, "", "", `not run: needs ${row.notRun.join(", ")}`, ""];
  return [
    name,
    number(row.points),
    number(row.tries),
    number(row.violations.length),
    number(Math.round(row.seconds)),
  ];
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function total(rows: readonly Row[]): Row {
  const sum = (of: (row: Row) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return {
    group: "all",
    name: `${rows.filter(({ notRun }) => notRun === undefined).length} cases`,
    points: sum(({ points }) => points),
    tries: sum(({ tries }) => tries),
    violations: rows.flatMap(({ violations }) => violations),
    seconds: sum(({ seconds }) => seconds),
  };
}

/** For a screen: columns of equal width. */
export function screenTable(rows: readonly Row[]): string {
  return columns([head, ...[...rows, total(rows)].map(cells)]);
}

/** Lines with columns of equal width, the first to the left. */
export function columns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => (line[at] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Returns one line of a table in Markdown. */
export function line(parts: readonly string[]): string {
  return `| ${parts.join(" | ")} |`;
}

/** For a document. */
function documentTable({ date, machine, node, short, seed, rows }: Outcome): string {
  const form = short ? "the short form (`npm run torture -- --short`)" : "the full form (`npm run torture`)";
  return [
    `${date}, ${machine}, Node ${node}, ${form}, seed ${seed}:`,
    "",
    line(head),
    line(["---", "---:", "---:", "---:", "---:"]),
    ...[...rows, total(rows)].map((row) => line(cells(row))),
  ].join("\n");
}

/** Returns the document with the table of this outcome instead of the old one. */
export function withTable(document: string, outcome: Outcome): string {
  return inBlock(document, "torture", documentTable(outcome));
}

/** The document with another text between the marks of this name. */
export function inBlock(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`there is no ${begin} and ${end}`);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
