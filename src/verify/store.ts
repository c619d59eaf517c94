// Audits the whole store: every object against its name, every manifest, every reference, every ref, and all
// other files.
import * as fs from "node:fs";
import { join } from "node:path";
import { hexOf, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { entriesIn, listIfThere } from "../base/fs/files.js";
import { addTo } from "../base/lists.js";
import { reached, subAgentsOf } from "../model/manifest.js";
import type { Fault, VerifiedTarget } from "../results/verify.js";
import { Hashers, hashObjects } from "../store/hash-objects.js";
import { hasPack, listPacks, readPack } from "../store/packs.js";
import { isDamagedTag, listTags, readTag } from "../store/refs.js";
import type { Store } from "../store/store.js";
import { keptBy } from "../store/reach.js";
import { manifestFault, objectFault, sealFault, sealProblem } from "./pack.js";
import { claimsOf, notesOf, type SubAgentCounts } from "./store-notes.js";

export interface VerifyStoreOptions {
  /** The share of objects that are hashed, from 0 to 1. */
  sample?: number;
  progress?: (done: number, of: number) => void;
}

export function verifyStore(store: Store, options: VerifyStoreOptions = {}): VerifiedTarget {
  const { root } = store;
  // Threads take a while to start; a rough count shows whether there is work for them.
  const hashers = new Hashers(root, roughCount(root));
  // Packs first: whatever a pack reaches exists before the pack does.
  const hashes = new Set(listPacks(root));
  const { objects, odd, strangers, faults: shelves } = listObjects(root);
  const chosen = sampled(objects, options.sample ?? 1, hashes);
  // The other cores hash while this one reads the manifests.
  const finish = hashers.start(chosen, true);
  const packs = readPacks(store, hashes, [...objects, ...odd]);
  const hashed = finish((done) => options.progress?.(Math.min(done, chosen.length), chosen.length));
  const oddFaults = hashObjects(root, odd);
  const broken = new Map([...hashed.faults, ...oddFaults.faults]);
  const faults = [...shelves, ...packs.faults, ...objectFaults(store, broken, packs), ...refFaults(store)];
  const checked = chosen.length + odd.length;
  const isWhole = chosen.length === objects.length;
  const { unreached } = packs;
  return {
    target: root,
    kind: "store",
    // A pack that a newer ctx wrote may be intact or not: this one cannot tell.
    result: faults.length > 0 ? "damaged" : packs.newer > 0 ? "unproven" : isWhole ? "verified" : "sampled",
    packs: [...new Set(faults.flatMap((fault) => fault.packs))],
    claims: claimsOf(faults, {
      objects: objects.length + odd.length,
      checked,
      packs: packs.hashes.size,
      missing: packs.absentParents.length,
      subAgents: packs.subAgents,
      newer: packs.newer,
    }),
    faults,
    notes: [
      ...packs.notes,
      ...notesOf(store, {
        strangers,
        unreached,
        absentParents: packs.absentParents,
        absentSubAgents: [...packs.subAgents.absent],
      }),
    ],
    next: faults.length === 0 ? [] : ["ctx log"],
    counts: {
      packs: packs.hashes.size,
      objects: objects.length + odd.length,
      checked,
      bytes: hashed.bytes,
      unreached,
      ...(packs.go === 0 ? {} : { go: packs.go }),
      ...(packs.newer === 0 ? {} : { newer: packs.newer }),
    },
  };
}

/** Estimates the number of objects: as if every shelf held as many as the first few. */
function roughCount(root: string): number {
  const shelves = listIfThere(join(root, "objects"));
  const some = shelves.slice(0, 8);
  const held = some.reduce((sum, shelf) => sum + listIfFolder(join(root, "objects", shelf)).length, 0);
  return some.length === 0 ? 0 : (held / some.length) * shelves.length;
}

function listIfFolder(folder: string): string[] {
  return fs.lstatSync(folder).isDirectory() ? listIfThere(folder) : [];
}

interface ListedObjects {
  /** Objects that are regular files. */
  objects: string[];
  /** Names of objects that are something else than a file. */
  odd: string[];
  /** Files that are not ctx's. */
  strangers: string[];
  faults: Fault[];
}

function listObjects(root: string): ListedObjects {
  const folder = join(root, "objects");
  const listed: ListedObjects = { objects: [], odd: [], strangers: [], faults: [] };
  for (const shelf of listIfThere(folder)) {
    const place = `objects/${shelf}`;
    if (!/^[0-9a-f]{2}$/.test(shelf)) listed.strangers.push(place);
    else if (!fs.lstatSync(join(folder, shelf)).isDirectory())
      listed.faults.push({
        about: place,
        message: `${place} is not a folder`,
        packs: [],
        remedy: `replace .ctx/${place} by the real folder`,
      });
    else
      for (const entry of entriesIn(join(folder, shelf)))
        if (!/^[0-9a-f]{62}$/.test(entry.name)) listed.strangers.push(`${place}/${entry.name}`);
        else (entry.isFile() ? listed.objects : listed.odd).push(shelf + entry.name);
  }
  return listed;
}

interface CheckedPacks {
  hashes: Set<string>;
  faults: Fault[];
  absentParents: string[];
  /** How often a step names the run of a sub-agent, and which of these runs are not here. */
  subAgents: SubAgentCounts;
  /** Objects that a pack names and that are missing. */
  missing: Set<string>;
  /** Number of objects that no pack names. */
  unreached: number;
  /** Number of packs in the form of the Go implementation. */
  go: number;
  /** Number of packs that a newer ctx wrote. */
  newer: number;
  notes: string[];
}

/** Maximum number of packs of a newer ctx that are named. */
const maxNamed = 20;

/**
 * Checks every manifest: read from its object, canonical, sealed in packs/ correctly, naming only existing
 * objects.
 */
function readPacks(store: Store, hashes: Set<string>, objects: readonly string[]): CheckedPacks {
  const result: CheckedPacks = {
    hashes,
    faults: [],
    absentParents: [],
    subAgents: { named: 0, absent: new Set() },
    missing: new Set(),
    unreached: 0,
    go: 0,
    newer: 0,
    notes: [],
  };
  const places = new Map(objects.map((hex, at) => [hex, at]));
  const isReached = new Uint8Array(objects.length);
  const need = (object: string): void => {
    const at = places.get(object);
    if (at === undefined) result.missing.add(object);
    else isReached[at] = 1;
  };
  const markIfThere = (object: string): void => {
    const at = places.get(object);
    if (at !== undefined) isReached[at] = 1;
  };
  for (const hex of [...hashes].sort()) {
    const at = places.get(hex);
    if (at !== undefined) isReached[at] = 1;
    try {
      const pack = readPack(store.root, hex);
      // It was read, but not from its proper path.
      if (at === undefined) throw new CtxError("damaged", `the object of ctx://${hex} is behind a link`);
      const problem = pack.fromGo ? undefined : sealProblem(store.root, hex, pack.manifest);
      if (problem !== undefined) result.faults.push(sealFault(store, hex, problem));
      if (pack.fromGo) result.go++;
      for (const reference of reached(pack.manifest)) need(hexOf(reference));
      const { parent } = pack.manifest;
      if (parent !== undefined && !hashes.has(hexOf(parent))) result.absentParents.push(hexOf(parent));
      for (const named of subAgentsOf(pack.manifest)) {
        result.subAgents.named++;
        if (!hashes.has(hexOf(named))) result.subAgents.absent.add(hexOf(named));
      }
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      if (error.code === "unknown-version") {
        result.newer++;
        if (result.newer <= maxNamed) result.notes.push(error.message);
        // Whatever it may reach is not loose.
        for (const object of keptBy(store, hex)) markIfThere(object);
        continue;
      }
      // Another process may have removed it meanwhile.
      if (hasPack(store.root, hex)) result.faults.push(manifestFault(hex, error));
    }
  }
  if (result.go > 0)
    result.notes.push(
      `packs of the Go implementation: ${result.go}; they were checked by hash, and have no sealed copy to compare with`,
    );
  if (result.newer > maxNamed)
    result.notes.push(`${result.newer - maxNamed} more packs were written by a newer ctx`);
  result.unreached = objects.length - isReached.reduce((sum, each) => sum + each, 0);
  return result;
}

/** Returns a random share of the objects; manifests are always among them. */
function sampled(objects: readonly string[], share: number, packs: ReadonlySet<string>): string[] {
  return share >= 1 ? [...objects] : objects.filter((hex) => packs.has(hex) || Math.random() < share);
}

/** Returns faults for objects that are damaged or missing, each with the packs that have lost it. */
function objectFaults(
  store: Store,
  faults: ReadonlyMap<string, CtxError>,
  { hashes, missing }: CheckedPacks,
): Fault[] {
  const broken = new Map(faults);
  for (const hex of missing) broken.set(hex, new CtxError("missing", `blob ${hex} is not in the store`));
  // Faults of a manifest were reported already, with its pack.
  for (const hex of hashes) broken.delete(hex);
  if (broken.size === 0) return [];
  const packsByObject = packsThatNeed(store, hashes, broken);
  return (
    [...broken]
      // An object that no pack needs and that has gone was removed by a concurrent `ctx gc`.
      .filter(([hex, error]) => error.code !== "missing" || packsByObject.has(hex))
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([hex, error]) => objectFault(hex, error, (packsByObject.get(hex) ?? []).map(toReference)))
  );
}

