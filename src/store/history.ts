// All packs of a store in the order in which `ctx log` lists them. Nothing is left out: a pack that cannot be read is
// there too, marked as damaged.
import * as fs from "node:fs";
import { CtxError } from "../base/errors.js";
import { compareTimes, knownTime, type Time } from "../model/times.js";
import { packPath } from "./layout.js";
import { listPacks, parentOf, readPack } from "./packs.js";

export interface HistoryEntry {
  hex: string;
  /** When the pack came into this store, in nanoseconds. */
  arrived: bigint;
  /** What its manifest says, or the reason why that cannot be known. */
  content: { created: string; model: string; steps: number; parent: string | undefined } | { damage: string };
}

/** Newest first; equal times by arrival, then by hash. A damaged pack stands where its arrival puts it. */
export function readHistory(root: string): HistoryEntry[] {
  return listPacks(root)
    .flatMap((hex) => readEntry(root, hex) ?? [])
    .map((entry) => ({ entry, time: timeOf(entry) }))
    .sort(
      (a, b) =>
        compareTimes(b.time, a.time) ||
        Number(b.entry.arrived - a.entry.arrived) ||
        (a.entry.hex < b.entry.hex ? -1 : 1),
    )
    .map(({ entry }) => entry);
}

/** Undefined when the pack was removed since it was listed. */
function readEntry(root: string, hex: string): HistoryEntry | undefined {
  const stat = fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return undefined;
  const arrived = stat.mtimeNs;
  try {
    const pack = readPack(root, hex);
    const { created, model, steps } = pack.manifest;
    const content = { created, model: model.identifier, steps: steps.length, parent: parentOf(pack) };
    return { hex, arrived, content };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { hex, arrived, content: { damage: error.message } };
  }
}

function timeOf(entry: HistoryEntry): Time {
  if ("created" in entry.content) return knownTime(entry.content.created);
  return knownTime(new Date(Number(entry.arrived / 1_000_000n)).toISOString());
}
