// Renders the list of packs: two lines for each run, with its title first, as `git log` has subjects. Packs
// of one session of an agent are versions of one run, and are listed together. Under --oneline a run has one
// line (`onelineText`), and below either, each older version of a session has one (`olderLines`).
import { maxOf } from "../base/lists.js";
import type { LogEntry, LogResult } from "../results/log.js";
import { drawGraph } from "./graph.js";
import { countText, fit, type Paint, padStart, painter, type Screen, shortHash, widthOf } from "./layout.js";
import { tagList } from "./tags.js";
import { durationText, shortNumber, shortWhenText, whenText, type WhenOptions } from "./when.js";

export interface LogLayout {
  /** One line per pack. */
  oneline?: boolean;
  /** Draw the lineage beside the list. */
  graph?: boolean;
  /** Show times in UTC. */
  utc?: boolean;
  /** What ages are counted from. */
  now?: Date;
}

export function renderLog(result: LogResult, screen: Screen, layout: LogLayout = {}): string {
  const paint = painter(screen);
  const { entries } = result;
  const isShort = layout.oneline === true;
  const when: WhenOptions = { now: layout.now ?? new Date(), utc: layout.utc === true };
  const view: LogView = {
    paint,
    width: screen.width - (layout.graph === true ? 8 : 0),
    when,
    age: entries.reduce(
      (maxWidth, { created }) =>
        Math.max(maxWidth, created === null ? 0 : shortWhenText(created, when).length),
      0,
    ),
  };
  if (layout.graph === true) {
    const blocks = entries.map((entry) =>
      isShort ? [onelineText(entry, versionNote(entry), view)] : entryLines(entry, versionNote(entry), view),
    );
    return besideGraph(blocks, drawGraph(entries), { paint, spaced: !isShort });
  }
  const blocks = groupBySession(entries).map(([newest, ...older]) => {
    const note = versionsNote(newest);
    const lines = isShort ? [onelineText(newest, note, view)] : entryLines(newest, note, view);
    return [...lines, ...olderLines(older, isShort ? "  " : indent, view)];
  });
  return blocks.map((lines) => `${lines.join("\n")}\n`).join(isShort ? "" : "\n");
}

interface LogView {
  paint: Paint;
  width: number;
  when: WhenOptions;
  /** The column of ages under --oneline. */
  age: number;
}

const plain: Paint = (_style, text) => text;

/** The least room for a title on one line. */
const minTitle = 8;

