// The whole store: every object against its name, every manifest, every reference, every ref, and what else lies around.
import * as fs from "node:fs";
import { join } from "node:path";
import { hexOf, isHash, toReference } from "../base/digest.js";
import { CtxError, errnoOf } from "../base/errors.js";
import { HexIndex } from "../base/hex-index.js";
import { reached } from "../model/manifest.js";
import type { Claim, Fault, VerifiedTarget } from "../model/verification.js";
import { type Hashed, Hashers } from "../store/hash-objects.js";
import { isOwnerRunning } from "../store/lock.js";
import { listEntries, listPacks, readPack } from "../store/packs.js";
import { isDamagedTag, listTags, readLatest, readTag } from "../store/refs.js";
import type { Store } from "../store/store.js";
import { manifestFault, objectFault, sealFault, sealProblem } from "./check-pack.js";

export interface StoreOptions {
  /** The share of objects that are hashed, from 0 to 1. */
  sample?: number;
  progress?: (done: number, of: number) => void;
}

export function verifyStore(store: Store, options: StoreOptions = {}): VerifiedTarget {
  const { root } = store;
  // Threads take a while to start; a first look tells whether there is work for them.
  const hashers = new Hashers(root, roughCount(root));
  const { objects, strangers } = listObjects(root);
  const chosen = sampled(objects, options.sample ?? 1, new Set(listPacks(root)));
  // The other cores hash while this one reads the manifests.
  const finish = hashers.start(chosen);
  const packs = readPacks(store, objects);
  const hashed = finish((done) => options.progress?.(Math.min(done, chosen.length), chosen.length));
  const faults = [...packs.faults, ...objectFaults(store, hashed, packs), ...refFaults(store, packs.hashes)];
  const isWhole = chosen.length === objects.length;
  const { unreached } = packs;
  return {
    target: root,
    kind: "store",
    result: faults.length > 0 ? "damaged" : isWhole ? "verified" : "sampled",
    packs: [...new Set(faults.flatMap((fault) => fault.packs))],
    claims: claimsOf(faults, {
      objects: objects.length,
      checked: chosen.length,
      packs: packs.hashes.size,
      missing: packs.absentParents.length,
    }),
    faults,
    notes: notesOf(store, { strangers, unreached, absentParents: packs.absentParents }),
    next: faults.length === 0 ? [] : ["ctx log"],
    counts: {
      packs: packs.hashes.size,
      objects: objects.length,
      checked: chosen.length,
      bytes: hashed.bytes,
      unreached,
    },
  };
}

/** About how many objects there are: as if every shelf held as many as the first few. */
function roughCount(root: string): number {
  const shelves = list(join(root, "objects"));
  const some = shelves.slice(0, 8);
  const held = some.reduce((sum, shelf) => sum + listIfFolder(join(root, "objects", shelf)).length, 0);
  return some.length === 0 ? 0 : (held / some.length) * shelves.length;
}

function listIfFolder(folder: string): string[] {
  return fs.lstatSync(folder).isDirectory() ? list(folder) : [];
}

/** The objects by name, in no order; and what else lies among them. */
function listObjects(root: string): { objects: string[]; strangers: string[] } {
  const folder = join(root, "objects");
  const objects: string[] = [];
  const strangers: string[] = [];
  for (const shelf of list(folder)) {
    const isShelf = /^[0-9a-f]{2}$/.test(shelf) && fs.lstatSync(join(folder, shelf)).isDirectory();
    if (!isShelf) strangers.push(`objects/${shelf}`);
    else
      for (const name of list(join(folder, shelf)))
        if (/^[0-9a-f]{62}$/.test(name)) objects.push(shelf + name);
        else strangers.push(`objects/${shelf}/${name}`);
  }
  return { objects, strangers };
}

function list(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

interface Packs {
  hashes: Set<string>;
  faults: Fault[];
  absentParents: string[];
  /** Objects that a pack names and that are not there. */
  missing: Set<string>;
  /** How many objects no pack names. */
  unreached: number;
}

/** Every manifest: read from its object, canonical, sealed in packs/ as it should be, naming only what is there. */
function readPacks(store: Store, objects: readonly string[]): Packs {
  const hashes = new Set(listEntries(store.root).map(({ hex }) => hex));
  const result: Packs = { hashes, faults: [], absentParents: [], missing: new Set(), unreached: 0 };
  const places = new HexIndex(objects);
  const isReached = new Uint8Array(objects.length);
  const need = (object: string): void => {
    const at = places.of(object);
    if (at < 0) result.missing.add(object);
    else isReached[at] = 1;
  };
  for (const hex of [...hashes].sort()) {
    const at = places.of(hex);
    if (at >= 0) isReached[at] = 1;
    try {
      const pack = readPack(store.root, hex);
      const problem = pack.fromGo ? undefined : sealProblem(store.root, hex, pack.manifest);
      if (problem !== undefined) result.faults.push(sealFault(store, hex, problem));
      for (const reference of reached(pack.manifest)) need(hexOf(reference));
      const { parent } = pack.manifest;
      if (parent !== undefined && !hashes.has(hexOf(parent))) result.absentParents.push(hexOf(parent));
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      result.faults.push(manifestFault(hex, error));
    }
  }
  result.unreached = objects.length - isReached.reduce((sum, each) => sum + each, 0);
  return result;
}

/** A share of the objects, chosen by chance; manifests are always among them. */
function sampled(objects: readonly string[], share: number, packs: ReadonlySet<string>): string[] {
  return share >= 1 ? [...objects] : objects.filter((hex) => packs.has(hex) || Math.random() < share);
}

/** Objects that are damaged or missing, each with the packs that have lost it. */
function objectFaults(store: Store, { faults }: Hashed, { hashes, missing }: Packs): Fault[] {
  const broken = new Map(faults);
  for (const hex of missing) broken.set(hex, new CtxError("missing", `blob ${hex} is not in the store`));
  // What is wrong with a manifest was told already, with its pack.
  for (const hex of hashes) broken.delete(hex);
  if (broken.size === 0) return [];
  const losers = packsThatNeed(store, hashes, broken);
  return [...broken]
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([hex, error]) => objectFault(hex, error, (losers.get(hex) ?? []).map(toReference)));
}

