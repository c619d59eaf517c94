// A log without any time gets the time of packing; packed again, it must not become a second pack. Its twin
// is a pack that equals it in all but `created`. The search reads the packs themselves, never a cache.
import * as fs from "node:fs";
import { canonicalBytes } from "../base/json/canonical.js";
import { CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import { parseTime } from "../model/times.js";
import { objectPath, packPath } from "./layout.js";
import { readObject } from "./objects.js";
import { listPacks } from "./packs.js";

// `created` is the first key of every canonical manifest, so two that differ only there have the same tail.
const opening = '{"created":"';
const maxTimeLength = 4096;

/**
 * Returns the `created` of the pack that equals this manifest in all else, or undefined. `staged`: packs that
 * are not in the store yet.
 */
export function findTwin(
  root: string,
  manifest: Manifest,
  staged: Iterable<{ manifest: Manifest; size: number }>,
): string | undefined {
  const tail = tailOf(canonicalBytes(manifest));
  if (tail === undefined) return undefined;
  const isCandidate = (size: number): boolean => {
    const head = size - tail.bytes.length;
    return head > opening.length && head < maxTimeLength;
  };
  const candidates = listPacks(root).filter((hex) =>
    isCandidate(fs.lstatSync(objectPath(root, hex), { throwIfNoEntry: false })?.size ?? 0),
  );
  let twin: { created: string; arrived: bigint } | undefined;
  for (const hex of candidates) {
    const other = readTail(root, hex);
    if (other?.bytes.equals(tail.bytes) !== true) continue;
    // Of several twins (from logs that do have times) the one that arrived first is returned, now and for
    // ever.
    const arrived = fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false, bigint: true })?.mtimeNs ?? 0n;
    if (twin === undefined || arrived < twin.arrived) twin = { created: other.created, arrived };
  }
  if (twin !== undefined) return twin.created;
  for (const { manifest: other, size } of staged)
    if (isCandidate(size) && tailOf(canonicalBytes(other))?.bytes.equals(tail.bytes) === true)
      return other.created;
  return undefined;
}

function tailOf(bytes: Buffer): { created: string; bytes: Buffer } | undefined {
  if (bytes.toString("latin1", 0, opening.length) !== opening) return undefined;
  const end = bytes.indexOf('"', opening.length);
  const created = bytes.toString("latin1", opening.length, end);
  return typeof parseTime(created) === "string" ? undefined : { created, bytes: bytes.subarray(end) };
}

/** Reads the tail of a pack; undefined for a damaged one, which is never a twin. */
function readTail(root: string, hex: string): ReturnType<typeof tailOf> {
  try {
    return tailOf(readObject(root, hex));
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}
