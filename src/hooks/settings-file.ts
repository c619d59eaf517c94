// Reads and writes settings files that belong to other programs, always as a whole. A file whose bytes could
// not be preserved exactly is refused.
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { checkSize, writeAll } from "../base/fs/files.js";
import { openNew } from "../base/fs/owner-mode.js";
import { flushFolder } from "../store/flush.js";
import { makeFoldersDownTo } from "../store/durable-folders.js";
import { isOwnerRunning, ownId } from "../store/lock.js";

/** Reads the text of a file, following links; returns undefined if there is no file. */
export function readText(file: string): string | undefined {
  return withPath(file, "read", () => {
    const stat = ifThere(() => fs.statSync(file));
    if (stat === undefined) {
      if (ifThere(() => fs.lstatSync(file)) === undefined) return undefined;
      throw refused(`${file} is a link that leads nowhere`);
    }
    if (!stat.isFile()) throw refused(`${file} is not a regular file`);
    const bytes = fs.readFileSync(file);
    if (!isUtf8(bytes)) throw refused(`${file} is not text in UTF-8`);
    return bytes.toString("utf8");
  });
}

function ifThere(look: () => fs.Stats): fs.Stats | undefined {
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * Replaces the text of a file atomically, following links and keeping its mode and, where permitted, its
 * owner. `mode` applies to new files. Returns the folders that were created.
 */
export function writeText(
  file: string,
  text: string,
  { before, mode = 0o600 }: { before: string | undefined; mode?: number },
): string[] {
  const made: string[] = [];
  if (before === undefined) makeFoldersDownTo(dirname(file), made);
  withPath(file, "write", () => {
    const real = before === undefined ? file : fs.realpathSync(file);
    const had = before === undefined ? undefined : fs.statSync(real);
    clearLeftovers(real);
    const temporary = `${real}.ctx-${ownId()}`;
    try {
      const descriptor = openNew(temporary, 0o600);
      try {
        const bytes = Buffer.from(text);
        writeAll(descriptor, bytes);
        checkSize(temporary, descriptor, bytes.length);
        if (had !== undefined) keepOwner(descriptor, had);
        fs.fchmodSync(descriptor, had === undefined ? mode : had.mode & 0o777);
        fs.fsyncSync(descriptor);
      } finally {
        fs.closeSync(descriptor);
      }
      // Do not overwrite a change that was made in the meantime.
      if (readText(real) !== before) throw refused(`${file} has changed in the meantime`, "try again");
      fs.renameSync(temporary, real);
      flushFolder(dirname(real));
    } catch (error) {
      // A file that existed already belongs to another process.
      if (errnoOf(error) !== "EEXIST") fs.rmSync(temporary, { force: true });
      throw error;
    }
  });
  return made;
}

/** Removes a file durably. */
export function removeText(file: string): void {
  withPath(file, "remove", () => fs.unlinkSync(file));
  flushFolder(dirname(file));
}

/** Removes the temporary files that killed processes left beside the settings. */
function clearLeftovers(file: string): void {
  const prefix = `${basename(file)}.ctx-`;
  try {
    for (const name of fs.readdirSync(dirname(file)))
      if (name.startsWith(prefix) && isOwnerRunning(name.slice(prefix.length)) === false)
        fs.rmSync(join(dirname(file), name), { force: true });
  } catch (error) {
    // Another user's folder, which ctx may not list or change.
    if (errnoOf(error) !== "EACCES" && errnoOf(error) !== "EPERM") throw error;
  }
}

/** Keeps the file's owner, so that settings edited by an administrator still belong to their user. */
function keepOwner(descriptor: number, { uid, gid }: fs.Stats): void {
  try {
    fs.fchownSync(descriptor, uid, gid);
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error;
  }
}

function refused(message: string, then = "mend it first"): CtxError {
  return new CtxError("exists", message, { hint: `nothing was changed; ${then}` });
}
