// Logs in ctx's own format, from their bytes to the manifest of a pack: what `ctx pack`, `ctx fork --seal`
// and `ctx replay --seal` have in common.
import { hexOf, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isNeverRun, isUnedited } from "../tools/edited-paths.js";
import { checkFiles, contentsHeld, type ExecutionLog, readLog } from "../model/log.js";
import { buildManifest, createdOf, type Manifest, manifestHash } from "../model/manifest.js";
import {
  type DraftOrigin,
  editedText,
  type ReplayOrigin,
  unknownEdits,
  withOrigin,
} from "../model/origin.js";
import type { PackResult } from "../results/results.js";
import { redactionsOf } from "../model/redactions.js";
import { draftOrigin, readParent } from "../verify/origin.js";
import { type SidecarReport, writeSidecars } from "../verify/sidecars.js";
import type { WorkerScan } from "../redact/worker-scan.js";
import type { Added } from "../store/batch-lock.js";
import { commitOne } from "../store/commit-group.js";
import type { LogFiles } from "../store/log-files.js";
import { hasPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { type Redaction, redactionNotices, searchNotices, untrustedCounts } from "../redact/settings.js";
import { type ReadableLog, stageLog } from "./stage.js";

export interface LogToSeal {
  /** Ownership is transferred: the bytes are overwritten. */
  bytes: Buffer;
  /** The name in the result. */
  source: string;
  files: LogFiles;
  /** Returns the paths of artifacts whose content came from files, by the names of the outputs. */
  artifacts: (log: ExecutionLog) => ReadonlyMap<string, string>;
  /** Returns whether it is the log of a draft. Even if not, its steps may show that it never ran. */
  isDraft?: (log: ExecutionLog) => boolean;
  /** Returns whether it has the form of a draft: then it is sealed as one, with a note. */
  hasDraftForm?: (log: ExecutionLog) => boolean;
  /** Scans the log for secrets on a worker thread meanwhile. */
  ahead?: WorkerScan | undefined;
  /**
   * Called when the pack is durable, with the names of the contents that came from files; returns notices for
   * the result.
   */
  onSealed?: (result: PackResult, files: ReadonlyMap<string, string>) => string[];
}

export interface SealOptions {
  redaction: Redaction;
  /** Overrides the time of the run. */
  created?: string | undefined;
  /** Write sidecars beside outputs that are on disk. */
  sidecars: boolean;
  /** Seal even if nothing differs from the parent. */
  allowEmpty: boolean;
  /** Count only what is masked now, even if the log says what was masked in it before. */
  isFirstMasking?: boolean;
  /** The origin of a replayed run. */
  origin?: ReplayOrigin;
}

/** Seals one log. Reports everything that is wrong with it at once, and then writes nothing. */
export function sealLog(store: Store, input: LogToSeal, options: SealOptions): PackResult {
  const [result] = commitOne<PackResult[]>(store, (group) =>
    stageLog(store, group, readOwnLog(store, input, options), options.redaction),
  );
  return result as PackResult;
}

/** Reads and checks a log. */
export function readOwnLog(store: Store, input: LogToSeal, options: SealOptions): ReadableLog {
  const { source } = input;
  const reading = {
    source: source === "-" ? "standard input" : source,
    fileProblem: (path: string) => input.files.problem(path),
    filesLater: true,
  };
  const log = readLog(input.bytes, reading);
  input.ahead?.begin(input.bytes, contentsHeld(log));
  const known = options.created ?? createdOf(log);
  const files = new Map<string, string>();
  const isDraft = input.isDraft?.(log) === true;
  const isLikeDraft = !isDraft && input.hasDraftForm?.(log) === true;
  const artifacts = options.sidecars ? input.artifacts(log) : new Map<string, string>();
  const build: ReadableLog["build"] = ({ batch, redacting, stagedManifest }) => {
    const created = known ?? new Date().toISOString();
    const before = options.isFirstMasking === true ? undefined : redactionsOf(log);
    const redactor = redacting({ before, ahead: input.ahead });
    const built = buildManifest(log, created, (content, origin) => {
      const sink = redactor.from(origin);
      if ("bytes" in content) return sink.addBytes(content.bytes);
      try {
        const stored = input.files.add(content.file, sink);
        files.set(content.file, redactor.nameBefore(stored));
        return stored;
      } catch (error) {
        // Other files may have the same problem: name all of them.
        checkFiles(log, reading);
        throw error;
      }
    });
    const redactions = redactor.finish(built);
    const parent = stagedManifest(built.parent) ?? readParent(store, built);
    const { manifest, draft } = settleOrigin(
      built,
      parent,
      options.origin ?? { isDraft: isDraft || isLikeDraft },
    );
    if (!options.allowEmpty && parent !== undefined) checkChanged(store, manifest, parent);
    const pack = batch.addPack(manifest, { once: known === undefined });
    const untrusted = untrustedCounts(options.redaction, redactions);
    const { unsearched } = redactor;
    const notices = [
      ...(redactor.isUsed ? redactionNotices(redactions, source) : []),
      ...searchNotices(untrusted, unsearched),
      ...options.redaction.notices,
    ];
    if (draft !== undefined && !isDraft) notices.push(neverRunNotice(manifest, draft, isLikeDraft));
    // No file on disk can have come from a run that never took place.
    const hasSidecars = options.sidecars && draft === undefined;
    return {
      packs: [pack],
      finish([added], committed) {
        const sidecars = hasSidecars
          ? writeSidecars(store, committed, { ...(added as Added), files: artifacts })
          : noSidecars;
        const about = { source, sidecars, redactions, untrusted, unsearched, notices };
        const result = resultOf(added as Added, about);
        return [{ ...result, notices: [...result.notices, ...(input.onSealed?.(result, files) ?? [])] }];
      },
    };
  };
  return { isTimeless: known === undefined, build };
}

const noSidecars: SidecarReport = { written: [], absent: [], notices: [] };

interface AboutSealed {
  source: string;
  sidecars: SidecarReport;
  redactions: PackResult["redactions"];
  untrusted: PackResult["untrusted_rules"];
  unsearched: number;
  notices: readonly string[];
}

function resultOf(added: Added, about: AboutSealed): PackResult {
  const { source, sidecars, redactions, untrusted, unsearched, notices } = about;
  const { manifest } = added;
  return {
    uri: `ctx://${added.hex}`,
    hash: toReference(added.hex),
    created: manifest.created,
    new: added.isNew,
    ...(manifest.parent === undefined ? {} : { parent: manifest.parent }),
    source,
    counts: {
      prompts: manifest.prompts.length,
      inputs: manifest.inputs.length,
      steps: manifest.steps.length,
      outputs: manifest.outputs.length,
    },
    bytes_new: added.bytesNew,
    bytes_shared: added.bytesShared,
    sidecars: sidecars.written,
    outputs_absent: sidecars.absent,
    repaired: added.repaired.map(toReference),
    ...(redactions === undefined ? {} : { redactions }),
    ...(untrusted === undefined ? {} : { untrusted_rules: untrusted }),
    ...(unsearched === 0 ? {} : { unsearched }),
    notices: [...notices, ...(added.notice === undefined ? [] : [added.notice]), ...sidecars.notices],
  };
}

/**
 * Returns the manifest with its origin. A log whose steps are its parent's was never executed, wherever the
 * log came from: it is an edited draft, too.
 */
export function settleOrigin(
  manifest: Manifest,
  parent: Manifest | undefined,
  origin: ReplayOrigin | { isDraft: boolean },
): { manifest: Manifest; draft?: DraftOrigin } {
  if ("kind" in origin) return { manifest: withOrigin(manifest, origin) };
  if (!origin.isDraft && (parent === undefined || !isNeverRun(manifest, parent))) return { manifest };
  const draft = draftOrigin(manifest, parent);
  return { manifest: withOrigin(manifest, draft), draft };
}

function neverRunNotice({ parent }: Manifest, { edited }: DraftOrigin, isLikeDraft: boolean): string {
  const short = parent === undefined ? "" : hexOf(parent).slice(0, 12);
  const isStep = edited.some((path) => path.startsWith("steps") || path === unknownEdits[0]);
  const why =
    isLikeDraft && isStep
      ? `the log looks like a draft of ctx://${short} made by \`ctx fork\``
      : `all its steps are those of its parent, ctx://${short}`;
  return `sealed as an edited draft, not as a run: ${why}; edited: ${editedText(edited)}`;
}

/**
 * Throws if a run is identical to its parent: an unedited draft. One that is sealed already may be sealed
 * again.
 */
function checkChanged(store: Store, manifest: Manifest, parent: Manifest): void {
  if (!isUnedited(manifest, parent) || hasPack(store.root, manifestHash(manifest))) return;
  throw new CtxError("unchanged", `nothing changed since ctx://${hexOf(manifest.parent ?? "sha256:")}`, {
    hint: "edit the draft first, or seal it as it is with `ctx pack --allow-empty`",
  });
}
