// Renders the steps of a run, one per line: the time, the call, its parameters, its status and its output. If
// a run has several turns, a line names the prompt that the next steps answer.
import type { Reference } from "../base/digest.js";
import { printable } from "../base/printable.js";
import { failureOf } from "../model/failed-calls.js";
import type { Manifest, Step } from "../model/manifest.js";
import { knownTime, type Time } from "../model/times.js";
import { fit, type Paint, padEnd, padStart, shortHash, sinceText, widthOf } from "./layout.js";
import { fitParameters, parametersText } from "./parameters.js";
import {
  blobSizeText,
  firstLine,
  type OutputKind,
  previewOf,
  sectionTitle,
  type ShowView,
} from "./show-view.js";

interface Row {
  index: number;
  step: Step;
  time: string;
  name: string;
  parameters: string;
}

export interface Columns {
  index: number;
  time: number;
  name: number;
  /** The width of the column of sizes; 0 on a screen that has no room for it. */
  size: number;
  /** The width of the column of parameters. */
  parameters: number;
  /** The room for parameters and output. */
  room: number;
  /**
   * Whether the output of a call is shown beside its parameters: seven characters of it would tell nothing.
   */
  hasOutput: boolean;
}

/**
 * What fits on a screen, from the widest to the narrowest. One long name must not take the room of all rows;
 * a name of the `usual` width is not cut.
 */
const layouts = [
  { width: 100, name: 24, usual: 18, size: 7, hasTime: true, hasOutput: true },
  { width: 72, name: 17, usual: 14, size: 0, hasTime: true, hasOutput: true },
  { width: 60, name: 12, usual: 12, size: 0, hasTime: true, hasOutput: false },
  { width: 0, name: 10, usual: 10, size: 0, hasTime: false, hasOutput: false },
] as const;

/** A column of names is not narrower than this if it has such names. */
const usualName = 12;

/** How much of the room belongs to the parameters of a call; its output has the rest. */
const parametersShare = 0.62;
/** The same for calls that failed or were denied: their outputs say why. */
const failedShare = 0.4;

/** Returns the section on steps: on all of them, or on the selected ones. */
export function stepLines(view: ShowView, selected?: readonly number[]): string[] {
  const list = view.manifest.steps;
  const indexes = selected ?? list.map((_, index) => index);
  if (indexes.length === 0) return [];
  const start = startTime(view.manifest);
  const { workdir } = view.manifest.metadata ?? {};
  const folder = typeof workdir === "string" ? workdir : undefined;
  const rows = indexes.map((index) => rowOf(index, list[index] as Step, { start, folder }));
  const columns = measureColumns(rows, list.length - 1, view.width);
  const severalTurns = new Set(list.flatMap((step) => turnOf(step) ?? [])).size > 1;
  const shown = rows.map(({ step }) => step);
  const lines = [sectionTitle(view, "steps", legend(shown, list.length))];
  let turn: number | undefined;
  for (const row of rows) {
    const own = severalTurns ? turnOf(row.step) : undefined;
    if (own !== undefined && own !== turn) lines.push(turnLine(view, own));
    turn = own ?? turn;
    lines.push(stepLine(view, row, columns));
  }
  return lines;
}

export function rowOf(
  index: number,
  step: Step,
  { start, folder }: { start: Time | undefined; folder: string | undefined },
): Row {
  return {
    index,
    step,
    time: sinceStart(start, step),
    name: printable(step.tool ?? step.type),
    parameters: parametersText(step.parameters, folder) || contextKind(step),
  };
}

function legend(list: readonly Step[], total: number): string {
  const deterministicCount = list.filter((step) => step.deterministic).length;
  const left = list.filter(isAbandoned).length;
  const count = list.length === total ? String(total) : `${list.length} of ${total}`;
  const text = `${count}   ${deterministicCount} deterministic (=), ${list.length - deterministicCount} not (~)`;
  return left === 0 ? text : `${text}, ${left} abandoned (x)`;
}

/** Returns the number of the prompt that a step answers. */
function turnOf({ metadata }: Step): number | undefined {
  const turn = metadata?.["turn"];
  return typeof turn === "number" && Number.isSafeInteger(turn) ? turn : undefined;
}

