// `ctx fork`: turns a pack into a draft that can be edited, or, with edits, directly into another pack.
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { someOf } from "../base/lists.js";
import { prettyBytes } from "../base/json/pretty.js";
import { readLog } from "../model/log.js";
import type { ForkResult, PackResult } from "../results/results.js";
import { type Draft, draftOf } from "../drafts/draft.js";
import { draftFiles } from "../drafts/draft-files.js";
import { writeDraftAt, writeOwnDraft } from "../drafts/place-draft.js";
import { editDraft, parseEdit } from "../drafts/edit-draft.js";
import { readPack } from "../store/packs.js";
import { resolvePack } from "../store/resolve.js";
import type { Store } from "../store/store.js";
import { titleFor } from "../store/titles.js";
import { type RedactionOptions, redactionOf, withMaskedErrors } from "../redact/settings.js";
import { sealLog } from "../seal/own-log.js";

export interface ForkOptions {
  /** Folder for the draft, new or empty. Without it, the draft is created in the store. */
  folder?: string | undefined;
  /** Keep only the steps before this one. */
  at?: number | undefined;
  /** Edits to apply at once: `path=value`. */
  set?: readonly string[];
  /** Returns the bytes for `@name` in an edit of a content. */
  readFile?: (name: string) => Buffer;
}

/** Creates a draft. All problems with the edits are reported at once, and then nothing is written. */
export function fork(store: Store, name: string, options: ForkOptions = {}): ForkResult {
  const { hex, title, draft, isEdited } = prepare(store, name, options);
  if (isEdited) check(draft, hex);
  const path =
    options.folder === undefined
      ? writeOwnDraft(store, hex, draft)
      : writeDraftAt(store, options.folder, hex, draft);
  return { draft: path, parent: toReference(hex), title, notices: draft.notices };
}

/** Seals the edited run directly, without a folder. */
export function forkAndSeal(
  store: Store,
  name: string,
  options: Omit<ForkOptions, "folder"> & RedactionOptions = {},
): PackResult {
  const { hex, draft } = prepare(store, name, options);
  check(draft, hex);
  const redaction = redactionOf(store, options);
  const bytes = prettyBytes(draft.log);
  const result = withMaskedErrors(redaction, () =>
    sealLog(
      store,
      {
        bytes,
        source: sourceOf(hex),
        files: draftFiles(draft),
        artifacts: () => new Map(),
        isDraft: () => true,
      },
      { redaction, sidecars: false, allowEmpty: false },
    ),
  );
  return { ...result, notices: [...draft.notices, ...result.notices] };
}

/** Throws if the edited log is invalid. The user never sees that log, so line numbers are left out. */
function check(draft: Draft, hex: string): void {
  try {
    readLog(prettyBytes(draft.log), {
      source: sourceOf(hex),
      fileProblem: (path) => draftFiles(draft).problem(path),
    });
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "log-invalid") throw error;
    throw new CtxError(error.code, `with these edits ${error.message}`, {
      problems: (error.problems ?? []).map(({ path, message }) => ({ path, message })),
      hint: "put a text that looks like JSON in double quotes",
    });
  }
}

function noFile(name: string): Buffer {
  throw new CtxError("usage", `cannot read the value of "${name}": this caller passed no way to read files`);
}

function sourceOf(hex: string): string {
  return `the fork of ctx://${hex.slice(0, 12)}`;
}

function prepare(
  store: Store,
  name: string,
  { at, set = [], readFile = noFile }: ForkOptions,
): { hex: string; title: string | null; draft: Draft; isEdited: boolean } {
  const hex = resolvePack(store, name);
  const { manifest, unknown } = readPack(store.root, hex);
  const short = `ctx://${hex.slice(0, 12)}`;
  if (unknown.length > 0)
    throw new CtxError(
      "unknown-version",
      `${short} has fields that this version of ctx does not know and would lose: ${someOf(unknown)}`,
      { hint: "a newer ctx may be able to fork it" },
    );
  if (at !== undefined && at > manifest.steps.length)
    throw new CtxError("no-such-part", `${short} has no step ${at}: it has ${manifest.steps.length}`);
  const draft = draftOf(hex, manifest, { created: new Date().toISOString(), at });
  editDraft(draft, set.map(parseEdit), readFile);
  return { hex, title: titleFor(store.root, hex, manifest), draft, isEdited: set.length > 0 };
}
