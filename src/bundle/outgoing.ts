// Collects the packs that leave the store: those that were named and those that they need to be complete.
// Throws if any of their contents holds a secret.
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError, type Problem } from "../base/errors.js";
import type { AbsentPack, LeavingPack, Personal, Why } from "../results/share.js";
import { subagentsOf } from "./arrival.js";
import { type Artifact, artifactOf, TarMemory } from "./artifact.js";
import { hasPack, listPacks, readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";
import { PersonalFinder } from "./personal.js";
import type { RedactionOptions } from "../redact/settings.js";
import { scan } from "../redact/scan-targets.js";

export interface OutgoingOptions extends RedactionOptions {
  /** Include all ancestors of the packs. */
  withParents?: boolean;
  /** Include every pack of the store. */
  all?: boolean;
  /** Continue even if a secret is found. */
  allowSecrets?: boolean;
  /** Called with the packs before any of them leaves. */
  before?: (packs: readonly LeavingPack[], personal: Personal | undefined) => void;
  /** Called with the number of bytes scanned for secrets. */
  scanned?: (done: number, of: number) => void;
}

export interface Outgoing {
  packs: LeavingPack[];
  absent: AbsentPack[];
  /** The artifact of each pack, in the same order. */
  artifacts: Artifact[];
  /** Blobs that were read to build the artifacts. */
  kept: TarMemory;
  /** What the packs reveal about the person and the machine, if anything. */
  personal: Personal | undefined;
}

/** Returns the packs that leave, the named ones first. Throws if one of them contains a secret. */
export function collectOutgoing(
  store: Store,
  names: readonly string[],
  options: OutgoingOptions = {},
): Outgoing {
  const named = options.all === true ? listPacks(store.root) : names.map((name) => resolvePack(store, name));
  if (named.length === 0)
    throw new CtxError("not-found", "there are no packs in this store yet", {
      hint: "add one with `ctx pack <log>`",
    });
  const gathered = gather(store, named, options.withParents === true);
  if (options.allowSecrets !== true) refuseSecrets(store, gathered, options);
  return gathered;
}

function gather(store: Store, named: readonly string[], withParents: boolean): Outgoing {
  const packs = new Map<string, LeavingPack>();
  const absent: AbsentPack[] = [];
  const artifacts: Artifact[] = [];
  const kept = new TarMemory();
  const personal = new PersonalFinder(store.root);
  const left: { hex: string; why: Why; of?: string }[] = named.map((hex) => ({ hex, why: "asked" }));
  for (const { hex, why, of } of left) {
    if (packs.has(hex)) continue;
    if (of !== undefined && why !== "asked" && !hasPack(store.root, hex)) {
      absent.push({ hash: toReference(hex), why, of: toReference(of) });
      continue;
    }
    const pack = readPack(store.root, hex);
    const { manifest } = pack;
    const artifact = artifactOf(store.root, hex, kept, pack);
    artifacts.push(artifact);
    packs.set(hex, describePack(store.root, artifact, why));
    personal.add(manifest, (blob) => kept.get(blob));
    for (const sub of subagentsOf(manifest)) left.push({ hex: sub, why: "subagent", of: hex });
    if (manifest.parent === undefined) continue;
    const parent = hexOf(manifest.parent);
    if (withParents) left.push({ hex: parent, why: "parent", of: hex });
    else if (!hasPack(store.root, parent))
      absent.push({ hash: manifest.parent, why: "parent", of: toReference(hex) });
  }
  return { packs: [...packs.values()], absent, artifacts, kept, personal: personal.result() };
}

function describePack(root: string, { hex, manifest, layers }: Artifact, why: Why): LeavingPack {
  const { created, model, steps, prompts, inputs, outputs } = manifest;
  const contents = layers.flatMap(({ size, tar }) => tar?.blobs ?? [{ size }]);
  return {
    hash: toReference(hex),
    title: titleFor(root, hex, manifest),
    why,
    created,
    model: model.identifier,
    steps: steps.length,
    prompts: prompts.length,
    files: [...new Set([...inputs, ...outputs].map(({ name }) => name))],
    bytes: contents.reduce((sum, { size }) => sum + size, 0),
  };
}

function refuseSecrets(store: Store, { packs, kept }: Outgoing, options: OutgoingOptions): void {
  const names = packs.map(({ hash }) => hash);
  const { redact, user, scanned } = options;
  const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  let done = 0;
  const { targets } = scan(store, names, {
    as: "pack",
    redact,
    user,
    held: (hex) => kept.get(hex),
    looked: (more) => scanned?.(Math.min((done += more), bytes), bytes),
  });
  scanned?.(bytes, bytes);
  for (const [at, pack] of packs.entries()) {
    const { unsearched } = targets[at] as (typeof targets)[number];
    if (unsearched !== undefined) pack.unsearched = unsearched;
  }
  const problems: Problem[] = targets.flatMap(({ finds, target }) =>
    finds.map(({ place, rules }) => ({
      path: `ctx://${hexOf(target as Reference).slice(0, 12)} ${place}`,
      message: Object.entries(rules)
        .map(([rule, count]) => (count === 1 ? rule : `${rule} (${count})`))
        .join(", "),
    })),
  );
  if (problems.length === 0) return;
  throw new CtxError("secret-found", "found secrets, so nothing was sent or written", {
    problems,
    hint: "pack the log again with masking on; or use --allow-secrets, if everyone who will see them may know them",
  });
}
