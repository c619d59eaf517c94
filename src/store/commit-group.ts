// Commits packs in groups: one flush for many of them, instead of one for each. Outcomes are reported in the
// order of the inputs and only after the commit, so nothing is reported that a power cut could undo.
import { hexOf, type Reference } from "../base/digest.js";
import { asIoError, CtxError } from "../base/errors.js";
import type { Manifest } from "../model/manifest.js";
import type { Added, AddedPack } from "./commit-result.js";
import type { Batch } from "./batch.js";
import { type BatchStore, explainFailure, openBatch } from "./batch-lock.js";

/** The packs that were staged for one input. */
export interface StagedPacks<T> {
  packs: readonly AddedPack[];
  /** The packs of which the last new one becomes `latest`. Default: all. */
  main?: readonly AddedPack[];
  /** Called after the commit; returns the result for the input. */
  finish(added: Added[], batch: Batch): T;
}

export type StagedOutcome<T> = { value: T } | { error: unknown };

/**
 * Calls `stage` for each input, commits what it adds to the group, and reports one outcome for each input, in
 * their order. An input that fails does not stop the others.
 */
export function commitInGroups<I, T>(
  store: BatchStore,
  inputs: Iterable<I>,
  stage: (input: I, group: CommitGroup<T>) => void,
  onOutcome: (outcome: StagedOutcome<T>, index: number) => void,
): void {
  const group = new CommitGroup<T>(store);
  let reported = 0;
  const report = (): void => {
    for (const outcome of group.takeOutcomes()) onOutcome(outcome, reported++);
  };
  try {
    for (const input of inputs) {
      group.begin();
      try {
        stage(input, group);
      } catch (error) {
        group.fail(error);
      }
      report();
    }
    group.commit();
    report();
  } finally {
    group.close();
  }
}

/** Commits what `stage` adds at once; returns its result, or throws what went wrong. */
export function commitOne<T>(store: BatchStore, stage: (group: CommitGroup<T>) => void): T {
  const outcomes: StagedOutcome<T>[] = [];
  commitInGroups<undefined, T>(
    store,
    [undefined],
    (_, group) => stage(group),
    (outcome) => outcomes.push(outcome),
  );
  return valueOf(outcomes[0] as StagedOutcome<T>);
}

/** Returns the result; throws the error if there is none. */
export function valueOf<T>(outcome: StagedOutcome<T>): T {
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

/** One input: first what was staged for it, and after the commit its outcome. */
interface Slot<T> {
  staged?: StagedPacks<T>;
  outcome?: StagedOutcome<T>;
}

/** With this many packs, or bytes staged, a group is worth its flush; a larger one only has more to lose. */
const maxPacks = 500;
const maxBytes = 32 << 20;

export type { CommitGroup };

class CommitGroup<T> {
  readonly #store: BatchStore;
  #open: ReturnType<typeof openBatch> | undefined;
  /** Inputs whose outcome was not reported. */
  #slots: Slot<T>[] = [];

  constructor(store: BatchStore) {
    this.#store = store;
  }

  /** Starts the next input. */
  begin(): void {
    this.#slots.push({});
  }

  /**
   * Stages the packs of the current input. `exclusive`: no process may add packs meanwhile, lest the same run
   * be added twice; they are a group of their own.
   */
  add(stage: (batch: Batch) => StagedPacks<T>, { exclusive = false }: { exclusive?: boolean } = {}): void {
    if (exclusive) this.commit();
    this.#open ??= openBatch(this.#store, exclusive ? "once" : "add");
    const { batch } = this.#open;
    try {
      (this.#slots.at(-1) as Slot<T>).staged = stage(batch);
      if (exclusive || this.#isFull(batch)) this.commit();
    } catch (error) {
      // Before the group is committed: that releases the lock, which would then look lost.
      const explained = explainFailure(batch, error);
      // Files that the input staged are removed with the group; after a failure of the machine, at once.
      const isOfInput = error instanceof CtxError && error.code !== "io";
      if (!isOfInput || this.#waiting().length === 0) this.commit();
      throw explained;
    }
  }

  /** Makes an error the outcome of the current input, of which nothing is committed then. */
  fail(error: unknown): void {
    this.#slots[this.#slots.length - 1] = { outcome: { error: asIoError(error) } };
  }

  /** Returns the manifest of a pack that waits for the commit. */
  stagedManifest(reference: Reference | undefined): Manifest | undefined {
    if (reference === undefined) return undefined;
    const hex = hexOf(reference);
    for (const { packs } of this.#waiting()) {
      const found = packs.find((pack) => pack.hex === hex);
      if (found !== undefined) return found.manifest;
    }
    return undefined;
  }

  #waiting(): StagedPacks<T>[] {
    return this.#slots.flatMap(({ staged }) => staged ?? []);
  }

  #isFull(batch: Batch): boolean {
    const packs = this.#waiting().reduce((sum, staged) => sum + staged.packs.length, 0);
    return packs >= maxPacks || batch.stagedBytes >= maxBytes;
  }

  /** Makes all staged packs durable. A failure is the outcome of each input that waits for it. */
  commit(): void {
    if (this.#open === undefined) return;
    const { batch } = this.#open;
    const slots = this.#slots.filter(({ staged }) => staged !== undefined);
    const all = this.#waiting();
    for (const slot of slots) delete slot.staged;
    try {
      const packs = all.flatMap((staged) => staged.packs);
      const main = all.flatMap((staged) => staged.main ?? staged.packs);
      const runs = all.map((staged) => staged.packs);
      const added = packs.length === 0 ? [] : batch.commit(packs, main, runs);
      for (const [at, staged] of all.entries()) {
        const outcome = finished(staged, added.splice(0, staged.packs.length), batch);
        (slots[at] as Slot<T>).outcome ??= outcome;
      }
    } catch (error) {
      for (const slot of slots) slot.outcome ??= { error: explainFailure(batch, error) };
    } finally {
      this.close();
    }
  }

  /** Removes and returns the outcomes that are known, up to the first input that waits for the commit. */
  takeOutcomes(): StagedOutcome<T>[] {
    const waiting = this.#slots.findIndex(({ staged }) => staged !== undefined);
    const known = this.#slots.splice(0, waiting === -1 ? this.#slots.length : waiting);
    return known.map(({ outcome }) => outcome as StagedOutcome<T>);
  }

  /** Discards everything that was not committed. */
  close(): void {
    this.#open?.close();
    this.#open = undefined;
  }
}

/** Completes an input. An error after its packs are durable concerns this input only. */
function finished<T>(staged: StagedPacks<T>, added: Added[], batch: Batch): StagedOutcome<T> {
  try {
    return { value: staged.finish(added, batch) };
  } catch (error) {
    return { error: asIoError(error) };
  }
}