export function turnLine(view: ShowView, turn: number): string {
  const name = `turn ${turn}`;
  const prompt = view.manifest.prompts[turn];
  const text = prompt === undefined ? "" : firstLine(view, prompt.content_ref, view.width - name.length - 4);
  return `  ${view.paint("bold", name)}  ${text}`.trimEnd();
}

/**
 * Returns whether the user went back to before this step: it is in the log, but the run continued without it.
 */
function isAbandoned({ metadata }: Step): boolean {
  return metadata?.["abandoned"] === true;
}

export function stepLine(view: ShowView, row: Row, columns: Columns): string {
  if (!isAbandoned(row.step)) return `  ${rowText(view, row, columns)}`;
  // One colour for all of it: the end of any other would end this one too.
  const plain: ShowView = { ...view, paint: (_style, text) => text };
  return view.paint("dim", `x ${rowText(plain, row, columns)}`);
}

function rowText(view: ShowView, { index, step, time, name, parameters }: Row, columns: Columns): string {
  const { paint } = view;
  const since = columns.time === 0 ? "" : `${padStart(time, columns.time)}  `;
  const mark = step.deterministic ? paint("green", "=") : paint("dim", "~");
  const fitted = fitName(name, columns.name);
  const nameCell =
    paint(step.tool === undefined ? "dim" : "cyan", fitted) + padEnd("", columns.name - widthOf(fitted));
  const head = `${padStart(String(index), columns.index)}  ${paint("dim", since)}${mark} ${nameCell}`;
  const size = columns.size === 0 ? "" : `  ${paint("dim", sizeCell(view, step, columns.size))}`;
  return `${head}${size}  ${parametersAndOutput(view, step, parameters, columns)}`.trimEnd();
}

function sizeCell(view: ShowView, { output_ref }: Step, width: number): string {
  return padStart(output_ref === undefined ? "-" : blobSizeText(view, output_ref), width);
}

/** Shortens a name. Of `mcp__server__tool` the tool is kept; of a long name, the beginning and the end. */
function fitName(name: string, width: number): string {
  if (widthOf(name) <= width || !/^[\x20-\x7e]+$/.test(name)) return fit(name, width);
  const short = shortName(name);
  if (short.length <= width) return short;
  const tool = short === name ? name : short.slice(1);
  const end = Math.floor((width - 1) / 2);
  return `${tool.slice(0, width - 1 - end)}…${tool.slice(-end)}`;
}

/** Returns `…tool` for `mcp__server__tool`, and any other name as it is. */
function shortName(name: string): string {
  const tool = /^[\x20-\x7e]+__(?=[\x20-\x5e\x60-\x7e])([\x20-\x7e]+)$/.exec(name)?.[1];
  return tool === undefined ? name : `…${tool}`;
}

/** Returns a width that the names of four in five rows fit: the others are cut. */
function commonWidth(rows: readonly Row[]): number {
  const widths = rows.map((row) => widthOf(shortName(row.name))).sort((a, b) => a - b);
  return widths[Math.floor((widths.length - 1) * 0.8)] ?? 0;
}

function measureColumns(rows: readonly Row[], lastIndex: number, width: number): Columns {
  const layout = layouts.find((candidate) => width >= candidate.width) ?? layouts[3];
  const widest = { time: 0, name: 0, short: 0, parameters: 0 };
  for (const row of rows) {
    if (layout.hasTime) widest.time = Math.max(widest.time, row.time.length);
    widest.name = Math.max(widest.name, widthOf(row.name));
    widest.short = Math.max(widest.short, widthOf(shortName(row.name)));
    widest.parameters = Math.max(widest.parameters, widthOf(row.parameters));
  }
  const index = String(lastIndex).length;
  const name = Math.min(
    layout.name,
    Math.max(usualName, Math.min(layout.usual, widest.short), commonWidth(rows)),
    widest.name,
  );
  const { size, hasOutput } = layout;
  const room = roomBeside(width, { index, time: widest.time, name, size });
  const share = rows.every(({ step }) => failureOf(step) !== undefined) ? failedShare : parametersShare;
  const parameters = Math.min(widest.parameters, Math.floor(room * share));
  return { index, time: widest.time, name, size, parameters, room, hasOutput };
}

