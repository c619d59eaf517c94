// Renders selected steps of a run, and the files that its steps used.
import type { Reference } from "../base/digest.js";
import { appendAll, maxOf } from "../base/lists.js";
import { rangesText } from "../base/ranges.js";
import { unrecordedFailures } from "../model/coverage-codes.js";
import { recordsStatus } from "../model/failed-calls.js";
import type { FileUse, ShowFilesResult, StepsOverview } from "../results/show.js";
import {
  commandLines,
  countText,
  fit,
  padEnd,
  painter,
  type Screen,
  shellWord,
  shortHash,
  widthOf,
  wrap,
} from "./layout.js";
import { runHead } from "./run-head.js";
import { stepLines } from "./show-steps.js";
import type { ShowView } from "./show-view.js";

/** Renders the rows of the selected steps. `name` is the pack as it was typed. */
export function renderSteps(
  { manifest, title, steps, previews }: StepsOverview,
  screen: Screen,
  name: string,
): string {
  const paint = painter(screen);
  const view: ShowView = { manifest, previews, paint, width: Math.max(screen.width, 40) };
  const head = runHead(manifest.hash as Reference, title, paint, view.width);
  if (steps.length === 0) return `${head}\n${noFailure(manifest)}\n`;
  const next = `ctx show ${shellWord(name)} --steps ${rangesText(steps)} --full`;
  const nextLines = commandLines("in full:", [next], view.width).map((line) => paint("dim", line));
  return `${head}\n\n${stepLines(view, steps).join("\n")}\n\n${nextLines.join("\n")}\n`;
}

/** Says why no call is listed as failed. */
function noFailure(manifest: StepsOverview["manifest"]): string {
  const unrecorded = unrecordedFailures(manifest);
  if (unrecorded !== undefined) return `the log does not record ${unrecorded}`;
  return recordsStatus(manifest.steps)
    ? "no call failed, according to the log"
    : "the log does not say whether any call failed";
}

const columnTitles = ["read", "written", "deleted"] as const;

/** Renders the files of a run: a line each, with the steps that used it. */
export function renderFiles({ pack, title, files, commands }: ShowFilesResult, screen: Screen): string {
  const paint = painter(screen);
  const width = Math.max(screen.width, 40);
  const shown = columnTitles.filter((kind) => files.some((file) => file[kind].length > 0));
  const counts = shown.map((kind) => `${files.filter((file) => file[kind].length > 0).length} ${kind}`);
  const lines = [
    runHead(pack, title, paint, width),
    "",
    `${paint("bold", "files")}  ${paint("dim", fit([String(files.length), counts.join(", ")].join("   ").trimEnd(), width - 7))}`,
    ...tableLines(files, shown, width, (text) => paint("dim", text)),
  ];
  if (commands.length > 0) {
    const text = `${countText(commands.length, "call")} may have used other files: ${commands.length === 1 ? "step" : "steps"} ${rangesText(commands).replaceAll(",", ", ")}`;
    lines.push("");
    appendAll(
      lines,
      wrap(text, width).map((line) => paint("dim", fit(line, width))),
    );
  }
  lines.push("", paint("dim", fit(`one step: ctx show ${shortHash(pack)} --step N`, width)));
  return `${lines.join("\n")}\n`;
}

function tableLines(
  files: readonly FileUse[],
  kinds: readonly (typeof columnTitles)[number][],
  width: number,
  dim: (text: string) => string,
): string[] {
  if (files.length === 0) return [];
  const cells = kinds.map((kind) => files.map((file) => rangesText(file[kind])));
  const widths = cells.map((column, at) =>
    Math.max((kinds[at] as string).length, Math.min(width < 100 ? 14 : 20, maxOf(column, widthOf))),
  );
  const used = widths.reduce((sum, each) => sum + each + 2, 2);
  const longest = maxOf(files, ({ path }) => widthOf(path));
  const room = Math.max(12, Math.min(longest, width - used));
  const row = (first: string, rest: readonly string[]): string =>
    `  ${padEnd(first, room)}${rest.map((text, at) => `  ${padEnd(fit(text, widths[at] as number), widths[at] as number)}`).join("")}`.trimEnd();
  return [
    dim(row("", kinds)),
    ...files.map(({ path }, index) =>
      row(
        fitEnd(path, room),
        cells.map((column) => column[index] as string),
      ),
    ),
  ];
}

/** Cuts a path at its beginning: its end says most. */
function fitEnd(path: string, width: number): string {
  return widthOf(path) <= width || !/^[\x20-\x7e]*$/.test(path)
    ? fit(path, width)
    : `…${path.slice(1 - width)}`;
}
