// `ctx remote ls`: the packs in a repository of a registry, as the registry describes them.
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isHashLike } from "../model/pack-name.js";
import type { LsResult, RemotePack } from "../results/share.js";
import { parseTime, sortKey } from "../model/times.js";
import type { DeclaredArtifact } from "../bundle/read-artifact.js";
import { repositoryText } from "../registry/address.js";
import { getArtifact, listTags } from "../registry/manifests.js";
import { inParallel } from "../registry/parallel.js";
import type { Registry } from "../registry/registry.js";
import { hasPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { packTitle } from "../store/titles.js";
import { type RemoteOptions, withRegistry } from "../registry/open-registry.js";
import { remoteTarget } from "../registry/remotes.js";

/** Lists packs, newest first. With a `store`, marks those that it holds. */
export async function ls(store: Store | undefined, at: string, options: RemoteOptions): Promise<LsResult> {
  const target = remoteTarget(at, options.user);
  const { tag: named } = target.address;
  return await withRegistry(target, options, async (registry, parallel) => {
    const tags = await tagsFor(registry, named);
    const packs = new Map<string, RemotePack>();
    const others: string[] = [];
    let done = 0;
    await inParallel(tags, parallel, async (tag) => {
      const found = await packAt(registry, tag);
      options.progress?.(++done, tags.length);
      if (found === undefined) others.push(tag);
      else {
        const pack = packs.get(found.digest) ?? describe(found, store);
        pack.tags.push(tag);
        packs.set(found.digest, pack);
      }
    });
    for (const pack of packs.values()) pack.tags.sort();
    return {
      at: repositoryText(target.address),
      packs: [...packs.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1)),
      others: others.sort(),
    };
  });
}

/** Returns every tag, the one that was named, or all that start with the first digits of a hash. */
async function tagsFor(registry: Registry, named: string | undefined): Promise<string[]> {
  if (named !== undefined && !isHashLike(named)) return [named];
  const all = await listTags(registry);
  if (named === undefined) return all;
  return all.filter((tag) => tag === named || (isHashLike(tag) && tag.startsWith(named.toLowerCase())));
}

/**
 * Returns the pack that a tag names, or undefined if it names none. A tag that looks like a hash, or a prefix
 * of one, must name a pack whose hash starts with it.
 */
async function packAt(
  registry: Registry,
  tag: string,
): Promise<{ artifact: DeclaredArtifact; digest: string } | undefined> {
  try {
    const found = await getArtifact(registry, tag);
    const isFalse = isHashLike(tag) && found?.artifact.pack.hex.startsWith(tag.toLowerCase()) === false;
    return isFalse ? undefined : found;
  } catch (error) {
    if (error instanceof CtxError && error.code === "bundle-invalid") return undefined;
    throw error;
  }
}

function describe(
  { artifact, digest }: { artifact: DeclaredArtifact; digest: string },
  store: Store | undefined,
): RemotePack {
  const { pack, tars, blobs, annotations } = artifact;
  const created = annotations.created === undefined ? "" : parseTime(annotations.created);
  return {
    hash: toReference(pack.hex),
    digest: toReference(digest),
    tags: [],
    title: titleOf(annotations.title, store, pack.hex),
    bytes: [pack, ...tars, ...blobs].reduce((sum, { size }) => sum + size, 0),
    ...(typeof created === "string" ? {} : { created: created.text }),
    ...(annotations.model === undefined ? {} : { model: annotations.model }),
    ...(annotations.steps === undefined ? {} : { steps: annotations.steps }),
    ...(store === undefined ? {} : { here: hasPack(store.root, pack.hex) }),
  };
}

/** Returns the title that a pack has in this store, if it is here; else the one that the registry claims. */
function titleOf(claimed: string | undefined, store: Store | undefined, hex: string): string | null {
  if (store !== undefined && hasPack(store.root, hex)) return packTitle(store.root, hex) ?? null;
  return claimed ?? null;
}

function keyOf({ created, hash }: RemotePack): string {
  return `${created === undefined ? "" : sortKey(created)} ${hash}`;
}
