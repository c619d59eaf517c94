// The middle of the pipeline of `ctx pack`: a log that was read is redacted and built into a batch, which the
// group of the log commits.
import type { Reference } from "../base/digest.js";
import type { Manifest } from "../model/manifest.js";
import type { PackResult } from "../results/results.js";
import { RedactingSink } from "../redact/redacting-sink.js";
import type { Redaction } from "../redact/settings.js";
import type { Redactions } from "../model/redactions.js";
import type { SharedSecrets } from "../redact/shared-secrets.js";
import type { WorkerScan } from "../redact/worker-scan.js";
import type { Batch } from "../store/batch-lock.js";
import type { CommitGroup, StagedPacks } from "../store/commit-group.js";
import type { Store } from "../store/store.js";

/** The group that the packs of a log are committed with. */
export type PackGroup = CommitGroup<PackResult[]>;

/** A log that was read, or that is read while its runs are built. */
export interface ReadableLog {
  /** Whether it holds no time of its runs. Then it is committed by itself, lest it be packed twice. */
  isTimeless: boolean;
  /** Builds the manifests of its runs and adds them to the batch. */
  build(into: Destination): StagedPacks<PackResult[]>;
}

/** Where runs are built. */
export interface Destination {
  batch: Batch;
  /** Returns a sink for the contents of one run, which redacts them on their way into the batch. */
  redacting: (about?: {
    before?: Redactions | undefined;
    shared?: SharedSecrets | undefined;
    ahead?: WorkerScan | undefined;
  }) => RedactingSink;
  /** Returns the manifest of a pack that waits for the same commit. */
  stagedManifest: (reference: Reference | undefined) => Manifest | undefined;
}

/** Redacts a log, builds its packs and adds them to the group. */
export function stageLog(store: Store, group: PackGroup, log: ReadableLog, { search }: Redaction): void {
  const build = (batch: Batch): StagedPacks<PackResult[]> =>
    log.build({
      batch,
      redacting: (about) => new RedactingSink({ root: store.root, sink: batch, search, ...about }),
      stagedManifest: (reference) => group.stagedManifest(reference),
    });
  group.add(build, { exclusive: log.isTimeless });
}
