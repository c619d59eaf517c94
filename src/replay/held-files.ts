// The files that a log holds, as its steps come to them: inputs, and what earlier steps wrote. Known from the
// manifest alone, before anything runs.
import { posix } from "node:path";
import { type Manifest, type Step, workdirOf } from "../model/manifest.js";
import { outsideName } from "../model/names.js";

/** Returns the folder in which a run took place; `/workspace` if the log does not say. */
export function folderOf(manifest: Manifest): string {
  const workdir = workdirOf(manifest);
  return workdir === undefined || !workdir.startsWith("/")
    ? "/workspace"
    : posix.normalize(workdir).replace(/(?<=.)\/+$/, "");
}

/** Returns the absolute folder in which a step took place. */
export function stepFolder({ metadata }: Step, workdir: string): string {
  const folder = metadata?.["cwd"];
  return posix.resolve(workdir, typeof folder === "string" ? folder : ".");
}

/**
 * Returns the name of a file in a pack: its path below the run's folder, or `.outside` and its absolute path.
 */
export function fileName(path: string, folder: string, workdir: string): string {
  const absolute = posix.resolve(folder, path);
  if (absolute.startsWith(`${workdir}/`)) return absolute.slice(workdir.length + 1);
  return workdir === "/" ? absolute.slice(1) : `${outsideName}${absolute}`;
}

export class HeldFiles {
  readonly #names: Set<string>;

  constructor(manifest: Manifest) {
    this.#names = new Set(manifest.inputs.map(({ name }) => posix.normalize(name)));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    this.#names.add(name);
  }
}
