// Renders the steps of a run, one per line: the time, the call, its parameters, its status and its output. If
// a run has several turns, a line names the prompt that the next steps answer.
import { printable } from "../base/printable.js";
import type { Manifest, Step } from "../model/manifest.js";
import { knownTime, type Time } from "../model/times.js";
import { fit, type Paint, padEnd, padStart, shortHash, sinceText, widthOf } from "./layout.js";
import { fitParameters, parametersText } from "./parameters.js";
import { firstLine, blobSizeText, sectionTitle, type ShowView } from "./show-view.js";

/** The ways in which a call can fail. Other values come from a stranger's log, and mean nothing here. */
const failureStyles: ReadonlyMap<unknown, Parameters<Paint>[0]> = new Map([
  ["error", "red"],
  ["denied", "yellow"],
  ["interrupted", "yellow"],
  ["unanswered", "yellow"],
]);

interface Row {
  step: Step;
  time: string;
  name: string;
  parameters: string;
}

interface Columns {
  index: number;
  time: number;
  name: number;
  /** The width of the column of parameters. */
  parameters: number;
  /** The room for parameters and output. */
  room: number;
}

export function stepLines(view: ShowView): string[] {
  const list = view.manifest.steps;
  if (list.length === 0) return [];
  const start = startTime(view.manifest);
  const { workdir } = view.manifest.metadata ?? {};
  const folder = typeof workdir === "string" ? workdir : undefined;
  const rows = list.map((step) => ({
    step,
    time: sinceStart(start, step),
    name: printable(stepName(step)),
    parameters: parametersText(step.parameters, folder),
  }));
  const columns = measureColumns(rows, view.width);
  const severalTurns = new Set(list.flatMap((step) => turnOf(step) ?? [])).size > 1;
  const lines = [sectionTitle(view, "steps", legend(list))];
  let turn: number | undefined;
  for (const [index, row] of rows.entries()) {
    const own = severalTurns ? turnOf(row.step) : undefined;
    if (own !== undefined && own !== turn) lines.push(turnLine(view, own));
    turn = own ?? turn;
    lines.push(stepLine(view, index, row, columns));
  }
  return lines;
}

function legend(list: readonly Step[]): string {
  const deterministicCount = list.filter((step) => step.deterministic).length;
  const left = list.filter(isAbandoned).length;
  const text = `${list.length}   ${deterministicCount} deterministic (=), ${list.length - deterministicCount} not (~)`;
  return left === 0 ? text : `${text}, ${left} abandoned (x)`;
}

/** Returns the number of the prompt that a step answers. */
function turnOf({ metadata }: Step): number | undefined {
  const turn = metadata?.["turn"];
  return typeof turn === "number" && Number.isSafeInteger(turn) ? turn : undefined;
}

function turnLine(view: ShowView, turn: number): string {
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

function stepLine(view: ShowView, index: number, row: Row, columns: Columns): string {
  if (!isAbandoned(row.step)) return `  ${rowText(view, index, row, columns)}`;
  // One colour for all of it: the end of any other would end this one too.
  const plain: ShowView = { ...view, paint: (_style, text) => text };
  return view.paint("dim", `x ${rowText(plain, index, row, columns)}`);
}

function rowText(
  view: ShowView,
  index: number,
  { step, time, name, parameters }: Row,
  columns: Columns,
): string {
  const { paint } = view;
  const since = columns.time === 0 ? "" : `${padStart(time, columns.time)}  `;
  const mark = step.deterministic ? paint("green", "=") : paint("dim", "~");
  const nameCell = paint(
    step.tool === undefined ? "dim" : "cyan",
    padEnd(fit(name, columns.name), columns.name),
  );
  const size = padStart(step.output_ref === undefined ? "-" : blobSizeText(view, step.output_ref), 7);
  const head = `${padStart(String(index), columns.index)}  ${paint("dim", since)}${mark} ${nameCell}  ${paint("dim", size)}`;
  return `${head}  ${parametersAndOutput(view, step, parameters, columns)}`.trimEnd();
}

function measureColumns(rows: readonly Row[], width: number): Columns {
  const isNarrow = width < 60;
  const widest = { time: 0, name: 0, asked: 0 };
  for (const row of rows) {
    if (!isNarrow) widest.time = Math.max(widest.time, row.time.length);
    widest.name = Math.max(widest.name, widthOf(row.name));
    widest.asked = Math.max(widest.asked, widthOf(row.parameters));
  }
  const index = String(rows.length - 1).length;
  const name = Math.min(widest.name, isNarrow ? 10 : 24);
  const usedWidth = 2 + index + 2 + (widest.time === 0 ? 0 : widest.time + 2) + 2 + name + 2 + 7 + 2;
  const room = Math.max(0, width - usedWidth);
  return { index, time: widest.time, name, parameters: Math.min(widest.asked, Math.floor(room / 2)), room };
}

/** Returns parameters and output. Without parameters, the output gets the whole room. */
function parametersAndOutput(
  view: ShowView,
  step: Step,
  text: string,
  { parameters, room }: Columns,
): string {
  if (text === "") return outputText(view, step, room);
  const output = outputText(view, step, room - parameters - 3);
  if (output === "" && step.output_ref === undefined) return fit(text, room);
  return `${padEnd(fitParameters(text, parameters), parameters)} ${view.paint("dim", "→")} ${output}`;
}

/** Returns the status, unless it is good; the run that the step started; the first line of its output. */
function outputText(view: ShowView, step: Step, room: number): string {
  const parts: string[] = [];
  let left = room;
  const add = (style: Parameters<Paint>[0], text: string): void => {
    const shown = fit(text, left);
    if (shown === "") return;
    parts.push(view.paint(style, shown));
    left -= widthOf(shown) + 2;
  };
  const status = step.metadata?.["status"];
  const failureStyle = failureStyles.get(status);
  if (failureStyle !== undefined) add(failureStyle, status as string);
  if (step.pack !== undefined) add("yellow", `ctx://${shortHash(step.pack)}`);
  if (step.output_ref !== undefined) parts.push(firstLine(view, step.output_ref, left));
  return parts.join("  ").trimEnd();
}

function startTime(manifest: Manifest): Time | undefined {
  const first = manifest.steps.find(({ timestamp }) => timestamp !== undefined)?.timestamp;
  return first === undefined ? undefined : knownTime(first);
}

function sinceStart(start: Time | undefined, step: Step): string {
  return start === undefined || step.timestamp === undefined
    ? ""
    : sinceText(start, knownTime(step.timestamp));
}

function stepName({ type, tool, metadata }: Step): string {
  const kind = type === "context" ? metadata?.["kind"] : undefined;
  return tool ?? (typeof kind === "string" ? `${type}: ${kind}` : type);
}
