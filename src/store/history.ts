// Describes one pack of a store, and sorts packs in the order of `ctx log`. Nothing is left out: a pack that
// cannot be read is listed too, marked as damaged or as written by a newer ctx.
import * as fs from "node:fs";
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isObject, type JsonValue } from "../base/json/value.js";
import type { Manifest } from "../model/manifest.js";
import { type Origin, originOf } from "../model/origin.js";
import { maxProjectLength } from "../model/project.js";
import { quickManifest } from "../model/read-manifest.js";
import { sortKey } from "../model/times.js";
import { packPath } from "./layout.js";
import { readSigned, signatureOf } from "./objects.js";
import { hasPack, readPack } from "./packs.js";
import { type RunFacts, runFacts } from "./run-facts.js";

export interface HistoryEntry {
  hex: string;
  /** Size, times and inode number of the manifest's file when it was read; empty if there was none. */
  signature: string;
  /** The facts from the manifest, or why it cannot be read. */
  content: PackContent | Unreadable;
  /** The blobs that are its inputs and outputs. */
  contents: { hex: string; role: "output" | "input" }[];
  /**
   * Which version of its session it is, the oldest being 1, and how many there are. Set only when all packs
   * are known.
   */
  version?: { number: number; of: number };
}

export interface Unreadable {
  /** Why the manifest cannot be read. */
  damage: string;
  /** Set if nothing is wrong with it: a newer ctx wrote it. */
  newer?: true;
}

export interface PackContent extends RunFacts {
  created: string;
  model: string;
  steps: number;
  parent?: string;
  /** The session whose log the run was read from; for a sub-agent's run its id and `/<sub-agent>`. */
  session?: string;
  /** The sub-agent alone. */
  subagent?: string;
  /** The folder that the run worked in. */
  project?: string;
  /** The agent, and the format of the log that the run was read from. */
  agent?: string;
  format?: string;
  /** All models, if there were several. */
  models?: string[];
  /** The tools that the run used, in order of first use. */
  tools: string[];
  /** The origin that the manifest states. */
  origin?: Origin["kind"];
  /**
   * For a pack without an origin: whether all its steps are its parent's. Set once the parent is in the
   * store.
   */
  neverRun?: boolean;
}

/**
 * Reads one pack. Returns undefined if it is not in the store (any more). `isPlain`: its entry is known to be
 * a plain file.
 */
export function readEntry(root: string, hex: string, isPlain = false): HistoryEntry | undefined {
  try {
    const { manifest, signature } = (isPlain ? readQuickly(root, hex) : undefined) ?? readPack(root, hex);
    const { created, model, steps, parent } = manifest;
    const tools = [...new Set(steps.flatMap((step) => step.tool ?? []))];
    const content: PackContent = {
      created,
      model: model.identifier,
      steps: steps.length,
      tools,
      ...runFacts(root, manifest),
    };
    if (parent !== undefined) content.parent = hexOf(parent);
    const origin = originOf(manifest);
    if (origin !== undefined) content.origin = origin.kind;
    return {
      hex,
      signature,
      content: { ...content, ...sessionOf(manifest), ...projectOf(manifest), ...agentOf(manifest) },
      contents: contentsOf(manifest),
    };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    if (!hasPack(root, hex)) return undefined;
    const newer = error.code === "unknown-version" ? { newer: true as const } : {};
    const content = { damage: error.message, ...newer };
    return { hex, signature: signatureOf(root, hex), content, contents: [] };
  }
}

/**
 * Reads an ordinary pack from its object alone, which is enough for a list; undefined if the pack needs the
 * full reader.
 */
function readQuickly(root: string, hex: string): { manifest: Manifest; signature: string } | undefined {
  const { bytes, signature } = readSigned(root, hex);
  const manifest = quickManifest(bytes);
  return manifest === undefined ? undefined : { manifest, signature };
}

/** A longer id is no id, and would only make the catalog large. */
const maxSession = 200;

/**
 * Returns the session whose log a run came from, if its metadata names one. The metadata may hold anything.
 */
function sessionOf({ metadata }: Manifest): Pick<PackContent, "session" | "subagent"> {
  const source = metadata?.["source"];
  if (source === undefined || !isObject(source)) return {};
  const { session: id, subagent } = source;
  if (typeof id !== "string" || id === "") return {};
  const isSub = typeof subagent === "string" && subagent !== "";
  const session = isSub ? `${id}/${subagent}` : id;
  if (session.length > maxSession) return {};
  return isSub ? { session, subagent } : { session };
}