/** As wide as a hash and the gap behind it. */
const indent = " ".repeat(14);

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
function olderLines(entries: readonly LogEntry[], before: string, { paint, when }: LogView): string[] {
  const steps = entries.map((entry) => countText(entry.steps as number, "step"));
  const column = steps.reduce((maxWidth, text) => Math.max(maxWidth, text.length), 0);
  return entries.map((entry, index) => {
    const facts = [
      `version ${entry.version}`,
      (steps[index] as string).padEnd(column),
      whenText(entry.created as string, when),
    ];
    return `${before}${paint("yellow", shortHash(entry.hash))}  ${paint("dim", facts.join("  "))}${tagsText(entry, paint)}`;
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

function onelineText(entry: LogEntry, note: string, { paint, width, when, age }: LogView): string {
  const { title, created } = entry;
  const column = padStart(created === null ? "" : shortWhenText(created, when), age);
  const notes = [unreadable(entry), failuresText(entry), originNote(entry), note]
    .filter((text) => text !== "")
    .join(", ");
  const marks = notes === "" ? "" : ` (${notes})`;
  const all = width - 12 - 2 - (age === 0 ? 0 : age + 2) - widthOf(marks);
  // A narrow screen cuts the title, never a tag; where not even those fit, their number is shown.
  const isTight = widthOf(tagsText(entry, plain)) > all - minTitle;
  const tagged = isTight ? { ...entry, tags: [countText(entry.tags.length, "tag")] } : entry;
  const tags = entry.tags.length === 0 ? "" : tagsText(tagged, paint);
  const room = all - (entry.tags.length === 0 ? 0 : widthOf(tagsText(tagged, plain)));
  const text = fit(title ?? untitled(entry), Math.max(room, minTitle));
  const before = `${paint("yellow", shortHash(entry.hash))}  ${age === 0 ? "" : `${paint("dim", column)}  `}`;
  return `${before}${text}${paint(entry.damaged ? "red" : "dim", marks)}${tags}`;
}

/** Returns the title with its tags, and below it the facts that fit on one line. */
function entryLines(entry: LogEntry, note: string, view: LogView): string[] {
  const { paint, width } = view;
  const hash = paint("yellow", shortHash(entry.hash));
  const plainTags = tagsText(entry, plain);
  const room = width - indent.length;
  // Tags stand behind the title while it has half of the line, and else on a line of their own.
  const isBeside = widthOf(plainTags) <= room / 2;
  const title = fit(entry.title ?? untitled(entry), isBeside ? room - widthOf(plainTags) : room);
  const head = `${hash}  ${paint("bold", title)}`;
  const tags = tagsText(entry, paint);
  const below = isBeside ? [] : tagLines(entry, paint, width);
  const state = unreadable(entry);
  if (state !== "") return [`${head}${isBeside ? tags : ""}`, `${indent}${paint("red", state)}`, ...below];
  const marks = marksOf(entry).map((text) => `${indent}${paint("yellow", text)}`);
  const facts = `${indent}${paint("dim", fitFacts(factsOf(entry, note, view), room))}`;
  return [`${head}${isBeside ? tags : ""}`, facts, ...marks, ...below];
}

/**
 * Returns the tags, as many to a line as fit; no tag is broken: those that are longer than the room have
 * lines of their own, which begin further to the left.
 */
function tagLines(entry: LogEntry, paint: Paint, width: number): string[] {
  const room = width - indent.length;
  const longest = maxOf(entry.tags, widthOf);
  if (longest + 2 > room) {
    const before = " ".repeat(Math.max(0, Math.min(indent.length, width - longest)));
    return tagList(entry.tags)
      .split(", ")
      .map((tag) => `${before}${paint("green", tag)}`);
  }
  const lines: string[] = [];
  let line = "";
  for (const word of `(${tagList(entry.tags)})`.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((text) => `${indent}${paint("green", text)}`);
}

/** Returns the facts of a run, the most useful ones first. */
function factsOf(entry: LogEntry, note: string, { when }: LogView): string[] {
  const { agent, model, duration_ms, tokens, subruns = 0, parent, project, session } = entry;
  const folder = project?.split(/[/\\]/).findLast((part) => part !== "");
  return [
    `${entry.untimed === true ? "packed " : ""}${whenText(entry.created as string, when)}`,
    entry.subagent === undefined ? agent : `sub-agent of ${agent ?? "a run"}`,
    countText(entry.steps as number, "step"),
    failuresText(entry),
    duration_ms === undefined ? undefined : durationText(duration_ms),
    model === "unknown" ? undefined : shortModel(model ?? ""),
    tokens === undefined || tokens === 0 ? undefined : `${shortNumber(tokens)} tokens`,
    subruns === 0 ? undefined : countText(subruns, "sub-agent"),
    note,
    parent === undefined || entry.parent_absent === true ? undefined : `from ${shortHash(parent)}`,
    folder === undefined ? undefined : `in ${fit(folder, 24)}`,
    session === undefined ? undefined : `session ${session.slice(0, 8)}`,
  ].filter((fact) => fact !== undefined && fact !== "") as string[];
}

/** Returns `2 failed, 1 denied`; empty if nothing failed. */
function failuresText({ failed = 0, denied = 0 }: LogEntry): string {
  return [failed === 0 ? "" : `${failed} failed`, denied === 0 ? "" : `${denied} denied`]
    .filter(Boolean)
    .join(", ");
}

/** Returns the name of a model without its provider and its date: `claude-opus-4-5`. */
function shortModel(name: string): string {
  const own = name.slice(name.lastIndexOf("/") + 1).replace(/-\d{4}-?\d\d-?\d\d$/, "");
  return own === "" ? name : own;
}

/** Joins as many facts as fit; each stands whole, or not at all. */
function fitFacts(facts: readonly string[], room: number): string {
  let line = "";
  for (const fact of facts) {
    const text = fit(fact, 40);
    const longer = line === "" ? text : `${line} · ${text}`;
    if (widthOf(longer) <= room) line = longer;
  }
  return line;
}

/** Returns why a pack cannot be listed with its facts; empty if it can. */
function unreadable({ damaged, newer }: LogEntry): string {
  if (damaged) return "damaged: its manifest cannot be read";
  return newer === true ? "written by a newer ctx, which this one cannot read" : "";
}

function untitled({ damaged, newer }: LogEntry): string {
  return damaged || newer === true ? "" : "(no title)";
}

/** The marks of packs that are not the record of a run. */
const originMarks: Readonly<Record<NonNullable<LogEntry["origin"]>, string>> = {
  draft: "a draft, edited by hand: never executed",
  replay: "recorded by a replay of its parent",
  continued: "continued from its parent",
};

/** Returns what sets a pack apart from the record of a run, a line for each. */
function marksOf(entry: LogEntry): string[] {
  const { origin, parent, parent_absent } = entry;
  return [
    ...(origin === undefined ? [] : [originMark(entry)]),
    ...(parent_absent === true ? [`its parent ${shortHash(parent ?? "")} is not in this store`] : []),
  ];
}

function originMark({ of_draft, origin }: LogEntry): string {
  const mark = originMarks[origin as NonNullable<LogEntry["origin"]>];
  return of_draft === true ? `${mark}, of a draft edited by hand` : mark;
}

function originNote({ origin, of_draft }: LogEntry): string {
  return origin === undefined ? "" : `${origin}${of_draft === true ? " of a draft" : ""}`;
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
