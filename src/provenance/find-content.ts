// Which packs have some bytes: among their outputs, their inputs, or what a step gave back.
import { CtxError } from "../base/errors.js";
import { toReference } from "../base/digest.js";
import type { Output } from "../model/manifest.js";
import { withCatalog } from "../store/catalog.js";
import type { Catalog } from "../store/catalog-file.js";
import { hasObject } from "../store/objects.js";
import { readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { knownDraft } from "./origin.js";

export interface Holder {
  /** Packs, newest first. */
  outputs: string[];
  inputs: string[];
  /** Steps, looked for only where the bytes are neither an output nor an input. */
  steps: { hex: string; index: number }[];
  /** What is wrong with packs that cannot be read, and may hold the bytes as well. */
  unreadable: string[];
}

/** How many uses are looked for. */
const most = 20;

export function holdersOf(store: Store, hex: string): Holder {
  const [found, unreadable] = withCatalog(
    store,
    (catalog) => [catalog.byContent(hex), catalog.damaged === 0 ? [] : damageIn(catalog)] as const,
  );
  const outputs = new Set(found.filter(({ role }) => role === "output").map(({ pack }) => pack));
  const inputs = [...new Set(found.filter(({ role }) => role === "input").map(({ pack }) => pack))];
  const isStep = outputs.size === 0 && inputs.length === 0 && hasObject(store.root, hex);
  return {
    outputs: outputs.size < 2 ? [...outputs] : newestFirst(store, outputs),
    inputs,
    steps: isStep ? stepsWith(store, hex) : [],
    unreadable,
  };
}

/** How many of the newest packs are asked for a name. */
const mostNamed = 200;

/** The newest pack that has recorded an output under this name, and that output. */
export function outputNamed(store: Store, name: string): { hex: string; output: Output } | undefined {
  const packs = withCatalog(store, (catalog) => {
    const found: string[] = [];
    for (const { hex } of catalog.entries()) if (found.push(hex) >= mostNamed) break;
    return found;
  });
  for (const hex of packs) {
    try {
      const { manifest } = readPack(store.root, hex);
      const output = manifest.outputs.find((each) => each.name === name);
      // What was edited by hand is no text that a run has written.
      if (output !== undefined && knownDraft(store, manifest) !== undefined) continue;
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

function stepsWith(store: Store, hex: string): Holder["steps"] {
  const reference = toReference(hex);
  const found: Holder["steps"] = [];
  const packs = withCatalog(store, (catalog) => [...catalog.entries()].map((entry) => entry.hex));
  for (const pack of packs) {
    if (found.length >= most) break;
    try {
      for (const step of readPack(store.root, pack).manifest.steps)
        if (step.output_ref === reference) found.push({ hex: pack, index: step.index });
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return found.slice(0, most);
}
