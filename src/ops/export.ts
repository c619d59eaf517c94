// `ctx export`: writes packs into one file that any ctx can import and other programs can read.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { asIoError, CtxError } from "../base/errors.js";
import { createFile, type FileContent, replaceFile, sweepLeftovers } from "../base/fs/atomic.js";
import type { ExportResult } from "../results/share.js";
import { layoutSize, sendLayout } from "../bundle/write-layout.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { collectOutgoing, type OutgoingOptions } from "../bundle/outgoing.js";

export interface ExportOptions extends OutgoingOptions {
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
    const { packs, absent, artifacts, kept, personal } = collectOutgoing(store, names, options);
    const { file = "-", force = false, dryRun = false } = options;
    if (file !== "-" && !dryRun) {
      sweepLeftovers(dirname(file));
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
    else placeFile(file, send, force);
    return result;
  } catch (error) {
    throw asIoError(error);
  }
}

/**
 * Writes a file that only its owner can read, because sharing it is the owner's decision. Throws if there is
 * one of that name and `force` is not set.
 */
export function placeFile(file: string, content: FileContent, force: boolean): void {
  refuseExisting(file, force);
  const access = { durable: true, mode: 0o600 };
  if (force) replaceFile(file, content, access);
  else if (!createFile(file, content, access)) throw exists(file);
}

/** Returns the default file name for these packs. */
export function exportName(store: Store, names: readonly string[]): string {
  const [only, another] = names;
  if (only === undefined || another !== undefined) return "packs.ctx";
  return `${resolvePack(store, only).slice(0, 12)}.ctx`;
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
    throw new CtxError("exists", `${file} is not a regular file, so it was not replaced`, {
      hint: "name another file with -o, or - for standard output",
    });
}

function exists(file: string): CtxError {
  return new CtxError("exists", `${file} already exists`, {
    hint: "name another file with -o, or replace it with --force",
  });
}
