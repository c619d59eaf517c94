// Renders the counts of runs: as a table with a bar for each row, or as CSV for spreadsheets.
import { printable } from "../base/printable.js";
import type { StatsCost, StatsCounts, StatsGroup, StatsResult, StatsRow } from "../results/stats.js";
import { countText, fit, numberText, padEnd, padStart, painter, type Screen, widthOf } from "./layout.js";
import { durationText, shortNumber } from "./when.js";

interface StatsColumn {
  title: string;
  text: (counts: StatsCounts) => string;
}

const unknown = "–";

const columns: readonly StatsColumn[] = [
  { title: "runs", text: ({ runs }) => numberText(runs) },
  { title: "steps", text: ({ steps }) => numberText(steps) },
  { title: "failed", text: ({ failed }) => numberText(failed) },
  {
    title: "tokens",
    text: ({ tokens }) => (tokens === undefined ? unknown : shortNumber(tokens.input + tokens.output)),
  },
  {
    title: "cached",
    text: ({ tokens }) => (tokens === undefined ? unknown : shortNumber(tokens.cache_read)),
  },
  { title: "cost", text: ({ cost }) => cost?.map(moneyText).join(" + ") ?? unknown },
  {
    title: "time",
    text: ({ duration_ms }) => (duration_ms === undefined ? unknown : durationText(duration_ms)),
  },
];

/** What is not known of a single tool. */
const ofRuns: ReadonlySet<string> = new Set(["tokens", "cached", "cost", "time"]);

const nullNames: Readonly<Record<StatsGroup, string>> = {
  day: "no time",
  week: "no time",
  model: "several models",
  agent: "unknown",
  tool: "unknown",
  project: "unknown",
};

/** The narrowest room for names, and the least and most for bars. */
const minName = 16;
const bars = { least: 8, most: 30 };

/** Returns a table. On a terminal each row has a bar: of tokens, or of steps where no log counts tokens. */
export function renderStats(
  result: StatsResult,
  screen: Screen,
  { withBars }: { withBars: boolean },
): string {
  const { by, rows, total } = result;
  const paint = painter(screen);
  const shown = columns
    .filter(({ title }) => by !== "tool" || !ofRuns.has(title))
    .map((column) => (by === "tool" && column.title === "steps" ? { ...column, title: "calls" } : column));
  const last = by === undefined ? [] : [total];
  const cells = shown.map(({ title, text }) => {
    const texts = [title, ...(by === undefined ? [total] : rows).map(text), ...last.map(text)];
    const width = texts.reduce((widest, each) => Math.max(widest, widthOf(each)), 0);
    return texts.map((each) => padStart(each, width));
  });
  const lineOf = (at: number): string => cells.map((column) => column[at]).join("  ");
  const room = screen.width - widthOf(lineOf(0)) - 2;
  const names = by === undefined ? [""] : [by, ...rows.map((row) => nameOf(row, by)), "total"];
  const widest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  const column = Math.min(widest, Math.max(room - (withBars ? bars.least + 2 : 0), minName));
  if (by === undefined) return `${paint("dim", lineOf(0))}\n${lineOf(1)}\n${notesOf(result)}`;
  const barRoom = Math.min(room - column - 2, bars.most);
  const most = rows.reduce((max, row) => Math.max(max, measureOf(result, row)), 0);
  const barOf = (row: StatsRow): string => {
    if (!withBars || barRoom < bars.least) return "";
    const bar = barText(measureOf(result, row) / Math.max(most, 1), barRoom);
    return bar === "" ? "" : `  ${paint("cyan", bar)}`;
  };
  const lines = [
    paint("dim", `${padEnd(by, column)}  ${lineOf(0)}`),
    ...rows.map(
      (row, at) => `${padEnd(fitName(nameOf(row, by), by, column), column)}  ${lineOf(at + 1)}${barOf(row)}`,
    ),
    paint("bold", `${padEnd("total", column)}  ${lineOf(rows.length + 1)}`),
  ];
  return `${lines.join("\n")}\n${notesOf(result)}`;
}

function nameOf({ key }: StatsRow, by: StatsGroup): string {
  return key === null ? nullNames[by] : printable(key);
}

