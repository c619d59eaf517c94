// The line that says which run a screen is about.
import type { Reference } from "../base/digest.js";
import { fit, type Paint, shortHash } from "./layout.js";

/** Returns the short URI of a pack and its title. */
export function runHead(pack: Reference, title: string | null, paint: Paint, width: number): string {
  const name = `ctx://${shortHash(pack)}`;
  return `${paint("yellow", name)}  ${title === null ? "" : fit(title, width - name.length - 2)}`.trimEnd();
}
