// Renders the list of packs, in the style of `git log`. Packs of one session of an agent are versions of one
// run, and are listed together. There are three layouts: several lines for a pack (`entryLines`, with
// `factsText`), one line for a pack under --oneline (`onelineText`), and below either, one line for each
// older version of a session (`olderLines`).
import type { LogEntry, LogResult } from "../results/results.js";
import { drawGraph } from "./graph.js";
import {
  countText,
  fit,
  type Paint,
  padEnd,
  painter,
  type Screen,
  shortHash,
  timeText,
  widthOf,
} from "./layout.js";
import { tagList } from "./tags.js";

export interface LogLayout {
  /** One line per pack. */
  oneline?: boolean;
  /** Draw the lineage beside the list. */
  graph?: boolean;
}

export function renderLog(result: LogResult, screen: Screen, layout: LogLayout = {}): string {
  const paint = painter(screen);
  const { entries } = result;
  const isShort = layout.oneline === true;
  const width = screen.width - (layout.graph === true ? 8 : 0);
  const view: LogView = {
    paint,
    width,
    model: isShort
      ? entries.reduce((maxWidth, { model }) => Math.max(maxWidth, widthOf(fit(model ?? "", 28))), 0)
      : 0,
    // All sessions on lines of their own, or none: a list is read from top to bottom.
    sessionsApart: !isShort && entries.some((entry) => isTooWide(entry, width - 4)),
  };
  if (layout.graph === true) {
    const blocks = entries.map((entry) =>
      isShort ? [onelineText(entry, versionNote(entry), view)] : entryLines(entry, view),
    );
    return besideGraph(blocks, drawGraph(entries), { paint, spaced: !isShort });
  }
  const blocks = groupBySession(entries).map(([newest, ...older]) =>
    isShort
      ? [onelineText(newest, versionsNote(newest), view), ...olderLines(older, "  ", 16, view)]
      : [...entryLines(newest, view), ...olderLines(older, "    ", undefined, view)],
  );
  return blocks.map((lines) => `${lines.join("\n")}\n`).join(isShort ? "" : "\n");
}

interface LogView {
  paint: Paint;
  width: number;
  /** The column of models. */
  model: number;
  /** Sessions are on lines of their own, for lack of room. */
  sessionsApart: boolean;
}

/** Groups the versions of one session at the position of the newest. */
function groupBySession(entries: readonly LogEntry[]): [LogEntry, ...LogEntry[]][] {
  const groups: [LogEntry, ...LogEntry[]][] = [];
  const bySession = new Map<string, LogEntry[]>();
  for (const entry of entries) {
    const key = entry.version === undefined ? undefined : `${entry.format ?? ""} ${entry.session ?? ""}`;
    const known = key === undefined ? undefined : bySession.get(key);
    if (known !== undefined) {
      known.push(entry);
      continue;
    }
    const group: [LogEntry, ...LogEntry[]] = [entry];
    groups.push(group);
    if (key !== undefined) bySession.set(key, group);
  }
  return groups;
}

/** Returns the older versions of a session, one per line. */
function olderLines(
  entries: readonly LogEntry[],
  indent: string,
  timeLength: number | undefined,
  { paint }: LogView,
): string[] {
  const steps = entries.map((entry) => countText(entry.steps as number, "step"));
  const column = steps.reduce((maxWidth, text) => Math.max(maxWidth, text.length), 0);
  return entries.map((entry, index) => {
    const hash = paint("yellow", shortHash(entry.hash));
    const time = paint("dim", timeText(entry.created as string).slice(0, timeLength));
    const number = paint("dim", `version ${entry.version}`);
    return `${indent}${hash}  ${time}  ${(steps[index] as string).padEnd(column)}  ${number}${tagsText(entry, paint)}`;
  });
}

