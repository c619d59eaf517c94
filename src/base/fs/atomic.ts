// Writes files so that each is there whole or not at all: the bytes are written beside the file, flushed, and
// then take its name. After a kill or a power cut at any moment, the name has the old content or the new one.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { errnoOf, withPath } from "../errors.js";
import { ownId } from "../owner-id.js";
import { checkSize, usingDescriptor, writeAll } from "./files.js";
import { flushFolder } from "./flush.js";
import { leftoversIn } from "./leftovers.js";
import { openNew } from "./owner-mode.js";

/** The bytes of a file, or a function that passes them on in pieces. */
export type FileContent = Buffer | ((take: (piece: Buffer) => void) => void);

/** A mode that the umask does not change, and an owner, which stays where that is permitted. */
export interface ExactMode {
  mode: number;
  uid?: number;
  gid?: number;
}

export interface AtomicOptions {
  /** Whether the new content must outlive a power cut once this returns. That of a cache need not. */
  durable: boolean;
  /** Permissions of the file: minus the umask, or exactly as those of another file. */
  mode: number | ExactMode;
  /** Called when the bytes are flushed, before they take the name. Throws if the old content must stay. */
  confirm?: () => void;
  /** The path for messages, if the other one leads through a descriptor. */
  shown?: string;
  /** Whether the caller, which writes many files in this folder, has swept it. */
  isSwept?: boolean;
}

/** Writes a file, replacing an existing one. A link is replaced, and not followed. */
export function replaceFile(path: string, content: FileContent, options: AtomicOptions): void {
  write(path, content, options, (temporary) => fs.renameSync(temporary, path));
}

/** Writes a new file; returns false, and changes nothing, if there is one of that name. */
export function createFile(path: string, content: FileContent, options: AtomicOptions): boolean {
  let isCreated = false;
  write(path, content, options, (temporary) => {
    isCreated = linkIfFree(temporary, path);
    remove(temporary);
  });
  return isCreated;
}

function write(
  path: string,
  content: FileContent,
  options: AtomicOptions,
  name: (temporary: string) => void,
): void {
  const { durable, mode, confirm, shown = path, isSwept = false } = options;
  // Not normalised: `..` behind a link is another folder than its text says.
  const folder = dirname(path);
  if (!isSwept) sweepLeftovers(folder);
  const temporary = `${folder}/${temporaryName(ownId())}`;
  withPath(shown, "write", () => {
    const descriptor = openNew(temporary, typeof mode === "number" ? mode : 0o600);
    try {
      usingDescriptor(descriptor, () => {
        checkSize(shown, descriptor, writeContent(descriptor, content));
        if (typeof mode !== "number") setExactly(descriptor, mode);
        // A flush that fails is final: the file is thrown away.
        fs.fsyncSync(descriptor);
      });
      confirm?.();
      name(temporary);
    } catch (error) {
      remove(temporary);
      throw error;
    }
    if (durable) flushFolder(folder, dirname(shown));
  });
}

/** Writes all bytes, and returns how many they are. */
function writeContent(descriptor: number, content: FileContent): number {
  let size = 0;
  const take = (piece: Buffer): void => {
    writeAll(descriptor, piece);
    size += piece.length;
  };
  if (Buffer.isBuffer(content)) take(content);
  else content(take);
  return size;
}

function setExactly(descriptor: number, { mode, uid, gid }: ExactMode): void {
  try {
    // A file that an administrator edits still belongs to its user.
    if (uid !== undefined && gid !== undefined) fs.fchownSync(descriptor, uid, gid);
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error;
  }
  fs.fchmodSync(descriptor, mode & 0o777);
}

/** What file systems without hard links report. */
const noLinks: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Makes a flushed file available under a name by a link, which fails if the name is taken, as a rename does
 * not; returns whether it was free. Without links, checking first has to do.
 */
export function linkIfFree(staged: string, path: string): boolean {
  try {
    fs.linkSync(staged, path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST" || fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
    if (!noLinks.includes(errno)) throw error;
    fs.renameSync(staged, path);
  }
  return true;
}

function temporaryName(id: string): string {
  return `.ctx-${id}.tmp`;
}

/** Removes what killed processes left in a folder. Every write does this in its folder first. */
export function sweepLeftovers(folder: string): void {
  for (const name of leftoversIn(folder, /^\.ctx-(.+)\.tmp$/, { clockName: temporaryName }))
    remove(`${folder}/${name}`);
}

/** Removes a temporary file. A failure does no harm: another process removes the file later. */
function remove(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
