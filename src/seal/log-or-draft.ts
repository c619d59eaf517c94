// A log in ctx's own format on disk or in memory, or the log of a draft: finds the files that it refers to,
// decides which it is, and removes a draft that is sealed if the user wants that.
import { basename, resolve } from "node:path";
import { hexOf, type Reference, sha256 } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { hasDraftForm, logName } from "../drafts/draft.js";
import { isDraftFolder, isDraftPlace } from "../drafts/draft-folder.js";
import { removeDraft } from "../drafts/remove-draft.js";
import type { ExecutionLog } from "../model/log.js";
import { reached } from "../model/manifest.js";
import type { WorkerScan } from "../redact/worker-scan.js";
import { withFilesBelow } from "../store/log-files.js";
import { hasPack, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";
import { type LogToSeal, readOwnLog, type SealOptions } from "./own-log.js";
import type { ReadableLog } from "./stage.js";

/** The bytes of a log in ctx's own format. */
export interface OwnLog {
  /** Consumed: do not use after the call. */
  bytes: Buffer;
  /** The folder that its `…_file` paths are relative to. */
  folder: string;
  /** The log's name in the result. */
  source: string;
  /** Whether it was read from a file in that folder. */
  isFile: boolean;
  /** Scans the bytes for secrets on a worker thread. */
  ahead?: WorkerScan | undefined;
}

export interface LogOrDraftOptions extends SealOptions {
  /** Remove the sealed draft; `content` keeps the folder itself, because a process is in it. */
  remove: boolean | "content";
}

/** Reads and checks a log or draft, and calls `use` with it while the files below its folder can be read. */
export function withLogOrDraft(
  store: Store,
  { bytes, folder, source, isFile, ahead }: OwnLog,
  options: LogOrDraftOptions,
  use: (log: ReadableLog) => void,
): void {
  const isDraft = isDraftPlace(store, folder);
  const isDraftLog = isDraft && isFile && basename(source) === logName;
  const { remove } = options;
  if (remove !== false && !(isDraftLog && isDraftFolder(folder)))
    throw new CtxError("usage", `${source} is not a draft of \`ctx fork\`, so --rm will not remove it`, {
      hint: "leave out --rm; ctx recognises a draft by its README.md",
    });
  const hash = remove === false ? "" : sha256(bytes);
  const onSealed: LogToSeal["onSealed"] = ({ parent }, sealed) =>
    removeDraft(folder, {
      sealed: new Map([...sealed, [logName, hash]]),
      held: new Set([...sealed.values(), ...contentsOf(store, parent)]),
      keepFolder: remove === "content",
    });
  withFilesBelow(folder, (files) => {
    const input: LogToSeal = {
      bytes,
      source,
      files,
      artifacts: (log) => (isDraft ? new Map() : outputFiles(log, folder)),
      // Another log in the folder of a draft may be that of a real run, unless it names a parent.
      isDraft: (log) => isDraftLog || (isDraft && log.parent !== undefined),
      // Recognises a draft whose README.md is gone.
      hasDraftForm: (log) => isFile && basename(source) === logName && hasDraftForm(log),
      ahead,
      ...(remove === false ? {} : { onSealed }),
    };
    // A draft was not executed, so files on disk did not come from it.
    const sidecars = !isDraft && options.sidecars;
    use(readOwnLog(store, input, { ...options, sidecars }));
  });
}

/** Returns the contents of the parent; none if it is missing or cannot be read. */
function contentsOf(store: Store, parent: Reference | undefined): string[] {
  if (parent === undefined || !hasPack(store.root, hexOf(parent))) return [];
  try {
    return [...reached(readPack(store.root, hexOf(parent)).manifest)].map(hexOf);
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

/** Returns the path of each output whose content came from a file. */
function outputFiles(log: ExecutionLog, folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, content } of log.outputs ?? [])
    if ("file" in content) files.set(name, resolve(folder, content.file));
  return files;
}
