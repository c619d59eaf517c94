// `ctx push`: sends packs to a registry. Only missing blobs are sent, and the manifest that makes a pack
// visible comes last. Afterwards the registry must confirm that each tag names the pushed pack.
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { addTo } from "../base/lists.js";
import { isHashLike } from "../model/pack-name.js";
import type { PushResult, Traffic } from "../results/share.js";
import { partsOf } from "../bundle/arrival.js";
import type { Artifact } from "../bundle/artifact.js";
import { repositoryText } from "../registry/address.js";
import { confirmTag, headManifest } from "../registry/manifests.js";
import { inParallel, type Parallel } from "../registry/parallel.js";
import type { Registry } from "../registry/registry.js";
import { putManifest, type Upload, uploadBlob, uploadsOf } from "../registry/upload.js";
import type { Store } from "../store/store.js";
import { type RemoteOptions, withRegistry } from "../registry/open-registry.js";
import { collectOutgoing, type OutgoingOptions } from "../bundle/outgoing.js";
import { remoteTarget } from "../registry/remotes.js";

export type { OutgoingOptions } from "../bundle/outgoing.js";
export type { RemoteOptions } from "../registry/open-registry.js";

export interface PushOptions extends OutgoingOptions, RemoteOptions {
  /** Move a tag that names another pack. */
  force?: boolean;
  dryRun?: boolean;
}

export async function push(
  store: Store,
  names: readonly string[],
  to: string,
  options: PushOptions,
): Promise<PushResult> {
  const target = remoteTarget(to, options.user);
  const { tag, digest } = target.address;
  if (digest !== undefined)
    throw new CtxError(
      "usage",
      "cannot push to @sha256:…: an address to push to can have a tag, but no hash",
    );
  if (tag !== undefined && isHashLike(tag))
    throw new CtxError(
      "usage",
      `"${tag}" cannot be a tag: it looks like the hash of a pack, or its first digits`,
      {
        hint: "every pack is tagged with its own hash; `ctx pull` finds it by the first digits",
      },
    );
  if (tag !== undefined && (names.length > 1 || options.all === true))
    throw new CtxError("usage", "a tag can only name one pack, and several were selected");
  const { packs, absent, artifacts, kept, personal } = collectOutgoing(store, names, options);
  const result: PushResult = {
    to: repositoryText(target.address),
    packs: packs.map((pack, at) => {
      const { hex, digest: of } = artifacts[at] as Artifact;
      const own = tag !== undefined && pack.why === "asked" ? [tag] : [];
      return { ...pack, digest: toReference(of), tags: [hex, ...own], new: true };
    }),
    absent,
    sent: { blobs: 0, bytes: 0 },
    present: { blobs: 0, bytes: 0 },
    ...(personal === undefined ? {} : { personal }),
  };
  options.before?.(packs, personal);
  if (options.dryRun === true) return { ...result, dry_run: true };
  const uploadsFor = (artifact: Artifact): Upload[] => uploadsOf(store.root, artifact, kept);
  return await withRegistry(target, options, async (registry, parallel) => {
    await new Pusher(registry, result, { parallel, options }).push(artifacts, uploadsFor);
    return result;
  });
}

class Pusher {
  readonly #registry: Registry;
  readonly #result: PushResult;
  readonly #parallel: Parallel;
  readonly #options: PushOptions;
  /** Tags that already name the right pack. */
  readonly #named = new Set<string>();

  constructor(
    registry: Registry,
    result: PushResult,
    { parallel, options }: { parallel: Parallel; options: PushOptions },
  ) {
    this.#registry = registry;
    this.#result = result;
    this.#parallel = parallel;
    this.#options = options;
  }

  async push(artifacts: readonly Artifact[], uploadsFor: (artifact: Artifact) => Upload[]): Promise<void> {
    const { packs } = this.#result;
    await this.#checkTags();
    const missing = new Set<Artifact>();
    await this.#each(artifacts, async (artifact) => {
      const { hex } = artifact;
      const digest = toReference(artifact.digest);
      if ((await headManifest(this.#registry, hex)) === digest) this.#named.add(hex);
      else if ((await headManifest(this.#registry, digest)) === undefined) missing.add(artifact);
    });
    const uploads = new Map<string, Upload>();
    const there = new Map<string, number>();
    for (const artifact of artifacts)
      for (const upload of uploadsFor(artifact)) {
        if (missing.has(artifact)) uploads.set(upload.hex, upload);
        else there.set(upload.hex, upload.size);
      }
    for (const [hex, size] of there) if (!uploads.has(hex)) add(this.#result.present, size);
    await this.#send([...uploads.values()]);
    const pushed = new Map(packs.map((pack, at) => [artifacts[at] as Artifact, pack]));
    // Packs that others name come first, so that no pack in the registry ever names a missing one.
    for (const some of inWaves(artifacts))
      await this.#each(some, async (artifact) => {
        const pack = pushed.get(artifact) as PushResult["packs"][number];
        pack.new = missing.has(artifact);
        const tags = pack.tags.filter((tag) => !this.#named.has(tag));
        await Promise.all(tags.map((tag) => this.#put(artifact, tag)));
      });
  }

  async #put(artifact: Artifact, tag: string): Promise<void> {
    await putManifest(this.#registry, artifact, tag);
    await confirmTag(this.#registry, tag, toReference(artifact.digest));
  }

  /** Throws if a tag names another pack, unless `force` is set. */
  async #checkTags(): Promise<void> {
    if (this.#options.force === true) return;
    for (const { tags, digest } of this.#result.packs)
      for (const tag of tags.slice(1)) {
        const named = await headManifest(this.#registry, tag);
        if (named === digest) this.#named.add(tag);
        if (named === undefined || named === digest) continue;
        throw new CtxError("tag-exists", `${this.#registry.text}:${tag} already names another pack`, {
          hint: "use another tag, or move this one with --force",
        });
      }
  }

  async #send(uploads: readonly Upload[]): Promise<void> {
    const of = uploads.reduce((sum, { size }) => sum + size, 0);
    let done = 0;
    const report = (bytes: number): void => {
      done += bytes;
      this.#options.progress?.(done, of);
    };
    // Largest first, because they take longest.
    const sorted = uploads.toSorted((a, b) => b.size - a.size);
    await this.#each(sorted, async (upload) => {
      const isSent = await uploadBlob(this.#registry, upload, report);
      if (!isSent) report(upload.size);
      add(isSent ? this.#result.sent : this.#result.present, upload.size);
    });
  }

  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    await inParallel(items, this.#parallel, work);
  }
}

function add(traffic: Traffic, bytes: number): void {
  traffic.blobs++;
  traffic.bytes += bytes;
}

/** Yields packs in waves: each pack comes after all packs that it names. */
function* inWaves(artifacts: readonly Artifact[]): Generator<Artifact[]> {
  const left = new Map(artifacts.map(({ hex }) => [hex, 0]));
  const namedBy = new Map<string, Artifact[]>();
  for (const artifact of artifacts)
    for (const part of partsOf(artifact.manifest))
      if (left.has(part)) {
        left.set(artifact.hex, (left.get(artifact.hex) ?? 0) + 1);
        addTo(namedBy, part, artifact);
      }
  for (let wave = artifacts.filter(({ hex }) => left.get(hex) === 0); wave.length > 0; ) {
    yield wave;
    const next: Artifact[] = [];
    for (const artifact of wave.flatMap(({ hex }) => namedBy.get(hex) ?? [])) {
      const count = (left.get(artifact.hex) ?? 0) - 1;
      left.set(artifact.hex, count);
      if (count === 0) next.push(artifact);
    }
    wave = next;
  }
}
