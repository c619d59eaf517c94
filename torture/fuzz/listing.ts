// The content of a folder, and its changes: checked after every input, so a folder is read again only when it
// was written to.
import * as fs from "node:fs";

/** Every path with a stamp that shows whether it has changed. */
export type Listing = ReadonlyMap<string, string>;

/** Paths that may be lost or made again at any time. */
const passing = /^\.ctx\/cache(?:\/|$)/;
/** Milliseconds within which two writes may get the same time, as clocks of file systems are coarse. */
const tick = 25;

interface Known {
  mtimeMs: number;
  /** When it was read. */
  at: number;
  entries: { name: string; isFolder: boolean }[];
}

export class Lister {
  readonly #folder: string;
  readonly #known = new Map<string, Known>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  list(): Map<string, string> {
    const found = new Map<string, string>();
    const walk = (inside: string): void => {
      for (const { name, isFolder } of this.#entries(inside)) {
        const path = inside === "" ? name : `${inside}/${name}`;
        if (passing.test(path)) continue;
        const state = isFolder ? "folder" : this.state(path);
        if (state === undefined) continue;
        found.set(path, state);
        if (isFolder) walk(path);
      }
    };
    walk("");
    return found;
  }

  /** Returns a stamp that shows whether a file has changed; undefined when it does not exist. */
  state(path: string): string | undefined {
    const stat = fs.lstatSync(`${this.#folder}/${path}`, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) return stat === undefined ? undefined : "folder";
    return `${stat.size} ${stat.mtimeMs} ${stat.ino} ${stat.mode}`;
  }

  #entries(inside: string): Known["entries"] {
    const path = `${this.#folder}/${inside}`;
    const known = this.#known.get(inside);
    const { mtimeMs } = fs.statSync(path);
    if (known?.mtimeMs === mtimeMs && known.at - mtimeMs > tick) return known.entries;
    const at = Date.now();
    const entries = fs
      .readdirSync(path, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    this.#known.set(inside, { mtimeMs, at, entries });
    return entries;
  }
}

/** Paths that have changed. */
export function changes(before: Listing, after: Listing): string[] {
  const changed: string[] = [];
  for (const path of before.keys()) if (!after.has(path)) changed.push(path);
  for (const [path, state] of after) if (before.get(path) !== state) changed.push(path);
  return changed;
}