function projectOf({ metadata }: Manifest): Pick<PackContent, "project"> {
  const project = metadata?.["workdir"];
  return typeof project === "string" && project !== "" && project.length <= maxProjectLength
    ? { project }
    : {};
}

/** Longer names are ignored, and no run has more models than this. */
const maxName = 100;
const maxModels = 50;

function agentOf({ metadata }: Manifest): Pick<PackContent, "agent" | "format" | "models"> {
  const source = metadata?.["source"];
  const [agent, format] = ["agent", "format"].map((key) => nameIn(source, key));
  const models = metadata?.["models"];
  const names = Array.isArray(models)
    ? models.filter((name) => typeof name === "string").slice(0, maxModels)
    : [];
  return {
    ...(format === undefined ? {} : { format }),
    ...((agent ?? format) === undefined ? {} : { agent: (agent ?? format) as string }),
    ...(names.length === 0 ? {} : { models: names.map((name) => name.slice(0, maxName)) }),
  };
}

function nameIn(source: JsonValue | undefined, key: string): string | undefined {
  const name = source !== undefined && isObject(source) ? source[key] : undefined;
  return typeof name === "string" && name !== "" && name.length <= maxName ? name : undefined;
}

/**
 * Numbers the packs of each session; `entries` are all packs in order. A pack with a parent was made from
 * another one, by a fork or a replay, and not read from the session's log: it is no version of the session.
 */
export function numberVersions(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const counts = new Map<string, number>();
  for (const { content } of entries) {
    const session = versionedSession(content);
    if (session !== undefined) counts.set(session, (counts.get(session) ?? 0) + 1);
  }
  if (counts.size === 0) return entries;
  const left = new Map(counts);
  return entries.map((entry) => {
    const session = versionedSession(entry.content);
    if (session === undefined) return entry;
    const number = left.get(session) as number;
    left.set(session, number - 1);
    return { ...entry, version: { number, of: counts.get(session) as number } };
  });
}

/** Returns the session of which a pack is a version; undefined if it is none. */
export function versionedSession(content: HistoryEntry["content"]): string | undefined {
  if ("damage" in content || content.parent !== undefined || content.session === undefined) return undefined;
  // A draft whose author removed the parent is no version either.
  if (content.origin !== undefined) return undefined;
  // A log of another format that describes the same session is no later version of it.
  return `${content.format ?? ""} ${content.session}`;
}

/** Sorts newest first; equal times by arrival, then by hash. A damaged pack is sorted by its arrival. */
export function sortHistory(root: string, entries: readonly HistoryEntry[]): HistoryEntry[] {
  const order = new HistoryOrder(root);
  return entries
    .map((entry) => ({ entry, key: order.keyOf(entry) }))
    .sort((a, b) => order.compare(a, b))
    .map(({ entry }) => entry);
}

interface Keyed {
  entry: HistoryEntry;
  key: string;
}

/** Merges two lists in this order into one. */
export function* mergeHistory(
  root: string,
  first: Iterator<HistoryEntry>,
  second: Iterator<HistoryEntry>,
): Generator<HistoryEntry> {
  const order = new HistoryOrder(root);
  const next = (list: Iterator<HistoryEntry>): Keyed | undefined => {
    const { value: entry, done } = list.next();
    return done === true ? undefined : { entry, key: order.keyOf(entry) };
  };
  let [a, b] = [next(first), next(second)];
  while (a !== undefined || b !== undefined) {
    const isFirst = a !== undefined && (b === undefined || order.compare(a, b) <= 0);
    yield ((isFirst ? a : b) as Keyed).entry;
    if (isFirst) a = next(first);
    else b = next(second);
  }
}

class HistoryOrder {
  readonly #root: string;
  readonly #arrivals = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  keyOf(entry: HistoryEntry): string {
    return "created" in entry.content ? sortKey(entry.content.created) : this.#arrival(entry);
  }

  compare(a: Keyed, b: Keyed): number {
    if (a.key !== b.key) return a.key < b.key ? 1 : -1;
    const [first, second] = [this.#arrival(a.entry), this.#arrival(b.entry)];
    if (first !== second) return first < second ? 1 : -1;
    return a.entry.hex < b.entry.hex ? -1 : 1;
  }

  /** Known arrivals are kept: a sort compares each pack with many others. */
  #arrival({ hex }: HistoryEntry): string {
    const known = this.#arrivals.get(hex) ?? arrivalOf(this.#root, hex);
    this.#arrivals.set(hex, known);
    return known;
  }
}

/** Returns when a pack arrived in this store, as a sort key. */
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
