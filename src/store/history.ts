// What a store knows of one pack, and the order in which `ctx log` lists them. Nothing is left out: a pack that cannot be
// read is there too, marked as damaged.
import * as fs from "node:fs";
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import { quickManifest } from "../model/quick-manifest.js";
import { sortKey } from "../model/times.js";
import { packPath } from "./layout.js";
import { readSigned, signatureOf } from "./objects.js";
import { hasPack, readPack } from "./packs.js";

export interface HistoryEntry {
  hex: string;
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

/** Reads one pack. Undefined when it is not in the store (any more). `isPlain`: its entry is known to be a plain file. */
export function readEntry(root: string, hex: string, isPlain = false): HistoryEntry | undefined {
  try {
    const { manifest, signature } = (isPlain ? readQuickly(root, hex) : undefined) ?? readPack(root, hex);
    const { created, model, steps, parent } = manifest;
    const tools = [...new Set(steps.flatMap((step) => step.tool ?? []))];
    const content = { created, model: model.identifier, steps: steps.length, tools };
    return {
      hex,
      signature,
      content: parent === undefined ? content : { ...content, parent: hexOf(parent) },
      contents: contentsOf(manifest),
    };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    if (!hasPack(root, hex)) return undefined;
    return { hex, signature: signatureOf(root, hex), content: { damage: error.message }, contents: [] };
  }
}

/** What a list needs of an ordinary pack is all in its object; undefined when there is more to it. */
function readQuickly(root: string, hex: string): { manifest: Manifest; signature: string } | undefined {
  const { bytes, signature } = readSigned(root, hex);
  const manifest = quickManifest(bytes);
  return manifest === undefined ? undefined : { manifest, signature };
}

/** Newest first; equal times by arrival, then by hash. A damaged pack stands where its arrival puts it. */
export function sortHistory(root: string, entries: readonly HistoryEntry[]): HistoryEntry[] {
  const arrivals = new Map<string, string>();
  const arrival = ({ hex }: HistoryEntry): string => {
    const known = arrivals.get(hex) ?? arrivalOf(root, hex);
    arrivals.set(hex, known);
    return known;
  };
  return entries
    .map((entry) => ({
      entry,
      key: "created" in entry.content ? sortKey(entry.content.created) : arrival(entry),
    }))
    .sort((a, b) => {
      if (a.key !== b.key) return a.key < b.key ? 1 : -1;
      const [first, second] = [arrival(a.entry), arrival(b.entry)];
      if (first !== second) return first < second ? 1 : -1;
      return a.entry.hex < b.entry.hex ? -1 : 1;
    })
    .map(({ entry }) => entry);
}

/** When a pack came into this store, as a key to sort by. */
function arrivalOf(root: string, hex: string): string {
  const stat = fs.lstatSync(packPath(root, hex), { throwIfNoEntry: false, bigint: true });
  const nanoseconds = stat?.mtimeNs ?? 0n;
  const whole = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return sortKey(`${whole}.${String(nanoseconds % 1_000_000_000n).padStart(9, "0")}Z`);
}

function contentsOf(manifest: Manifest): HistoryEntry["contents"] {
  const held = new Map<string, HistoryEntry["contents"][number]>();
  for (const role of ["output", "input"] as const)
    for (const { content_ref } of manifest[`${role}s`])
      held.set(`${role}${content_ref}`, { hex: hexOf(content_ref), role });
  return [...held.values()];
}
