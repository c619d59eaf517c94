// Somebody else's settings, read and written as a whole: what cannot be kept byte for byte is refused.
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { checkSize, writeAll } from "../base/fs/files.js";
import { openNew } from "../base/fs/owner-mode.js";
import { flushFolder } from "../store/flush.js";
import { makeFoldersDownTo } from "../store/durable-folders.js";
import { isOwnerRunning, ownId } from "../store/lock.js";

/** The text of a file, behind a link too; undefined when there is none. */
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
 * Puts a new text in the place of the old one in one go, behind a link too, with the rights that it had. `mode` is for a new one. Gives
 * the folders that were made.
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
      // Whoever changed it since must not lose that.
      if (readText(real) !== before) throw refused(`${file} has changed in the meantime`, "try again");
      fs.renameSync(temporary, real);
      flushFolder(dirname(real));
    } catch (error) {
      // One that was there already is somebody else's.
      if (errnoOf(error) !== "EEXIST") fs.rmSync(temporary, { force: true });
      throw error;
    }
  });
  return made;
}

/** Takes a file away for good. */
export function removeText(file: string): void {
  withPath(file, "remove", () => fs.unlinkSync(file));
  flushFolder(dirname(file));
}

/** What was killed half-way must not lie in somebody's settings for ever. */
function clearLeftovers(file: string): void {
  const prefix = `${basename(file)}.ctx-`;
  try {
    for (const name of fs.readdirSync(dirname(file)))
      if (name.startsWith(prefix) && isOwnerRunning(name.slice(prefix.length)) === false)
        fs.rmSync(join(dirname(file), name), { force: true });
  } catch (error) {
    // Somebody else's, in a place that we may not look into.
    if (errnoOf(error) !== "EACCES" && errnoOf(error) !== "EPERM") throw error;
  }
}

/** An administrator does not take settings away from the user whose they are. */
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
