// Where names of inputs and outputs become files: in drafts and exports. What some file system cannot hold, or would take
// for something else, is percent-encoded, so that a pack looks the same on every machine.
import { sha256 } from "../base/digest.js";

/** Device names of Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=$|[. ])/i;
/** Whether Windows takes the name for a device: `con`, `AUX.txt`. */
export function isDeviceName(name: string): boolean {
  return device.test(name);
}

/** What is enough to shorten: `~2` and endings that are put after it have room up to 255. */
const longestPart = 200;
const longestPath = 512;

/** One component of a path, as a file can be called on every file system. */
export function filePart(part: string): string {
  let encoded = part.replaceAll(/[\p{Cc}%<>:"|?*\\/]/gu, percent).replace(/[. ]$/, percent);
  if (device.test(encoded) || isReserved(encoded)) encoded = encoded.replace(/^./su, percent);
  return Buffer.byteLength(encoded) <= longestPart ? encoded : shortened(encoded);
}

/** The paths of files with these names, in order; no two are the same file on any file system. */
export function filePaths(names: readonly string[]): string[] {
  const files = new Set<string>();
  const folders = new Set<string>();
  const counts = new Map<string, number>();
  const folderCounts = new Map<string, number>();
  return names.map((name) => {
    const parts = name.split("/").map(filePart);
    const last = parts.pop() as string;
    const isLong = Buffer.byteLength(`${parts.join("/")}/${last}`) > longestPath;
    let path = "";
    for (const part of isLong ? [] : parts) {
      // A folder may be there already; a file of that name may not.
      path = free(path + part, folderCounts, (key) => files.has(key));
      folders.add(fold(path));
      path += "/";
    }
    path = free(
      path + (isLong ? marked(last, name) : last),
      counts,
      (key) => files.has(key) || folders.has(key),
    );
    files.add(fold(path));
    return path;
  });
}

/** The path, or the first that is free with `~2`, `~3` before its extension. */
function free(path: string, counts: Map<string, number>, isTaken: (key: string) => boolean): string {
  if (!isTaken(fold(path))) return path;
  const [, stem = "", extension = ""] = /^(.*?[^/])(\.[^./]{1,16})?$/s.exec(path) ?? [];
  const key = fold(path);
  for (let count = counts.get(key) ?? 2; ; count++) {
    const candidate = `${stem}~${count}${extension}`;
    // A folder is found free again by the next name in it; a file is taken then.
    counts.set(key, count);
    if (!isTaken(fold(candidate))) return candidate;
  }
}

/** What file systems that do not tell cases or compositions apart take for the same. */
function fold(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** Git's own folder and ours, also as HFS+ (which skips invisible characters) and NTFS (short names) understand them. */
function isReserved(part: string): boolean {
  const seen = fold(part.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ""));
  return /^(?:\.git|\.ctx|git~\d+|ctx~\d+)$/.test(seen);
}

function percent(character: string): string {
  return Buffer.from(character)
    .toString("hex")
    .toUpperCase()
    .replaceAll(/../g, (byte) => `%${byte}`);
}

function shortened(part: string): string {
  return marked(part, part);
}

/** The beginning of a text, and a few digits that tell it from others. */
function marked(part: string, whole: string): string {
  const mark = `~${sha256(Buffer.from(whole)).slice(0, 8)}`;
  let room = longestPart - mark.length;
  let kept = "";
  // From the front, and no further than there is room: the text may be as long as somebody likes.
  for (const [piece] of part.matchAll(/(?:%[0-9A-F]{2})+|./gsu)) {
    room -= Buffer.byteLength(piece);
    if (room < 0) break;
    kept += piece;
  }
  return kept + mark;
}
