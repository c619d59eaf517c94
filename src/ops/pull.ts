// `ctx pull`: fetches packs from a registry. Missing blobs are staged and hashed as they arrive. Only when
// all of them are complete does the store change, in one step and under its lock.
import { hexOf } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isHashLike } from "../model/pack-name.js";
import type { PullResult } from "../results/share.js";
import { Arrival, subagentsOf } from "../bundle/arrival.js";
import { type Address, addressText } from "../registry/address.js";
import { type FoundArtifact, getArtifact, listTags } from "../registry/manifests.js";
import { inParallel, type Parallel } from "../registry/parallel.js";
import type { Registry } from "../registry/registry.js";
import { WantedPacks } from "../registry/wanted.js";
import { type Added, withBatch } from "../store/batch-lock.js";
import { hasPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { type RemoteOptions, withRegistry } from "../registry/open-registry.js";
import { imported } from "../bundle/import-bundle.js";
import { remoteTarget } from "../registry/remotes.js";

export interface PullOptions extends RemoteOptions {
  /** Also fetch the parents of packs, as far as the registry has them. */
  withParents?: boolean;
  /** Fetch every pack of the repository. */
  all?: boolean;
}

export async function pull(store: Store, from: string, options: PullOptions): Promise<PullResult> {
  const target = remoteTarget(from, options.user);
  return await withRegistry(target, options, async (registry, parallel) => {
    const requested = await findRequested(registry, target.address, { parallel, all: options.all === true });
    const progress = options.progress ?? (() => undefined);
    const wanted = new WantedPacks(store, registry, { ...parallel, progress });
    await gather(registry, store, { requested, wanted, withParents: options.withParents === true, parallel });
    const added = await arrive(store, wanted);
    const { received, resumed } = wanted;
    return { ...imported(store, addressText(target.address), added), received, resumed };
  });
}

/** Returns the packs that an address names; with `all`, every pack of the repository. */
async function findRequested(
  registry: Registry,
  address: Address,
  { parallel, all }: { parallel: Parallel; all: boolean },
): Promise<FoundArtifact[]> {
  const { tag, digest } = address;
  if (all && (tag ?? digest) !== undefined)
    throw new CtxError("usage", "--all fetches every pack of a repository, so the address cannot name one");
  if (digest !== undefined) return [await byHash(registry, digest)];
  if (tag !== undefined) return [await byTag(registry, tag)];
  const packs = (await listTags(registry)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  if (packs.length === 0)
    throw new CtxError("not-found", `there are no packs at ${registry.text}`, {
      hint: `\`ctx remote ls ${registry.text}\` lists what is there`,
    });
  if (packs.length > 1 && !all)
    throw new CtxError("ambiguous", `there are ${packs.length} packs at ${registry.text}`, {
      problems: packs
        .slice(0, 20)
        .map((hex) => ({ path: "", message: `${registry.text}:${hex.slice(0, 12)}` })),
      hint: "name one by its tag or the first digits of its hash, or fetch all with --all",
    });
  const found = new Map<string, FoundArtifact>();
  await inParallel(packs, parallel, async (hex) => void found.set(hex, await byTag(registry, hex)));
  return packs.map((hex) => found.get(hex) as FoundArtifact);
}

/** Finds a pack by its hash, or by the digest of its OCI manifest. */
async function byHash(registry: Registry, hex: string): Promise<FoundArtifact> {
  return (
    (await packByHash(registry, hex)) ??
    (await getArtifact(registry, `sha256:${hex}`)) ??
    missing(registry, hex)
  );
}

/** Finds a pack by a tag, or by a prefix of its hash. */
async function byTag(registry: Registry, tag: string): Promise<FoundArtifact> {
  if (/^[0-9a-f]{64}$/.test(tag)) return (await packByHash(registry, tag)) ?? missing(registry, tag);
  const named = await getArtifact(registry, tag);
  if (isHashLike(tag)) return await byPrefix(registry, tag, named);
  return named ?? missing(registry, tag);
}

/**
 * Finds the one pack whose hash starts with `tag`. `named` is the pack that a tag of exactly this name refers
 * to. Anyone with push permission can create such a tag, so it is used only if the hash of its pack starts
 * with these digits.
 */
async function byPrefix(
  registry: Registry,
  tag: string,
  named: FoundArtifact | undefined,
): Promise<FoundArtifact> {
  const prefix = tag.toLowerCase();
  const packs = (await listTags(registry)).filter(
    (name) => /^[0-9a-f]{64}$/.test(name) && name.startsWith(prefix),
  );
  const tagged = named?.artifact.pack.hex;
  if (tagged !== undefined && !tagged.startsWith(prefix)) throw falseTag(registry, tag, { tagged, packs });
  const found = new Set([...packs, ...(tagged === undefined ? [] : [tagged])]);
  const [only] = found;
  if (found.size > 1)
    throw new CtxError("ambiguous", `${tag} is ambiguous: ${found.size} packs at ${registry.text} match`, {
      problems: [...found].slice(0, 20).map((hex) => ({ path: "", message: hex })),
      hint: "type more digits of the hash",
    });
  if (named !== undefined) return named;
  return only === undefined ? missing(registry, tag) : await byTag(registry, only);
}

function falseTag(
  registry: Registry,
  tag: string,
  { tagged, packs }: { tagged: string; packs: readonly string[] },
): CtxError {
  const [pack] = packs;
  const other = pack === undefined ? "" : `; the digits mean ctx://${pack}`;
  return new CtxError(
    "registry",
    `${registry.text} has a tag ${tag} that names ctx://${tagged}, whose hash does not start with it${other}`,
    { hint: `name the pack by its whole hash: ${registry.text}@sha256:${pack ?? tagged}` },
  );
}

/** Finds the pack with this hash. Any other pack that the registry has under that name is refused. */
async function packByHash(registry: Registry, hex: string): Promise<FoundArtifact | undefined> {
  const found = await getArtifact(registry, hex);
  if (found === undefined || found.artifact.pack.hex === hex) return found;
  throw new CtxError(
    "registry",
    `${registry.text} returned another pack, ctx://${found.artifact.pack.hex}, for the hash ${hex}`,
  );
}

function missing(registry: Registry, name: string): never {
  const isShort = /^[0-9a-f]{1,3}$/.test(name);
  throw new CtxError("not-found", `there is no pack ${name} at ${registry.text}`, {
    hint: `\`ctx remote ls ${registry.text}\` lists them${isShort ? "; a hash needs at least 4 digits" : ""}`,
  });
}

interface GatherOptions {
  requested: readonly FoundArtifact[];
  wanted: WantedPacks;
  withParents: boolean;
  parallel: Parallel;
}

/** Adds the requested packs, those of their sub-agents, and with `withParents` their parents. */
async function gather(
  registry: Registry,
  store: Store,
  { requested, wanted, withParents, parallel }: GatherOptions,
): Promise<void> {
  const seen = new Set(requested.map(({ artifact }) => artifact.pack.hex));
  // The packs that a pack names are known only after it has been fetched.
  for (let some = requested; some.length > 0; ) {
    const next: FoundArtifact[] = [];
    await inParallel(some, parallel, async ({ artifact }) => {
      const manifest = await wanted.addPack(artifact);
      const parents = withParents && manifest.parent !== undefined ? [hexOf(manifest.parent)] : [];
      for (const hex of [...subagentsOf(manifest), ...parents]) {
        if (seen.has(hex)) continue;
        seen.add(hex);
        if (hasPack(store.root, hex) && !parents.includes(hex)) continue;
        const other = await packByHash(registry, hex);
        if (other !== undefined) next.push(other);
      }
    });
    some = next;
  }
}

/**
 * Fetches missing blobs and commits the packs. Blobs that turn out to be damaged in this store are fetched as
 * well.
 */
async function arrive(store: Store, wanted: WantedPacks): Promise<Added[]> {
  for (let tries = 0; ; tries++) {
    await wanted.fetch();
    try {
      const added = withBatch(store, "add", (batch) => {
        const arrival = new Arrival(batch);
        wanted.addTo(batch, arrival);
        return arrival.publish();
      });
      wanted.clear();
      return added;
    } catch (error) {
      const isOurs =
        error instanceof CtxError && ["damaged", "missing", "bundle-invalid"].includes(error.code);
      if (!isOurs || tries > 0 || !wanted.findDamaged()) throw error;
    }
  }
}
