// Parses the name of a pack or blob on the command line. One anchored grammar: the platform's URL parser
// would accept user names, ports and paths here.
import { CtxError } from "../base/errors.js";
import { isDeviceName } from "./file-names.js";

export type NameTarget =
  | { kind: "hash"; hex: string }
  | { kind: "prefix"; hex: string }
  | { kind: "latest" }
  | { kind: "tag"; tag: string };

export interface PackName {
  target: NameTarget;
  /** How many parents to go up. */
  generations: number;
}

const namePattern = /^(ctx:\/\/)?(sha256:)?([A-Za-z0-9][A-Za-z0-9._-]{0,99})(?:~(\d{0,6})|(\^))?$/;
const nameForms =
  "use a hash, 4 or more of its first digits, ctx://<hash>, latest or a tag; `ctx log` lists them";

/** Parses a name in any of its forms; throws if it has none of them. */
export function parsePackName(text: string): PackName {
  const match = namePattern.exec(text);
  if (match === null) throw badName(text, "not a name of a pack");
  const word = match[3] as string;
  const hasScheme = match[1] !== undefined || match[2] !== undefined;
  const generations = match[5] !== undefined || match[4] === "" ? 1 : Number(match[4] ?? 0);
  if (isHashLike(word)) {
    if (word.length > 64) throw badName(text, "longer than the 64 digits of a hash");
    const hex = word.toLowerCase();
    return { target: hex.length === 64 ? { kind: "hash", hex } : { kind: "prefix", hex }, generations };
  }
  if (hasScheme) throw badName(text, "not 4 to 64 hexadecimal digits");
  return { target: word === "latest" ? { kind: "latest" } : { kind: "tag", tag: word }, generations };
}

/** Returns whether a text can be the name of a tag. */
export function isTagName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) && text !== "latest" && !isHashLike(text);
}

/** Returns whether a text looks like a hash or the beginning of one; no tag may, here or in a registry. */
export function isHashLike(text: string): boolean {
  return /^[0-9A-Fa-f]{4,}$/.test(text);
}

/** Returns why no new tag may have this name, or undefined. Existing tags with such names stay usable. */
export function newTagProblem(text: string): string | undefined {
  if (isDeviceName(text)) return "is a device name on Windows, where no file can have it";
  if (text.endsWith(".")) return "ends with a dot, which Windows removes from file names";
  return undefined;
}

function badName(text: string, why: string): CtxError {
  return new CtxError("bad-name", `"${text}" is ${why}`, { hint: nameForms });
}