/** Puts the drawing to the left of the text. */
function besideGraph(
  blocks: readonly string[][],
  rows: ReturnType<typeof drawGraph>,
  { paint, spaced }: { paint: Paint; spaced: boolean },
): string {
  const lines = blocks.flatMap((block, index) => {
    const { node, rest, joins } = rows[index] as (typeof rows)[number];
    const isLast = index === blocks.length - 1;
    const text = block.map((line, number) => `${paint("red", number === 0 ? node : rest)} ${line}`);
    const gap = spaced && !isLast && joins.length === 0 ? [rest] : [];
    return [...text, ...[...gap, ...joins].map((row) => paint("red", row))];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function onelineText(entry: LogEntry, note: string, { paint, model }: LogView): string {
  const hash = paint("yellow", shortHash(entry.hash));
  if (entry.damaged) return `${hash}  ${paint("red", "damaged")}${tagsText(entry, paint)}`;
  if (entry.newer === true) return `${hash}  ${paint("yellow", "of a newer ctx")}${tagsText(entry, paint)}`;
  const time = paint("dim", timeText(entry.created as string).slice(0, 16));
  const name = padEnd(fit(entry.model as string, 28), model);
  const steps = `${countText(entry.steps as number, "step")}${originNote(entry)}`;
  const versions = note === "" ? "" : ` ${paint("dim", `(${note})`)}`;
  return `${hash}  ${time}  ${name}  ${steps}${versions}${tagsText(entry, paint)}`;
}

function entryLines(entry: LogEntry, { paint, width, sessionsApart }: LogView): string[] {
  const hash = entry.hash.slice("sha256:".length);
  const head = `${paint("yellow", `pack ctx://${hash.slice(0, 12)}`)}${paint("dim", hash.slice(12))}${tagsText(entry, paint)}`;
  if (entry.damaged) return [head, `    ${paint("red", "damaged: its manifest cannot be read")}`];
  if (entry.newer === true)
    return [head, `    ${paint("yellow", "written by a newer ctx, which this one cannot read")}`];
  const texts = [factsText(entry), sessionText(entry)].filter(Boolean);
  const lines = sessionsApart ? texts : [texts.join("  ")];
  const absent =
    entry.parent_absent === true ? [`    ${paint("dim", "its parent is not in this store")}`] : [];
  // On a line of its own, where nothing cuts it off.
  const mark = entry.origin === undefined ? [] : [`    ${paint("yellow", originMark(entry, entry.origin))}`];
  return [head, ...lines.map((line) => `    ${fit(line, width - 4)}`), ...mark, ...absent];
}

function isTooWide(entry: LogEntry, room: number): boolean {
  const session = entry.damaged || entry.newer === true ? "" : sessionText(entry);
  return session !== "" && widthOf(fit(`${factsText(entry)}  ${session}`, room + 1)) > room;
}

function factsText(entry: LogEntry): string {
  const facts = [
    timeText(entry.created as string),
    entry.model as string,
    countText(entry.steps as number, "step"),
  ];
  if (entry.parent !== undefined) facts.push(`from ${shortHash(entry.parent)}`);
  return facts.join("  ");
}

/** The marks of packs that are not the record of a run. */
const originMarks: Readonly<Record<NonNullable<LogEntry["origin"]>, string>> = {
  draft: "a draft, edited by hand: never executed",
  replay: "recorded by a replay of its parent",
  continued: "continued from its parent",
};

function originMark({ of_draft }: LogEntry, origin: NonNullable<LogEntry["origin"]>): string {
  return of_draft === true ? `${originMarks[origin]}, whose steps come from a draft` : originMarks[origin];
}

function originNote({ origin, of_draft }: LogEntry): string {
  return origin === undefined ? "" : `  ${origin}${of_draft === true ? " of a draft" : ""}`;
}

/**
 * `codex session 1a2b3c4d-5e6f… in web, version 3 of 3`. Ids of some agents begin with the time: a few digits
 * tell little.
 */
function sessionText(entry: LogEntry): string {
  const { session = "", subagent } = entry;
  const project = projectText(entry);
  if (session === "") return [entry.agent, project].filter(Boolean).join(" ");
  const id = subagent === undefined ? session : session.slice(0, -subagent.length - 1);
  const agent = entry.agent === undefined ? "" : `${fit(entry.agent, 24)} `;
  const name = `${subagent === undefined ? "" : "sub-agent of "}${agent}session ${fit(id, 14)}`;
  return [[name, project].filter(Boolean).join(" "), versionNote(entry)].filter(Boolean).join(", ");
}

/** Returns the folder's own name: the path to it is the same for most. */
function projectText({ project = "" }: LogEntry): string {
  const name = project.split(/[/\\]/).findLast((part) => part !== "");
  return name === undefined ? "" : `in ${fit(name, 24)}`;
}

/** Returns the version, only if there are several. */
function versionNote({ version, versions = 1 }: LogEntry): string {
  return version === undefined || versions === 1 ? "" : `version ${version} of ${versions}`;
}

/** Returns the number of versions for the newest one, which stands for the session. */
function versionsNote(entry: LogEntry): string {
  return entry.version === entry.versions && versionNote(entry) !== ""
    ? `${entry.versions} versions`
    : versionNote(entry);
}

function tagsText(entry: LogEntry, paint: Paint): string {
  return entry.tags.length === 0 ? "" : ` ${paint("green", `(${tagList(entry.tags)})`)}`;
}
