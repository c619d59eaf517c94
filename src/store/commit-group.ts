// Runs that become durable together: one flush for many of them, instead of one for each. Results are
// available only once the group is committed, so nothing is reported that a power cut could undo.
import { hexOf, type Reference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import type { Added, AddedPack } from "./commit-result.js";
import type { Batch } from "./batch.js";
import { type BatchStore, explainFailure, openBatch } from "./batch-lock.js";

/** Packs that wait for the commit, and a callback for after it. */
export interface Pending<T> {
  packs: readonly AddedPack[];
  /** The packs of which the last new one becomes `latest`. Default: all. */
  main?: readonly AddedPack[];
  finish(added: Added[], batch: Batch): T;
}

/**
 * Returns the result, or throws the reason for the failure; commits the group first if that has not happened.
 */
export type Later<T> = () => T;

interface Entry {
  pending: Pending<unknown>;
  answer?: { value: unknown } | { error: unknown };
}

/** With this many packs, or bytes staged, a group is worth its flush; a larger one only has more to lose. */
const mostPacks = 500;
const mostBytes = 32 << 20;

export class Group {
  readonly #store: BatchStore;
  #open: ReturnType<typeof openBatch> | undefined;
  #entries: Entry[] = [];

  constructor(store: BatchStore) {
    this.#store = store;
  }

  /**
   * Stages the packs that `work` adds. `alone`: they must not be added twice at once, so they are a group of
   * their own.
   */
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
      // Before the group is committed: that releases the lock, which would then look lost.
      const explained = explainFailure(batch, error);
      // Files that the work staged are removed with the group; after a failure of the machine, at once.
      const isTheirs = error instanceof CtxError && error.code !== "io";
      if (!isTheirs || this.#entries.length === 0) this.publish();
      throw explained;
    }
  }

  /** Returns the manifest of a pack that waits for the commit. */
  pendingManifest(reference: Reference | undefined): Manifest | undefined {
    if (reference === undefined) return undefined;
    const hex = hexOf(reference);
    for (const { pending } of this.#entries) {
      const found = pending.packs.find((pack) => pack.hex === hex);
      if (found !== undefined) return found.manifest;
    }
    return undefined;
  }

  /** Whether no packs wait for the commit. */
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

  /** Makes all added packs durable. A failure is the result of each of them. */
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

  /** Discards everything that was not committed. */
  close(): void {
    this.#open?.close();
    this.#open = undefined;
    this.#entries = [];
  }
}

/** Completes an entry. An error after a pack is durable concerns that pack only. */
function settle(entry: Entry, added: Added[], batch: Batch): void {
  try {
    entry.answer = { value: entry.pending.finish(added, batch) };
  } catch (error) {
    entry.answer = { error: asIoError(error) };
  }
}

/** Commits the packs of one run, or of a few, at once. */
export function alone<T>(store: BatchStore, add: (group: Group) => Later<T>): T {
  const group = new Group(store);
  try {
    return add(group)();
  } finally {
    group.close();
  }
}
