// Fills a workspace: a copy of a folder or a revision, if requested, overlaid with the inputs of the run, by
// name.
import * as fs from "node:fs";
import { hexOf } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import { outsideName } from "../model/names.js";
import type { EnvironmentFact } from "../results/replay.js";
import { storeName } from "../store/layout.js";
import { readObject } from "../store/objects.js";
import { StepFailure } from "./outcome.js";
import type { Workspace } from "./workspace.js";

/**
 * Writes the inputs into the workspace. An input that is missing, damaged or has an impossible name is
 * reported and does not stop the rest; one that does not fit on the disk leaves nothing behind, and the
 * workspace records it as lost.
 */
export function writeInputs(
  store: { root: string },
  { inputs }: Manifest,
  { workspace, notices }: { workspace: Workspace; notices: string[] },
): EnvironmentFact[] {
  return inputs.map(({ name, content_ref }) => {
    const fact = { kind: "input", name, recorded: content_ref } as const;
    try {
      const path = workspace.locate(name);
      workspace.write(path, readObject(store.root, hexOf(content_ref)));
      return { ...fact, found: content_ref, status: "same" };
    } catch (error) {
      const isMissing = error instanceof CtxError && error.code === "missing";
      const isDamaged = error instanceof CtxError && error.code === "damaged";
      if (!isMissing && !isDamaged && !(error instanceof StepFailure) && errnoOf(error) === undefined)
        throw error;
      notices.push(`input ${name} is not in the workspace: ${(error as Error).message}`.slice(0, 500));
      return { ...fact, found: null, status: isDamaged ? "damaged" : "missing" };
    }
  });
}

/** Returns the names of files that the run had outside its own folder. */
export function namesOutside({ inputs, outputs }: Manifest): Set<string> {
  const names = [...inputs, ...outputs].map(({ name }) => name);
  return new Set(names.filter((name) => name.startsWith(`${outsideName}/`)));
}

export interface CopyOptions {
  /** A folder that is not copied: the workspace may be inside the folder that it is a copy of. */
  except: string;
  /** Maximum size of the copy in bytes; by default half of what is free. */
  room?: number;
}

/**
 * Copies a folder without the store in it. Links stay links; whatever is neither file, folder nor link is
 * skipped and reported. Throws before it copies anything if there is not enough room: the copy of a sparse
 * file, such as a disk image, takes its whole size. Names are byte strings here, as a checkout can have some
 * that are not UTF-8.
 */
export function copyFolder(from: string, to: string, options: CopyOptions): string[] {
  const notices: string[] = [];
  const entries = entriesToCopy(from, options.except);
  const size = entries.reduce((total, { stat }) => total + (stat.isFile() ? stat.size : 0), 0);
  const room = options.room ?? halfOfFreeSpace(to);
  if (size > room)
    throw new CtxError(
      "io",
      `a copy of ${from} would take ${size} bytes, and half of what is free in the temporary folder is ${room}`,
      { hint: "set TMPDIR to a folder on a larger disk, or copy what the run needs and name that" },
    );
  const modes: [folder: Buffer, mode: number][] = [];
  for (const { path, stat } of entries) {
    const [source, target] = [bytesOf(from, path), bytesOf(to, path)];
    if (stat.isDirectory()) {
      fs.mkdirSync(target);
      modes.push([target, stat.mode & 0o777]);
    } else if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source, "buffer"), target);
    else if (stat.isFile())
      withPath(source.toString(), "copy", () =>
        fs.copyFileSync(source, target, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE),
      );
    else notices.push(`${Buffer.from(path, "latin1").toString()} is not a file or folder, and was left out`);
  }
  // Set modes last, inner folders first: a folder may be read-only for its owner.
  for (const [folder, mode] of modes.toReversed()) fs.chmodSync(folder, mode);
  return notices;
}

/** Lists everything to copy, folders before their contents; paths are byte strings. */
function entriesToCopy(from: string, except: string): { path: string; stat: fs.Stats }[] {
  const found: { path: string; stat: fs.Stats }[] = [];
  const list = (inside: string): void => {
    const folder = bytesOf(from, inside);
    for (const name of withPath(folder.toString(), "list", () => fs.readdirSync(folder, "latin1"))) {
      const path = inside === "" ? name : `${inside}/${name}`;
      const source = bytesOf(from, path);
      if (name === storeName || source.equals(Buffer.from(except))) continue;
      const stat = fs.lstatSync(source);
      found.push({ path, stat });
      if (stat.isDirectory()) list(path);
    }
  };
  list("");
  return found;
}

function bytesOf(folder: string, path: string): Buffer {
  return path === ""
    ? Buffer.from(folder)
    : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}

/** Returns how much a copy may take of the disk that a folder is on, in bytes. */
export function halfOfFreeSpace(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return Math.floor((bavail * bsize) / 2);
}