/**
 * Returns which packs need these objects. Reads all manifests once more, which only a damaged store has to
 * pay for.
 */
function packsThatNeed(
  store: Store,
  hashes: ReadonlySet<string>,
  broken: ReadonlyMap<string, unknown>,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const hex of [...hashes].sort()) {
    try {
      const named = new Set([...reached(readPack(store.root, hex).manifest)].map(hexOf));
      if (!hasPack(store.root, hex)) continue;
      for (const object of named) if (broken.has(object)) addTo(found, object, hex);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return found;
}

function refFaults(store: Store): Fault[] {
  const faults: Fault[] = [];
  const fault = (about: string, message: string, remedy: string): void =>
    void faults.push({ about, message, packs: [], remedy });
  for (const tag of listTags(store.root)) {
    const hex = readTag(store.root, tag);
    if (isDamagedTag(store.root, tag) || hex === undefined)
      fault(
        `tag ${tag}`,
        `the tag "${tag}" is damaged`,
        `ctx tag --force ${tag} <pack>, or ctx tag -d ${tag}`,
      );
    else if (!hasPack(store.root, hex))
      fault(`tag ${tag}`, `the tag "${tag}" points to ctx://${hex}, which is not here`, `ctx tag -d ${tag}`);
  }
  return faults;
}
