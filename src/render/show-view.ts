// Shared by the parts of `ctx show`: the run, the screen, and a look at its contents.
import type { Reference } from "../base/digest.js";
import type { Manifest } from "../model/manifest.js";
import type { Preview, RunOverview } from "../results/show.js";
import { fit, type Paint, sizeText } from "./layout.js";
import { denialLine, failureLine, resultLine, tellingLine } from "./telling-line.js";

export interface ShowView {
  previews: RunOverview["previews"];
  manifest: Manifest;
  /** The file that contains the run, as it was typed; undefined if the run is in the store. */
  file?: string | undefined;
  paint: Paint;
  width: number;
}

/** Returns the heading of a part. */
export function sectionTitle(view: ShowView, text: string, detail: string): string {
  return `${view.paint("bold", text)}  ${view.paint("dim", fit(detail, view.width - text.length - 2))}`.trimEnd();
}

export function previewOf(view: ShowView, reference: Reference): Preview {
  return view.previews[reference] as Preview;
}

export function blobSizeText(view: ShowView, reference: Reference): string {
  const preview = previewOf(view, reference);
  return preview.damage === undefined ? sizeText(preview.size) : "?";
}

/** The output of a call that failed, of one that was denied, or of a command. */
export type OutputKind = "error" | "denied" | "command";

function lineOf(text: string, kind: OutputKind | undefined): string {
  switch (kind) {
    case "error":
      return failureLine(text);
    case "denied":
      return denialLine(text);
    case "command":
      return resultLine(text);
    default:
      return tellingLine(text);
  }
}

/**
 * Returns the most telling line of a content, or a word in its place if it is damaged, binary or empty.
 * `kind`: what it is the output of, if that decides which line tells most.
 */
export function firstLine(view: ShowView, reference: Reference, room: number, kind?: OutputKind): string {
  const { damage, text, size, tail } = previewOf(view, reference);
  if (damage !== undefined) return view.paint("red", fit("damaged", room));
  if (text === null) return view.paint("dim", fit("(binary)", room));
  if (size === 0) return view.paint("dim", fit("(empty)", room));
  return fit(lineOf(tail === undefined ? text : `${text}\n${tail}`, kind), room);
}
