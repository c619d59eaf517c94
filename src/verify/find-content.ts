// Finds packs that contain some bytes: among their outputs, their inputs, or what a step returned. The
// catalog is only a hint: no hash covers it, so every pack that it names is read, and before the result is
// that no pack has the bytes, the packs themselves are searched.
import { CtxError } from "../base/errors.js";
import { toReference } from "../base/digest.js";
import type { Manifest, Output } from "../model/manifest.js";
import { type Catalog, type ContentRole, withCatalog } from "../store/catalog.js";
import { hasObject, mayHold, signatureOf } from "../store/objects.js";
import { hasPack, listPacks, readIfPossible, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { provenOutputs } from "./origin.js";

export interface Holder {
  /** Packs, newest first. */
  outputs: string[];
  inputs: string[];
  /** Steps, searched only if the bytes are neither an output nor an input. */
  steps: { hex: string; index: number }[];
  /** What is wrong with packs that cannot be read, and may hold the bytes as well. */
  unreadable: string[];
}

/** Maximum number of uses to find. */
const most = 20;

export function holdersOf(store: Store, hex: string): Holder {
  const [found, unreadable] = withCatalog(
    store,
    (catalog) => [catalog.byContent(hex), catalog.damaged === 0 ? [] : damageIn(catalog)] as const,
  );
  const named = new Set(found.filter(({ role }) => role === "output").map(({ pack }) => pack));
  const outputs = confirmed(store, named.size < 2 ? [...named] : newestFirst(store, named), hex);
  if (outputs.length > 0) return { outputs, inputs: [], steps: [], unreadable };
  // Without its object no intact pack has a content, and then only packs that changed since they were
  // catalogued are read.
  const packs = hasObject(store.root, hex) ? listPacks(store.root) : changedPacks(store);
  const { roles, steps } = searchPacks(store, packs, hex);
  const of = (role: ContentRole): Set<string> =>
    new Set([...roles].flatMap(([pack, packRoles]) => (packRoles.has(role) ? pack : [])));
  const makers = of("output");
  return {
    outputs: makers.size < 2 ? [...makers] : newestFirst(store, makers),
    inputs: [...of("input")],
    steps: roles.size === 0 ? steps : [],
    unreadable,
  };
}

/**
 * Maximum number of packs from the catalog that are read. The first decides, and those named beside it are
 * examples.
 */
const maxConfirmed = 20;

/**
 * Returns the packs that do have these bytes among their outputs; after the first few the catalog is trusted.
 */
function confirmed(store: Store, packs: readonly string[], hex: string): string[] {
  const confirmedPacks: string[] = [];
  for (const [at, pack] of packs.entries()) {
    if (confirmedPacks.length === maxConfirmed) return [...confirmedPacks, ...packs.slice(at)];
    const manifest = readIfPossible(store.root, pack);
    // A pack that cannot be read may have them: verify reports what is wrong with it.
    if (manifest === undefined ? hasPack(store.root, pack) : rolesIn(manifest, hex).has("output"))
      confirmedPacks.push(pack);
  }
  return confirmedPacks;
}

function rolesIn({ outputs, inputs }: Manifest, hex: string): Set<ContentRole> {
  const reference = toReference(hex);
  const roles = new Set<ContentRole>();
  if (outputs.some(({ content_ref }) => content_ref === reference)) roles.add("output");
  if (inputs.some(({ content_ref }) => content_ref === reference)) roles.add("input");
  return roles;
}

/** Returns the packs whose manifests are not the files that the catalog knows. */
function changedPacks(store: Store): string[] {
  const signatures = withCatalog(
    store,
    (catalog) => new Map([...catalog.entries()].map((entry) => [entry.hex, entry.signature])),
  );
  return listPacks(store.root).filter((pack) => signatures.get(pack) !== signatureOf(store.root, pack));
}

/** Searches these packs for some bytes. Only manifests that contain the hash as text are read in full. */
function searchPacks(
  store: Store,
  packs: readonly string[],
  hex: string,
): { roles: Map<string, Set<ContentRole>>; steps: Holder["steps"] } {
  const roles = new Map<string, Set<ContentRole>>();
  const steps: Holder["steps"] = [];
  const reference = toReference(hex);
  for (const pack of packs) {
    // Once enough steps are known, only outputs and inputs count: both programs write these without white
    // space.
    const text = steps.length < most ? hex : `"content_ref":"${reference}"`;
    if (!mayHold(store.root, pack, text)) continue;
    const manifest = readIfPossible(store.root, pack);
    if (manifest === undefined) continue;
    const packRoles = rolesIn(manifest, hex);
    if (packRoles.size > 0) roles.set(pack, packRoles);
    for (const { output_ref, index } of steps.length < most ? manifest.steps : [])
      if (output_ref === reference) steps.push({ hex: pack, index });
  }
  return { roles, steps: steps.slice(0, most) };
}

/** Maximum number of the newest packs that are searched for a name. */
const maxNamed = 200;

/** Returns the newest pack that has recorded an output under this name, and that output. */
export function outputNamed(store: Store, name: string): { hex: string; output: Output } | undefined {
  const packs = withCatalog(store, (catalog) => {
    const found: string[] = [];
    for (const { hex } of catalog.entries()) if (found.push(hex) >= maxNamed) break;
    return found;
  });
  for (const hex of packs) {
    try {
      const { manifest } = readPack(store.root, hex);
      if (manifest.outputs.every((each) => each.name !== name)) continue;
      // An output that was edited by hand, or copied by a replay, was not written by a run.
      const output = provenOutputs(store, manifest).find((each) => each.name === name);
      if (output !== undefined) return { hex, output };
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return undefined;
}

function damageIn(catalog: Catalog): string[] {
  return [...catalog.entries()].flatMap(({ content }) => ("damage" in content ? [content.damage] : []));
}

function newestFirst(store: Store, packs: ReadonlySet<string>): string[] {
  return withCatalog(store, (catalog) => {
    const sorted: string[] = [];
    for (const { hex } of catalog.entries()) {
      if (packs.has(hex)) sorted.push(hex);
      if (sorted.length === packs.size) break;
    }
    return sorted;
  });
}