/** Cuts a name to a width: of a folder the end tells most. */
function fitName(name: string, by: StatsGroup, width: number): string {
  if (by !== "project" || widthOf(name) <= width) return fit(name, width);
  let kept = Array.from(name).slice(1 - width);
  while (widthOf(kept.join("")) > width - 1) kept = kept.slice(1);
  return `…${kept.join("")}`;
}

function measureOf({ total }: StatsResult, { tokens, steps }: StatsRow): number {
  if (total.tokens === undefined || tokens === undefined) return total.tokens === undefined ? steps : 0;
  return tokens.input + tokens.output;
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

function barText(share: number, room: number): string {
  const units = Math.round(share * room * 8);
  // What is there at all shows.
  return "█".repeat(Math.floor(units / 8)) + (units === 0 && share > 0 ? "▏" : (eighths[units % 8] ?? ""));
}

/** `$1.23`, `$0.0042`, `12.50 EUR`. */
function moneyText({ currency, amount }: StatsCost): string {
  const digits = amount === 0 || amount >= 0.01 ? amount.toFixed(2) : amount.toPrecision(2);
  const whole = digits.replace(/^\d+/, (value) => numberText(Number(value)));
  return currency === "USD" ? `$${whole}` : `${whole} ${currency}`;
}

/** Returns notes on what the counts include, and on how many packs state tokens and cost. */
function notesOf({ by, total, older_versions: older }: StatsResult): string {
  const packs = total.runs + total.subruns;
  const notes = [
    total.subruns === 0
      ? ""
      : `${countText(total.subruns, "run")} of sub-agents counted with the runs that started them`,
    older === 0 ? "" : `${countText(older, "older version")} of sessions not counted`,
    by === "tool" ? "" : partNote("tokens are", total.tokens?.packs, packs),
    by === "tool" ? "" : partNote("the cost is", maxPacks(total.cost), packs),
  ].filter((note) => note !== "");
  return notes.length === 0 ? "" : `\n${notes.map((note) => `${note}\n`).join("")}`;
}

function maxPacks(cost: StatsCounts["cost"]): number | undefined {
  return cost?.reduce((most, { packs }) => Math.max(most, packs), 0);
}

function partNote(what: string, known: number | undefined, packs: number): string {
  return known === undefined || known === packs
    ? ""
    : `${what} known of ${numberText(known)} of ${countText(packs, "pack")}`;
}

type Field = string | number | undefined;

const csvColumns: Readonly<Record<string, (counts: StatsCounts) => Field>> = {
  runs: ({ runs }) => runs,
  subruns: ({ subruns }) => subruns,
  steps: ({ steps }) => steps,
  failed: ({ failed }) => failed,
  denied: ({ denied }) => denied,
  input_tokens: ({ tokens }) => tokens?.input,
  output_tokens: ({ tokens }) => tokens?.output,
  cache_read_tokens: ({ tokens }) => tokens?.cache_read,
  cache_creation_tokens: ({ tokens }) => tokens?.cache_creation,
  duration_ms: ({ duration_ms }) => duration_ms,
};

/** Returns the rows, or the total where there are none, as RFC 4180 has it, with a line of names. */
export function statsCsv({ by, rows, total }: StatsResult): string {
  const counted = by === undefined ? [{ ...total, key: null }] : rows;
  const currencies = new Set(counted.flatMap(({ cost = [] }) => cost.map(({ currency }) => currency)));
  const fields: [name: string, (row: StatsRow) => Field][] = [
    ...(by === undefined
      ? []
      : [[by, ({ key }: StatsRow) => key ?? ""] as [string, (row: StatsRow) => Field]]),
    ...Object.entries(csvColumns),
    ...[...currencies]
      .sort()
      .map((currency): [string, (row: StatsRow) => Field] => [
        `cost_${currency.toLowerCase()}`,
        ({ cost }) => cost?.find((each) => each.currency === currency)?.amount,
      ]),
  ];
  const lines = counted.map((row) => fields.map(([, value]) => csvField(value(row))));
  return [fields.map(([name]) => name), ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

/** Quotes a field; a name that a spreadsheet would run as a formula becomes text. */
function csvField(value: Field): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = printable(value).replace(/^(?=[=+\-@])/, "'");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