function roomBeside(
  width: number,
  { index, time, name, size }: Pick<Columns, "index" | "time" | "name" | "size">,
): number {
  const used = 2 + index + 2 + (time === 0 ? 0 : time + 2) + 2 + name + (size === 0 ? 0 : 2 + size) + 2;
  return Math.max(0, width - used);
}

/** Returns columns for steps that are not known yet. */
export function columnsFor(width: number, hasTimes: boolean): Columns {
  const layout = layouts.find((candidate) => width >= candidate.width) ?? layouts[3];
  const [index, time] = [3, layout.hasTime && hasTimes ? 7 : 0];
  const name = Math.min(layout.name, 16);
  const { size, hasOutput } = layout;
  const room = roomBeside(width, { index, time, name, size });
  return { index, time, name, size, parameters: Math.floor(room * parametersShare), room, hasOutput };
}

/**
 * Returns parameters and output. Without parameters, the output gets the whole room; parameters that are
 * longer than their column take the room that a short output leaves.
 */
function parametersAndOutput(
  view: ShowView,
  step: Step,
  text: string,
  { parameters, room, hasOutput }: Columns,
): string {
  if (text === "") return outputText(view, step, step.output_ref, room);
  const shown = hasOutput || isDamaged(view, step) ? step.output_ref : undefined;
  const plain: ShowView = { ...view, paint: (_style, painted) => painted };
  const all = widthOf(outputText(plain, step, shown, room));
  // Why a call failed or was denied takes more than its share from the parameters, if it has to.
  const least =
    failureOf(step) === undefined ? parameters : Math.max(Math.floor(room * failedShare), room - 3 - all);
  const start = Math.min(parameters, least);
  const output = outputText(view, step, shown, room - start - 3);
  if (output === "" && shown === undefined) return fitParameters(text, room);
  const used = widthOf(outputText(plain, step, shown, room - start - 3));
  const column = Math.max(start, Math.min(widthOf(printable(text)), room - 3 - used));
  return `${padEnd(fitParameters(text, column), column)} ${view.paint("dim", "→")} ${output}`;
}

/**
 * Returns the status, unless it is good; the run that the step started; the most telling line of its output.
 */
function outputText(view: ShowView, step: Step, output: Reference | undefined, room: number): string {
  const parts: string[] = [];
  let left = room;
  const add = (style: Parameters<Paint>[0], text: string): void => {
    const shown = fit(text, left);
    if (shown === "") return;
    parts.push(view.paint(style, shown));
    left -= widthOf(shown) + 2;
  };
  const ending = failureOf(step) ?? (step.metadata?.["status"] === "unanswered" ? "unanswered" : undefined);
  if (ending !== undefined) add(ending === "error" ? "red" : "yellow", ending);
  if (step.pack !== undefined) add("yellow", `ctx://${shortHash(step.pack)}`);
  if (output !== undefined) parts.push(firstLine(view, output, left, outputKind(step)));
  return parts.join("  ").trimEnd();
}

function outputKind(step: Step): OutputKind | undefined {
  const failure = failureOf(step);
  if (failure === "error" || failure === "denied") return failure;
  const has = (name: string): boolean => Object.hasOwn(step.parameters, name);
  // Editors have commands, too, and show files.
  return (has("command") || has("cmd")) && !has("path") ? "command" : undefined;
}

function isDamaged(view: ShowView, { output_ref }: Step): boolean {
  return output_ref !== undefined && previewOf(view, output_ref).damage !== undefined;
}

export function startTime(manifest: Manifest): Time | undefined {
  const first = manifest.steps.find(({ timestamp }) => timestamp !== undefined)?.timestamp;
  return first === undefined ? undefined : knownTime(first);
}

function sinceStart(start: Time | undefined, step: Step): string {
  return start === undefined || step.timestamp === undefined
    ? ""
    : sinceText(start, knownTime(step.timestamp));
}

/** Returns what an agent put in, where a step is such a text: `agents_md`, `compaction`. */
function contextKind({ type, metadata }: Step): string {
  const kind = type === "context" ? metadata?.["kind"] : undefined;
  return typeof kind === "string" ? kind : "";
}
