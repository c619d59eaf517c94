// What a store knows of one pack, and the order in which `ctx log` lists them. Nothing is left out: a pack that cannot be
// read is there too, marked as damaged.
import * as fs from "node:fs";
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import { compareTimes, knownTime, type Time } from "../model/times.js";
import { packPath } from "./layout.js";
import { signatureOf } from "./objects.js";
import { parentOf, readPack } from "./packs.js";

export interface HistoryEntry {
  hex: string;
  /** When the pack came into this store, in nanoseconds. */
  arrived: bigint;
  /** Size, times and number of the manifest's file when it was read; empty when there was none. */
  signature: string;
  /** What its manifest says, or the reason why that cannot be known. */
  content: PackContent | { damage: string };
  /** The blobs that it took in and gave out. */
  contents: { hex: string; role: "output" | "input" }[];
}

export interface PackContent {
  created: string;
  model: string;
  steps: number;
  parent?: string;
  /** The tools that it used, in order of first use. */
  tools: string[];
}

/** Reads one pack. Undefined when it is not in the store (any more). */
export function readEntry(root: string, hex: string): HistoryEntry | undefined {
  try {
    const pack = readPack(root, hex);
    const { created, model, steps } = pack.manifest;
    const parent = parentOf(pack);
    const tools = [...new Set(steps.flatMap((step) => step.tool ?? []))];
    const content = { created, model: model.identifier, steps: steps.length, tools };
    return {
      hex,
      arrived: pack.arrived,
      signature: pack.signature,
      content: parent === undefined ? content : { ...content, parent },
      contents: contentsOf(pack.manifest),
    };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const stat = fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return undefined;
    const signature = signatureOf(root, hex);
    return { hex, arrived: stat.mtimeNs, signature, content: { damage: error.message }, contents: [] };
  }
}

/** Newest first; equal times by arrival, then by hash. A damaged pack stands where its arrival puts it. */
export function sortHistory(entries: readonly HistoryEntry[]): HistoryEntry[] {
  return entries
    .map((entry) => ({ entry, time: timeOf(entry) }))
    .sort(
      (a, b) =>
        compareTimes(b.time, a.time) ||
        Number(b.entry.arrived - a.entry.arrived) ||
        (a.entry.hex < b.entry.hex ? -1 : 1),
    )
    .map(({ entry }) => entry);
}

function timeOf(entry: HistoryEntry): Time {
  if ("created" in entry.content) return knownTime(entry.content.created);
  return knownTime(new Date(Number(entry.arrived / 1_000_000n)).toISOString());
}

function contentsOf(manifest: Manifest): HistoryEntry["contents"] {
  const held = new Map<string, HistoryEntry["contents"][number]>();
  for (const role of ["output", "input"] as const)
    for (const { content_ref } of manifest[`${role}s`])
      held.set(`${role}${content_ref}`, { hex: hexOf(content_ref), role });
  return [...held.values()];
}
