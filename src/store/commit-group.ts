// Runs that become durable together: one flush for many of them, instead of one for each. What was added answers only once
// its group is published, so nothing is reported that a power cut could take back.
import { hexOf, type Reference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import type { Added, AddedPack } from "./commit-result.js";
import type { Batch } from "./batch.js";
import { type BatchStore, explainFailure, openBatch } from "./batch-lock.js";

/** Packs that wait to be published, and what is to be done then. */
export interface Pending<T> {
  packs: readonly AddedPack[];
  /** Those of which the last new one will be called latest; all of them, unless it is said. */
  main?: readonly AddedPack[];
  finish(added: Added[], batch: Batch): T;
}

/** Gives what became of it, or throws why nothing did; publishes first where that has not been done. */
export type Later<T> = () => T;

interface Entry {
  pending: Pending<unknown>;
  answer?: { value: unknown } | { error: unknown };
}

/** With this many packs, or bytes aside, a group is worth its flush; more would only be more to lose. */
const mostPacks = 500;
const mostBytes = 32 << 20;

export class Group {
  readonly #store: BatchStore;
  #open: ReturnType<typeof openBatch> | undefined;
  #entries: Entry[] = [];

  constructor(store: BatchStore) {
    this.#store = store;
  }

  /** Lets `work` add packs. `alone`: they must not be added twice at once, so that they are a group of their own. */
  add<T>(work: (batch: Batch) => Pending<T>, { alone = false }: { alone?: boolean } = {}): Later<T> {
    if (alone) this.publish();
    this.#open ??= openBatch(this.#store, alone ? "once" : "add");
    const { batch } = this.#open;
    try {
      const entry: Entry = { pending: work(batch) };
      this.#entries.push(entry);
      if (alone || this.#isFull(batch)) this.publish();
      return () => this.#answerOf(entry) as T;
    } catch (error) {
      // Before the group is published: that releases the lock, which would then look lost.
      const explained = explainFailure(batch, error);
      // What the work staged goes away with the group; after a failure of the machine, at once.
      const isTheirs = error instanceof CtxError && error.code !== "io";
      if (!isTheirs || this.#entries.length === 0) this.publish();
      throw explained;
    }
  }

  /** The manifest of a pack that waits to be published. */
  pendingManifest(reference: Reference | undefined): Manifest | undefined {
    if (reference === undefined) return undefined;
    const hex = hexOf(reference);
    for (const { pending } of this.#entries) {
      const found = pending.packs.find((pack) => pack.hex === hex);
      if (found !== undefined) return found.manifest;
    }
    return undefined;
  }

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  #isFull(batch: Batch): boolean {
    const packs = this.#entries.reduce((sum, { pending }) => sum + pending.packs.length, 0);
    return packs >= mostPacks || batch.bytesAside >= mostBytes;
  }

  #answerOf(entry: Entry): unknown {
    if (entry.answer === undefined) this.publish();
    const answer = entry.answer as NonNullable<Entry["answer"]>;
    if ("error" in answer) throw answer.error;
    return answer.value;
  }

  /** Makes all that was added durable. When that fails, it fails for each of them. */
  publish(): void {
    const entries = this.#entries;
    this.#entries = [];
    if (this.#open === undefined) return;
    const { batch } = this.#open;
    try {
      const all = entries.map(({ pending }) => pending);
      const packs = all.flatMap((pending) => pending.packs);
      const main = all.flatMap((pending) => pending.main ?? pending.packs);
      const runs = all.map((pending) => pending.packs);
      const added = packs.length === 0 ? [] : batch.publish(packs, main, runs);
      for (const entry of entries) settle(entry, added.splice(0, entry.pending.packs.length), batch);
    } catch (error) {
      for (const entry of entries) entry.answer ??= { error: explainFailure(batch, error) };
    } finally {
      this.close();
    }
  }

  /** Gives up what was not published. */
  close(): void {
    this.#open?.close();
    this.#open = undefined;
    this.#entries = [];
  }
}

/** What goes wrong after a pack is durable is that pack's own affair. */
function settle(entry: Entry, added: Added[], batch: Batch): void {
  try {
    entry.answer = { value: entry.pending.finish(added, batch) };
  } catch (error) {
    entry.answer = { error: asIoError(error) };
  }
}

/** Packs of one run, or a few, published at once. */
export function alone<T>(store: BatchStore, add: (group: Group) => Later<T>): T {
  const group = new Group(store);
  try {
    return add(group)();
  } finally {
    group.close();
  }
}
