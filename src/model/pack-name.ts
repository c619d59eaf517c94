// How a person names a pack or blob on the command line. One anchored grammar: the URL parser of the platform would
// accept user names, ports and paths here.
import { CtxError } from "../base/errors.js";
import { isDeviceName } from "./file-names.js";

export type Target =
  | { kind: "hash"; hex: string }
  | { kind: "prefix"; hex: string }
  | { kind: "latest" }
  | { kind: "tag"; tag: string };

export interface PackName {
  target: Target;
  /** How many parents to go up. */
  up: number;
}

const grammar = /^(ctx:\/\/)?(sha256:)?([A-Za-z0-9][A-Za-z0-9._-]{0,99})(?:~(\d{0,6})|(\^))?$/;
const forms =
  "use a hash, 4 or more of its first digits, ctx://<hash>, latest or a tag; `ctx log` lists them";

/** Reads a name in any of its forms; refuses what can be none of them. */
export function parsePackName(text: string): PackName {
  const match = grammar.exec(text);
  if (match === null) throw badName(text, "not a name of a pack");
  const word = match[3] as string;
  const hasScheme = match[1] !== undefined || match[2] !== undefined;
  const up = match[5] !== undefined || match[4] === "" ? 1 : Number(match[4] ?? 0);
  if (isHashLike(word)) {
    if (word.length > 64) throw badName(text, "longer than the 64 digits of a hash");
    const hex = word.toLowerCase();
    return { target: hex.length === 64 ? { kind: "hash", hex } : { kind: "prefix", hex }, up };
  }
  if (hasScheme) throw badName(text, "not 4 to 64 hexadecimal digits");
  return { target: word === "latest" ? { kind: "latest" } : { kind: "tag", tag: word }, up };
}

/** Whether a text may be the name of a tag. */
export function isTagName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) && text !== "latest" && !isHashLike(text);
}

/** Whether a text reads as a hash, or as the beginning of one: no tag may, here or in a registry. */
export function isHashLike(text: string): boolean {
  return /^[0-9A-Fa-f]{4,}$/.test(text);
}

/** Says why no new tag may have this name, or returns undefined. Tags of these names that exist stay usable. */
export function newTagProblem(text: string): string | undefined {
  if (isDeviceName(text)) return "is a device on Windows, where no file can have that name";
  if (text.endsWith(".")) return "ends with a dot, which Windows removes from the names of files";
  return undefined;
}

function badName(text: string, why: string): CtxError {
  return new CtxError("bad-name", `"${text}" is ${why}`, { hint: forms });
}
