// Turns names of inputs and outputs into file names, for drafts and exports. Characters and names that some
// file system does not support or treats specially are percent-encoded, so that a pack looks the same on
// every machine.
import { sha256 } from "../base/digest.js";

/** Device names of Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=$|[. ])/i;
/** Returns whether the name means a device on Windows: `con`, `AUX.txt`. */
export function isDeviceName(name: string): boolean {
  return device.test(name);
}

/** Shorter than the usual limit of 255, so that `~2` and an extension can be appended. */
const maxPartBytes = 200;
const maxPathBytes = 512;

/** Returns one component of a path in a form that is valid on every file system. */
export function filePart(part: string): string {
  let encoded = part.replaceAll(/[\p{Cc}%<>:"|?*\\/]/gu, percentEncoded).replace(/[. ]$/, percentEncoded);
  if (device.test(encoded) || isReserved(encoded)) encoded = encoded.replace(/^./su, percentEncoded);
  return Buffer.byteLength(encoded) <= maxPartBytes ? encoded : shortened(encoded);
}

/** Returns the paths of files with these names, in order; no two are the same file on any file system. */
export function filePaths(names: readonly string[]): string[] {
  const files = new Set<string>();
  const folders = new Set<string>();
  const counts = new Map<string, number>();
  const folderCounts = new Map<string, number>();
  return names.map((name) => {
    const parts = name.split("/").map(filePart);
    const last = parts.pop() as string;
    const isLong = Buffer.byteLength(`${parts.join("/")}/${last}`) > maxPathBytes;
    let path = "";
    for (const part of isLong ? [] : parts) {
      // A folder may exist already; a file of that name may not.
      path = freePath(path + part, folderCounts, (key) => files.has(key));
      folders.add(collisionKey(path));
      path += "/";
    }
    path = freePath(
      path + (isLong ? withHash(last, name) : last),
      counts,
      (key) => files.has(key) || folders.has(key),
    );
    files.add(collisionKey(path));
    return path;
  });
}

/** Returns the path, or the first free one with `~2`, `~3`, … before its extension. */
function freePath(path: string, counts: Map<string, number>, isTaken: (key: string) => boolean): string {
  if (!isTaken(collisionKey(path))) return path;
  const [, stem = "", extension = ""] = /^(.*?[^/])(\.[^./]{1,16})?$/s.exec(path) ?? [];
  const key = collisionKey(path);
  for (let count = counts.get(key) ?? 2; ; count++) {
    const candidate = `${stem}~${count}${extension}`;
    // The next name in a folder finds that folder free again; a file is taken from now on.
    counts.set(key, count);
    if (!isTaken(collisionKey(candidate))) return candidate;
  }
}

/** Maps names that some file system treats as equal, by case or by Unicode composition, to one key. */
function collisionKey(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** Returns whether a name means .git or .ctx, also on HFS+ (invisible characters) and NTFS (short names). */
function isReserved(part: string): boolean {
  const seen = collisionKey(part.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ""));
  return /^(?:\.git|\.ctx|git~\d+|ctx~\d+)$/.test(seen);
}

function percentEncoded(character: string): string {
  return Buffer.from(character)
    .toString("hex")
    .toUpperCase()
    .replaceAll(/../g, (byte) => `%${byte}`);
}

function shortened(part: string): string {
  return withHash(part, part);
}

/** Returns the beginning of a name, followed by a few digits of the hash of the whole. */
function withHash(part: string, whole: string): string {
  const mark = `~${sha256(Buffer.from(whole)).slice(0, 8)}`;
  let room = maxPartBytes - mark.length;
  let kept = "";
  // Stops as soon as the limit is reached: the text may be of any length.
  for (const [piece] of part.matchAll(/(?:%[0-9A-F]{2})+|./gsu)) {
    room -= Buffer.byteLength(piece);
    if (room < 0) break;
    kept += piece;
  }
  return kept + mark;
}
