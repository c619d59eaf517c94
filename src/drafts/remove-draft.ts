// Removes a draft once all of it is in a pack. Files that the user added or changed meanwhile are never
// removed.
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256, startSha256 } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { entriesIn, piecesOf, readWhole, smallSize, usingRegular, withBelow } from "../base/fs/files.js";
import { logName } from "./draft.js";
import { isUntouchedReadme, readmeName } from "./draft-readme.js";

export interface DraftRemoval {
  /** What each sealed file contained, by its path. */
  sealed: ReadonlyMap<string, string>;
  /** The contents that are safe: those of the new pack and of its parent. */
  held: ReadonlySet<string>;
  /** Keep the folder itself: a process is in it. */
  keepFolder: boolean;
}

/**
 * Removes a draft, and returns notices for the user, one line each. By now the pack is durable: nothing that
 * goes wrong here is an error.
 */
export function removeDraft(folder: string, removal: DraftRemoval): string[] {
  try {
    // A link to a draft is not the draft.
    if (!fs.lstatSync(folder).isDirectory()) return [`${folder} is a link, so the draft was not removed`];
    return withBelow(folder, (enter) => new DraftRemover(enter, removal).remove(folder));
  } catch (error) {
    if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
    return [
      `the draft could not be removed, or not all of it (${errnoOf(error) ?? (error as Error).message})`,
    ];
  }
}

type EnterFolder = <T>(path: string, work: (file: string) => T) => T;

class DraftRemover {
  readonly #enter: EnterFolder;
  readonly #removal: DraftRemoval;
  readonly #left: string[] = [];
  /** The signatures of files when they were compared. */
  readonly #seen = new Map<string, string>();

  constructor(enter: EnterFolder, removal: DraftRemoval) {
    this.#enter = enter;
    this.#removal = removal;
  }

  remove(folder: string): string[] {
    const changed = [...this.#removal.sealed].find(([path, hex]) => {
      this.#seen.set(path, this.#enter(path, signatureOf));
      return this.#enter(path, hashOf) !== hex;
    });
    if (changed !== undefined)
      return [`${changed[0]} was changed while the draft was sealed, so the draft was not removed`];
    // Without it the folder is no longer a draft, whatever happens to the rest.
    this.#enter(logName, fs.unlinkSync);
    this.#clear("");
    if (!this.#removal.keepFolder && this.#left.length === 0) fs.rmdirSync(folder);
    return this.#left;
  }

  /** Empties a folder; returns true if nothing is left in it. */
  #clear(inside: string): boolean {
    const before = this.#left.length;
    const here = inside === "" ? "." : inside;
    for (const entry of this.#enter(here, entriesIn)) {
      const path = join(inside, entry.name);
      try {
        if (entry.isDirectory()) {
          if (this.#clear(path)) this.#enter(path, fs.rmdirSync);
        } else if (entry.isFile() && this.#isSafe(path)) this.#enter(path, fs.unlinkSync);
        else this.#left.push(`${path} is not in the pack, and was left in the draft`);
      } catch (error) {
        if (!(error instanceof CtxError) && errnoOf(error) === undefined) throw error;
        this.#left.push(`${path} could not be removed (${errnoOf(error) ?? "it is not a regular file"})`);
      }
    }
    return this.#left.length === before;
  }

  /** Returns whether nothing is lost with a file. */
  #isSafe(path: string): boolean {
    // Compared already; a file that was saved since then is another file.
    if (this.#removal.sealed.has(path)) return this.#enter(path, signatureOf) === this.#seen.get(path);
    if (path === readmeName)
      return this.#enter(path, (file) =>
        usingRegular(file, ({ descriptor }) => isUntouchedReadme(readWhole(descriptor))),
      );
    return this.#removal.held.has(this.#enter(path, hashOf));
  }
}

/** Returns a value that changes when a file is written to or replaced. */
function signatureOf(file: string): string {
  const { size, mtimeMs, ctimeMs, ino } = fs.lstatSync(file);
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

function hashOf(file: string): string {
  return usingRegular(file, (opened) => {
    if (opened.size <= smallSize) return sha256(readWhole(opened.descriptor));
    const hash = startSha256();
    for (const piece of piecesOf(opened.descriptor)) hash.add(piece);
    return hash.hex();
  });
}
