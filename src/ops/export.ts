// `ctx export`: writes packs into one file that any ctx can import and other programs can read.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { asIoError, CtxError, errnoOf, withPath } from "../base/errors.js";
import { checkSize, usingDescriptor, writeAll } from "../base/fs/files.js";
import { openNew } from "../base/fs/owner-mode.js";
import type { ExportResult } from "../results/share.js";
import { layoutSize, sendLayout } from "../bundle/write-layout.js";
import { flushFolder } from "../store/flush.js";
import { isOwnerRunning, ownId } from "../store/lock.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { leaving, type LeavingOptions } from "../bundle/outgoing.js";

export interface ExportOptions extends LeavingOptions {
  /** The file to write; without it, the bytes are passed to `write`. */
  file?: string;
  /** Replace an existing file. */
  force?: boolean;
  write?: (piece: Buffer) => void;
  dryRun?: boolean;
  progress?: (done: number, of: number) => void;
}

/** Writes packs into a file atomically: it exists completely or not at all. */
export function exportPacks(
  store: Store,
  names: readonly string[],
  options: ExportOptions = {},
): ExportResult {
  try {
    const { packs, absent, artifacts, kept, personal } = leaving(store, names, options);
    const { file = "-", force = false, dryRun = false } = options;
    if (file !== "-" && !dryRun) {
      clearUnfinished(dirname(file));
      refuseExisting(file, force);
    }
    const bytes = layoutSize(store.root, artifacts, kept);
    const result: ExportResult = {
      file,
      bytes,
      packs,
      absent,
      ...(personal === undefined ? {} : { personal }),
    };
    options.before?.(packs, personal);
    if (dryRun) return { ...result, dry_run: true };
    const send = (take: (piece: Buffer) => void): void => {
      let done = 0;
      sendLayout(store.root, artifacts, {
        kept,
        take: (piece) => {
          take(piece);
          done += piece.length;
          options.progress?.(done, bytes);
        },
      });
    };
    if (file === "-") send(options.write ?? (() => undefined));
    else writeFile(file, { send, bytes, force });
    return result;
  } catch (error) {
    throw asIoError(error);
  }
}

/** Returns the default file name for these packs. */
export function exportName(store: Store, names: readonly string[]): string {
  const [only, another] = names;
  if (only === undefined || another !== undefined) return "packs.ctx";
  return `${resolvePack(store, only).slice(0, 12)}.ctx`;
}

interface Writing {
  send: (take: (piece: Buffer) => void) => void;
  bytes: number;
  force: boolean;
}

const unfinished = ".ctx-export-";

/**
 * Writes a temporary file in the same folder, flushes it, and renames it. Only the owner can read it: sharing
 * it is the owner's decision.
 */
function writeFile(file: string, { send, bytes, force }: Writing): void {
  const temporary = join(dirname(file), `${unfinished}${ownId()}`);
  try {
    withPath(file, "write", () =>
      usingDescriptor(openNew(temporary, 0o600), (descriptor) => {
        send((piece) => writeAll(descriptor, piece));
        checkSize(temporary, descriptor, bytes);
        fs.fsyncSync(descriptor);
      }),
    );
    withPath(file, "create", () => {
      if (force) fs.renameSync(temporary, file);
      else placeIfFree(temporary, file);
    });
    flushFolder(dirname(file));
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Removes the leftovers of killed exports. */
function clearUnfinished(folder: string): void {
  try {
    for (const name of fs.readdirSync(folder))
      if (name.startsWith(unfinished) && isOwnerRunning(name.slice(unfinished.length)) === false)
        fs.rmSync(join(folder, name), { force: true });
  } catch (error) {
    // A leftover that cannot be listed or removed does no harm.
    if (errnoOf(error) === undefined) throw error;
  }
}

function placeIfFree(temporary: string, file: string): void {
  try {
    fs.linkSync(temporary, file);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw exists(file);
    if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw exists(file);
    // The file system may have no hard links: the check above has to suffice.
    fs.renameSync(temporary, file);
  }
}

/**
 * Throws if the file exists and may not be replaced. Only a plain file is ever replaced, because others may
 * use a device or a link.
 */
function refuseExisting(file: string, force: boolean): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!force) throw exists(file);
  if (!stat.isFile())
    throw new CtxError("exists", `${file} is not a plain file, and is not replaced`, {
      hint: "name another file with -o, or - for standard output",
    });
}

function exists(file: string): CtxError {
  return new CtxError("exists", `${file} exists already`, {
    hint: "name another file with -o, or replace it with --force",
  });
}