/** The manifests are gone through once more for that, which only a damaged store has to bear. */
function packsThatNeed(
  store: Store,
  hashes: ReadonlySet<string>,
  broken: ReadonlyMap<string, unknown>,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const hex of [...hashes].sort()) {
    try {
      const named = new Set([...reached(readPack(store.root, hex).manifest)].map(hexOf));
      for (const object of named)
        if (broken.has(object)) found.set(object, [...(found.get(object) ?? []), hex]);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return found;
}

function refFaults(store: Store, packs: ReadonlySet<string>): Fault[] {
  const faults: Fault[] = [];
  const fault = (about: string, message: string, remedy: string): void =>
    void faults.push({ about, message, packs: [], remedy });
  for (const tag of listTags(store.root)) {
    const hex = readTag(store.root, tag);
    if (isDamagedTag(store.root, tag) || hex === undefined)
      fault(`tag ${tag}`, `the tag ${tag} is damaged`, `ctx tag --force ${tag} <pack>, or ctx tag -d ${tag}`);
    else if (!packs.has(hex))
      fault(`tag ${tag}`, `the tag ${tag} names ctx://${hex}, which is not here`, `ctx tag -d ${tag}`);
  }
  return faults;
}

function isRef({ about }: Fault): boolean {
  return about.startsWith("tag ");
}

function isObject({ about }: Fault): boolean {
  return about.startsWith("sha256:");
}

function claim(name: string, wrong: number, good: string, isWhole = true): Claim {
  return {
    claim: name,
    answer: wrong > 0 ? "no" : isWhole ? "yes" : "not_checked",
    detail: wrong > 0 ? `${wrong} wrong` : good,
  };
}

function claimsOf(
  faults: readonly Fault[],
  count: { objects: number; checked: number; packs: number; missing: number },
): Claim[] {
  const broken = (of: (fault: Fault) => boolean): number => faults.filter(of).length;
  const isWhole = count.checked === count.objects;
  const looked = isWhole
    ? `${count.objects} of ${count.objects} have the bytes that their names say`
    : `${count.checked} of ${count.objects} were looked at, none wrong`;
  return [
    claim("objects", broken(isObject), looked, isWhole),
    claim(
      "manifests",
      broken((fault) => !isObject(fault) && !isRef(fault)),
      `${count.packs} of ${count.packs} are canonical, and sealed as they should be`,
    ),
    claim(
      "references",
      broken((fault) => isObject(fault) && fault.message.includes("is not in the store")),
      "everything that a pack names is here",
    ),
    claim("refs", broken(isRef), "every tag names a pack that is here"),
    {
      claim: "lineage",
      answer: count.missing > 0 ? "not_checked" : "yes",
      detail: count.missing > 0 ? `${count.missing} parents are not in this store` : "every parent is here",
    },
  ];
}

function notesOf(
  store: Store,
  {
    strangers,
    unreached,
    absentParents,
  }: { strangers: string[]; unreached: number; absentParents: string[] },
): string[] {
  const notes: string[] = [];
  if (unreached > 0)
    notes.push(`${unreached} objects belong to no pack; ctx gc removes them once they are old enough`);
  const others = [...strangers, ...strangersIn(store)];
  for (const name of others.slice(0, 20)) notes.push(`${name} is none of ctx's files`);
  if (others.length > 20) notes.push(`${others.length - 20} more files are none of ctx's`);
  const dead = list(join(store.root, "locks")).filter(
    (name) => isOwnerRunning(name.slice(name.indexOf(".") + 1)) === false,
  );
  const leftovers = list(join(store.root, "tmp")).length;
  if (dead.length > 0)
    notes.push(`${dead.length} locks of processes that are gone; the next writer removes them`);
  if (leftovers > 0)
    notes.push(
      `${leftovers} unfinished writes in tmp/; the next writer removes those of processes that are gone`,
    );
  const latest = readLatest(store.root);
  if (latest !== undefined && !listEntries(store.root).some(({ hex }) => hex === latest))
    notes.push("latest names a pack that is not here; the newest one takes its place");
  for (const parent of [...new Set(absentParents)].slice(0, 5))
    notes.push(`the parent ctx://${parent.slice(0, 12)} is not in this store`);
  return notes;
}

const ours = new Set([
  "objects",
  "packs",
  "refs",
  "drafts",
  "tmp",
  "locks",
  "cache",
  "config.json",
  ".gitignore",
  ".gitattributes",
  "graph",
]);

function strangersIn({ root }: Store): string[] {
  return [
    ...list(root).filter((name) => !ours.has(name)),
    ...list(join(root, "packs"))
      .filter((name) => !isHash(name))
      .map((name) => `packs/${name}`),
    ...list(join(root, "refs"))
      .filter((name) => name !== "latest" && name !== "tags")
      .map((name) => `refs/${name}`),
  ];
}
