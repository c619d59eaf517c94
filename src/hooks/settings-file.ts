// Reads and writes settings files that belong to other programs, always as a whole. A file whose bytes could
// not be preserved exactly is refused.
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { replaceFile } from "../base/fs/atomic.js";
import { flushFolder } from "../base/fs/flush.js";
import { makeDurableFolders } from "../base/fs/make-folders.js";

/** Reads the text of a file, following links; returns undefined if there is no file. */
export function readText(file: string): string | undefined {
  return withPath(file, "read", () => {
    const stat = ifThere(() => fs.statSync(file));
    if (stat === undefined) {
      if (ifThere(() => fs.lstatSync(file)) === undefined) return undefined;
      throw refused(`${file} is a broken link`);
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
  if (before === undefined) makeDurableFolders(dirname(file), { made });
  const [real, had] = withPath(file, "write", () => {
    if (before === undefined) return [file, { mode }];
    const path = fs.realpathSync(file);
    return [path, fs.statSync(path)];
  });
  replaceFile(real, Buffer.from(text), {
    durable: true,
    mode: had,
    shown: file,
    confirm() {
      // Do not overwrite a change that was made in the meantime.
      if (readText(real) !== before) throw refused(`${file} was changed in the meantime`, "try again");
    },
  });
  return made;
}

/** Removes a file durably. */
export function removeText(file: string): void {
  withPath(file, "remove", () => fs.unlinkSync(file));
  flushFolder(dirname(file));
}

function refused(message: string, then = "fix it first"): CtxError {
  return new CtxError("exists", message, { hint: `nothing was changed; ${then}` });
}
