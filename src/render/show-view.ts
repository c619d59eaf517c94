// What the parts of `ctx show` have in common: the run, the place that it is shown in, and a look at its
// contents.
import type { Reference } from "../base/digest.js";
import type { Manifest } from "../model/manifest.js";
import type { Preview, ShowResult } from "../results/show.js";
import { fit, type Paint, sizeText } from "./layout.js";

export interface View {
  result: ShowResult;
  manifest: Manifest;
  /** The file that it is in, as it was typed; it is in the store otherwise. */
  file?: string | undefined;
  paint: Paint;
  width: number;
}

/** The line over a part. */
export function title(view: View, text: string, detail: string): string {
  return `${view.paint("bold", text)}  ${view.paint("dim", fit(detail, view.width - text.length - 2))}`.trimEnd();
}

export function look(view: View, reference: Reference): Preview {
  return view.result.previews.get(reference) as Preview;
}

export function sizeOf(view: View, reference: Reference): string {
  const preview = look(view, reference);
  return preview.damage === undefined ? sizeText(preview.size) : "?";
}

/** The first line of a content that says something, or what is to be said in its place. */
export function firstLine(view: View, reference: Reference, room: number): string {
  const { damage, text, size } = look(view, reference);
  if (damage !== undefined) return view.paint("red", fit("damaged", room));
  if (text === null) return view.paint("dim", fit("(binary)", room));
  if (size === 0) return view.paint("dim", fit("(empty)", room));
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return fit(line.trim(), room);
}
